"""Whatever ends a load or damages its files, the same line again pays only for what is missing."""

import signal
import sqlite3
import threading
import warnings
from contextlib import closing

import pytest

import dirframe
from tests import processes
from tests.faults import LINE, load, stored
from tests.processes import interruptible
from tests.rig import faults
from tests.rig.server import Rig


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
    def interrupt(exchange):  # Ctrl-C while the response is awaited
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        exchange.closing.wait(0.3)
        exchange.answer()

    rig.on_page[4] = [interrupt]
    directory = rig.directory(tmp_path)
    with interruptible(), pytest.raises(KeyboardInterrupt):
        load(directory)
    assert load(directory) == rig.ids
    assert rig.pages == [1, 2, 3, 4, 4, 5, 6]


def test_full_disk_is_warned_of_and_the_load_goes_on(tmp_path):
    pytest.importorskip("resource", reason="this system knows no RLIMIT_FSIZE")
    limit = "import resource, sys; sys.dont_write_bytecode = True; resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))\n"
    with Rig(3_000, size=100) as rig:
        outcome = processes.run(rig.url, rig.key, tmp_path, 1, 1000, program=limit + LINE)
        assert outcome.out.splitlines()[-1] == "True 3000", outcome.err
        assert "CacheWarning" in outcome.out
        assert len(rig.requests) == 31


def garbage(file):
    file.write_bytes(b"this is not a database " * 500)


def cut(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def damaged_in_the_middle(file):
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle - 6_000 : middle + 6_000] = b"\xa5" * 12_000
    file.write_bytes(content)


def empty(file):
    file.write_bytes(b"")


def folder_in_its_place(file):
    file.unlink()
    file.mkdir()


def other_tables(file):
    file.unlink()
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE responses (something TEXT)")


def wrong_entries(file):
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE responses SET value = x'00ff' WHERE rowid % 2")


@pytest.mark.parametrize(
    "damage",
    [garbage, cut, damaged_in_the_middle, empty, folder_in_its_place, other_tables, wrong_entries],
)
def test_damaged_cache_gives_no_wrong_record_and_stops_nothing(damage, rig, tmp_path):
    with rig.directory(tmp_path) as directory:
        load(directory)
    rig.forget()
    file = dirframe.cache_info(tmp_path / "cache").file
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA journal_mode = DELETE")  # all is in the file itself
    damage(file)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert load(rig.directory(tmp_path)) == rig.ids
    assert len(rig.requests) <= 7
    assert [warning.category for warning in warned] in ([], [dirframe.CacheWarning])
    rig.forget()
    if not warned:  # it was mended by the way
        assert load(rig.directory(tmp_path)) == rig.ids
        assert rig.requests == []
