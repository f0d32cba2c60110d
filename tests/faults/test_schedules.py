"""For every schedule of faults and edits: a proven complete frame, or an error; nothing else."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dirframe
from dirframe.client.directory import Directory
from dirframe.client.paging.completeness import KNOWN_PAGE_SIZES, MAX_REFETCHES
from dirframe.errors import DirframeError, IncompleteCollectionError, IncompleteWarning
from tests.faults import faults
from tests.faults.conftest import settings_of
from tests.faults.service import FaultyService, Shelf, numbered

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from tests.faults.service import Asked, Fault

RETRIES = 1

#: Without those that take their time, and those that end the day for a key.
NAMES = sorted(
    name
    for name in set(faults.FAULTS) - set(faults.SLOW) - {"gzip bomb", "endless"}
    if "429" not in name and "limit" not in name
)


def _lie(by: int) -> Fault:
    def change(found: re.Match[bytes]) -> bytes:
        return b"<items_available>%d<" % max(int(found[1]) + by, 0)

    return faults.rewrites(lambda body: re.sub(rb"<items_available>(\d+)<", change, body))


def _lose(body: bytes) -> bytes:
    return re.sub(rb"(?s)<project>.*?</project>", b"", body, count=1)


def _repeat(body: bytes) -> bytes:
    return re.sub(rb"(?s)(<project>.*?</project>)", rb"\1\1", body, count=1)


LIES: dict[str, Fault] = {
    "one too many": _lie(1),
    "one too few": _lie(-1),
    "far too many": _lie(10_000),
    "no count": faults.rewrites(
        lambda b: re.sub(rb"<items_available>\d+</items_available>", b"", b)
    ),
    "a record lost": faults.rewrites(_lose),
    "a record twice": faults.rewrites(_repeat),
}


def edited(kind: str, place: int, number: int) -> Callable[[list[str]], list[str]]:
    def edit(ids: list[str]) -> list[str]:
        at = place % (len(ids) + 1)
        if kind == "add":
            return [*ids[:at], f"new{number}", *ids[at:]]
        if kind == "remove":
            return ids[:at] + ids[at + 1 :]
        if kind == "to the front" and ids:
            one = ids.pop(at - 1)
            return [one, *ids]
        if kind == "to the end" and ids:
            one = ids.pop(at - 1)
            return [*ids, one]
        return ids[at:] + ids[:at]  # turn

    return edit


#: As long as records only come or only go, a count belongs to one set of records. Where one
#: goes and another comes, the count is the same, and no client can tell the states apart.
FAMILIES = {
    "growing": ["add", "to the front", "to the end", "turn"],
    "shrinking": ["remove", "to the front", "to the end", "turn"],
    "both": ["add", "remove", "to the front", "turn"],
}


def check(frame: pd.DataFrame, shelf: Shelf, family: str) -> None:
    """See to it that a frame that is said to be complete is the whole of one state."""
    ids = list(frame["id"])
    assert len(ids) == len(set(ids)) == frame.attrs["dirframe"]["items_available"]
    if family == "both":
        assert len(ids) in {len(state) for state in shelf.states}
        assert set(ids) <= {one for state in shelf.states for one in state}
    else:
        assert set(ids) in [set(state) for state in shelf.states]


def attempt(
    directory: Directory, incomplete: Literal["raise", "warn"], *, refresh: bool
) -> tuple[pd.DataFrame | DirframeError, bool]:
    """Run the line; return what came of it, and whether a warning marks it."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            outcome: pd.DataFrame | DirframeError = dirframe.load_projects(
                directory=directory, incomplete=incomplete, refresh=refresh, progress=False
            )
        except DirframeError as error:
            outcome = error
    return outcome, any(warning.category is IncompleteWarning for warning in warned)


def run_once(
    service: FaultyService,
    directory: Directory,
    family: str,
    incomplete: Literal["raise", "warn"],
    *,
    refresh: bool = False,
) -> bool:
    """Run the line; tell whether a proven frame came."""
    service.asked.clear()
    longest = max(map(len, service.shelf.states)) + 1
    outcome, marked = attempt(directory, incomplete, refresh=refresh)
    came = not isinstance(outcome, DirframeError) and outcome.attrs["dirframe"]["complete"]
    if isinstance(outcome, IncompleteCollectionError):
        assert incomplete == "raise"
        assert outcome.frame["id"].dropna().is_unique
    elif not isinstance(outcome, DirframeError):
        assert outcome["id"].dropna().is_unique
        assert came or incomplete == "warn"
        assert came != marked
        if came:
            check(outcome, service.shelf, family)
    pages = -(-longest // service.shelf.size) + 2
    # A count that is far too high costs one chunk of pages that are not there.
    assert len(service.asked) <= (pages * (MAX_REFETCHES + 2) + 70) * (RETRIES + 1)
    return came


@settings(max_examples=120)
@given(
    count=st.integers(0, 45),
    size=st.sampled_from([5, 10, 25]),
    past_is_first=st.booleans(),
    workers=st.sampled_from([1, 3]),
    incomplete=st.sampled_from(["raise", "warn"]),
    schedule=st.dictionaries(st.integers(0, 20), st.sampled_from(NAMES), max_size=4),
    changes=st.one_of(
        st.tuples(
            st.just("lies"), st.dictionaries(st.integers(0, 8), st.sampled_from(sorted(LIES)))
        ),
        *(
            st.tuples(
                st.just(family),
                st.dictionaries(
                    st.integers(1, 14),
                    st.tuples(st.sampled_from(kinds), st.integers(0, 60)),
                    max_size=5,
                ),
            )
            for family, kinds in FAMILIES.items()
        ),
    ),
)
def test_the_outcome_is_a_whole_state_of_the_collection_or_is_said_not_to_be(
    count: int,
    size: int,
    past_is_first: bool,
    workers: int,
    incomplete: Literal["raise", "warn"],
    schedule: dict[int, str],
    changes: tuple[str, dict[int, object]],
) -> None:
    family, events = changes
    # A lone page of unusual length is believed to be all if its count says so.
    assume(family != "lies" or size in KNOWN_PAGE_SIZES)
    shelf = Shelf(numbered(count), size=size)
    shelf.past_is_first = past_is_first
    total = 0

    def before(_: Asked) -> None:
        nonlocal total
        event = events.get(total)
        if isinstance(event, tuple):
            kind, place = event
            shelf.change(edited(kind, place, total))
        service.faults.clear()
        if total in schedule:
            service.faults.append(faults.FAULTS[schedule[total]])
        elif isinstance(event, str):
            service.faults.append(LIES[event])
        total += 1

    with FaultyService(shelf) as service, TemporaryDirectory() as folder:
        service.before = before
        options = {"max_workers": workers, "retries": RETRIES}
        with Directory.from_settings(settings_of(service, Path(folder), **options)) as directory:
            # Each run uses up faults or ends them; when none is left, it must succeed.
            runs = range(len(schedule) + len(events) + 2)
            if any(run_once(service, directory, family, incomplete) for _ in runs):
                return
            # A directory that never counts is not asked again and again; a person may.
            assert "no count" in events.values()
            assert any(run_once(service, directory, family, incomplete, refresh=True) for _ in runs)
