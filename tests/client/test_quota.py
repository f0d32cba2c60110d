"""The daily quota: exact over threads, processes and days; it learns from refusals, and never waits."""

import shutil
import sqlite3
import threading
import time
import warnings
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

import dirframe
from dirframe.errors import (
    DirframeError,
    InvalidKeyError,
    NetworkError,
    QuotaExceededError,
    QuotaWarning,
)
from tests import processes
from tests.cases import slow_except
from tests.faults import LINE, error_of, load
from tests.rig import faults
from tests.rig.server import MARK, Rig
from tests.rig.today import Today

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def page_rig():
    with Rig(9).in_process() as opened:
        yield opened


@pytest.fixture
def clock():
    with time_machine.travel(BEGIN, tick=False) as opened:
        yield opened


@pytest.fixture
def quota_file(tmp_path):
    return tmp_path / "data" / "quota.sqlite"


def send(directory, number=1):
    """Send a number of requests; return how many went out."""
    sent = 0
    for _ in range(number):
        try:
            dirframe.load_project(1, directory=directory, refresh=True)
            sent += 1
        except QuotaExceededError as error:
            if (error.status, error.resets_at) != (None, directory.quota().resets_at):
                raise
    return sent


def test_quota_counts_each_request_for_a_day(page_rig, connect, clock, quota_file):
    directory = connect(page_rig, daily_quota=2)
    quota = directory.quota()
    assert (quota.limit, quota.used, quota.left, quota.resets_at) == (2, 0, 2, None)
    assert send(directory) == 1
    clock.shift(6 * HOUR)
    assert send(directory, 5) == 1
    quota = directory.quota()
    assert (quota.used, quota.left, quota.resets_at) == (2, 0, BEGIN + DAY)
    assert "0 of 2" in repr(quota)
    clock.move_to(BEGIN + DAY - timedelta(seconds=1))
    assert send(directory) == 0
    clock.move_to(BEGIN + DAY)
    assert directory.quota().left == 1
    assert send(directory, 2) == 1
    assert directory.quota().resets_at == BEGIN + 6 * HOUR + DAY
    clock.move_to(BEGIN + 3 * DAY)
    assert (directory.quota().left, directory.quota().resets_at) == (2, None)
    assert connect(page_rig).quota().used == 0  # those of other days are forgotten
    with closing(sqlite3.connect(quota_file)) as database:
        assert database.execute("SELECT count(*) FROM requests").fetchone() == (0,)


def test_quota_is_shared_by_directories_of_a_key(page_rig, connect, clock, quota_file):
    first, second = connect(page_rig, daily_quota=4), connect(page_rig, daily_quota=4)
    assert send(first) == send(second) == 1
    first.close()
    lowered = connect(page_rig, daily_quota=1).quota()  # it outlives the directory
    assert (lowered.used, lowered.left) == (2, 0)
    other = connect(page_rig, key="another-key-12345", daily_quota=1)
    assert other.quota().left == 1
    assert send(second, 3) == 2
    page_rig.key = "another-key-12345"
    assert send(other, 2) == 1
    content = b"".join(part.read_bytes() for part in quota_file.parent.iterdir())
    assert MARK.encode() not in content
    assert b"another-key" not in content


def test_quota_is_not_charged_for_what_was_refused_or_never_sent(page_rig, connect, clock):
    directory = connect(page_rig, daily_quota=5)
    send(directory)
    clock.shift(HOUR)
    with pytest.raises(InvalidKeyError):
        send(connect(page_rig, key="unknown-key-12345", daily_quota=5))
    assert connect(page_rig, key="unknown-key-12345", daily_quota=5).quota().left == 5
    page_rig.faults.append(faults.fails("A valid api_key is required", 403))
    with pytest.raises(InvalidKeyError):
        send(directory)
    quota = directory.quota()
    assert (quota.used, quota.left, quota.resets_at) == (1, 4, BEGIN + DAY)
    page_rig.faults.append(faults.fails("broken", 500))
    with pytest.raises(DirframeError):
        send(directory)
    assert directory.quota().used == 2


# The directory says that nothing is left


@pytest.mark.parametrize("sent", [0, 2])
@pytest.mark.parametrize("seconds", [None, 7200, 999_999_999])
def test_quota_that_the_directory_calls_exhausted(page_rig, connect, clock, sent, seconds):
    """Without a time it is back a day after the first request; no more than a day is believed."""
    directory = connect(page_rig, daily_quota=5)
    send(directory, sent)
    clock.shift(HOUR)
    headers = {"Retry_After": str(seconds)} if seconds else {}
    page_rig.faults.append(faults.fails("Too many", 429, **headers))
    with pytest.raises(QuotaExceededError) as caught:
        dirframe.load_project(1, directory=directory, refresh=True)
    assert caught.value.status == 429
    first = BEGIN if sent else BEGIN + HOUR
    back = BEGIN + 3 * HOUR if seconds == 7200 else first + DAY
    assert (directory.quota().left, directory.quota().resets_at) == (0, back)
    assert send(directory) == 0
    assert len(page_rig.requests) == sent + 1
    assert connect(page_rig, daily_quota=10).quota().left == 5
    clock.move_to(back)
    assert send(directory) == 1


# The clock, the limit and the file change


def test_quota_after_a_clock_that_was_ahead_holds_back_for_a_day_at_most(page_rig, connect, clock):
    directory = connect(page_rig, daily_quota=2)
    clock.move_to(BEGIN + 400 * DAY)
    assert send(directory, 3) == 2
    clock.move_to(BEGIN)
    # They were sent, it is not known when.
    assert (send(directory), directory.quota().resets_at) == (0, BEGIN + DAY)
    other = connect(page_rig, daily_quota=2)
    assert (send(other), other.quota().resets_at) == (0, BEGIN + DAY)
    clock.move_to(BEGIN + DAY)
    assert send(directory) == 1


def test_quota_in_memory_after_a_clock_that_was_ahead_holds_back_for_a_day_at_most(rig, clock):
    directory = rig.directory(daily_quota=2)
    clock.move_to(BEGIN + 400 * DAY)
    assert send(directory, 3) == 2
    clock.move_to(BEGIN)
    assert (send(directory), directory.quota().resets_at) == (0, BEGIN + DAY)
    clock.move_to(BEGIN + DAY)
    assert send(directory) == 1


@pytest.fixture
def zone(monkeypatch):
    """Set the time zone of this machine."""

    def set_zone(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield set_zone
    monkeypatch.undo()
    time.tzset()


MOMENTS = [
    *[("UTC", "2028-02-28T18:00"), ("UTC", "2028-02-29T18:00"), ("UTC", "2026-12-31T18:00")],
    # Summer time begins and ends within 24 hours.
    *[("Europe/Berlin", "2026-03-28T18:00"), ("Europe/Berlin", "2026-10-24T18:00")],
    *[("America/New_York", "2026-03-07T18:00"), ("Australia/Lord_Howe", "2026-04-04T10:00")],
]


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be changed")
@pytest.mark.parametrize(
    ("name", "moment"), slow_except(MOMENTS, [MOMENTS[0], MOMENTS[3], MOMENTS[4]])
)
@pytest.mark.parametrize("seconds", [None, DAY.total_seconds()])
def test_quota_lasts_24_hours_whatever_the_calendar(name, moment, seconds, page_rig, connect, zone):
    zone(name)
    begin = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    with time_machine.travel(begin, tick=False) as clock:
        directory = connect(page_rig, daily_quota=1)
        if seconds is None:
            assert send(directory) == 1
        else:
            page_rig.faults.append(faults.fails("Too many", 429, Retry_After=f"{seconds:.0f}"))
            with pytest.raises(QuotaExceededError):
                dirframe.load_project(1, directory=directory, refresh=True)
        assert directory.quota().resets_at == begin + DAY
        clock.move_to(begin + DAY - timedelta(seconds=1))
        assert send(connect(page_rig, daily_quota=1)) == 0
        clock.move_to(begin + DAY)
        assert send(directory) == 1


def test_quota_is_used_in_another_zone_as_it_was(page_rig, connect, clock, zone):
    zone("Asia/Tokyo")
    assert send(connect(page_rig, daily_quota=2), 3) == 2
    zone("America/Los_Angeles")
    clock.shift(DAY - HOUR)
    assert (send(connect(page_rig, daily_quota=2)), connect(page_rig).quota().used) == (0, 2)


@pytest.mark.parametrize(
    "change",
    slow_except(
        [
            *("count = 'many'", "count = x'00'", "count = -5", "count = 0", "count = 4e18"),
            *("sent_at = 'x'", "sent_at = x'00'", "sent_at = 9e999"),
        ],
        ["count = 'many'", "count = -5", "sent_at = 'x'"],
    ),
)
def test_quota_row_that_is_damaged_is_a_request_of_today(
    change, page_rig, connect, clock, quota_file
):
    directory = connect(page_rig, daily_quota=5)
    send(directory)
    with closing(sqlite3.connect(quota_file)) as database, database:
        for number in (1, 2):  # of another process
            row = "INSERT INTO requests SELECT ?, fingerprint, sent_at, count FROM requests LIMIT 1"
            database.execute(row, [number])
        database.execute(f"UPDATE requests SET {change} WHERE id IN (1, 2)")
    assert (directory.quota().used, directory.quota().resets_at) == (3, BEGIN + DAY)
    assert send(directory, 3) == 2
    clock.shift(DAY)
    assert directory.quota().used == 0


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0"])
def test_quota_file_that_is_damaged_from_the_start_is_left_for_memory(
    content, page_rig, connect, quota_file
):
    quota_file.parent.mkdir()
    quota_file.write_bytes(content)
    directory = connect(page_rig, daily_quota=2)
    with pytest.warns(QuotaWarning, match="DIRFRAME_DATA_DIR") as warned:
        assert send(directory, 3) == 2
    assert [one.filename for one in warned] == [__file__]
    assert directory.quota().left == 0
    assert quota_file.read_bytes() == content


def overwrite(file):
    file.write_bytes(b"no database at all" * 1_000)


def empty(file):
    file.write_bytes(b"")


def drop_table(file):
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("DROP TABLE requests")


def delete_rows(file):
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("DELETE FROM requests")


def delete(file):
    file.unlink()


def delete_folder(file):
    shutil.rmtree(file.parent)


def put_folder_in_its_place(file):
    file.unlink()
    file.mkdir()


def put_other_file_in_its_place(file):
    other = file.with_name("other.sqlite")
    with closing(sqlite3.connect(other)) as database, database:
        database.execute(
            "CREATE TABLE requests (id INTEGER PRIMARY KEY, fingerprint, sent_at, count)"
        )
    other.replace(file)


HARMS = (
    *(overwrite, empty, drop_table, delete_rows, delete, delete_folder),
    *(put_folder_in_its_place, put_other_file_in_its_place),
)


@pytest.mark.filterwarnings("ignore::dirframe.QuotaWarning")
@pytest.mark.parametrize("harm", slow_except(HARMS, [overwrite, delete]))
def test_quota_is_not_exceeded_when_its_file_fails_during_a_load(
    harm, page_rig, connect, quota_file
):
    directory = connect(page_rig, daily_quota=5)
    sent = send(directory, 2)
    harm(quota_file)
    sent += send(directory, 2)
    sent += send(connect(page_rig, daily_quota=5), 3)
    assert sent == 5
    assert [one.quota().used for one in (directory, connect(page_rig))] == [5, 5]


def test_quota_file_that_is_deleted_between_two_loads_begins_anew(page_rig, connect, quota_file):
    with connect(page_rig, daily_quota=10) as directory:
        send(directory, 2)
    delete(quota_file)
    assert connect(page_rig, daily_quota=10).quota().used == 0


@pytest.mark.parametrize("harm", [overwrite, empty])
def test_quota_file_that_is_damaged_between_two_loads_does_not(harm, page_rig, connect, quota_file):
    with connect(page_rig, daily_quota=10) as directory:
        send(directory, 2)
    harm(quota_file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", QuotaWarning)
        assert connect(page_rig, daily_quota=10).quota().used == 2


def test_quota_that_no_file_can_hold_is_counted_over_several_loads(page_rig, connect, tmp_path):
    (tmp_path / "data").write_text("a file is here")
    sent = 0
    for _ in range(3):
        with pytest.warns(QuotaWarning), connect(page_rig, daily_quota=5) as directory:
            sent += send(directory, 2)
    assert sent == 5


@pytest.mark.parametrize("harm", [delete, drop_table, delete_rows])
def test_quota_file_gets_back_what_it_lost(harm, page_rig, connect, quota_file):
    directory = connect(page_rig, daily_quota=10)
    send(directory, 2)
    harm(quota_file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", QuotaWarning)
        send(directory, 2)
    with closing(sqlite3.connect(quota_file)) as database:
        assert database.execute("SELECT sum(count) FROM requests").fetchone() == (4,)


def test_quota_file_that_is_locked_is_counted_beside_and_then_caught_up_with(
    page_rig, connect, quota_file, monkeypatch
):
    monkeypatch.setattr("dirframe.client.http.quota._TIMEOUT", 0.0)
    monkeypatch.setattr("dirframe.client.http.quota._SHORT_TIMEOUT", 0.0)
    directory = connect(page_rig, daily_quota=5)
    send(directory, 2)
    with closing(sqlite3.connect(quota_file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.warns(QuotaWarning, match="locked") as warned:
            assert send(directory, 2) == 2
        assert len(warned) == 1
        other.execute("ROLLBACK")
        assert other.execute("SELECT sum(count) FROM requests").fetchone() == (2,)
        assert send(directory, 3) == 1
        assert other.execute("SELECT sum(count) FROM requests").fetchone() == (5,)


def test_quota_on_a_full_disk_is_counted_in_memory_and_not_exceeded(tmp_path):
    resource = pytest.importorskip("resource", reason="this system knows no RLIMIT_FSIZE")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Rig(9).in_process() as rig:
        directory = rig.directory(tmp_path, cache=False, daily_quota=5)
        assert send(directory, 3) == 3
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        try:
            with pytest.warns(QuotaWarning) as warned:
                sent = send(directory, 4)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert (sent, len(warned)) == (2, 1)


def test_quota_of_other_processes_is_known_when_the_file_is_gone(page_rig, connect, quota_file):
    directory = connect(page_rig, daily_quota=10)
    send(directory)
    with closing(sqlite3.connect(quota_file)) as database, database:
        row = "INSERT INTO requests SELECT ?, fingerprint, sent_at, count FROM requests LIMIT 1"
        database.executemany(row, [[number] for number in range(6)])  # of another process
    assert directory.quota().used == 7
    quota_file.unlink()
    assert send(directory, 4) == 3


# Over sockets, with retries and processes


def test_quota_counts_retries_and_is_never_exceeded_by_them(page_rig, connect):
    page_rig.always = faults.reset_before
    directory = connect(page_rig, daily_quota=3)
    assert isinstance(error_of(directory), NetworkError)
    assert isinstance(error_of(directory), QuotaExceededError)
    assert len(page_rig.requests) == 3


def test_quota_refusal_is_believed_by_all_that_come_after(connect, tmp_path):
    with Rig(55, daily_limit=3) as rig:
        # Of four at once, the one that is waited for may have known of the refusal of another.
        assert error_of(connect(rig, workers=4)).status in {429, None}
        requests = len(rig.requests)
        assert requests > 3
        error = error_of(connect(rig))
        assert (type(error), error.status) == (QuotaExceededError, None)
        assert len(rig.requests) == requests
        # Somebody else's count knows nothing of it, and pays only for what is missing.
        rig.daily_limit = None
        rig.forget()
        assert load(connect(rig, data=tmp_path / "other")) == rig.ids
        assert len(rig.pages) == 3


def test_quota_is_read_and_counted_while_no_other_process_can_write(
    rig, connect, quota_file, monkeypatch
):
    connect_to = sqlite3.connect
    outcomes = []

    def write(statement):
        """Try to write as another process would, just before a request is counted."""
        if not statement.startswith("INSERT OR IGNORE INTO requests"):
            return
        with closing(connect_to(quota_file, timeout=0, isolation_level=None)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                outcomes.append(error.sqlite_errorname)
            else:
                outcomes.append("written")

    def traced(*arguments, **options):
        database = connect_to(*arguments, **options)
        database.set_trace_callback(write)
        return database

    monkeypatch.setattr(sqlite3, "connect", traced)
    assert send(connect(rig), 2) == 2
    assert outcomes == ["SQLITE_BUSY"] * 2


@pytest.mark.filterwarnings("ignore::dirframe.OverQuotaWarning")
def test_quota_of_two_processes_of_four_threads_each_is_exact(tmp_path):
    first_pages = threading.Barrier(2)
    begun = threading.Event()

    def wait_for_both(request):
        if request.page == 1:
            begun.set()
            first_pages.wait(processes.LIMIT)

    with Rig(55) as rig:
        rig.before, rig.always = wait_for_both, faults.late(0.01)
        words = rig.url, rig.key, tmp_path, 4, 5
        with processes.start(*words, program=LINE) as other:
            assert begun.wait(processes.LIMIT)
            error = error_of(rig.directory(tmp_path, workers=4, daily_quota=5))
            _, err = other.communicate(timeout=processes.LIMIT)
        assert isinstance(error, QuotaExceededError)
        assert "QuotaExceededError" in err
        assert len(rig.requests) == 5
        assert rig.directory(tmp_path, daily_quota=5).quota().left == 0


@pytest.mark.parametrize("collection", ["whole", "details", "many"])
def test_quota_that_a_refresh_exceeds_raises_before_it_is_spent(connect, collection):
    loads = {
        "whole": lambda directory: dirframe.load_projects(directory, refresh=True),
        "details": lambda directory: dirframe.load_projects(
            directory, refresh=True, details=True, sort="project_name"
        ),
        "many": lambda directory: dirframe.load_activity(
            [*range(1, 9)], directory=directory, refresh=True
        ),
    }
    make = Today if collection == "details" else Rig
    with make(30 if collection == "details" else 300).in_process() as opened:
        opened.moves = False
        with pytest.raises(QuotaExceededError) as caught:
            loads[collection](connect(opened, daily_quota=7))
        assert "refresh=True" in str(caught.value)
        # Of today's live service the second page shows how many there are on each.
        assert len(opened.requests) <= (2 if collection == "details" else 1)
