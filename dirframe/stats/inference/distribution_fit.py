"""Power law and log-normal distribution of the large values of a column."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from dirframe.schema import PROJECT
from dirframe.stats._core.backends import resource_of
from dirframe.stats._core.frequencies import Frequencies
from dirframe.stats._core.groupby import CONTRIBUTORS, as_int64, whole_number
from dirframe.stats._core.loaders import EITHER
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable
from dirframe.stats.inference.samples import library

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]

#: Fewer values, or distinct ones, are fitted by anything.
_LEAST, _LEAST_DISTINCT = 10, 3
NAMES = ("power law", "log-normal")
_FIGURES = ("exponent", "mu", "sigma", "ks_distance", "p_value", "ratio", "ratio_p_value")


@selectable
def distribution_fit(
    frame: Frame,
    *,
    column: str = CONTRIBUTORS,
    resamples: int = 0,
    seed: int = 0,
    **_selection: Unpack[Selection],
) -> Counted:
    """Fit a power law and a log-normal distribution to a column, with their goodness of fit.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them.
    column : str, default "analysis_twelve_month_contributor_count"
        Column of whole numbers.
    resamples : int, default 0
        Synthetic samples for ``p_value``, each fitted anew: 100 take some ten seconds for ten
        thousand records, 2,500 give two digits. 0: no ``p_value``.
    seed : int, default 0
        Seed of the random numbers: the same seed gives the same p-values.

    Returns
    -------
    pandas.DataFrame
        A row each for ``"power law"`` and ``"log-normal"``:

        - ``distribution`` (str)
        - ``smallest`` (Int64, the unit of `column`): the value from which on both are fitted,
          that with which the power law fits best
        - ``records`` (Int64): of that value or more
        - ``exponent`` (Float64, above 1): alpha of the power law
        - ``mu``, ``sigma`` (Float64): of the logarithms; of the log-normal distribution
        - ``ks_distance`` (Float64, 0 to 1): of Kolmogorov and Smirnov, between data and fit
        - ``p_value`` (Float64, 0 to 1): share of the synthetic samples of the fitted
          distribution that lie farther from their own fit; below 0.1 the distribution is ruled
          out. Missing without `resamples`
        - ``ratio`` (Float64): log-likelihood ratio of this distribution to the other, divided
          by its standard deviation; above 0 this one is nearer to the data
        - ``ratio_p_value`` (Float64, 0 to 1): of that ratio; from 0.1 on neither is nearer

        All figures are missing below ten values above 0, or three different ones, and where no
        power law fits from any value on, as of values close together.

    Raises
    ------
    InvalidInputError
        If the column is missing or does not hold whole numbers, or another option
        is invalid.
    MissingExtraError
        If powerlaw is not installed.

    Notes
    -----
    Clauset, Shalizi and Newman, "Power-law distributions in empirical data", SIAM Review 51
    (2009), 661-703: maximum likelihood for whole numbers, the smallest value by the least
    distance, p-values by a bootstrap that fits each synthetic sample anew, likelihood ratio
    after Vuong; fits by the package ``powerlaw`` (Alstott, Bullmore and Plenz, PLoS ONE 9
    (2014), e85777). Of the power law each sample's smallest value is sought as well, with the
    values below drawn from those of the data.

    A p-value above 0.1 proves nothing: small tails are fitted by many distributions. Zeros have
    no logarithm and belong to neither distribution.

    Missing and negative numbers are left out and counted: ``attrs["dirframe"]["counted"]`` holds
    all records (``projects`` or ``accounts``), ``with_value`` (0 or more), ``value_missing`` and
    ``value_negative``, which add up, and ``value_zero``, a part of ``with_value``.

    Examples
    --------
    >>> import pandas as pd
    >>> people = [1] * 60 + [2] * 20 + [3] * 9 + [4] * 5 + [6, 7, 9, 14, 20, 40]
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": people})
    >>> table = distribution_fit(projects)
    >>> print(table[["distribution", "smallest", "records", "exponent"]].round(2))
      distribution  smallest  records  exponent
    0    power law         2       40      2.47
    1   log-normal         2       40      <NA>
    """
    whole_number("resamples", resamples, least=0, instead="of synthetic samples")
    whole_number("seed", seed, least=0, instead="which starts the random numbers")
    frequencies, counted = _frequencies(frame, column)
    values = _positive(frequencies)
    fit = _fitted(values)
    rows = {name: dict.fromkeys(_FIGURES, np.nan) for name in NAMES}
    if fit is not None:
        ratio, ratio_p_value = fit.ratio, fit.ratio_p_value
        rows["power law"] |= {"exponent": fit.exponent, "ratio": ratio}
        rows["log-normal"] |= {"mu": fit.mu, "sigma": fit.sigma, "ratio": -ratio}
        tail = values[values >= fit.smallest]
        for name in NAMES:
            rows[name]["ks_distance"] = _distance(tail, fit.at_least(name))
        for name, p_value in zip(NAMES, _goodness(fit, values, resamples, seed), strict=True):
            rows[name] |= {"p_value": p_value, "ratio_p_value": ratio_p_value}
    smallest = None if fit is None else fit.smallest
    result = pd.DataFrame(
        {
            "distribution": pd.Series(NAMES, dtype="str"),
            "smallest": pd.Series([smallest] * 2, dtype="Int64"),
            "records": as_int64([0 if fit is None else int((values >= fit.smallest).sum())] * 2),
            **{
                figure: pd.Series([rows[name][figure] for name in NAMES], dtype="Float64")
                for figure in _FIGURES
            },
        }
    )
    return result, counted


@selectable
def distribution_tail(
    frame: Frame,
    *,
    column: str = CONTRIBUTORS,
    **_selection: Unpack[Selection],
) -> Counted:
    """Return how many records have a value or more, beside the fitted distributions.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them.
    column : str, default "analysis_twelve_month_contributor_count"
        Column of whole numbers.

    Returns
    -------
    pandas.DataFrame
        One row per value above 0 that occurs, ascending:

        - ``value`` (Int64, the unit of `column`)
        - ``records`` (Int64): with this value
        - ``share_at_least`` (Float64, 0 to 1): of the records above 0, with this or more
        - ``power_law``, ``log_normal`` (Float64, 0 to 1): the same by the distributions of
          `distribution_fit`; missing below the value from which on they are fitted, and where
          they cannot be

    Raises
    ------
    InvalidInputError
        If the column is missing or does not hold whole numbers.
    MissingExtraError
        If powerlaw is not installed.

    Notes
    -----
    Source and limits are those of `distribution_fit`, which says how good the fits are. On
    logarithmic axes much looks like a line. ``counted`` is that of `distribution_fit`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 1, 1, 2, 5]})
    >>> print(distribution_tail(projects)[["value", "records", "share_at_least"]])
       value  records  share_at_least
    0      1        2             1.0
    1      2        1             0.5
    2      5        1            0.25
    """
    frequencies, counted = _frequencies(frame, column)
    positive = frequencies.without_zeros()
    numbers, records = positive.numbers, positive.records
    share = records[::-1].cumsum()[::-1] / max(positive.known, 1)
    fit = _fitted(_positive(frequencies))
    curves = {}
    for name in NAMES:
        curve = np.full(len(numbers), np.nan)
        if fit is not None:
            tail = numbers >= fit.smallest
            curve[tail] = fit.at_least(name)(numbers[tail]) * share[tail][0]
        curves[name.replace(" ", "_").replace("-", "_")] = pd.Series(curve, dtype="Float64")
    result = pd.DataFrame(
        {
            "value": as_int64(numbers),
            "records": as_int64(records),
            "share_at_least": pd.Series(share, dtype="Float64"),
            **curves,
        }
    )
    return result, counted


class _Fit(NamedTuple):
    """Fitted parameters, and the likelihood ratio of the power law to the log-normal."""

    smallest: int
    exponent: float
    mu: float
    sigma: float
    ratio: float
    ratio_p_value: float

    def at_least(self, name: str) -> Callable[[Any], Floats]:
        """Return the probability of a number or more, of those from the smallest on."""
        if name == "power law":
            zeta = library("scipy.special", "A fit of a distribution").zeta
            whole = zeta(self.exponent, self.smallest)
            return lambda numbers: np.asarray(zeta(self.exponent, numbers) / whole)
        log_sf = library("scipy.stats", "A fit of a distribution").norm.logsf

        def sf(numbers: Any) -> Floats:
            # A number has the probability of what is rounded to it.
            return np.asarray(log_sf((np.log(np.asarray(numbers) - 0.5) - self.mu) / self.sigma))

        return lambda numbers: np.exp(sf(numbers) - sf(self.smallest))


def _frequencies(frame: Frame, column: str) -> tuple[Frequencies, dict[str, int]]:
    require_columns(frame, column, loader=EITHER)
    frequencies = Frequencies.of(frame, column)
    resource = resource_of(frame) or PROJECT
    counted = frequencies.counted(resource.collection, "value")
    return frequencies, counted | {"value_zero": frequencies.zeros}


def _positive(frequencies: Frequencies) -> Counts:
    positive = frequencies.without_zeros()
    return np.repeat(positive.numbers, positive.records)


def _fitted(values: Counts, smallest: int | None = None, only: str | None = None) -> _Fit | None:
    """Fit both distributions, or one of them; None if that cannot be done."""
    if len(values) < _LEAST or len(np.unique(values)) < _LEAST_DISTINCT:
        return None
    powerlaw = library("powerlaw", "A fit of a distribution")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # The package warns of its own use of names that it will remove, and of each candidate
        # for the smallest value that cannot be fitted.
        warnings.simplefilter("ignore")
        fit = powerlaw.Fit(values, discrete=True, xmin=smallest, verbose=False)
        if not np.isfinite(fit.xmin):  # no value fits as the smallest: they are too close together
            return None
        mu = sigma = ratio = p_value = np.nan
        if only != "power law":
            mu, sigma = fit.lognormal.mu, fit.lognormal.sigma
        if only is None:
            ratio, p_value = fit.distribution_compare(
                "power_law", "lognormal", normalized_ratio=True
            )
        figures = (fit.power_law.alpha, mu, sigma, ratio, p_value)
    return _Fit(int(fit.xmin), *map(float, figures))


def _distance(tail: Counts, at_least: Callable[[Any], Floats]) -> float:
    """Return the distance of Kolmogorov and Smirnov of a sample from a distribution."""
    numbers, records = np.unique(tail, return_counts=True)
    shares = records[::-1].cumsum()[::-1] / len(tail)
    return float(np.abs(shares - at_least(numbers)).max())


def _goodness(fit: _Fit, values: Counts, resamples: int, seed: int) -> list[float]:
    """Return the share of synthetic samples that are farther from their own fit, by name."""
    generator = np.random.default_rng(seed)
    tail, below = values[values >= fit.smallest], values[values < fit.smallest]
    p_values = []
    for name in NAMES:
        distance = _distance(tail, fit.at_least(name))
        farther = fitted = 0
        for _ in range(resamples):
            size = len(tail)
            sample = below[:0]
            if name == "power law" and len(below):
                size = int(generator.binomial(len(values), len(tail) / len(values)))
                sample = generator.choice(below, len(values) - size)
            drawn = _draw(fit.at_least(name), fit.smallest, size, generator)
            own = np.append(sample, drawn)
            own_fit = _fitted(own, None if name == "power law" else fit.smallest, name)
            if own_fit is None:  # a sample of too few distinct values
                continue
            fitted += 1
            own = own[own >= own_fit.smallest]
            farther += _distance(own, own_fit.at_least(name)) >= distance
        p_values.append(farther / fitted if fitted else np.nan)
    return p_values


def _draw(
    at_least: Callable[[Any], Floats], smallest: int, size: int, generator: np.random.Generator
) -> Counts:
    """Draw whole numbers from a distribution by its probabilities of a number or more."""
    chance = generator.uniform(size=size)
    low, high = np.full(size, smallest, dtype=np.int64), np.full(size, 2 * smallest, dtype=np.int64)
    # The number is the last whose probability is above the chance: doubled, then halved.
    while (beyond := (at_least(high) >= chance) & (high < 2**50)).any():
        low[beyond], high[beyond] = high[beyond], 2 * high[beyond]
    while (apart := high - low > 1).any():
        middle = (low + high) // 2
        above = at_least(middle) >= chance
        low[apart & above], high[apart & ~above] = middle[apart & above], middle[apart & ~above]
    return low
