"""A deadline holds whatever a server does."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import requests
from requests.adapters import HTTPAdapter

from dirframe.client.http.connections import DEADLINE_POOLS, Attempt
from dirframe.client.http.deadline import Deadline

if TYPE_CHECKING:
    from collections.abc import Iterator


class Watched(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = DEADLINE_POOLS


@contextmanager
def dripping(start: bytes, drip: bytes, scheme: str) -> Iterator[str]:
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
        yield f"{scheme}://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        done.set()
        thread.join()
        listener.close()


@pytest.mark.parametrize(
    ("start", "drip", "scheme"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a", "http"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"b", "http"),
        (b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc\x03\x03", b"c", "https"),  # a ServerHello
    ],
    ids=["in the headers", "in the body", "in the handshake"],
)
def test_a_server_that_drips_meets_the_deadline(start: bytes, drip: bytes, scheme: str) -> None:
    with dripping(start, drip, scheme) as url, requests.Session() as session:
        session.mount(f"{scheme}://", Watched())
        began = time.monotonic()
        deadline = Deadline(0.4)
        with Attempt(deadline), pytest.raises(requests.RequestException):
            _ = session.get(url, timeout=30).content
        assert deadline.passed
        assert time.monotonic() - began < 15
