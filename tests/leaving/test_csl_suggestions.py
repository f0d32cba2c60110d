"""CSL-JSON, and suggestions for names with two errors, which need rapidfuzz."""

import json
import re

import pandas as pd

import dirframe


def test_csl_has_the_facts_and_two_errors_are_suggested(sample_projects):
    (item,) = json.loads(dirframe.cite(sample_projects, style="csl"))
    assert re.fullmatch("[a-z-]+-projects-[0-9]{4}-[0-9a-f]{8}", item["id"])
    assert item["type"] == "dataset"
    assert item["author"] == [{"literal": "dirframe sample directory"}]
    assert "synthetic" in item["title"]
    table = dirframe.country_audit(pd.Series(["ra fo egypt", "kbingdom of beligum"]))
    assert table.set_index("raw")["suggestion"].str[:2].to_dict() == {
        "ra fo egypt": "EG",
        "kbingdom of beligum": "BE",
    }
