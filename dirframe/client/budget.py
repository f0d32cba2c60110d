"""Whether the daily quota suffices for a load, and on how many days."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from dirframe.errors import QuotaExceededError, QuotaWarning, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dirframe.client.directory import Directory
    from dirframe.client.query import Policy

Key = TypeVar("Key")

_NO_COUNT = 1_000_000  # pages that no directory has: its count of records is wrong


def check_quota(
    client: Directory,
    policy: Policy,
    what: str,
    keys: Sequence[Key],
    is_cached: Callable[[Key], bool],
    *,
    more: int = 0,
) -> bool:
    """Warn if the quota does not suffice for pages today, and return whether it was said.

    Raises `QuotaExceededError` if the load would never end. `more` pages are estimated, and count
    as long as any other is missing.
    """
    quota = client.session.quota
    left, limit = quota.remaining(), quota.limit
    if len(keys) + more <= left or len(keys) > _NO_COUNT or policy.get("offline"):
        return False
    days = 1 if client.cache_folder is None else max(client.expire_after.days, 1)
    most = left + (days - 1) * limit
    needed = 0
    for key in keys:
        needed += policy.get("refresh", False) or not is_cached(key)
        if needed > most:  # enough to know
            needed = len(keys)
            break
    needed += more if needed else 0
    if needed <= left:
        return False
    text = (
        f"The {what} need about {needed:,} more requests, and {left:,} of {limit:,} are left today"
    )
    if needed > most:
        kept = f"Pages stay fresh for {days:,} days" if days > 1 else "Pages are not kept"
        raise QuotaExceededError(
            f"{text}. {kept}, so this load would never end, and it was not begun.",
            url=client.base_url,
            resets_at=quota.resets_at(),
            hint=(
                "dirframe.harvest (dirframe harvest) stores a collection over as many days as it "
                "takes; sample= (--sample-size) draws a part of it."
            ),
        )
    if not left:
        return False  # the next request says so
    calls = math.ceil((needed - left) / limit) + 1
    warn(
        QuotaWarning(
            f"{text}: run the same line on {calls:,} days. Pages that came are kept and cost nothing "
            "again.",
            hint="dirframe.harvest (dirframe harvest) does that, too, and keeps all pages in a file.",
        )
    )
    return True
