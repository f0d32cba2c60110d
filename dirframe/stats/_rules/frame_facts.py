"""Facts of a whole frame that rules need: outlier bounds, reference day, duplicate ids."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe.errors import Hint, InvalidInputError
from dirframe.stats._core.backends import is_relation
from dirframe.stats._core.frequencies import medians
from dirframe.stats._core.groupby import group_sizes
from dirframe.stats._rules.rules import READ, Rule

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    MaxAge = str | int | timedelta

#: Modified z-score above which a value is an outlier: Iglewicz and Hoaglin (1993).
OUTLIER = 3.5
#: Median absolute deviation of a normal distribution, in standard deviations.
_NORMAL = 0.6745
#: Languages with fewer projects use the bound of all projects.
OWN_BOUND = 20
DEFAULT_AGE = "1y"

_UNITS = {"d": "days", "w": "weeks", "mo": "months", "y": "years"}
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Facts:
    """Facts of the whole frame that some rules need.

    `bounds` holds the maximum lines that are not an outlier, by language; ``""`` is the bound of
    all projects. `exceeded` holds the languages with an outlier.
    """

    aware: bool
    bounds: Mapping[str, int] = field(default_factory=lambda: {"": _LARGEST})
    exceeded: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    stale_before: pd.Timestamp | None = None

    def at(self, when: pd.Timestamp | int) -> nw.Expr:
        """Return a timestamp, or the start of a year, as a literal of the engine's timestamp type."""
        moment = pd.Timestamp(when, 1, 1, tz="UTC") if isinstance(when, int) else when
        return nw.lit((moment if self.aware else moment.tz_localize(None)).to_pydatetime())


def facts_of(frame: Any, rules: AbstractSet[Rule], max_age: MaxAge | None = None) -> Facts:
    """Compute the facts of a frame that some rules need."""
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
    """Return the retrieval date of a frame or, if unknown, the fetch date of the median project.

    None if there is no date. The median is robust to a few wrong dates; of two medians, the later
    is used. The retrieval date of synthetic data is ignored, since it says nothing of its age.
    """
    if isinstance(frame, pd.DataFrame):
        record = provenance.get_provenance(frame)
        if record["retrieved_newest"] and not record["synthetic"]:
            return _utc(record["retrieved_newest"])
    days = group_sizes(frame, {"fetched": READ["fetched"]}).dropna().sort_values("fetched")
    if days.empty:
        return None
    _, middle = medians(np.arange(len(days)), days["records"].to_numpy(dtype=np.int64))
    return _utc(days["fetched"].iloc[int(middle)])


def _utc(day: Any) -> pd.Timestamp:
    moment = pd.Timestamp(day)
    return moment.tz_localize("UTC") if moment.tzinfo is None else moment.tz_convert("UTC")


def offset_of(max_age: MaxAge | None) -> Any:
    """Parse an age: a number of days, a timedelta, or text such as ``"2y"``."""
    if isinstance(max_age, bool):
        raise _invalid_age(max_age)
    if isinstance(max_age, int):
        max_age = timedelta(days=max_age)
    if isinstance(max_age, timedelta):
        if max_age < timedelta(0):
            raise _invalid_age(max_age)
        return max_age
    text = DEFAULT_AGE if max_age is None else max_age
    match = re.fullmatch(r"(\d{1,4}) ?(d|w|mo|y)", str(text))
    if match is None:
        raise _invalid_age(max_age)
    options: dict[str, Any] = {_UNITS[match[2]]: int(match[1])}
    return pd.DateOffset(**options)


def _invalid_age(value: object) -> InvalidInputError:
    return InvalidInputError(
        f"max_age is {value!r}, which is not an age.",
        hint=Hint(
            "Pass a number of days, a timedelta, or text such as '90d', '26w', '18mo' or '2y'.",
            shell="Use --max-age with a number and its unit, such as 90d, 26w, 18mo or 2y.",
        ),
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
    """Return the maximum lines that are not an outlier; without spread, there is no bound."""
    logarithms = np.log10(table["lines"].to_numpy(dtype=np.float64))
    records = table["records"].to_numpy(dtype=np.int64)
    median = _median(logarithms, records)
    deviation = _median(np.abs(logarithms - median), records)
    if deviation == 0:
        return _LARGEST
    exponent = median + OUTLIER * deviation / _NORMAL
    return int(10**exponent) if exponent < 18 else _LARGEST


def _median(values: NDArray[np.float64], records: NDArray[np.int64]) -> float:
    return float(np.mean(medians(values, records)))
