"""A time limit for a whole exchange.

The timeouts of requests hold for each reading from the socket. A server that sends one byte a
minute never meets them, not even in the headers, so a thread shuts the socket down when the whole
exchange has taken too long.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from urllib3.connection import HTTPConnection

__all__ = ["Deadline"]


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
                for deadline in [d for d in self._deadlines if d.end <= now]:
                    self._deadlines.discard(deadline)
                    deadline.shut()
                # Deadlines that were kept do not wake it: it looks again when the first that it
                # knew of would have passed.
                self._next = min((deadline.end for deadline in self._deadlines), default=now)
                self._changed.wait(max(self._next - now, 0.0))
            self._thread = None


_watch = _Watch()
