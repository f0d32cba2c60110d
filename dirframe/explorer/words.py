"""Errors and warnings in the words of the explorer's own controls."""

from __future__ import annotations

import math

from dirframe._display import quantity
from dirframe.client.http.quota import Quota
from dirframe.errors import (
    AnalysesNotSentWarning,
    ColumnsNotSentError,
    DirframeError,
    DirframeWarning,
    IncompleteCollectionError,
    IncompleteWarning,
    NetworkError,
    OverQuotaWarning,
    QuotaExceededError,
    ServiceError,
    UnreadableResponseError,
)

WITH_ANALYSES = "With analyses"
_AGAIN = "Press Load again: what was received is in the cache, and only the rest is requested."
#: Errors after which the same load goes on.
_GO_ON = (
    QuotaExceededError,
    IncompleteCollectionError,
    NetworkError,
    ServiceError,
    UnreadableResponseError,
)


def error_words(error: Exception) -> str:
    """Return the words of an error; those of an unexpected one could hold the key."""
    if isinstance(error, ColumnsNotSentError):
        return f"{error.message} Tick {WITH_ANALYSES} and press Load: one request a project."
    if isinstance(error, IncompleteCollectionError) and error.order_fails:
        return f"{error.message} {_sort_words(error.better_sort)}"
    if isinstance(error, _GO_ON):
        return f"{error.message} {_advice(error)}"
    if isinstance(error, DirframeError | OSError):
        return str(error)
    return f"Unexpected: {type(error).__name__}. See explorer.error."


def _advice(error: DirframeError) -> str:
    """Return what helps after an error that ended a load."""
    if isinstance(error, IncompleteCollectionError) and not error.retry_helps:
        return "What was received is shown: leave out what the directory lacks."
    if isinstance(error, QuotaExceededError) and not error.retry_helps:
        return "Choose At most or a random sample, and press Load."
    return _AGAIN


def warning_words(warning: DirframeWarning) -> str:
    """Return the words of a warning."""
    if isinstance(warning, AnalysesNotSentWarning):
        price = quantity(warning.requests, "request")
        return (
            f"The analyses of the projects were not sent. Tick {WITH_ANALYSES} and press Load to "
            f"request them: at most {price}."
        )
    if isinstance(warning, IncompleteWarning) and warning.order_fails:
        return f"{warning.message} {_sort_words(warning.better_sort)}"
    return str(warning)


def _sort_words(better_sort: str | None) -> str:
    if better_sort is None:
        return "Choose another Sort."
    return f"Choose the Sort {better_sort}."


def quota_words(warning: OverQuotaWarning, quota: Quota) -> str:
    """Return the question before a load that needs more requests than are left today."""
    days = math.ceil((warning.needed - quota.left) / quota.limit) + 1
    return (
        f"This load needs about {quantity(warning.needed, 'more request')}; left today: {quota.left:,} "
        f"of {quota.limit:,}. It takes {quantity(days, 'day')}. Press Load again to use today's quota "
        "for it. Received pages stay in the cache: press Load on the next days for the rest. A sample "
        "costs less."
    )
