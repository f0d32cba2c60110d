"""Which attempts are repeated, how often, and after which pause."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RetryPolicy"]

#: A server, or one on the way to it, that is overloaded or restarts. 429 is not among them: it
#: speaks of the whole day.
_TEMPORARY = frozenset({502, 503, 504})


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """Repeat after interruptions and 502, 503, 504, with growing pauses.

    Parameters
    ----------
    retries
        Attempts after the first one, at most.
    backoff
        Seconds: the second retry waits twice as long, each later one twice as long as the one
        before it. The first retry goes out at once.
    max_pause
        Seconds that a pause may last. One that the server asks for (Retry-After) is kept if it is
        not longer; otherwise there is no further attempt.
    """

    retries: int
    backoff: float
    max_pause: float

    def is_temporary(self, status: int) -> bool:
        """Whether a response of this HTTP status code may be better next time."""
        return status in _TEMPORARY

    def pause(self, attempts: int, retry_after: float | None = None) -> float | None:
        """Return the seconds to wait before the next attempt.

        Parameters
        ----------
        attempts
            How many were made.
        retry_after
            Seconds that the server asks for.

        Returns
        -------
        float or None
            None if there is to be no further attempt.
        """
        if attempts > self.retries:
            return None
        if retry_after:
            return retry_after if retry_after <= self.max_pause else None
        exponent = min(attempts - 1, 64)  # far beyond any pause, and still a float
        return min(self.backoff * 2.0**exponent, self.max_pause) if exponent else 0.0
