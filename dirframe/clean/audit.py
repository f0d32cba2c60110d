"""The table of all decisions about countries, and the note on what is missing."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe.clean._column import raw_column, resolve_column
from dirframe.clean._reasons import UNKNOWN, explain
from dirframe.clean._vocabulary.iso import countries
from dirframe.clean.suggest import suggest
from dirframe.errors import Hint, InvalidInputError
from dirframe.provenance import ATTRIBUTE

if TYPE_CHECKING:
    from dirframe.clean._overrides import Overrides
    from dirframe.clean.name_index import Resolution

__all__ = ["country_audit", "country_note"]

_COLUMNS = ["raw", "count", "country_alpha_2", "country_name", "rule", "reason", "suggestion"]
_Row = tuple[Hashable, int, str | None, str | None, str, str, str]


def country_audit(
    data: pd.DataFrame | pd.Series[Any],
    *,
    column: str = "country_code",
    overrides: Overrides | None = None,
) -> pd.DataFrame:
    """Return what becomes of every distinct value of a column of countries, and why.

    Parameters
    ----------
    data : pandas.DataFrame or pandas.Series
        A frame with a column of countries, or that column alone.
    column : str, default "country_code"
        The column that holds codes and names as they came; a Series needs none.
    overrides : Mapping of str to str or None, or pandas.DataFrame, optional
        As for `unify_countries`.

    Returns
    -------
    pandas.DataFrame
        One row for each distinct value, the most frequent first; missing values are one row
        with a missing ``raw``. Edit ``country_alpha_2`` and pass the table as `overrides`: it
        then decides every value in it, those without an answer too.

        - ``raw``: the value as it came
        - ``count`` (int64, records): how many have it
        - ``country_alpha_2``, ``country_name``: the answer
        - ``rule``: what answered, or empty
        - ``reason``: why there is no answer, or empty
        - ``suggestion``: the country that a probable typing error means; never an answer

    Raises
    ------
    InvalidInputError
        If there is no such column, or an override names no country.

    Examples
    --------
    >>> import pandas as pd
    >>> table = country_audit(pd.Series(["DE", "DE", "Korea"]))
    >>> table[["raw", "count", "country_alpha_2"]].values.tolist()
    [['DE', 2, 'DE'], ['Korea', 1, nan]]
    """
    found = resolve_column(raw_column(data, column), overrides)
    rows = [
        _row(value, int(count), one)
        for value, count, one in zip(found.values, found.counts, found.answers, strict=True)
    ]
    if found.missing:
        rows.append((np.nan, found.missing, None, None, "", "no value", ""))
    rows.sort(key=lambda row: (-row[1], str(row[0])))
    table = pd.DataFrame(rows, columns=_COLUMNS)
    table["raw"] = table["raw"].astype("object" if found.mixed else "str")
    table["count"] = table["count"].astype("int64")
    for name in _COLUMNS[2:]:
        table[name] = table[name].astype("str")
    return found.attach(data, table, "country_audit")


def _row(value: Hashable, count: int, one: Resolution) -> _Row:
    if one.alpha_2:
        return value, count, one.alpha_2, countries()[one.alpha_2].name, one.rule, "", ""
    reason = explain(value, one.reason)
    near = suggest(value) if reason == UNKNOWN else None
    suggestion = f"{near} ({countries()[near].name})?" if near else ""
    return value, count, None, None, "", reason, suggestion


def country_note(data: pd.DataFrame) -> str:
    """Return a sentence on the records without a country, for a caption or a paper.

    Parameters
    ----------
    data : pandas.DataFrame
        What `unify_countries` or `country_audit` returned.

    Returns
    -------
    str
        How many records have no country, their share, and of which kind they are.

    Raises
    ------
    InvalidInputError
        If the frame is neither.

    Examples
    --------
    >>> import pandas as pd
    >>> country_note(country_audit(pd.Series(["DE", "Korea", None, "FR"])))
    '2 of 4 records (50.0%) have no country: 1 without a value, 1 with a value that names none. \
Shares by country describe the others alone.'
    """
    record = data.attrs.get(ATTRIBUTE)
    counts = record.get("countries") if isinstance(record, dict) else None
    if not isinstance(counts, dict):
        raise InvalidInputError(
            "The frame does not know how many of its records have no country.",
            hint=Hint(
                "Pass what unify_countries() or country_audit() returned.",
                shell="Name a file of dirframe clean.",
            ),
        )
    resource = record.get("resource") if isinstance(record, dict) else None
    records, missing, unresolved = (counts[k] for k in ("records", "missing", "unresolved"))
    noun = f"{resource or 'record'}s"
    if not records:
        return f"There are no {noun}."
    without = missing + unresolved
    return (
        f"{without:,} of {records:,} {noun} ({without / records:.1%}) have no country: {missing:,} "
        f"without a value, {unresolved:,} with a value that names none. Shares by country "
        "describe the others alone."
    )
