"""From bytes to columns of text: the envelope is read, the records are taken apart.

The reader accepts the specification's envelope and what services of this kind have sent
since 2007: elements in any order, unknown elements and attributes, repeated elements, error
bodies without an envelope. It takes bytes and never fetches; entities, external documents
and the network are switched off. What stays out: HTTP, dtypes, blanks around text and
pandas. How a record becomes columns is stated in `dirframe.client.elements`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from lxml import etree

from dirframe.client.elements import Columns, UnusualPageError, local, read_by_rule, text_of
from dirframe.client.entries import Same
from dirframe.client.markup import markup_of
from dirframe.client.refusal import describe, refuse
from dirframe.client.table import Table
from dirframe.errors import UnreadableResponseError
from dirframe.schema import COLLECTION_COUNTS, RESOURCES, SYNTHETIC_MARK, Resource

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dirframe.client.elements import Part, Path, Value

    _Page = tuple[etree._Element, int, Mapping[Path, Part]]

__all__ = ["MAX_BYTES", "Envelope", "Reader"]

#: Largest document that is read unless told otherwise. Parsing takes about six times its size.
MAX_BYTES = 64 * 1024 * 1024

_SYNTHETIC = b"<?" + SYNTHETIC_MARK.encode()
_ROOTS = ("response", "error", "result")


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
            target=_Nothing(), resolve_entities=False, load_dtd=False, no_network=True
        )
        self._same = Same()
        self._chosen = chosen
        self._columns = Columns()
        self._latest_rows = 0
        self._latest: Mapping[Path, Part] = {}
        self._table: Table | None = None

    def take(self) -> Columns:
        """Hand over the columns so far and begin new ones."""
        taken = self._columns
        self._columns = Columns(0, {path: [] for path in taken.by_path})
        return taken

    @property
    def rows(self) -> int:
        """How many records the columns hold."""
        return self._columns.rows

    def latest(self, path: Path) -> tuple[str | None, ...]:
        """Return the texts at a path in the document read last, without blanks around them."""
        part = self._latest.get(path, [None] * self._latest_rows)
        values = part if isinstance(part, list) else part.to_pylist()
        return tuple(v.strip() or None if isinstance(v, str) else None for v in values)

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
        fast = self._read_fast(content)
        if fast is not None:
            root, rows, parts = fast
        else:
            root = self._parse(content, source)
            rows, parts = self._read_tree(root, source)
        self._columns.add(rows, parts)
        self._latest_rows, self._latest = rows, parts
        return _envelope(root, content, rows)

    def look(self, content: bytes, *, source: str | None = None) -> Envelope:
        """Say what one document is, without reading its records; see `read`."""
        root = self._parse(content, source)
        result = _result_of(root)
        if result is not None and len(result):
            self._check_resource(result, source)
        return _envelope(root, content, 0 if result is None else len(result))

    def _parse(self, content: bytes, source: str | None) -> etree._Element:
        if len(content) > self._max_bytes:
            size = f"{len(content):,} bytes long, more than the {self._max_bytes:,} allowed"
            refuse(size, source)
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

    def _read_fast(self, content: bytes) -> _Page | None:
        """Read a usual page; None if the tree has to be asked, be it for what is wrong."""
        try:
            if len(content) > self._max_bytes:
                return None
            etree.fromstring(content, self._checker)
            page = markup_of(content)
            result = None if page is None else page.find("<result>")
            if page is None or result is None or not page.filled[result]:
                return None
            root = self._parse(page.without(result), None)
            resource, table = self._known(page.within(result + 1))
            rows, parts = table.read(page, result)
        except (etree.XMLSyntaxError, UnreadableResponseError, UnusualPageError):
            return None
        self.resource, self._table = resource, table
        return root, rows, parts

    def _known(self, record: bytes) -> tuple[Resource, Table]:
        """Return what is known of the records, or what one shows: most are like it."""
        if self._table is not None and self.resource is not None:
            return self.resource, self._table
        element = etree.fromstring(record, self._parser)
        resource = self.resource or _resource_named(local(element))
        _, columns = read_by_rule([element], resource)
        return resource, self._table_of(columns, resource)

    def _table_of(self, paths: Collection[Path], resource: Resource) -> Table:
        if self._chosen is not None:
            return Table(sorted(self._chosen), resource, self._same, chosen=True)
        return Table(paths, resource, self._same)

    def _read_tree(
        self, root: etree._Element, source: str | None
    ) -> tuple[int, dict[Path, Part]]:
        result = _result_of(root)
        if result is None or not len(result):
            return 0, {}
        name = self._check_resource(result, source)
        if self.resource is None:
            self.resource = _resource_named(name)
        rows, columns = read_by_rule(result, self.resource)
        if self._chosen is not None:
            columns = {path: values for path, values in columns.items() if path in self._chosen}
        paths = dict.fromkeys([*self._columns.by_path, *columns])
        self._table = self._table_of(paths, self.resource)
        return rows, {path: _as_array(values) for path, values in columns.items()}

    def _check_resource(self, result: etree._Element, source: str | None) -> str:
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
        return name


class _Nothing:
    """What a parser is to make of a document: nothing."""

    def close(self) -> None:
        """Return that."""


def _as_array(values: list[Value]) -> Part:
    if any(isinstance(value, list) for value in values):
        return values
    return pa.array(values, pa.large_string())


def _resource_named(name: str) -> Resource:
    return RESOURCES.get(name) or Resource(name, f"{name}s", (), (), "")


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
