"""The table of a statistic: its counts, its base and its provenance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe.schema import ALL_RESOURCES
from dirframe.stats.intervals import Shares, WeightedShares, with_intervals
from dirframe.stats.records import Frame, origin

_RESOURCES = {resource.collection: name for name, resource in ALL_RESOURCES.items()}

#: Why records are not in the figures, by the names of counts.
REASONS = {
    "projects_not_shown": "with a shorter life",
    "begun_after_as_of": "begun later",
    "without_analysis": "without an analysis",
    "without_language": "without a main language",
    "without_license": "without a licence",
    "without_tag": "without a tag",
    "created_at_missing": "without a date",
    "date_missing": "without a date",
    "breakdown_missing": "without a breakdown",
    "percentages_impossible": "with an impossible percentage",
    "end_unknown": "whose end is not known",
    "not_fetched_since": "not fetched since",
    "fetch_missing": "without a fetch date",
    "fetch_impossible": "with an impossible fetch date",
    "month_missing": "without a month",
    "months_reversed": "that ended before they began",
    "months_after_fetch": "with activity after the fetch",
    "class_missing": "of no class, or of one older than 30 days",
    "commits_invalid": "without valid commits",
    "contributors_invalid": "without valid contributors",
    "country_missing": "without a country",
    "country_unresolved": "with one that was not identified",
    "kudo_rank_missing": "without a kudo rank",
    "kudo_rank_impossible": "with an impossible kudo rank",
    "code_lines_missing": "without a code line count",
    "code_lines_negative": "with a negative code line count",
    "users_missing": "without a user count",
    "users_negative": "with a negative user count",
    "contributors_missing": "without a contributor count",
    "contributors_negative": "with a negative contributor count",
    "commits_missing": "without a commit count",
    "commits_negative": "with a negative commit count",
    "posts_missing": "without a post count",
    "posts_negative": "with a negative post count",
}


def left_out(counted: Mapping[str, int]) -> dict[str, int]:
    """Return how many records are left out for each of the reasons, each record once."""
    numbers = {reason: counted[reason] for reason in REASONS if counted.get(reason)}
    if "without_analysis" in numbers:  # these are without a language, for that reason
        numbers["without_language"] -= numbers["without_analysis"]
    return {reason: number for reason, number in numbers.items() if number}


@dataclass(frozen=True)
class Counts:
    """How many records a statistic had, which of them its figures are based on, and why not all."""

    collection: str  # what the records are called: projects, accounts, ...
    records: int  # all of them
    base: str  # the name of the number that the figures are based on
    which: str  # these records in words: "with a main language"
    numbers: Mapping[str, Any]  # by name; whole numbers of Python or numpy

    @property
    def counted(self) -> dict[str, int]:
        """The number of all records by their name, and the other numbers."""
        numbers = {name: int(number) for name, number in self.numbers.items()}
        return {self.collection: self.records} | numbers


def as_statistic(
    table: pd.DataFrame,
    name: str,
    *,
    source: Frame,
    counts: Counts,
    shares: Shares | WeightedShares | None = None,
) -> pd.DataFrame:
    """Give a table the provenance of its records, the name of the statistic, and its counts.

    Of a random sample, shares of records get the columns ``low`` and ``high``.
    """
    counted = counts.counted
    frame = origin(source)
    interval: dict[str, Any] = {}
    drawn = provenance.drawn_sample(frame, counts.records) if shares else None
    if isinstance(shares, WeightedShares) and drawn:
        interval = {"absent": provenance.NoInterval.WEIGHTED.value}
    elif isinstance(drawn, provenance.NoInterval):
        interval = {"absent": drawn.value}
    elif isinstance(shares, Shares) and isinstance(drawn, provenance.Drawn):
        table = with_intervals(table, shares, counts.collection, drawn)
        interval = {"confidence": float(shares.confidence)}
    provenance.copy_provenance(frame, table, name, records=False)
    return provenance.set_provenance(
        table,
        counted=counted,
        base={
            "collection": counts.collection,
            "records": counted[counts.base],
            "which": counts.which,
            "rows": len(table),
            "columns": list(table),
        },
        interval=interval,
        statistic={"name": name},
        resource=_RESOURCES.get(counts.collection, ""),
    )


def typed_table(columns: Mapping[str, tuple[str, Any]]) -> pd.DataFrame:
    """Return columns, each a dtype and its values, as a table, also where it has no row."""
    arrays = {name: pd.Series(v, dtype=dtype).array for name, (dtype, v) in columns.items()}
    return pd.DataFrame(arrays)
