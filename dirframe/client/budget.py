"""Compare what a load needs with the daily quota, before it is paid."""

from __future__ import annotations

import math

from dirframe._display import quantity
from dirframe.client.directory import Directory
from dirframe.client.paging.fetch import CacheUse
from dirframe.errors import OverQuotaWarning, QuotaExceededError, warn


def check_quota(
    client: Directory, use: CacheUse, what: str, needed: int, *, accepts_parts: bool
) -> None:
    """Warn if the quota does not suffice for the requests of a load; raise if it would never end.

    A refresh of which a part is accepted ends with the quota.
    """
    quota = client.quota()
    left, limit = quota.left, quota.limit
    if needed <= left or not use.sends:
        return
    days_fresh = client.expire_after.days if client.cache_folder else 0
    # With more, the load would never end: pages expire, or are refreshed, before the last one.
    payable = left if use.is_refresh else left + max(days_fresh - 1, 0) * limit
    text = f"The {what} need about {quantity(needed, 'more request')}; left today: {left:,} of {limit:,}"
    hint = (
        "dirframe.harvest (dirframe harvest) stores a collection over as many days as it takes; "
        "sample= (--sample) draws a part of it."
    )
    if needed > payable and not (use.is_refresh and accepts_parts):
        if use.is_refresh:
            reason = "refresh=True (--refresh) requests every page again each time"
            hint = (
                "Leave refresh=True (--refresh) out: fresh pages then come from the cache, and the "
                f"others are requested over several days. {hint}"
            )
        elif client.cache_folder:
            reason = f"Pages stay fresh for {quantity(days_fresh, 'day')}"
        else:
            reason = "Without a cache no page is stored"
        text += f". {reason}, so this load would never finish; it was not started."
        raise QuotaExceededError(
            text,
            hint=hint,
            url=client.base_url,
            resets_at=quota.resets_at,
            retry_helps=False,
        )
    if left:  # otherwise the next request says so
        days = math.ceil((needed - left) / limit) + 1
        text += f": run it on {days:,} days. Received pages are cached and cost nothing again."
        warn(OverQuotaWarning(text, hint=hint, needed=needed))
