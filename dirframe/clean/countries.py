"""Adding codes and a name to a frame.

What stays out: how a value is resolved (`resolve`), the table of decisions (`audit`).
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Literal

import numpy as np
import pandas as pd

from dirframe.clean.iso import countries
from dirframe.clean.lookup import Lookup, look_up, raw_column
from dirframe.clean.overrides import Overrides
from dirframe.errors import InvalidInputError, UnresolvedCountriesError

__all__ = ["COLUMNS", "unify_countries"]

#: The columns that are added, and the attribute of a country that fills each.
COLUMNS = {"country_alpha_2": "alpha_2", "country_alpha_3": "alpha_3", "country_name": "name"}


def unify_countries(
    data: pd.DataFrame | pd.Series,
    *,
    column: str = "country_code",
    errors: Literal["coerce", "raise"] = "coerce",
    overrides: Overrides | None = None,
) -> pd.DataFrame:
    """Add the codes and the common name of the country to a frame.

    Parameters
    ----------
    data
        A frame with a column of countries, or that column alone.
    column
        The column that holds codes and names as they came; a Series needs none.
    errors
        What a value without an answer does: "coerce" leaves it without a country,
        "raise" raises an error that lists all of them.
    overrides
        Your own answers: raw values to two-letter codes (None for no country), or the table
        of `country_audit`. They go before every rule and match the raw value exactly.

    Returns
    -------
    DataFrame
        A new frame; the raw value is kept. Of a Series, only the three columns, with its
        index. Columns added, or replaced where they exist, all of dtype str:

        - ``country_alpha_2``: two-letter code of ISO 3166-1, or XK for Kosovo
        - ``country_alpha_3``: three-letter code, or XKX
        - ``country_name``: the common English name

        ``attrs["dirframe"]["countries"]`` holds the counts ``records``, ``resolved``,
        ``missing``, ``unresolved`` and ``unresolved_values`` (distinct).

    Raises
    ------
    InvalidInputError
        There is no such column, or an override names no country.
    UnresolvedCountriesError
        A value has no answer, and `errors` is "raise".

    Notes
    -----
    The code of Namibia is NA, which pandas takes for a missing value when it reads a CSV
    file. Read with ``pd.read_csv(path, keep_default_na=False, na_values=[""])``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"country_code": ["DE", "Namibia", "Atlantis"]})
    >>> unify_countries(frame)["country_alpha_2"].tolist()
    ['DE', 'NA', nan]
    """
    if errors not in ("coerce", "raise"):
        raise InvalidInputError(f'errors is "coerce" or "raise", not {errors!r}.')
    raw = raw_column(data, column)
    found = look_up(raw, overrides)
    if errors == "raise" and found.unresolved:
        raise UnresolvedCountriesError(found.failures())
    result = data.copy() if isinstance(data, pd.DataFrame) else pd.DataFrame(index=data.index)
    for name, values in _columns(found).items():
        result[name] = pd.Series(values, index=result.index, dtype="str")
    result.attrs = _attrs(data.attrs, found)
    return result


def _columns(found: Lookup) -> dict[str, Any]:
    known = countries()
    made = {}
    for name, attribute in COLUMNS.items():
        # The last place is that of a missing value: its code is -1.
        values = np.array(
            [
                getattr(known[one.alpha_2], attribute) if one.alpha_2 else np.nan
                for one in found.resolutions
            ]
            + [np.nan],
            dtype=object,
        )
        made[name] = pd.array(values, dtype="str").take(found.codes % len(values))
    return made


def _attrs(attrs: dict[Any, Any], found: Lookup) -> dict[Any, Any]:
    carried = deepcopy(attrs)
    carried["dirframe"] = {**carried.get("dirframe", {}), "countries": found.summary()}
    return carried
