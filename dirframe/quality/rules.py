"""Rules that detect known bad data, and the exclusion of the records that they match."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._tables import read_rows
from dirframe.errors import InvalidInputError
from dirframe.stats.counts import Mask, as_bool, as_texts, later_median
from dirframe.stats.records import (
    CODE_LINES,
    CONTRIBUTORS,
    CREATED,
    FETCHED,
    FIRST_MONTH,
    KUDO_RANK,
    LANGUAGE,
    LAST_MONTH,
    MOMENT,
    POSTS,
    UPDATED,
    read,
    require_records,
    retrieved,
)

#: Year of first appearance by main language, for well-known languages by their names in the
#: directory. Sources: PLDB, the Programming Language Database (pldb.io, "appeared"), and
#: Wikipedia's "first appeared" as stored by PLDB. If they, or another cited source, differ, the
#: earliest is used, so that no project is flagged that one of them would clear.
FIRST_APPEARANCE = {
    row["language"]: int(row["year"])
    for row in read_rows(Path(__file__).with_name("first_appearance.csv"))
}
#: Modified z-score above which a value is an outlier: Iglewicz and Hoaglin (1993).
_OUTLIER = 3.5
_NORMAL = 0.6745  # median absolute deviation of a normal distribution, in standard deviations
_OWN_BOUND = 20  # languages with fewer projects use the bound of all projects
_LARGEST = 2**63 - 1
_UNITS = {"d": "days", "w": "weeks", "mo": "months", "y": "years"}


@dataclass(frozen=True)
class Rule:
    """The columns that a rule needs, the records that it matches, and the text that shows why.

    Missing values never match.
    """

    needs: tuple[str, ...]
    evidence: str  # a format of the columns of `columns_of`
    match: Callable[[pd.DataFrame], Any]


def _negative(column: str, evidence: str) -> Rule:
    """Return a rule that matches a number below 0."""
    return Rule((column,), evidence, lambda columns: columns[column] < 0)


def _outside(column: str, low: float, high: float, evidence: str) -> Rule:
    """Return a rule that matches a number that is not within bounds."""
    return Rule(
        (column,), evidence, lambda columns: (columns[column] < low) | (columns[column] > high)
    )


def _before(first: str, second: str, evidence: str) -> Rule:
    """Return a rule that matches a first date that is before the second, which it cannot be."""
    return Rule((first, second), evidence, lambda columns: columns[first] < columns[second])


#: The names are stable, since scripts and captions contain them.
RULES = {
    "began_before_1970": Rule(
        (FIRST_MONTH,),
        "first month {analysis_min_month:%Y-%m}, before 1970",
        lambda columns: columns[FIRST_MONTH] < pd.Timestamp("1970-01-01", tz="UTC"),
    ),
    "began_before_language": Rule(
        (FIRST_MONTH, LANGUAGE),
        "first month {analysis_min_month:%Y-%m}; {analysis_main_language_name} first appeared in "
        "{appeared}",
        lambda columns: columns[FIRST_MONTH].dt.year < columns["appeared"],
    ),
    "duplicate_id": Rule(
        ("id",),
        "id {id} stands in more than one record",
        lambda columns: columns["id"].notna() & columns["id"].duplicated(keep=False),
    ),
    "impossible_kudo_rank": _outside(
        KUDO_RANK, 1, 10, "kudo rank {kudo_score_kudo_rank}; ranks are 1 to 10"
    ),
    "impossible_latitude": _outside("latitude", -90, 90, "latitude {latitude:g}; it is -90 to 90"),
    "impossible_longitude": _outside(
        "longitude", -180, 180, "longitude {longitude:g}; it is -180 to 180"
    ),
    "lines_outlier": Rule(
        (CODE_LINES, LANGUAGE),
        "{analysis_total_code_lines:,} lines of code; the bound of {group} is {bound:,}",
        lambda columns: columns[CODE_LINES] > columns["bound"],
    ),
    "month_in_future": _before(
        FETCHED,
        LAST_MONTH,
        "last month {analysis_max_month:%Y-%m}; the code was fetched on "
        "{analysis_logged_at:%Y-%m-%d}",
    ),
    "months_reversed": _before(
        LAST_MONTH,
        FIRST_MONTH,
        "first month {analysis_min_month:%Y-%m}, last month {analysis_max_month:%Y-%m}",
    ),
    "negative_contributors": _negative(
        CONTRIBUTORS,
        "{analysis_twelve_month_contributor_count:,} contributors in twelve months",
    ),
    "negative_lines": _negative(CODE_LINES, "{analysis_total_code_lines:,} lines of code"),
    "negative_posts": _negative(POSTS, "{posts_count:,} posts"),
    "stale_analysis": Rule(
        (FETCHED,),
        "code fetched on {analysis_logged_at:%Y-%m-%d}, before {stale_before:%Y-%m-%d}",
        lambda columns: columns[FETCHED] < columns["stale_before"],
    ),
    "updated_before_created": _before(
        UPDATED, CREATED, "changed on {updated_at:%Y-%m-%d}, created on {created_at:%Y-%m-%d}"
    ),
}
#: The rules in words, for readers who write no code.
RULE_TITLES = {
    "began_before_1970": "first month before 1970",
    "began_before_language": "first month before the main language appeared",
    "duplicate_id": "id in more than one record",
    "impossible_kudo_rank": "kudo rank not from 1 to 10",
    "impossible_latitude": "latitude beyond 90 degrees",
    "impossible_longitude": "longitude beyond 180 degrees",
    "lines_outlier": "many more lines of code than others in the language",
    "month_in_future": "month in the future",
    "months_reversed": "last month before the first",
    "negative_contributors": "negative number of contributors",
    "negative_lines": "negative number of code lines",
    "negative_posts": "negative number of posts",
    "stale_analysis": "code not fetched for a year",
    "updated_before_created": "changed before it was created",
}
#: The columns that the rules read.
RULE_COLUMNS = tuple(dict.fromkeys(need for rule in RULES.values() for need in rule.needs))
#: Rules whose records are in doubt; those of the others are impossible.
DOUBTFUL = {"began_before_1970", "began_before_language", "lines_outlier", "stale_analysis"}


def exclude(
    frame: pd.DataFrame,
    rules: Collection[str] | str = (),
    *,
    older_than: str | None = None,
) -> pd.DataFrame:
    """Leave out the records that some rules of `dirframe.flags` match.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects.
    rules : collection of str, default ()
        Names of rules, whose columns the frame needs. Outliers are relative to this frame, so
        exclude before you split it.
    older_than : str, optional
        Leave out projects whose code was fetched longer ago, as the rule ``stale_analysis``: text
        such as ``"90d"``, ``"26w"``, ``"18mo"`` or ``"2y"``. Those without a date are kept.

    Returns
    -------
    pandas.DataFrame
        The other records. ``attrs["dirframe"]["excluded"]`` holds the number by rule, and captions
        state it; a record that several rules match counts for the first, in alphabetical order.

    Examples
    --------
    >>> projects = pd.DataFrame({"id": ["1", "2"], "analysis_total_code_lines": [-5, 800]})
    >>> exclude(projects, ["negative_lines"]).attrs["dirframe"]["excluded"]
    {'negative_lines': 1}
    """
    chosen = rules_of(rules, older_than)
    frame = require_records(frame)
    if not chosen:
        return frame
    columns = columns_of(frame, chosen, older_than)
    left = np.ones(len(frame), dtype=bool)
    numbers: dict[str, int] = {}
    for name in chosen:
        excluded = matches(columns, name) & left
        numbers[name] = int(excluded.sum())
        left &= ~excluded
    step = "exclude: " + ", ".join(f"{name} {number:,}" for name, number in numbers.items())
    if older_than is not None:
        step += f", older than {older_than}"
    kept = frame[left]
    provenance.copy_provenance(frame, kept, step)
    provenance.add_domain(frame, kept)
    earlier = provenance.get_provenance(frame)["excluded"]
    numbers = {name: earlier.get(name, 0) + number for name, number in numbers.items()}
    return provenance.set_provenance(kept, excluded=earlier | numbers)


def rules_of(names: Iterable[str] | str, older_than: object = None) -> list[str]:
    """Return names of rules, each once and in order; an age adds ``stale_analysis``."""
    is_one = isinstance(names, str) or not isinstance(names, Iterable)
    chosen = [names] if is_one else list(names)
    unknown = [str(name) for name in chosen if name not in list(RULES)]
    if unknown:
        raise InvalidInputError(
            f"There is no rule {', '.join(unknown)}. The rules are {', '.join(RULES)}."
        )
    if older_than is not None:
        chosen.append("stale_analysis")
    return [name for name in RULES if name in chosen]


def applicable(frame: pd.DataFrame) -> list[str]:
    """Return the rules whose columns a frame has."""
    known = set(read(frame, [], optional=RULE_COLUMNS))
    return [name for name, rule in RULES.items() if known.issuperset(rule.needs)]


def columns_of(
    frame: pd.DataFrame, rules: Collection[str], older_than: str | None = None
) -> pd.DataFrame:
    """Return the columns that some rules read, with the bounds that depend on the whole frame."""
    age = offset_of(older_than)
    needs = list(dict.fromkeys(need for name in rules for need in RULES[name].needs))
    columns = read(frame, needs, optional=[name for name in ("id", LANGUAGE) if name not in needs])
    if LANGUAGE in columns:
        columns[LANGUAGE] = as_texts(columns[LANGUAGE])
    if "lines_outlier" in rules:
        columns["bound"], columns["group"] = _bounds(columns)
    if "stale_analysis" in rules:
        day = reference_day(frame, columns[FETCHED])
        columns["stale_before"] = pd.Series(day - age if day else pd.NaT, columns.index, MOMENT)
    if "began_before_language" in rules:
        columns["appeared"] = columns[LANGUAGE].map(FIRST_APPEARANCE).astype("Int64")
    return columns


def matches(columns: pd.DataFrame, rule: str) -> Mask:
    """Return which records of `columns_of` a rule matches."""
    return as_bool(RULES[rule].match(columns))


def _bounds(columns: pd.DataFrame) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """Return for each project the most lines that are no outlier, and the group whose bound it is."""
    positive = columns[as_bool(columns[CODE_LINES] > 0)]
    lines = positive[CODE_LINES].to_numpy(np.float64)
    logarithms = pd.Series(np.log10(lines), positive.index)
    bounds = {"all projects": _bound(logarithms)}
    language = columns[LANGUAGE]
    for name, own in logarithms.groupby(language):
        if len(own) >= _OWN_BOUND:
            bounds[str(name)] = _bound(own)
    group = language.where(language.isin(list(bounds)), "all projects")
    return group.map(bounds).astype("Int64"), group


def _bound(logarithms: pd.Series[float]) -> int:
    """Return the most lines that are no outlier; without spread, there is no bound."""
    median = logarithms.median()
    deviation = (logarithms - median).abs().median()
    exponent = median + _OUTLIER * deviation / _NORMAL
    return int(10**exponent) if deviation > 0 and exponent < 18 else _LARGEST


def reference_day(frame: pd.DataFrame, fetched: pd.Series[Any]) -> pd.Timestamp | None:
    """Return the retrieval of a frame or, if unknown, the date of the fetch of the median project.

    The retrieval of synthetic data says nothing of its age.
    """
    day = retrieved(frame)
    if day is not None and not provenance.get_provenance(frame)["synthetic"]:
        return day
    return later_median(fetched)  # type: ignore[no-any-return]  # of a Series


def offset_of(age: str | None) -> pd.DateOffset:
    """Return an age such as ``"2y"`` as an offset; a year, the default."""
    match = re.fullmatch(r"(\d{1,4}) ?(d|w|mo|y)", "1y" if age is None else str(age))
    if match is None:
        raise InvalidInputError(
            f"{age!r} is not an age.", hint="Pass text such as 90d, 26w, 18mo or 2y."
        )
    options: dict[str, Any] = {_UNITS[match[2]]: int(match[1])}
    return pd.DateOffset(**options)


def doubtful_starts(first_month: pd.Series[Any], language: pd.Series[Any]) -> Mask:
    """Return which first months are before 1970, or before the main language first appeared."""
    columns = pd.DataFrame({FIRST_MONTH: first_month, LANGUAGE: language})
    columns["appeared"] = columns[LANGUAGE].map(FIRST_APPEARANCE).astype("Int64")
    return matches(columns, "began_before_1970") | matches(columns, "began_before_language")
