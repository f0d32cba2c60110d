"""Programs that know Frictionless read and check each table of a study."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from dirframe import export, fields, stats
from dirframe.provenance import get_provenance
from tests.study import descriptor

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


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


def test_a_column_of_a_statistic_is_not_the_field_of_that_name(
    records: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    shares = stats.language_share(records["projects"]).rename(columns={"language": "name"})
    with zipfile.ZipFile(export(shares, tmp_path / "shares.zip")) as packed:
        resource = json.loads(packed.read("datapackage.json"))["resources"][0]
    assert "description" not in resource["schema"]["fields"][0]
    assert "primaryKey" not in resource["schema"]
