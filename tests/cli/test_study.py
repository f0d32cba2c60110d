"""Studies for reviewers, written by `export` and `bundle`."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli import dirframe

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = ("--title", "Who maintains it?", "--author", "Hopper, Grace", "--author", "The Navy")
LICENCE = ("--license", "CC-BY-4.0")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("tables")
    files = [str(folder / f"{name}.parquet") for name in ("projects", "accounts")]
    for file in files:
        name = file.rpartition("/")[2].removesuffix(".parquet")
        assert dirframe(name, "--sample", "--max-items", "25", "-o", file).returncode == 0
    return files


def package(file: Path) -> dict[str, Any]:
    with zipfile.ZipFile(file) as packed:
        content: dict[str, Any] = json.loads(packed.read("datapackage.json"))
    return content


def assert_described(file: Path) -> None:
    """All metadata of the study name its title, its authors and its licence."""
    described = package(file)
    assert described["title"] == "Who maintains it?"
    assert [one["title"] for one in described["contributors"]] == ["Grace Hopper", "The Navy"]
    assert [one["name"] for one in described["licenses"]] == ["CC-BY-4.0"]
    with zipfile.ZipFile(file) as packed:
        crate = json.loads(packed.read("ro-crate-metadata.json"))["@graph"]
        citation = packed.read("CITATION.cff").decode()
    (root,) = (entity for entity in crate if entity["@id"] == "./")
    assert root["name"] == "Who maintains it?"
    assert root["license"] == {"@id": "https://spdx.org/licenses/CC-BY-4.0"}
    names = {entity["@id"]: entity.get("name") for entity in crate}
    assert [names[author["@id"]] for author in root["author"]] == ["Grace Hopper", "The Navy"]
    for text in ("Who maintains it?", "Hopper", "The Navy", "CC-BY-4.0"):
        assert text in citation


def test_several_files_become_one_study_with_title_authors_and_licence(
    tables: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "study.zip"
    done = dirframe("export", *tables, str(file), *OPTIONS, *LICENCE)
    assert done.returncode == 0, done.stderr
    assert_described(file)
    assert [table["name"] for table in package(file)["resources"]][::2] == [
        "projects-csv",
        "accounts-csv",
    ]
    again = dirframe("export", *tables, str(file), *OPTIONS)
    assert again.returncode == 2  # --overwrite was not given
    assert "--overwrite" in again.stderr
    assert_described(file)


def test_unless_told_the_author_is_the_directory_and_the_licence_that_of_its_records(
    tables: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "study.zip"
    assert dirframe("export", tables[0], str(file)).returncode == 0
    assert package(file)["licenses"][0]["name"] == "CC0-1.0"
    (author,) = package(file)["contributors"]
    assert author["title"] == "dirframe sample directory"


@pytest.mark.parametrize(
    "options", [("--license", "nonsense"), ("--author", " "), ("--license", "ftp://a.org/l")]
)
def test_a_licence_or_an_author_that_is_none_is_refused_before_anything_is_written(
    options: tuple[str, str], tables: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "study.zip"
    done = dirframe("export", tables[0], str(file), *options)
    assert done.returncode == 2
    assert repr(options[1]) in done.stderr
    assert "Traceback" not in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_options_of_a_study_are_refused_for_other_files(tables: list[str], tmp_path: Path) -> None:
    done = dirframe("export", tables[0], str(tmp_path / "p.csv"), *OPTIONS)
    assert done.returncode == 2
    assert "title" in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_two_files_of_one_name_need_another_name_in_a_study(
    tables: list[str], tmp_path: Path
) -> None:
    done = dirframe("export", tables[0], tables[0], str(tmp_path / "study.zip"))
    assert done.returncode == 2
    assert [*tmp_path.iterdir()] == []
