"""Build typed DataFrames from columns of text."""

# The dtypes follow the schema, for any number of records: text, identifiers and addresses are
# ``str`` (the specification does not show the type of an identifier), whole numbers ``Int64``, other
# numbers ``Float64``, timestamps ``datetime64[us, UTC]``, repeated elements lists
# (`dirframe.client.frames.lists`), which are Python objects only where entries differ in form. A
# column unknown to the schema is ``str``; outside the specification its dtype is inferred
# (`dirframe.client.frames.inference`). A value that cannot be converted is never dropped: its text
# goes to a column of the same name with the suffix ``_unreadable``, and a warning is issued.
# Impossible values, such as negative lines of code, are kept.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from dirframe.client.frames.dtypes import convert_column, to_pandas
from dirframe.client.frames.inference import inferred_kind
from dirframe.client.frames.lists import ListArray
from dirframe.client.xml.columns import chunk_to_list
from dirframe.client.xml.lists import concat_lists
from dirframe.errors import UnreadableValueWarning, warn
from dirframe.schema import RESOURCES, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from dirframe.client.xml.columns import CellValue, ColumnBuffer, ColumnChunk, FieldPath
    from dirframe.schema import Resource


_EXAMPLES = 3
_NO_LISTS = pa.array([], pa.list_(pa.null()))


class FrameBuilder:
    """Convert columns of text to one typed frame, a chunk at a time.

    Parameters
    ----------
    resource
        Resource whose specified columns every frame has.
    columns
        Names of the columns of the frame, in order; None for the specified ones.
    """

    def __init__(self, resource: Resource, columns: Sequence[str] | None = None) -> None:
        self._resource = resource
        self._names: dict[FieldPath, str] = {f.path: f.column for f in resource.fields}
        self._unreadable: dict[str, str] = {}
        self._columns: dict[str, list[ColumnChunk]] = {}
        self._rows = 0
        self._inferred: set[str] = set()
        every = [field.column for field in resource.core] if columns is None else columns
        for name in every:
            kind = resource.by_column[name].kind
            self._columns[name] = [
                _NO_LISTS if kind is Kind.ITEMS else convert_column([], kind).array
            ]

    def add(self, columns: ColumnBuffer) -> None:
        """Convert a chunk of records and append it."""
        chunk: dict[str, ColumnChunk] = {}
        for path, parts in columns.by_path.items():
            name = self._name(path)
            field = self._resource.by_column.get(name)
            kind = field.kind if field else Kind.TEXT
            values = _concatenate(parts, lists=kind is Kind.ITEMS)
            if _holds_lists(values):
                chunk[name] = values
                continue
            chunk[name], unreadable = convert_column(values, kind)
            if unreadable is not None:
                chunk[self._name_of_unreadable(name)] = unreadable
            if field is None and self._resource.name not in RESOURCES:
                self._inferred.add(name)
        for name, parts in self._columns.items():
            if name not in chunk:
                chunk[name] = _missing_values(parts[0], columns.rows)
        for name, part in _with_texts_in_one_buffer(chunk).items():
            if name not in self._columns:
                self._columns[name] = [_missing_values(part, self._rows)]
            self._columns[name].append(part)
        self._rows += columns.rows
        _release_memory()

    def holding(self, element: str) -> NDArray[np.bool_]:
        """Return for each record whether an element of it has any content."""
        mask = np.zeros(self._rows, dtype=bool)
        for path, name in self._names.items():
            for column in (name, self._unreadable.get(name)) if path[0] == element else ():
                begin = 0
                for part in self._columns.get(column or "", ()):
                    end = begin + len(part)
                    mask[begin:end] |= _present(part)
                    begin = end
        return mask

    def records(self) -> list[dict[str, Any]]:
        """Return the records as dicts of Python's own values, without a frame.

        Warns
        -----
        UnreadableValueWarning
            As `finish`.
        """
        self._warn({name: _to_series(self._columns[name]) for name in self._unreadable.values()})
        values = [_to_values(parts) for parts in self._columns.values()]
        return [dict(zip(self._columns, row, strict=True)) for row in zip(*values, strict=True)]

    def finish(self) -> pd.DataFrame:
        """Concatenate the chunks: specified columns first, then the others in order of appearance.

        The builder is empty afterwards: else all values would be in memory twice.

        Returns
        -------
        pandas.DataFrame
            One row a record in the order of `add`, with a range index.

        Warns
        -----
        UnreadableValueWarning
            If values could not be converted; their texts are in the ``…_unreadable`` columns.
        """
        # Joined, a list is in memory twice for a moment: before the other columns are made.
        names = list(self._columns)
        series: dict[str, pd.Series[Any]] = {}
        for name in sorted(names, key=lambda name: not _any_lists(self._columns[name])):
            parts = self._columns.pop(name)
            series[name] = _inferred(name, parts) if name in self._inferred else _to_series(parts)
            del parts
            _release_memory()
        index = pd.RangeIndex(self._rows)
        # No other object has these values.
        frame = pd.DataFrame({name: series[name] for name in names}, index, copy=False)
        self._warn(series)
        return frame

    def _name(self, path: FieldPath) -> str:
        name = self._names.get(path)
        if name is None:
            names = set(self._names.values())
            name = "_".join(path)
            # Two paths can give the same name, such as <a_b> and <a><b>: the later one is renamed.
            while name in names:
                name = "__".join(path) if name == "_".join(path) else f"{name}_"
            self._names[path] = name
        return name

    def _name_of_unreadable(self, name: str) -> str:
        column = self._unreadable.get(name)
        if column is None:
            column = f"{name}_unreadable"
            while column in self._names.values():
                column += "_"
            self._unreadable[name] = self._names["", name] = column  # no element has an empty name
        return column

    def _warn(self, series: Mapping[str, pd.Series[Any]]) -> None:
        messages = []
        for name, column in self._unreadable.items():
            texts = series[column].dropna()
            examples = ", ".join(repr(text[:40]) for text in texts.unique()[:_EXAMPLES])
            messages.append(f"{len(texts):,} in {name} ({examples})")
        if messages:
            warn(
                UnreadableValueWarning(
                    f"Values of the {self._resource.collection} could not be read: "
                    f"{'; '.join(messages)}. They are missing there and kept as text in the "
                    "columns that end in _unreadable."
                )
            )


def _with_texts_in_one_buffer(chunk: dict[str, ColumnChunk]) -> dict[str, ColumnChunk]:
    """Copy texts to one buffer, between which the allocator leaves no room: a quarter of the memory.

    A frame then keeps the memory of its text columns until all of them are dropped.
    """
    texts = {
        name: part
        for name, part in chunk.items()
        if isinstance(part, pa.Array) and part.type == pa.large_string()
    }
    if not texts:
        return chunk
    batch = pa.record_batch(list(texts.values()), list(map(str, range(len(texts)))))
    copied = pa.ipc.read_record_batch(batch.serialize(), batch.schema)
    return {**chunk, **dict(zip(texts, copied.columns, strict=True))}


def _release_memory() -> None:
    """Give back what Arrow freed and its allocator keeps."""
    pa.default_memory_pool().release_unused()


def _concatenate(parts: Sequence[ColumnChunk], *, lists: bool) -> ColumnChunk:
    """Return texts or lists as one array, or as Python objects if Arrow cannot hold them."""
    if not (lists or _any_lists(parts)):
        return pa.concat_arrays(parts) if parts else pa.array([], pa.large_string())
    of_lists = [
        pa.nulls(len(part), _NO_LISTS.type)
        if isinstance(part, pa.LargeStringArray) and part.null_count == len(part)
        else part
        for part in parts
    ]
    if all(isinstance(part, pa.ListArray) for part in of_lists):
        together = concat_lists(of_lists or [_NO_LISTS])
        if together is not None:
            return together
    return [value for part in parts for value in chunk_to_list(part)]


def _present(part: ColumnChunk) -> NDArray[np.bool_]:
    if isinstance(part, list):
        return np.array([value is not None for value in part], dtype=bool)
    return np.asarray(part.is_valid())


def _missing_values(like: ColumnChunk, rows: int) -> ColumnChunk:
    return [None] * rows if isinstance(like, list) else pa.nulls(rows, like.type)


def _inferred(name: str, parts: list[ColumnChunk]) -> pd.Series[Any]:
    if _any_lists(parts):
        return _to_series(parts)
    texts = pa.chunked_array(parts)
    kind = inferred_kind(name, texts.unique().drop_null().to_pylist())
    return to_pandas(convert_column(texts.combine_chunks(), kind).array)


def _to_series(parts: list[ColumnChunk]) -> pd.Series[Any]:
    if not _any_lists(parts):
        return to_pandas(pa.chunked_array(parts))
    if all(isinstance(part, pa.ListArray) for part in parts):
        lists = concat_lists(parts)
        if lists is not None:
            parts[:] = [lists]  # else all of them would be in memory twice
            return pd.Series(ListArray(lists))
    return pd.Series(_to_values(parts), dtype="object")


def _any_lists(parts: Sequence[ColumnChunk]) -> bool:
    return any(map(_holds_lists, parts))


def _holds_lists(part: ColumnChunk) -> bool:
    return isinstance(part, list | pa.ListArray)


def _to_values(parts: list[ColumnChunk]) -> list[CellValue]:
    values = [value for part in parts for value in chunk_to_list(part)]
    if not _any_lists(parts):
        return values
    return [v if v is None or isinstance(v, list) else [v] for v in values]
