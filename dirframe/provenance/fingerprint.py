"""A digest of the ids of a frame, the same in any order."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["Difference", "Ids", "ids_of"]

_DIGITS = 16  # hexadecimal: two different sets of ids meet once in 2**64


class Ids(NamedTuple):
    """The ids of a frame."""

    rows: int
    """Rows, those without an id included."""
    repeated: int
    """Rows whose id an earlier row has as well."""
    digest: str
    """Digest of the different ids."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How the records of a frame differ from those that were loaded.

    Parameters
    ----------
    loaded : int
        Records that were loaded.
    rows : int
        Records that are there, or that a statistic was made of.
    repeated : int
        Rows whose id an earlier row has as well.
    others : bool
        Whether records are there that were not loaded. False: not known, if there are fewer.
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


def ids_of(column: pd.Series[Any]) -> Ids:
    """Count and digest ids; text and whole numbers that are written alike are the same id.

    Parameters
    ----------
    column : pandas.Series
        Ids as text or whole numbers, in any order.

    Returns
    -------
    Ids
        Rows, repeated ids, and a digest of 16 hexadecimal digits.

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
    different = pc.unique(values)
    numbers = _numbers(different)
    if numbers is None:
        texts = "\0".join(sorted(different.to_pylist()))
        digest = hashlib.blake2b(texts.encode(), digest_size=_DIGITS // 2).hexdigest()
    else:
        digest = _digest(numbers)
    return Ids(rows, len(values) - len(different), digest)


def _arrow(column: pd.Series[Any]) -> pa.Array:
    values = pa.array(column if column.dtype != object else column.astype("str"), from_pandas=True)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.DictionaryArray):
        values = values.dictionary_decode()
    return values if pa.types.is_large_string(values.type) else values.cast(pa.large_string())


def _numbers(values: pa.Array) -> NDArray[np.int64] | None:
    """Read different ids as whole numbers, sorted; None if one is no such number, or twice there.

    Numbers are sorted ten times faster than text.
    """
    try:
        cast = values.cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    numbers: NDArray[np.int64] = np.sort(cast.to_numpy(zero_copy_only=False))
    if (numbers[1:] == numbers[:-1]).any():
        return None
    # "007" is another id than "7".
    same = pc.all(pc.equal(cast.cast(pa.large_string()), values)).as_py()
    return numbers if same is not False else None


def _digest(numbers: NDArray[np.int64]) -> str:
    ordered = numbers.astype("<i8", copy=False).tobytes()
    return hashlib.blake2b(ordered, digest_size=_DIGITS // 2).hexdigest()
