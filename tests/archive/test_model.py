"""What rows of an archive say, and what none says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from dirframe.archive.model import (
    Doubt,
    Outcome,
    PageRecord,
    Reason,
    Round,
    RoundKind,
    encode_ids,
)
from tests.archive.test_snapshot import AT, page

VALUES: dict[Reason, tuple[Any, ...]] = {
    Reason.TOO_FEW_REQUESTS: (2.5,),
    Reason.PAGES_UNPROVEN: ("one came twice",),
    Reason.REMOVALS_UNKNOWN: ("they changed",),
    Reason.REMOVED: (3,),
    Reason.RECORDS_MISSING: (5, 7),
    Reason.UNSORTED: ("updated_at",),
    Reason.DETAILS_MISSING: (1, "7 (gone)"),
}


def full(**facts: Any) -> Round:
    return Round(1, RoundKind.FULL, "id", AT, **facts)


@pytest.mark.parametrize("ids", [(), (None,), ("1",), ("1", None, "3")])
def test_ids_are_kept_as_one_text_and_given_back_as_they_were(ids: tuple[str | None, ...]) -> None:
    record = page(1, 1, *ids)
    assert record.ids == ids
    assert PageRecord.from_row(record.to_row()) == record
    assert PageRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


@pytest.mark.parametrize("reason", Reason)
def test_every_doubt_has_a_text_and_is_read_as_it_was_written(reason: Reason) -> None:
    doubt = Doubt(reason, VALUES.get(reason, ()))
    assert "{" not in str(doubt)
    outcome = Outcome(at=AT, pages=2, available=None, doubt=doubt, order=[2, 1], gone=["7"])
    one = full(pages=2, outcome=outcome)
    again = Round.from_row(one.to_row())
    assert again == one
    assert again.outcome is not None
    assert again.outcome.doubt is not None
    assert again.outcome.doubt.reason is reason
    assert Round.from_json(json.loads(json.dumps(one.to_json()))) == one


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": "9"},
        {"page": -1},
        {"paid": True},
        {"available": "many"},
        {"ids_json": None},
        {"retrieved": "yesterday"},
        {"sha256": "../" * 21 + "x"},
    ],
)
def test_a_page_that_no_archive_holds_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        PageRecord.from_row(replace(page(1, 1), **wrong).to_row())
    line = page(1, 1, "1").to_json() | wrong
    if "ids_json" not in wrong:
        with pytest.raises((TypeError, ValueError)):
            PageRecord.from_json(line)
    with pytest.raises(ValueError, match="ids is"):
        PageRecord.from_json(line | {"ids": [1]})


@pytest.mark.parametrize(
    "wrong",
    [
        {"order": ["x"]},
        {"gone": None},
        {"available": "2"},
        {"at": "soon"},
        {"doubt": ["nonsense", []]},
        {"doubt": ["records_missing", [1]]},
        {"more": 1},
    ],
)
def test_an_end_that_no_archive_holds_is_refused(wrong: dict[str, Any]) -> None:
    text = json.dumps(json.loads(Outcome(at=AT, pages=1, available=2).to_text()) | wrong)
    with pytest.raises((TypeError, ValueError, LookupError)):
        Outcome.from_text(text)


def test_a_round_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        Round.from_row([1, "nonsense", None, AT, 0, 0, 0, 0, None])


def test_ids_that_are_empty_are_none() -> None:
    assert encode_ids(["", "ä"]) == '[null,"ä"]'
