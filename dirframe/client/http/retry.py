"""Retry policy: which requests are repeated, how often, and with which pauses."""

from __future__ import annotations

from dataclasses import dataclass

#: An overloaded or restarting server or gateway. 429 is not included: it refers to the quota of
#: the whole day.
_TEMPORARY = frozenset({502, 503, 504})


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
