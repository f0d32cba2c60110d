"""Life spans of projects, and their survival."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from dirframe._display import suggests_options
from dirframe.stats.activity import FAULTS, Months, check_window, months_of, read_months
from dirframe.stats.counts import (
    as_texts,
    check_top,
    count_reasons,
    first_reason,
)
from dirframe.stats.intervals import check_confidence
from dirframe.stats.records import (
    CONTRIBUTORS,
    FETCHED,
    FIRST_MONTH,
    LANGUAGE,
    LAST_MONTH,
    NAME,
    Frame,
    read,
)
from dirframe.stats.result import Counts, as_statistic, typed_table


@suggests_options
def life_span(frame: Frame, *, top: int | None = None, window: int = 12) -> pd.DataFrame:
    """Return the time from the first to the last month with activity of each project.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with their ``name``, main language, first and last month, and date of the fetch.
    top : int, optional
        Number of rows, those of the longest lives; the other projects share no row. By default,
        each has one.
    window : int, default 12
        Months without activity, up to the fetch, after which a life has ended: 1 to 24.

    Returns
    -------
    pandas.DataFrame
        One row per project, the longest life first, then the earlier first month, name and id (as
        text, missing first):

        - ``id``, ``name``, ``language`` (str)
        - ``first_month``, ``last_month`` (datetime64[us, UTC])
        - ``months`` (Int64, months): both counted
        - ``ended`` (boolean): whether the last `window` months seen had no activity; missing where
          the date of the fetch is missing or impossible
        - ``contributors`` (Int64, people): in the last twelve months

        A life that has not ended is censored, so a mean of ``months`` is too small: see `survival`.

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
    check_window(window)
    needed = [NAME, LANGUAGE, FIRST_MONTH, LAST_MONTH, FETCHED]
    columns = read(frame, needed, optional=["id", CONTRIBUTORS])
    months = months_of(columns, frame)
    reason = first_reason(months.faults())
    lives = _lives(months, reason, window)
    longest = lives if top is None else lives.nlargest(top, "months", keep="all")
    longest = longest.loc[_longest_first(longest, columns)].head(len(lives) if top is None else top)
    columns = columns.loc[longest.index]
    people = columns.get(CONTRIBUTORS, pd.Series(None, columns.index, dtype="Int64"))
    table = pd.DataFrame(
        {
            "id": columns.get("id", pd.Series(None, columns.index, dtype="str")),
            "name": columns[NAME],
            "language": as_texts(columns[LANGUAGE]),
            "first_month": columns[FIRST_MONTH],
            "last_month": columns[LAST_MONTH],
            "months": longest["months"].astype("Int64"),
            "ended": longest["ended"],
            "contributors": people.where(people >= 0),
        }
    ).reset_index(drop=True)
    numbers = _count_lives(lives, reason, window)
    counts = Counts(
        "projects",
        len(reason),
        base="with_life_span",
        which="with a valid life span",
        numbers={
            "with_life_span": len(lives),
            **numbers,
            "projects_not_shown": len(lives) - len(table),
        },
    )
    return as_statistic(table, "life_span", source=frame, counts=counts)


@suggests_options
def survival(frame: Frame, *, window: int = 12, confidence: float = 0.95) -> pd.DataFrame:
    """Estimate the share of projects that live on, by months since their first activity.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with their first and last month, and date of the fetch.
    window : int, default 12
        Months without activity, up to the fetch, after which a life has ended: 1 to 24.
    confidence : float, default 0.95
        Level of the intervals, each by itself: no band for the curve.

    Returns
    -------
    pandas.DataFrame
        A row for 0 and for each number of months at which a life ended or was last seen, ascending:

        - ``months`` (Int64): as in `life_span`
        - ``at_risk``, ``ended``, ``censored`` (Int64, projects): that lived so long, whose life
          ended, and whose last activity so far is in this month
        - ``survival`` (Float64, 0 to 1): probability to live beyond this month
        - ``low``, ``high`` (Float64, 0 to 1): its interval; missing where the estimate is 1 or 0

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
    check_window(window)
    check_confidence(confidence)
    months = read_months(frame)
    reason = first_reason(months.faults())
    lives = _lives(months, reason, window)
    known = lives[lives["ended"].notna()]
    lengths = known["months"].astype("int64")
    numbers = known["ended"].astype("bool").groupby(lengths).agg(["sum", "size"])
    if len(numbers):
        numbers = numbers.reindex([0, *numbers.index], fill_value=0)
    ended = numbers["sum"].to_numpy()
    censored = numbers["size"].to_numpy() - ended
    # Those at risk in a month are all whose life ends or is last seen in it or later.
    at_risk = (ended + censored)[::-1].cumsum()[::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.cumprod(1 - ended / at_risk)
        greenwood = np.cumsum(ended / (at_risk * (at_risk - ended)))
        quantile = NormalDist().inv_cdf((1 + confidence) / 2)
        half_width = quantile * np.sqrt(greenwood) / np.abs(np.log(estimate))
        low = estimate ** np.exp(half_width)
        high = estimate ** np.exp(-half_width)
    is_defined = (estimate > 0) & (estimate < 1)
    table = typed_table(
        {
            "months": ("Int64", numbers.index),
            "at_risk": ("Int64", at_risk),
            "ended": ("Int64", ended),
            "censored": ("Int64", censored),
            "survival": ("Float64", estimate),
            "low": ("Float64", np.where(is_defined, low, np.nan)),
            "high": ("Float64", np.where(is_defined, high, np.nan)),
        }
    )
    counts = Counts(
        "projects",
        len(reason),
        base="with_known_end",
        which="whose end is known",
        numbers={**_count_lives(lives, reason, window), "with_known_end": len(known)},
    )
    return as_statistic(table, "survival", source=frame, counts=counts)


def _lives(months: Months, reason: pd.Categorical[str], window: int) -> pd.DataFrame:
    """Return ``months`` and ``ended`` of each valid life."""
    ended = (months.last <= months.fetched - window).astype("boolean")
    ended = ended.where(months.fetched <= months.latest)
    lives = pd.DataFrame({"months": months.last - months.first + 1, "ended": ended})
    return lives[reason == ""]


def _longest_first(lives: pd.DataFrame, columns: pd.DataFrame) -> pd.Index[Any]:
    """Return the index of lives in the order of rows: longest, earliest, by name, by id."""
    columns = columns.loc[lives.index]
    keys: dict[str, pd.Series[Any]] = {
        "months": -lives["months"],
        "first_month": columns[FIRST_MONTH],
        "name": columns[NAME].astype("category"),
    }
    if "id" in columns:  # all are different, of which ranks cost a tenth of categories
        keys["id"] = columns["id"].rank(method="dense")
    return pd.DataFrame(keys).sort_values(list(keys), na_position="first").index


def _count_lives(lives: pd.DataFrame, reason: pd.Categorical[str], window: int) -> dict[str, int]:
    """Return how many lives have ended, and why other projects have no valid one."""
    return {
        "ended": int(lives["ended"].sum()),
        "not_ended": int((~lives["ended"]).sum()),
        "end_unknown": int(lives["ended"].isna().sum()),
        **count_reasons(reason, FAULTS),
        "window": window,
    }
