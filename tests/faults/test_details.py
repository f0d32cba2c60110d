"""Own pages are harvested over days, whatever ends a day, and none is paid for twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe.archive import writer
from dirframe.errors import (
    AnalysesNotSentWarning,
    ColumnsNotSentError,
    IncompleteWarning,
    InvalidInputError,
    QuotaExceededError,
    ServiceError,
)
from dirframe.provenance import get_provenance
from tests.faults.conftest import ROOT
from tests.today import KEY, TodayService

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dirframe.archive.archive import Archive
    from dirframe.client.directory import Directory

LINES = "analysis_total_code_lines"
QUERY = "parser"


@pytest.fixture
def today() -> Iterator[TodayService]:
    with TodayService() as service:
        yield service


@pytest.fixture
def directory(today: TodayService, ask: Callable[..., Directory]) -> Directory:
    return ask(today)


@pytest.fixture(scope="module")
def carried() -> pd.DataFrame:
    """Load the same records from a service that sends analyses in collections."""
    with dirframe.sample_directory(cache=False) as directory:
        return dirframe.load_projects(query=QUERY, sort="id", directory=directory, progress=False)


def harvest(folder: Path, directory: Directory, **options: Any) -> Archive:
    asked: dict[str, Any] = {"query": QUERY, "details": True} | options
    return dirframe.harvest("projects", folder, directory=directory, **asked)


def in_order(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values("id", key=lambda ids: ids.astype(int), ignore_index=True)


def same(archive: Archive, expected: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(
        in_order(archive.frame()), in_order(expected), check_like=True, check_flags=False
    )


def with_id(frame: pd.DataFrame) -> list[str]:
    return list(frame["id"][frame["analysis_id"].notna()])


def test_a_harvest_with_details_holds_what_a_whole_collection_gives(
    tmp_path: Path, directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    archive = harvest(tmp_path / "kept", directory)
    same(archive, carried)
    status = archive.status()
    assert (status.details, status.details_expected) == (len(with_id(carried)),) * 2
    assert status.complete
    assert status.finished
    assert status.available == len(carried)
    assert f"{status.details:,} of {status.details:,} own pages" in str(status)
    facts = get_provenance(archive.frame())
    assert facts["requests_made"] == len(today.asked)
    assert (facts["complete"], facts["details"]) == (True, status.details)
    today.forget()
    same(harvest(tmp_path / "kept", directory), carried)
    assert today.asked == []
    assert archive.verify() == status.pages + status.details


def test_days_and_kills_pay_for_nothing_twice(
    tmp_path: Path,
    today: TodayService,
    ask: Callable[..., Directory],
    carried: pd.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, daily, days = tmp_path / "kept", 10, 0
    directory = ask(today, max_workers=3)
    first = datetime.now(UTC)
    for days in range(100):
        monkeypatch.setattr(writer, "_now", lambda day=days: first + timedelta(days=2 * day))
        before = len(today.asked)
        try:
            archive = harvest(folder, directory, requests_per_day=daily)
        except QuotaExceededError:
            assert len(today.asked) - before == daily
            continue
        break
    same(archive, carried)
    asked = Counter(one.target for one in today.asked)
    assert set(asked.values()) == {1}
    assert len(asked) == archive.status().pages + len(with_id(carried))
    assert days == -(-len(asked) // daily) - 1


def test_a_kill_in_the_midst_of_own_pages_loses_at_most_what_was_on_its_way(
    tmp_path: Path, today: TodayService, ask: Callable[..., Directory], carried: pd.DataFrame
) -> None:
    folder = tmp_path / "kept"
    script = (
        "import sys, dirframe\n"
        "with dirframe.Directory(sys.argv[1], sys.argv[2], name='faulty', cache=False,\n"
        "                        max_workers=1) as directory:\n"
        f"    dirframe.harvest('projects', sys.argv[3], directory=directory, query={QUERY!r},\n"
        "                     details=True)\n"
    )
    kills = 0
    for last in (5, 9, 14):
        today.forget()
        child = subprocess.Popen(  # this interpreter, our own lines
            [sys.executable, "-c", script, today.url, KEY, str(folder)], cwd=ROOT
        )

        def kill(_: object, last: int = last, pid: int = child.pid) -> None:
            if len(today.asked) == last:
                os.kill(pid, signal.SIGKILL)

        today.before = kill
        kills += child.wait(120) == -signal.SIGKILL
    assert kills == 3
    today.forget()
    held = dirframe.open_archive(folder).status()
    assert not held.finished
    assert held.details > 0
    archive = harvest(folder, ask(today))
    same(archive, carried)
    assert len(today.asked) == len(with_id(carried)) - held.details


def test_a_harvest_that_goes_on_pays_for_one_redirect_however_many_workers_begin(
    tmp_path: Path, today: TodayService, ask: Callable[..., Directory], carried: pd.DataFrame
) -> None:
    """Own pages are the first that its session asks for, by all workers at once."""
    today.redirects = True
    with pytest.raises(QuotaExceededError):
        harvest(tmp_path / "kept", ask(today), requests_per_day=14)
    held = dirframe.open_archive(tmp_path / "kept").status()
    assert held.details > 0
    today.forget()
    same(harvest(tmp_path / "kept", ask(today, max_workers=4)), carried)
    assert len(today.own_pages) == 1
    assert len(today.asked) == 1 + len(with_id(carried)) - held.details


def test_own_pages_that_do_not_come_are_named_and_asked_for_once(
    tmp_path: Path, directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    gone, deleted, other, without, later = with_id(carried)[:5]
    today.gone, today.deleted, today.silent = {gone}, {deleted}, {without}
    today.others = {other: later}
    archive = harvest(tmp_path / "kept", directory)
    with pytest.warns(IncompleteWarning, match="own pages of 3 records"):
        frame = archive.frame()
    facts = get_provenance(frame)
    assert set(facts["details_missing"]) == {gone, deleted, other}
    assert facts["complete"] is False
    rows = frame.set_index("id").loc[[gone, deleted, other, without]]
    assert rows["name"].notna().all()
    assert rows[LINES].isna().all()
    assert len(frame) == len(carried)
    today.forget()
    harvest(tmp_path / "kept", directory)
    assert today.asked == []


def test_an_error_ends_a_day_and_what_came_is_kept(
    tmp_path: Path, directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    today.broken = {with_id(carried)[7]}
    with pytest.raises(ServiceError):
        harvest(tmp_path / "kept", directory)
    archive = dirframe.open_archive(tmp_path / "kept")
    status = archive.status()
    assert not status.finished
    assert 0 < status.details < status.details_expected
    with pytest.warns(IncompleteWarning, match="not all own pages"):
        assert archive.frame()[LINES].notna().sum() > 0
    today.broken = set()
    same(harvest(tmp_path / "kept", directory), carried)


def test_without_details_an_archive_says_that_analyses_were_not_sent(
    tmp_path: Path, directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    archive = harvest(tmp_path / "kept", directory, details=False)
    with pytest.warns(AnalysesNotSentWarning, match="details=True") as caught:
        frame = archive.frame()
    [warning] = [one.message for one in caught]
    assert isinstance(warning, AnalysesNotSentWarning)
    assert warning.requests == len(with_id(carried))
    with pytest.raises(ColumnsNotSentError):
        dirframe.stats.language_share(frame)
    today.forget()
    same(harvest(tmp_path / "kept", directory), carried)
    assert len(today.asked) == len(with_id(carried))


@pytest.mark.parametrize("full", [False, True])
def test_an_update_asks_for_the_own_pages_of_what_it_read(
    tmp_path: Path, directory: Directory, today: TodayService, carried: pd.DataFrame, full: bool
) -> None:
    harvest(tmp_path / "kept", directory)
    today.forget()
    archive = dirframe.update(tmp_path / "kept", directory=directory, full=full)
    assert today.own_pages
    same(archive, carried)
    assert archive.status().complete
    today.broken = set(with_id(carried))
    with pytest.raises(ServiceError):
        dirframe.update(tmp_path / "kept", directory=directory, full=full)
    assert not dirframe.open_archive(tmp_path / "kept").status().finished
    today.broken = set()
    same(dirframe.update(tmp_path / "kept", directory=directory), carried)


def test_bundles_and_tables_hold_own_pages(
    tmp_path: Path, directory: Directory, carried: pd.DataFrame
) -> None:
    archive = harvest(tmp_path / "kept", directory)
    dirframe.bundle(tmp_path / "kept", tmp_path / "study.zip")
    same(dirframe.open_bundle(tmp_path / "study.zip"), carried)
    archive.to_parquet(tmp_path / "tables")
    tables = in_order(pd.read_parquet(tmp_path / "tables"))
    assert tables[LINES].tolist() == in_order(carried)[LINES].tolist()


def test_accounts_have_no_own_pages(tmp_path: Path, directory: Directory) -> None:
    with pytest.raises(InvalidInputError, match="details"), warnings.catch_warnings():
        dirframe.harvest("accounts", tmp_path / "kept", directory=directory, details=True)


def test_details_that_nobody_needs_leave_an_archive_complete(tmp_path: Path) -> None:
    with dirframe.sample_directory(cache=False) as directory:
        archive = harvest(tmp_path / "kept", directory)
    assert (archive.status().complete, archive.status().details_expected) == (True, 0)
    assert get_provenance(archive.frame())["complete"] is True
