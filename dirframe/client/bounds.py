"""Bounds in time for one exchange: retries that end, and a deadline that holds.

The timeouts of requests hold for each reading from the socket. A server that sends one byte
a minute never meets them, not even in the headers, so a watch shuts the socket down when the
whole exchange has taken too long. Retries count as requests and end with the deadline too.

What stays out: what is sent, and the size of what comes back.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import TYPE_CHECKING, Any, Self

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError
from urllib3.util import Retry

from dirframe.client.answers import seconds_to_wait

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from urllib3.response import BaseHTTPResponse

__all__ = ["POOLS", "BoundedRetry", "Deadline"]

_running = threading.local()


class Deadline:
    """Shut the connection of this thread down when an exchange takes too long.

    Parameters
    ----------
    seconds
        How long the exchange may take.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.passed = False
        self.connection: HTTPConnection | None = None
        self.end = time.monotonic() + seconds

    def __enter__(self) -> Self:
        _running.deadline = self
        _watch.add(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _watch.remove(self)
        _running.deadline = None

    def allows(self, pause: float) -> bool:
        """Tell whether there is time for a pause and another try."""
        return time.monotonic() + pause < self.end

    def shut(self) -> None:
        """End the exchange."""
        self.passed = True
        opened = self.connection.sock if self.connection is not None else None
        if opened is not None:
            with contextlib.suppress(OSError):  # closed in the meantime
                opened.shutdown(socket.SHUT_RDWR)


class _Watch:
    """One thread for all deadlines of the process; a thread for each would cost more than it."""

    def __init__(self) -> None:
        self._deadlines: set[Deadline] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._next = 0.0

    def add(self, deadline: Deadline) -> None:
        with self._changed:
            self._deadlines.add(deadline)
            if self._thread is None or not self._thread.is_alive():  # a fork has no threads
                self._thread = threading.Thread(
                    target=self._run, name="dirframe deadlines", daemon=True
                )
                self._thread.start()
            elif deadline.end < self._next:
                self._changed.notify()

    def remove(self, deadline: Deadline) -> None:
        with self._changed:
            self._deadlines.discard(deadline)

    def _run(self) -> None:
        with self._changed:
            while self._deadlines:
                now = time.monotonic()
                for deadline in [one for one in self._deadlines if one.end <= now]:
                    self._deadlines.discard(deadline)
                    deadline.shut()
                # Deadlines that were kept do not wake it: it looks again when the first that it
                # knew of would have passed.
                self._next = min((one.end for one in self._deadlines), default=now)
                self._changed.wait(max(self._next - now, 0.0))
            self._thread = None


_watch = _Watch()


class _Watched(HTTPConnection):
    def request(self, *args: Any, **options: Any) -> None:
        deadline: Deadline | None = getattr(_running, "deadline", None)
        if deadline is not None:
            deadline.connection = self
        super().request(*args, **options)


class _WatchedSecure(HTTPSConnection, _Watched):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Watched


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _WatchedSecure


#: For `urllib3.PoolManager.pool_classes_by_scheme`.
POOLS = {"http": _Pool, "https": _SecurePool}


class BoundedRetry(Retry):
    """Try again after interruptions and 502, 503, 504, while the deadline allows it.

    A pause that the server asks for (Retry-After) is kept if it is not longer than the bound;
    otherwise there is no further try, nor is there if `before_retry` returns False. 429 is not tried again: it speaks of the whole day.
    """

    RETRY_AFTER_STATUS_CODES = frozenset({503})

    def __init__(
        self, *args: Any, before_retry: Callable[[], object] = lambda: None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.before_retry = before_retry

    def new(self, **changes: Any) -> Self:
        """Return a copy with changes, as urllib3 asks for one after each try."""
        return super().new(before_retry=self.before_retry, **changes)

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        """Read Retry-After; what is neither a number nor a date counts as absent."""
        return seconds_to_wait(response.headers)

    def increment(self, *args: Any, **facts: Any) -> Self:
        """Note a failed try; raise when there is to be no other one."""
        response = facts.get("response", args[2] if len(args) > 2 else None)
        asked = self.get_retry_after(response) if response is not None else None
        pause = asked or self.get_backoff_time()
        deadline: Deadline | None = getattr(_running, "deadline", None)
        late = deadline is not None and not deadline.allows(pause)
        if late or pause > self.retry_after_max:
            return self._no_more(*args, **facts)
        following = super().increment(*args, **facts)
        if isinstance(facts.get("error"), (ConnectTimeoutError, NewConnectionError)):
            return following  # the request never arrived: this is still the same one
        return self._no_more(*args, **facts) if self.before_retry() is False else following

    def _no_more(self, *args: Any, **facts: Any) -> Self:
        return super(BoundedRetry, self.new(total=0)).increment(*args, **facts)
