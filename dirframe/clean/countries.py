"""Unify countries, and show how every value was resolved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from functools import cache
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pycountry

from dirframe._arrow import as_pandas, check_unicode, type_name
from dirframe._display import quantity
from dirframe.clean.names import Country, Resolution, countries, names
from dirframe.clean.resolver import Reason, resolve
from dirframe.clean.text import clean_text, normalize
from dirframe.errors import InvalidInputError, UnresolvedCountriesError
from dirframe.provenance import copy_provenance, get_provenance, set_provenance

Overrides = Mapping[str, str | None] | pd.DataFrame

_LISTED = 20  # unresolved values in a message
_AUDIT_COLUMNS = ["raw", "count", "country_alpha_2", "country_name", "rule", "reason", "suggestion"]


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

        ``attrs["dirframe"]["countries"]`` holds the ``column`` of the raw values and the counts
        ``records``, ``resolved``, ``missing`` and ``unresolved``.

    Raises
    ------
    InvalidInputError
        If there is no such column, or an override names no country, or several.
    UnresolvedCountriesError
        If a value is unresolved and `errors` is "raise".

    Notes
    -----
    Values are looked up, never guessed: in the codes and names of ISO 3166-1 (pycountry), in
    names of CLDR, iso-codes, libphonenumber and the World Factbook, and in a table of our own.
    Before the lookup the text is repaired; rules may only rearrange it. A value that could mean
    two countries, a part of a country, a region or a dissolved state is unresolved.

    pandas reads NA, the code of Namibia, as a missing value, unless told otherwise:
    ``pd.read_csv(path, keep_default_na=False, na_values=[""])``.

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
    resolved = _resolve_column(data, column, overrides)
    failures = [
        (value, count, answer.reason)
        for value, count, answer in zip(*resolved[1:], strict=True)
        if errors == "raise" and answer.alpha_2 is None
    ]
    if failures:
        raise _unresolved_error(sorted(failures, key=lambda row: (-row[1], str(row[0]))))
    # A shallow copy is enough: pandas copies a column on write.
    result = (
        data.copy(deep=False) if isinstance(data, pd.DataFrame) else pd.DataFrame(index=data.index)
    )
    found = [countries().get(answer.alpha_2 or "") for answer in resolved.answers]
    for name in Country._fields:
        values = [country and getattr(country, name) for country in found]
        row_values = pd.array(values, dtype="str").take(resolved.codes, allow_fill=True)
        result["country_" + name] = pd.Series(row_values, index=result.index)
    return _attach(resolved, data, result, "unify_countries", column)


def with_countries(data: pd.DataFrame) -> pd.DataFrame:
    """Return accounts with their countries, which `unify_countries` adds if that was not done yet."""
    is_raw = "country_code" in data and "country_name" not in data
    return unify_countries(data) if is_raw else data


def country_audit(
    data: pd.DataFrame | pd.Series[Any],
    *,
    column: str = "country_code",
    overrides: Overrides | None = None,
) -> pd.DataFrame:
    """Return how every distinct value of a column of countries is resolved, and why.

    Parameters
    ----------
    data, column, overrides
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
        As for `unify_countries`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = country_audit(pd.Series(["DE", "DE", "Korea"]))
    >>> table[["raw", "count", "country_alpha_2"]].values.tolist()
    [['DE', 2, 'DE'], ['Korea', 1, nan]]
    """
    data = as_pandas(data)
    resolved = _resolve_column(data, column, overrides)
    audited = data.name if isinstance(data, pd.Series) else column
    rows: list[tuple[Hashable, int, str | None, str | None, str, str, str]] = []
    for value, count, answer in zip(*resolved[1:], strict=True):
        name = countries()[answer.alpha_2].name if answer.alpha_2 else None
        suggestion = _suggest(value) if answer.reason == Reason.UNKNOWN else ""
        rows.append((value, count, answer.alpha_2, name, answer.rule, answer.reason, suggestion))
    is_text = all(isinstance(row[0], str) for row in rows)
    if missing := len(resolved.codes) - sum(resolved.counts):
        rows.append((np.nan, missing, None, None, "", "no value", ""))
    rows.sort(key=lambda row: (-row[1], str(row[0])))
    try:
        table = pd.DataFrame(rows, columns=_AUDIT_COLUMNS)
    except UnicodeEncodeError:
        check_unicode(data if isinstance(data, pd.Series) else data[column], audited)
        raise
    table["raw"] = table["raw"].astype("str" if is_text else "object")
    table["count"] = table["count"].astype("int64")
    for column_name in _AUDIT_COLUMNS[2:]:
        table[column_name] = table[column_name].astype("str")
    _attach(resolved, data, table, "country_audit", "raw")
    statistic = {"name": "country_audit"}
    if audited is not None:
        statistic["column"] = str(audited)
    return set_provenance(table, statistic=statistic)


def country_note(data: pd.DataFrame) -> str:
    """Return a sentence on the records without a country, for a caption or a paper.

    Parameters
    ----------
    data : pandas.DataFrame
        A frame returned by `unify_countries` or `country_audit`, or some of its rows with the
        raw values.

    Returns
    -------
    str
        The number of records without a country, their share, and the reasons.

    Raises
    ------
    InvalidInputError
        If the frame was returned by neither, or some rows have no raw values.

    Examples
    --------
    >>> import pandas as pd
    >>> country_note(country_audit(pd.Series(["DE", "Korea", None, "FR"])))
    '2 of 4 records (50.0%) have no country: 1 without a value, 1 with a value that names none. \
Shares by country describe only the others.'
    """
    frame = as_pandas(data)
    record = get_provenance(frame)
    if (counts := _current_counts(frame, record["countries"])) is None:
        raise InvalidInputError(
            "The frame does not record how many of its records have no country.",
            hint="Pass what unify_countries() or country_audit() returned (a file of dirframe clean).",
        )
    noun = record["resource"] or "record"
    records, without, missing = counts
    if not records:
        return f"There are no {noun}s."
    have = "has" if without == 1 else "have"
    return (
        f"{without:,} of {quantity(records, noun)} ({without / records:.1%}) {have} no country: "
        f"{missing:,} without a value, {without - missing:,} with a value that names none. Shares by "
        "country describe only the others."
    )


def _current_counts(frame: pd.DataFrame, counts: dict[str, Any]) -> tuple[int, int, int] | None:
    """Return the numbers of records, without a country, and without a value; None if unknown."""
    column = counts.get("column")
    if column in frame and "country_alpha_2" in frame:
        is_audit = set(_AUDIT_COLUMNS) <= set(frame)
        records = frame["count"] if is_audit else pd.Series(1, frame.index)
        none = records[frame["country_alpha_2"].isna()]
        missing = none[frame[column].isna()]
        return int(records.sum()), int(none.sum()), int(missing.sum())
    if counts.get("records") != len(frame):
        return None
    return counts["records"], counts["records"] - counts["resolved"], counts["missing"]


class _Resolved(NamedTuple):
    """The distinct values of a column with counts and answers; `codes` is -1 or an index per row."""

    codes: npt.NDArray[np.intp]
    values: list[Hashable]
    counts: list[int]
    answers: list[Resolution]


def _attach(
    resolved: _Resolved, source: Any, target: pd.DataFrame, step: str, column: str
) -> pd.DataFrame:
    """Copy the provenance to the result, and add its column of raw values and the counts."""
    # The step is idempotent, so it is recorded once.
    last_step = get_provenance(source)["steps"][-1:]
    copy_provenance(source, target, "" if last_step == [step] else step)
    pairs = zip(resolved.counts, resolved.answers, strict=True)
    records, given = len(resolved.codes), sum(resolved.counts)
    named = sum(count for count, answer in pairs if answer.alpha_2)
    countries = {
        "column": column,
        "records": records,
        "resolved": named,
        "missing": records - given,
        "unresolved": given - named,
    }
    return set_provenance(target, countries=countries)


def _resolve_column(
    data: pd.DataFrame | pd.Series[Any], column: str, overrides: Overrides | None
) -> _Resolved:
    """Resolve each distinct value of the only column of this name once."""
    holder = "The Series holds"
    if isinstance(data, pd.DataFrame):
        holder = f"The column {column} holds"
        if (count := list(data).count(column)) != 1:
            raise InvalidInputError(
                f"The frame has {count or 'no'} column{'s' if count else ''} {column!r}. "
                f"It has {', '.join(map(repr, data.columns[:30])) or 'no column at all'}.",
                hint="Pass column= (--column) to name the one that holds the countries.",
            )
        data = data[column]
    elif not isinstance(data, pd.Series):
        raise InvalidInputError(
            f"Expected a DataFrame or a Series of countries; got {type_name(data)}."
        )
    decided = _checked_overrides(overrides)
    if data.dtype == "object" and not data.map(pd.api.types.is_hashable).all():
        raise InvalidInputError(
            f"{holder} lists or other values that are no text.",
            hint="Make a row of each entry first, such as with pandas.DataFrame.explode.",
        )
    codes, uniques = pd.factorize(data)
    values = list(uniques)
    counts = np.bincount(codes[codes >= 0], minlength=len(values)).tolist()
    answers = [decided[value] if value in decided else resolve(value) for value in values]
    return _Resolved(codes, values, counts, answers)


def _unresolved_error(unresolved: list[tuple[object, int, str]]) -> UnresolvedCountriesError:
    """Return the error of values that name no country, with the first twenty of them."""
    values = quantity(len(unresolved), "value")
    records = quantity(sum(count for _, count, _ in unresolved), "record")
    lines = [f"\n  {value!r} ({count:,}): {reason}" for value, count, reason in unresolved]
    more = f"\n  and {len(lines) - _LISTED:,} more" if len(lines) > _LISTED else ""
    return UnresolvedCountriesError(
        f"Without a country: {values} in {records}:{''.join(lines[:_LISTED])}{more}",
        hint="Resolve them with overrides={value: code or None} (--overrides FILE, which --audit "
        'writes), or pass errors="coerce" (leave --strict out).',
        unresolved=unresolved,
    )


def _checked_overrides(overrides: Overrides | None) -> dict[Hashable, Resolution]:
    """Return the answers of overrides by raw value; raise if a code is not a country."""
    if overrides is None:
        return {}
    if isinstance(overrides, pd.DataFrame):
        if absent := [name for name in ("raw", "country_alpha_2") if name not in overrides]:
            raise InvalidInputError(
                f"The table of overrides has no column {' and no column '.join(map(repr, absent))}.",
                hint="A frame of overrides is the table of country_audit(), which --audit writes.",
            )
        pairs = overrides[["raw", "country_alpha_2"]].dropna(subset="raw").drop_duplicates()
        if twice := [*pairs["raw"][pairs["raw"].duplicated()].unique()]:
            examples = ", ".join(map(repr, twice[:5]))
            raise InvalidInputError(
                f"Overrides with several answers: {examples}. Keep one of each."
            )
        overrides = dict(zip(pairs["raw"], pairs["country_alpha_2"], strict=True))
    if not isinstance(overrides, Mapping):
        raise InvalidInputError(
            "overrides is a mapping of raw values to two-letter codes (None for no country) or "
            f"the table of country_audit(), not {type(overrides).__name__}."
        )
    given: dict[Any, Any] = {**overrides}
    codes = {
        raw: None if pd.isna(code) else code for raw, code in given.items() if not pd.isna(raw)
    }
    # Readers of CSV make numbers of codes such as 840, which are text in accounts.
    codes |= {str(raw): code for raw, code in codes.items() if isinstance(raw, Integral)}
    invalid = {raw: code for raw, code in codes.items() if code not in (None, *countries())}
    if invalid:
        examples = ", ".join(f"{raw!r}: {code!r}" for raw, code in list(invalid.items())[:5])
        raise InvalidInputError(
            f"Overrides without a valid country code ({len(invalid)}): {examples}. Give a two-letter code of "
            "ISO 3166-1 in capitals (or XK), or None for no country."
        )
    return {
        raw: Resolution(code, "override") if code else Resolution(None, reason=Reason.OVERRIDE)
        for raw, code in codes.items()
    }


#: Shortest and longest key for which a country is suggested.
_SHORTEST_SUGGESTED, _LONGEST_SUGGESTED = 5, 60


def _suggest(raw: Hashable) -> str:
    """Return the only country whose English name differs in one letter; it is never applied."""
    is_short = isinstance(raw, str) and len(raw) <= _LONGEST_SUGGESTED
    key = normalize(clean_text(str(raw))).replace(" ", "") if is_short else ""
    if len(key) < _SHORTEST_SUGGESTED or key in _subdivisions():  # Konya is no misspelt Kenya
        return ""
    spellings = with_a_letter_left_out(key)
    codes = {code for text in spellings for code in _misspelt_names().get(text, ())}
    return f"{min(codes)} ({countries()[min(codes)].name})?" if len(codes) == 1 else ""


@cache
def _subdivisions() -> frozenset[str]:
    return frozenset(normalize(entry.name).replace(" ", "") for entry in pycountry.subdivisions)


@cache
def _misspelt_names() -> dict[str, set[str]]:
    """Return the codes of the English names that have each spelling when a letter is left out."""
    by_spelling: dict[str, set[str]] = defaultdict(set)
    for name, code in names().english.items():
        key = name.replace(" ", "")
        if len(key) >= _SHORTEST_SUGGESTED:
            for text in with_a_letter_left_out(key):
                by_spelling[text].add(code)
    return by_spelling


def with_a_letter_left_out(key: str) -> set[str]:
    """Return what keys that differ in a letter, or in the order of two, have in common."""
    return {key, *(key[:at] + key[at + 1 :] for at in range(len(key)))}
