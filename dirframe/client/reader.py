"""From bytes to columns of text: the envelope is read, the records are taken apart.

The reader accepts the specification's envelope and what services of this kind have sent
since 2007: elements in any order, unknown elements and attributes, repeated elements, error
bodies without an envelope. It takes bytes and never fetches; entities, external documents
and the network are switched off.

How a record becomes columns is stated in `dirframe.client.elements`. Usual documents are
checked without a tree, looked at in their bytes (`dirframe.client.markup`) and taken apart
some at a time (`dirframe.client.table`); whatever is not usual goes the way of the tree.

What stays out: HTTP, dtypes, blanks around text and pandas.
"""

from __future__ import annotations

import gc
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from lxml import etree

from dirframe.client.elements import (
    Columns,
    UnusualPageError,
    as_list,
    local,
    read_by_rule,
    text_of,
)
from dirframe.client.entries import Same
from dirframe.client.markup import Sheet, joined, sheet_of
from dirframe.client.refusal import describe, refuse
from dirframe.client.table import Table
from dirframe.errors import UnreadableResponseError
from dirframe.extensions import ALL_RESOURCES
from dirframe.schema import COLLECTION_COUNTS, SYNTHETIC_MARK, Resource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from dirframe.client.elements import Part, Path, Value

__all__ = ["MAX_BYTES", "Envelope", "Reader"]

#: Largest document that is read unless told otherwise. Parsing takes about six times its size.
MAX_BYTES = 64 * 1024 * 1024

_SYNTHETIC = b"<?" + SYNTHETIC_MARK.encode()
_ROOTS = ("response", "error", "result")
_PLAIN = re.compile(r"[\w.-]+")

#: More bytes in one text are refused by libxml2, but only where it builds a tree.
_LONGEST_TEXT = 10_000_000

#: Bytes of documents that are taken apart together: each sweep costs as much for one page.
_TOGETHER = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a response says beside its records.

    Parameters
    ----------
    status
        ``success``, ``failed``, another word, or None where the document has no status.
    error
        The help text of a failure.
    items_returned, items_available, first_item_position
        The counts of a collection; None where they are absent or no numbers.
    has_result
        Whether there is a result element (today's service leaves it out when empty).
    records
        How many records the result holds.
    synthetic
        Whether the document says that its data is generated.
    """

    status: str | None
    error: str | None = None
    items_returned: int | None = None
    items_available: int | None = None
    first_item_position: int | None = None
    has_result: bool = False
    records: int = 0
    synthetic: bool = False

    @property
    def succeeded(self) -> bool:
        """Whether the document hands over what was asked for."""
        if self.status is None:  # a bare <result> succeeds, a bare <error> does not
            return self.has_result
        return self.status == "success"


class Reader:
    """Read documents of one resource into one growing set of columns.

    Parameters
    ----------
    resource
        What the records must be; None to take what the first record is.
    chosen
        Paths of the leaves to read; None for everything there is.
    max_bytes
        Largest document that is accepted.

    Examples
    --------
    >>> from dirframe.client.reader import Reader
    >>> reader = Reader()
    >>> reader.read(
    ...     b"<response><status>success</status>"
    ...     b"<result><project><id>1</id></project></result></response>"
    ... ).records
    1
    >>> reader.take().values()
    {('id',): ['1']}
    """

    def __init__(
        self,
        resource: Resource | None = None,
        *,
        chosen: frozenset[Path] | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.resource = resource
        self._max_bytes = max_bytes
        self._parser = etree.XMLParser(
            remove_blank_text=True,
            remove_comments=True,
            remove_pis=True,
            collect_ids=False,
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            huge_tree=False,
        )
        # Builds no tree, which costs more than half of the time: it only says whether it could.
        self._checker = etree.XMLParser(
            target=_Nothing(),  # type: ignore[arg-type]  # each method of a target may be absent
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
        )
        self._same = Same()
        self._chosen = chosen
        self._columns = Columns()
        self._sheets: list[Sheet] = []  # looked at, but not taken apart yet
        self._rows: list[int] = []  # for each document how many records it holds
        self._table: Table | None = None

    def take(self) -> Columns:
        """Hand over the columns so far and begin new ones."""
        self._take_apart()
        taken = self._columns
        self._columns = Columns(0, {path: [] for path in taken.by_path})
        self._rows = []
        return taken

    @property
    def rows(self) -> int:
        """How many records the columns hold."""
        return sum(self._rows)

    def latest(self, name: str) -> tuple[str | None, ...]:
        """Return the texts of a leaf in the document read last, without blanks around them."""
        rows = self._rows[-1]
        texts: list[Value] | None = self._sheets[-1].leaf(name) if rows and self._sheets else None
        if texts is None:
            self._take_apart()
            parts = self._columns.by_path.get((name,))
            # Whole documents are taken apart at a time: these records are all in the last part.
            texts = as_list(parts[-1][-rows:]) if parts and rows else [None] * rows
        return tuple(v.strip() or None if isinstance(v, str) else None for v in texts)

    def read(self, content: bytes, *, source: str | None = None) -> Envelope:
        """Add the records of one document to the columns, all of them or none.

        Parameters
        ----------
        content
            The document.
        source
            How errors call it: an address without a key, or a file.

        Returns
        -------
        Envelope
            What the document says beside its records, also where it reports a failure.

        Raises
        ------
        UnreadableResponseError
            If the document is not the interface's XML or holds records of another resource.
        """
        root, held = self._open(content, source)
        if self.resource is None and held is not None:
            [name, *_] = held.names() if isinstance(held, Sheet) else [local(held[0])]
            self.resource = ALL_RESOURCES.get(name) or Resource(name, f"{name}s", (), (), "")
        if isinstance(held, Sheet):
            self._sheets.append(held)
            if sum(len(sheet.content) for sheet in self._sheets) > _TOGETHER:
                self._take_apart()
        elif held is not None:
            self._take_apart()
            self._read_by_rule(held)
        self._rows.append(0 if held is None else len(held))
        return _envelope(root, content, self._rows[-1])

    def look(self, content: bytes, *, source: str | None = None) -> Envelope:
        """Say what one document is, without reading its records; see `read`."""
        root, held = self._open(content, source)
        return _envelope(root, content, 0 if held is None else len(held))

    # -- the envelope --------------------------------------------------------------------------

    def _open(
        self, content: bytes, source: str | None
    ) -> tuple[etree._Element, Sheet | etree._Element | None]:
        """Return the document, and its records if it has any; usual ones as a sheet."""
        if len(content) > self._max_bytes:
            size = f"{len(content):,} bytes long, more than the {self._max_bytes:,} allowed"
            refuse(size, source)
        opened = self._open_usual(content)
        if opened is not None:
            return opened
        root = self._parse(content, source)
        result = _result_of(root)
        if result is None or not len(result):
            return root, None
        self._check_resource(result, source)
        return root, result

    def _open_usual(self, content: bytes) -> tuple[etree._Element, Sheet] | None:
        """Open a usual document; None if the tree has to be asked, be it for what is wrong."""
        if len(content) > _LONGEST_TEXT:
            return None
        try:
            etree.fromstring(content, self._checker)
            # What is wrong with a namespace is no error for a parser that builds no tree.
            sheet = None if self._checker.error_log else sheet_of(content)
            if sheet is None:
                return None
            root = self._parse(sheet.shell, None)
        except (etree.XMLSyntaxError, UnreadableResponseError):
            return None
        if _result_of(root) is None or any(len(child) for child in root):
            return None  # the result is another element
        [name, *others] = sheet.names()
        known = self.resource is None or name == self.resource.name
        return (root, sheet) if known and not others and _PLAIN.fullmatch(name) else None

    def _parse(self, content: bytes, source: str | None) -> etree._Element:
        try:
            root = etree.fromstring(content, self._parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            refuse(describe(content), source, reason=str(error))
        if root.getroottree().docinfo.internalDTD is not None:
            refuse(describe(content), source)
        name = local(root)
        if name not in _ROOTS:
            html = name.lower() == "html"
            refuse("an HTML page" if html else f"an XML document with the root <{name}>", source)
        if sum(local(child) == "result" for child in root) > 1:
            refuse("a response with more than one <result>", source)
        return root

    def _check_resource(self, result: etree._Element, source: str | None) -> None:
        name = local(result[0]) if self.resource is None else self.resource.name
        tags = {record.tag: record for record in result}
        others = {local(record) for record in tags.values()} - {name}
        if others:
            found = ", ".join(f"<{other}>" for other in sorted(others))
            raise UnreadableResponseError(
                f"{source or 'The document'} should hold <{name}> records alone, "
                f"but it holds {found}.",
                found=found,
                source=source,
            )

    # -- the records ---------------------------------------------------------------------------

    def _take_apart(self) -> None:
        sheets, self._sheets = self._sheets, []
        if sheets:
            with _no_collection():
                self._read_usual(sheets)

    def _read_usual(self, sheets: list[Sheet]) -> None:
        """Add the records of documents; those that are unusual are found by halving."""
        if self._table is None:  # one record shows most columns
            _, shown = read_by_rule([self._tree(sheets[0])[0]], self.resource)
            self._table = self._learnt(shown)
        try:
            self._columns.add(*self._table.read(joined(sheets)))
        except UnusualPageError:
            half = len(sheets) // 2
            if half:
                self._read_usual(sheets[:half])
                self._read_usual(sheets[half:])
            else:
                self._read_by_rule(self._tree(sheets[0]))

    def _tree(self, sheet: Sheet) -> etree._Element:
        result = _result_of(self._parse(sheet.content, None))
        assert result is not None  # noqa: S101  # a sheet is what is inside one
        return result

    def _read_by_rule(self, result: etree._Element) -> None:
        rows, columns = read_by_rule(result, self.resource)
        if self._chosen is not None:
            columns = {path: values for path, values in columns.items() if path in self._chosen}
        self._columns.add(rows, {path: _as_part(values) for path, values in columns.items()})
        self._table = self._learnt([])

    def _learnt(self, paths: Collection[Path]) -> Table:
        """Return a table of all columns so far and of some more."""
        if self._chosen is not None:
            return Table(sorted(self._chosen), self.resource, self._same, chosen=True)
        met = dict.fromkeys([*self._columns.by_path, *paths])
        return Table(met, self.resource, self._same)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep Python from looking for circles among all objects: records are none.

    It would begin to look by their number alone, and take a seventh of the time of reading.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class _Nothing:
    """What a parser is to make of a document: nothing."""

    def close(self) -> None:
        """Return that."""


def _as_part(values: list[Value]) -> Part:
    if any(isinstance(value, list) for value in values):
        return values
    return pa.array(values, pa.large_string())


def _result_of(root: etree._Element) -> etree._Element | None:
    if local(root) == "result":
        return root
    return next((child for child in root if local(child) == "result"), None)


def _envelope(root: etree._Element, content: bytes, records: int) -> Envelope:
    parts = {local(child): child for child in root}
    synthetic = _SYNTHETIC in content[: content.find(local(root).encode())]
    if local(root) == "error":
        message = text_of(parts["message"]) if "message" in parts else text_of(root)
        return Envelope(None, message, synthetic=synthetic)
    counts = {name: _count(parts.get(name)) for name in COLLECTION_COUNTS}
    return Envelope(
        status=text_of(parts.get("status")),
        error=text_of(parts.get("error")) or text_of(parts.get("message")),
        **counts,
        has_result=_result_of(root) is not None,
        records=records,
        synthetic=synthetic,
    )


def _count(element: etree._Element | None) -> int | None:
    text = (text_of(element) or "").replace(",", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
