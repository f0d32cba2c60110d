"""Harvests of a rig: one after the other, a day after the other, and what they must not claim."""

import warnings
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
import time_machine

import dirframe
from dirframe.errors import (
    AnalysesNotSentWarning,
    IncompleteWarning,
    QuotaExceededError,
    ServiceChangedWarning,
)
from tests.rig.server import ID, Rig, id_of, numbered

#: What a person runs in a process of its own: URL, key, file, number of workers, and details or nothing.
LINE = """
import os, sys, dirframe
url, key, file, workers, *details = sys.argv[1:]
os.environ["DIRFRAME_DATA_DIR"] = f"{file}.data"
options = {"cache": False, "workers": int(workers), "name": "rig"}
with dirframe.Directory(url, key, **options) as directory:
    dirframe.harvest("projects", file, directory=directory, details=bool(details))
"""

START = datetime(2026, 11, 2, 9, tzinfo=UTC)


def number(xml):
    return int(id_of(xml))


def shuffled(count, seed=5):
    return Random(seed).sample(numbered(count), count)


class Reshuffled(Rig):
    """A directory whose records are in another order at each request."""

    def sorted(self, request, records):
        return Random(len(self.requests)).sample(records, len(records))


def kept(count=500):
    rig = Rig(count)
    rig.sorts = {"id": number}
    return rig


class Harvests:
    """One archive of a rig, which notes the pages and records that it sent."""

    def __init__(self, rig, folder):
        self.rig, self.folder, self.path = rig, folder, folder / "kept.archive"
        self.collection = f"{rig.kind}s"
        rig.received, rig.sent, page = set(), [], rig.page
        rig.received_by_ids, rig.ever, rig.throughout = set(), set(), None

        def noting(request):
            reply = page(request)
            rig.sent.append(request.page)
            ids = set(ID.findall(reply.body.decode()))
            rig.received |= ids
            if "ids" in request.query:
                rig.received_by_ids |= ids
                present = set(rig.ids)
                rig.ever |= present
                rig.throughout = present if rig.throughout is None else rig.throughout & present
            return reply

        rig.page = noting

    def run(self, directory_options=None, **options):
        with self.rig.directory(self.folder, **directory_options or {}) as directory:
            return dirframe.harvest(self.collection, self.path, directory=directory, **options)

    def over_days(self, daily_quota, *, change=lambda _: None, at_most=60, **options):
        """Repeat the same line a day later until it ends; return the archive and the days."""
        for day in range(at_most):
            with time_machine.travel(START + timedelta(days=day, minutes=day), tick=True):
                if day:
                    change(day)
                try:
                    return self.run({"daily_quota": daily_quota}, **options), day + 1
                except QuotaExceededError:
                    self.check()
        raise AssertionError(f"not ended after {at_most} days")

    def frame(self, **options):
        """Return the frame without its warnings, which tests of their own look at."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IncompleteWarning)
            warnings.simplefilter("ignore", AnalysesNotSentWarning)
            warnings.simplefilter("ignore", ServiceChangedWarning)
            return dirframe.open_archive(self.path).frame(**options)

    def check(self):
        """Return the frame; every record received is in it, and nothing is claimed that is not so."""
        frame = self.frame()
        facts, status = frame.attrs["dirframe"], dirframe.open_archive(self.path).status()
        assert frame["id"].is_unique
        if facts["walk"].get("by") == "ids":
            return self._check_by_ids(frame, status)
        assert set(frame["id"]) == self.rig.received
        assert facts["completeness"] == status.completeness
        known = {"proven": True, "counted": None}
        assert facts["complete"] is known.get(status.completeness, False)
        assert status.completeness != "proven" or set(frame["id"]) == set(self.rig.ids)
        assert status.completeness not in known or len(frame) == facts["items_available"]
        assert (status.reason is None) == (status.completeness == "proven")
        assert (status.records, status.available) == (len(frame), facts["items_available"])
        return frame

    def _check_by_ids(self, frame, status):
        """Return the frame: proven, it has all records that were there throughout, and none that never was."""
        facts, ids = frame.attrs["dirframe"], set(frame["id"])
        assert (facts["completeness"], status.records) == (status.completeness, len(frame))
        assert (status.reason is None) == (status.completeness == "proven")
        if status.completeness == "proven":
            assert ids == self.rig.received_by_ids
            assert ids <= self.rig.ever
            assert ids >= self.rig.throughout
            assert max(map(int, ids)) <= facts["walk"]["bound"]
        else:
            assert ids == self.rig.received
        return frame


@pytest.fixture
def harvests(tmp_path):
    """Return a function from a rig, answered in this process until the test ends, to its `Harvests`."""
    with ExitStack() as stack:
        yield lambda rig: Harvests(stack.enter_context(rig.in_process()), tmp_path)
