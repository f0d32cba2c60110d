"""Growth of a project over its months: linear, exponential and logistic curves."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from dirframe.stats._options.selection import Counted, Frame, Selection, selectable
from dirframe.stats.inference.samples import library
from dirframe.stats.months import months_filled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Value of `column` for the lines added less those removed.
_CODE = "code"
_FIGURES = (
    *("start", "rate", "limit", "doubling_months", "cagr"),
    *("rmse", "r_squared", "aicc", "weight"),
)


@selectable
def growth_fit(
    frame: Frame,
    *,
    column: str = "commits",
    cumulative: bool = True,
    **_selection: Unpack[Selection],
) -> Counted:
    """Fit growth curves to the months of a project and compare them.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        The months of one project as `dirframe.load_activity` gives them; with `by`, those of
        several and a column that tells their projects apart. Any frame with ``month`` and a
        column of counts will do.
    column : str, default "commits"
        Column of whole numbers, or ``"code"``: ``code_added`` less ``code_removed`` (lines).
    cumulative : bool, default True
        Fit the sum so far. False: the numbers of each month.

    Returns
    -------
    pandas.DataFrame
        A row ``observed`` and one per model:

        - ``model`` (str): ``"observed"``, ``"linear"``, ``"exponential"``, ``"logistic"``
        - ``start`` (Float64, the unit of `column`): in the first month
        - ``rate`` (Float64): linear the unit a month, exponential and logistic the logarithmic
          growth a month, 0.01 being about 1% (of the logistic, far below its limit)
        - ``limit`` (Float64, the unit of `column`): what the logistic curve approaches
        - ``doubling_months`` (Float64, months): of the exponential curve
        - ``cagr`` (Float64): compound annual growth rate from the first month to the last, 0.5
          being 50% a year; missing where the first is not above 0 or there is one month
        - ``rmse`` (Float64, the unit of `column`): root of the mean squared residual
        - ``r_squared`` (Float64): share of the variance that the curve has
        - ``aicc`` (Float64): Akaike's criterion, corrected for few months; lower is better
        - ``weight`` (Float64, 0 to 1): Akaike weight among the three

        Figures of a model are missing where there are too few months (five for a line, six for
        a curve of three parameters) or all numbers are the same.

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold months or whole numbers, or a month
        is there more than once.
    MissingExtraError
        If scipy is not installed.

    Notes
    -----
    Least squares on the numbers themselves, not on their logarithms, by
    ``scipy.optimize.curve_fit``: late months, the largest, weigh most. The logistic curve only
    grows; a limit at the bound of ten times the largest number means that none is seen. AICc
    after Hurvich and Tsai, "Regression and time series model selection in small samples",
    Biometrika 76 (1989), 297-307; weights after Burnham and Anderson, "Model Selection and
    Multimodel Inference", Springer 2002. Both take residuals for independent, which those of
    sums over time are not, so that a weight of 1 is worth less than it looks; no intervals are
    given for that reason. A curve that fits says nothing of what comes after.

    Months are filled as in `monthly_activity`; those that were not over when the frame was loaded
    are not fitted, and a missing or negative number counts as 0. ``counted`` is that of
    `monthly_activity` for the columns used, and ``months_fitted``.

    Examples
    --------
    >>> import pandas as pd
    >>> months = pd.date_range("2013-01-01", periods=9, freq="MS", tz="UTC")
    >>> frame = pd.DataFrame({"month": months, "commits": [1, 1, 2, 4, 8, 16, 32, 64, 128]})
    >>> print(growth_fit(frame)[["model", "doubling_months", "weight"]].round(2))
             model  doubling_months  weight
    0     observed             <NA>    <NA>
    1       linear             <NA>     0.0
    2  exponential              1.0     1.0
    3     logistic             <NA>     0.0
    """
    table, counted = _series(frame, column, cumulative=cumulative)
    observed = table["observed"].to_numpy(np.float64)
    rows = {"observed": dict.fromkeys(_FIGURES, np.nan)}
    if len(observed):
        rows["observed"] |= {"start": observed[0], "cagr": _cagr(observed)}
    fits = _fits(observed)
    for name in _MODELS:
        fitted, figures = fits.get(name, (None, {}))
        rows[name] = dict.fromkeys(_FIGURES, np.nan) | figures
        if fitted is not None:
            rows[name] |= {"start": fitted[0], "cagr": _cagr(fitted)}
    criteria = np.array([rows[name]["aicc"] for name in _MODELS])
    if not np.isnan(criteria).all():
        weights = np.exp((np.nanmin(criteria) - criteria) / 2)
        for name, weight in zip(_MODELS, weights / np.nansum(weights), strict=True):
            rows[name]["weight"] = weight
    result = (
        pd.DataFrame.from_dict(rows, orient="index").astype("Float64").reset_index(names="model")
    )
    result["model"] = result["model"].astype("str")
    return result, counted


@selectable
def growth_curve(
    frame: Frame,
    *,
    column: str = "commits",
    cumulative: bool = True,
    **_selection: Unpack[Selection],
) -> Counted:
    """Return the growth of a project by month beside the curves fitted to it.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        As `growth_fit` takes it.
    column : str, default "commits"
        As in `growth_fit`.
    cumulative : bool, default True
        As in `growth_fit`.

    Returns
    -------
    pandas.DataFrame
        One row per month that was over, ascending, without gaps:

        - ``month`` (datetime64[us, UTC]): its first day
        - ``observed`` (Float64, the unit of `column`)
        - ``linear``, ``exponential``, ``logistic`` (Float64, the unit of `column`): the fitted
          curves; missing where `growth_fit` has none

    Raises
    ------
    InvalidInputError
        As `growth_fit`.
    MissingExtraError
        If scipy is not installed.

    Notes
    -----
    Source and limits are those of `growth_fit`, which compares the curves; ``counted`` too.

    Examples
    --------
    >>> import pandas as pd
    >>> months = pd.date_range("2013-01-01", periods=6, freq="MS", tz="UTC")
    >>> frame = pd.DataFrame({"month": months, "commits": [5, 5, 5, 5, 5, 5]})
    >>> print(growth_curve(frame)[["observed", "linear"]].round(2).tail(2))
       observed  linear
    4      25.0    25.0
    5      30.0    30.0
    """
    result, counted = _series(frame, column, cumulative=cumulative)
    fits = _fits(result["observed"].to_numpy(np.float64))
    for name in _MODELS:
        fitted = fits[name][0] if name in fits else np.full(len(result), np.nan)
        result[name] = pd.Series(fitted, dtype="Float64")
    return result, counted


def _series(frame: Frame, column: str, *, cumulative: bool) -> Counted:
    names = ("code_added", "code_removed") if column == _CODE else (column,)
    table, counted = months_filled(frame, names, needed=("month", *names))
    table = table[table["finished"].fillna(value=True)].reset_index(drop=True)
    added, *removed = (table[name].fillna(0) for name in names)
    numbers = added - removed[0] if removed else added
    observed = (numbers.cumsum() if cumulative else numbers).astype("Float64")
    series = pd.DataFrame({"month": table["month"], "observed": observed})
    return series, counted | {"months_fitted": len(series)}


def _cagr(values: Floats) -> float:
    """Return the compound annual growth rate of monthly values."""
    if len(values) < 2 or values[0] <= 0 or values[-1] < 0:
        return float("nan")
    return float((values[-1] / values[0]) ** (12 / (len(values) - 1)) - 1)


def _linear(t: Floats, start: float, slope: float) -> Floats:
    return start + slope * t


def _exponential(t: Floats, start: float, rate: float) -> Floats:
    return start * np.exp(rate * t)


def _logistic(t: Floats, limit: float, rate: float, middle: float) -> Floats:
    return limit / (1 + np.exp(np.clip(-rate * (t - middle), -700, 700)))


#: Each curve of time and numbers from 0 to 1, with bounds and starting points of its parameters.
_MODELS: dict[str, tuple[Callable[..., Floats], Any, list[tuple[float, ...]]]] = {
    "linear": (_linear, (-np.inf, np.inf), [(0.0, 1.0)]),
    "exponential": (_exponential, ((0, -60), (np.inf, 60)), [(0.5, 1.0), (0.01, 5.0), (1.0, -1.0)]),
    "logistic": (
        _logistic,
        ((0, 0, -2), (10, 200, 4)),
        [(1.0, 8.0, 0.5), (2.0, 4.0, 1.0), (1.0, 20.0, 0.2)],
    ),
}


def _fits(observed: Floats) -> dict[str, tuple[Floats, dict[str, float]]]:
    """Return the values and figures of each curve that can be fitted."""
    n = len(observed)
    largest = float(np.abs(observed).max(initial=0))
    squares = float(((observed - observed.mean()) ** 2).sum()) if n else 0.0
    if squares == 0:
        return {}
    optimize = library("scipy.optimize", "A fit of growth")
    t, y, months = np.linspace(0, 1, n), observed / largest, n - 1
    fits = {}
    for name, (curve, bounds, starts) in _MODELS.items():
        size = len(starts[0]) + 1  # the variance of the residuals is one
        if n <= size + 1:
            continue
        best: tuple[float, Floats] | None = None
        for start in starts:
            try:
                with warnings.catch_warnings(), np.errstate(over="ignore"):
                    # Only the covariance, which is not used, can be missing.
                    warnings.simplefilter("ignore", optimize.OptimizeWarning)
                    parameters, _ = optimize.curve_fit(
                        curve, t, y, start, bounds=bounds, method="trf", max_nfev=5000
                    )
            except RuntimeError:  # no convergence from this starting point
                continue
            rest = float(((curve(t, *parameters) - y) ** 2).sum()) * largest**2
            if best is None or rest < best[0]:
                best = rest, parameters
        if best is None:
            continue
        rest, parameters = best
        figures = {
            "rate": parameters[1] * (largest if name == "linear" else 1) / months,
            "rmse": np.sqrt(rest / n),
            "r_squared": 1 - rest / squares,
            # A perfect fit has no logarithm.
            "aicc": n * np.log(max(rest, 1e-12 * squares) / n) + 2 * size * n / (n - size - 1),
        }
        if name == "logistic":
            figures["limit"] = parameters[0] * largest
        if name == "exponential" and parameters[1] > 0:
            figures["doubling_months"] = np.log(2) / figures["rate"]
        fits[name] = curve(t, *parameters) * largest, figures
    return fits
