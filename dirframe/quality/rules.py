"""Rules that detect known bad data, and the exclusion of the records that they match."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._tables import read_rows
from dirframe.errors import InvalidInputError
from dirframe.stats.counts import later_median, names_of, true
from dirframe.stats.kernel import MOMENT, read, require_records, retrieved

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.stats.counts import Mask

#: Columns that the rules read, by their short names.
RULE_COLUMNS = (
    *("id", "called", "language", "code_lines", "people", "first", "last", "fetched", "created"),
    *("updated", "posts", "rank", "latitude", "longitude"),
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


class Rule(NamedTuple):
    """The columns that a rule needs, the text that shows the values of a record, what it matches.

    A rule with `match` matches where that is true, one of two columns where the first is below the
    second, and one of a single column where it is outside `bounds`. Missing values never match.
    """

    needs: tuple[str, ...]
    evidence: str
    bounds: tuple[float, float] = (0, math.inf)
    match: Callable[[pd.DataFrame], Any] | None = None


#: The names are stable, since scripts and captions contain them.
RULES = {
    "began_before_1970": Rule(
        ("first",),
        "first month {first:%Y-%m}, before 1970",
        match=lambda p: p["first"] < pd.Timestamp("1970-01-01", tz="UTC"),
    ),
    "began_before_language": Rule(
        ("first", "language"),
        "first month {first:%Y-%m}; {language} first appeared in {appeared}",
        match=lambda p: p["first"].dt.year < p["appeared"],
    ),
    "duplicate_id": Rule(
        ("id",),
        "id {id} stands in more than one record",
        match=lambda p: p["id"].notna() & p["id"].duplicated(keep=False),
    ),
    "impossible_kudo_rank": Rule(("rank",), "kudo rank {rank}; ranks are 1 to 10", (1, 10)),
    "impossible_latitude": Rule(("latitude",), "latitude {latitude:g}; it is -90 to 90", (-90, 90)),
    "impossible_longitude": Rule(
        ("longitude",), "longitude {longitude:g}; it is -180 to 180", (-180, 180)
    ),
    "lines_outlier": Rule(
        ("code_lines",),
        "{code_lines:,} lines of code; the bound of {group} is {bound:,}",
        match=lambda p: p["code_lines"] > p["bound"],
    ),
    "month_in_future": Rule(
        ("fetched", "last"),
        "last month {last:%Y-%m}; the code was fetched on {fetched:%Y-%m-%d}",
    ),
    "months_reversed": Rule(
        ("last", "first"), "first month {first:%Y-%m}, last month {last:%Y-%m}"
    ),
    "negative_contributors": Rule(("people",), "{people:,} contributors in twelve months"),
    "negative_lines": Rule(("code_lines",), "{code_lines:,} lines of code"),
    "negative_posts": Rule(("posts",), "{posts:,} posts"),
    "stale_analysis": Rule(
        ("fetched",),
        "code fetched on {fetched:%Y-%m-%d}, before {stale_before:%Y-%m-%d}",
        match=lambda p: p["fetched"] < p["stale_before"],
    ),
    "updated_before_created": Rule(
        ("updated", "created"), "changed on {updated:%Y-%m-%d}, created on {created:%Y-%m-%d}"
    ),
}
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
        Names of rules, whose columns the frame needs. Outliers are those of this frame: exclude
        before you divide it.
    older_than : str, optional
        Leave out projects whose code was fetched longer ago, as the rule ``stale_analysis``: text
        such as ``"90d"``, ``"26w"``, ``"18mo"`` or ``"2y"``. Those without a date are kept.

    Returns
    -------
    pandas.DataFrame
        The other records. ``attrs["dirframe"]["excluded"]`` holds the number by rule, and captions
        say it; a record that several rules match counts for the first, in alphabetical order.

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
    p = columns_of(frame, chosen, older_than)
    left = np.ones(len(frame), dtype=bool)
    numbers: dict[str, int] = {}
    for name in chosen:
        found = matches(p, name) & left
        numbers[name] = int(found.sum())
        left &= ~found
    told = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
    if older_than is not None:
        told += f", older than {older_than}"
    kept = frame[left]
    provenance.copy_provenance(frame, kept, f"exclude: {told}")
    earlier = provenance.get_provenance(frame)["excluded"]
    numbers = {name: earlier.get(name, 0) + number for name, number in numbers.items()}
    return provenance.set_provenance(kept, excluded=earlier | numbers)


def rules_of(names: Iterable[str] | str, older_than: object = None) -> list[str]:
    """Return names of rules, each once and in order; an age adds ``stale_analysis``."""
    is_one = isinstance(names, str) or not isinstance(names, Iterable)
    chosen, known = [names] if is_one else [*names], [*RULES]
    if unknown := [str(name) for name in chosen if name not in known]:
        raise InvalidInputError(
            f"There is no rule {', '.join(unknown)}. The rules are {', '.join(RULES)}."
        )
    if older_than is not None:
        chosen.append("stale_analysis")
    return [name for name in RULES if name in chosen]


def applicable(frame: pd.DataFrame) -> list[str]:
    """Return the rules whose columns a frame has."""
    known = set(read(frame, optional=RULE_COLUMNS))
    return [name for name, rule in RULES.items() if known.issuperset(rule.needs)]


def columns_of(
    frame: pd.DataFrame, rules: Collection[str], older_than: str | None = None
) -> pd.DataFrame:
    """Return the columns that some rules read, with the bounds that depend on the whole frame."""
    age = offset_of(older_than)
    needs = [need for name in rules for need in RULES[name].needs]
    p = read(frame, *needs, optional=RULE_COLUMNS).reindex(columns=[*RULE_COLUMNS])
    if "lines_outlier" in rules:
        p["bound"], p["group"] = _bounds(p)
    if "stale_analysis" in rules:
        day = reference_day(frame, p["fetched"])
        p["stale_before"] = pd.Series(day - age if day else pd.NaT, p.index, MOMENT)
    if "began_before_language" in rules:
        p["appeared"] = p["language"].map(FIRST_APPEARANCE).astype("Int64")
    return p


def matches(p: pd.DataFrame, rule: str) -> Mask:
    """Return which records of `columns_of` a rule matches."""
    (column, *others), _, (low, high), match = RULES[rule]
    if match:
        return true(match(p))
    value = p[column]
    return true(value < p[others[0]] if others else (value < low) | (value > high))


def _bounds(p: pd.DataFrame) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """Return for each project the most lines that are no outlier, and the group whose bound it is."""
    positive = p[true(p["code_lines"] > 0)]
    lines = positive["code_lines"].to_numpy(np.float64)
    logarithms = pd.Series(np.log10(lines), positive.index)
    bounds = {"all projects": _bound(logarithms)}
    languages = names_of(p["language"]).astype("str")
    for language, own in logarithms.groupby(languages):
        if len(own) >= _OWN_BOUND:
            bounds[str(language)] = _bound(own)
    group = languages.where(languages.isin([*bounds]), "all projects")
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
