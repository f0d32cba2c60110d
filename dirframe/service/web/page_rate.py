"""Rate limit of HTML pages per client address."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from typing import cast

from pyrate_limiter import Duration, Rate, RateItem
from pyrate_limiter.buckets import InMemoryBucket

from dirframe.errors import ConfigurationError
from dirframe.service.addresses import client_of, parse_address

#: Default limit in pages per minute and client address.
PAGE_RATE = 60

#: Maximum number of timestamps in memory, over all addresses.
_TIMESTAMPS = 200_000


class PageRate:
    """Rate limit per client address, in bounded memory.

    Parameters
    ----------
    per_minute
        Pages per minute; 0 for no limit.

    Raises
    ------
    ConfigurationError
        `per_minute` is negative.
    """

    def __init__(self, per_minute: int) -> None:
        if per_minute < 0:
            raise ConfigurationError(
                f"The page rate is {per_minute}; it must be 0 (no limit) or pages a minute."
            )
        self._per_minute = per_minute
        self._addresses = max(1, _TIMESTAMPS // max(1, per_minute))
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, InMemoryBucket] = OrderedDict()

    def acquire(self, address: str) -> int:
        """Count one page for a client.

        Parameters
        ----------
        address
            An IP address. An IPv6 /64 network counts as one client.

        Returns
        -------
        int
            0 if the page may be sent, otherwise the seconds to wait.
        """
        if not self._per_minute:
            return 0
        client = client_of(parse_address(address))
        with self._lock:
            bucket = self._buckets.pop(client, None)
            if bucket is None:
                bucket = InMemoryBucket([Rate(self._per_minute, Duration.MINUTE)])
            self._buckets[client] = bucket
            while len(self._buckets) > self._addresses:
                self._buckets.popitem(last=False)
            now: int = bucket.now()
            bucket.leak(now)
            item = RateItem("page", now)
            if bucket.put(item):
                return 0
            wait = cast("int", bucket.waiting(item))  # the in-memory bucket is synchronous
            return max(1, math.ceil(wait / 1000))
