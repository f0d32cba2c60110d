"""Active, dormant and unknown projects, and their age.

Months are whole numbers; January of the year 0 is 0. What a project did is known up to the month in
which its code was fetched: ``analysis_logged_at``, or ``analysis_oldest_code_set_time`` where that
is missing. The retrieval is when the frame was loaded, or now where that is not known or later.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe._display import suggests_options
from dirframe.errors import InvalidInputError
from dirframe.stats.counts import (
    as_bool,
    count_reasons,
    first_reason,
    later_median,
    share_of,
    whole_number,
)
from dirframe.stats.intervals import Shares, check_confidence
from dirframe.stats.records import (
    FETCHED,
    FIRST_MONTH,
    LAST_MONTH,
    MOMENT,
    Frame,
    origin,
    read,
    require_records,
    retrieved,
)
from dirframe.stats.result import Counts, as_statistic, typed_table

_USUAL_WINDOW = 12
#: The name of the month of the whole frame in the provenance of a stratum.
ACTIVITY_MONTH = "activity"
#: Reasons why a project cannot be placed in time.
FAULTS = ("month_missing", "months_reversed", "months_after_fetch")
#: Reasons why a project is unknown by its months, in order of precedence.
_UNKNOWN_BY_MONTHS = (*FAULTS, "fetch_missing", "fetch_impossible", "not_fetched_since")
#: The reason why it is unknown by the class that the directory states.
_NO_CLASS = "class_missing"
UNKNOWN = (*_UNKNOWN_BY_MONTHS, _NO_CLASS)
#: The class of activity of today's live service: 0 is none, or one older than 30 days; 10 is a new project,
#: 20 an inactive one, and 30 to 70 are very low to very high activity.
STATED_CLASS = "project_activity_index_value"
_LEAST_CLASS, _INACTIVE = 10, 20


@suggests_options
def activity(
    frame: Frame, *, as_of: date | str | None = None, window: int = 12, confidence: float = 0.95
) -> pd.DataFrame:
    """Count the projects that were active, dormant or unknown in a month.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the columns ``analysis_min_month``, ``analysis_max_month`` and
        ``analysis_logged_at`` (or else ``analysis_oldest_code_set_time``). If no analysis was sent,
        as in collections of the live service, the class of activity that it states is counted:
        ``project_activity_index_value``, of which 20 is dormant, and 10 and 30 to 70 are active.
    as_of : datetime.date or str, optional
        The month (``"2013-07"``), or a day in it; by default that of the fetch of the median project.
        `by` takes that of the whole frame, so that all groups are judged at one day.
    window : int, default 12
        Length of the window in months, up to the month of `as_of`: 1 to 24.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.

    Returns
    -------
    pandas.DataFrame
        A row for ``"active"`` (the last month is within the window or after it), ``"dormant"``
        (before it) and ``"unknown"``:

        - ``activity`` (str), ``projects`` (Int64, projects)
        - ``share`` (Float64, 0 to 1): of the first two together; missing where both are 0, and of the
          unknown ones
        - ``low``, ``high`` (Float64, 0 to 1): of a random sample, the interval of ``share``
        - ``as_of`` (datetime64[us, UTC]): first day of the month, if any; of stated classes that of
          the retrieval

        Counted: ``with_activity``, ``unknown``, ``window``, ``begun_after_as_of`` (in no row), and
        by the first reason to be unknown ``month_missing``, ``months_reversed``,
        ``months_after_fetch`` (or after the retrieval), ``fetch_missing``, ``fetch_impossible``
        (after it), ``not_fetched_since`` (that month). Of stated classes ``with_activity``,
        ``unknown`` and ``class_missing``; `as_of` and `window` then raise.

    Examples
    --------
    >>> days = {"min_month": ["2008-02"], "max_month": ["2010-01"], "logged_at": ["2013-07"]}
    >>> projects = pd.DataFrame(days, dtype="datetime64[us]").add_prefix("analysis_")
    >>> activity(projects)["projects"].tolist()
    [0, 1, 0]
    """
    check_confidence(confidence)
    check_window(window)
    month = None if as_of is None else _month_of(as_of)
    needs_months = month is not None or window != _USUAL_WINDOW
    source = _read_source(frame, needs_months=needs_months)
    numbers: dict[str, Any] = {}
    if isinstance(source, Months):
        if month is None:
            month = source.default
        state = _states(source, month, window)
        unknown = count_reasons(state, _UNKNOWN_BY_MONTHS)
        which = "whose activity is known"
        numbers["begun_after_as_of"] = (state == "begun_after_as_of").sum()
        numbers["window"] = window
    else:
        state = _states_by_class(source)
        unknown = count_reasons(state, [_NO_CLASS])
        which = "whose class of activity the directory states"
        when = retrieved(frame)
        month = None if when is None else _month_of(when)
    known = pd.Series([(state == "active").sum(), (state == "dormant").sum()])
    with_activity = int(known.sum())
    without = sum(unknown.values())
    table = typed_table(
        {
            "activity": ("str", ["active", "dormant", "unknown"]),
            "projects": ("Int64", [*known, without]),
            "share": ("Float64", [*share_of(known, with_activity), None]),
            "as_of": (MOMENT, [_first_day(month)] * 3),
        }
    )
    counts = Counts(
        "projects",
        len(state),
        base="with_activity",
        which=which,
        numbers={"with_activity": with_activity, "unknown": without, **unknown, **numbers},
    )
    shares = Shares(with_activity, confidence)
    return as_statistic(table, "activity", source=frame, counts=counts, shares=shares)


def with_age(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the age of each project in years, from its first month with activity to the retrieval.

    Parameters
    ----------
    frame : pandas.DataFrame
        Projects with the column ``analysis_min_month``.

    Returns
    -------
    pandas.DataFrame
        A new frame with the column ``age`` (Int64, whole years): up to the month of the retrieval
        or, where that is not known or the data are synthetic, that of the fetch of the median
        project; missing where the first month is missing or later.

    Examples
    --------
    >>> months = {"analysis_min_month": ["2010-03"], "analysis_logged_at": ["2013-02"]}
    >>> with_age(pd.DataFrame(months, dtype="datetime64[us]"))["age"].tolist()
    [2]
    """
    frame = require_records(frame)
    result = frame.assign(age=ages(frame).array)
    return provenance.copy_provenance(frame, result, "with_age")


def ages(frame: pd.DataFrame) -> pd.Series[Any]:
    """Return the age of each project in whole years, by position."""
    first = read(frame, [FIRST_MONTH])[FIRST_MONTH]
    when = retrieved(frame)
    if when is None or provenance.get_provenance(frame)["synthetic"]:
        fetched = read(frame, [FETCHED])[FETCHED]  # needed only here
        when = later_median(fetched)
    if when is None:
        return pd.Series(None, first.index, dtype="Int64")
    months = _month_of(when) - as_months(first)
    return (months.where(months >= 0) // 12).astype("Int64")


# Months


@dataclass(frozen=True)
class Months:
    """The months of each project as numbers, and the last one in which code can be fetched."""

    first: pd.Series[float]
    last: pd.Series[float]
    fetched: pd.Series[float]
    latest: int
    default: int | None  # of `activity`: that in which the code of the median project was fetched

    def faults(self) -> dict[str, pd.Series[bool]]:
        """Return masks of the projects that cannot be placed in time, by the names of `FAULTS`."""
        return {
            "month_missing": self.first.isna() | self.last.isna(),
            "months_reversed": self.last < self.first,
            "months_after_fetch": self.last > self.fetched.fillna(self.latest),
        }


def read_months(frame: Frame) -> Months:
    """Return the months of projects."""
    return months_of(read(frame, [FIRST_MONTH, LAST_MONTH, FETCHED]), frame)


def months_of(columns: pd.DataFrame, source: Frame) -> Months:
    """Return the months of columns that were read from a frame."""
    now = pd.Timestamp.now(UTC)
    latest = _month_of(min(now, retrieved(source) or now))
    fetched = as_months(columns[FETCHED])
    default = later_median(fetched[fetched <= latest])
    of_whole = provenance.get_provenance(origin(source))["whole"].get(ACTIVITY_MONTH)
    if of_whole is not None:  # every stratum is judged in the month of the whole frame
        default = _month_of(pd.Timestamp(of_whole))
    return Months(
        first=as_months(columns[FIRST_MONTH]),
        last=as_months(columns[LAST_MONTH]),
        fetched=fetched,
        latest=latest,
        default=None if default is None else int(default),
    )


def as_months(dates: pd.Series[Any]) -> pd.Series[float]:
    """Return the month of each date as a number, missing where that is."""
    months: pd.Series[float] = (dates.dt.year * 12 + dates.dt.month - 1).astype("float64")
    return months


def states_of(frame: pd.DataFrame) -> pd.Categorical[str]:
    """Return what each project is in the default month and window of `activity`.

    It is ``active``, ``dormant``, ``begun_after_as_of``, or one of the reasons to be `UNKNOWN`.
    """
    source = _read_source(frame, needs_months=False)
    if isinstance(source, Months):
        return _states(source, source.default, window=_USUAL_WINDOW)
    return _states_by_class(source)


def _read_source(frame: Frame, *, needs_months: bool) -> Months | pd.Series[int]:
    """Return the months of projects; if no analysis was sent, their stated classes of activity."""
    record = provenance.get_provenance(origin(frame))
    is_class_sent = STATED_CLASS in record["sent"]
    are_months_sent = not {FIRST_MONTH, LAST_MONTH} <= set(record["not_sent"])
    if is_class_sent and not are_months_sent and not needs_months:
        return read(frame, [STATED_CLASS])[STATED_CLASS]
    return read_months(frame)


def _states_by_class(classes: pd.Series[int]) -> pd.Categorical[str]:
    return first_reason(
        {
            _NO_CLASS: ~as_bool(classes >= _LEAST_CLASS),
            "dormant": classes == _INACTIVE,
            "active": pd.Series(True, classes.index),
        }
    )


def default_month(frame: Frame) -> pd.Timestamp | None:
    """Return the first day of the default month of `activity`; None if there is none."""
    day = _first_day(read_months(frame).default)
    return None if pd.isna(day) else day


def _states(months: Months, month: int | None, window: int) -> pd.Categorical[str]:
    as_of = float("nan") if month is None else float(month)
    return first_reason(
        {
            **months.faults(),
            "begun_after_as_of": months.first > as_of,
            "fetch_missing": months.fetched.isna(),
            "fetch_impossible": months.fetched > months.latest,
            "not_fetched_since": ~(months.fetched >= as_of),
            "active": months.last > as_of - window,
            "dormant": pd.Series(True, months.first.index),
        }
    )


def _first_day(month: int | None) -> Any:
    return pd.NaT if month is None else pd.Timestamp(month // 12, month % 12 + 1, 1, tz=UTC)


def _month_of(day: object) -> int:
    """Return the month number of a day or month; a year alone is neither."""
    try:
        if not isinstance(day, date):
            text = str(day)
            is_month = len(text) == len("2013-07")
            day = date.fromisoformat(f"{text}-01" if is_month else text)
        if isinstance(day, datetime) and day.tzinfo:
            day = day.astimezone(UTC)
        return 12 * int(day.year) + int(day.month) - 1
    except ValueError:  # no such day, or NaT
        raise InvalidInputError(
            f"as_of must be a day such as '2013-07-31' or a month such as '2013-07'; got {day!r}."
        ) from None


def check_window(window: object) -> None:
    """Raise unless an option is a number of months."""
    whole_number("window", window, least=1, most=24, ending="in months")
