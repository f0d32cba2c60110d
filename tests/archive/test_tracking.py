"""A collection that changes over days is found as it is at the end, for few requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dirframe.archive.harvest import walk
from dirframe.archive.manifest import Manifest, Round
from dirframe.archive.pages import Kept
from dirframe.archive.selection import Selection
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dirframe.archive.keeping import Keeper

SIZE = 4
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class DayIsOverError(Exception):
    pass


@dataclass
class Days:
    """What a harvest asks: a collection that changes between two requests, day after day.

    The part of an archive that asks and writes has its own tests, over HTTP; here there are
    thousands of histories of a collection.
    """

    ids: list[int]
    changes: dict[int, tuple[str, int]] = field(default_factory=dict)
    a_day: int = 10**9
    descending: bool = False
    sort: str | None = "id"
    ordered: bool = True
    workers: int = 1
    asked: int = 0
    today: int = 0
    session: int = 1

    def keep(self, one: Round, page: int) -> Kept:
        if self.today == self.a_day:
            raise DayIsOverError
        self.asked, self.today = self.asked + 1, self.today + 1
        if change := self.changes.pop(self.asked, None):
            self._change(*change)
        here = self.ids[(page - 1) * SIZE : page * SIZE]
        kept = Kept(
            page=page,
            session=self.session,
            sha256="0" * 64,
            bytes=1,
            packed=1,
            retrieved=(BEGIN + timedelta(seconds=self.asked)).isoformat(),
            first=(page - 1) * SIZE,
            available=len(self.ids),
            names=Kept.joined(map(str, here)),
            low=str(here[0]) if here and self.sort else None,
            high=str(here[-1]) if here and self.sort else None,
            ordered=self.ordered,
            paid=1,
            synthetic=False,
        )
        one.pages.append(kept)
        return kept

    def _change(self, what: str, where: int) -> None:
        if what == "add":
            self.ids.insert(0 if self.descending else len(self.ids), max(self.ids, default=0) + 1)
        elif self.ids:
            del self.ids[where % len(self.ids)]

    def end(self, one: Round, **facts: Any) -> None:
        one.end = facts


def harvested(days: Days) -> Round:
    """Harvest as many days as it takes, each from what the days before wrote down."""
    whole = Round(1, "whole", days.sort, BEGIN.isoformat())
    days.keep(whole, 1)
    while whole.end is None:
        try:
            walk(cast("Keeper", days), whole)
        except DayIsOverError:
            days.session, days.today = days.session + 1, 0
    return whole


def records(whole: Round) -> list[int]:
    return list(_records(whole))


def _records(whole: Round) -> Iterator[int]:
    selection = Selection(Manifest(PROJECT, "", "x", None), [whole])
    for kept, (*_, mask) in zip(selection.pages, selection.wanted(), strict=True):
        yield from (int(one or 0) for at, one in enumerate(kept.ids) if mask is None or mask[at])


CHANGES = st.dictionaries(
    st.integers(2, 60),
    st.tuples(st.sampled_from(["add", "remove"]), st.integers(0, 200)),
    max_size=9,
)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 120), CHANGES, st.integers(12, 40), st.booleans())
def test_what_is_proven_is_what_there_is(
    count: int, changes: dict[int, tuple[str, int]], a_day: int, descending: bool
) -> None:
    ids = sorted(range(1, count + 1), reverse=descending)
    days = Days(ids, changes, a_day, descending, "id_reverse" if descending else "id")
    whole = harvested(days)
    assert whole.end is not None
    if whole.end["complete"]:
        assert sorted(records(whole)) == sorted(days.ids)
        assert whole.end["available"] == len(days.ids)
    if not days.changes and days.asked > max(changes, default=0) + 40:
        assert whole.end["complete"], whole.end["why"]


@pytest.mark.parametrize(
    ("descending", "sort"), [(False, "id"), (True, "id_reverse"), (True, None)]
)
def test_one_change_a_day_costs_a_few_requests_more(descending: bool, sort: str | None) -> None:
    ids = sorted(range(1, 4_001), reverse=descending)
    changes = {100 * day + 50: ("add" if day % 2 else "remove", 977 * day) for day in range(1, 10)}
    days = Days(ids, changes, 100, descending, sort)
    whole = harvested(days)
    assert whole.end is not None
    assert (whole.end["complete"], whole.end["why"]) == (True, None)
    assert records(whole) == days.ids
    assert days.asked < 1_000 + 9 * 2 * 14


def test_an_order_that_shows_nothing_is_proven_only_if_nothing_changed() -> None:
    shuffled = [n * 7919 % 1_009 for n in range(1, 401)]
    quiet = Days(list(shuffled), a_day=60, sort=None)
    whole = harvested(quiet)
    assert whole.end is not None
    assert (whole.end["complete"], records(whole)) == (True, shuffled)
    busy = {n: ("add" if n % 60 else "remove", n) for n in range(20, 4_000, 20)}
    restless = Days(list(shuffled), busy, a_day=60, sort=None)
    whole = harvested(restless)
    assert whole.end is not None
    assert "does not keep still" in whole.end["why"] or "changed" in whole.end["why"]
    assert restless.asked < 1_000


@pytest.mark.parametrize("a_day", [1, 2])
def test_too_few_requests_a_day_end_with_what_to_do(a_day: int) -> None:
    changes = {10 * day: ("add" if day % 2 else "remove", 7 * day) for day in range(1, 40)}
    days = Days(list(range(1, 121)), changes, a_day)
    whole = harvested(days)
    assert whole.end is not None
    assert not whole.end["complete"]
    assert f"{a_day} requests at a time were too few" in whole.end["why"]
    assert "larger daily" in whole.end["why"]
