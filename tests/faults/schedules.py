"""Schedules of faults, lies and edits for a load, and what must hold after it."""

import re
import threading
import warnings
from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume
from hypothesis import strategies as st

import dirframe
from tests.rig import faults
from tests.rig.server import Rig

RETRIES = 2

#: Without those that take their time, and those that end the day for a key.
NAMES = sorted(
    name
    for name in set(faults.FAULTS) - set(faults.SLOW) - {"gzip bomb", "endless"}
    if "429" not in name and "limit" not in name
)


def _lie(by):
    def change(found):
        return b"<items_available>%d<" % max(int(found[1]) + by, 0)

    return faults.rewrites(lambda body: re.sub(rb"<items_available>(\d+)<", change, body))


def _without(pattern, by=b""):
    return faults.rewrites(lambda body: re.sub(pattern, by, body, count=1))


LIES = {
    "one too many": _lie(1),
    "one too few": _lie(-1),
    "far too many": _lie(10_000),
    "no count": _without(rb"<items_available>\d+</items_available>"),
    "a record lost": _without(rb"(?s)<project>.*?</project>"),
    "a record twice": _without(rb"(?s)(<project>.*?</project>)", rb"\1\1"),
}

#: As long as records only come or only go, a count belongs to one set of records. Where one
#: goes and another comes, the count is the same, and no client can tell the states apart.
FAMILIES = {
    "growing": ["add", "to the front", "to the end", "turn"],
    "shrinking": ["remove", "to the front", "to the end", "turn"],
    "both": ["add", "remove", "to the front", "turn"],
}

_EDITS = [
    st.tuples(
        st.just(family),
        st.dictionaries(
            st.integers(1, 14), st.tuples(st.sampled_from(kinds), st.integers(0, 60)), max_size=5
        ),
    )
    for family, kinds in FAMILIES.items()
]
_LIES = st.tuples(
    st.just("lies"), st.dictionaries(st.integers(0, 8), st.sampled_from(sorted(LIES)))
)
#: Arguments of `check_schedule`; faults, edits and lies by the number of the request.
SCHEDULES = {
    "count": st.integers(0, 45),
    "size": st.sampled_from([5, 10, 25]),
    "past_end_is_first": st.booleans(),
    "workers": st.sampled_from([1, 3]),
    "incomplete": st.sampled_from(["raise", "warn"]),
    "schedule": st.dictionaries(st.integers(0, 20), st.sampled_from(NAMES), max_size=4),
    "changes": st.one_of(_LIES, *_EDITS),
}


def edited(kind, place, number):
    """Return a function that changes ids at a place."""

    def edit(ids):
        at = place % (len(ids) + 1)
        if kind == "add":
            return [*ids[:at], f"new{number}", *ids[at:]]
        if kind == "remove":
            return ids[:at] + ids[at + 1 :]
        if kind == "to the front" and ids:
            return [ids.pop(at - 1), *ids]
        if kind == "to the end" and ids:
            return [*(one for one in ids if one != ids[at - 1]), ids[at - 1]]
        return ids[at:] + ids[:at]  # turn

    return edit


class _Run:
    """A collection that lives through a schedule, and the same line again and again."""

    def __init__(self, rig, directory, family, incomplete, states):
        self.rig, self.directory, self.states = rig, directory, states
        self.family, self.incomplete = family, incomplete

    def once(self, *, refresh=False):
        """Run the line; return whether a proven frame came, and check that it is one."""
        self.rig.requests.clear()
        longest = max(map(len, self.states)) + 1
        outcome, marked = self._attempt(refresh)
        came = not isinstance(outcome, Exception) and outcome.attrs["dirframe"]["complete"]
        if isinstance(outcome, dirframe.IncompleteCollectionError):
            assert self.incomplete == "raise"
            assert outcome.frame["id"].dropna().is_unique
        elif not isinstance(outcome, Exception):
            assert outcome["id"].dropna().is_unique
            assert came or self.incomplete == "warn"
            assert came != marked
            if came:
                self._check(outcome)
        pages = -(-longest // self.rig.size) + 2
        # Pages are read again three times; a count that is far too high costs one chunk of pages
        # that are not there.
        assert len(self.rig.requests) <= (pages * 5 + 70) * (RETRIES + 1)
        return came

    def _attempt(self, refresh):
        options = {"incomplete": self.incomplete, "refresh": refresh, "progress": False}
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                outcome = dirframe.load_projects(self.directory, **options)
            except dirframe.DirframeError as error:
                outcome = error
        return outcome, any(one.category is dirframe.IncompleteWarning for one in warned)

    def _check(self, frame):
        """See to it that a frame that is said to be complete is the whole of one state."""
        ids = list(frame["id"])
        assert len(ids) == len(set(ids)) == frame.attrs["dirframe"]["items_available"]
        if self.family == "both":
            assert len(ids) in {len(state) for state in self.states}
            assert set(ids) <= {one for state in self.states for one in state}
        else:
            assert set(ids) in [set(state) for state in self.states]


def check_schedule(
    *, count, size, past_end_is_first, workers, incomplete, schedule, changes, served=Rig.in_process
):
    """Load through a schedule, again and again: a whole state comes, or it is said not to be."""
    family, events = changes
    # A lone page of unusual length is believed to be all if its count says so.
    assume(family != "lies" or size in {10, 25})
    rig = Rig(count, size=size)
    rig.past_end_is_first = past_end_is_first
    states, total, lock = [rig.ids], 0, threading.Lock()
    lies = {number: LIES[name] for number, name in events.items() if family == "lies"}
    planned = lies | {number: faults.FAULTS[name] for number, name in schedule.items()}
    rig.faults = deque(planned.get(number) for number in range(max(planned, default=-1) + 1))

    def before(_):
        nonlocal total
        with lock:
            if family != "lies" and total in events:
                rig.edit(edited(*events[total], total))
                states.append(rig.ids)
            total += 1

    rig.before = before
    with served(rig), TemporaryDirectory() as folder:
        options = {"workers": workers}
        with rig.directory(Path(folder), **options) as directory:
            run = _Run(rig, directory, family, incomplete, states)
            # Each run uses up faults or ends them; when none is left, it must succeed.
            runs = range(len(schedule) + len(events) + 2)
            if any(run.once() for _ in runs):
                return
            # A directory that never counts is not asked again and again; a person may.
            assert "no count" in events.values()
            assert any(run.once(refresh=True) for _ in runs)
