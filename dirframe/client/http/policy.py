"""How one load may use the cache and the day's allowance.

What stays out: doing it (`dirframe.client.http.client`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from dirframe.errors import InvalidInputError

__all__ = ["Manner"]


@dataclass(frozen=True, kw_only=True)
class Manner:
    """How one load may use the cache and the day's allowance.

    Parameters
    ----------
    refresh
        Ask the directory for every page, whatever the cache has.
    offline
        Ask the cache alone.
    stale
        Take cached pages whatever their age, with a warning that names it.
    wait
        Seconds that the load may sleep until the allowance comes back.
    keep
        Store what comes in the cache.
    """

    refresh: bool = False
    offline: bool = False
    stale: bool = False
    wait: float = 0.0
    keep: bool = True

    def __post_init__(self) -> None:
        if self.refresh and (self.offline or self.stale):
            raise InvalidInputError(
                "refresh=True asks the directory for every page; it cannot go together with "
                "offline=True or stale=True, which ask the cache."
            )
        if self.wait < 0:
            raise InvalidInputError(f"wait is {self.wait}; it must be a number of seconds from 0.")

    def again(self) -> Self:
        """Return the manner for pages that do not fit: fresh ones, unless offline."""
        return self if self.offline else type(self)(refresh=True, wait=self.wait, keep=self.keep)
