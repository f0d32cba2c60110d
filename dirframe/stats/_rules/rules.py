"""Rules that detect known bad data, each one expression for all engines.

A rule is an expression over the columns in `READ` and over facts of the whole frame
(`dirframe.stats._rules.frame_facts`). Missing values never match.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import narwhals as nw

from dirframe.stats._core.activity_months import FETCHED
from dirframe.stats._core.columns import integer_column, number, text_column, timestamp_column
from dirframe.stats._core.groupby import (
    CONTRIBUTORS,
    CREATED,
    FIRST_MONTH,
    LANGUAGE,
    LAST_MONTH,
    LINES,
)
from dirframe.stats._rules.first_appearance import FIRST_APPEARANCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.stats._core.columns import Column
    from dirframe.stats._rules.frame_facts import Facts

#: Columns that the rules read, by the names used in their expressions.
READ: dict[str, Column] = {
    "id": text_column("id"),
    "name": text_column("name", "login"),
    "language": text_column(LANGUAGE),
    "lines": integer_column(LINES),
    "contributors": integer_column(CONTRIBUTORS),
    "first": timestamp_column(FIRST_MONTH),
    "last": timestamp_column(LAST_MONTH),
    "fetched": timestamp_column(*FETCHED),
    "created": timestamp_column(CREATED),
    "updated": timestamp_column("updated_at"),
    "posts": integer_column("posts_count"),
    "rank": integer_column("kudo_score_kudo_rank"),
    "latitude": number("latitude"),
    "longitude": number("longitude"),
}


class Rule(StrEnum):
    """Names of the rules. They are stable, since scripts and captions contain them."""

    BEGAN_BEFORE_1970 = "began_before_1970"
    BEGAN_BEFORE_LANGUAGE = "began_before_language"
    DUPLICATE_ID = "duplicate_id"
    IMPOSSIBLE_KUDO_RANK = "impossible_kudo_rank"
    IMPOSSIBLE_LATITUDE = "impossible_latitude"
    IMPOSSIBLE_LONGITUDE = "impossible_longitude"
    LINES_OUTLIER = "lines_outlier"
    MONTH_IN_FUTURE = "month_in_future"
    MONTHS_REVERSED = "months_reversed"
    NEGATIVE_CONTRIBUTORS = "negative_contributors"
    NEGATIVE_LINES = "negative_lines"
    NEGATIVE_POSTS = "negative_posts"
    STALE_ANALYSIS = "stale_analysis"
    UPDATED_BEFORE_CREATED = "updated_before_created"


@dataclass(frozen=True)
class Definition:
    """Columns, expression and evidence of a rule.

    `says` describes the fault in a few words. `needs` are required columns, `reads` optional ones.
    `test` is the expression of a match, and `template` formats the values of a row that show it;
    both may depend on the facts of the frame. `impossible` marks values that cannot be right;
    those of other rules are in doubt.
    """

    says: str
    needs: tuple[str, ...]
    test: nw.Expr | Callable[[Facts], nw.Expr]
    template: str | Callable[[Facts, Any], str]
    reads: tuple[str, ...] = ()
    impossible: bool = True

    def columns(self) -> set[str]:
        """Return the names in `READ` of all columns that the rule reads."""
        return {*self.needs, *self.reads}

    def holds(self, facts: Facts) -> nw.Expr:
        """Return the expression of a match, given the facts of the frame."""
        return self.test(facts) if callable(self.test) else self.test

    def evidence(self, facts: Facts, row: Any) -> str:
        """Return the values of a record that matches, and why it is flagged."""
        if callable(self.template):
            return self.template(facts, row)
        return self.template.format(row=row)


def _before_language(facts: Facts) -> nw.Expr:
    languages_by_year = defaultdict(list)
    for language, year in FIRST_APPEARANCE.items():
        languages_by_year[year].append(language)
    conditions = [
        nw.col("language").is_in(languages) & (nw.col("first") < facts.at(year))
        for year, languages in languages_by_year.items()
    ]
    return reduce(or_, conditions)


def _outlier(facts: Facts) -> nw.Expr:
    languages = [name for name in facts.bounds if name]
    language = nw.col("language")
    has_no_bound = (
        ~language.is_in(languages).fill_null(value=False) if languages else nw.lit(value=True)
    )
    beyond = has_no_bound & (nw.col("lines") > facts.bounds[""])
    # Languages without an outlier need no comparison of their own.
    for name in facts.exceeded:
        beyond |= (language == name).fill_null(value=False) & (nw.col("lines") > facts.bounds[name])
    return beyond


def _outlier_evidence(facts: Facts, row: Any) -> str:
    group = row.language if row.language in facts.bounds else ""
    bound, named = facts.bounds[group], group or "all projects"
    return f"{row.lines:,} lines of code; the bound of {named} is {bound:,}"


def _stale(facts: Facts) -> nw.Expr:
    before = facts.stale_before
    return nw.lit(value=False) if before is None else nw.col("fetched") < facts.at(before)


RULES: dict[Rule, Definition] = {
    Rule.BEGAN_BEFORE_1970: Definition(
        "began before 1970",
        ("first",),
        lambda facts: nw.col("first") < facts.at(1970),
        "first month {row.first:%Y-%m}, before 1970",
        impossible=False,
    ),
    Rule.BEGAN_BEFORE_LANGUAGE: Definition(
        "began before its main language",
        ("first", "language"),
        _before_language,
        lambda _, row: (
            f"first month {row.first:%Y-%m}; {row.language} first appeared in "
            f"{FIRST_APPEARANCE[row.language]}"
        ),
        impossible=False,
    ),
    Rule.DUPLICATE_ID: Definition(
        "repeated id",
        ("id",),
        lambda facts: nw.col("id").is_in(facts.duplicates),
        "id {row.id} stands in more than one record",
    ),
    Rule.IMPOSSIBLE_KUDO_RANK: Definition(
        "kudo rank",
        ("rank",),
        (nw.col("rank") < 1) | (nw.col("rank") > 10),
        "kudo rank {row.rank}; ranks are 1 to 10",
    ),
    Rule.IMPOSSIBLE_LATITUDE: Definition(
        "latitude",
        ("latitude",),
        nw.col("latitude").abs() > 90,
        "latitude {row.latitude:g}; it is -90 to 90",
    ),
    Rule.IMPOSSIBLE_LONGITUDE: Definition(
        "longitude",
        ("longitude",),
        nw.col("longitude").abs() > 180,
        "longitude {row.longitude:g}; it is -180 to 180",
    ),
    Rule.LINES_OUTLIER: Definition(
        "far more lines than others",
        ("lines",),
        _outlier,
        _outlier_evidence,
        reads=("language",),
        impossible=False,
    ),
    Rule.MONTH_IN_FUTURE: Definition(
        "month after its code was fetched",
        ("last", "fetched"),
        nw.col("last") > nw.col("fetched"),
        "last month {row.last:%Y-%m}; the code was fetched on {row.fetched:%Y-%m-%d}",
    ),
    Rule.MONTHS_REVERSED: Definition(
        "last month before the first",
        ("first", "last"),
        nw.col("last") < nw.col("first"),
        "first month {row.first:%Y-%m}, last month {row.last:%Y-%m}",
    ),
    Rule.NEGATIVE_CONTRIBUTORS: Definition(
        "negative contributors",
        ("contributors",),
        nw.col("contributors") < 0,
        "{row.contributors:,} contributors in twelve months",
    ),
    Rule.NEGATIVE_LINES: Definition(
        "negative lines", ("lines",), nw.col("lines") < 0, "{row.lines:,} lines of code"
    ),
    Rule.NEGATIVE_POSTS: Definition(
        "negative posts", ("posts",), nw.col("posts") < 0, "{row.posts:,} posts"
    ),
    Rule.STALE_ANALYSIS: Definition(
        "stale analysis",
        ("fetched",),
        _stale,
        lambda facts, row: (
            f"code fetched on {row.fetched:%Y-%m-%d}, before {facts.stale_before:%Y-%m-%d}"
        ),
        impossible=False,
    ),
    Rule.UPDATED_BEFORE_CREATED: Definition(
        "changed before it was created",
        ("created", "updated"),
        nw.col("updated") < nw.col("created"),
        "changed on {row.updated:%Y-%m-%d}, created on {row.created:%Y-%m-%d}",
    ),
}
