"""A study is opened by programs that do not know dirframe."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import dirframe
from dirframe import InvalidInputError, export, fields, read_export, stats
from dirframe.provenance import get_provenance, set_provenance

R = shutil.which("Rscript")


@pytest.fixture(scope="module")
def records() -> dict[str, pd.DataFrame]:
    with dirframe.sample_directory() as directory:
        return {
            "projects": directory.projects(max_items=120, sort="name", progress=False),
            "All accounts": directory.accounts(query="ada", progress=False),
        }


@pytest.fixture(scope="module")
def study(records: dict[str, pd.DataFrame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study as a reviewer sees it: unpacked in a folder."""
    folder = tmp_path_factory.mktemp("study")
    file = export(
        records, folder / "study.zip", title="A study", authors=["Hopper, Grace", "The Navy"]
    )
    with zipfile.ZipFile(file) as packed:
        packed.extractall(folder)
    return folder


def descriptor(folder: Path, name: str = "datapackage.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / name).read_text("utf-8"))
    return found


@pytest.mark.filterwarnings("ignore")
def test_frictionless_finds_no_error_in_any_value(study: Path) -> None:
    from frictionless import Package, system

    with system.use_context(trusted=True):
        report = Package(str(study / "datapackage.json")).validate()
    assert report.valid, report.flatten(["rowNumber", "fieldName", "note"])
    rows = [task.stats["rows"] for task in report.tasks]
    assert rows[:2] == [120, 120]
    assert len(rows) == 4


def test_each_column_has_the_type_the_unit_and_the_meaning_of_the_schema(study: Path) -> None:
    known = fields("project").set_index("name")
    types = {"str": "string", "Int64": "integer", "Float64": "number", "object": "array"}
    resource = descriptor(study)["resources"][0]
    described = {field["name"]: field for field in resource["schema"]["fields"]}
    assert set(known.query("dialects == 'specification'").index) <= set(described)
    for name, field in described.items():
        if name in known.index:
            dtype, unit = known.loc[name, ["type", "unit"]]
            assert field["type"] == types.get(dtype, "datetime")
            assert field.get("unit") == (unit if isinstance(unit, str) else None)
            assert known.loc[name, "meaning"].startswith(field["description"])


def test_the_package_says_what_was_asked_when_and_whether_all_came(
    study: Path, records: dict[str, pd.DataFrame]
) -> None:
    package = descriptor(study)
    capped, whole = package["resources"][0], package["resources"][2]
    assert capped["query"] == {"sort": "name", "max_items": 120}
    assert capped["completeness"] == "incomplete: capped at max_items=120"
    assert whole["completeness"] == "complete"
    assert whole["provenance"] == get_provenance(records["All accounts"])
    assert whole["accessed"].startswith(whole["provenance"]["retrieved_oldest"])
    assert package["licenses"][0]["name"] == "CC0-1.0"  # generated
    assert [c["title"] for c in package["contributors"]] == ["Grace Hopper", "The Navy"]


@pytest.mark.filterwarnings("ignore")
def test_ro_crate_reads_files_authors_licence_and_origin(study: Path) -> None:
    from rocrate.rocrate import ROCrate

    crate = ROCrate(study)
    assert crate.name == "A study"
    assert crate.license["name"] == "CC0-1.0"
    assert {author.type for author in crate.root_dataset["author"]} == {"Person", "Organization"}
    assert crate.root_dataset["isBasedOn"]["name"] == "dirframe sample directory"
    packed = {path.relative_to(study).as_posix() for path in study.rglob("*") if path.is_file()}
    held = {entity.id for entity in crate.data_entities}
    assert held == packed - {"study.zip", "ro-crate-metadata.json"}
    actions = [entity for entity in crate.contextual_entities if entity.type == "CreateAction"]
    assert len(actions) == 2
    assert '"sort": "name"' in actions[0]["description"]
    # Each reference leads to an entity of the crate, whose identifiers are not repeated.
    graph = descriptor(study, "ro-crate-metadata.json")["@graph"]
    known = [entity["@id"] for entity in graph]
    assert len(known) == len(set(known))
    for entity in graph:
        for value in entity.values():
            for reference in value if isinstance(value, list) else [value]:
                if isinstance(reference, dict) and not reference["@id"].startswith("https://w3id"):
                    assert reference["@id"] in known


@pytest.mark.filterwarnings("ignore")
def test_croissant_is_valid_and_yields_the_records(
    study: Path, records: dict[str, pd.DataFrame]
) -> None:
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=str(study / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    found = [record["projects/id"].decode() for record in dataset.records("projects")]
    assert found == records["projects"]["id"].tolist()


@pytest.mark.parametrize("options", [{}, {"license": "CC-BY-4.0"}, {"license": "https://a.org/l"}])
def test_the_citation_file_is_valid(
    options: dict[str, Any], records: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    from check_jsonschema import main

    file = export(
        records["projects"], tmp_path / "s.zip", authors=["Ho: pper, Gr#ace\u2028"], **options
    )
    with zipfile.ZipFile(file) as packed:
        packed.extract("CITATION.cff", tmp_path)
    schema = ["--builtin-schema", "vendor.citation-file-format"]
    done = CliRunner().invoke(main, [*schema, str(tmp_path / "CITATION.cff")])
    assert done.exit_code == 0, done.output
    assert options.get("license", "CC0-1.0") in (tmp_path / "CITATION.cff").read_text("utf-8")


def test_no_file_holds_a_key_or_a_path_of_this_machine(tmp_path: Path) -> None:
    with dirframe.sample_directory() as directory:
        key = directory.settings.api_key.reveal()
        frame = directory.accounts(max_items=25, progress=False)
    with zipfile.ZipFile(export(frame, tmp_path / "study.zip")) as packed:
        for name in packed.namelist():
            content = packed.read(name)
            for secret in (key, str(Path.home()), str(tmp_path), str(Path.cwd())):
                assert secret.encode() not in content, name


def test_the_same_frames_give_the_same_bytes_and_come_back(
    study: Path, records: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    again = export(
        records, tmp_path / "other.zip", title="A study", authors=["Hopper, Grace", "The Navy"]
    )
    assert again.read_bytes() == (study / "study.zip").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["other.zip"]
    for source in (study / "data" / "projects.csv", study / "data" / "projects.parquet"):
        pd.testing.assert_frame_equal(read_export(source), records["projects"])
    accounts = read_export(again, table="all-accounts")
    pd.testing.assert_frame_equal(accounts, records["All accounts"])
    assert accounts.attrs == records["All accounts"].attrs


def test_a_damaged_table_in_a_study_is_refused(study: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.zip"
    with zipfile.ZipFile(study / "study.zip") as source, zipfile.ZipFile(damaged, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(
                name, content[:9] + b"?" + content[10:] if "parquet" in name else content
            )
    with pytest.raises(InvalidInputError, match=r"projects\.parquet|all-accounts\.parquet"):
        read_export(damaged, table="projects")
    with zipfile.ZipFile(damaged, "w") as target:
        target.writestr("a.txt", "another zip")
    with pytest.raises(InvalidInputError, match="no study"):
        read_export(damaged)


def test_a_column_of_a_statistic_is_not_the_field_of_that_name(
    records: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    shares = stats.language_share(records["projects"]).rename(columns={"language": "name"})
    with zipfile.ZipFile(export(shares, tmp_path / "shares.zip")) as packed:
        resource = json.loads(packed.read("datapackage.json"))["resources"][0]
    assert "description" not in resource["schema"]["fields"][0]
    assert "primaryKey" not in resource["schema"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"license": "CC-BY-9"}, "SPDX"),
        ({"license": "public domain"}, "SPDX"),
        ({"authors": "Hopper, Grace"}, "list of names"),
        ({"authors": [" "]}, "list of names"),
    ],
)
def test_an_invalid_option_of_a_study_is_refused(
    options: dict[str, Any],
    reason: str,
    records: dict[str, pd.DataFrame],
    tmp_path: Path,
) -> None:
    with pytest.raises(InvalidInputError, match=reason):
        export(records["projects"], tmp_path / "study.zip", **options)
    assert not list(tmp_path.iterdir())


def test_options_of_a_study_are_refused_for_other_formats(
    records: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    with pytest.raises(InvalidInputError, match=r"title, license can be given for a study"):
        export(records["projects"], tmp_path / "p.csv", title="A study", license="CC0-1.0")


def test_a_study_needs_a_source_and_names_that_differ(
    records: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    with pytest.raises(InvalidInputError, match="copy_provenance"):
        export(pd.DataFrame({"id": ["1"]}), tmp_path / "study.zip")
    one = records["projects"]
    with pytest.raises(InvalidInputError, match="data/a-b"):
        export({"a b": one, "a/b": one}, tmp_path / "study.zip")
    assert not list(tmp_path.iterdir())


def test_records_of_a_directory_whose_licence_is_not_known_claim_none(tmp_path: Path) -> None:
    frame = set_provenance(
        pd.DataFrame({"id": ["1"]}),
        source="A directory",
        base_url="https://directory.example",
        resource="project",
        items_loaded=1,
        complete=True,
        retrieved_newest="2026-11-20T09:00:00Z",
    )
    with zipfile.ZipFile(export(frame, tmp_path / "study.zip")) as packed:
        package, crate = (
            json.loads(packed.read(f"{name}.json")) for name in ("datapackage", "ro-crate-metadata")
        )
    assert "licenses" not in package
    assert package["sources"] == [{"title": "A directory", "path": "https://directory.example"}]
    assert package["created"] == "2026-11-20T00:00:00Z"
    root = next(entity for entity in crate["@graph"] if entity["@id"] == "./")
    assert root["license"] == {"@id": "#terms"}


@pytest.mark.skipif(R is None, reason="R is not installed (apt-get install r-base-core)")
def test_r_reads_the_tables(study: Path, records: dict[str, pd.DataFrame]) -> None:
    code = """
    t <- read.csv("data/projects.csv", na.strings = "", colClasses = c(id = "character"))
    cat(nrow(t), sum(t$stack_count, na.rm = TRUE), sum(is.na(t$analysis_id)), t$id[[1]], "\\n")
    if (!requireNamespace("arrow", quietly = TRUE)) quit(status = 0)
    a <- arrow::read_parquet("data/projects.parquet")
    cat(nrow(a), class(a$created_at)[[1]], a$id[[1]], "\\n")
    """
    done = subprocess.run(
        [str(R), "--vanilla", "-e", code], cwd=study, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    frame = records["projects"]
    numbers = [len(frame), frame["stack_count"].sum(), frame["analysis_id"].isna().sum()]
    lines = done.stdout.splitlines()
    assert lines[0].split() == [*map(str, numbers), frame["id"].iloc[0]]
    if len(lines) == 1:
        pytest.skip("R's package arrow is not installed: R read the CSV, not the Parquet")
    assert lines[1].split() == [str(len(frame)), "POSIXct", frame["id"].iloc[0]]
