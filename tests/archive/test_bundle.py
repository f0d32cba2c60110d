"""A bundle opens elsewhere and gives the same frame; whatever was done to it is named."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe.archive.bundle import read_manifest
from dirframe.errors import ArchiveError, InvalidInputError

if TYPE_CHECKING:
    from pathlib import Path

    from dirframe.client.directory import Directory
    from tests.archive.test_harvest import Ask
    from tests.faults.service import FaultyService


@pytest.fixture
def study(service: FaultyService, ask: Ask, tmp_path: Path) -> Path:
    directory: Directory = ask(service)
    dirframe.harvest("projects", tmp_path / "a", directory=directory)
    dirframe.bundle(tmp_path / "a", tmp_path / "study.zip")
    return tmp_path / "study.zip"


def rewritten(study: Path, change: dict[str, bytes | None]) -> Path:
    """Write it again with entries changed, added or left out."""
    other = study.with_name("other.zip")
    with zipfile.ZipFile(study) as old, zipfile.ZipFile(other, "w") as new:
        contents = {name: old.read(name) for name in old.namelist()} | change
        for name, content in contents.items():
            if content is not None:
                new.writestr(name, content)
    return other


def a_page(study: Path) -> str:
    with zipfile.ZipFile(study) as packed:
        return next(name for name in packed.namelist() if name.startswith("pages/"))


def test_the_frame_is_the_same_without_the_archive(study: Path, tmp_path: Path) -> None:
    frame = dirframe.open_archive(tmp_path / "a").frame()
    digest = dirframe.bundle(tmp_path / "a", tmp_path / "again.zip")
    assert digest == dirframe.bundle(tmp_path / "a", tmp_path / "again.zip", overwrite=True)
    assert study.read_bytes() == (tmp_path / "again.zip").read_bytes()
    (tmp_path / "a").unlink()
    again = dirframe.open_bundle(study).frame()
    pd.testing.assert_frame_equal(again, frame)
    assert again.attrs == frame.attrs


#: No file can be larger, as on a full disk.
FULL = """
import resource, signal, sys
import dirframe
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
try:
    dirframe.bundle(*sys.argv[1:])
except OSError as error:
    print(error.filename)
"""


def test_a_full_disk_is_an_error_of_the_bundle_and_leaves_nothing(study: Path) -> None:
    pytest.importorskip("resource", reason="this system knows no RLIMIT_FSIZE")
    before = sorted(study.parent.iterdir())
    target = study.with_name("again.zip")
    arguments = [str(study.with_name("a")), str(target)]
    done = subprocess.run(
        [sys.executable, "-c", FULL, *arguments], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == str(target), done.stderr
    assert sorted(study.parent.iterdir()) == before


def test_an_archive_is_not_replaced_by_its_bundle(study: Path) -> None:
    archive = study.with_name("a")
    before = archive.read_bytes()
    with pytest.raises(InvalidInputError, match="is an archive of harvested pages"):
        dirframe.bundle(archive, archive, overwrite=True)
    assert archive.read_bytes() == before
    dirframe.bundle(archive, study, overwrite=True)


def test_a_missing_page_is_named(study: Path) -> None:
    with pytest.raises(ArchiveError, match=a_page(study)):
        dirframe.open_bundle(rewritten(study, {a_page(study): None}))


def test_a_changed_page_is_named(study: Path) -> None:
    page = a_page(study)
    with zipfile.ZipFile(study) as packed:
        content = bytearray(packed.read(page))
    content[len(content) // 2] ^= 1
    with pytest.raises(ArchiveError, match=page):
        dirframe.open_bundle(rewritten(study, {page: bytes(content)}))


@pytest.mark.parametrize("name", ["manifest.jsonl", "README.md", "citation.bib"])
def test_a_changed_text_is_named(name: str, study: Path) -> None:
    with pytest.raises(ArchiveError, match=name):
        dirframe.open_bundle(rewritten(study, {name: b"other"}))


@pytest.mark.parametrize("name", ["extra.txt", "../out", "/etc/x", "a\\b", "C:x", "pages/../x"])
def test_an_entry_that_does_not_belong_is_refused_by_name(name: str, study: Path) -> None:
    with pytest.raises(ArchiveError, match=r"leads out|does not name"):
        dirframe.open_bundle(rewritten(study, {name: b"x"}))


def test_a_symbolic_link_is_refused(study: Path) -> None:
    with zipfile.ZipFile(study, "a") as packed:
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        packed.writestr(link, "/etc")
    with pytest.raises(ArchiveError, match="not an ordinary file"):
        dirframe.open_bundle(study)


def test_a_packed_entry_is_refused_before_it_is_unpacked(study: Path) -> None:
    with zipfile.ZipFile(study, "a") as packed:
        packed.writestr("bomb", b"\0" * 10_000_000, zipfile.ZIP_DEFLATED)
    with pytest.raises(ArchiveError, match="is packed"):
        dirframe.open_bundle(study)


def test_what_is_no_zip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"no zip")
    with pytest.raises(ArchiveError, match="not a bundle"):
        dirframe.open_bundle(tmp_path / "x.zip")


def test_a_bundle_that_is_not_there_is_refused() -> None:
    with pytest.raises(ArchiveError, match="no file"):
        dirframe.open_bundle("nowhere.zip")


def test_a_manifest_that_is_none_is_refused() -> None:
    with pytest.raises(ArchiveError, match="not the manifest"):
        read_manifest([], "it")
    with pytest.raises(ArchiveError, match="of format 9"):
        read_manifest([b'{"table": "archive", "format": 9}'], "it")


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        ("archive", {"resource_name": "nonsense"}),
        ("archive", {"rounds": 2}),
        ("rounds", {"kind": "nonsense"}),
        ("rounds", {"pages": 7}),
        ("rounds", {"outcome": {}}),
        ("rounds", {"outcome": {"doubt": ["pages_unproven", []]}}),
        ("rounds", {"began": "2026-11-21T00:00:00"}),
        ("pages", {"size": "9"}),
        ("pages", {"ids": [1]}),
        ("pages", {"sha256": "../" * 21 + "x"}),
        ("pages", {"round": 2}),
        ("pages", {"number": 9}),
        ("pages", {"table": "nonsense"}),
        ("pages", {"first": 2**70}),
    ],
)
def test_a_manifest_that_says_what_no_archive_holds_is_refused(
    table: str, wrong: dict[str, Any], study: Path
) -> None:
    with zipfile.ZipFile(study) as packed:
        lines = [json.loads(line) for line in packed.read("manifest.jsonl").splitlines()]
    changed = next(line for line in lines if line["table"] == table)
    changed |= wrong
    with pytest.raises(ArchiveError):
        read_manifest([json.dumps(line).encode() for line in lines], "it")


def test_its_manifest_is_lines_that_a_person_can_read(study: Path) -> None:
    with zipfile.ZipFile(study) as packed:
        lines = [json.loads(line) for line in packed.read("manifest.jsonl").splitlines()]
        names = packed.namelist()
    pages = [line for line in lines if line["table"] == "pages"]
    assert [line["page"] for line in pages] == [1, 2, 3, 4, 5, 6]
    assert pages[0]["ids"] == [str(number) for number in range(1, 11)]
    assert all(any(line["sha256"] in name for name in names) for line in pages)


def test_the_records_lie_in_it_for_other_programs_with_metadata(
    study: Path, tmp_path: Path
) -> None:
    frame = dirframe.open_bundle(study).frame()
    with zipfile.ZipFile(study) as packed:
        packed.extractall(tmp_path / "out")
    package = json.loads((tmp_path / "out" / "datapackage.json").read_text("utf-8"))
    (resource,) = package["resources"]
    assert (resource["name"], resource["rows"]) == ("projects-parquet", len(frame))
    assert (resource["accessed"], resource["completeness"]) != ("", "incomplete")
    table = pd.read_parquet(tmp_path / "out" / resource["path"])
    assert table["id"].tolist() == frame["id"].tolist()
    described = {field["name"]: field.get("description") for field in resource["schema"]["fields"]}
    assert described["stack_count"]
    assert set(described) == set(frame.columns)
    assert {"ro-crate-metadata.json", "croissant.json", "CITATION.cff"} <= {
        path.name for path in (tmp_path / "out").iterdir()
    }
    # It cited none of the records before, as if they had been filtered out.
    assert f"({len(frame):,} records)" in (tmp_path / "out" / "README.md").read_text("utf-8")


def test_a_changed_table_is_named(study: Path) -> None:
    with pytest.raises(ArchiveError, match=r"data/projects\.parquet .* was changed"):
        dirframe.open_bundle(rewritten(study, {"data/projects.parquet": b"PAR1"}))
    with pytest.raises(ArchiveError, match=r"lacks data/projects\.parquet"):
        dirframe.open_bundle(rewritten(study, {"data/projects.parquet": None}))
