"""What a collection leaves out is asked for record by record, and nothing is paid twice."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe.client.details import ANALYSIS_COLUMNS
from dirframe.errors import (
    AnalysesNotSentWarning,
    CacheError,
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    QuotaExceededError,
    ServiceError,
)
from dirframe.provenance import get_provenance
from tests.faults.conftest import settings_of
from tests.today import TodayService

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dirframe.client.directory import Directory


@pytest.fixture
def today() -> Iterator[TodayService]:
    with TodayService() as service:
        yield service


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[..., Directory]]:
    made: list[Directory] = []

    def make(service: TodayService, **options: Any) -> Directory:
        made.append(dirframe.Directory.from_settings(settings_of(service, tmp_path, **options)))
        return made[-1]

    yield make
    for directory in made:
        directory.close()


@pytest.fixture
def directory(today: TodayService, ask: Callable[..., Directory]) -> Directory:
    return ask(today)


@pytest.fixture(scope="module")
def carried() -> pd.DataFrame:
    """Load the same records from a service that sends analyses in collections."""
    with dirframe.sample_directory(cache=False) as directory:
        return dirframe.load_projects(sort="id", max_items=60, directory=directory, progress=False)


def load(directory: Directory, **options: Any) -> pd.DataFrame:
    asked: dict[str, Any] = {"sort": "id", "max_items": 60}
    asked |= {"directory": directory, "progress": False} | options
    frame: pd.DataFrame = dirframe.load_projects(**asked)
    return frame


def with_id(frame: pd.DataFrame) -> list[str]:
    return list(frame["id"][frame["analysis_id"].notna()])


def test_details_give_the_frame_that_a_whole_collection_gives(
    directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    frame = load(directory, details=True)
    pd.testing.assert_frame_equal(frame, carried, check_flags=False, check_like=True)
    assert sorted(today.own_pages) == sorted(with_id(carried))
    facts = get_provenance(frame)
    assert facts["complete"] == get_provenance(carried)["complete"]
    assert facts["details"] == len(with_id(carried))
    assert facts["query"]["details"] is True
    assert facts["not_sent"] == facts["details_missing"] == []
    assert facts["requests_made"] == len(today.asked)


@pytest.mark.parametrize("workers", [1, 4])
def test_the_same_line_again_costs_nothing(
    today: TodayService, ask: Callable[..., Directory], workers: int
) -> None:
    directory = ask(today, max_workers=workers)
    first = load(directory, details=True)
    today.forget()
    again = load(directory, details=True)
    assert today.asked == []
    assert get_provenance(again)["requests_made"] == 0
    pd.testing.assert_frame_equal(again, first)
    pd.testing.assert_frame_equal(load(directory, details=True, offline=True), first)
    load(directory, details=True, refresh=True)
    assert len(today.own_pages) == len(with_id(first))


def test_a_mixed_collection_pays_only_for_those_without(
    directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    lacking = set(with_id(carried)[::7])
    today.whole = set(carried["id"]) - lacking
    frame = load(directory, details=True)
    pd.testing.assert_frame_equal(frame, carried, check_flags=False, check_like=True)
    assert set(today.own_pages) == lacking


def test_no_analysis_at_all_is_said_with_its_price(directory: Directory) -> None:
    with pytest.warns(AnalysesNotSentWarning, match="details=True") as caught:
        frame = load(directory)
    needed = len(with_id(frame))
    [warning] = [one.message for one in caught]
    assert isinstance(warning, AnalysesNotSentWarning)
    assert warning.requests == needed
    assert f"{needed:,} requests" in str(warning)
    assert get_provenance(frame)["not_sent"] == list(ANALYSIS_COLUMNS)
    assert frame["analysis_total_code_lines"].isna().all()


def test_one_analysis_is_enough_for_silence(
    directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    today.whole = {with_id(carried)[0]}
    assert get_provenance(load(directory))["not_sent"] == []


def test_projects_without_analyses_are_no_reason_to_warn(
    directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    today.bare = set(carried["id"])
    assert get_provenance(load(directory))["not_sent"] == []


def test_columns_outside_the_analysis_need_no_details(
    directory: Directory, today: TodayService
) -> None:
    frame = load(directory, columns=["name", "stack_count"], details=True)
    assert list(frame) == ["id", "name", "stack_count"]
    assert today.own_pages == []
    assert get_provenance(load(directory, columns=["name"]))["not_sent"] == []


def test_chosen_columns_of_the_analysis_are_those_of_own_pages(
    directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    columns = ["id", "analysis_main_language_name", "analysis_languages"]
    with pytest.warns(AnalysesNotSentWarning):
        bare = load(directory, columns=columns[1:2])
    assert get_provenance(bare)["not_sent"] == columns[1:2]
    assert list(bare) == columns[:2]
    for chosen in (columns[:2], columns):
        frame = load(directory, columns=chosen, details=True)
        there = [name for name in carried if name in chosen]
        pd.testing.assert_frame_equal(frame, carried[there], check_flags=False, check_like=True)
    assert len(today.own_pages) == len(with_id(carried))


def test_a_project_without_an_analysis_is_just_without(
    directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    having = with_id(carried)
    today.bare = {having[0]}
    frame = load(directory, details=True)
    assert having[0] not in today.own_pages
    row = frame[frame["id"] == having[0]]
    assert row[[name for name in row if name in ANALYSIS_COLUMNS]].isna().all(axis=None)


@pytest.mark.parametrize("how", ["bare", "silent"])
def test_without_ids_of_analyses_every_own_page_is_asked_for(
    directory: Directory, today: TodayService, carried: pd.DataFrame, how: str
) -> None:
    today.sends_ids = False
    without = with_id(carried)[3]
    setattr(today, how, {without})
    frame = load(directory, details=True)
    assert sorted(today.own_pages) == sorted(carried["id"])
    row = frame[frame["id"] == without]
    assert row["analysis_total_code_lines"].isna().all()
    assert get_provenance(frame)["details_missing"] == []


@pytest.mark.parametrize(
    ("how", "why"),
    [("gone", "gone"), ("deleted", "gone"), ("refused", "refused")],
)
def test_a_page_that_does_not_come_is_named_and_its_row_stays(
    directory: Directory, today: TodayService, carried: pd.DataFrame, how: str, why: str
) -> None:
    lost = with_id(carried)[2:4]
    setattr(today, how, set(lost))
    with pytest.raises(IncompleteCollectionError, match=rf"{lost[0]} \({why}\)") as caught:
        load(directory, details=True)
    assert caught.value.details_missing == tuple(lost)
    assert list(caught.value.frame["id"]) == list(carried["id"])
    assert get_provenance(caught.value.frame)["requests_made"] == len(today.asked)
    today.forget()
    with pytest.warns(IncompleteWarning) as warned:
        frame = load(directory, details=True, incomplete="warn")
    [warning] = [one.message for one in warned]
    assert isinstance(warning, IncompleteWarning)
    assert warning.details_missing == tuple(lost)
    assert today.own_pages == []
    facts = get_provenance(frame)
    assert facts["details_missing"] == lost
    assert facts["complete"] is False
    rows = frame.set_index("id").loc[lost]
    assert rows["name"].notna().all()
    assert rows["analysis_total_code_lines"].isna().all()
    setattr(today, how, set())
    load(directory, details=True, refresh=True)
    assert get_provenance(load(directory, details=True))["details_missing"] == []


def test_of_many_pages_that_do_not_come_the_first_are_named_and_the_others_counted(
    directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    lost = with_id(carried)[:25]
    today.gone = set(lost)
    last = f"{lost[19]} .gone. and 5 more"
    with pytest.raises(IncompleteCollectionError, match=rf"of 25 records.*{last}") as caught:
        load(directory, details=True)
    assert caught.value.details_missing == tuple(lost)


def test_the_record_of_another_project_is_refused(
    directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    asked, other = with_id(carried)[:2]
    today.others = {asked: other}
    with pytest.raises(IncompleteCollectionError, match=f"{asked} .returned {other}"):
        load(directory, details=True)
    with pytest.warns(IncompleteWarning):
        frame = load(directory, details=True, incomplete="warn")
    assert list(frame["name"]) == list(carried["name"])


def test_a_directory_out_of_order_is_an_error_and_what_came_is_kept(
    directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    today.broken = {with_id(carried)[20]}
    with pytest.raises(ServiceError):
        load(directory, details=True)
    today.broken = set()
    today.forget()
    load(directory, details=True)
    assert today.own_pages == with_id(carried)[20:]


def test_a_used_up_quota_keeps_what_came(
    today: TodayService, ask: Callable[..., Directory], carried: pd.DataFrame
) -> None:
    half = len(with_id(carried))
    with pytest.raises(QuotaExceededError):
        load(ask(today, daily_quota=half), details=True)
    came = list(today.own_pages)
    today.forget()
    frame = load(ask(today, daily_quota=100_000), details=True)
    pd.testing.assert_frame_equal(frame, carried, check_flags=False, check_like=True)
    assert today.own_pages == with_id(carried)[len(came) :]


def test_offline_an_own_page_that_is_not_there_is_an_error(directory: Directory) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnalysesNotSentWarning)
        load(directory)
    with pytest.raises(CacheError):
        load(directory, details=True, offline=True)


def test_progress_tells_of_own_pages_and_stops_the_load(
    directory: Directory, today: TodayService, carried: pd.DataFrame
) -> None:
    told: list[tuple[int, int]] = []
    load(directory, details=True, progress=lambda *numbers: told.append(numbers))
    needed = len(with_id(carried))
    assert told[-1] == (needed, needed)
    today.forget()

    def stop(came: int, total: int) -> None:
        if (came, total) == (3, needed):
            raise StopIteration

    with pytest.raises(IncompleteCollectionError, match=f"{needed - 3:,} own pages left"):
        load(directory, details=True, refresh=True, progress=stop)


def test_a_load_that_is_stopped_before_the_first_own_page_is_not_complete(
    directory: Directory, carried: pd.DataFrame
) -> None:
    def stop(came: int, total: int) -> None:
        if came >= total:
            raise StopIteration

    with pytest.raises(IncompleteCollectionError, match=f"{len(with_id(carried))} own pages left"):
        load(directory, details=True, progress=stop)


def test_accounts_have_no_details(directory: Directory) -> None:
    with pytest.raises(InvalidInputError, match="details"):
        dirframe.plan("accounts", details=True, directory=directory)
