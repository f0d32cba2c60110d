"""Activity, life spans and survival of projects.

Months are whole numbers; January of the year 0 is 0. What a project did is known up to the month in
which its code was fetched: ``analysis_logged_at``, or ``analysis_oldest_code_set_time`` where that
is missing. The retrieval is when the frame was loaded, or now where that is not known or later.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe.errors import InvalidInputError
from dirframe.stats.kernel import (
    CONTRIBUTORS,
    FETCHED,
    FIRST_MONTH,
    LANGUAGE,
    LAST_MONTH,
    MOMENT,
    Counted,
    Frame,
    first_reason,
    origin,
    read,
    shares,
    statistic,
    table_of,
    true,
    whole_number,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from dirframe.stats.kernel import Mask

    Months = NDArray[np.float64]
    States = NDArray[np.str_]

MONTHS: dict[str, Any] = {"first": FIRST_MONTH, "last": LAST_MONTH, "fetched": FETCHED}
_FAULTS = ("month_missing", "months_reversed", "months_after_fetch")
#: Reasons why a project is unknown, in order of precedence.
_UNKNOWN = (*_FAULTS, "fetch_missing", "fetch_impossible", "not_fetched_since")
_BEGUN_LATER = "begun_after_as_of"
_DAY = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?")
YEAR = 12


@statistic("with_activity", "whose activity is known")
def activity(projects: Frame, *, as_of: date | str | None = None, window: int = 12) -> Counted:
    """Count the projects that were active, dormant or unknown in a month.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
        Projects.
    as_of : datetime.date or str, optional
        The reference month: a day such as ``"2013-07-31"`` or a month such as ``"2013-07"``. By
        default that in which the code of the median project was fetched (of two, the later).
    window : int, default 12
        Length of the window in months, including the month of `as_of`: 1 to 24.

    Returns
    -------
    pandas.DataFrame
        A row for ``"active"``, ``"dormant"`` and ``"unknown"``, in this order:

        - ``activity`` (str), ``projects`` (Int64, projects)
        - ``share`` (Float64, 0 to 1): of the active and dormant ones; missing for the unknown
        - ``share_of_all`` (Float64, 0 to 1): of all three
        - ``as_of`` (datetime64[us, UTC]): first day of the reference month, if there is one

    Notes
    -----
    A project is *active* if its last month is within the window or after it, *dormant*
    if before, and *unknown*, whatever was seen, for the first of these reasons, each counted:
    ``month_missing`` (the first or last), ``months_reversed``, ``months_after_fetch`` (the last is
    after the fetch, or after the retrieval where no fetch is known), ``fetch_missing``,
    ``fetch_impossible`` (after the retrieval), ``not_fetched_since`` (fetched before the month of
    `as_of`; some ``not_fetched_since_but_active``). One ``begun_after_as_of`` is in no row. Counted
    besides: ``projects``, ``with_activity``, ``unknown``, ``window``, ``in_disagreement`` (the
    number of contributors contradicts the months).

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_min_month": pd.to_datetime(["2008-02-01", "2009-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2010-01-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02"])})
    >>> activity(projects)["projects"].tolist()
    [1, 1, 0]
    >>> activity(projects, as_of="2010-01")["projects"].tolist()
    [2, 0, 0]
    """
    requested, months_in_window = None if as_of is None else month_of(as_of), _window(window)
    p = read(projects, **MONTHS, people=CONTRIBUTORS, optional=("people",))
    months, latest = month_numbers(p), latest_possible(projects)
    month = usual_month(months["fetched"], latest) if requested is None else requested
    state = states(months, month, months_in_window, latest)
    reasons = {reason: (state == reason).sum() for reason in _UNKNOWN}
    rows = [(state == "active").sum(), (state == "dormant").sum(), sum(reasons.values())]
    numbers = pd.Series(rows, dtype="Int64")
    table = table_of(
        activity=("str", ["active", "dormant", "unknown"]),
        projects=("Int64", numbers),
        share=("Float64", [*shares(numbers[:2]), None]),
        share_of_all=("Float64", shares(numbers)),
        as_of=(MOMENT, [timestamp(month)] * 3),
    )
    recent = months["last"] > (month or 0) - months_in_window
    counted = {
        "projects": len(p),
        "with_activity": rows[0] + rows[1],
        "unknown": rows[2],
        **reasons,
        _BEGUN_LATER: (state == _BEGUN_LATER).sum(),
        "not_fetched_since_but_active": ((state == "not_fetched_since") & recent).sum(),
        "window": months_in_window,
    }
    if "people" in p:
        counted["in_disagreement"] = _disagrees(months, p["people"], latest).sum()
    return table, counted


def _disagrees(months: Mapping[str, Months], people: pd.Series[Any], latest: int) -> Mask:
    """Return a mask where the contributor count of the analysis contradicts its own months.

    The twelve months before the fetch begin within a month, so the twelfth agrees with both.
    """
    first, last, fetched = months.values()
    consistent = (first <= last) & (last <= fetched) & (fetched <= latest)
    nobody, somebody = true(people == 0), true(people > 0)
    disagrees: Mask = consistent & (
        (nobody & (fetched - last < YEAR)) | (somebody & (fetched - last > YEAR))
    )
    return disagrees


@statistic("with_life_span", "with a valid life span")
def life_span(projects: Frame, *, top: int | None = None, window: int = 12) -> Counted:
    """Return the time from the first to the last month with activity of each project.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
        Projects.
    top : int, optional
        Give this many projects, those with the longest life. By default, all.
    window : int, default 12
        Months without activity, up to the fetch, after which a life has ended: 1 to 24.

    Returns
    -------
    pandas.DataFrame
        One row per project, the longest life first, then the earlier first month, name and id (as
        text, by code point, missing ones first):

        - ``id``, ``name``, ``language`` (str): ``id`` is missing where the frame has none
        - ``first_month``, ``last_month`` (datetime64[us, UTC])
        - ``months`` (Int64, months): from the first to the last, both counted
        - ``ended`` (boolean): whether the last `window` months seen had no activity; missing where
          the date of the fetch is missing or impossible
        - ``contributors`` (Int64, people): who committed in the twelve months before the analysis;
          missing where unknown or negative, and where the frame has no such column

    Notes
    -----
    A life that has not ended is censored at the fetch, so a mean of ``months`` is too
    small: `survival` estimates. Counted: ``projects``, ``with_life_span``, of those ``ended``,
    ``not_ended`` and ``end_unknown``, ``month_missing``, ``months_reversed`` and
    ``months_after_fetch`` as in `activity`, ``window``, and ``projects_not_shown`` (beyond `top`).

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"name": ["Ant"], "analysis_main_language_name": ["C"],
    ...     "analysis_min_month": pd.to_datetime(["2010-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2011-02-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"])})
    >>> print(life_span(projects)[["name", "months", "ended"]])
      name  months  ended
    0  Ant      14   True
    """
    if top is not None:
        whole_number("top", top, least=1, instead="or None for all projects")
    names = {"id": "id", "name": "name", "language": LANGUAGE, "contributors": CONTRIBUTORS}
    p = read(projects, **names, **MONTHS, optional=("id", "contributors"))
    p = p.reindex(columns=[*names, *MONTHS]).astype({"id": "str", "contributors": "Int64"})
    lives, counted = _lives(p, projects, window)
    shown = lives
    if top is not None and top < len(lives):  # fewer to sort
        shown = lives[lives["months"] >= -np.partition(-lives["months"], top - 1)[top - 1]]
    table = p.loc[shown.index].rename(columns={"first": "first_month", "last": "last_month"})
    table["months"], table["ended"] = shown["months"], shown["ended"]
    table["contributors"] = table["contributors"].where(table["contributors"] >= 0)
    table = table.sort_values(
        ["months", "first_month", "name", "id"],
        ascending=[False, True, True, True],
        na_position="first",
    ).head(len(table) if top is None else top)
    order = ["id", "name", "language", "first_month", "last_month", "months", "ended"]
    table = table[[*order, "contributors"]].astype({"months": "Int64"}).reset_index(drop=True)
    return table, counted | {"projects_not_shown": len(lives) - len(table)}


@statistic("with_known_end", "whose end is known")
def survival(projects: Frame, *, window: int = 12, confidence: float = 0.95) -> Counted:
    """Estimate the share of projects that live on, by months since their first activity.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
        Projects.
    window : int, default 12
        Months without activity, up to the fetch, after which a life has ended: 1 to 24.
    confidence : float, default 0.95
        Level of the intervals, each by itself: they are no band for the whole curve.

    Returns
    -------
    pandas.DataFrame
        A row for 0 and for each number of months at which a life ended or was last seen, ascending:

        - ``months`` (Int64, months): from the first to the last with activity, both counted
        - ``at_risk``, ``ended``, ``censored`` (Int64, projects): that lived so long, whose life
          ended in this month, and whose last activity so far is in it
        - ``survival`` (Float64, 0 to 1): probability to live beyond this month
        - ``low``, ``high`` (Float64, 0 to 1): its interval; missing where the estimate is 1 or 0

    Notes
    -----
    Kaplan and Meier, Journal of the American Statistical Association 53 (1958),
    457-481; intervals on the scale log(-log) with the variance of Greenwood: Kalbfleisch and
    Prentice, The Statistical Analysis of Failure Time Data (1980). A project that rests longer than
    the window and comes back counts as ended. Censoring must have nothing to do with the life: a
    directory that fetches dead projects less often, or removes them, breaks that. Counted: as in
    `life_span`, and ``with_known_end``, those in the figures.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_min_month": pd.to_datetime(["2010-01-01"] * 2),
    ...     "analysis_max_month": pd.to_datetime(["2010-03-01", "2013-07-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"] * 2)})
    >>> survival(projects)["survival"].tolist()
    [1.0, 0.5, 0.5]
    """
    level: object = confidence
    if not isinstance(level, int | float) or not 0 < level < 1:
        raise InvalidInputError(
            f"confidence is {confidence!r}; it must be a share between 0 and 1, such as 0.95."
        )
    p = read(projects, **MONTHS)
    lives, counted = _lives(p, projects, window)
    known = lives[lives["ended"].notna()]
    length, ends = known["months"].to_numpy(np.int64), true(known["ended"])
    months = np.append(0, np.unique(length)) if len(known) else np.array([], np.int64)
    place = np.searchsorted(months, length)
    ended, censored = (np.bincount(place[mask], minlength=len(months)) for mask in (ends, ~ends))
    at_risk = (ended + censored)[::-1].cumsum()[::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.cumprod(1 - ended / at_risk)
        greenwood = np.cumsum(ended / (at_risk * (at_risk - ended)))
        quantile = NormalDist().inv_cdf((1 + float(confidence)) / 2)
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
    all_lives = counted.pop("with_life_span")
    return table, {
        "projects": counted.pop("projects"),
        "with_known_end": all_lives - counted["end_unknown"],
        **counted,
    }


def _lives(p: pd.DataFrame, projects: Frame, window: object) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return ``months`` and ``ended`` of each valid life, and the numbers of the others."""
    months, latest, months_in_window = month_numbers(p), latest_possible(projects), _window(window)
    first, last, fetched = months.values()
    reason = first_reason(len(p), **_faults(months, latest))
    lives = pd.DataFrame({"months": last - first + 1, "ended": last <= fetched - months_in_window})
    lives["ended"] = lives["ended"].astype("boolean").mask(~(fetched <= latest))
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


def month_numbers(p: pd.DataFrame) -> dict[str, Months]:
    """Return the months of `MONTHS` as numbers; NaN where missing."""
    whens = {name: p[name].dt for name in MONTHS}
    return {n: (12 * w.year + w.month - 1).to_numpy(np.float64) for n, w in whens.items()}


def states(months: Mapping[str, Months], as_of: int | None, window: int, latest: int) -> States:
    """Return for each project ``active``, ``dormant`` or the reason why it is neither."""
    first, last, fetched = months.values()
    at = np.nan if as_of is None else float(as_of)
    state = first_reason(
        len(first),
        **_faults(months, latest),
        **{_BEGUN_LATER: first > at},
        fetch_missing=np.isnan(fetched),
        fetch_impossible=fetched > latest,
        not_fetched_since=~(fetched >= at),
        active=last > at - window,
    )
    return np.where(state == "", "dormant", state)


def _faults(months: Mapping[str, Months], latest: int) -> dict[str, Any]:
    first, last, fetched = months.values()
    return {
        "month_missing": np.isnan(first) | np.isnan(last),
        "months_reversed": last < first,
        "months_after_fetch": last > np.where(np.isnan(fetched), latest, fetched),
    }


def states_of(projects: pd.DataFrame) -> tuple[States, int | None]:
    """Return the states of projects in the default window, and the reference month."""
    months, latest = month_numbers(read(projects, **MONTHS)), latest_possible(projects)
    month = usual_month(months["fetched"], latest)
    return states(months, month, YEAR, latest), month


def usual_month(fetched: Months, latest: int) -> int | None:
    """Return the month in which the median project was fetched, of those with a possible date.

    Of two medians, the later: half of the projects were fetched then or later.
    """
    possible = np.sort(fetched[fetched <= latest])
    return int(possible[len(possible) // 2]) if len(possible) else None


def latest_possible(projects: Frame) -> int:
    """Return the last month in which code can have been fetched: that of the retrieval.

    If the retrieval is unknown or in the future, this is the current month.
    """
    now = pd.Timestamp(datetime.now(UTC))
    newest = provenance.get_provenance(origin(projects))["retrieved_newest"]
    return month_of(min(now, pd.Timestamp(newest).tz_convert("UTC")) if newest else now)


def month_of(as_of: object) -> int:
    """Return the month number of a day or month; a year alone is neither."""
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


def timestamp(month: int | None) -> Any:
    """Return the first day of a numbered month; NaT for None."""
    if month is None:
        return pd.NaT
    return pd.Timestamp(year=month // 12, month=month % 12 + 1, day=1, tz=UTC)


def _window(window: object) -> int:
    return whole_number("window", window, least=1, most=24, instead="in months")
