"""Digest of the ids of a frame, independent of their order."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from numpy.typing import NDArray


_DIGITS = 16  # hexadecimal: 64 bits


class Ids(NamedTuple):
    """Counts and digest of the ids of a frame."""

    rows: int
    """Number of rows, including those without an id."""
    repeated: int
    """Number of rows whose id occurs in an earlier row."""
    digest: str
    """Digest of the distinct ids."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How the records of a frame differ from those that were loaded.

    Parameters
    ----------
    loaded : int
        Number of records that were loaded.
    rows : int
        Number of records in the frame, or that a statistic was computed from.
    repeated : int
        Number of rows whose id occurs in an earlier row.
    others : bool
        Whether the frame has records that were not loaded. Not known, and False, if it has fewer
        records than were loaded.
    """

    loaded: int
    rows: int
    repeated: int = 0
    others: bool = False

    def __str__(self) -> str:
        parts = [
            f"{self.rows:,} of {self.loaded:,} records loaded" if self.rows < self.loaded else ""
        ]
        if self.repeated:
            parts.append(f"{self.repeated:,} with a repeated id")
        if self.others:
            parts.append(f"not the {self.loaded:,} that were loaded")
        elif self.rows > self.loaded and not self.repeated:
            parts.append(f"{self.loaded:,} were loaded")
        return ", ".join(part for part in parts if part)


def ids_of(column: Any) -> Ids:
    """Count and hash ids; the integer 7 and the text "7" are the same id.

    Parameters
    ----------
    column : pandas.Series, polars.Series or pyarrow.ChunkedArray
        Ids as text or integers, in any order.

    Returns
    -------
    Ids
        Number of rows, number of repeated ids, and a digest of 16 hexadecimal digits.

    Examples
    --------
    >>> import pandas as pd
    >>> ids_of(pd.Series(["7", "12", "7"])).repeated
    1
    >>> ids_of(pd.Series(["7", "12"])).digest == ids_of(pd.Series([12, 7])).digest
    True
    """
    values = _arrow(column)
    rows, values = len(values), values.drop_null()
    numbers = _numbers(values)
    if numbers is not None:
        return Ids(rows, 0, _digest(numbers))
    distinct = pc.unique(values)
    numbers = _numbers(distinct)
    if numbers is None:
        texts = "\0".join(sorted(distinct.to_pylist()))
        digest = hashlib.blake2b(texts.encode(), digest_size=_DIGITS // 2).hexdigest()
    else:
        digest = _digest(numbers)
    return Ids(rows, len(values) - len(distinct), digest)


def _arrow(column: Any) -> pa.Array:
    values = column.to_arrow() if hasattr(column, "to_arrow") else column
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        texts = column.astype("str") if column.dtype == object else column
        values = pa.array(texts, from_pandas=True)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.DictionaryArray):
        values = values.dictionary_decode()
    return values if pa.types.is_large_string(values.type) else values.cast(pa.large_string())


def _numbers(values: pa.Array) -> NDArray[np.int64] | None:
    """Return distinct ids as sorted integers; None if one is not an integer or is repeated.

    Integers are sorted ten times faster than text.
    """
    try:
        cast = values.cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    numbers: NDArray[np.int64] = np.sort(cast.to_numpy(zero_copy_only=False))
    if (numbers[1:] == numbers[:-1]).any():
        return None
    # "007" and "7" are different ids.
    same = pc.all(pc.equal(cast.cast(pa.large_string()), values)).as_py()
    return numbers if same is not False else None


def _digest(numbers: NDArray[np.int64]) -> str:
    ordered = numbers.astype("<i8", copy=False).tobytes()
    return hashlib.blake2b(ordered, digest_size=_DIGITS // 2).hexdigest()
