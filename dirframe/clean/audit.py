"""Audit table of country resolutions, and a note on missing countries."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe._arrow import as_pandas
from dirframe.clean._column import raw_column, resolve_column
from dirframe.clean._reasons import Reason, explain
from dirframe.clean._vocabulary.iso import countries
from dirframe.clean.suggest import suggest
from dirframe.errors import InvalidInputError
from dirframe.provenance import ATTRIBUTE

if TYPE_CHECKING:
    from dirframe.clean._overrides import Overrides
    from dirframe.clean.name_index import Resolution

_COLUMNS = ["raw", "count", "country_alpha_2", "country_name", "rule", "reason", "suggestion"]
_Row = tuple[Hashable, int, str | None, str | None, str, str, str]


def country_audit(
    data: pd.DataFrame | pd.Series[Any],
    *,
    column: str = "country_code",
    overrides: Overrides | None = None,
) -> pd.DataFrame:
    """Return how every distinct value of a column of countries is resolved, and why.

    Parameters
    ----------
    data : pandas.DataFrame or pandas.Series
        A frame with a column of countries, or that column alone.
    column : str, default "country_code"
        The column of raw codes and names; ignored for a Series.
    overrides : Mapping of str to str or None, or pandas.DataFrame, optional
        As for `unify_countries`.

    Returns
    -------
    pandas.DataFrame
        One row for each distinct value, the most frequent first; missing values are one row
        with a missing ``raw``. Edit ``country_alpha_2`` and pass the table as `overrides` to
        decide every value in it, including the unresolved ones.

        - ``raw``: the raw value
        - ``count`` (int64, records): records with this value
        - ``country_alpha_2``, ``country_name``: the resolved country
        - ``rule``: the rule that resolved the value, or empty
        - ``reason``: why the value is unresolved, or empty
        - ``suggestion``: the country that a probable typing error means; never applied

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
    data = as_pandas(data)
    resolved = resolve_column(raw_column(data, column), overrides)
    rows = [
        _row(value, int(count), answer)
        for value, count, answer in zip(
            resolved.values, resolved.counts, resolved.answers, strict=True
        )
    ]
    is_text = all(isinstance(row[0], str) for row in rows)
    if resolved.missing:
        rows.append((np.nan, resolved.missing, None, None, "", "no value", ""))
    rows.sort(key=lambda row: (-row[1], str(row[0])))
    table = pd.DataFrame(rows, columns=_COLUMNS)
    table["raw"] = table["raw"].astype("str" if is_text else "object")
    table["count"] = table["count"].astype("int64")
    for name in _COLUMNS[2:]:
        table[name] = table[name].astype("str")
    return resolved.attach(data, table, "country_audit")


def _row(value: Hashable, count: int, answer: Resolution) -> _Row:
    if answer.alpha_2:
        return value, count, answer.alpha_2, countries()[answer.alpha_2].name, answer.rule, "", ""
    reason = explain(value, answer.reason)
    # A subdivision has a reason of its own, and is no misspelt country.
    code = suggest(value) if reason is Reason.UNKNOWN else None
    suggestion = f"{code} ({countries()[code].name})?" if code else ""
    return value, count, None, None, "", reason, suggestion


def country_note(data: pd.DataFrame) -> str:
    """Return a sentence on the records without a country, for a caption or a paper.

    Parameters
    ----------
    data : pandas.DataFrame
        A frame returned by `unify_countries` or `country_audit`.

    Returns
    -------
    str
        The number of records without a country, their share, and the reasons.

    Raises
    ------
    InvalidInputError
        If the frame was returned by neither.

    Examples
    --------
    >>> import pandas as pd
    >>> country_note(country_audit(pd.Series(["DE", "Korea", None, "FR"])))
    '2 of 4 records (50.0%) have no country: 1 without a value, 1 with a value that names none. \
Shares by country describe the others alone.'
    """
    record = getattr(as_pandas(data), "attrs", {}).get(ATTRIBUTE)
    counts = record.get("countries") if isinstance(record, dict) else None
    if not isinstance(counts, dict):
        raise InvalidInputError(
            "The frame does not record how many of its records have no country.",
            hint="Pass what unify_countries() or country_audit() returned (a file of dirframe clean).",
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
