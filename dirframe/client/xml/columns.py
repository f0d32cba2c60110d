"""Convert columns of texts to their types."""

# Services of this kind write numbers as ``1935``, as ``1,935`` with thousands separators, as
# ``12.3%`` in percent, as ``-`` or ``N/A`` for none and as ``<1`` for less than one, which is read as
# 0.5, the middle of its range. A share of change that is sent without its sign has that of the change. A timestamp without a zone is UTC. Text that cannot be converted is kept, never
# dropped.

from __future__ import annotations

import re
from collections.abc import Collection, Container, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from math import isfinite
from typing import Any, TypeAlias

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.extensions import ExtensionArray

from dirframe._arrow import loader_array
from dirframe.errors import UnreadableValueWarning, warn
from dirframe.schema import LESS_THAN_ONE, Field, Kind

_ARROW_TYPES = {
    Kind.INTEGER: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.TIMESTAMP: pa.timestamp("us", tz="UTC"),
}

#: The values of a column; lists are a Series of objects.
Column: TypeAlias = "ExtensionArray | pd.Series[Any]"

#: Texts for no number and no time.
_NOTHING = ["-", "N/A"]

_NUMBER = re.compile(
    r"[+-]?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+|(?=\.\d))(?:\.\d*)?(?:[eE][+-]?\d{1,3})?"
)


def typed_columns(
    cells: Mapping[str, Sequence[Any]], fields: Sequence[Field], *, collection: str, infers: bool
) -> dict[str, Column]:
    """Return texts in the dtypes of their fields, and beside them what could not be converted.

    Columns without a field are text, or if `infers` what all their texts are.
    """
    by_column = {field.column: field for field in fields}
    columns: dict[str, Column] = {}
    unreadable = []
    for name, values in cells.items():
        field = by_column.get(name)
        usual = None if infers else Kind.TEXT
        kind = usual if field is None else field.kind
        present = values
        if field is not None and field.missing:
            present = [None if value == field.missing else value for value in values]
        if kind is Kind.ITEMS or not {list, dict}.isdisjoint(map(type, present)):
            lists = [None if value is None else listed(value) for value in present]
            columns[name] = pd.Series(lists, dtype="object")
            continue
        columns[name], texts = _converted(present, kind or _inferred(name, {*present} - {None}))
        if texts is not None:
            columns[free_name(f"{name}_unreadable", cells)] = texts
            kept = pd.Series(texts).dropna()
            examples = ", ".join(repr(text[:40]) for text in kept.unique()[:3])
            unreadable.append(f"{len(kept):,} in {name} ({examples})")
    if unreadable:
        words = f"Values of the {collection} could not be read: {'; '.join(unreadable)}."
        place = "They are missing there and kept as text in the columns that end in _unreadable."
        warn(UnreadableValueWarning(f"{words} {place}"))
    for field in fields:
        if field.sign and field.column in columns:
            change = columns.get("_".join(field.sign))
            if change is not None:
                sizes = pd.Series(columns[field.column])
                columns[field.column] = _signed(sizes, pd.Series(change))
    return columns


def _signed(sizes: pd.Series[Any], change: pd.Series[Any]) -> pd.Series[Any]:
    """Return numbers with the signs of the numbers that they are shares of, where these are known."""
    if "object" in {str(sizes.dtype), str(change.dtype)}:
        return sizes
    return sizes.mask((change < 0).fillna(False), -sizes.abs())


def listed(value: Any) -> list[Any]:
    """Return a list, or a list of what is none."""
    return value if isinstance(value, list) else [value]


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name that is not taken."""
    while name in taken:
        name += "_"
    return name


def _converted(
    values: Sequence[str | None], kind: Kind
) -> tuple[ExtensionArray, ExtensionArray | None]:
    """Return texts in the dtype of a kind, and those that are no number or timestamp, if any."""
    text = pa.array(values, pa.large_string())
    if kind not in _ARROW_TYPES:
        return loader_array(text), None
    text = pc.utf8_trim_whitespace(text)
    text = pc.if_else(pc.equal(text, ""), None, text)
    with suppress(pa.ArrowInvalid):
        array = text.cast(_ARROW_TYPES[kind])
        # pyarrow reads 0x10 as a whole number, but not as a float.
        is_time = kind is Kind.TIMESTAMP
        if is_time or pc.all(pc.is_finite(text.cast(pa.float64())), min_count=0).as_py():
            return loader_array(array), None
    return _convert_each(text.dictionary_encode(), kind)


def _convert_each(
    text: pa.DictionaryArray, kind: Kind
) -> tuple[ExtensionArray, ExtensionArray | None]:
    words = text.dictionary.to_pylist()
    if kind is Kind.TIMESTAMP:
        # pandas accepts dates without a time and offsets; its "now" and "today" are no timestamps.
        dated = pd.Series([w if w[:1].isdigit() else None for w in words], dtype="str")
        moments = pd.to_datetime(dated, format="ISO8601", utc=True, errors="coerce")
        converted = pa.Array.from_pandas(moments.dt.as_unit("us"), type=_ARROW_TYPES[kind])
    else:
        converted = pa.array([_number(word, kind) for word in words], _ARROW_TYPES[kind])
    is_none = pc.is_in(text.dictionary, pa.array(_NOTHING, text.dictionary.type))
    is_kept = pc.and_(converted.is_null(), pc.invert(is_none))
    kept = pc.if_else(is_kept, text.dictionary, None).take(text.indices)
    array = loader_array(converted.take(text.indices))
    return array, loader_array(kept) if kept.null_count < len(kept) else None


def _number(text: str, kind: Kind) -> float | None:
    if kind is Kind.NUMBER:
        text = "0.5" if text == LESS_THAN_ONE else text.removesuffix("%").rstrip()
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text.replace(",", ""))
    if kind is Kind.NUMBER:
        return float(number) if isfinite(float(number)) else None
    is_held = -(2**63) <= number < 2**63 and number == number.to_integral_value()
    return int(number) if is_held else None


# -- columns that nobody described ---------------------------------------------------------

#: Columns of identifiers, names and addresses are text, whatever one directory has in them.
_TEXTS = re.compile(
    r"(?:.*_)?(?:id|key|login|md5|name|sha1|title|type|url|version|description|about|message|phone|zip)"
)
_WHOLE = re.compile(r"0|-?[1-9]\d{0,18}")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.(\d+))?(?:[eE][+-]?\d{1,3})?")
_MOMENT = re.compile(r"\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?)?)?")


def _inferred(name: str, texts: Collection[str]) -> Kind:
    """Return the kind that all texts of a column have without any loss; text if there is none."""
    if not texts or _TEXTS.fullmatch(name):
        return Kind.TEXT
    for kind, pattern in ((Kind.INTEGER, _WHOLE), (Kind.TIMESTAMP, _MOMENT)):
        if all(map(pattern.fullmatch, texts)):
            return kind if _converted([*texts], kind)[1] is None else Kind.TEXT
    matches = [_DECIMAL.fullmatch(text) for text in texts]
    if not all(m and Decimal(repr(float(m[0]))) == Decimal(m[0]) for m in matches):
        return Kind.TEXT
    # 1.50 beside 2.25 is a price; 1.10 beside 1.1 is a version, and would lose its zero.
    digits = {m[1] or "" for m in matches if m}
    ends = any(len(one) > 1 and one.endswith("0") for one in digits)
    return Kind.TEXT if ends and len({*map(len, digits)}) > 1 else Kind.NUMBER
