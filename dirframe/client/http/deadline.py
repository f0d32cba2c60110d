"""A time limit for a whole exchange."""

# The timeouts of requests apply to each read from the socket. A server that sends one byte a minute
# never exceeds them, not even in the headers. So a thread shuts the socket down when the whole
# exchange has taken too long.

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from urllib3.connection import HTTPConnection

__all__ = ["Deadline", "end_idle_watch"]


class Deadline:
    """Shut down the `connection` of an exchange that takes too long.

    Parameters
    ----------
    seconds
        Maximum duration of the exchange.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.passed = False
        self.connection: HTTPConnection | None = None
        self.end = time.monotonic() + seconds

    def __enter__(self) -> Self:
        _watch.add(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        _watch.remove(self)

    def allows(self, pause: float) -> bool:
        """Return whether there is time for a pause and another attempt."""
        return time.monotonic() + pause < self.end

    def shut(self) -> None:
        """End the exchange."""
        self.passed = True
        opened = self.connection.sock if self.connection is not None else None
        if opened is not None:
            with contextlib.suppress(OSError):  # closed in the meantime
                opened.shutdown(socket.SHUT_RDWR)


class _Watch:
    """One thread for all deadlines of the process; a thread for each would be too expensive."""

    def __init__(self) -> None:
        self._deadlines: set[Deadline] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._next = 0.0

    def add(self, deadline: Deadline) -> None:
        with self._changed:
            self._deadlines.add(deadline)
            if self._thread is None or not self._thread.is_alive():  # threads end with a fork
                self._thread = threading.Thread(
                    target=self._run, name="dirframe deadlines", daemon=True
                )
                self._thread.start()
            elif deadline.end < self._next:
                self._changed.notify()

    def remove(self, deadline: Deadline) -> None:
        with self._changed:
            self._deadlines.discard(deadline)

    def end_if_idle(self) -> None:
        """End the thread if there is no deadline."""
        with self._changed:
            thread = self._thread if not self._deadlines else None
            self._changed.notify()
        if thread is not None:
            thread.join(timeout=1.0)

    def _run(self) -> None:
        with self._changed:
            while self._deadlines:
                now = time.monotonic()
                for deadline in [d for d in self._deadlines if d.end <= now]:
                    self._deadlines.discard(deadline)
                    deadline.shut()
                # Deadlines that were met do not wake it: it checks again when the first one
                # it knew of would have passed.
                self._next = min((deadline.end for deadline in self._deadlines), default=now)
                self._changed.wait(max(self._next - now, 0.0))
            self._thread = None


_watch = _Watch()


def end_idle_watch() -> None:
    """End the thread that watches deadlines, if no exchange is under way."""
    _watch.end_if_idle()
