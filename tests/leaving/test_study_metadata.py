"""RO-Crate, Croissant and CITATION.cff of a study, read by libraries that know them."""

import json
import zipfile

import pytest

from dirframe import export
from tests.frames import rich


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    options = {
        "title": "A study",
        "authors": ["Ho: pper, Gr#ace", "The Navy"],
        "license": "CC-BY-4.0",
    }
    with zipfile.ZipFile(export({"projects": rich()}, folder / "study.zip", **options)) as packed:
        packed.extractall(folder)
    (folder / "study.zip").unlink()
    return folder


def test_ro_crate_names_all_files_and_authors(study):
    graph = json.loads((study / "ro-crate-metadata.json").read_text("utf-8"))["@graph"]
    entities = {entity["@id"]: entity for entity in graph}
    assert len(entities) == len(graph)
    packed = {path.relative_to(study).as_posix() for path in study.rglob("*") if path.is_file()}
    root = entities["./"]
    assert {part["@id"] for part in root["hasPart"]} == packed - {"ro-crate-metadata.json"}
    assert {entities[author["@id"]]["@type"] for author in root["author"]} == {
        "Person",
        "Organization",
    }


@pytest.mark.filterwarnings("ignore")
def test_croissant_yields_the_records(study):
    mlcroissant = pytest.importorskip("mlcroissant", reason="a reader for the slow tests")
    dataset = mlcroissant.Dataset(jsonld=str(study / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    found = [record["projects/id"].decode() for record in dataset.records("projects")]
    assert found == ["1", "2", "3"]


def test_citation_file_is_valid(study):
    check = pytest.importorskip("check_jsonschema", reason="a reader for the slow tests")
    from click.testing import CliRunner

    file = study / "CITATION.cff"
    schema = ["--builtin-schema", "vendor.citation-file-format"]
    done = CliRunner().invoke(check.main, [*schema, str(file)])
    assert done.exit_code == 0, done.output
    assert "CC-BY-4.0" in file.read_text("utf-8")
