"""Every fault leads to what was promised: a proven frame, or an error that says what happened."""

import re
import sqlite3
import threading
import warnings
from collections import deque
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import dirframe
from tests import processes
from tests.cases import raised, slow_except
from tests.faults import LINE, after_fault, load, stored
from tests.rig import faults
from tests.rig.server import Rig, Trap

#: Responses that are damaged, slow, or lead elsewhere, by the error and the number of tries.
DAMAGED = {
    (dirframe.NetworkError, 3): ["reset in body", "cut short", "chunks that stop", "not gzip"],
    (dirframe.NetworkError, 1): ["drip body"],
    (dirframe.UnreadableResponseError, 1): [
        *("closed in headers", "cut with its length", "gzip bomb", "HTML with 200", "endless"),
    ],
    (dirframe.ServiceError, 1): ["to another scheme", "without an address"],
    (dirframe.ServiceError, 6): ["in a circle", "in a circle with the key"],
}


@pytest.mark.parametrize(
    "name",
    slow_except(
        faults.INTERRUPTED,
        ["reset before", "reset in headers", "not HTTP", "502", "503 with Retry-After"],
    ),
)
def test_interruption_is_overcome_or_given_up_and_never_stored(name, rig, tmp_path):
    rig.on_page[3] = [faults.INTERRUPTED[name]] * 2
    assert load(rig.directory()) == rig.ids
    assert rig.pages == [1, 2, 3, 3, 3, 4, 5, 6]
    kind = dirframe.ServiceError if name[0] == "5" else dirframe.NetworkError
    assert after_fault(rig, tmp_path, name, kind=kind, tries=3) is None


EVERY_DAMAGE = [(name, outcome) for outcome in DAMAGED for name in DAMAGED[outcome]]


@pytest.mark.parametrize(
    ("name", "outcome"),
    slow_except(EVERY_DAMAGE, EVERY_DAMAGE[::4]),
)
def test_damaged_response_is_an_error_and_later_only_missing_pages_are_paid_for(
    name, outcome, rig, tmp_path
):
    (kind, tries), workers = outcome, 4 if name == "reset in body" else 1
    assert after_fault(rig, tmp_path, name, workers=workers, kind=kind, tries=tries) is None


def test_right_response_with_something_odd_about_it_is_taken(rig):
    loads = {}
    with rig.directory() as directory:
        for name, fault in faults.ODD.items():
            rig.forget()
            rig.always = fault
            frame = dirframe.load_projects(directory=directory, progress=False)
            is_complete = frame.attrs["dirframe"]["complete"]
            loads[name] = (list(frame["id"]) == rig.ids, is_complete, rig.pages)
    assert loads == dict.fromkeys(faults.ODD, (True, True, [1, 2, 3, 4, 5, 6]))


# Loads that end in between, and files that are damaged


def test_killed_load_pays_only_for_the_missing_pages(tmp_path):
    with Rig(305) as rig:  # 31 pages
        rig.always = faults.late(0.01)
        processes.kill_after_requests(rig, 12, LINE, rig.url, rig.key, tmp_path, 4, 1000)
        paid = len(rig.requests)
        rig.forget()
        kept = stored(tmp_path)
        assert paid - 5 <= kept <= paid  # lost is what was on its way, one a worker
        directory = rig.directory(tmp_path)
        assert load(directory) == rig.ids
        assert len(rig.requests) == 31 - kept
        # Both processes count together; what was on its way may be counted and not have come.
        assert 0 <= directory.quota().used - paid - len(rig.requests) <= 4


def test_interrupted_load_pays_for_nothing_twice(rig, tmp_path):
    rig.on_page[4] = [faults.interrupts]
    directory = rig.directory(tmp_path)
    with processes.interruptible(), pytest.raises(KeyboardInterrupt):
        load(directory)
    assert load(directory) == rig.ids
    assert rig.pages == [1, 2, 3, 4, 4, 5, 6]


def test_full_disk_is_warned_of_and_the_load_goes_on(tmp_path):
    resource = pytest.importorskip("resource", reason="this system knows no RLIMIT_FSIZE")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Rig(155).in_process() as rig, rig.directory(tmp_path) as directory:
        dirframe.load_projects(directory, max_items=10, progress=False)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
            try:
                assert load(directory) == rig.ids
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert dirframe.CacheWarning in {one.category for one in warned}
    assert 1 <= stored(tmp_path) < 16
    assert rig.pages == [*range(1, 17)]


def cut_in_half(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def damaged_behind_its_beginning(file):
    file.write_bytes(file.read_bytes()[:12_000] + b"\xa5" * 12_000)


def folder_in_its_place(file):
    file.unlink()
    file.mkdir()


def other_tables(file):
    file.unlink()
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE responses (something TEXT)")


@pytest.mark.parametrize(
    "damage", [cut_in_half, damaged_behind_its_beginning, folder_in_its_place, other_tables]
)
def test_damaged_cache_gives_no_wrong_record_and_stops_nothing(damage, rig, tmp_path):
    with rig.directory(tmp_path) as directory:
        load(directory)
    rig.forget()
    file = dirframe.cache_info(tmp_path / "cache").file
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA journal_mode = DELETE")  # all is in the file itself
    damage(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dirframe.CacheWarning)
        assert load(rig.directory(tmp_path)) == rig.ids
    assert len(rig.requests) <= 7


# Redirects

#: Ways to name another host or port, some of which are easily misread.
STRANGE = [
    "http://{host}:{port}/projects.xml",
    "https://{host}:{port}/projects.xml",
    "//{host}:{port}/projects.xml",
    "HTTP://{host}:{port}",
    "http://127.0.0.1@{host}:{port}/projects.xml",
    "http://127.0.0.1:{own}@{host}:{port}/projects.xml",
    "http://localhost:{port}/projects.xml",
    "http://[::ffff:127.0.0.1]:{port}/projects.xml",
    "http://{host}:{port}#@127.0.0.1:{own}/projects.xml",
    "http://{host}:{port}\\@127.0.0.1:{own}/projects.xml",
    "http://127.0.0.1:{own}\\@{host}:{port}/projects.xml",
    "http:\\\\{host}:{port}/projects.xml",
    "\t//{host}:{port}/projects.xml",
]


@pytest.mark.parametrize(("host", "status"), [("127.0.0.1", 301), ("127.0.0.2", 308)])
def test_redirect_sends_no_byte_to_another_host_or_port(host, status, rig):
    outcomes = {}
    with Trap(host) as trap, rig.directory() as directory:
        for address in STRANGE:
            location = address.format(host=host, port=trap.port, own=rig.port)
            rig.on_page[1] = [faults.redirects(location, status)]
            error = raised(dirframe.load_projects, directory, progress=False)
            is_failure = isinstance(error, dirframe.RequestError)
            outcomes[address] = (is_failure, trap.connections, trap.received)
    assert outcomes == dict.fromkeys(STRANGE, (True, 0, b""))


def test_redirect_within_the_host_is_followed_with_one_key_and_stored(rig, tmp_path):
    place = ".xml?moved=ö&".encode().decode("latin-1")  # as the bytes of a header are read
    moved = faults.redirects(lambda e: e.request.target.replace(".xml?", place))
    rig.on_page = {page: [moved] for page in range(1, 7)}
    directory = rig.directory(tmp_path)
    frame = dirframe.load_projects(directory=directory, progress=False)
    assert list(frame["id"]) == rig.ids
    assert all(request.target.count("api_key") == 1 for request in rig.requests)
    assert [request.query.get("moved") for request in rig.requests] == [None, "ö"] * 6
    assert frame.attrs["dirframe"]["requests_made"] == len(rig.requests) == 12
    assert directory.quota().used == 12
    rig.forget()
    assert load(directory) == rig.ids
    assert rig.requests == []


# Schedules of faults, lies and edits


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
#: What changes between requests, at a place.
EDITS = {
    "add": lambda ids, at, new: [*ids[:at], new, *ids[at:]],
    "remove": lambda ids, at, *_: ids[:at] + ids[at + 1 :],
    "to the front": lambda ids, at, *_: sorted(ids, key=lambda one: one != ids[at - 1]),
    "to the end": lambda ids, at, *_: sorted(ids, key=lambda one: one == ids[at - 1]),
    "turn": lambda ids, at, *_: ids[at:] + ids[:at],
}
#: As long as records only come or only go, a count belongs to one set of records.
FAMILIES = {
    "growing": ["add", "to the front", "to the end", "turn"],
    "shrinking": ["remove", "to the front", "to the end", "turn"],
}
#: Without those that take their time, and those that end the day for a key.
BRIEF = sorted(
    name
    for name in set(faults.FAULTS) - set(faults.SLOW) - {"gzip bomb", "endless"}
    if "429" not in name and "limit" not in name
)


USUAL = {
    "size": 5,
    "past_end_is_first": False,
    "workers": 1,
    "incomplete": "raise",
    "schedule": {},
    "in_process": True,
}


def _changes(family, kinds):
    change = st.tuples(st.sampled_from(kinds), st.integers(0, 60))
    return st.tuples(st.just(family), st.dictionaries(st.integers(0, 14), change, max_size=5))


@given(
    count=st.integers(0, 45),
    size=st.sampled_from([5, 10, 25]),
    past_end_is_first=st.booleans(),
    workers=st.sampled_from([1, 3]),
    incomplete=st.sampled_from(["raise", "warn"]),
    schedule=st.dictionaries(st.integers(0, 20), st.sampled_from(BRIEF), max_size=4),
    changes=st.one_of(
        _changes("lies", sorted(LIES)), *(_changes(*family) for family in FAMILIES.items())
    ),
    in_process=st.booleans(),
)
@example(count=11, changes=("growing", {1: ("turn", 2)}), **USUAL)
@example(count=11, changes=("growing", dict.fromkeys((1, 2), ("to the front", 0))), **USUAL)
def test_load_is_a_whole_state_of_the_collection_or_is_said_not_to_be(
    count, size, past_end_is_first, workers, incomplete, schedule, changes, in_process
):
    """Faults, edits and lies by the number of the request; the same line again and again."""
    family, events = changes
    # A lone page of unusual length is believed to be all if its count says so.
    assume(family != "lies" or size in {10, 25})
    rig = Rig(count, size=size)
    rig.past_end_is_first = past_end_is_first
    states, number, lock = [rig.ids], 0, threading.Lock()
    lies = {at: LIES[kind] for at, (kind, _) in events.items() if family == "lies"}
    planned = lies | {at: faults.FAULTS[name] for at, name in schedule.items()}
    rig.faults = deque(planned.get(at) for at in range(max(planned, default=-1) + 1))

    def before(_):
        nonlocal number
        with lock:
            if family != "lies" and number in events:
                kind, place = events[number]
                new = f"new{number}"
                rig.edit(lambda ids: EDITS[kind](ids, place % (len(ids) + 1), new))
                states.append(rig.ids)
            number += 1

    rig.before = before
    options = {"incomplete": incomplete, "progress": False}
    with rig.in_process() if in_process else rig, TemporaryDirectory() as folder:
        directory = rig.directory(Path(folder), workers=workers)

        def is_proven(**more):
            rig.requests.clear()
            frame = _frame_of(directory, **options, **more)
            # Pages are read again three times; a count that is far too high costs one chunk of
            # pages that are not there.
            pages = -(-max(map(len, states)) // size) + 3
            assert len(rig.requests) <= (pages * 5 + 70) * 3
            if frame is None or not frame.attrs["dirframe"]["complete"]:
                return False
            ids = list(frame["id"])
            assert len(ids) == len(set(ids)) == frame.attrs["dirframe"]["items_available"]
            assert set(ids) in [set(state) for state in states]
            return True

        # Each run uses up faults or ends them; when none is left, it must succeed. A directory
        # that never counts is not asked again and again; a person may.
        if not any(is_proven() for _ in range(len(schedule) + len(events) + 2)):
            assert any(kind == "no count" for kind, _ in events.values())
            assert any(is_proven(refresh=True) for _ in range(len(schedule) + len(events) + 2))


#: What says nothing about the key, nor about what was asked for.
_MAY_COME_LATER = (
    dirframe.NetworkError,
    dirframe.QuotaExceededError,
    dirframe.UnreadableResponseError,
)


def _frame_of(directory, *, incomplete, **options):
    """Load once; return the frame, or None if an error came, as it should."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            frame = dirframe.load_projects(directory, incomplete=incomplete, **options)
        except dirframe.DirframeError as error:
            partial = getattr(error, "frame", None)
            # What a load accepts in part is returned, and not raised: this error has nothing of it.
            is_accepted = incomplete == "warn" and isinstance(error, _MAY_COME_LATER)
            assert partial is None or partial.empty or not is_accepted
            assert partial is None or partial["id"].dropna().is_unique
            return None
    is_marked = any(one.category is dirframe.IncompleteWarning for one in warned)
    assert is_marked != frame.attrs["dirframe"]["complete"]
    assert incomplete == "warn" or not is_marked
    assert frame["id"].dropna().is_unique
    return frame
