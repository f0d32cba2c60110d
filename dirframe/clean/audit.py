"""The table of all decisions about countries, and the note on what is missing.

What stays out: the decisions (`resolve`).
"""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pandas as pd

from dirframe.clean.iso import countries
from dirframe.clean.lookup import look_up, raw_column
from dirframe.clean.overrides import Overrides

__all__ = ["country_audit", "country_note"]


def country_audit(
    data: pd.DataFrame | pd.Series,
    *,
    column: str = "country_code",
    overrides: Overrides | None = None,
) -> pd.DataFrame:
    """Return what becomes of every distinct value of a column of countries, and why.

    Parameters
    ----------
    data
        A frame with a column of countries, or that column alone.
    column
        The column that holds codes and names as they came; a Series needs none.
    overrides
        As for `unify_countries`.

    Returns
    -------
    DataFrame
        One row for each distinct value, the most frequent first; missing values are one row
        with a missing ``raw``. Edit ``country_alpha_2`` and pass the table as `overrides`.

        - ``raw``: the value as it came
        - ``count``: how many records have it
        - ``country_alpha_2``, ``country_name``: the answer
        - ``rule``: what answered
        - ``reason``: why there is no answer
        - ``suggestion``: the country that a probable typing error means; never an answer

    Raises
    ------
    InvalidInputError
        There is no such column, or an override names no country.

    Examples
    --------
    >>> import pandas as pd
    >>> table = country_audit(pd.Series(["DE", "DE", "Korea"]))
    >>> table[["raw", "count", "country_alpha_2"]].values.tolist()
    [['DE', 2, 'DE'], ['Korea', 1, nan]]
    """
    found = look_up(raw_column(data, column), overrides)
    known = countries()
    rows = [
        (
            value,
            int(count),
            one.alpha_2,
            known[one.alpha_2].name if one.alpha_2 else None,
            one.rule or None,
            one.reason or None,
            None,
        )
        for value, count, one in zip(found.values, found.counts, found.resolutions, strict=True)
    ]
    if found.missing:
        rows.append((np.nan, found.missing, None, None, None, "no value", None))
    rows.sort(key=lambda row: (-row[1], str(row[0])))
    names = ["raw", "count", "country_alpha_2", "country_name", "rule", "reason", "suggestion"]
    table = pd.DataFrame(rows, columns=names)
    table["count"] = table["count"].astype("int64")
    for name in names[2:]:
        table[name] = table[name].astype("str")
    table.attrs = deepcopy(data.attrs)
    table.attrs["dirframe"] = {**table.attrs.get("dirframe", {}), "countries": found.summary()}
    return table


def country_note(data: pd.DataFrame) -> str:
    """Return a sentence on the records without a country, for a caption or a paper.

    Parameters
    ----------
    data
        What `unify_countries` or `country_audit` returned.

    Returns
    -------
    str
        The share of records without a country and how many they are.

    Examples
    --------
    >>> import pandas as pd
    >>> country_note(country_audit(pd.Series(["DE", "Korea", None, "FR"])))
    '50.0% of 4 records have no country: 1 has no value, 1 has a value without an answer.'
    """
    return str(data.attrs["dirframe"]["countries"])
