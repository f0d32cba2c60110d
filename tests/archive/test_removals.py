"""Records that were removed from a directory are named, for few requests, or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dirframe.archive.manifest import Manifest, Round
from dirframe.archive.removals import name_removed
from dirframe.archive.selection import Selection
from dirframe.schema import PROJECT
from tests.archive.test_drift import BEGIN, CHANGES, DayIsOverError, Days, harvested

if TYPE_CHECKING:
    from dirframe.archive.keeping import Keeper
    from dirframe.archive.pages import Kept


@dataclass
class Later(Days):
    """A directory some time after the harvest: what a refresh asks of it."""

    manifest: Manifest = field(default_factory=lambda: Manifest(PROJECT, "", "x", None))

    def fetch(self, page: int, sort: str | None) -> Kept:
        assert sort == self.sort
        return self.keep(Round(0, "whole", sort, ""), page)

    def begin(self, kind: str, sort: str | None, first: Kept) -> Round:
        one = Round(len(self.manifest.rounds) + 1, kind, sort, BEGIN.isoformat())
        one.pages.append(first)
        self.manifest.rounds.append(one)
        return one

    def held(self) -> list[str | None]:
        return list(Selection(self.manifest, self.manifest.until(None)).ids())


def later(
    ids: list[int], gone: set[int], added: int, *, descending: bool = False, **facts: Any
) -> Later:
    """Harvest it, let records go and come, and learn of those that came."""
    days = Later(sorted(ids, reverse=descending), descending=descending, **facts)
    changes, days.changes, a_day, days.a_day = days.changes, {}, days.a_day, 10**9
    days.manifest.rounds.append(harvested(days))
    for _ in range(added):
        days._change("add", 0)
    came = set(days.ids) - set(ids)
    days.ids = [one for one in days.ids if one not in gone]
    seen = Later(sorted(came, reverse=True), sort=days.sort, asked=days.asked, session=2)
    changed = Round(2, "changes", None, BEGIN.isoformat())
    for page in range(1, len(came) + 1):
        if seen.ids[(page - 1) * 4 :]:
            seen.keep(changed, page)
    changed.end = {"reached": True, "available": len(days.ids), "complete": False, "why": "?"}
    days.manifest.rounds.append(changed)
    days.asked, days.today, days.session = seen.asked, 0, 3
    days.changes = {days.asked + number: change for number, change in changes.items()}
    days.a_day = a_day
    return days


def named(days: Later) -> Round:
    """Name what was removed, on as many days as it takes."""
    before = len(days.manifest.rounds)
    while len(days.manifest.rounds) == before or days.manifest.rounds[-1].end is None:
        begun = days.manifest.rounds[-1] if len(days.manifest.rounds) > before else None
        try:
            name_removed(cast("Keeper", days), begun)
        except DayIsOverError:
            days.session, days.today = days.session + 1, 0
    return days.manifest.rounds[-1]


@settings(max_examples=300, deadline=None)
@given(
    st.integers(8, 120),
    st.sets(st.integers(1, 120), min_size=1, max_size=12),
    st.integers(0, 9),
    CHANGES,
    st.integers(12, 60),
    st.booleans(),
)
def test_what_is_proven_is_what_there_is(
    count: int,
    gone: set[int],
    added: int,
    changes: dict[int, tuple[str, int]],
    a_day: int,
    descending: bool,
) -> None:
    ids = list(range(1, count + 1))
    facts = {"sort": "id_reverse" if descending else "id", "a_day": a_day}
    days = later(ids, gone, added, descending=descending, changes=dict(changes), **facts)
    before = set(days.held())
    end = named(days).end
    assert end is not None
    if end["complete"]:
        assert sorted(days.held(), key=str) == sorted(map(str, days.ids))
        assert set(end["gone"]) >= before - set(map(str, days.ids))
    else:
        assert end["gone"] == []
        assert set(days.held()) >= before
    if not changes:
        few = "too few to find what changed" in str(end["why"])
        assert end["complete"] or len(days.ids) < 2 or (few and a_day < 25), end["why"]


@pytest.mark.parametrize(("gone", "requests"), [(1, 15), (5, 60), (20, 160), (1_000, 1_010)])
@pytest.mark.parametrize("added", [0, 30])
def test_each_costs_as_many_requests_as_pages_can_be_halved(
    gone: int, requests: int, added: int
) -> None:
    ids = list(range(1, 4_001))  # on 1,000 pages
    removed = set(Random(gone).sample(ids, gone))
    days = later(ids, removed, added)
    asked = days.asked
    end = named(days).end
    assert end is not None
    assert (end["complete"], {int(one) for one in end["gone"]}) == (True, removed)
    assert days.asked - asked <= requests


def test_an_order_that_shows_nothing_costs_one_request_and_names_nothing() -> None:
    days = later(list(range(1, 401)), {7, 8}, 0)
    days.ids = [one * 7919 % 1_009 for one in days.ids]
    days.ordered = False
    asked = days.asked
    end = named(days).end
    assert end is not None
    assert (end["complete"], end["gone"], days.asked - asked) == (False, [], 1)
    assert "which records were removed could not be found" in end["why"]
