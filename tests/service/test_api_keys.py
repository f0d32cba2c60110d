"""Keys and quotas, with real threads and real processes."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import requests

from dirframe.errors import InvalidInputError, StoreError
from dirframe.service.api_keys import APPLICATIONS_PER_DEVELOPER, DAILY_QUOTA, KeyStore
from dirframe.service.server import serve

if TYPE_CHECKING:
    from pathlib import Path

    from dirframe.service.store.store import Store

DAY = 86_400


class Clock:
    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


def test_a_key_is_shown_once_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    with KeyStore(tmp_path / "k") as keys:
        key = keys.add("Ada", "charts")
        assert len(key) == 40
        assert keys.charge(key).allowed
        assert key not in repr(keys.list())
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert key.encode() not in written


def test_an_unknown_and_a_revoked_key_are_not_known(tmp_path: Path) -> None:
    with KeyStore(tmp_path / "k") as keys:
        key = keys.add("Ada", "charts")
        assert not keys.charge("").known
        assert not keys.charge(key[:-1]).known
        assert not keys.charge("\ud800").known
        keys.revoke(keys.list()[0].id)
        assert not keys.charge(key).known
        assert keys.list()[0].revoked_at is not None
        with pytest.raises(InvalidInputError, match="no active key number 1"):
            keys.revoke(1)


def test_a_developer_has_at_most_five_live_applications(tmp_path: Path) -> None:
    with KeyStore(tmp_path / "k") as keys:
        for number in range(APPLICATIONS_PER_DEVELOPER):
            keys.add("Ada", f"application {number}")
        with pytest.raises(InvalidInputError, match="5 are the most"):
            keys.add(" ADA ", "one more")
        keys.add("Bob", "application 0")
        keys.revoke(2)
        keys.add("Ada", "one more")


def test_one_application_has_one_key_at_a_time(tmp_path: Path) -> None:
    with KeyStore(tmp_path / "k") as keys:
        keys.add("Ada", "charts")
        with pytest.raises(InvalidInputError, match="already has a key"):
            keys.add("Ada", "Charts")


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "x" * 201])
def test_names_that_nobody_can_read_are_refused(tmp_path: Path, name: str) -> None:
    with KeyStore(tmp_path / "k") as keys, pytest.raises(InvalidInputError):
        keys.add(name, "charts")


def test_a_clock_that_was_ahead_blocks_a_key_for_a_day_at_most(tmp_path: Path) -> None:
    clock = Clock()
    with KeyStore(tmp_path / "k", now=clock) as keys:
        used_up = keys.add("Ada", "charts", daily_limit=1)
        half = keys.add("Ada", "maps", daily_limit=2)
        clock.time += 400 * DAY
        for key in (used_up, half):
            assert keys.charge(key).allowed
        clock.time -= 400 * DAY
        refused = keys.charge(used_up)
        assert (refused.allowed, refused.retry_after) == (False, DAY)
        assert keys.charge(half).remaining == 0
        assert [key.resets_at for key in keys.list()] == [clock.time + DAY] * 2
        clock.time += DAY
        assert keys.charge(used_up).allowed
        assert keys.charge(half).remaining == 1


def test_the_window_begins_with_the_first_counted_request_and_lasts_a_day(tmp_path: Path) -> None:
    clock = Clock()
    with KeyStore(tmp_path / "k", now=clock) as keys:
        key = keys.add("Ada", "charts", daily_limit=2)
        clock.time += 5_000
        assert [keys.charge(key).remaining for _ in range(2)] == [1, 0]
        assert keys.list()[0].resets_at == clock.time + DAY
        clock.time += 1_000.5
        refused = keys.charge(key)
        assert (refused.known, refused.allowed, refused.retry_after) == (True, False, DAY - 1_000)
        clock.time += refused.retry_after
        assert keys.charge(key).remaining == 1
        assert keys.list()[0].used == 1


def test_a_limit_that_is_raised_holds_at_once(tmp_path: Path) -> None:
    with KeyStore(tmp_path / "k") as keys:
        key = keys.add("Ada", "charts", daily_limit=1)
        assert [keys.charge(key).allowed for _ in range(2)] == [True, False]
        keys.set_daily_limit(1, 3)
        assert [keys.charge(key).allowed for _ in range(3)] == [True, True, False]
        with pytest.raises(InvalidInputError):
            keys.set_daily_limit(1, 0)
        with pytest.raises(InvalidInputError):
            keys.set_daily_limit(7, 10)


def test_numbers_that_the_file_cannot_hold_are_refused_by_name(tmp_path: Path) -> None:
    with KeyStore(tmp_path / "keys.sqlite") as keys:
        keys.add("Ada", "charts", daily_limit=2**63 - 1)
        for change in (keys.revoke, lambda key_id: keys.set_daily_limit(key_id, 5)):
            with pytest.raises(InvalidInputError, match="no active key number 9223372036854775808"):
                change(2**63)
        for refused in (
            lambda: keys.set_daily_limit(1, 2**63),
            lambda: keys.add("Ada", "maps", daily_limit=2**63),
        ):
            with pytest.raises(InvalidInputError, match="9223372036854775807 or less"):
                refused()
        assert [key.daily_limit for key in keys.list()] == [2**63 - 1]


SPEND = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from dirframe.service.api_keys import KeyStore

path, key, requests = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with KeyStore(path) as keys, ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(lambda _: keys.charge(key).allowed, range(requests))))
"""

REGISTER = """
import sys
from pathlib import Path
from dirframe.errors import InvalidInputError
from dirframe.service.api_keys import KeyStore

added = 0
with KeyStore(Path(sys.argv[1])) as keys:
    for number in range(3):
        try:
            keys.add("Ada", f"application {sys.argv[2]}.{number}")
            added += 1
        except InvalidInputError:
            pass
print(added)
"""


def printed_by_processes(script: str, *arguments: tuple[str, ...]) -> int:
    """Run the script in processes at the same time and add up what they print."""
    processes = [
        subprocess.Popen([sys.executable, "-c", script, *own], stdout=subprocess.PIPE, text=True)
        for own in arguments
    ]
    answers = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return sum(int(answer) for answer in answers)


def test_a_thousand_are_counted_exactly_by_threads_and_processes_and_over_restarts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "k"
    with KeyStore(path) as keys:
        key = keys.add("Ada", "charts")
        assert all(keys.charge(key).allowed for _ in range(100))
    allowed = printed_by_processes(SPEND, *[(str(path), key, "400")] * 3)
    assert 100 + allowed == DAILY_QUOTA
    with KeyStore(path) as keys:
        assert keys.list()[0].used == DAILY_QUOTA
        assert not keys.charge(key).allowed


def test_processes_that_register_at_once_get_five_keys_together(tmp_path: Path) -> None:
    # The file does not exist yet: making it is part of the race.
    added = printed_by_processes(REGISTER, *[(str(tmp_path / "k"), str(n)) for n in range(3)])
    assert added == APPLICATIONS_PER_DEVELOPER


def test_a_service_that_starts_while_another_makes_the_file_waits_for_it(tmp_path: Path) -> None:
    with closing(
        sqlite3.connect(tmp_path / "k", isolation_level=None, check_same_thread=False)
    ) as other:
        other.execute("BEGIN IMMEDIATE")
        end = threading.Timer(0.2, other.execute, ["COMMIT"])
        end.start()
        with KeyStore(tmp_path / "k") as keys:
            assert keys.list() == []
        end.join()


def test_the_keys_stand_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
    with KeyStore() as keys:
        assert keys.path == tmp_path / "data" / "keys.sqlite"
        assert keys.path.is_file()


def test_another_file_is_not_taken_for_keys(tmp_path: Path) -> None:
    garbage = tmp_path / "garbage"
    garbage.write_text("not a database, but long enough to be read as one" * 10)
    with pytest.raises(StoreError, match="cannot be kept"):
        KeyStore(garbage)
    other = tmp_path / "other"
    database = sqlite3.connect(other)
    database.execute("CREATE TABLE t (x)")
    database.close()
    with pytest.raises(StoreError, match="holds no keys"):
        KeyStore(other)
    path = tmp_path / "newer"
    KeyStore(path).close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 9")
    database.close()
    with pytest.raises(StoreError, match="version 9"):
        KeyStore(path)


def test_a_lock_on_the_keys_stops_neither_health_nor_pages_and_lets_nothing_through_uncounted(
    store: Store, keys: KeyStore, caplog: pytest.LogCaptureFixture
) -> None:
    key = keys.add("Ada", "charts")
    with (
        serve(store, keys=keys, page_rate=0) as url,
        closing(sqlite3.connect(keys.path, isolation_level=None)) as backup,
        ThreadPoolExecutor(24) as clients,
    ):

        def ask(suffix: str) -> requests.Response:
            return requests.get(f"{url}/accounts.{suffix}?api_key={key}", timeout=20)

        assert ask("xml").status_code == 200
        backup.execute("BEGIN EXCLUSIVE")
        begin = time.monotonic()
        refused = [clients.submit(ask, suffix) for suffix in ("xml", "json") * 12]
        for path in ("healthz", "accounts", "accounts/1"):
            assert requests.get(f"{url}/{path}", timeout=20).status_code == 200
        answers = [future.result() for future in refused]
        assert time.monotonic() - begin < 10  # it was 30 s for each
        assert {answer.status_code for answer in answers} == {503}
        assert {answer.headers["Retry-After"] for answer in answers} == {"5"}
        assert "<status>failed</status>\n<error>Requests cannot be counted" in answers[0].text
        assert answers[1].json()["status"] == "failed"
        backup.execute("ROLLBACK")
        assert ask("xml").status_code == 200
    assert keys.list()[0].used == 2
    [line] = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert "database is locked" in line
    assert key not in caplog.text


def test_a_short_lock_on_the_keys_is_waited_for(store: Store, keys: KeyStore) -> None:
    key = keys.add("Ada", "charts")
    with (
        serve(store, keys=keys) as url,
        closing(sqlite3.connect(keys.path, isolation_level=None)) as other,
        ThreadPoolExecutor(1) as client,
    ):
        other.execute("BEGIN EXCLUSIVE")
        answer = client.submit(requests.get, f"{url}/accounts.xml?api_key={key}", timeout=20)
        time.sleep(0.1)
        other.execute("ROLLBACK")
        assert answer.result().status_code == 200


#: No file can be written to, as on a full disk; pipes and sockets can.
FULL = """
import resource, sys
import requests
from dirframe.service.server import serve

store, keys, key = sys.argv[1:]
with serve(store, keys=keys) as url:
    for limit in (0, resource.RLIM_INFINITY):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        for _ in range(3):
            print(requests.get(f"{url}/accounts.xml?api_key={key}", timeout=20).status_code)
"""


def test_a_full_disk_under_the_keys_is_said_in_one_line(store: Store, keys: KeyStore) -> None:
    pytest.importorskip("resource", reason="this system knows no RLIMIT_FSIZE")
    key = keys.add("Ada", "charts")
    arguments = (str(store.path), str(keys.path), key)
    ran = subprocess.run(
        [sys.executable, "-c", FULL, *arguments], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["503"] * 3 + ["200"] * 3
    assert len(ran.stderr.splitlines()) == 1
    assert "answered with 503" in ran.stderr
    assert key not in ran.stderr
    assert keys.list()[0].used == 3


def test_keys_can_be_managed_after_a_request_that_found_a_lock(keys: KeyStore) -> None:
    key = keys.add("Ada", "charts")
    with closing(sqlite3.connect(keys.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="database is locked"):
            keys.charge(key)
        with ThreadPoolExecutor(1) as operator:
            limited = operator.submit(keys.set_daily_limit, 1, 7)
            time.sleep(0.1)
            other.execute("ROLLBACK")
            limited.result()
    assert keys.charge(key).remaining == 6
