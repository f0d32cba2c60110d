"""Suggestions for names with two errors, which need rapidfuzz."""

import pandas as pd

import dirframe


def test_two_errors_are_suggested():
    table = dirframe.country_audit(pd.Series(["ra fo egypt", "kbingdom of beligum"]))
    assert table.set_index("raw")["suggestion"].str[:2].to_dict() == {
        "ra fo egypt": "EG",
        "kbingdom of beligum": "BE",
    }
