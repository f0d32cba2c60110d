"""the daily quota over real HTTP: counted once, believed, shared, and never slept through."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe.errors import InvalidKeyError, NetworkError, QuotaExceededError
from tests.faults import faults
from tests.faults.conftest import ROOT
from tests.faults.service import Exchange, FaultyService, Shelf, numbered
from tests.faults.test_outcomes import error_of, load
from tests.faults.test_resume import LINE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.faults.conftest import Ask
    from tests.faults.service import Fault

DAY = timedelta(days=1)
SOON = timedelta(minutes=1)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Note what the client sleeps, and do not sleep it."""
    pauses: list[float] = []
    monkeypatch.setattr("dirframe.client.http.client.time.sleep", pauses.append)
    return pauses


class Clock:
    """A monotonic clock that goes on only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Let the client wait for the quota without sleeping."""
    clock = Clock()
    monkeypatch.setattr("dirframe.client.http.client.time", clock)
    monkeypatch.setattr("dirframe.client.http.retry.time", clock)
    return clock


@pytest.fixture
def sparing() -> Iterator[FaultyService]:
    """Serve six pages to a key that may ask three times a day."""
    with FaultyService(Shelf(numbered(55), size=10), daily_limit=3) as service:
        yield service


def test_our_own_quota_ends_a_load_before_the_directory_s_does(
    service: FaultyService, ask: Ask, slept: list[float]
) -> None:
    directory = ask(service, daily_quota=4)
    error = error_of(directory)
    assert isinstance(error, QuotaExceededError)
    assert error.resets_at is not None
    assert abs(error.resets_at - datetime.now(UTC) - DAY) < SOON
    assert "was not requested" in str(error)
    assert f"{error.resets_at:%Y-%m-%d %H:%M} UTC" in str(error)
    assert len(service.asked) == 4
    assert slept == []


def test_a_retry_is_counted_and_never_exceeds_the_quota(service: FaultyService, ask: Ask) -> None:
    service.always = faults.reset_before
    directory = ask(service, daily_quota=3, retries=50)
    assert isinstance(error_of(directory), NetworkError)
    assert len(service.asked) == 3
    assert isinstance(error_of(directory), QuotaExceededError)
    assert len(service.asked) == 3


@pytest.mark.parametrize("workers", [1, 4])
def test_the_directory_s_own_refusal_is_believed_by_all_that_come_after(
    workers: int, sparing: FaultyService, ask: Ask, slept: list[float]
) -> None:
    directory = ask(sparing, max_workers=workers)
    error = error_of(directory)
    assert isinstance(error, QuotaExceededError)
    assert error.status == 429
    assert error.resets_at is not None  # Retry-After of the service
    assert abs(error.resets_at - datetime.now(UTC) - DAY) < SOON
    asked = len(sparing.asked)
    other = ask(sparing)
    assert other.session.quota.remaining() == 0
    with pytest.raises(QuotaExceededError, match="was not requested"):
        load(other)
    assert len(sparing.asked) == asked
    assert slept == []


def test_the_load_goes_on_when_the_quota_is_back(sparing: FaultyService, ask: Ask) -> None:
    error_of(ask(sparing))
    sparing.keys.set_daily_limit(1, 1_000)
    sparing.forget()
    assert load(ask(sparing, quota_dir=None)) == numbered(55)
    assert sparing.pages == [4, 5, 6]


@pytest.mark.parametrize(
    "name",
    ["401 over the limit, today", "429", "429 with a date", "429 for ten thousand years"],
)
def test_whatever_the_directory_says_the_key_is_blocked_for_a_day_at_most(
    name: str, service: FaultyService, ask: Ask, slept: list[float]
) -> None:
    service.on_page[3] = [faults.REFUSALS[name]]
    directory = ask(service)
    error = error_of(directory)
    assert isinstance(error, QuotaExceededError)
    assert error.resets_at is not None
    back = directory.session.quota.resets_at()
    assert back is not None
    assert back <= datetime.now(UTC) + DAY + SOON
    assert slept == []


def test_a_refused_key_costs_nothing_and_is_not_taken_for_the_limit(
    service: FaultyService, ask: Ask
) -> None:
    directory = ask(service, key="unknown to the service")
    assert isinstance(error_of(directory), InvalidKeyError)
    assert directory.session.quota.remaining() == directory.settings.daily_quota
    assert load(ask(service)) == numbered(55)


def test_two_keys_have_their_own_count_and_share_pages(service: FaultyService, ask: Ask) -> None:
    load(ask(service))
    other = ask(service, key="another")
    assert load(other) == numbered(55)
    assert len(service.asked) == 6
    assert other.session.quota.remaining() == other.settings.daily_quota


def test_two_base_urls_never_share_a_page(service: FaultyService, ask: Ask) -> None:
    load(ask(service))
    with FaultyService(Shelf(numbered(7), size=10)) as another:
        assert load(ask(another)) == numbered(7)
        assert len(another.asked) == 1


def test_pages_from_the_cache_are_free(service: FaultyService, ask: Ask) -> None:
    directory = ask(service, daily_quota=6)
    for _ in range(5):
        assert load(directory) == numbered(55)
    assert len(service.asked) == 6
    assert directory.session.quota.remaining() == 0


def test_two_processes_at_once_never_exceed_the_quota_they_share(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    quota = "daily_quota=5, max_workers=int(workers)"
    line = LINE.replace("max_workers=int(workers)", quota).replace('"cache"', "workers")
    service.always = faults.late(0.01)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", line, service.url, str(tmp_path), str(number)],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in (1, 2)
    ]
    said = [process.communicate(timeout=60)[1] for process in processes]
    assert all("QuotaExceededError" in text for text in said)
    assert len(service.asked) == 5
    assert ask(service, daily_quota=5).session.quota.remaining() == 0


def test_wait_sleeps_until_a_reset_that_is_near_enough(service: FaultyService, ask: Ask) -> None:
    service.on_page[3] = [faults.fails("slow down", 429, Retry_After="1")]
    begin = time.monotonic()
    frame = dirframe.load_projects(directory=ask(service), wait=10, progress=False)
    assert list(frame["id"]) == numbered(55)
    assert 1 <= time.monotonic() - begin < 5
    assert service.pages == [1, 2, 3, 3, 4, 5, 6]


@pytest.mark.parametrize("wait", [0.0, 1.0, 3_000.0])
def test_wait_never_sleeps_towards_a_reset_that_is_too_far(
    wait: float, service: FaultyService, ask: Ask, slept: list[float]
) -> None:
    service.on_page[3] = [faults.REFUSALS["429 with seconds"]]  # 3,600
    with pytest.raises(QuotaExceededError):
        dirframe.load_projects(directory=ask(service), wait=wait, progress=False)
    assert slept == []
    assert service.pages == [1, 2, 3]


def test_a_server_that_always_says_soon_is_not_asked_for_ever(
    service: FaultyService, ask: Ask
) -> None:
    service.always = faults.fails("slow down", 429, Retry_After="0")
    begin = time.monotonic()
    with pytest.raises(QuotaExceededError):
        dirframe.load_projects(directory=ask(service), wait=2.5, progress=False)
    assert time.monotonic() - begin < 5
    assert len(service.asked) <= 4


@pytest.mark.parametrize("again", ["0", "Fri, 02 Jan 1970 00:00:00 GMT"])
def test_a_directory_that_goes_on_refusing_is_asked_ever_less_often(
    again: str, service: FaultyService, ask: Ask, clock: Clock
) -> None:
    service.always = faults.fails("slow down", 429, Retry_After=again)
    asked_at: list[float] = []
    service.before = lambda _: asked_at.append(clock.now)
    with pytest.raises(QuotaExceededError):
        dirframe.load_projects(directory=ask(service), wait=86_400, progress=False)
    pauses = [round(after - before, 1) for before, after in pairwise(asked_at)]
    assert pauses[:11] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]
    assert set(pauses[10:]) == {900}
    assert 86_400 - 900 < clock.now <= 86_400


def test_a_page_that_comes_ends_the_pauses(service: FaultyService, ask: Ask, clock: Clock) -> None:
    refusal = faults.fails("slow down", 429, Retry_After="0")
    service.on_page = {2: [refusal] * 3, 4: [refusal]}
    frame = dirframe.load_projects(directory=ask(service), wait=60, progress=False)
    assert list(frame["id"]) == numbered(55)
    assert [round(pause, 1) for pause in clock.slept] == [1, 2, 4, 1]


def test_the_threads_of_a_load_share_the_pause(service: FaultyService, ask: Ask) -> None:
    refuse = faults.fails("slow down", 429, Retry_After="0")

    def slowly(answer: Fault) -> Fault:  # threads begin with a page that has to be waited for
        def fault(exchange: Exchange) -> None:
            time.sleep(0.05)
            answer(exchange)

        return fault

    service.on_page[1] = [slowly(Exchange.answer)]
    service.always = slowly(refuse)
    with pytest.raises(QuotaExceededError):
        dirframe.load_projects(directory=ask(service, max_workers=4), wait=3.5, progress=False)
    # By four threads at once, after 1 s and 3 s by one of them; four may begin with other pages.
    assert len(service.asked) <= 1 + 4 + 2 + 4


def test_a_plan_says_the_price_that_is_then_paid(service: FaultyService, ask: Ask) -> None:
    directory = ask(service)
    price = dirframe.plan("projects", directory=directory)
    assert (price.pages, price.pages_cached, price.requests_used) == (6, 1, 1)
    load(directory)
    assert len(service.asked) == 1 + (price.requests_needed or 0) == 6
