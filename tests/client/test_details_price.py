"""The price of a load with details: what is said is what the service then counts."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

import dirframe
from dirframe.errors import (
    AnalysesNotSentWarning,
    IncompleteCollectionError,
    InvalidInputError,
    StaleWarning,
)
from dirframe.provenance import get_provenance
from dirframe.service.api_keys import KeyStore
from dirframe.service.store.sample import open_data
from tests.faults.conftest import settings_of
from tests.today import TodayService

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dirframe.client.directory import Directory


class Served:
    """Our own service in the dialect of today's, which counts what is asked of it."""

    def __init__(self, url: str, keys: KeyStore, folder: Path) -> None:
        self.url, self.keys, self.folder = url, keys, folder
        self.key = keys.add("a tester", "prices", daily_limit=100_000)

    @property
    def asked(self) -> int:
        return self.keys.list()[0].used

    def directory(self, **options: Any) -> Directory:
        chosen: dict[str, Any] = {"cache_dir": self.folder, "daily_quota": 100_000} | options
        return dirframe.Directory(self.url, self.key, **chosen)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Served]:
    with (
        open_data(None) as store,
        KeyStore(tmp_path / "keys") as keys,
        dirframe.serve(store.path, keys=keys, dialect="today") as url,
    ):
        yield Served(url, keys, tmp_path / "cache")


@pytest.mark.parametrize("workers", [1, 4])
def test_an_exact_plan_is_what_the_service_counts(there: Served, workers: int) -> None:
    question: dict[str, Any] = {"query": "parser", "details": True}
    with there.directory(max_workers=workers) as directory:
        bounds = dirframe.plan("projects", directory=directory, **question)
        assert not bounds.exact
        before = there.asked
        price = dirframe.plan("projects", exact=True, directory=directory, **question)
        assert price.exact
        assert price.requests_used == there.asked - before
    assert bounds.requests_at_least is not None
    assert bounds.requests_needed is not None
    assert price.requests_needed is not None
    assert price.requests_needed == price.requests_at_least
    whole = price.requests_needed + price.requests_used
    assert bounds.requests_at_least <= whole <= bounds.requests_needed
    before = there.asked
    # Another session: where the directory has moved its pages is known from the cache.
    with there.directory(max_workers=workers) as directory:
        frame = dirframe.load_projects(directory=directory, progress=False, **question)
        assert there.asked - before == price.requests_needed
        assert get_provenance(frame)["requests_made"] == price.requests_needed
        assert get_provenance(frame)["details"] == price.details
        dirframe.load_projects(directory=directory, progress=False, **question)
        assert dirframe.plan("projects", directory=directory, **question).requests_needed == 0
    assert there.asked - before == price.requests_needed


def test_recorded_projects_cost_what_an_exact_plan_says(shared: Path, tmp_path: Path) -> None:
    if not (shared / "real").is_dir():
        pytest.skip("the recorded projects are beside the checkout, and are not there")
    # Times of creation are all different, and the dialect has no tie-break for what sorts alike.
    asked: dict[str, Any] = {"sort": "created_at", "details": True}
    with (
        KeyStore(tmp_path / "keys") as keys,
        dirframe.serve(shared / "real", keys=keys, dialect="today") as url,
    ):
        there = Served(url, keys, tmp_path / "cache")
        with there.directory() as directory:
            price = dirframe.plan("projects", exact=True, directory=directory, **asked)
            assert price.requests_used == there.asked
            frame = dirframe.load_projects(directory=directory, progress=False, **asked)
        assert there.asked == price.requests_used + (price.requests_needed or 0)
    assert len(frame) == 313
    assert price.details == frame["analysis_id"].notna().sum()


def test_a_plan_of_page_one_names_both_bounds_and_what_makes_it_exact(there: Served) -> None:
    with there.directory() as directory:
        price = dirframe.plan("projects", max_items=60, details=True, directory=directory)
        whole = dirframe.plan("projects", max_items=60, directory=directory)
    assert there.asked == price.requests_used == 2  # one of them was redirected
    assert not price.exact
    assert price.requests_at_least == 5 + len(_needed(there, 10))
    assert f"{price.requests_at_least} to {price.requests_needed} requests to pay" in str(price)
    assert "exact=True" in str(price)
    assert (whole.exact, whole.details) == (True, 0)
    assert whole.requests_at_least == whole.requests_needed == 5
    assert "exact=True" not in str(whole)


def test_whether_it_fits_is_open_between_the_bounds(there: Served) -> None:
    asked: dict[str, Any] = {"max_items": 60, "details": True}
    with there.directory() as directory:
        price = dirframe.plan("projects", directory=directory, **asked)
    assert price.requests_at_least is not None
    assert price.requests_needed is not None
    expected = {price.requests_at_least - 1: False, price.requests_at_least: None}
    expected |= {price.requests_needed - 1: None, price.requests_needed: True}
    for left, fits in expected.items():
        with there.directory(daily_quota=left + there.asked) as directory:
            said = dirframe.plan("projects", directory=directory, **asked)
            assert (said.quota_left, said.fits) == (left, fits)


def test_refresh_and_exact_exclude_one_another(there: Served) -> None:
    with there.directory() as directory, pytest.raises(InvalidInputError, match="refresh"):
        dirframe.plan("projects", details=True, exact=True, refresh=True, directory=directory)
    assert there.asked == 0


def test_a_session_pays_for_one_redirect_however_many_workers_begin_it(there: Served) -> None:
    paths = [f"/projects/{number}.xml" for number in range(1, 9)]
    with there.directory() as directory, ThreadPoolExecutor(4) as pool:
        session = directory.session
        answers = list(pool.map(lambda path: session.get(path, {}), paths))
    assert there.asked == sum(answer.attempts for answer in answers) == len(paths) + 1


def _needed(there: Served, records: int) -> list[str]:
    with there.directory() as directory, warnings.catch_warnings():
        warnings.simplefilter("ignore", AnalysesNotSentWarning)
        frame = dirframe.load_projects(max_items=records, directory=directory, progress=False)
    return list(frame["id"][frame["analysis_id"].notna()])


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


def test_without_any_id_of_an_analysis_page_one_is_no_lower_bound(
    today: TodayService, ask: Callable[..., Directory]
) -> None:
    today.bare = {str(number) for number in range(1, 26)}
    price = dirframe.plan("projects", sort="id", max_items=60, details=True, directory=ask(today))
    assert (price.requests_at_least, price.requests_needed) == (2, 62)


@pytest.mark.parametrize("how", ["gone", "deleted", "refused", "silent"])
def test_a_refusal_is_paid_once_and_counted_as_paid(
    today: TodayService, ask: Callable[..., Directory], how: str
) -> None:
    question: dict[str, Any] = {"sort": "id", "max_items": 30, "details": True}
    directory = ask(today)
    price = dirframe.plan("projects", exact=True, directory=directory, **question)
    assert price.details
    setattr(today, how, {"3", "7"})
    for requests in (price.requests_needed, 0):
        today.forget()
        if how == "silent":
            frame = dirframe.load_projects(directory=directory, progress=False, **question)
        else:
            with pytest.raises(IncompleteCollectionError) as caught:
                dirframe.load_projects(directory=directory, progress=False, **question)
            frame = caught.value.frame
        assert get_provenance(frame)["requests_made"] == len(today.asked) == requests
    again = dirframe.plan("projects", directory=directory, **question)
    assert (again.requests_needed, again.details_cached) == (0, price.details)
    setattr(today, how, set())
    dirframe.load_projects(directory=directory, progress=False, refresh=True, **question)
    frame = dirframe.load_projects(directory=directory, progress=False, **question)
    assert frame.set_index("id").loc[["3", "7"], "analysis_total_code_lines"].notna().all()


def test_a_refusal_is_forgotten_when_pages_are_no_longer_fresh(
    today: TodayService, ask: Callable[..., Directory]
) -> None:
    question: dict[str, Any] = {"sort": "id", "max_items": 10, "details": True}
    today.silent = {"3"}
    directory = ask(today, expire_after=timedelta(0))
    for _ in range(2):
        today.forget()
        dirframe.load_projects(directory=directory, progress=False, **question)
        assert "3" in today.own_pages
    today.forget()
    with pytest.warns(StaleWarning):
        frame = dirframe.load_projects(directory=directory, offline=True, stale=True, **question)
    assert (len(frame), today.asked) == (10, [])
