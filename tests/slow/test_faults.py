"""What takes its time: every fault, real time-outs, locks, forks."""

import gc
import os
import socket
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from time import monotonic

import pytest

import dirframe
from tests import processes
from tests.faults import after_fault, error_of, load
from tests.faults.test_faults import (  # with more examples
    test_load_is_a_whole_state_of_the_collection_or_is_said_not_to_be as test_schedules,
)
from tests.faults.test_key import (
    test_key_is_written_nowhere_whatever_goes_wrong as test_no_key_is_written,
)
from tests.processes import open_files
from tests.rig import faults
from tests.rig.server import KEY, Rig

__all__ = ["test_no_key_is_written", "test_schedules"]


@pytest.mark.parametrize("workers", [1, 4, 16])
def test_damaged_response_is_an_error_and_only_missing_pages_are_paid_for(workers, rig, tmp_path):
    names = faults.DAMAGED | faults.MISLED | faults.SLOW
    failures = [after_fault(rig, tmp_path / name, name, workers=workers) for name in names]
    assert not any(failures), failures


# Time-outs


def test_trickle_is_ended_after_four_time_outs_and_charged_once(rig):
    rig.always = faults.drip_body
    directory = rig.directory(timeout=0.2)
    begin = monotonic()
    assert type(error_of(directory)) is dirframe.NetworkError
    assert 0.8 <= monotonic() - begin < 5
    assert directory.quota().used == len(rig.requests) == 1


def test_response_that_is_whole_as_its_time_ends_is_kept(rig):
    def whole_at_last(exchange):
        exchange.send(exchange.head(Content_Length=str(len(exchange.body))))
        for part in (exchange.body[:-3], *(exchange.body[n : n + 1] for n in (-3, -2))):
            exchange.send(part)
            exchange.closing.wait(0.3)
        exchange.send(exchange.body[-1:])

    rig.faults.append(whole_at_last)
    assert load(rig.directory(timeout=0.4)) == rig.ids
    assert len(rig.requests) == 6


def test_connection_that_takes_too_long_costs_nothing(rig):
    with ExitStack() as stack:
        full = stack.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        for _ in range(4):  # the queue of those that nobody accepts
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", port))
        directory = rig.directory(url=f"http://127.0.0.1:{port}", timeout=0.3)
        assert type(error_of(directory)) is dirframe.NetworkError
    assert directory.quota().used == 0


@pytest.mark.parametrize("rate", [2.0, 0.3])
def test_directory_keeps_the_rate(rate):
    with Rig(3, size=1).in_process() as rig, rig.directory(rate=rate) as directory:
        begin = monotonic()
        load(directory)
        assert monotonic() - begin >= 0.9 * (len(rig.pages) - 1) / rate


# Locks and forks


def test_count_that_another_program_locks_is_warned_of_and_the_load_goes_on(rig, tmp_path):
    with rig.directory(tmp_path) as directory:
        load(directory, refresh=True)
    [file] = (tmp_path / "data").glob("*.sqlite")
    with closing(sqlite3.connect(file)) as database:
        database.execute("BEGIN EXCLUSIVE")
        begin = monotonic()
        with pytest.warns(dirframe.QuotaWarning) as caught:  # after some time
            assert load(rig.directory(tmp_path, workers=4), refresh=True) == rig.ids
    assert [one.category for one in caught] == [dirframe.QuotaWarning]
    assert monotonic() - begin < 60


FORKS = """
import os, sys, warnings
import dirframe

warnings.simplefilter("error", dirframe.QuotaWarning)  # a count that is lost
warnings.simplefilter("ignore", DeprecationWarning)
os.environ["DIRFRAME_DATA_DIR"] = sys.argv[2]
service = dirframe.serve()
directory = dirframe.Directory(service.url, service.api_key, cache=sys.argv[1], workers=1)
sorts = ["id", "name", "created_at"]

def load(sort, **options):
    return dirframe.load_accounts(directory, sort=sort, max_items=75, progress=False, **options)["id"].tolist()

expected = {sort: load(sort) for sort in sorts}
children = []
for sort in sorts:
    children.append(os.fork())
    if not children[-1]:
        for _ in range(5):
            assert load(sort, refresh=True) == expected[sort]
        sys.exit(0)
assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
load("id", refresh=True)
print(directory.quota().used)
directory.close()
service.stop()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_directory_in_a_forked_process_has_its_own_connections_and_the_same_count(tmp_path):
    done = processes.run(tmp_path / "cache", tmp_path / "data", program=FORKS)
    assert (done.err, done.out.split()) == ("", [str(3 * 3 + 3 * 5 * 3 + 3)])


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="looks into Linux's /proc")
def test_directory_that_nobody_closes_leaves_no_file_open(tmp_path, monkeypatch):
    with Rig(3) as rig:
        monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
        # The rig would keep its own.
        directory = dirframe.Directory(rig.url, KEY, cache=tmp_path / "cache")
        load(directory)
        assert open_files(tmp_path)
        del directory
        gc.collect()
        assert not open_files(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="looks into Linux's /proc")
def test_directory_that_is_closed_leaves_no_file_open_and_opens_again(tmp_path, monkeypatch):
    with Rig(3) as rig:
        monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
        directory = dirframe.Directory(rig.url, KEY, cache=tmp_path / "cache")
        assert len(load(directory)) == 3
        assert open_files(tmp_path)
        directory.close()
        assert not open_files(tmp_path)
        assert len(load(directory)) == 3
        assert open_files(tmp_path)
        directory.close()
        assert not open_files(tmp_path)
