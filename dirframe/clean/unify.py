"""Add ISO 3166-1 codes and the common country name to a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from dirframe._arrow import as_pandas
from dirframe.clean._column import raw_column, resolve_column
from dirframe.clean._vocabulary.iso import countries
from dirframe.errors import InvalidInputError, UnresolvedCountriesError

if TYPE_CHECKING:
    from dirframe.clean._overrides import Overrides

#: Added columns, and the attribute of `Country` that fills each.
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
        The column of raw codes and names; ignored for a Series.
    errors : {"coerce", "raise"}, default "coerce"
        How to handle unresolved values: "coerce" leaves them without a country,
        "raise" raises an error that lists all of them.
    overrides : Mapping of str to str or None, or pandas.DataFrame, optional
        Raw values mapped to two-letter codes (None for no country), or the table of
        `country_audit`. Overrides precede every rule and match the raw value exactly.

    Returns
    -------
    pandas.DataFrame
        A new frame; the raw value is kept. For a Series, only the three columns, with its
        index. Columns added, or replaced if they exist, all of dtype str:

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
        If a value is unresolved and `errors` is "raise".

    See Also
    --------
    country_audit : How every value was resolved, and why.

    Notes
    -----
    Values are looked up, never guessed: in the codes and names of ISO 3166-1 (pycountry), in
    names of CLDR, iso-codes, libphonenumber and the World Factbook, and in a table of our own.
    Before the lookup the text is repaired; rules may only rearrange it. A value that could mean
    two countries, a part of a country, a region or a dissolved state is unresolved.

    The code of Namibia is NA, which pandas reads from a CSV file as a missing value. Read with ``pd.read_csv(path, keep_default_na=False, na_values=[""])``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"country_code": ["DE", "Namibia", "Atlantis"]})
    >>> unify_countries(frame)["country_alpha_2"].tolist()
    ['DE', 'NA', nan]
    """
    if errors not in ("coerce", "raise"):
        raise InvalidInputError(f'errors is "coerce" or "raise", not {errors!r}.')
    data = as_pandas(data)
    resolved = resolve_column(raw_column(data, column), overrides)
    if errors == "raise" and (failures := resolved.failures()):
        raise UnresolvedCountriesError(failures)
    # A shallow copy is enough: pandas copies a column on write.
    result = (
        data.copy(deep=False) if isinstance(data, pd.DataFrame) else pd.DataFrame(index=data.index)
    )
    country_by_code = countries()
    for name, attribute in COLUMNS.items():
        values = [
            getattr(country_by_code[answer.alpha_2], attribute) if answer.alpha_2 else None
            for answer in resolved.answers
        ]
        row_values = pd.array(values, dtype="str").take(resolved.codes, allow_fill=True)
        result[name] = pd.Series(row_values, index=result.index)
    return resolved.attach(data, result, "unify_countries")
