"""Bounds in time for one exchange: a deadline that holds, and retries that end.

The timeouts of requests hold for each reading from the socket. A server that sends one byte
a minute never meets them, not even in the headers, so a watch shuts the socket down when the
whole exchange has taken too long.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import TYPE_CHECKING, Self

from urllib3.exceptions import MaxRetryError, ProtocolError
from urllib3.util import Retry

from dirframe.client.http.responses import seconds_to_wait

if TYPE_CHECKING:
    from types import TracebackType

    from urllib3.connection import HTTPConnection
    from urllib3.response import BaseHTTPResponse

__all__ = ["BoundedRetry", "Deadline"]


class Deadline:
    """Shut the `connection` of an exchange down when the whole takes too long.

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
        _watch.add(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _watch.remove(self)

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


class BoundedRetry(Retry):
    """Try again after interruptions and 502, 503, 504, while the deadline allows it.

    A pause that the server asks for (Retry-After) is kept if it is not longer than the bound;
    otherwise there is no further try. 429 is not tried again: it speaks of the whole day.
    """

    RETRY_AFTER_STATUS_CODES = frozenset({503})

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        """Read Retry-After; what is neither a number nor a date counts as absent."""
        return seconds_to_wait(response.headers)

    def pause(self, deadline: Deadline, response: BaseHTTPResponse | None = None) -> Self | None:
        """Sleep until the next try is due.

        Parameters
        ----------
        deadline
            When the exchange must have ended.
        response
            The answer that asks for another try; None after an interruption.

        Returns
        -------
        BoundedRetry or None
            The tries that are left; None if there is to be no other one.
        """
        interruption = ProtocolError() if response is None else None
        try:
            following = self.increment("GET", response=response, error=interruption)
        except MaxRetryError:
            return None
        asked = None if response is None else self.get_retry_after(response)
        seconds = asked or following.get_backoff_time()
        if seconds > self.retry_after_max or not deadline.allows(seconds):
            return None
        if seconds:
            time.sleep(seconds)
        return following
