"""How many pages one client address may read in a minute."""

from __future__ import annotations

import ipaddress
import math
import threading
from collections import OrderedDict
from typing import cast

from pyrate_limiter import Duration, Rate, RateItem
from pyrate_limiter.buckets import InMemoryBucket

from dirframe.errors import ConfigurationError

__all__ = ["PAGE_RATE", "PageRate"]

#: Pages a minute and client address, unless the operator says otherwise.
PAGE_RATE = 60

#: Timestamps that are kept at most, of all addresses together.
_TIMESTAMPS = 200_000


class PageRate:
    """A limit of pages a minute for each client address, in bounded memory.

    Parameters
    ----------
    per_minute
        Pages; 0 is no limit.

    Raises
    ------
    ConfigurationError
        `per_minute` is below 0.
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
            An IP address. Those of one IPv6 network of 64 bits are one client.

        Returns
        -------
        int
            0 if the page may be sent, and otherwise in how many seconds.
        """
        if not self._per_minute:
            return 0
        client = _client(address)
        with self._lock:
            bucket = self._buckets.pop(client, None)
            if bucket is None:
                bucket = InMemoryBucket([Rate(self._per_minute, Duration.MINUTE)])
            self._buckets[client] = bucket
            while len(self._buckets) > self._addresses:
                self._buckets.popitem(last=False)
            now: int = bucket.now()  # type: ignore[no-untyped-call]  # it has no types
            bucket.leak(now)
            item = RateItem("page", now)
            if bucket.put(item):
                return 0
            wait = cast("int", bucket.waiting(item))  # a bucket in memory has nothing to await
            return max(1, math.ceil(wait / 1000))


def _client(address: str) -> str:
    try:
        host = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(host, ipaddress.IPv6Address):
        if host.ipv4_mapped is not None:
            return str(host.ipv4_mapped)
        return str(ipaddress.ip_network((int(host), 64), strict=False))
    return str(host)
