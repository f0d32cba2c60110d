"""Adding codes and a name to a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from dirframe.clean._column import raw_column, resolve_column
from dirframe.clean._vocabulary.iso import countries
from dirframe.errors import InvalidInputError, UnresolvedCountriesError

if TYPE_CHECKING:
    from dirframe.clean._overrides import Overrides

__all__ = ["COLUMNS", "unify_countries"]

#: The columns that are added, and the attribute of a country that fills each.
COLUMNS = {"country_alpha_2": "alpha_2", "country_alpha_3": "alpha_3", "country_name": "name"}


def unify_countries(
    data: pd.DataFrame | pd.Series[Any],
    *,
    column: str = "country_code",
    errors: Literal["coerce", "raise"] = "coerce",
    overrides: Overrides | None = None,
) -> pd.DataFrame:
    """Add the codes and the common name of the country to a frame.

    Parameters
    ----------
    data : pandas.DataFrame or pandas.Series
        A frame with a column of countries, or that column alone.
    column : str, default "country_code"
        The column that holds codes and names as they came; a Series needs none.
    errors : {"coerce", "raise"}, default "coerce"
        What a value without an answer does: "coerce" leaves it without a country,
        "raise" raises an error that lists all of them.
    overrides : Mapping of str to str or None, or pandas.DataFrame, optional
        Your own answers: raw values to two-letter codes (None for no country), or the table
        of `country_audit`. They go before every rule and match the raw value exactly.

    Returns
    -------
    pandas.DataFrame
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
        If there is no such column, or an override names no country.
    UnresolvedCountriesError
        If a value has no answer and `errors` is "raise".

    See Also
    --------
    country_audit : What became of every value, and why.

    Notes
    -----
    A value is looked up, never guessed: in the codes and names of ISO 3166-1 (pycountry), in
    names of CLDR, iso-codes, libphonenumber and the World Factbook, and in a table of our own,
    after its text was repaired and by rules that only rearrange it. What could mean two
    countries, a part of a country, a region or a dissolved state has no answer.

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
    found = resolve_column(raw_column(data, column), overrides)
    if errors == "raise" and found.unresolved:
        raise UnresolvedCountriesError(found.failures())
    # A shallow copy is enough: pandas copies a column when one of the two writes to it.
    result = (
        data.copy(deep=False) if isinstance(data, pd.DataFrame) else pd.DataFrame(index=data.index)
    )
    known = countries()
    for name, attribute in COLUMNS.items():
        values = [
            getattr(known[one.alpha_2], attribute) if one.alpha_2 else None for one in found.answers
        ]
        column_of_all = pd.array(values, dtype="str").take(found.codes, allow_fill=True)
        result[name] = pd.Series(column_of_all, index=result.index)
    return found.attach(data, result, "unify_countries")
