"""Programs that know RO-Crate find files, authors, licence and origin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.study import descriptor

if TYPE_CHECKING:
    from pathlib import Path


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
