"""The day's allowance: exact over threads and processes, and it learns from refusals."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from dirframe.client.http.quota import ALLOWANCE_FILE, Allowance, AllowanceWarning

if TYPE_CHECKING:
    from pathlib import Path

SPENDER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from dirframe.client.http.quota import Allowance

allowance = Allowance(Path(sys.argv[1]), "abc", 100)
with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(lambda _: allowance.spend(), range(60))))
"""


def test_so_many_requests_pass_and_no_more(tmp_path: Path) -> None:
    with closing(Allowance(tmp_path, "abc", 3)) as allowance:
        assert [allowance.spend() for _ in range(5)] == [True, True, True, False, False]
        assert allowance.left() == 0


def test_threads_and_processes_share_one_count_exactly(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SPENDER, str(tmp_path)]
    spenders = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    passed = [int(spender.communicate(timeout=60)[0]) for spender in spenders]
    assert sum(passed) == 100


def test_another_key_has_its_own_allowance(tmp_path: Path) -> None:
    with (
        closing(Allowance(tmp_path, "abc", 1)) as one,
        closing(Allowance(tmp_path, "def", 1)) as two,
    ):
        assert one.spend()
        assert two.spend()


def test_the_count_outlives_the_process(tmp_path: Path) -> None:
    with closing(Allowance(tmp_path, "abc", 10)) as allowance:
        allowance.spend()
    with closing(Allowance(tmp_path, "abc", 10)) as allowance:
        assert allowance.left() == 9


def test_a_request_comes_back_a_day_after_it_went_out(tmp_path: Path) -> None:
    with closing(Allowance(tmp_path, "abc", 2)) as allowance:
        assert allowance.resets_at() is None
        allowance.spend()
        resets_at = allowance.resets_at()
        assert resets_at is not None
        assert abs(resets_at - datetime.now(UTC) - timedelta(days=1)) < timedelta(minutes=1)
    with closing(sqlite3.connect(tmp_path / ALLOWANCE_FILE)) as database, database:
        database.execute("UPDATE key_abc SET item_timestamp = item_timestamp - 86400001")
    with closing(Allowance(tmp_path, "abc", 2)) as allowance:
        assert allowance.left() == 2


def test_a_refusal_that_was_not_counted_is_given_back(tmp_path: Path) -> None:
    with closing(Allowance(tmp_path, "abc", 5)) as allowance:
        allowance.spend()
        allowance.spend()
        allowance.give_back()
        assert allowance.left() == 4


def test_the_directory_is_believed_that_nothing_is_left(tmp_path: Path) -> None:
    soon = datetime.now(UTC) + timedelta(hours=2)
    with closing(Allowance(tmp_path, "abc", 5)) as allowance:
        allowance.spend()
        allowance.exhaust(soon)
        assert not allowance.spend()
        resets_at = allowance.resets_at()
        assert resets_at is not None
        assert abs(resets_at - soon) < timedelta(seconds=1)


def test_without_a_time_the_allowance_comes_back_a_day_after_its_first_request(
    tmp_path: Path,
) -> None:
    with closing(Allowance(tmp_path, "abc", 5)) as allowance:
        allowance.spend()
        before = allowance.resets_at()
        allowance.exhaust()
        assert allowance.left() == 0
        assert allowance.resets_at() == before


def test_a_file_that_cannot_be_used_is_warned_of_and_the_process_counts_for_itself(
    tmp_path: Path,
) -> None:
    (tmp_path / ALLOWANCE_FILE).write_bytes(b"no database at all" * 100)
    with pytest.warns(AllowanceWarning, match="DIRFRAME_DATA_DIR"):
        allowance = Allowance(tmp_path, "abc", 2)
    with closing(allowance):
        assert [allowance.spend() for _ in range(3)] == [True, True, False]


def test_the_file_holds_no_key(tmp_path: Path) -> None:
    from dirframe.settings import ApiKey

    key = ApiKey("marked-secret-key")
    with closing(Allowance(tmp_path, key.fingerprint, 2)) as allowance:
        allowance.spend()
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"marked-secret-key" not in content
