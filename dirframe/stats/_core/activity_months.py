"""Whether a project was active at a month, as far as its own code was looked at.

The rule is stated once, on months as whole numbers: the statistics count by it, and the
explorer filters by it.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

import narwhals as nw
import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe.errors import InvalidInputError
from dirframe.stats._core.backends import columns_of
from dirframe.stats._core.columns import timestamp_column
from dirframe.stats._core.groupby import FIRST_MONTH, LAST_MONTH, whole_number
from dirframe.stats._core.loaders import PROJECTS
from dirframe.stats._core.result import require_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from dirframe.stats._core.columns import Column

    Months = NDArray[np.float64]

#: When the code was fetched: the specification's name, then that of the newer dialect. The
#: update of the analysis is no such date: it can be years after the fetch.
FETCHED: tuple[str, ...] = ("analysis_logged_at", "analysis_oldest_code_set_time")
COLUMNS: dict[str, Column] = {
    "first": timestamp_column(FIRST_MONTH),
    "last": timestamp_column(LAST_MONTH),
    "fetched": timestamp_column(*FETCHED),
}
#: Why a project is in neither row, in the order in which they are looked at.
Unknown = Literal[
    "month_missing",
    "months_reversed",
    "months_after_fetch",
    "fetch_missing",
    "fetch_impossible",
    "not_fetched_since",
]
UNKNOWN: tuple[Unknown, ...] = get_args(Unknown)
BEGUN_LATER = "begun_after_as_of"

_DAY = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?")
YEAR = 12
_MOST_MONTHS = 24


def require_fetched(projects: object, *columns: str) -> None:
    """Refuse a frame without some columns, or without the date of the fetch."""
    known = columns_of(projects, PROJECTS)
    either = FETCHED[:1] if set(known).isdisjoint(FETCHED) else ()
    require_columns(projects, *columns, *either, giver=PROJECTS, any_of=FETCHED)


def month_number(column: str) -> nw.Expr:
    """Give the months of a column of points in time as numbers, from January of the year 0."""
    when = nw.col(column).dt
    return (12 * when.year() + when.month() - 1).alias(column)


def month_of(as_of: object) -> int:
    """Give the number of the month of a day that somebody asked for.

    Raises
    ------
    InvalidInputError
        If it is neither a day nor a month: a year alone has twelve of them.
    """
    try:
        if isinstance(as_of, str) and not _DAY.fullmatch(as_of.strip()):
            raise ValueError(as_of)
        if not isinstance(as_of, str | date | np.datetime64):
            raise TypeError(as_of)
        when: Any = pd.Timestamp(as_of)
        if when is pd.NaT:
            raise ValueError(as_of)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            "as_of must be a day such as '2013-07-31' or a month such as '2013-07'; "
            f"{as_of!r} came."
        ) from error
    when = when if when.tz is None else when.tz_convert("UTC")
    return 12 * int(when.year) + int(when.month) - 1


def months_back(window: object) -> int:
    """Check a number of months that is looked back."""
    return whole_number("window", window, least=1, most=_MOST_MONTHS, instead="(months)")


def timestamp(month: int | None) -> Any:
    """Give the first day of a numbered month; missing stays missing."""
    if month is None:
        return pd.NaT
    return pd.Timestamp(year=month // 12, month=month % 12 + 1, day=1, tz=UTC)


def latest_possible(projects: object) -> int:
    """Give the last month in which code can have been fetched: that of the retrieval.

    Where that is not known, or is later than the clock, the month of the clock.
    """
    now = pd.Timestamp(datetime.now(UTC))
    if isinstance(projects, pd.DataFrame):
        retrieved = pd.to_datetime(
            provenance.get_provenance(projects)["retrieved_newest"], utc=True
        )
        now = now if pd.isna(retrieved) else min(now, retrieved)
    return month_of(now)


def usual_month(fetched: Months, records: NDArray[np.int64], latest: int) -> int | None:
    """Give the month in which the median project was fetched, of those with a possible date.

    Half of them were fetched then or later, whatever a few dates are.
    """
    possible = fetched <= latest
    if not possible.any():
        return None
    order = np.argsort(fetched[possible])
    until = records[possible][order].cumsum()
    # The later one of two in the middle: half of the projects were fetched then or later.
    middle = np.searchsorted(until, until[-1] // 2, side="right")
    return int(fetched[possible][order][middle])


def classify(
    months: Mapping[str, Months], as_of: int | None, window: int, latest: int
) -> NDArray[np.str_]:
    """Tell for each project, or group of them, ``active``, ``dormant`` or why neither.

    `months` are ``first``, ``last`` and ``fetched``, numbered, not a number where missing.
    """
    first, last, fetched = (months[name] for name in ("first", "last", "fetched"))
    at = np.nan if as_of is None else float(as_of)
    possible = fetched <= latest
    rules: dict[str, Any] = {
        "month_missing": np.isnan(first) | np.isnan(last),
        "months_reversed": last < first,
        "months_after_fetch": np.where(np.isnan(fetched), last > latest, last > fetched),
        BEGUN_LATER: first > at,
        "fetch_missing": np.isnan(fetched),
        "fetch_impossible": ~possible,
        "not_fetched_since": ~(fetched >= at),
        "active": last > at - window,
    }
    return np.select([*rules.values()], [*rules], default="dormant")


def numbered(months: pd.DataFrame) -> dict[str, Months]:
    """Take the numbered months of a small table as numbers that can be missing."""
    return {name: months[name].to_numpy(np.float64, na_value=np.nan) for name in COLUMNS}


def months_of(projects: pd.DataFrame) -> dict[str, Months]:
    """Give the numbers of the months of each project of a frame, in its order."""
    numbers = {}
    for name, column in COLUMNS.items():
        when = column.of(projects).dt
        numbers[name] = (12 * when.year + when.month - 1).to_numpy(np.float64)
    return numbers


def states_of(projects: pd.DataFrame) -> pd.Series[str]:
    """Tell for each project of a frame what `classify` tells, with the defaults of the rule."""
    months, latest = months_of(projects), latest_possible(projects)
    as_of = usual_month(months["fetched"], np.ones(len(projects), dtype=np.int64), latest)
    states = classify(months, as_of, YEAR, latest)
    return pd.Series(states, index=projects.index, dtype="str")


def usual_month_of(projects: pd.DataFrame) -> int | None:
    """Give the month that is looked back from if nobody asks for another."""
    fetched = months_of(projects)["fetched"]
    records = np.ones(len(projects), dtype=np.int64)
    return usual_month(fetched, records, latest_possible(projects))
