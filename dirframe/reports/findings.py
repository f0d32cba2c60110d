"""Findings of a report: sentences that are read from the tables of statistics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dirframe import provenance, stats
from dirframe._display import percent, quantity
from dirframe.charts import STATISTICS
from dirframe.errors import MissingColumnsError
from dirframe.schema import Resource
from dirframe.stats.distributions import at_most
from dirframe.stats.intervals import CONFIDENCE, wilson

#: What is said of figures of a random sample without an interval.
_OF_SAMPLE = "a figure of the sample, without an interval for the directory"
_NAMED = 3  # of the most frequent
_FEW = 10  # with fewer projects, "the top 10%" would be less than one


@dataclass(frozen=True)
class Base:
    """The records that the figures of a statistic are based on, and all records of the frame."""

    records: int
    which: str  # "with a main language"
    total: int
    words: tuple[str, str]  # project, projects

    def __str__(self) -> str:
        if self.records == self.total:
            return f"{quantity(self.records, *self.words)} {self.which}"
        return f"{self.records:,} of {quantity(self.total, *self.words)} {self.which}"


#: What makes the sentence of the table of a statistic; empty if there is nothing to say.
_Describe = Callable[[pd.DataFrame, Base], str]


def findings(frame: pd.DataFrame, resource: Resource) -> list[str]:
    """State what the statistics of projects or accounts show, in sentences.

    Statistics whose columns the frame lacks are named at the end.
    """
    if frame.empty:
        return [_nothing(frame, resource)]
    sentences = [estimate] if (estimate := _estimate(frame, resource)) else []
    omitted: list[str] = []
    for name, describe in _SENTENCES.items():
        if STATISTICS[name].collection != resource.collection:
            continue
        try:
            table = getattr(stats, name)(frame)
        except MissingColumnsError:
            omitted.append(f"stats.{name}")
            continue
        sentences.append(_sentence(table, describe, resource))
    if omitted:
        sentences.append(f"Not computed, since columns are missing: {', '.join(omitted)}.")
    return list(filter(None, dict.fromkeys(sentences)))


def _nothing(frame: pd.DataFrame, resource: Resource) -> str:
    loaded = provenance.get_provenance(frame)["items_loaded"]
    if loaded:
        return (
            f"None of the {quantity(loaded, *resource.words)} that were loaded are in this report."
        )
    return f"There are no {resource.words[1]}."


def _estimate(frame: pd.DataFrame, resource: Resource) -> str:
    """Return that the figures are estimates, if the records are a random sample."""
    if not isinstance(provenance.drawn_sample(frame), provenance.Drawn):
        return ""
    design = provenance.get_provenance(frame)["sample"]
    population = quantity(design["population"], *resource.words)
    return f"All figures are estimates from a random sample of {design['size']:,} of {population}."


def _sentence(table: pd.DataFrame, describe: _Describe, resource: Resource) -> str:
    record = provenance.get_provenance(table)
    total = record["counted"][resource.collection]
    base = Base(record["base"]["records"], record["base"]["which"], total, resource.words)
    if not base.records:
        return f"Among {quantity(total, *resource.words)} there is none {base.which}."
    words = describe(table, base)
    if not words:
        return ""
    is_estimate = not record["sample"] or "confidence" in record["interval"]
    return f"{words}." if is_estimate else f"{words} ({_OF_SAMPLE})."


def _share(table: pd.DataFrame, row: Any) -> str:
    """Return the share in a row in words, of a random sample with its interval."""
    share = percent(row.share)
    if provenance.get_provenance(table)["interval"].get("confidence") is None:
        return share
    return f"{share}{_interval(table, row.low, row.high)}"


def _interval(table: pd.DataFrame, low: float, high: float) -> str:
    """Return the interval of a share in a random sample, after a comma."""
    confidence = provenance.get_provenance(table)["interval"].get("confidence")
    if confidence is None:
        return ""
    return f", {confidence * 100:g}% interval {percent(low)} to {percent(high)}"


def _most_frequent(column: str, one: str, many: str, explanation: str = "") -> _Describe:
    """Return what names the rows with the most records, unless one left out has as many."""

    def describe(table: pd.DataFrame, base: Base) -> str:
        records = base.words[1]
        rows = table[table[column].notna() & (table[records] > 0)]
        rows = rows.sort_values(records, ascending=False, kind="stable")
        left_out = rows[records].iloc[_NAMED] if len(rows) > _NAMED else 0
        named = rows[rows[records] > left_out].head(_NAMED)
        parts: list[str] = []
        for row in named.itertuples(index=False):
            number = getattr(row, records)
            counted = f"{number:,}" if parts else quantity(number, *base.words)
            parts.append(f"{getattr(row, column)} ({counted}, {_share(table, row)})")
        if not parts:
            return ""
        verb = f"{one} is" if len(parts) == 1 else f"{many} are"
        return f"The most frequent {verb} {listed(parts)}, among {base}{explanation}"

    return describe


def listed(parts: list[str]) -> str:
    """Return parts as a list in a sentence: a, b and c."""
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


def _distribution(column: str, noun: str, unit: str) -> _Describe:
    """Return what says how a number is distributed; `noun` is what is counted."""

    def describe(table: pd.DataFrame, base: Base) -> str:
        numbers, records = table[column], table.iloc[:, 1]
        none = int(records[numbers == 0].sum())
        share = percent(none / records.sum())
        drawn = provenance.drawn_sample(table)
        if isinstance(drawn, provenance.Drawn):  # also where no record has none
            low, high = wilson(none, int(records.sum()), drawn, CONFIDENCE)
            share += _interval(table, low, high)
        middle, most = at_most(table, 0.5), at_most(table, 0.9)
        parts = [f"{none:,} ({share}) have none"]
        if middle:
            parts = [f"half have at most {quantity(middle, noun)}{unit}", *parts]
        if most:
            parts.append(f"90% have at most {most:,}")
        parts.append(f"the most is {quantity(int(numbers.max()), noun)}")
        return f"Among {base}, {listed(parts)}"

    return describe


def _concentration(table: pd.DataFrame, base: Base) -> str:
    values = table.iloc[0]
    if base.records < _FEW or pd.isna(values["gini"]):
        return ""
    return (
        f"Among {base}, the top 10% have {percent(values['top_10_percent_share'])} of all "
        f"contributors; the Gini coefficient is {values['gini']:.2f} (0 if all had as many, near 1 "
        "if one had all)"
    )


def _activity(table: pd.DataFrame, base: Base) -> str:
    rows = {row.activity: row for row in table.itertuples(index=False)}
    active, dormant = rows["active"], rows["dormant"]
    window = provenance.get_provenance(table)["counted"]["window"]
    return (
        f"Among {base}, {active.projects:,} ({_share(table, active)}) were active in the "
        f"{quantity(window, 'month')} up to {active.as_of:%Y-%m}, and {dormant.projects:,} "
        f"({_share(table, dormant)}) were not"
    )


_SENTENCES: dict[str, _Describe] = {
    "language_share": _most_frequent("language", "main language", "main languages"),
    "contributor_distribution": _distribution("contributors", "contributor", " in twelve months"),
    "contributor_concentration": _concentration,
    "activity": _activity,
    "licenses": _most_frequent("title", "licence", "licences"),
    "accounts_by_country": _most_frequent("country_name", "country", "countries"),
    "accounts_by_kudo_rank": _most_frequent(
        "kudo_rank",
        "kudo rank",
        "kudo ranks",
        "; the directory ranks members from 1 to 10 by the praise (kudos) of others",
    ),
    "posts_distribution": _distribution("posts", "post", ""),
}
