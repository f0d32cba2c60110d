"""Survival of projects, with censoring: Kaplan-Meier."""

from __future__ import annotations

from numbers import Real
from statistics import NormalDist
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats._core.activity_months import require_fetched
from dirframe.stats._core.groupby import FIRST_MONTH, LAST_MONTH, as_int64
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable
from dirframe.stats.lifetimes import UNKNOWN_END, counted_lives, life_lengths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@selectable
def survival(
    projects: Frame,
    *,
    window: int = 12,
    confidence: float = 0.95,
    **_selection: Unpack[Selection],
) -> Counted:
    """Estimate the share of projects that live on, by months since their first activity.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    window : int, default 12
        Months without activity, up to the month of the fetch, after which a life has ended: 1
        to 24.
    confidence : float, default 0.95
        Level of the intervals, each by itself: they are no band for the whole curve.

    Returns
    -------
    pandas.DataFrame
        A row for 0 and one for each number of months at which a life ended or was last seen,
        ascending; none where no end is known:

        - ``months`` (Int64, months): from the first to the last month with activity, both
          counted
        - ``at_risk`` (Int64, projects): that were seen to live so long
        - ``ended`` (Int64, projects): whose life ended in this month
        - ``censored`` (Int64, projects): whose last activity so far is in this month
        - ``survival`` (Float64, 0 to 1): probability to live beyond this month
        - ``low``, ``high`` (Float64, 0 to 1): its interval; missing where the estimate is 1 or 0

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold dates, `window` is not from 1 to 24,
        or `confidence` is no share.

    Notes
    -----
    Kaplan and Meier, "Nonparametric estimation from incomplete observations", Journal of the
    American Statistical Association 53 (1958), 457-481; a life that was seen to its last month
    in the month of an end is at risk there. Intervals on the scale log(-log) with the variance
    of Greenwood: Kalbfleisch and Prentice, "The Statistical Analysis of Failure Time Data",
    Wiley 1980.

    An end is what `life_span` says: no activity in the last `window` months seen. A project
    that rests longer and comes back counts as ended, and one that was left within the window as
    alive. The estimate assumes that censoring, so the day of the fetch, has nothing to do with
    the life: a directory that fetches dead projects less often breaks that, as do projects that
    were removed. The median life is the first number of months with a survival of 0.5 or less,
    if there is one.

    Projects without a valid life are left out as in `life_span`, and those whose end is unknown.
    ``attrs["dirframe"]["counted"]`` holds ``projects`` (all), ``with_known_end``, ``ended``,
    ``not_ended``, ``end_unknown``, ``month_missing``, ``months_reversed``,
    ``months_after_fetch`` and ``window``.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_min_month": pd.to_datetime(["2010-01-01"] * 4),
    ...     "analysis_max_month": pd.to_datetime(["2010-03-01", "2010-05-01", "2013-07-01"] + [None]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"] * 4),
    ... })
    >>> print(survival(projects)[["months", "at_risk", "ended", "survival"]])
       months  at_risk  ended  survival
    0       0        3      0       1.0
    1       3        3      1  0.666667
    2       5        2      1  0.333333
    3      43        1      0  0.333333
    """
    require_fetched(projects, FIRST_MONTH, LAST_MONTH)
    quantile = _normal_quantile(confidence)
    lengths = life_lengths(projects, window)
    counted = _counted(lengths, window)
    lives = _with_end(lengths)
    by_month = lives.pivot_table(
        index="months", columns="end", values="records", aggfunc="sum", fill_value=0
    ).reindex(columns=[0, 1], fill_value=0)
    censored, ended = (np.append(0, by_month[end].to_numpy(np.int64)) for end in (0, 1))
    months = np.append(0, by_month.index.to_numpy(np.int64))
    leaving = ended + censored
    at_risk = leaving.sum() - leaving.cumsum() + leaving
    estimate, low, high = kaplan_meier(at_risk, ended, quantile)
    rows = slice(None) if len(lives) else slice(0)
    result = pd.DataFrame(
        {
            "months": as_int64(months[rows]),
            "at_risk": as_int64(at_risk[rows]),
            "ended": as_int64(ended[rows]),
            "censored": as_int64(censored[rows]),
            "survival": pd.Series(estimate[rows], dtype="Float64"),
            "low": pd.Series(low[rows], dtype="Float64"),
            "high": pd.Series(high[rows], dtype="Float64"),
        }
    )
    return result, counted


def kaplan_meier(
    at_risk: NDArray[np.int64], ended: NDArray[np.int64], quantile: float
) -> tuple[Floats, Floats, Floats]:
    """Return the survival after each time and its interval at a normal quantile."""
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.asarray(np.cumprod(1 - ended / at_risk), np.float64)
        greenwood = np.cumsum(ended / (at_risk * (at_risk - ended)))
        half = quantile * np.sqrt(greenwood) / np.abs(np.log(estimate))
        ends = [estimate ** np.exp(sign * half) for sign in (1, -1)]
    defined = (estimate > 0) & (estimate < 1)
    low, high = (np.asarray(np.where(defined, end, np.nan)) for end in ends)
    return estimate, low, high


def _normal_quantile(confidence: object) -> float:
    """Validate the level of an interval; return the normal quantile of its upper end."""
    if isinstance(confidence, Real) and 0 < float(confidence) < 1:
        return NormalDist().inv_cdf((1 + float(confidence)) / 2)
    raise InvalidInputError(
        f"confidence is {confidence!r}; it must be a share between 0 and 1, such as 0.95."
    )


def _with_end(lengths: pd.DataFrame) -> pd.DataFrame:
    """Return the valid lives of which it is known whether they ended."""
    return lengths[(lengths["state"] == "valid") & (lengths["end"] != UNKNOWN_END)]


def _counted(lengths: pd.DataFrame, window: int) -> dict[str, int]:
    counted = counted_lives(lengths)
    all_lives = counted.pop("with_life_span")
    known = all_lives - counted["end_unknown"]
    return {
        "projects": counted.pop("projects"),
        "with_known_end": known,
        **counted,
        "window": window,
    }
