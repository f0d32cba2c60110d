"""A time limit for a whole exchange."""

# The timeouts of requests apply to each read from the socket. A server that sends one byte a minute
# never exceeds them, not even in the headers. So no read, and no connection, may wait longer than
# is left of the whole exchange.

from __future__ import annotations

import time


class Deadline:
    """The time by which an exchange has to end.

    Parameters
    ----------
    seconds
        Maximum duration of the exchange.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        """Whether the time is up."""
        return not self.allows(0.0)

    def allows(self, pause: float) -> bool:
        """Return whether there is time for a pause and another attempt."""
        return time.monotonic() + pause < self._end

    def bound(self, timeout: float | None) -> float:
        """Return a timeout that does not exceed the time left.

        Raises
        ------
        TimeoutError
            If no time is left.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left if timeout is None else min(timeout, left)
