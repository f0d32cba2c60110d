"""Survival of projects, with censoring: Kaplan-Meier, log-rank and Cox."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from dirframe.stats._core.activity_months import require_fetched
from dirframe.stats._core.groupby import FIRST_MONTH, LAST_MONTH, as_int64, check_top
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable
from dirframe.stats._options.strata import key_of, largest_groups
from dirframe.stats.inference.samples import (
    CORRECTIONS,
    check_choice,
    check_confidence,
    corrected,
    library,
)
from dirframe.stats.lifetimes import UNKNOWN_END, counted_lives, life_lengths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: A larger coefficient, a ratio beyond some 3,000, is a likelihood without a maximum.
_LARGEST_COEFFICIENT = 8
_DTYPES = {
    **dict.fromkeys(["test", "group", "reference"], "str"),
    **dict.fromkeys(["projects", "ended"], "Int64"),
    **dict.fromkeys(["statistic", "hazard_ratio", "low", "high"], "Float64"),
    **dict.fromkeys(["p_value", "p_corrected"], "Float64"),
}


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
    quantile = check_confidence(confidence)
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


@selectable
def compare_survival(
    projects: Frame,
    *,
    groups: str = "language",
    top: int | None = 5,
    window: int = 12,
    correction: str = "holm",
    confidence: float = 0.95,
    **_selection: Unpack[Selection],
) -> Counted:
    """Compare how long the projects of groups live: log-rank test and Cox's hazard ratios.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    groups : str, default "language"
        What divides the projects, as in `intervals`.
    top : int or None, default 5
        Groups, those with the most projects. None: all.
    window : int, default 12
        As in `survival`.
    correction : {"holm", "bonferroni", "fdr_bh", "fdr_by"}, default "holm"
        How the p-values of the groups are corrected for their number, as in `compare_groups`.
    confidence : float, default 0.95
        Level of the intervals, each by itself.

    Returns
    -------
    pandas.DataFrame
        A row of the log-rank test of all groups, if there are two or more, then one of Cox's
        model for each group but the first, which is the reference (the group with the most
        projects, or the lowest year, number or size):

        - ``test`` (str): ``"log-rank"`` or ``"Cox"``
        - ``group``, ``reference`` (str): missing in the row of all
        - ``projects``, ``ended`` (Int64, projects): of the group; in the first row of all
        - ``statistic`` (Float64): chi squared of the log-rank test, z of Cox's coefficient
        - ``hazard_ratio`` (Float64, above 0): how many times as often as in the reference
          projects of the same age end; missing in the row of all, and where none can be
          estimated: a group or the reference has no end, or all ends of one before all of the
          other
        - ``low``, ``high`` (Float64): its interval
        - ``p_value``, ``p_corrected`` (Float64, 0 to 1): the second corrected for the number of
          groups; missing without a ratio

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold dates, `groups` is unknown, or
        another option is invalid.
    MissingExtraError
        If statsmodels is not installed.

    Notes
    -----
    Log-rank test by ``statsmodels.duration.survfunc.survdiff``; Cox, "Regression models and
    life-tables", Journal of the Royal Statistical Society B 34 (1972), 187-220, by
    ``statsmodels.duration.hazard_regression.PHReg`` with Efron's way with ties. The model takes
    the ratio to be the same at each age: curves of `survival` that cross say that it is not.
    Groups differ in more than their name, above all in when they began, and ratios adjust for
    none of it. What an end is, and the limits of that, are said in `survival`.

    Who is left out is as in `survival`; ``counted`` holds the same and ``compared`` (projects in
    a row), ``group_missing`` and ``in_other_groups``, which add up to ``with_known_end``.

    Examples
    --------
    >>> import pandas as pd
    >>> last = ["2010-03-01", "2010-05-01", "2013-07-01", "2012-01-01", "2010-02-01", "2010-06-01"]
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C"] * 4 + ["Java"] * 2,
    ...     "analysis_min_month": pd.to_datetime(["2010-01-01"] * 6),
    ...     "analysis_max_month": pd.to_datetime(last),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"] * 6),
    ... })
    >>> print(compare_survival(projects)[["test", "group", "ended", "p_value"]].round(2))
           test group  ended  p_value
    0  log-rank   NaN      5     0.32
    1       Cox  Java      2     0.34
    """
    require_fetched(projects, FIRST_MONTH, LAST_MONTH)
    check_choice("correction", correction, CORRECTIONS)
    check_top(top, "groups")
    check_confidence(confidence)
    key = key_of(projects, groups)
    lengths = life_lengths(projects, window, key)
    lives = _with_end(lengths).sort_values(["months", "end", "group"])
    sizes = lives.groupby("group")["records"].sum()
    names = largest_groups(sizes, key, top)
    compared = lives[lives["group"].isin(names)]
    counted = _counted(lengths, window) | {
        "compared": int(compared["records"].sum()),
        "group_missing": int(lives["records"][lives["group"].isna()].sum()),
        "in_other_groups": int(sizes.sum() - compared["records"].sum()),
    }
    result = pd.DataFrame(
        _tests(compared, names, confidence, correction), columns=[*_DTYPES]
    ).astype(_DTYPES)
    return result, counted


def _tests(
    lives: pd.DataFrame, names: Sequence[str], confidence: float, correction: str
) -> list[tuple[Any, ...]]:
    if len(names) < 2:
        return []
    records = lives["records"].to_numpy(np.int64)
    months, end = (np.repeat(lives[n].to_numpy(np.float64), records) for n in ("months", "end"))
    group = np.repeat(lives["group"].to_numpy(object), records)
    ended = {name: int(end[group == name].sum()) for name in names}
    chi_squared = p_value = np.nan
    if end.any():
        survfunc = library("statsmodels.duration.survfunc", "A log-rank test")
        chi_squared, p_value = map(float, survfunc.survdiff(months, end, group))
    blank = (np.nan,) * 3
    size = (len(end), int(end.sum()))
    whole = ("log-rank", None, None, *size, chi_squared, *blank, p_value, p_value)
    estimable = [name for name in names[1:] if ended[name] and ended[names[0]]]
    estimates: dict[str, tuple[float, ...]] = dict.fromkeys(names, (np.nan,) * 5)
    if estimable:
        used = np.isin(group, [names[0], *estimable])
        dummies = np.column_stack([group[used] == name for name in estimable]).astype(np.float64)
        regression = library("statsmodels.duration.hazard_regression", "Cox's model")
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # No convergence: the ratio has no limit, as decided below.
            warnings.simplefilter("ignore")
            cox = regression.PHReg(months[used], dummies, status=end[used], ties="efron")
            # From zero, Newton's steps overshoot where a group is small.
            model = cox.fit(method="bfgs", gtol=1e-6, maxiter=1000, disp=0)
            bounds = np.exp(model.conf_int(alpha=1 - confidence))
        figures = (model.tvalues, np.exp(model.params), *bounds.T, model.pvalues)
        for name, coefficient, *row in zip(estimable, model.params, *figures, strict=True):
            if abs(coefficient) < _LARGEST_COEFFICIENT:
                estimates[name] = tuple(map(float, row))
    p_corrected = corrected([estimates[name][-1] for name in names[1:]], correction)
    return [
        whole,
        *(
            ("Cox", name, names[0], int((group == name).sum()), ended[name], *estimates[name], p)
            for name, p in zip(names[1:], p_corrected, strict=True)
        ),
    ]


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
