"""A deadline holds whatever a server does; tests/faults/test_charges.py asks servers that trickle."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import requests
from requests.adapters import HTTPAdapter

from dirframe.client.http.connections import (
    DEADLINE_POOLS,
    Attempt,
    Deadline,
    trusted_certificates,
)
from dirframe.errors import ConfigurationError

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


def test_the_first_byte_may_take_its_time_and_the_others_may_not() -> None:
    attempt = Attempt(Deadline(60), min_bytes_per_second=100, slow_time=30)
    attempt.count(1, 1_000)
    attempt.check_rate()
    attempt.count(2_000, 31)
    with pytest.raises(TimeoutError):
        attempt.check_rate()
    assert attempt.too_slow


def test_the_rate_is_measured_anew_after_each_time() -> None:
    attempt = Attempt(Deadline(60), min_bytes_per_second=100, slow_time=30)
    for _ in range(3):
        attempt.count(4_000, 30)
        attempt.check_rate()
    assert not attempt.too_slow


def test_without_a_variable_the_usual_authorities_are_trusted() -> None:
    assert trusted_certificates({"SSL_CERT_FILE": ""}) is None


def test_a_path_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="CURL_CA_BUNDLE"):
        trusted_certificates({"CURL_CA_BUNDLE": "gone.pem", "SSL_CERT_FILE": "gone too"})
