"""Buffer columns of text: for each path in a record its values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from dirframe.client.xml.lists import lists_to_python

if TYPE_CHECKING:
    from collections.abc import Mapping


FieldPath = tuple[str, ...]
CellValue = Any  # None, text, or a list of texts and dicts
#: Values of some records: texts or lists of Arrow's, or Python's if Arrow cannot hold them.
ColumnChunk: TypeAlias = "pa.LargeStringArray | pa.ListArray | list[CellValue]"


@dataclass(slots=True)
class ColumnBuffer:
    """Flattened records: for each path its chunks, with one value per record."""

    rows: int = 0
    by_path: dict[FieldPath, list[ColumnChunk]] = field(default_factory=dict)

    def append(self, rows: int, chunks: Mapping[FieldPath, ColumnChunk]) -> None:
        """Append records; paths without a chunk get missing values."""
        for path in chunks:
            if path not in self.by_path:
                self.by_path[path] = [_nulls(self.rows)] if self.rows else []
        for path, column in self.by_path.items():
            chunk = chunks.get(path)
            column.append(_nulls(rows) if chunk is None else chunk)
        self.rows += rows

    def values(self) -> dict[FieldPath, list[CellValue]]:
        """Return the values of each path, one per record."""
        return {
            path: [value for chunk in column for value in chunk_to_list(chunk)]
            for path, column in self.by_path.items()
        }


def chunk_to_list(chunk: ColumnChunk) -> list[CellValue]:
    """Return the values of a chunk as Python objects."""
    if isinstance(chunk, list):
        return chunk
    if pa.types.is_list(chunk.type):
        return lists_to_python(chunk)
    values: list[CellValue] = chunk.to_pylist()
    return values


def _nulls(rows: int) -> pa.Array:
    return pa.nulls(rows, pa.large_string())
