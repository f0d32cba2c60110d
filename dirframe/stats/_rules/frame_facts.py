"""Facts of a whole frame that rules compare a record with: bounds, days, ids that are shared."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe.errors import InvalidInputError
from dirframe.stats._core.backends import is_relation
from dirframe.stats._core.groupby import group_sizes
from dirframe.stats._rules.rules import READ, Rule

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    MaxAge = str | int | timedelta

#: How many modified z-scores above the median make an outlier: Iglewicz and Hoaglin (1993).
OUTLIER = 3.5
#: A median absolute deviation of normal values is so many of their standard deviations.
_NORMAL = 0.6745
#: A language with fewer projects is measured by all projects.
OWN_BOUND = 20
DEFAULT_AGE = "1y"

_UNITS = {"d": "days", "w": "weeks", "mo": "months", "y": "years"}
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Facts:
    """What some rules need to know of the whole frame.

    `bounds` are the most lines that are no outlier, by language, of all projects under ``""``;
    `exceeded` are the languages in which there is an outlier.
    """

    aware: bool
    bounds: Mapping[str, int] = field(default_factory=lambda: {"": _LARGEST})
    exceeded: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    stale_before: pd.Timestamp | None = None

    def at(self, when: pd.Timestamp | int) -> nw.Expr:
        """State a moment, or the beginning of a year, as the columns of the engine have them."""
        moment = pd.Timestamp(when, 1, 1, tz="UTC") if isinstance(when, int) else when
        return nw.lit((moment if self.aware else moment.tz_localize(None)).to_pydatetime())


def facts_of(frame: Any, rules: AbstractSet[Rule], max_age: MaxAge | None = None) -> Facts:
    """Compute what some rules need to know of a frame."""
    facts: dict[str, Any] = {}
    if Rule.LINES_OUTLIER in rules:
        facts["bounds"], facts["exceeded"] = _bounds(frame)
    if Rule.DUPLICATE_ID in rules:
        ids = group_sizes(frame, {"id": READ["id"]}).dropna()
        facts["duplicates"] = tuple(sorted(ids["id"][ids["records"] > 1].astype("str")))
    if Rule.STALE_ANALYSIS in rules:
        reference, age = reference_day(frame), offset_of(max_age)
        facts["stale_before"] = reference - age if reference else None
    return Facts(aware=not is_relation(frame), **facts)


def reference_day(frame: Any) -> pd.Timestamp | None:
    """Tell when a frame was retrieved or, if not known, when the median project was fetched.

    None without any. A few wrong dates do not move the median; of two in the middle it is the
    later one. Synthetic data was generated, so that the day on which it came says nothing of its age.
    """
    if isinstance(frame, pd.DataFrame):
        record = provenance.get_provenance(frame)
        if record["retrieved_newest"] and not record["synthetic"]:
            return _utc(record["retrieved_newest"])
    days = group_sizes(frame, {"fetched": READ["fetched"]}).dropna().sort_values("fetched")
    if days.empty:
        return None
    ends = days["records"].to_numpy(dtype=np.int64).cumsum()
    return _utc(days["fetched"].iloc[np.searchsorted(ends, ends[-1] // 2, side="right")])


def _utc(day: Any) -> pd.Timestamp:
    moment = pd.Timestamp(day)
    return moment.tz_localize("UTC") if moment.tzinfo is None else moment.tz_convert("UTC")


def offset_of(max_age: MaxAge | None) -> Any:
    """Read an age: a number of days, a timedelta, or text such as ``"2y"``."""
    if isinstance(max_age, bool):
        raise _no_age(max_age)
    if isinstance(max_age, int):
        max_age = timedelta(days=max_age)
    if isinstance(max_age, timedelta):
        if max_age < timedelta(0):
            raise _no_age(max_age)
        return max_age
    said = DEFAULT_AGE if max_age is None else max_age
    found = re.fullmatch(r"(\d{1,4}) ?(d|w|mo|y)", str(said))
    if found is None:
        raise _no_age(max_age)
    options: dict[str, Any] = {_UNITS[found[2]]: int(found[1])}
    return pd.DateOffset(**options)


def _no_age(came: object) -> InvalidInputError:
    return InvalidInputError(
        f"max_age is {came!r}; it must be a number of days, a timedelta, or text such as '90d', "
        "'26w', '18mo' or '2y'."
    )


def _bounds(frame: Any) -> tuple[dict[str, int], tuple[str, ...]]:
    table = group_sizes(frame, {"language": READ["language"], "lines": READ["lines"]})
    table = table[(table["lines"] > 0).fillna(value=False)].sort_values("lines")
    if table.empty:
        return {"": _LARGEST}, ()
    counts = table.groupby("language", observed=True)["records"].sum()
    bounds = {"": _bound(table)}
    exceeded = []
    for language, rows in table.groupby("language", observed=True):
        name = str(language)
        if counts[language] >= OWN_BOUND:
            bounds[name] = _bound(rows)
            if rows["lines"].iloc[-1] > bounds[name]:
                exceeded.append(name)
    return bounds, tuple(exceeded)


def _bound(table: pd.DataFrame) -> int:
    """Give the most lines that are no outlier; without any spread, nothing is one."""
    logarithms = np.log10(table["lines"].to_numpy(dtype=np.float64))
    records = table["records"].to_numpy(dtype=np.int64)
    middle = _median(logarithms, records)
    deviation = _median(np.abs(logarithms - middle), records)
    if deviation == 0:
        return _LARGEST
    power = middle + OUTLIER * deviation / _NORMAL
    return int(10**power) if power < 18 else _LARGEST


def _median(values: NDArray[np.float64], records: NDArray[np.int64]) -> float:
    order = np.argsort(values, kind="stable")
    ends = records[order].cumsum()
    places = [(ends[-1] - 1) // 2, ends[-1] // 2]
    return float(values[order][np.searchsorted(ends, places, side="right")].mean())
