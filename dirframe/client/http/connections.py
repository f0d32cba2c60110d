"""Connections that know whether a request was sent, and how fast its answer comes.

An attempt that never got a connection (no such host, refused, no TLS, no tunnel) is told from
one that was cut by what the connection did, not by what an error says.
"""

from __future__ import annotations

import http.client
import io
import threading
import time
from typing import TYPE_CHECKING, Any, Self

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

if TYPE_CHECKING:
    from types import TracebackType

    from dirframe.client.http.deadline import Deadline

__all__ = ["POOLS", "Attempt"]

_current = threading.local()


class Attempt:
    """One attempt of this thread to get an answer, as its connection sees it.

    Parameters
    ----------
    deadline
        Shuts the connection down.
    min_bytes_per_second
        An answer that comes slower than this is ended; 0 for no such bound.
    slow_time
        Seconds of waiting for bytes over which the rate is measured.

    Attributes
    ----------
    sent
        Whether the request began to go out on a connection that was ready for it.
    too_slow
        Whether the answer was ended because it came too slowly.
    rate
        Bytes a second that were measured last.
    """

    def __init__(
        self, deadline: Deadline, *, min_bytes_per_second: float = 0.0, slow_time: float = 30.0
    ) -> None:
        self.deadline = deadline
        self.min_bytes_per_second = min_bytes_per_second
        self.slow_time = slow_time
        self.sent = False
        self.too_slow = False
        self.rate = 0.0
        self._has_begun = False
        self._received = 0
        self._waited = 0.0

    def __enter__(self) -> Self:
        _current.attempt = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _current.attempt = None

    def count(self, size: int, seconds: float) -> None:
        """Note bytes and how long they were waited for; the first ones may take their time."""
        if self._has_begun:
            self._waited += seconds
        self._has_begun = True
        self._received += size

    def check_rate(self) -> None:
        """End an answer that is not complete yet and came too slowly.

        Raises
        ------
        TimeoutError
            If the rate over `slow_time` was too low.
        """
        if self._waited < self.slow_time or not self.min_bytes_per_second:
            return
        self.rate = self._received / self._waited
        if self.rate < self.min_bytes_per_second:
            self.too_slow = True
            raise TimeoutError
        self._received, self._waited = 0, 0.0


def _attempt() -> Attempt | None:
    attempt: Attempt | None = getattr(_current, "attempt", None)
    return attempt


class _MeteredReader(io.RawIOBase):
    """Reads from a socket and tells the attempt how much came."""

    def __init__(self, raw: io.RawIOBase, attempt: Attempt) -> None:
        self._raw, self._attempt = raw, attempt

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def readinto(self, buffer: Any) -> int | None:
        self._attempt.check_rate()
        begin = time.monotonic()
        size: int | None = self._raw.readinto(buffer)
        self._attempt.count(size or 0, time.monotonic() - begin)
        return size

    def close(self) -> None:
        try:
            self._raw.close()
        finally:
            super().close()


class _MeteredResponse(http.client.HTTPResponse):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        attempt = _attempt()
        if attempt is not None:
            self.fp = io.BufferedReader(_MeteredReader(self.fp.detach(), attempt))


class _Watched(HTTPConnection):
    response_class = _MeteredResponse

    def connect(self) -> None:
        self._show()
        super().connect()

    def request(self, *args: Any, **options: Any) -> None:
        self._show()
        super().request(*args, **options)

    def endheaders(self, *args: Any, **options: Any) -> None:
        if self.sock is None:
            self.connect()
        attempt = _attempt()
        if attempt is not None:
            attempt.sent = True
        super().endheaders(*args, **options)

    def _show(self) -> None:
        attempt = _attempt()
        if attempt is not None:
            attempt.deadline.connection = self


class _WatchedSecure(_Watched, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Watched


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _WatchedSecure


#: For `urllib3.PoolManager.pool_classes_by_scheme`.
POOLS = {"http": _Pool, "https": _SecurePool}
