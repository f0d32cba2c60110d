"""Numbers of accounts by country."""

from __future__ import annotations

from typing import Unpack

import pandas as pd

from dirframe.stats._core.columns import text_column
from dirframe.stats._core.groupby import as_int64, group_sizes, has_name, rank_names, shares
from dirframe.stats._core.loaders import UNIFIED_ACCOUNTS
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable


@selectable
def accounts_by_country(
    accounts: Frame,
    *,
    top: int | None = None,
    **_selection: Unpack[Selection],
) -> Counted:
    """Count the accounts of each country.

    Parameters
    ----------
    accounts : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts with unified countries, as `dirframe.unify_countries` gives them.
    top : int, optional
        Keep this many countries and sum up the others in a last row named
        ``other (n countries)``, with thousands separated by commas. A single country left over
        keeps its own row. By default, all countries.

    Returns
    -------
    pandas.DataFrame
        One row per country (one ``country_name``), the most accounts first, then by name (by code
        point), ``other`` last whatever its size:

        - ``country_alpha_2`` (str): ISO 3166-1 code of two letters, the first by alphabet
          where the accounts have several; missing for ``other``
        - ``country_name`` (str): name of the country
        - ``accounts`` (Int64, accounts)
        - ``share`` (Float64, 0 to 1): of the accounts whose country is known, those in
          ``other`` included

    Raises
    ------
    InvalidInputError
        If the countries have not been unified, or `top` is below 1.

    Notes
    -----
    Accounts without a country, whose ``country_name`` is missing or blank, are in no row.
    ``attrs["dirframe"]["counted"]`` holds ``accounts`` (all), ``with_country``, ``countries``
    (those in ``other`` too), ``countries_in_other``, and of the accounts in no row
    ``country_missing`` (a missing or blank ``country_code``) and ``country_unresolved`` (a
    ``country_code`` that names no country).

    Examples
    --------
    >>> import pandas as pd
    >>> accounts = pd.DataFrame({
    ...     "country_code": ["DE", "Germany", "NA", "Atlantis", None],
    ...     "country_alpha_2": ["DE", "DE", "NA", None, None],
    ...     "country_name": ["Germany", "Germany", "Namibia", None, None],
    ... })
    >>> print(accounts_by_country(accounts))
      country_alpha_2 country_name  accounts     share
    0              DE      Germany         2  0.666667
    1              NA      Namibia         1  0.333333
    """
    columns = ("country_code", "country_alpha_2", "country_name")
    require_columns(accounts, *columns, loader=UNIFIED_ACCOUNTS)
    sizes = group_sizes(accounts, {name: text_column(name) for name in columns})
    has_country, has_code = has_name(sizes, "country_name"), has_name(sizes, "country_code")
    rows = sizes[has_country].astype({"country_name": "str", "country_alpha_2": "str"})
    by_name = rows.groupby("country_name")
    totals = by_name["records"].sum().reset_index()
    names, pooled = rank_names(totals, "country_name", ["records"], top=top, noun="countries")
    order = pd.Index(dict.fromkeys(names), dtype="str")
    count = as_int64(
        rows["records"].groupby(names.reindex(rows["country_name"]).to_numpy()).sum().reindex(order)
    )
    codes = by_name["country_alpha_2"].min().reindex(order)
    result = pd.DataFrame(
        {
            "country_alpha_2": pd.Series(codes.to_numpy(), dtype="str"),
            "country_name": pd.Series(order, dtype="str"),
            "accounts": count,
            "share": shares(count),
        }
    )
    records = sizes["records"]
    counted = {
        "accounts": int(records.sum()),
        "with_country": int(records[has_country].sum()),
        "country_missing": int(records[~has_country & ~has_code].sum()),
        "country_unresolved": int(records[~has_country & has_code].sum()),
        "countries": len(names),
        "countries_in_other": pooled,
    }
    return result, counted
