"""From settings to checked bytes: the cache is asked, else the directory."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from dirframe.client.http import cache as cache_module
from dirframe.client.http.client import CachePolicy
from dirframe.errors import (
    CacheError,
    DirframeError,
    InvalidInputError,
    ServiceError,
    StaleWarning,
)
from tests.client import Asked, Reply, Server, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from dirframe.client.directory import Directory
    from dirframe.client.http.client import Session

ONE = page_xml([record("1")], available=1, first=0)
PATH = "/projects.xml"


def test_the_address_is_the_same_in_whatever_order_one_asks(at: Callable[..., Directory]) -> None:
    session = at("http://127.0.0.1:9").session
    assert session.address(PATH, {}) == "http://127.0.0.1:9/projects.xml"
    one = session.address(PATH, {"sort": "id", "page": "2"})
    assert one == session.address(PATH, {"page": "2", "sort": "id"})
    assert one.endswith("?page=2&sort=id")


def test_an_answer_says_when_it_was_fetched_and_what_it_cost(at: Callable[..., Directory]) -> None:
    with Server(lambda _: ONE) as server:
        session = at(server).session
        before = datetime.now(UTC)
        first, second = session.get(PATH, {}), session.get(PATH, {})
        assert len(server.asked) == 1
    assert (first.attempts, first.from_cache) == (1, False)
    assert (second.attempts, second.from_cache) == (0, True)
    assert before <= first.retrieved == second.retrieved
    assert first.content == second.content == ONE
    assert first.url == second.url == f"{server.url}{PATH}"


def test_tries_and_redirects_are_paid_for(at: Callable[..., Directory]) -> None:
    def answer(asked: Asked) -> Reply | bytes:
        if len(server.asked) == 1:
            return Reply(status=503)
        if asked.path == PATH:
            return Reply(status=302, headers={"Location": "/p.xml"})
        return ONE

    with Server(answer) as server:
        answer_ = at(server, retries=2).session.get(PATH, {})
        assert answer_.attempts == len(server.asked) == 3


@pytest.fixture
def ahead(at: Callable[..., Directory], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Session]:
    """Fetch a page by a clock that is ahead, which is right afterwards."""

    def fetch(server: Server, difference: timedelta) -> Session:
        class Ahead(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # as asked for
                return datetime.now(tz) + difference

        session = at(server).session
        with monkeypatch.context() as patch:
            patch.setattr(cache_module, "datetime", Ahead)
            session.get(PATH, {})
            assert session.get(PATH, {}).from_cache
        return session

    return fetch


def test_a_clock_that_is_set_back_by_an_hour_costs_no_request(
    ahead: Callable[..., Session],
) -> None:
    with Server(lambda _: ONE) as server:
        assert ahead(server, timedelta(hours=1)).get(PATH, {}).from_cache
        assert len(server.asked) == 1


def test_a_page_dated_in_the_future_is_not_fresh_until_then(ahead: Callable[..., Session]) -> None:
    with Server(lambda _: ONE) as server:
        session = ahead(server, timedelta(days=400))
        with pytest.raises(CacheError, match="dated in the future"):
            session.get(PATH, {}, CachePolicy(offline=True))
        assert session.get(PATH, {}, CachePolicy(offline=True, stale=True)).from_cache
        assert not session.get(PATH, {}).from_cache
        assert session.get(PATH, {}).from_cache
        assert len(server.asked) == 2


def test_a_refresh_asks_the_directory_whatever_the_cache_has(at: Callable[..., Directory]) -> None:
    with Server(lambda _: ONE) as server:
        session = at(server).session
        session.get(PATH, {})
        assert session.get(PATH, {}, CachePolicy(refresh=True)).attempts == 1
        assert session.get(PATH, {}).attempts == 0
        assert len(server.asked) == 2


def test_offline_asks_the_cache_alone(at: Callable[..., Directory]) -> None:
    with Server(lambda _: ONE) as server:
        session = at(server).session
        with pytest.raises(CacheError, match="not in the cache"):
            session.get(PATH, {}, CachePolicy(offline=True))
        assert server.asked == []
        session.get(PATH, {})
        assert session.get(PATH, {}, CachePolicy(offline=True)).from_cache
        old = at(server, expire_after=timedelta(0)).session
        with pytest.raises(CacheError, match="stale=True"):
            old.get(PATH, {}, CachePolicy(offline=True))
        answer = old.get(PATH, {}, CachePolicy(offline=True, stale=True))
        with pytest.warns(StaleWarning):
            old.warn_if_stale([answer])
        assert len(server.asked) == 1


def test_without_a_cache_every_answer_is_paid_for(at: Callable[..., Directory]) -> None:
    with Server(lambda _: ONE) as server:
        session = at(server, cache_dir=None).session
        assert [session.get(PATH, {}).attempts for _ in range(2)] == [1, 1]
        assert not session.is_cached(PATH, {})


def test_has_tells_what_would_be_free(at: Callable[..., Directory]) -> None:
    with Server(lambda _: ONE) as server:
        session = at(server).session
        assert not session.is_cached(PATH, {"page": "1"})
        session.get(PATH, {"page": "1"})
        assert session.is_cached(PATH, {"page": "1"})
        assert not session.is_cached(PATH, {"page": "2"})
        assert not at(server, expire_after=timedelta(0)).session.is_cached(PATH, {"page": "1"})


def test_a_namespace_stands_for_the_address_in_the_cache(at: Callable[..., Directory]) -> None:
    with Server(lambda _: ONE) as one, Server(lambda _: ONE) as other:
        at(one, cache_namespace="sample-1").session.get(PATH, {})
        assert at(other, cache_namespace="sample-1").session.get(PATH, {}).from_cache
        assert not at(other, cache_namespace="sample-2").session.get(PATH, {}).from_cache
        assert not at(one).session.get(PATH, {}).from_cache


def test_addresses_with_unusual_characters_are_found_again(at: Callable[..., Directory]) -> None:
    with Server(lambda _: ONE) as server:
        for url in (f"{server.url}/a%20b", f"{server.url}/o'hara", f"{server.url}/münchen/~x"):
            session = at(url).session
            parameters = {"query": 'o\'hara "x" %27 ü ~ /?&=+#'}
            assert not session.get(PATH, parameters).from_cache
            assert session.get(PATH, parameters).from_cache
        assert len(server.asked) == 3
        assert {asked.query["query"] for asked in server.asked} == {'o\'hara "x" %27 ü ~ /?&=+#'}


def test_a_closed_session_can_be_asked_for_again(at: Callable[..., Directory]) -> None:
    with Server(lambda _: ONE) as server:
        directory = at(server)
        with directory:
            directory.session.get(PATH, {})
        assert directory.session.get(PATH, {}).from_cache


def test_a_request_in_flight_when_the_session_is_closed_opens_nothing_again(
    at: Callable[..., Directory], recwarn: pytest.WarningsRecorder
) -> None:
    arrived, may_answer = threading.Event(), threading.Event()

    def answer(_: Asked) -> bytes:
        arrived.set()
        assert may_answer.wait(60)
        return ONE

    with Server(answer) as server, ThreadPoolExecutor(1) as pool:
        session = at(server).session
        late = pool.submit(session.get, PATH, {})
        assert arrived.wait(60)
        session.close()
        may_answer.set()
        assert late.exception(60) is None
    assert session.cache._probe is None
    with pytest.raises(DirframeError, match="closed while it was used"):
        session.quota.remaining()
    assert not recwarn.list


def test_redirects_that_lead_nowhere_are_no_errors_of_another_library(
    at: Callable[..., Directory],
) -> None:
    with (
        Server(lambda asked: Reply(status=302, headers={"Location": asked.path})) as server,
        pytest.raises(ServiceError),
    ):
        at(server).session.get(PATH, {})


@pytest.mark.parametrize("other", ["offline", "stale"])
def test_asking_for_every_page_excludes_asking_the_cache(other: str) -> None:
    with pytest.raises(InvalidInputError, match="refresh"):
        CachePolicy(refresh=True, **{other: True})


def test_a_negative_wait_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="wait"):
        CachePolicy(wait=-1)


def test_pages_that_do_not_fit_are_asked_for_again_unless_offline() -> None:
    assert CachePolicy(stale=True, wait=3).for_retry() == CachePolicy(refresh=True, wait=3)
    offline = CachePolicy(offline=True)
    assert offline.for_retry() is offline
