"""The daily quota: exact over threads and processes, and it learns from refusals."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from dirframe.client.http.quota import QUOTA_FILE, DailyQuota
from dirframe.errors import DirframeError, QuotaWarning

if TYPE_CHECKING:
    from pathlib import Path

SPENDER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from dirframe.client.http.quota import DailyQuota

quota = DailyQuota(Path(sys.argv[1]), "abc", 100)
with ThreadPoolExecutor(4) as pool:
    print(sum(quota_id is not None for quota_id in pool.map(lambda _: quota.acquire(), range(60))))
"""


def test_so_many_requests_pass_and_no_more(tmp_path: Path) -> None:
    with closing(DailyQuota(tmp_path, "abc", 3)) as quota:
        assert [quota.acquire() is not None for _ in range(5)] == [True] * 3 + [False] * 2
        assert quota.remaining() == 0


def test_threads_and_processes_share_one_count_exactly(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SPENDER, str(tmp_path)]
    spenders = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    passed = [int(spender.communicate(timeout=60)[0]) for spender in spenders]
    assert sum(passed) == 100


def test_another_key_has_its_own_quota(tmp_path: Path) -> None:
    with (
        closing(DailyQuota(tmp_path, "abc", 1)) as one,
        closing(DailyQuota(tmp_path, "def", 1)) as two,
    ):
        assert one.acquire()
        assert two.acquire()


def test_the_count_outlives_the_process(tmp_path: Path) -> None:
    with closing(DailyQuota(tmp_path, "abc", 10)) as quota:
        quota.acquire()
    with closing(DailyQuota(tmp_path, "abc", 10)) as quota:
        assert quota.remaining() == 9


def test_a_request_comes_back_a_day_after_it_went_out(tmp_path: Path) -> None:
    with closing(DailyQuota(tmp_path, "abc", 2)) as quota:
        assert quota.resets_at() is None
        quota.acquire()
        resets_at = quota.resets_at()
        assert resets_at is not None
        assert abs(resets_at - datetime.now(UTC) - timedelta(days=1)) < timedelta(minutes=1)
    with closing(sqlite3.connect(tmp_path / QUOTA_FILE)) as database, database:
        database.execute("UPDATE requests SET sent_at = sent_at - 86401")
    with closing(DailyQuota(tmp_path, "abc", 2)) as quota:
        assert quota.remaining() == 2


def test_a_file_that_is_removed_while_it_is_used_loses_no_count(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with closing(DailyQuota(folder, "abc", 10)) as quota:
        quota.acquire()
        shutil.rmtree(folder)
        quota.acquire()
        with closing(DailyQuota(folder, "abc", 10)) as other:
            assert other.remaining() == 8
            other.acquire()
        assert quota.remaining() == 7


@pytest.mark.parametrize("is_open", [True, False])
def test_a_clock_that_was_ahead_holds_requests_back_for_a_day_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_open: bool
) -> None:
    with closing(DailyQuota(tmp_path, "abc", 2)) as quota:
        with monkeypatch.context() as patch:
            ahead = time.time() + 400 * 86_400
            patch.setattr(time, "time", lambda: ahead)
            assert [quota.acquire() is not None for _ in range(3)] == [True, True, False]
        if is_open:
            assert_back_within_a_day(quota)
    with closing(DailyQuota(tmp_path, "abc", 2)) as quota:
        assert_back_within_a_day(quota)


def assert_back_within_a_day(quota: DailyQuota) -> None:
    assert quota.acquire() is None  # they were sent, it is not known when
    resets_at = quota.resets_at()
    assert resets_at is not None
    assert abs(resets_at - datetime.now(UTC) - timedelta(days=1)) < timedelta(minutes=1)


def test_a_request_that_was_not_counted_is_released_alone(tmp_path: Path) -> None:
    with closing(DailyQuota(tmp_path, "abc", 5)) as quota:
        receipts = [quota.acquire() for _ in range(3)]
        before = quota.resets_at()
        assert receipts[1] is not None
        quota.release(receipts[1])
        quota.release(receipts[1])
        assert quota.remaining() == 3
        assert quota.resets_at() == before


def test_a_refusal_before_any_counted_request_holds_for_a_day(tmp_path: Path) -> None:
    with closing(DailyQuota(tmp_path, "abc", 5)) as quota:
        quota.mark_exhausted()
        assert quota.remaining() == 0
        resets_at = quota.resets_at()
        assert resets_at is not None
        assert abs(resets_at - datetime.now(UTC) - timedelta(days=1)) < timedelta(minutes=1)


def test_a_limit_that_was_lowered_below_the_count_leaves_nothing_and_owes_nothing(
    tmp_path: Path,
) -> None:
    with closing(DailyQuota(tmp_path, "abc", 5)) as quota:
        for _ in range(4):
            quota.acquire()
    with closing(DailyQuota(tmp_path, "abc", 2)) as quota:
        assert quota.remaining() == 0
        assert quota.acquire() is None


def test_the_folder_of_the_count_is_made_with_those_above_it(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "yet"
    with closing(DailyQuota(folder, "abc", 5)) as quota:
        assert quota.acquire()
    assert (folder / QUOTA_FILE).is_file()


def test_a_failing_file_is_left_for_memory_and_the_count_goes_on(tmp_path: Path) -> None:
    with closing(DailyQuota(tmp_path, "abc", 2)) as quota:
        quota.acquire()
        with closing(sqlite3.connect(tmp_path / QUOTA_FILE)) as database, database:
            database.execute("DROP TABLE requests")
        with pytest.warns(QuotaWarning, match="not seen") as warned:
            receipt = quota.acquire()
        assert warned[0].filename == __file__  # the line that made the request
        assert receipt is not None
        assert quota.acquire() is not None
        assert quota.acquire() is None


def test_no_more_than_a_day_is_believed(tmp_path: Path) -> None:
    with closing(DailyQuota(tmp_path, "abc", 5)) as quota:
        quota.mark_exhausted(datetime.now(UTC) + timedelta(days=3_000))
        resets_at = quota.resets_at()
        assert resets_at is not None
        assert resets_at <= datetime.now(UTC) + timedelta(days=1)


def test_the_directory_is_believed_that_nothing_is_left(tmp_path: Path) -> None:
    soon = datetime.now(UTC) + timedelta(hours=2)
    with closing(DailyQuota(tmp_path, "abc", 5)) as quota:
        quota.acquire()
        quota.mark_exhausted(soon)
        assert quota.acquire() is None
        resets_at = quota.resets_at()
        assert resets_at is not None
        assert abs(resets_at - soon) < timedelta(seconds=1)


def test_without_a_time_the_quota_comes_back_a_day_after_its_first_request(
    tmp_path: Path,
) -> None:
    with closing(DailyQuota(tmp_path, "abc", 5)) as quota:
        quota.acquire()
        before = quota.resets_at()
        quota.mark_exhausted()
        assert quota.remaining() == 0
        assert quota.resets_at() == before


def test_a_file_that_cannot_be_used_is_warned_of_and_the_process_counts_for_itself(
    tmp_path: Path,
) -> None:
    (tmp_path / QUOTA_FILE).write_bytes(b"no database at all" * 100)
    with pytest.warns(QuotaWarning, match="DIRFRAME_DATA_DIR"):
        quota = DailyQuota(tmp_path, "abc", 2)
    with closing(quota):
        assert [quota.acquire() is not None for _ in range(3)] == [True, True, False]


def test_a_count_that_was_closed_counts_no_more_and_says_so(tmp_path: Path) -> None:
    quota = DailyQuota(tmp_path, "abc", 2)
    quota.close()
    with pytest.raises(DirframeError, match="was closed while it was used"):
        quota.acquire()


def test_the_file_holds_no_key(tmp_path: Path) -> None:
    from dirframe.settings import ApiKey

    key = ApiKey("marked-secret-key")
    with closing(DailyQuota(tmp_path, key.fingerprint, 2)) as quota:
        quota.acquire()
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"marked-secret-key" not in content
