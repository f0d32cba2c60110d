"""Bounds in time: a deadline holds whatever a server does, and retries end."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3.response import HTTPResponse

from dirframe.client.http.deadline import BoundedRetry, Deadline
from dirframe.client.http.connections import POOLS, Attempt

if TYPE_CHECKING:
    from collections.abc import Iterator


class Watched(HTTPAdapter):
    def init_poolmanager(self, *args: object, **options: object) -> None:
        super().init_poolmanager(*args, **options)  # type: ignore[arg-type]  # handed on
        self.poolmanager.pool_classes_by_scheme = POOLS


@contextmanager
def dripping(start: bytes, drip: bytes) -> Iterator[str]:
    """Serve one connection that never ends: a start, then a drip every 50 ms."""
    listener = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(start)
            while not done.wait(0.05):
                try:
                    connection.sendall(drip)
                except OSError:
                    return

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        done.set()
        thread.join()
        listener.close()


@pytest.mark.parametrize(
    ("start", "drip"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"b"),
    ],
    ids=["in the headers", "in the body"],
)
def test_a_server_that_drips_meets_the_deadline(start: bytes, drip: bytes) -> None:
    with dripping(start, drip) as url, requests.Session() as session:
        session.mount("http://", Watched())
        began = time.monotonic()
        # Headers that end early are taken for a whole answer: whoever asks looks at `passed`.
        with (
            Deadline(0.4) as deadline,
            Attempt(deadline),
            suppress(requests.RequestException),
        ):
            _ = session.get(url, timeout=30).content
        assert deadline.passed
        assert time.monotonic() - began < 15


def answer(status: int, **headers: str) -> HTTPResponse:
    return HTTPResponse(b"", status=status, headers=headers)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr("dirframe.client.http.deadline.time.sleep", pauses.append)
    return pauses


def test_a_pause_within_the_bound_is_kept(slept: list[float]) -> None:
    retry = BoundedRetry(total=2, status_forcelist=(503,), retry_after_max=30)
    following = retry.pause(Deadline(60), answer(503, **{"Retry-After": "7"}))
    assert following is not None
    assert following.total == 1
    assert slept == [7]


def test_pauses_grow_and_tries_end(slept: list[float]) -> None:
    retry: BoundedRetry | None = BoundedRetry(total=4, backoff_factor=0.5, retry_after_max=30)
    tries = 0
    while retry is not None:
        retry, tries = retry.pause(Deadline(60)), tries + 1
    assert tries == 5
    assert slept == [1.0, 2.0, 4.0]  # the second try comes at once


def test_a_pause_beyond_the_bound_ends_the_tries_at_once(slept: list[float]) -> None:
    retry = BoundedRetry(total=5, status_forcelist=(503,), retry_after_max=30)
    assert retry.pause(Deadline(9_000), answer(503, **{"Retry-After": "3600"})) is None
    assert slept == []


def test_tries_end_with_the_deadline(slept: list[float]) -> None:
    retry = BoundedRetry(total=5, status_forcelist=(503,), retry_after_max=30)
    assert retry.pause(Deadline(1.0), answer(503, **{"Retry-After": "5"})) is None
    assert slept == []


def test_an_exhausted_allowance_is_never_tried_again() -> None:
    retry = BoundedRetry(total=5, status_forcelist=(502, 503, 504))
    assert not retry.is_retry("GET", 429, has_retry_after=True)
    assert retry.is_retry("GET", 503, has_retry_after=True)
