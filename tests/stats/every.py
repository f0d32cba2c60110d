"""Every statistic of accounts or projects, for the tests that go over all of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dirframe import stats

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

#: Of one project: its months and its contributors are no records that the rules know.
OF_ONE_PROJECT = {
    *("commit_concentration", "commits_by_contributor"),
    *("growth_curve", "growth_fit", "monthly_activity"),
}
OF_RECORDS = sorted({*stats.__all__} - OF_ONE_PROJECT)

#: What holds for any number of bootstrap samples is tested with few.
FEW_SAMPLES: dict[str, dict[str, Any]] = {
    "correlation": {"resamples": 100},
    "intervals": {"resamples": 100},
}


def collection_of(name: str) -> str:
    return "accounts" if "accounts" in name or "posts" in name else "projects"


def quick(name: str) -> Callable[..., pd.DataFrame]:
    """Return a statistic, with few bootstrap samples if it takes any."""
    return partial(getattr(stats, name), **FEW_SAMPLES.get(name, {}))
