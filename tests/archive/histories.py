"""Harvests over days of a collection that changes meanwhile, and what must hold at the end."""

import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import time_machine
from hypothesis import strategies as st

import dirframe
from tests.rig.server import Rig, id_of, numbered

#: What a person runs in a process of its own: URL, key, file, number of workers, and details or nothing.
LINE = """
import os, sys, dirframe
url, key, file, workers, *details = sys.argv[1:]
os.environ["DIRFRAME_DATA_DIR"] = f"{file}.data"
options = {"cache": False, "workers": int(workers), "name": "rig"}
with dirframe.Directory(url, key, **options) as directory:
    dirframe.harvest("projects", file, directory=directory, details=bool(details))
"""

BEGIN = datetime(2026, 1, 1, 12, tzinfo=UTC)
#: Arguments of `check_history`; changes by the number of the request.
HISTORIES = {
    "count": st.integers(0, 70),
    "changes": st.dictionaries(
        st.integers(2, 150),
        st.tuples(st.sampled_from(["add", "remove", "move"]), st.integers(0, 200)),
        max_size=40,
    ),
    "a_day": st.integers(4, 20),
    "order": st.sampled_from(["id", "newest first", "none"]),
}


def ids_of(archive):
    """Return the ids of the frame of an archive, whether it warns or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dirframe.DirframeWarning)
        frame = archive.frame()
    assert frame["id"].is_unique
    return list(frame["id"])


def harvest_over_days(rig, file, a_day, *, days=80, **options):
    """Harvest with so many requests a day, each from what the days before left."""
    folder = file.with_suffix(".folder")
    for day in range(days):
        with time_machine.travel(BEGIN + timedelta(days=day, minutes=day)):
            before = len(rig.requests)
            try:
                with rig.directory(folder, daily_quota=a_day, cache=False, **options) as directory:
                    return dirframe.harvest("projects", file, directory=directory)
            except dirframe.QuotaExceededError as error:
                resets_at = error.resets_at
            assert resets_at > datetime.now(UTC)
            assert len(rig.requests) - before <= a_day
    return dirframe.open_archive(file)


def check_history(*, count, changes, a_day, order):
    """Harvest over days while records come and go: what is called proven is what there is."""
    ids = numbered(count)
    if order == "none":
        Random(7).shuffle(ids)
    rig = Rig(ids[::-1] if order == "newest first" else ids, size=4)
    if order == "id":
        rig.sorts = {"id": lambda xml: int(id_of(xml))}
    total, final = 0, []

    def before(_):
        nonlocal total, final
        what, place = changes.get(total, (None, 0))
        if what == "add":
            new = str(max(map(int, rig.ids), default=0) + 1)
            rig.edit(lambda ids: [new, *ids] if order == "newest first" else [*ids, new])
        elif what == "move" and order == "none":
            rig.edit(lambda ids: [*ids[place % (len(ids) + 1) :], *ids[: place % (len(ids) + 1)]])
        elif what and rig.ids:
            rig.edit(lambda ids: [*ids[: place % len(ids)], *ids[place % len(ids) + 1 :]])
        total += 1
        final = rig.ids

    rig.before = before
    with rig.in_process(), TemporaryDirectory() as folder:
        archive = harvest_over_days(rig, Path(folder) / "a", a_day)
        status, ids = archive.status(), ids_of(archive)
        if status.completeness == "proven":
            assert sorted(ids) == sorted(final)
        if status.completeness in {"proven", "counted"}:
            assert status.available == len(ids)
        if status.completeness != "proven":
            assert status.reason
        if not changes:
            assert status.completeness in {"proven", "counted"}
