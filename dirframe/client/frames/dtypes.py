"""Convert texts to typed arrays."""

# Services of this kind write numbers as ``1935``, as ``1,935`` with thousands separators, as
# ``12.3%`` in percent, as ``-`` for none and as ``<1`` for less than one, which is read as 0.5, the
# middle of its range. A timestamp without a zone is UTC. Surrounding whitespace is removed, and empty
# text is missing. Text that cannot be converted is returned, never dropped.

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from dirframe.schema import LESS_THAN_ONE, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence


_ARROW_TYPES = {
    Kind.INTEGER: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.TIMESTAMP: pa.timestamp("us", tz="UTC"),
}
_TEXT = pa.large_string()
_PANDAS_TYPES = {
    _TEXT: pd.StringDtype(na_value=np.nan),
    pa.int64(): pd.Int64Dtype(),
    pa.float64(): pd.Float64Dtype(),
}

_NUMBER = re.compile(
    r"[+-]?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+|(?=\.\d))(?:\.\d*)?(?:[eE][+-]?\d{1,3})?"
)
_NONE = "-"
_INT64 = range(-(2**63), 2**63)


class ConvertedColumn(NamedTuple):
    """A typed array, and the texts that could not be converted (None if all could)."""

    array: pa.Array
    unreadable: pa.Array | None


def convert_column(values: Sequence[str | None] | pa.Array, kind: Kind) -> ConvertedColumn:
    """Convert texts to the type of a kind of field.

    Parameters
    ----------
    values
        Texts of the document, None for missing ones; a list or an array, which may be
        dictionary-encoded.
    kind
        Kind of the field; only numbers and timestamps are converted.

    Returns
    -------
    ConvertedColumn
        The converted array, with nulls for missing and for unreadable values, and the
        unreadable texts at their positions.
    """
    texts = values if isinstance(values, pa.Array) else pa.array(values, _TEXT)
    if isinstance(texts, pa.DictionaryArray):
        words, indices = distinct_texts(texts)
        array, unreadable = convert_column(words, kind)
        unreadable = None if unreadable is None else unreadable.take(indices)
        return ConvertedColumn(array.take(indices), unreadable)
    text = pc.utf8_trim_whitespace(texts)
    is_empty = pc.equal(pc.binary_length(text), 0)
    if pc.any(is_empty).as_py():
        text = pc.if_else(is_empty, pa.scalar(None, _TEXT), text)
    arrow_type = _ARROW_TYPES.get(kind)
    if arrow_type is None:
        return ConvertedColumn(text, None)
    try:
        array = text.cast(arrow_type)
    except pa.ArrowInvalid:
        return _convert_one_by_one(text, kind)
    if kind is Kind.INTEGER and pc.any(pc.match_substring(text, "x", ignore_case=True)).as_py():
        return _convert_one_by_one(text, kind)  # pyarrow reads 0x10 as sixteen
    if kind is Kind.NUMBER and not pc.all(pc.is_finite(array), min_count=0).as_py():
        return _convert_one_by_one(text, kind)
    return ConvertedColumn(array, None)


def distinct_texts(values: Sequence[str | None] | pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return the distinct texts among values, and for each value the index of its text."""
    texts = values if isinstance(values, pa.Array) else pa.array(values, _TEXT)
    if not isinstance(texts, pa.DictionaryArray):
        texts = texts.cast(_TEXT).dictionary_encode()
    # A dictionary still has the texts of records that were filtered out.
    used = texts.indices.dictionary_encode()
    return texts.dictionary.take(used.dictionary), used.indices


def to_pandas(array: pa.Array | pa.ChunkedArray) -> pd.Series[Any]:
    """Convert an Arrow array to pandas with the dtype that frames have."""
    series: pd.Series[Any] = array.to_pandas(types_mapper=_PANDAS_TYPES.get)
    return series


def _convert_one_by_one(text: pa.Array, kind: Kind) -> ConvertedColumn:
    words, indices = distinct_texts(text)
    texts = words.to_pylist()
    if kind is Kind.TIMESTAMP:
        converted = _timestamps(texts)
    else:
        number = _integer if kind is Kind.INTEGER else _float
        converted = pa.array([number(value) for value in texts], _ARROW_TYPES[kind])
    is_value = pa.array([value != _NONE for value in texts], pa.bool_())
    unreadable = pc.if_else(
        pc.and_(pc.is_null(converted), is_value), words, pa.scalar(None, _TEXT)
    ).take(indices)
    is_readable = unreadable.null_count == len(unreadable)
    return ConvertedColumn(converted.take(indices), None if is_readable else unreadable)


def _timestamps(texts: list[str]) -> pa.Array:
    # pandas accepts dates without a time and offsets; its "now" and "today" are no timestamps.
    dated = [text if text[:1].isdigit() else None for text in texts]
    moments = pd.to_datetime(
        pd.Series(dated, dtype="str"), format="ISO8601", utc=True, errors="coerce"
    )
    return pa.Array.from_pandas(
        moments.astype("datetime64[us, UTC]"), type=_ARROW_TYPES[Kind.TIMESTAMP]
    )


def _float(text: str) -> float | None:
    if text == LESS_THAN_ONE:
        return 0.5
    bare = text.removesuffix("%").rstrip()
    if not _NUMBER.fullmatch(bare):
        return None
    number = float(bare.replace(",", ""))
    return number if np.isfinite(number) else None


def _integer(text: str) -> int | None:
    if not _NUMBER.fullmatch(text):
        return None
    bare = text.replace(",", "")
    if re.fullmatch(r"[+-]?\d+", bare):
        return int(bare) if len(bare) < 21 and int(bare) in _INT64 else None
    number = float(bare)
    return int(number) if number.is_integer() and abs(number) < 2**53 else None
