"""What the pages of a collection prove: the worked example at the top of proof.py."""

from datetime import UTC, datetime, timedelta

import pytest

from dirframe.client.paging import proof
from dirframe.client.paging.ids import IdSet, Undecided
from dirframe.client.paging.pages import CollectionPage, Pages
from dirframe.client.paging.proof import Completeness, Problem
from dirframe.client.paging.windows import PagesByIds, WindowPage

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
MOVED = [*NORMAL[:2], (0, 3, 10, 12, "l a")]
MOVED_AGAIN = [*MOVED, (0, 1, 0, 12, "b c d e f"), (0, 3, 10, 12, "l a")]
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
        (MOVED, Problem.WRONG_NUMBER, "incomplete", [1, 3], []),
        (MOVED_AGAIN, Problem.WRONG_NUMBER, "incomplete", [1, 2], []),
        ([*MOVED_AGAIN, (0, 2, 5, 12, "g h i j k")], None, "proven", [], []),
        (UNSTABLE, Problem.WRONG_NUMBER, "incomplete", [1, 2, 3], []),
        (DAYS_REMOVED, Problem.SKIPPED, "incomplete", [], [2]),
        ([*DAYS_REMOVED, (1, 2, 5, 11, "g h i j k")], Problem.REMOVED, "incomplete", [1], []),
        (
            [*DAYS_REMOVED, (1, 2, 5, 11, "g h i j k"), (1, 1, 0, 11, "a c d e f")],
            None,
            "proven",
            [],
            [],
        ),
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


def test_proof_links_no_pages_that_were_requested_before_a_change():
    pages = pages_of(
        (0, 1, 0, 17, "a b c d e"),
        (0, 2, 5, 17, "f g h i j"),
        (1, 2, 5, 17, "f g h i j"),
    )
    at = START + timedelta(days=1, minutes=4)
    # Both were requested at once. Before the second one was made, b was removed: p is on neither.
    for minute, number, total, ids in ((1, 3, 17, "k l m n o"), (2, 4, 16, "q")):
        pages.add(
            CollectionPage(
                number=number,
                received_at=at + timedelta(minutes=minute),
                requested_at=at,
                position=5 * number - 5,
                total=total,
                ids=tuple(ids.split()),
            )
        )
    verdict = proof.judge(pages)
    assert len(verdict.places) == verdict.expected
    assert verdict.problem is Problem.SKIPPED
    assert verdict.skipped_after == (2, 3)


# The end, and the newest version


@pytest.mark.parametrize(("day", "missing"), [(0, []), (1, [4])])
def test_pages_end_at_one_that_repeats_the_page_before_unless_records_were_inserted(day, missing):
    assert pages_of(*NORMAL[:2], (day, 3, 10, 17, "f g h i j")).missing() == missing


@pytest.mark.parametrize("keeps_history", [False, True])
def test_pages_in_use_are_the_newest_also_if_an_older_one_comes_later(keeps_history):
    # An archive takes its pages in the order of arrival, for a clock may be set back.
    pages = pages_of(
        *DAYS_ADDED,
        (1, 2, 5, 13, "f g h i j"),
        (0, 2, 5, 12, "f g h i j"),
        keeps_history=keeps_history,
    )
    assert pages.newest[2].total == (12 if keeps_history else 13)


# By ids


def by_ids(*rows):
    """Return pages of a walk over 1 to 40 from rows of day, ends of what was asked for, total and ids.

    Without ids a row is a failure; without ends it is the page that ends the walk.
    """
    pages = PagesByIds(state=Undecided(IdSet.from_runs([(1, 40)]), in_runs=True), bound=40)
    for minute, (day, asked, total, ids) in enumerate(rows):
        at = START + timedelta(days=day, minutes=minute)
        facts = {"number": minute + 1, "received_at": at, "requested_at": at, "total": total}
        if asked is None:
            pages.closing = CollectionPage(**facts)
        elif ids is None:
            pages.state.fail(pages.next_window())
        else:
            first, last = asked
            texts = tuple(map(str, ids))
            pages.add(WindowPage(**facts, ids=texts, first_asked=first, last_asked=last, bound=40))
    return pages


FIRST, REST = (0, (1, 40), 31, range(1, 26)), (0, (26, 40), 6, [*range(26, 31), 40])
WITHOUT_40 = [FIRST, (0, (26, 39), 5, range(26, 31)), (0, (40, 40), None, None)]


@pytest.mark.parametrize(
    ("rows", "problem", "completeness", "count"),
    [
        ([FIRST, REST, (0, None, 31, None)], None, "proven", 31),
        ([FIRST, (1, *REST[1:]), (1, None, 30, None)], None, "proven", 31),
        ([FIRST, REST], Problem.UNFINISHED, "incomplete", 31),
        ([FIRST], Problem.UNFINISHED, "incomplete", 25),
        (
            [*WITHOUT_40, (0, (40, 40), None, None), (0, None, 31, None)],
            Problem.LOST,
            "incomplete",
            30,
        ),
    ],
)
def test_proof_of_the_worked_example_by_ids(rows, problem, completeness, count):
    verdict = proof.judge(by_ids(*rows))
    found = (verdict.problem, verdict.completeness, len(verdict.places))
    assert found == (problem, Completeness(completeness), count)
    assert verdict.lost == ((40,) if problem is Problem.LOST else ())
