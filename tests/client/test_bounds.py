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
from urllib3.exceptions import MaxRetryError
from urllib3.response import HTTPResponse

from dirframe.client.bounds import POOLS, BoundedRetry, Deadline

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
        with Deadline(0.4) as deadline, suppress(requests.RequestException):
            _ = session.get(url, timeout=30).content
        assert deadline.passed
        assert time.monotonic() - began < 15


def answer(status: int, **headers: str) -> HTTPResponse:
    return HTTPResponse(b"", status=status, headers=headers)


def test_a_pause_within_the_bound_is_kept_and_counted() -> None:
    counted: list[int] = []
    retry = BoundedRetry(
        total=2, status_forcelist=(503,), retry_after_max=30, before_retry=lambda: counted.append(1)
    )
    following = retry.increment("GET", "/", answer(503, **{"Retry-After": "7"}))
    assert following.total == 1
    assert following.get_retry_after(answer(503, **{"Retry-After": "7"})) == 7
    assert counted == [1]


def test_a_pause_beyond_the_bound_ends_the_tries_at_once() -> None:
    retry = BoundedRetry(total=5, status_forcelist=(503,), retry_after_max=30)
    with pytest.raises(MaxRetryError):
        retry.increment("GET", "/", answer(503, **{"Retry-After": "3600"}))


def test_tries_end_with_the_deadline() -> None:
    retry = BoundedRetry(total=5, status_forcelist=(503,), retry_after_max=30)
    with Deadline(1.0), pytest.raises(MaxRetryError):
        retry.increment("GET", "/", answer(503, **{"Retry-After": "5"}))


def test_an_exhausted_allowance_is_never_tried_again() -> None:
    retry = BoundedRetry(total=5, status_forcelist=(502, 503, 504))
    assert not retry.is_retry("GET", 429, has_retry_after=True)
    assert retry.is_retry("GET", 503, has_retry_after=True)
