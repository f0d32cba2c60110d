"""The record that goes with a frame."""

from __future__ import annotations

import pytest

from dirframe import InvalidInputError
from dirframe.io.metadata import as_text, facts, read_record, record_of
from tests.io import rich


def test_a_record_can_be_read_again_and_cites() -> None:
    record = record_of(rich(), [])
    assert read_record(as_text(record), "f") == record
    assert "https://directory.example" in dict(facts(record))["citation"]


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"format": 99, "dirframe": "9"}'])
def test_what_is_no_record_is_refused(text: str | None) -> None:
    with pytest.raises(InvalidInputError):
        read_record(text, "f")
