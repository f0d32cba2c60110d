"""A collection that changes over days is found as it is at the end, for few requests."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dirframe.archive.model import (
    Collection,
    Doubt,
    Outcome,
    PageRecord,
    Reason,
    Round,
    RoundKind,
    encode_ids,
    sort_keys,
)
from dirframe.archive.rounds.full import run_round
from dirframe.archive.rounds.removals import find_removed
from dirframe.archive.snapshot import Snapshot
from dirframe.archive.store import Store
from dirframe.archive.writer import ArchiveWriter, CompressedPage

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = 4
#: Ids as they are usual, and of other forms.
FORMS = st.sampled_from(["{}", "{:05}", "id {:05}"])
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class DayIsOverError(Exception):
    pass


@pytest.fixture(scope="module", autouse=True)
def stores() -> Iterator[None]:
    yield
    while STORES:
        STORES.pop().close()


STORES: list[Store] = []


def private() -> Store:
    """Make a store in memory; the one before is done with."""
    while len(STORES) > 1:
        STORES.pop(0).close()
    STORES.append(Store.private("it", Collection("project", "", "x", None)))
    return STORES[-1]


@dataclass
class Days:
    """What a harvest asks: a collection that changes between two requests, day after day.

    The part of an archive that asks has its own tests, over HTTP; here there are thousands of
    histories of a collection.
    """

    ids: list[int]
    changes: dict[int, tuple[str, int]] = field(default_factory=dict)
    a_day: int = 10**9
    descending: bool = False
    sort: str | None = "id"
    ordered: bool = True
    workers: int = 1
    form: str = "{}"

    counts = ArchiveWriter.counts
    abandon_round = ArchiveWriter.abandon_round
    asked: int = 0
    today: int = 0
    session: int = 1
    store: Store = field(default_factory=private)
    rounds: list[Round] = field(default_factory=list)

    def fetch(self, number: int, sort: str | None) -> CompressedPage:
        assert sort == self.sort
        if self.today == self.a_day:
            raise DayIsOverError
        self.asked, self.today = self.asked + 1, self.today + 1
        if change := self.changes.pop(self.asked, None):
            self._change(*change)
        here = self.texts[(number - 1) * SIZE : number * SIZE]
        page = PageRecord(
            page=number,
            session=self.session,
            sha256="0" * 64,
            size=1,
            compressed_size=1,
            retrieved=(BEGIN + timedelta(seconds=self.asked)).isoformat(),
            first=(number - 1) * SIZE,
            available=len(self.ids),
            ids_json=encode_ids(here),
            low=here[0] if here and self.sort else None,
            high=here[-1] if here and self.sort else None,
            ordered=int(self.ordered),
            paid=1,
            synthetic=0,
        )
        return CompressedPage(page, b"")

    def fetch_and_record(self, one: Round, number: int) -> PageRecord:
        page, content = self.fetch(number, one.sort)
        self.store.add_page(one, page, content)
        return page

    def start_round(self, kind: RoundKind, sort: str | None, first: CompressedPage) -> Round:
        one = Round(len(self.rounds) + 1, kind, sort, BEGIN.isoformat())
        self.store.add_round(one, *first)
        self.rounds.append(one)
        return one

    def finish_round(self, one: Round, **facts: Any) -> None:
        one.outcome = Outcome(at=BEGIN.isoformat(), **facts)
        self.store.update_round(one)

    def _change(self, what: str, where: int) -> None:
        if what == "add":
            self.ids.insert(0 if self.descending else len(self.ids), max(self.ids, default=0) + 1)
        elif self.ids:
            del self.ids[where % len(self.ids)]

    @property
    def texts(self) -> list[str]:
        return [self.form.format(one) for one in self.ids]

    def held(self) -> list[str | None]:
        return list(Snapshot(self.store, self.rounds).ids())


def harvested(days: Days) -> Outcome:
    """Harvest as many days as it takes, each from what the days before wrote down."""
    full = days.start_round(RoundKind.FULL, days.sort, days.fetch(1, days.sort))
    while full.outcome is None:
        try:
            run_round(cast("ArchiveWriter", days), full)
        except DayIsOverError:
            days.session, days.today = days.session + 1, 0
    assert days.store.rounds() == days.rounds
    return full.outcome


def records(days: Days) -> list[int]:
    return [int((own or "0").removeprefix("id ")) for own in days.held()]


CHANGES = st.dictionaries(
    st.integers(2, 60),
    st.tuples(st.sampled_from(["add", "remove"]), st.integers(0, 200)),
    max_size=9,
)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 120), CHANGES, st.integers(12, 40), st.booleans(), FORMS)
def test_what_is_proven_is_what_there_is(
    count: int, changes: dict[int, tuple[str, int]], a_day: int, descending: bool, form: str
) -> None:
    ids = sorted(range(1, count + 1), reverse=descending)
    sort = "id_reverse" if descending else "id"
    days = Days(ids, changes, a_day, descending, sort, form=form)
    outcome = harvested(days)
    if outcome.complete:
        assert sorted(records(days)) == sorted(days.ids)
        assert outcome.available == len(days.ids)
    if not days.changes and days.asked > max(changes, default=0) + 40:
        assert outcome.complete, outcome.doubt


@pytest.mark.parametrize(
    ("descending", "sort"), [(False, "id"), (True, "id_reverse"), (True, None)]
)
def test_one_change_a_day_costs_a_few_requests_more(descending: bool, sort: str | None) -> None:
    ids = sorted(range(1, 4_001), reverse=descending)
    changes = {100 * day + 50: ("add" if day % 2 else "remove", 977 * day) for day in range(1, 10)}
    days = Days(ids, changes, 100, descending, sort)
    assert harvested(days).doubt is None
    assert records(days) == days.ids
    assert days.asked < 1_000 + 9 * 2 * 14


def test_an_order_that_shows_nothing_is_proven_only_if_nothing_changed() -> None:
    shuffled = [n * 7919 % 1_009 for n in range(1, 401)]
    quiet = Days(list(shuffled), a_day=60, sort=None)
    assert harvested(quiet).complete
    assert records(quiet) == shuffled
    busy = {n: ("add" if n % 60 else "remove", n) for n in range(20, 4_000, 20)}
    restless = Days(list(shuffled), busy, a_day=60, sort=None)
    doubt = harvested(restless).doubt
    assert doubt is not None
    assert doubt.reason in {Reason.UNSTABLE_ORDER, Reason.PAGES_UNPROVEN, Reason.TOO_MANY_CHANGES}
    assert restless.asked < 1_000


@pytest.mark.parametrize("a_day", [1, 2])
def test_too_few_requests_a_day_end_with_what_to_do(a_day: int) -> None:
    changes = {10 * day: ("add" if day % 2 else "remove", 7 * day) for day in range(1, 40)}
    doubt = harvested(Days(list(range(1, 121)), changes, a_day)).doubt
    assert doubt is not None
    assert doubt.reason is Reason.TOO_FEW_REQUESTS
    assert f"{a_day} requests at a time were too few" in str(doubt)
    assert "larger requests_per_day" in str(doubt)


# -- what was removed ----------------------------------------------------------------------


def later(
    ids: list[int], gone: set[int], added: int, *, descending: bool = False, **facts: Any
) -> Days:
    """Harvest it, let records go and come, and learn of those that came."""
    days = Days(sorted(ids, reverse=descending), descending=descending, **facts)
    changes, days.changes, a_day, days.a_day = days.changes, {}, days.a_day, 10**9
    harvested(days)
    for _ in range(added):
        days._change("add", 0)
    days.ids = [one for one in days.ids if one not in gone]
    came = set(days.ids) - set(ids)
    available = len(days.ids)
    seen = Days(sorted(came, reverse=True), sort=days.sort, form=days.form, session=2)
    seen.asked = days.asked
    changed = Round(2, RoundKind.CHANGES, days.sort, BEGIN.isoformat())
    days.store.add_round(changed)
    for number in range(1, len(came) + 1):
        if seen.ids[(number - 1) * SIZE :]:
            page, content = seen.fetch(number, days.sort)
            days.store.add_page(changed, replace(page, available=available), content)
    days.rounds.append(changed)
    doubt = Doubt(Reason.REMOVED, (1,))
    days.finish_round(changed, pages=changed.pages, available=available, doubt=doubt)
    days.asked, days.today, days.session = seen.asked, 0, 3
    days.changes = {days.asked + number: change for number, change in changes.items()}
    days.a_day = a_day
    return days


def removals(days: Days) -> Outcome:
    """Find what was removed, on as many days as it takes."""
    before = len(days.rounds)
    while len(days.rounds) == before or days.rounds[-1].outcome is None:
        begun = days.rounds[-1] if len(days.rounds) > before else None
        try:
            find_removed(cast("ArchiveWriter", days), begun)
        except DayIsOverError:
            days.session, days.today = days.session + 1, 0
    outcome = days.rounds[-1].outcome
    assert outcome is not None
    return outcome


@settings(max_examples=200, deadline=None)
@given(
    st.integers(8, 120),
    st.sets(st.integers(1, 120), min_size=1, max_size=12),
    st.integers(0, 9),
    CHANGES,
    st.integers(12, 60),
    st.booleans(),
    st.sampled_from(["{}", "{:05}"]),
)
def test_the_removed_that_are_proven_are_those_that_went(
    count: int,
    gone: set[int],
    added: int,
    changes: dict[int, tuple[str, int]],
    a_day: int,
    descending: bool,
    form: str,
) -> None:
    ids = list(range(1, count + 1))
    facts = {"sort": "id_reverse" if descending else "id", "a_day": a_day, "form": form}
    days = later(ids, gone, added, descending=descending, changes=dict(changes), **facts)
    before = set(days.held())
    found = removals(days)
    if found.complete:
        assert sorted(days.held(), key=str) == sorted(days.texts)
        assert set(found.gone) >= before - set(days.texts)
    else:  # what is named while the collection changes is not there, but more may be missing
        assert set(found.gone).isdisjoint(days.texts)
        assert set(days.held()) >= before & set(days.texts)
    if not changes:
        few = "too few to find what changed" in str(found.doubt)
        assert found.complete or len(days.ids) < 2 or (few and a_day < 25), found.doubt


@pytest.mark.parametrize(("gone", "requests"), [(1, 15), (5, 60), (20, 160), (1_000, 1_010)])
@pytest.mark.parametrize("added", [0, 30])
def test_each_removed_one_costs_as_many_requests_as_pages_can_be_halved(
    gone: int, requests: int, added: int
) -> None:
    ids = list(range(1, 4_001))  # on 1,000 pages
    removed = set(Random(gone).sample(ids, gone))
    days = later(ids, removed, added)
    asked = days.asked
    found = removals(days)
    assert (found.complete, {int(one) for one in found.gone}) == (True, removed)
    assert days.asked - asked <= requests


def test_an_order_that_shows_nothing_costs_one_request_and_names_nothing() -> None:
    days = later(list(range(1, 401)), {7, 8}, 0)
    days.ids = [one * 7919 % 1_009 for one in days.ids]
    days.ordered = False
    asked = days.asked
    found = removals(days)
    assert (found.complete, found.gone, days.asked - asked) == (False, [], 1)
    assert found.doubt is not None
    assert found.doubt.reason is Reason.REMOVALS_UNKNOWN


def test_numbers_and_times_are_ordered_as_such_and_anything_else_as_text() -> None:
    assert sort_keys(["9", "10"]) == [9, 10]
    early, late = sort_keys(["2026-01-01T12:00:00+02:00", "2026-01-01T11:00:00Z"])
    assert early < late
    assert sort_keys(["b", "a"]) == ["b", "a"]
