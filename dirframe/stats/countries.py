"""Statistics of accounts by country.

What stays out: telling which country a text means (`dirframe.unify_countries`).
"""

from __future__ import annotations

import pandas as pd

from dirframe.stats._groups import finish, group, require

__all__ = ["accounts_by_country"]


def accounts_by_country(accounts: pd.DataFrame, *, top: int | None = None) -> pd.DataFrame:
    """Count the accounts of each country.

    Parameters
    ----------
    accounts : pandas.DataFrame
        Accounts with unified countries, as `dirframe.unify_countries` gives them.
    top : int, optional
        Keep this many countries and sum up the others in a last row named
        ``other (n countries)``. A single country left over keeps its own row. Left out: all
        countries.

    Returns
    -------
    pandas.DataFrame
        A row a country (one ``country_name``), the most accounts first, then by name:

        - ``country_alpha_2`` (str): ISO 3166-1 code of two letters; missing for ``other``
        - ``country_name`` (str): name of the country
        - ``accounts`` (Int64, accounts)
        - ``share`` (Float64, 0 to 1): of the accounts whose country is known

    Raises
    ------
    InvalidInputError
        If the countries have not been unified, or `top` is below 1.

    Notes
    -----
    Accounts without a country are in no row. ``attrs["dirframe"]["counted"]`` holds
    ``accounts``, ``with_country``, ``countries``, ``countries_in_other``, and of the accounts
    in no row ``country_missing`` (no ``country_code``) and ``country_unresolved`` (a
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
    require(accounts, *columns, giver="dirframe.unify_countries(accounts)")
    groups = group(accounts["country_name"], top=top, noun="countries")
    first = pd.Series(groups.of_row).drop_duplicates()
    first = first[(first >= 0) & ((first < len(groups.names) - 1) | (groups.pooled == 0))]
    codes = pd.Series(
        accounts["country_alpha_2"].iloc[first.index].astype("str").to_numpy(), index=first
    )
    result = pd.DataFrame(
        {
            # Assigned by the number of the group: "other" has no code.
            "country_alpha_2": codes.reindex(range(len(groups.names))).astype("str"),
            "country_name": pd.Series(groups.names, dtype="str"),
            "accounts": pd.Series(groups.sizes, dtype="Int64"),
            "share": pd.Series(groups.sizes / max(groups.sizes.sum(), 1), dtype="Float64"),
        }
    )
    unknown = accounts["country_code"][~groups.named].astype("str")
    missing = unknown.isna() | (unknown.str.strip() == "")
    counted = {
        "accounts": len(accounts),
        "with_country": int(groups.named.sum()),
        "country_missing": int(missing.sum()),
        "country_unresolved": int((~missing).sum()),
        "countries": groups.distinct,
        "countries_in_other": groups.pooled,
    }
    return finish(accounts, result, step="accounts_by_country", resource="account", counted=counted)
