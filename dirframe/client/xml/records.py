"""Read the records of several pages of one resource into columns."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa

from dirframe.client.xml.columns import ColumnBuffer, chunk_to_list
from dirframe.client.xml.digests import record_digests
from dirframe.client.xml.fast.columns import Layout
from dirframe.client.xml.fast.elements import FallbackToTree, concat_scans
from dirframe.client.xml.fast.scan import TagScan
from dirframe.client.xml.flatten import flatten_records
from dirframe.client.xml.lists import lists_from_python
from dirframe.client.xml.parser import PageParser, check_records
from dirframe.schema.extensions import resource_named

if TYPE_CHECKING:
    from collections.abc import Collection

    from lxml import etree

    from dirframe.client.xml.columns import CellValue, ColumnChunk, FieldPath
    from dirframe.client.xml.envelope import Envelope
    from dirframe.client.xml.parser import Page
    from dirframe.schema import Resource


#: Bytes of pages that are flattened together: the cost per call hardly depends on their number.
_BATCH_BYTES = 1024 * 1024


class RecordReader:
    """Read pages of one resource into columns of text.

    Parameters
    ----------
    resource
        Expected resource of the records; None for that of the first record.
    chosen
        Paths of the leaves to read; None for all.

    Examples
    --------
    >>> from dirframe.client.xml.records import RecordReader
    >>> reader = RecordReader()
    >>> reader.read(
    ...     b"<response><status>success</status>"
    ...     b"<result><project><id>1</id></project></result></response>"
    ... ).records
    1
    >>> reader.pop_columns().values()
    {('id',): ['1']}
    """

    def __init__(
        self,
        resource: Resource | None = None,
        *,
        chosen: frozenset[FieldPath] | None = None,
    ) -> None:
        self.resource = resource
        self._parser = PageParser()
        self._chosen = chosen
        self._columns = ColumnBuffer()
        self._known: dict[FieldPath, None] = {}  # paths of the pages so far
        self._pending: list[TagScan] = []  # scanned, but not flattened yet
        self._pending_rows = self._pending_bytes = 0
        self._last: Page | None = None
        self._layout: Layout | None = None
        self._layout_size = 0
        _keep_freed_memory()

    @property
    def rows(self) -> int:
        """Number of records in the columns."""
        return self._columns.rows + self._pending_rows

    def read(self, content: bytes, *, source: str | None = None) -> Envelope:
        """Parse one document and add its records, all of them or none.

        Parameters
        ----------
        content
            The document.
        source
            Its name in error messages: a URL without a key, or a file.

        Returns
        -------
        Envelope
            Its envelope, also if the document reports a failure.

        Raises
        ------
        UnreadableResponseError
            If the document is not the interface's XML or holds records of another resource.
        """
        name = self.resource.name if self.resource else None
        return self.add(self._parser.parse(content, source=source, record_name=name))

    def add(self, page: Page) -> Envelope:
        """Add the records of a parsed page, all of them or none; see `read`."""
        check_records(page, self.resource.name if self.resource else None)
        name = page.record_name
        if self.resource is None and name is not None:
            self.resource = resource_named(name)
        if isinstance(page.records, TagScan):
            self._pending.append(page.records)
            self._pending_rows += len(page.records)
            self._pending_bytes += len(page.records.content)
            if self._pending_bytes > _BATCH_BYTES:
                self._flatten_pending()
        elif page.records is not None:
            self._flatten_pending()
            self._flatten_tree(page.records)
        self._last = page
        return page.envelope

    def pop_columns(self) -> ColumnBuffer:
        """Return the columns so far and start new ones."""
        self._flatten_pending()
        columns = self._columns
        self._columns = ColumnBuffer(0, {path: [] for path in columns.by_path})
        self._last = None
        return columns

    def last_values(self, name: str) -> tuple[str | None, ...]:
        """Return the stripped texts of a leaf in the page added last."""
        rows = self._last.envelope.records if self._last else 0
        if self._last is None or not rows:
            return ()
        texts: list[CellValue] | None = None
        if isinstance(self._last.records, TagScan):
            texts = self._last.records.leaf(name)
        if texts is None:
            self._flatten_pending()
            chunks = self._columns.by_path.get((name,))
            # Pages are flattened as a whole: these records are all in the last chunk.
            texts = chunk_to_list(chunks[-1][-rows:]) if chunks else [None] * rows
        return tuple(v.strip() or None if isinstance(v, str) else None for v in texts)

    def last_digests(self) -> tuple[str, ...]:
        """Return a digest of the content of each record in the page added last."""
        if self._last is None or self._last.records is None:
            return ()
        return record_digests(self._last.records, self._parser.tree)

    def _flatten_pending(self) -> None:
        scans, self._pending = self._pending, []
        self._pending_rows = self._pending_bytes = 0
        if scans and self._chosen is None and not self._paths():
            self._flatten_tree(self._parser.tree(scans.pop(0)))  # learn the paths
        if scans:
            self._flatten_scans(scans)

    def _paths(self) -> Collection[FieldPath]:
        """Return the chosen paths, or those of the schema and of the pages so far."""
        if self._chosen is not None:
            return sorted(self._chosen)
        fields = self.resource.fields if self.resource else ()
        return dict.fromkeys(field.path for field in fields) | self._known

    def _flatten_scans(self, scans: list[TagScan]) -> None:
        """Add the records of pages; unusual pages are found by bisection."""
        paths = self._paths()
        if self._layout is None or len(paths) != self._layout_size:
            self._layout = Layout(paths, self.resource, chosen=self._chosen is not None)
            self._layout_size = len(paths)
        try:
            self._columns.append(*self._layout.read(concat_scans(scans)))
        except FallbackToTree:
            half = len(scans) // 2
            if half:
                self._flatten_scans(scans[:half])
                self._flatten_scans(scans[half:])
            else:
                self._flatten_tree(self._parser.tree(scans[0]))

    def _flatten_tree(self, result: etree._Element) -> None:
        rows, columns = flatten_records(result, self.resource)
        if self._chosen is not None:
            columns = {path: values for path, values in columns.items() if path in self._chosen}
        self._columns.append(rows, {path: _as_chunk(column) for path, column in columns.items()})
        self._known |= dict.fromkeys(columns)


@cache
def _keep_freed_memory() -> None:
    """Allocate and free a block that is larger than those of a batch, once in a process."""
    # glibc hands freed memory back to the system above twice the largest block that was ever freed
    # (mallopt(3), M_MMAP_THRESHOLD), and each batch would get its memory page by page again: a
    # quarter of the time of 20 columns on a virtual machine.
    bytearray(4 * _BATCH_BYTES)


def _as_chunk(values: list[CellValue]) -> ColumnChunk:
    if any(isinstance(value, list) for value in values):
        lists = lists_from_python(values)
        return values if lists is None else lists
    return pa.array(values, pa.large_string())
