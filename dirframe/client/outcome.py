"""What a load says: that it needs several days, and what is missing, ignored or was not sent."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from dirframe.client.order import better_sort
from dirframe.errors import (
    AnalysesNotSentWarning,
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    QuotaExceededError,
    QuotaWarning,
    SortIgnoredWarning,
    warn,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from dirframe.client.directory import Directory
    from dirframe.client.query import Policy, Query

Incomplete = Literal["raise", "warn"]

Key = TypeVar("Key")

_NO_COUNT = 1_000_000  # pages that no directory has: its count of records is wrong
_ACCEPT = 'incomplete="warn" (--incomplete warn) accepts the partial result.'


def check_incomplete(incomplete: object) -> None:
    """Raise `InvalidInputError` if the option has no valid value."""
    if incomplete not in get_args(Incomplete):
        raise InvalidInputError(f'incomplete is {incomplete!r}; it must be "raise" or "warn".')


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
            hint="dirframe.harvest (dirframe harvest) stores a collection over as many days as it "
            "takes; sample= (--sample-size) draws a part of it.",
        )
    if not left:
        return False  # the next request says so
    calls = math.ceil((needed - left) / limit) + 1
    warn(
        QuotaWarning(
            f"{text}: run the same line on {calls:,} days. Pages that came are kept and cost nothing "
            "again.",
            hint="dirframe.harvest (dirframe harvest) does that, too, and keeps all pages in a "
            "file.",
        )
    )
    return True


def raise_or_warn(
    incomplete: Incomplete, frame: pd.DataFrame, message: str, why: str, **facts: Any
) -> None:
    """Raise or warn that records of a frame are missing, as the option says."""
    if incomplete == "raise":
        raise IncompleteCollectionError(message, frame=frame, missing=why, **facts)
    warn(IncompleteWarning(message, **facts))


def explain_stopped(what: str, why: str) -> dict[str, str]:
    """Return the message and the advice for a load that a callback stopped."""
    return {
        "message": f"The load of the {what} is not complete: {why}.",
        "hint": "The same load again continues from there; pages in the cache cost nothing.",
    }


def explain_lost(what: str, why: str) -> dict[str, str]:
    """Return the message and the advice for own pages that did not come."""
    return {
        "message": f"The {what} were loaded, but {why}. Their rows are those of the collection.",
        "hint": 'incomplete="warn" (--incomplete warn) continues without them. The cache remembers '
        "these refusals as long as it keeps pages fresh; refresh=True (--refresh) requests "
        "everything again.",
    }


def explain_order(what: str, why: str, query: Query) -> dict[str, Any]:
    """Return the message, the advice and the facts for an order that does not hold."""
    order = f"The order of sort={query.sort!r}" if query.sort else "The directory's own order"
    better = better_sort(query)
    say = "There is no sort that is known to hold instead."
    if better is not None:
        say = f"sort={better!r} (--sort {better}) holds on today's live service;"
    return {
        "message": f"The {what} are not complete: {why}. {order} does not hold: records come again "
        "on other pages, and others on none. All that were received are kept; to ask again does not "
        "help.",
        "hint": f"{say} {_ACCEPT}",
        "order_fails": True,
        "better_sort": better,
    }


def explain_changed(what: str, why: str) -> dict[str, str]:
    """Return the message and the advice for a collection that could not be proven complete."""
    return {
        "message": f"The {what} could not be proven complete: {why}. The collection probably changed "
        "while it was read.",
        "hint": "Run the same line again (pages in the cache cost nothing; refresh=True (--refresh) "
        f"asks for all of them), or choose another sort (--sort); {_ACCEPT}",
    }


def warn_sort_ignored(sort: str, what: str) -> None:
    """Warn that records did not come in the order that was requested."""
    warn(
        SortIgnoredWarning(
            f"The {what} are not sorted by {sort}: the directory ignored it, so provenance does "
            "not state it.",
            sort=sort,
            hint="Sort the frame, or choose another sort (--sort).",
        )
    )


def analyses_not_sent(records: int, needed: int) -> AnalysesNotSentWarning:
    """Return the warning that projects came without their analyses, with the price of these."""
    price = f"for at most {needed:,} {'request' if needed == 1 else 'requests'}"
    return AnalysesNotSentWarning(
        f"{needed:,} of {records:,} projects have an analysis, but none was sent with it: this "
        "directory sends an analysis only with the own page of its project. The columns of the "
        "analysis are empty for that reason.",
        requests=needed,
        hint=f"details=True (--details) requests these pages, {price}; dirframe.plan(..., "
        "details=True) (dirframe plan projects --details) estimates their number.",
    )
