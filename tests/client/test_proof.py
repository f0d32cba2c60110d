"""What the pages of a collection prove: the worked example at the top of proof.py."""

from datetime import UTC, datetime, timedelta

import pytest

from dirframe.client.paging import proof
from dirframe.client.paging.pages import CollectionPage, Pages
from dirframe.client.paging.proof import Completeness, Problem

START = datetime(2026, 11, 2, 9, tzinfo=UTC)


def pages_of(*rows, keeps_history=False):
    """Return pages from rows of day, number, position, total and ids, each a minute later."""
    pages = Pages(keeps_history=keeps_history)
    for minute, (day, number, position, total, ids) in enumerate(rows):
        at = START + timedelta(days=day, minutes=minute)
        page = CollectionPage(
            number=number,
            received_at=at,
            requested_at=at - timedelta(seconds=1),
            position=position,
            total=total,
            ids=tuple(ids.split()),
        )
        pages.add(page)
    return pages


NORMAL = [(0, 1, 0, 12, "a b c d e"), (0, 2, 5, 12, "f g h i j"), (0, 3, 10, 12, "k l")]
REMOVED = [(0, 1, 0, 12, "a b c d e"), (0, 2, 5, 11, "g h i j k"), (0, 3, 10, 11, "l")]
FELL_AND_ROSE = [(0, 1, 0, 12, "a b c d e"), (0, 2, 5, 11, "g h i j k"), (0, 3, 10, 12, "l m")]
UNSTABLE = [(0, 1, 0, 12, "a b c d e"), (0, 2, 5, 12, "d a f g h"), (0, 3, 10, 12, "b k")]
DAYS_REMOVED = [*NORMAL[:2], (1, 3, 10, 11, "l")]
DAYS_ADDED = [*NORMAL[:2], (1, 3, 10, 13, "k l m")]
FULL = [(0, 1, 0, 10, "a b c d e"), (0, 2, 5, 10, "f g h i j")]


@pytest.mark.parametrize(
    ("rows", "problem", "completeness", "again", "beside"),
    [
        (NORMAL, None, "proven", [], []),
        (REMOVED, Problem.CONTRADICTION, "incomplete", [1], []),
        ([*REMOVED, (0, 1, 0, 11, "a c d e f")], None, "proven", [], []),
        (FELL_AND_ROSE, Problem.CONTRADICTION, "incomplete", [1, 2], []),
        (
            [*FELL_AND_ROSE, (0, 1, 0, 12, "a c d e f"), (0, 2, 5, 12, "g h i j k")],
            None,
            "proven",
            [],
            [],
        ),
        (UNSTABLE, Problem.WRONG_NUMBER, "incomplete", [1, 2, 3], []),
        (DAYS_REMOVED, Problem.SKIPPED, "incomplete", [], [2]),
        ([*DAYS_REMOVED, (1, 2, 5, 11, "g h i j k")], Problem.REMOVED, "incomplete", [1], []),
        (DAYS_ADDED, Problem.SKIPPED, "incomplete", [], [2]),
        ([*DAYS_ADDED, (1, 2, 5, 13, "f g h i j")], None, "counted", [], []),
        (FULL, Problem.UNFINISHED, "incomplete", [], []),
        ([*FULL, (0, 3, 10, 10, "")], None, "proven", [], []),
    ],
)
def test_proof_of_the_worked_example(rows, problem, completeness, again, beside):
    pages = pages_of(*rows)
    verdict = proof.judge(pages)
    found = {
        "problem": verdict.problem,
        "completeness": verdict.completeness,
        "again": proof.to_reread(pages),
        "beside": proof.to_link(pages),
    }
    assert found == {
        "problem": problem,
        "completeness": Completeness(completeness),
        "again": again,
        "beside": beside,
    }
