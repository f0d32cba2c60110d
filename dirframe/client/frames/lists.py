"""Columns of lists in frames: Arrow's, decoded when they are looked at."""

# A column of Python lists takes ten times the memory, and a saved column of pandas' own `ArrowDtype`
# of lists cannot be read again: pandas 3.1 does not parse the name of that type in a file. The dtype
# here has the name of that of Python lists, so that pandas reads the files with or without dirframe.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.extensions import ExtensionArray, ExtensionDtype
from pandas.api.indexers import check_array_indexer
from pandas.core.strings.object_array import (  # type: ignore[import-not-found]  # not in the stubs
    ObjectStringArrayMixin,
)

from dirframe.client.xml.lists import (
    concat_lists,
    decode_lists,
    encode_lists,
    entries_to_python,
    lengths_of,
    lists_from_python,
    lists_to_python,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

_NOT_A_LIST = (
    "The column holds lists of texts, or of dicts of texts. Convert it with .astype(object) before "
    "you put anything else into it."
)


class ListDtype(ExtensionDtype):
    """The dtype of a column of lists."""

    name = "object"
    type = np.object_
    na_value = np.nan  # as of columns of Python lists; a missing list is None

    def construct_array_type(self) -> type[ListArray]:  # type: ignore[valid-type]  # `type` above
        """Return the class of the values of a column."""
        return ListArray

    def _get_common_dtype(self, dtypes: list[Any]) -> Any:
        return self if all(isinstance(dtype, ListDtype) for dtype in dtypes) else np.dtype(object)


# pandas' mixin gives columns of lists what those of Python lists have: `.str.len()`, `.str.join()`.
class ListArray(ObjectStringArrayMixin, ExtensionArray):  # type: ignore[misc]  # the mixin is Any
    """Lists of texts or of dicts, one a record, or None.

    A list that is looked at is a copy: to change it, assign the changed one.

    Parameters
    ----------
    lists
        Lists as `dirframe.client.xml.lists` encodes them.
    """

    def __init__(self, lists: pa.ListArray) -> None:
        self.lists = lists

    @classmethod
    def from_arrow(cls, lists: pa.Array | pa.ChunkedArray) -> Self:
        """Return a column of any lists of Arrow's."""
        array = lists.combine_chunks() if isinstance(lists, pa.ChunkedArray) else lists
        return cls(encode_lists(array))

    @property
    def dtype(self) -> ListDtype:
        """The dtype."""
        return ListDtype()

    @property
    def categories(self) -> NDArray[Any]:
        """The lists as Python's: what pandas looks at before it gives a column `.str`."""
        return self.__array__()

    @property
    def nbytes(self) -> int:
        """Number of bytes."""
        return int(self.lists.nbytes)

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.lists)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the lists."""
        return iter(lists_to_python(self.lists))

    def __getitem__(self, item: Any) -> Any:
        """Return the list of one record, or a column of those of some."""
        item = check_array_indexer(self, item)
        if isinstance(item, slice):
            start, stop, step = item.indices(len(self))
            if step == 1:
                return type(self)(self.lists.slice(start, max(stop - start, 0)))
            return self.take(np.arange(start, stop, step))
        if isinstance(item, np.ndarray):
            return self.take(np.flatnonzero(item) if item.dtype == bool else item)
        if not -len(self) <= item < len(self):
            raise IndexError(f"index {item} is out of bounds for {len(self)} records")
        return lists_to_python(self.lists.slice(int(item) % len(self), 1))[0]

    def __setitem__(self, key: Any, value: Any) -> None:
        """Replace the lists of some records."""
        if self._readonly:
            raise ValueError("Cannot modify read-only array")
        at = np.arange(len(self))[check_array_indexer(self, key)]
        values = np.empty(at.shape or 1, dtype="object")
        values[slice(None) if at.ndim else 0] = value
        lists = concat_lists([self.lists, self._from_sequence(values).lists])
        if lists is None:
            raise TypeError(_NOT_A_LIST)
        positions = np.arange(len(self))
        positions[at] = len(self) + np.arange(len(values)).reshape(at.shape)
        self.lists = lists.take(pa.array(positions))

    __hash__ = None  # type: ignore[assignment]  # as of all columns

    def __eq__(self, other: object) -> Any:
        """Compare each list with another."""
        if _is_pandas(other):
            return NotImplemented
        others = other if isinstance(other, ListArray | np.ndarray) else [other] * len(self)
        equal = [own == its for own, its in zip(self, others, strict=True)]
        return np.array(equal, dtype=bool) & ~self.isna()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the lists as Python's."""
        objects = np.empty(len(self), dtype="object")
        objects[:] = lists_to_python(self.lists)
        return objects if dtype is None else objects.astype(dtype, copy=False)

    def __arrow_array__(self, type: pa.DataType | None = None) -> pa.Array:  # noqa: A002  # Arrow's
        """Return the lists with plain texts."""
        lists = decode_lists(self.lists)
        return lists if type is None else lists.cast(type)

    def isna(self) -> NDArray[np.bool_]:
        """Return which records have no list."""
        missing: NDArray[np.bool_] = self.lists.is_null().to_numpy(zero_copy_only=False)
        return missing

    def take(self, indices: Any, *, allow_fill: bool = False, fill_value: Any = None) -> Self:
        """Return the lists at some positions; with `allow_fill`, -1 is one to be filled in."""
        at = np.asarray(indices, dtype=np.int64)
        if allow_fill and len(at) and at.min() < -1:
            raise ValueError("Positions below -1 cannot be filled.")
        if not allow_fill:
            at = np.where(at < 0, at + len(self), at)
        if len(at) and (at.max() >= len(self) or (not allow_fill and at.min() < 0)):
            raise IndexError("A position is out of bounds.")
        lists, filling = self.lists, None if fill_value is None else _as_list(fill_value)
        if filling is not None and len(at) and at.min() < 0:
            at = np.where(at < 0, len(self), at)
            lists = concat_lists([lists, self._from_sequence([filling]).lists])
            if lists is None:
                raise TypeError(_NOT_A_LIST)
        return type(self)(lists.take(pa.array(at, mask=at < 0)))

    def copy(self) -> Self:
        """Return a column with the same lists, which are never changed themselves."""
        return type(self)(self.lists)

    def memory_usage(self, **_: bool) -> int:
        """Return the number of bytes."""
        return self.nbytes

    def map(self, mapper: Any, na_action: Any = None) -> Any:
        """Return what a function makes of each list; pandas' own leaves lists if there are none."""
        return pd.Series(self.__array__(), dtype="object").map(mapper, na_action)._values

    def __add__(self, other: Any) -> Any:
        """Return each list with the entries of another behind its own."""
        return NotImplemented if _is_pandas(other) else self.__array__() + np.asarray(other)

    def __radd__(self, other: Any) -> Any:
        """Return each list with the entries of another before its own."""
        return NotImplemented if _is_pandas(other) else np.asarray(other) + self.__array__()

    def lengths(self) -> NDArray[np.int64]:
        """Return the number of entries of each list; 0 where there is none."""
        return lengths_of(self.lists)

    def columns(self, tag: str) -> dict[str, Any]:
        """Return the entries of all lists as columns, texts or Python objects, by their names.

        Entries that are texts have the name `tag`.
        """
        entries = self.lists.flatten()
        if not pa.types.is_struct(entries.type):
            return {tag: _column(entries)} if len(entries) else {}
        names = [field.name for field in entries.type]
        return dict(zip(names, map(_column, entries.flatten()), strict=True))

    @classmethod
    def _from_sequence(
        cls, scalars: Iterable[Any], *, dtype: Any = None, copy: bool = False
    ) -> Self:
        del dtype, copy  # there is one dtype, and lists are not changed in place
        if isinstance(scalars, cls):
            return scalars.copy()
        lists = lists_from_python([_as_list(value) for value in scalars])
        if lists is None:
            raise TypeError(_NOT_A_LIST)
        return cls(lists)

    @classmethod
    def _concat_same_type(cls, to_concat: Sequence[Self]) -> Any:
        lists = concat_lists([array.lists for array in to_concat])
        return np.concatenate(list(map(np.asarray, to_concat))) if lists is None else cls(lists)

    def _reduce(
        self, name: str, *, skipna: bool = True, keepdims: bool = False, **options: Any
    ) -> Any:
        """Return all lists as one by `sum`, or the least or greatest of them."""
        reduce = getattr(pd.Series(self.__array__(), dtype="object"), name)
        reduced = reduce(skipna=skipna, **options)
        return self._from_sequence([reduced]) if keepdims else reduced

    def _explode(self) -> tuple[Any, NDArray[np.uint64]]:
        exploded = pd.Series(np.asarray(self), dtype="object").explode()
        return exploded.array, np.maximum(self.lengths(), 1).astype(np.uint64)


def lists_column(values: list[Any]) -> pd.Series[Any]:
    """Return a column of lists, of Python's own if their entries differ in form."""
    lists = lists_from_python(values)
    if lists is None:
        return pd.Series(values, dtype="object")
    return pd.Series(ListArray(lists))


def _column(values: pa.Array) -> pa.Array | list[Any]:
    if pa.types.is_null(values.type):
        return values.cast(pa.large_string())
    return values if pa.types.is_dictionary(values.type) else entries_to_python(values)


def _is_pandas(value: object) -> bool:
    return isinstance(value, pd.Series | pd.DataFrame | pd.Index)


def _as_list(value: Any) -> Any:
    if isinstance(value, np.ndarray):  # as Parquet returns lists
        return value.tolist()
    return value if isinstance(value, list | dict) or not pd.isna(value) else None
