"""Columns that hold nothing are told apart: not sent, not loaded, or empty in the records."""

from __future__ import annotations

import pandas as pd

from dirframe.provenance import set_provenance
from dirframe.provenance.absent_columns import absent


def test_a_column_that_was_not_sent_is_named_with_what_to_do() -> None:
    frame = set_provenance(
        pd.DataFrame({"id": ["1"], "size": [None], "name": [None]}), not_sent=["size"]
    )
    told = absent(frame, ["id", "size", "name"])
    assert told is not None
    assert told.columns == ("size",)
    assert told.why.startswith("size was not sent: ")
    assert told.hint is not None
    assert "details=True" in told.hint.python
    assert "--details" in told.hint.shell


def test_values_that_came_later_are_believed() -> None:
    frame = set_provenance(pd.DataFrame({"id": ["1"], "size": [None]}), not_sent=["size"])
    assert absent(frame.assign(size=3), ["size"]) is None


def test_without_rows_nothing_is_said_unless_the_rows_are_elsewhere() -> None:
    frame = set_provenance(pd.DataFrame({"id": ["1"], "size": [None]}), not_sent=["size"])
    assert absent(frame.iloc[:0], ["size"]) is None
    told = absent(frame.iloc[:0], ["size"], rows_elsewhere=True)
    assert told is not None
    assert told.columns == ("size",)


def test_columns_that_were_not_asked_for_were_not_loaded() -> None:
    frame = set_provenance(pd.DataFrame({"id": ["1"]}), columns=["id"])
    told = absent(frame, ["name", "size"])
    assert told is not None
    assert told.columns == ("name", "size")
    assert told.why == "name, size were not loaded: only the columns id were asked for."
    assert told.hint is not None


def test_a_frame_that_says_nothing_of_its_load_lacks_nothing() -> None:
    assert absent(pd.DataFrame({"id": ["1"]}), ["name"]) is None
