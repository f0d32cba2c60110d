"""Retry policy: which requests are repeated, how often, and with which pauses."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dirframe.errors import QuotaExceededError


#: An overloaded or restarting server or gateway. 429 is not included: it refers to the quota of
#: the whole day.
_TEMPORARY = frozenset({502, 503, 504})

#: Seconds: the pause after the first refusal over the quota, and the longest after repeated ones.
_FIRST = 1.0
_LONGEST = 900.0


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """Retry after interruptions and 502, 503, 504, with exponential backoff.

    Parameters
    ----------
    retries
        Maximum number of attempts after the first one.
    backoff
        Seconds: the second retry waits twice as long, each later one twice as long as the one
        before it. The first retry is sent immediately.
    max_pause
        Maximum pause in seconds. A pause requested by the server (Retry-After) is respected if it
        is not longer; otherwise there is no further attempt.
    """

    retries: int
    backoff: float
    max_pause: float

    def is_temporary(self, status: int) -> bool:
        """Whether a response with this HTTP status code may be temporary."""
        return status in _TEMPORARY

    def pause(self, attempts: int, retry_after: float | None = None) -> float | None:
        """Return the seconds to wait before the next attempt.

        Parameters
        ----------
        attempts
            Number of attempts so far.
        retry_after
            Seconds requested by the server.

        Returns
        -------
        float or None
            Seconds; None if there is no further attempt.
        """
        if attempts > self.retries:
            return None
        if retry_after:
            return retry_after if retry_after <= self.max_pause else None
        exponent = min(attempts - 1, 64)  # larger than any pause, and still a float
        return min(self.backoff * 2.0**exponent, self.max_pause) if exponent else 0.0


class QuotaWait:
    """The pause that the threads of a session share while the directory refuses requests.

    A directory may say that its quota is back although it is not, and a clock that is ahead makes
    every date of Retry-After a past one. So each refusal in a row doubles the shortest pause. After
    a pause one request is sent alone, and the others wait for its response.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._probe = threading.Lock()
        self._refusals = 0
        self._until = 0.0

    @contextmanager
    def turn(self, deadline: float, refusal: QuotaExceededError | None = None) -> Iterator[int]:
        """Wait until a request may be sent, and send it in the block.

        Parameters
        ----------
        deadline
            Monotonic time. A pause that ends later is not waited for.
        refusal
            The error of the previous attempt, raised if the pause is too long by now.

        Yields
        ------
        int
            Number of refusals in a row so far, for `note_refusal` and `note_success`.
        """
        while self._refusals and self._until <= deadline:
            pause = self._until - time.monotonic()
            if pause > 0:
                time.sleep(pause)
                continue
            with self._probe:
                if self._refusals and self._until <= time.monotonic():
                    yield self._refusals
                    return
        refusals = self._refusals
        if refusals and refusal is not None:
            raise refusal
        yield refusals

    def note_refusal(self, refusals: int, seconds: float) -> float:
        """Return the seconds to wait after a refusal by the directory.

        Parameters
        ----------
        refusals
            What `turn` yielded: requests sent at the same time are refused once.
        seconds
            Time until the reset, according to the directory.
        """
        # One second more, so that the quota is certainly reset.
        pause = seconds + _FIRST
        with self._lock:
            if refusals == self._refusals:
                self._refusals += 1
                doubled = _FIRST * 2.0 ** min(self._refusals - 1, 64)
                pause = max(pause, min(doubled, _LONGEST))
            self._until = max(self._until, time.monotonic() + pause)
            return self._until - time.monotonic()

    def note_success(self, refusals: int) -> None:
        """End the pauses, unless a later request was refused."""
        with self._lock:
            if refusals == self._refusals:
                self._refusals, self._until = 0, 0.0
