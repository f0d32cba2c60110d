"""Classify projects as active, dormant or unknown in a month, given when their code was fetched.

Months are whole numbers. The statistics and the filters of the explorer share this rule.
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
from dirframe.stats._core.frequencies import medians
from dirframe.stats._core.groupby import FIRST_MONTH, LAST_MONTH, whole_number
from dirframe.stats._core.loaders import PROJECTS
from dirframe.stats._core.result import require_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from dirframe.stats._core.columns import Column

    Months = NDArray[np.float64]

#: Date of the fetch of the code: the specification's name, then that of the newer dialect. The
#: update of the analysis cannot replace it: it can be years after the fetch.
FETCHED: tuple[str, ...] = ("analysis_logged_at", "analysis_oldest_code_set_time")
COLUMNS: dict[str, Column] = {
    "first": timestamp_column(FIRST_MONTH),
    "last": timestamp_column(LAST_MONTH),
    "fetched": timestamp_column(*FETCHED),
}
#: Reasons why a project is unknown, in order of precedence.
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
    """Raise if a frame lacks some columns or the date of the fetch."""
    known = columns_of(projects, PROJECTS)
    missing = FETCHED[:1] if set(known).isdisjoint(FETCHED) else ()
    require_columns(projects, *columns, *missing, loader=PROJECTS, any_of=FETCHED)


def month_number(column: str) -> nw.Expr:
    """Return the months of a timestamp column as numbers; January of the year 0 is 0."""
    when = nw.col(column).dt
    return (12 * when.year() + when.month() - 1).alias(column)


def month_of(as_of: object) -> int:
    """Return the month number of a day or month passed by the user.

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
            f"as_of must be a day such as '2013-07-31' or a month such as '2013-07'; got {as_of!r}."
        ) from error
    when = when if when.tz is None else when.tz_convert("UTC")
    return 12 * int(when.year) + int(when.month) - 1


def months_back(window: object) -> int:
    """Validate the number of months in the window."""
    return whole_number("window", window, least=1, most=_MOST_MONTHS, instead="in months")


def timestamp(month: int | None) -> Any:
    """Return the first day of a numbered month; NaT for None."""
    if month is None:
        return pd.NaT
    return pd.Timestamp(year=month // 12, month=month % 12 + 1, day=1, tz=UTC)


def latest_possible(projects: object) -> int:
    """Return the last month in which code can have been fetched: that of the retrieval.

    If the retrieval is unknown or in the future, this is the current month.
    """
    now = pd.Timestamp(datetime.now(UTC))
    if isinstance(projects, pd.DataFrame):
        retrieved = pd.to_datetime(
            provenance.get_provenance(projects)["retrieved_newest"], utc=True
        )
        now = now if pd.isna(retrieved) else min(now, retrieved)
    return month_of(now)


def usual_month(fetched: Months, records: NDArray[np.int64], latest: int) -> int | None:
    """Return the month in which the median project was fetched, of those with a possible date.

    The median is robust: at least half of them were fetched then or later.
    """
    possible = fetched <= latest
    if not possible.any():
        return None
    # The later of two medians: half of the projects were fetched then or later.
    return int(medians(fetched[possible], records[possible])[1])


def classify(
    months: Mapping[str, Months], as_of: int | None, window: int, latest: int
) -> NDArray[np.str_]:
    """Classify each project, or group of projects: ``active``, ``dormant`` or the reason for unknown.

    `months` holds the month numbers ``first``, ``last`` and ``fetched``; missing ones are NaN.
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
    """Return the month numbers of a small table as floats, NaN where missing."""
    return {name: months[name].to_numpy(np.float64, na_value=np.nan) for name in COLUMNS}


def months_of(projects: pd.DataFrame) -> dict[str, Months]:
    """Return the month numbers of each project, in the order of the frame."""
    numbers = {}
    for name, column in COLUMNS.items():
        when = column.of(projects).dt
        numbers[name] = (12 * when.year + when.month - 1).to_numpy(np.float64)
    return numbers


def states_of(projects: pd.DataFrame) -> pd.Series[str]:
    """Classify each project of a frame with the default month and window."""
    months, latest = months_of(projects), latest_possible(projects)
    as_of = usual_month(months["fetched"], np.ones(len(projects), dtype=np.int64), latest)
    states = classify(months, as_of, YEAR, latest)
    return pd.Series(states, index=projects.index, dtype="str")


def usual_month_of(projects: pd.DataFrame) -> int | None:
    """Return the default month of `classify` for a frame."""
    fetched = months_of(projects)["fetched"]
    records = np.ones(len(projects), dtype=np.int64)
    return usual_month(fetched, records, latest_possible(projects))
