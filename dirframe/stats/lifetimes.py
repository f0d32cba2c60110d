"""Growth of the directory; activity, life spans and survival of projects.

Months are whole numbers; January of the year 0 is 0. What a project did is known up to the month in
which its code was fetched: ``analysis_logged_at``, or ``analysis_oldest_code_set_time`` where that
is missing. The retrieval is when the frame was loaded, or now where that is not known or later.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats.counts import check_top, first_reason, later_median, shares, table_of, true
from dirframe.stats.kernel import (
    MOMENT,
    Counted,
    Frame,
    collection_of,
    read,
    retrieved,
    statistic,
    whole_number,
)

_MONTHS = ("first", "last", "fetched")
_FAULTS = ("month_missing", "months_reversed", "months_after_fetch")
#: Reasons why a project is unknown, in order of precedence.
_UNKNOWN = (*_FAULTS, "fetch_missing", "fetch_impossible", "not_fetched_since")
#: Lengths of a period, by their names in pandas: those of its offsets, and of its periods.
FREQUENCIES = {"D": "D", "W": "W-SUN", "MS": "M", "QS": "Q", "YS": "Y"}


@statistic("with_created_at", "with a date")
def growth(frame: Frame, *, freq: str = "MS") -> Counted:
    """Count accounts or projects by the date on which they were created.

    Parameters
    ----------
    frame
        Accounts or projects, as in `dirframe.stats`.
    freq : {"D", "W", "MS", "QS", "YS"}, default "MS"
        Length of a period: days, weeks from Monday to Sunday, months, quarters or years.

    Returns
    -------
    pandas.DataFrame
        One row per period from the first to the last with a record, ascending, without gaps:

        - ``start`` (datetime64[us, UTC]): first day of the period
        - ``new``, ``total`` (Int64, records): created in the period, and up to its end
        - ``finished`` (boolean): whether the period ended before the newest date of the records, of
          ``created_at`` and, where the frame has it, ``updated_at``

        Only records that are still in the directory are counted. Counted: ``with_created_at`` and
        ``created_at_missing``.

    Examples
    --------
    >>> created = pd.to_datetime(["2013-01-31 23:00", "2013-03-01 00:00", "2013-03-31 10:00"])
    >>> growth(pd.DataFrame({"created_at": created}))["new"].tolist()
    [1, 0, 2]
    """
    if str(freq) not in FREQUENCIES:
        raise InvalidInputError(f"freq is {freq!r}; it must be one of {', '.join(FREQUENCIES)}.")
    p = read(frame, "created", optional=["updated"])
    dated = p["created"].dropna().dt.tz_localize(None)
    new = dated.dt.to_period(FREQUENCIES[freq]).value_counts()
    span = pd.period_range(new.index.min(), new.index.max()) if len(new) else new.index
    new = new.reindex(span, fill_value=0)
    starts, ends = (at.start_time.tz_localize("UTC") for at in (span, span + 1))
    table = table_of(
        start=(MOMENT, starts.as_unit("us")),
        new=("Int64", new),
        total=("Int64", new.cumsum()),
        finished=("boolean", ends <= p.max().max()),
    )
    return table, {
        collection_of(frame): len(p),
        "with_created_at": len(dated),
        "created_at_missing": len(p) - len(dated),
    }


@statistic("with_activity", "whose activity is known")
def activity(projects: Frame, *, as_of: date | str | None = None, window: int = 12) -> Counted:
    """Count the projects that were active, dormant or unknown in a month.

    Parameters
    ----------
    projects
        As in `dirframe.stats`.
    as_of : datetime.date or str, optional
        The month (``"2013-07"``), or a day in it; by default that of the fetch of the median project.
    window : int, default 12
        Length of the window in months, up to the month of `as_of`: 1 to 24.

    Returns
    -------
    pandas.DataFrame
        A row for ``"active"`` (the last month is within the window or after it), ``"dormant"``
        (before it) and ``"unknown"``: ``activity`` (str), ``projects`` (Int64, projects), ``share``
        (Float64, 0 to 1, of the first two; else missing), ``as_of`` (datetime64[us, UTC], first day
        of the month, if any).

        Counted: ``with_activity``, ``unknown``, ``window``, ``begun_after_as_of`` (in no row), and
        by the first reason to be unknown ``month_missing``, ``months_reversed``,
        ``months_after_fetch`` (or after the retrieval), ``fetch_missing``, ``fetch_impossible``
        (after it), ``not_fetched_since`` (that month).

    Examples
    --------
    >>> days = {"min_month": ["2008-02"], "max_month": ["2010-01"], "logged_at": ["2013-07"]}
    >>> projects = pd.DataFrame(days, dtype="datetime64[us]").add_prefix("analysis_")
    >>> activity(projects)["projects"].tolist()
    [0, 1, 0]
    """
    months_in_window = _window(window)
    at = None if as_of is None else _month_of(as_of)
    m, latest = _months(read(projects, *_MONTHS), projects)
    if at is None:
        at = _usual(m["fetched"], latest)
    state = _states(m, latest, at, months_in_window)
    reasons = {reason: (state == reason).sum() for reason in _UNKNOWN}
    rows = [(state == "active").sum(), (state == "dormant").sum(), sum(reasons.values())]
    number = pd.Series(rows, dtype="Int64")
    day = pd.NaT if at is None else pd.Timestamp(at // 12, at % 12 + 1, 1, tz=UTC)
    table = table_of(
        activity=("str", ["active", "dormant", "unknown"]),
        projects=("Int64", number),
        share=("Float64", [*shares(number[:2]), None]),
        as_of=(MOMENT, [day] * 3),
    )
    return table, {
        "projects": len(state),
        "with_activity": rows[0] + rows[1],
        "unknown": rows[2],
        **reasons,
        "begun_after_as_of": (state == "begun_after_as_of").sum(),
        "window": months_in_window,
    }


@statistic("with_life_span", "with a valid life span")
def life_span(projects: Frame, *, top: int | None = None, window: int = 12) -> Counted:
    """Return the time from the first to the last month with activity of each project.

    Parameters
    ----------
    projects, top
        As in `dirframe.stats`, but the projects beyond `top` share no row.
    window : int, default 12
        Months without activity, up to the fetch, after which a life has ended: 1 to 24.

    Returns
    -------
    pandas.DataFrame
        One row per project, the longest life first, then the earlier first month, name and id (as
        text, missing first): ``id``, ``name``, ``language`` (str), ``first_month``, ``last_month``
        (datetime64[us, UTC]), ``months`` (Int64, months, both counted), ``ended`` (boolean, whether
        the last `window` months seen had no activity; missing where the date of the fetch is
        missing or impossible), ``contributors`` (Int64, people, in the last twelve months). A life
        that has not ended is censored, so a mean of ``months`` is too small: see `survival`.

        Counted: ``with_life_span``, of those ``ended``, ``not_ended`` and ``end_unknown``,
        ``month_missing``, ``months_reversed`` and ``months_after_fetch`` as in `activity`,
        ``window``, and ``projects_not_shown`` (beyond `top`).

    Examples
    --------
    >>> days = {"min_month": ["2010-01"], "max_month": ["2011-02"], "logged_at": ["2013-07"]}
    >>> projects = pd.DataFrame(days, dtype="datetime64[us]").assign(main_language_name="C")
    >>> life_span(projects.add_prefix("analysis_").assign(name="Ant"))["months"].tolist()
    [14]
    """
    check_top(top, "projects")
    p = read(projects, "name", "language", *_MONTHS, optional=["id", "people"])
    lives, counted = _lives(p, projects, window)
    longest = lives if top is None else lives.nlargest(top, "months", keep="all")
    p = p.reindex(columns=["id", "name", "language", "first", "last", "people"])
    table = p.astype({"id": "str", "people": "Int64"}).join(longest, how="right")
    order = np.lexsort(
        (
            table["id"].rank(method="dense", na_option="top"),
            table["name"].astype("category").cat.codes,  # -1 if missing
            table["first"].to_numpy("datetime64[us]"),
            -table["months"],
        )
    )
    table = table.take(order[:top]).reset_index(drop=True)
    people = table.pop("people")
    table["months"] = table["months"].astype("Int64")
    table["contributors"] = people.where(people >= 0)
    counted["projects_not_shown"] = len(lives) - len(table)
    return table.rename(columns={"first": "first_month", "last": "last_month"}), counted


@statistic("with_known_end", "whose end is known")
def survival(projects: Frame, *, window: int = 12, confidence: float = 0.95) -> Counted:
    """Estimate the share of projects that live on, by months since their first activity.

    Parameters
    ----------
    projects, window
        As in `life_span`.
    confidence : float, default 0.95
        Level of the intervals, each by itself: no band for the curve.

    Returns
    -------
    pandas.DataFrame
        A row for 0 and for each number of months at which a life ended or was last seen, ascending:
        ``months`` (Int64, as in `life_span`), ``at_risk``, ``ended``, ``censored`` (Int64, projects
        that lived so long, whose life ended, and whose last activity so far is in this month),
        ``survival`` (Float64, 0 to 1, probability to live beyond this month), ``low``, ``high``
        (Float64, 0 to 1, its interval; missing where the estimate is 1 or 0).
        Kaplan and Meier, Journal of the American Statistical Association 53 (1958), 457-481;
        intervals on the scale log(-log) with Greenwood's variance: Kalbfleisch and Prentice, The
        Statistical Analysis of Failure Time Data (1980). A project that comes back has ended; a
        directory that removes dead projects, or fetches them less often, biases the curve. Counted:
        as in `life_span`, and ``with_known_end``, those in the figures.

    Examples
    --------
    >>> days = {"min_month": "2010-01", "max_month": ["2010-03", "2013-07"], "logged_at": "2013-07"}
    >>> projects = pd.DataFrame(days).astype("datetime64[us]").add_prefix("analysis_")
    >>> survival(projects)["survival"].tolist()
    [1.0, 0.5, 0.5]
    """
    level: object = confidence
    if not isinstance(level, int | float) or not 0 < level < 1:
        raise InvalidInputError(
            f"confidence is {confidence!r}; it must be a share between 0 and 1, such as 0.95."
        )
    lives, counted = _lives(read(projects, *_MONTHS), projects, window)
    known = lives[lives["ended"].notna()]
    length, ends = known["months"].to_numpy(np.int64), true(known["ended"])
    months = np.unique(np.append(0, length)) if len(known) else length
    place = np.searchsorted(months, length)
    ended, censored = (np.bincount(place[mask], minlength=len(months)) for mask in (ends, ~ends))
    at_risk = (ended + censored)[::-1].cumsum()[::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.cumprod(1 - ended / at_risk)
        greenwood = np.cumsum(ended / (at_risk * (at_risk - ended)))
        quantile = NormalDist().inv_cdf((1 + level) / 2)
        half = quantile * np.sqrt(greenwood) / np.abs(np.log(estimate))
        low, high = (estimate ** np.exp(sign * half) for sign in (1, -1))
    defined = (estimate > 0) & (estimate < 1)
    table = table_of(
        months=("Int64", months),
        at_risk=("Int64", at_risk),
        ended=("Int64", ended),
        censored=("Int64", censored),
        survival=("Float64", estimate),
        low=("Float64", np.where(defined, low, np.nan)),
        high=("Float64", np.where(defined, high, np.nan)),
    )
    del counted["with_life_span"]
    return table, counted | {"with_known_end": len(known)}


def _lives(p: pd.DataFrame, projects: Frame, window: object) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return ``months`` and ``ended`` of each valid life, and the numbers of the others."""
    (m, latest), months_in_window = _months(p, projects), _window(window)
    reason = first_reason(**_faults(m, latest))
    ended = (m["last"] <= m["fetched"] - months_in_window).astype("boolean")
    ended = ended.where(m["fetched"] <= latest)
    lives = pd.DataFrame({"months": m["last"] - m["first"] + 1, "ended": ended})
    lives = lives[reason == ""]
    return lives, {
        "projects": len(p),
        "with_life_span": len(lives),
        "ended": lives["ended"].sum(),
        "not_ended": (~lives["ended"]).sum(),
        "end_unknown": lives["ended"].isna().sum(),
        **{fault: (reason == fault).sum() for fault in _FAULTS},
        "window": months_in_window,
    }


# Months


def _months(p: pd.DataFrame, projects: Frame) -> tuple[pd.DataFrame, int]:
    """Return months as numbers, NaN where missing, and the last in which code can be fetched."""
    now = pd.Timestamp.now(UTC)
    months = {}
    for name in _MONTHS:
        month = p[name].to_numpy("datetime64[us]").astype("datetime64[M]")
        months[name] = np.where(np.isnat(month), np.nan, month.astype(np.int64) + 1970.0 * 12)
    return pd.DataFrame(months), _month_of(min(now, retrieved(projects) or now))


def _usual(fetched: pd.Series[float], latest: int) -> int | None:
    """Return the month in which the median project was fetched."""
    month = later_median(fetched[fetched <= latest])
    return None if month is None else int(month)


def _faults(m: pd.DataFrame, latest: int) -> dict[str, Any]:
    """Return masks of the projects that cannot be placed in time."""
    return {
        "month_missing": m["first"].isna() | m["last"].isna(),
        "months_reversed": m["last"] < m["first"],
        "months_after_fetch": m["last"] > m["fetched"].fillna(latest),
    }


def _states(m: pd.DataFrame, latest: int, at: int | None, window: int) -> pd.Categorical[str]:
    """Return for each project ``active``, ``dormant`` or the reason why it is neither."""
    month = np.nan if at is None else float(at)
    return first_reason(
        **_faults(m, latest),
        begun_after_as_of=m["first"] > month,
        fetch_missing=m["fetched"].isna(),
        fetch_impossible=m["fetched"] > latest,
        not_fetched_since=~(m["fetched"] >= month),
        active=m["last"] > month - window,
        dormant=np.full(len(m), fill_value=True),
    )


def states_of(projects: pd.DataFrame) -> pd.Categorical[str]:
    """Return the states of projects in the default month and window of `activity`."""
    m, latest = _months(read(projects, *_MONTHS), projects)
    return _states(m, latest, _usual(m["fetched"], latest), window=12)


def _month_of(as_of: object) -> int:
    """Return the month number of a day or month; a year alone is neither."""
    try:
        text = f"{as_of}-01" if len(str(as_of)) == len("2013-07") else str(as_of)
        day = as_of if isinstance(as_of, date) else date.fromisoformat(text)
        if isinstance(day, datetime) and day.tzinfo:
            day = day.astimezone(UTC)
        return 12 * int(day.year) + int(day.month) - 1
    except ValueError:  # no such day, or NaT
        raise InvalidInputError(
            f"as_of must be a day such as '2013-07-31' or a month such as '2013-07'; got {as_of!r}."
        ) from None


def _window(window: object) -> int:
    return whole_number("window", window, least=1, most=24, ending="in months")
