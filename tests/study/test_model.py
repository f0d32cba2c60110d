"""A study says only what is known, and refuses what cannot be said."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dirframe import InvalidInputError, export
from dirframe.provenance import set_provenance

if TYPE_CHECKING:
    from pathlib import Path


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
