"""Keys and their daily quotas, in a file that processes share."""

import logging
import os
import sqlite3
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import time_machine

from dirframe.errors import InvalidInputError, StoreError
from dirframe.service.keys import Counted, KeyStore, LimitReached
from tests.cases import raised

DAY = 86_400


@pytest.fixture
def clock():
    with time_machine.travel("2026-05-01T12:00:00Z", tick=False) as clock:
        yield clock


def test_key_is_shown_once_and_only_its_hash_is_kept(tmp_path):
    with KeyStore(tmp_path / "data" / "keys.sqlite") as keys:
        key = keys.add("Ada", "charts")
        assert len(key) == 40
        assert keys.charge(key) == Counted()
        assert key not in repr([*map(dict, keys.records())])
        files = list((tmp_path / "data").iterdir())
        assert files
        assert [path for path in files if key.encode() in path.read_bytes()] == []


@pytest.fixture
def five(keys):
    """Return keys of which Ada has five."""
    for number in range(5):
        keys.add("Ada", f"application {number}")
    return keys


@pytest.mark.parametrize(
    ("developer", "application", "beyond_limit"),
    [
        (" ADA ", "one more", False),
        ("Ada", "Application 3", False),
        ("Ada", "Application 3", True),  # one key belongs to one application
    ],
)
def test_keys_of_a_developer_are_limited(developer, application, beyond_limit, five):
    with pytest.raises(InvalidInputError):
        five.add(developer, application, beyond_limit=beyond_limit)


def test_keys_of_a_developer_beyond_the_limit(five):
    sixth = five.add("Ada", "one more", beyond_limit=True)
    assert five.charge(sixth) == Counted()
    with pytest.raises(InvalidInputError):
        five.add("Ada", "yet another")


def test_keys_of_a_developer_that_are_revoked_do_not_count(five):
    five.revoke(2)
    five.add("Ada", "one more")
    five.add("Bob", "application 0")
    with pytest.raises(InvalidInputError):
        five.add("Ada", "the last one")
    with pytest.raises(InvalidInputError):
        five.revoke(2)
    assert [key["id"] for key in five.records() if key["revoked_at"]] == [2]


def test_key_folder_is_private(tmp_path):
    with KeyStore(tmp_path / "data" / "keys.sqlite"):
        pass
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_key_shows_when_it_was_last_used(keys, clock):
    key = keys.add("Ada", "charts")
    assert keys.records()[0]["last_used_at"] is None
    clock.shift(timedelta(hours=3))
    keys.charge(key)
    keys.set_daily_limit(1, 1)
    clock.shift(timedelta(hours=1))
    assert isinstance(keys.charge(key), LimitReached)  # a refused request is no use
    used = datetime.fromtimestamp(keys.records()[0]["last_used_at"], UTC)
    assert used == datetime(2026, 5, 1, 15, tzinfo=UTC)


def test_key_list_and_a_sixth_key_in_the_shell(run, tmp_path, clock):
    file = ("--key-file", tmp_path / "keys.sqlite")
    add = partial(run, "keys", "add", "--developer", "Ada", *file, "--application")
    assert [add(f"{number}").code for number in range(6)] == [0, 0, 0, 0, 0, 2]
    assert add("6", "--beyond-limit").code == 0
    with KeyStore(tmp_path / "keys.sqlite") as keys:
        keys.charge(keys.add("Grace", "maps"))
    lines = run("keys", "list", *file).out.splitlines()
    assert [" never " in line for line in lines] == [False, *[True] * 6, False]
    assert " 2026-05-01 12:00 " in lines[-1]


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "x" * 201])
def test_key_names_that_cannot_be_shown_are_refused(name, keys):
    with pytest.raises(InvalidInputError):
        keys.add(name, "charts")
    with pytest.raises(InvalidInputError):
        keys.add("Ada", name)
    assert keys.records() == []


@pytest.mark.parametrize(
    ("number", "limit"),
    [(1, 0), (1, -1), (1, 2**63), (1, 10**20), (7, 10), (2**63, 5), (0, 5)],
)
def test_quota_of_a_key_that_cannot_be_kept_is_refused(number, limit, keys):
    keys.add("Ada", "charts")
    keys.set_daily_limit(1, 2**63 - 1)
    with pytest.raises(InvalidInputError):
        keys.set_daily_limit(number, limit)
    assert [key["daily_limit"] for key in keys.records()] == [2**63 - 1]


def test_key_number_beyond_the_largest_is_refused(keys):
    with pytest.raises(InvalidInputError):
        keys.revoke(10**20)


def test_quota_window_begins_with_the_first_counted_request(keys, clock):
    key = keys.add("Ada", "charts")
    keys.set_daily_limit(1, 2)
    clock.shift(timedelta(seconds=5_000))
    assert [keys.charge(key) for _ in range(2)] == [Counted(), Counted()]
    clock.shift(timedelta(seconds=1_000.5))
    assert keys.charge(key) == LimitReached(DAY - 1_000)
    keys.set_daily_limit(1, 3)  # which holds at once
    assert [keys.charge(key) for _ in range(2)] == [Counted(), LimitReached(DAY - 1_000)]
    clock.shift(timedelta(seconds=DAY - 1_000))
    assert keys.charge(key) == Counted()
    assert keys.records()[0]["used"] == 1


def test_clock_that_was_ahead_blocks_no_key(keys, clock):
    key = keys.add("Ada", "charts")
    keys.set_daily_limit(1, 1)
    clock.shift(timedelta(days=400))
    assert keys.charge(key) == Counted()
    clock.shift(timedelta(days=-400))
    assert keys.charge(key) == Counted()
    assert keys.charge(key) == LimitReached(DAY)
    clock.shift(timedelta(seconds=-1))  # a step of a clock is no new day
    assert keys.charge(key) == LimitReached(DAY)


def test_clock_that_was_hours_ahead_blocks_a_key_for_a_day(keys, clock):
    key = keys.add("Ada", "charts")
    keys.set_daily_limit(1, 1)
    clock.shift(timedelta(hours=23))
    assert keys.charge(key) == Counted()
    clock.shift(timedelta(hours=-23))
    assert keys.charge(key) == LimitReached(DAY)
    clock.shift(timedelta(seconds=DAY))
    assert keys.charge(key) == Counted()


def test_name_of_a_key_that_was_changed_in_its_file_is_refused(tmp_path, run):
    file = tmp_path / "keys.sqlite"
    with KeyStore(file) as keys:
        keys.add("Ada", "charts")
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE keys SET developer = ?", ["\x1b[31m\n   2  forged"])
    done = run("keys", "list", "--key-file", str(file))
    assert (done.code, done.out) == (1, "")
    assert "Key number 1 in" in done.err


@pytest.mark.parametrize(
    "change",
    [
        "created_at = 'x'",
        "created_at = 1e300",
        "daily_limit = 'many'",
        "developer = x'ff'",
        "developer = 'Eve'",
        "application = CAST(x'ff' AS TEXT)",
        "revoked_at = 'x'",
        "revoked_at = NULL",
        "daily_limit = 1001",
        "hash = 'x'",
        "used = -500",
        "used = 1000",
        "used = 'x'",
        "window_start = 9e9",
        "last_used_at = 5.0",
    ],
)
def test_key_that_is_damaged_is_named(change, keys):
    key = keys.add("Ada", "charts")
    keys.add("Grace", "maps")
    keys.revoke(1 if "NULL" in change else 2)
    with closing(sqlite3.connect(keys.path)) as database, database:
        database.execute(f"UPDATE keys SET {change} WHERE id = 1")
    uses = {
        "records": keys.records,
        "add": lambda: keys.add("Ada", "maps"),
        "set_daily_limit": lambda: keys.set_daily_limit(1, 5),
        "open": lambda: KeyStore(keys.path),
    }
    if not change.startswith(("hash", "revoked_at")):
        uses["charge"] = lambda: keys.charge(key)
    errors = {name: raised(use) for name, use in uses.items()}
    assert {name: type(error) for name, error in errors.items()} == dict.fromkeys(uses, StoreError)
    assert [name for name, error in errors.items() if "Key number 1 in" not in str(error)] == []


def test_key_file_that_is_no_database_is_refused(tmp_path):
    file = tmp_path / "garbage"
    file.write_text("not a database, but long enough to be read as one" * 10)
    with pytest.raises(StoreError, match=str(file)):
        KeyStore(file)


def test_key_file_of_another_program_is_refused(tmp_path):
    file = tmp_path / "other"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE t (x)")
    with pytest.raises(StoreError, match=str(file)):
        KeyStore(file)


def test_lock_on_the_keys_is_503_soon_for_all_and_a_short_one_is_waited_for(client, caplog):
    with (
        closing(sqlite3.connect(client.keys.path, isolation_level=None)) as backup,
        ThreadPoolExecutor(20) as pool,
    ):
        backup.execute("BEGIN EXCLUSIVE")
        answer = pool.submit(client.get, "/accounts.xml")
        time.sleep(0.1)
        backup.execute("ROLLBACK")
        assert answer.result().status_code == 200
        backup.execute("BEGIN EXCLUSIVE")
        begin, targets = time.monotonic(), ("/accounts.xml", "/projects/1.xml", "/nowhere.xml")
        answers = list(pool.map(client.get, [*targets, *["/accounts.xml"] * 17]))
        assert time.monotonic() - begin < 5  # not one after the other
        assert {answer.status_code for answer in answers} == {503}
        assert all(int(answer.headers["Retry-After"]) > 0 for answer in answers)
        assert client.error("/accounts.xml", 503)
        free = ("/healthz", "/accounts", "/accounts/1")
        statuses = {target: client.get(target).status_code for target in free}
        assert statuses == dict.fromkeys(free, 200)
        backup.execute("ROLLBACK")
    assert client.get("/accounts.xml").status_code == 200
    assert client.used() == 2  # nothing is served uncounted
    errors = [entry.getMessage() for entry in caplog.records if entry.levelno >= logging.ERROR]
    assert len(errors) == 21
    assert all(str(client.keys.path) in error for error in errors)
    assert client.key not in caplog.text
