"""From bytes to columns of text: the envelope is read, the records are taken apart.

The reader accepts the specification's envelope and what services of this kind have sent
since 2007: elements in any order, unknown elements and attributes, repeated elements, error
bodies without an envelope. It takes bytes and never fetches; entities, external documents
and the network are switched off. What stays out: HTTP, dtypes, blanks around text and
pandas. How a record becomes columns is stated in `dirframe.client.elements`.
"""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from dirframe.client.chosen import ChosenTable
from dirframe.client.elements import Columns, Path, local, read_by_rule, text_of
from dirframe.client.refusal import describe, refuse
from dirframe.client.table import Same, Table, UnusualPageError
from dirframe.errors import UnreadableResponseError
from dirframe.schema import COLLECTION_COUNTS, RESOURCES, SYNTHETIC_MARK, Resource

__all__ = ["MAX_BYTES", "Envelope", "Reader"]

#: Largest document that is read unless told otherwise. Parsing takes about six times its size.
MAX_BYTES = 64 * 1024 * 1024

_SYNTHETIC = b"<?" + SYNTHETIC_MARK.encode()
_HOLDS_OTHERS = etree.XPath("boolean(*[name() != $name])")  # five times as fast as a loop
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
    >>> reader.take().by_path
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
        self._same = Same()
        self._chosen = chosen
        self._columns = Columns()
        self._table = self._new_table()

    def take(self) -> Columns:
        """Hand over the columns so far and begin new ones."""
        taken = self._columns
        self._columns = Columns(0, {path: [] for path in taken.by_path})
        self._table = self._new_table()
        return taken

    def _new_table(self) -> Table | ChosenTable:
        if self._chosen is None:
            return Table(self._columns, self.resource, self._same)
        return ChosenTable(self._columns, self._chosen)

    @property
    def rows(self) -> int:
        """How many records the columns hold."""
        return self._columns.rows

    def texts(self, path: Path, start: int) -> tuple[str | None, ...]:
        """Return the texts at a path from a record on, without blanks around them."""
        values = self._columns.by_path.get(path)
        if values is None:
            return (None,) * (self._columns.rows - start)
        return tuple(v.strip() or None if isinstance(v, str) else None for v in values[start:])

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
        root = self._parse(content, source)
        result = _result_of(root)
        records = 0
        if result is not None and len(result):
            records = self._add(root, result, content, source)
        return _envelope(root, content, records)

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

    def _add(
        self, root: etree._Element, result: etree._Element, content: bytes, source: str | None
    ) -> int:
        name = self._check_resource(result, source)
        if self.resource is None:
            self.resource = RESOURCES.get(name) or Resource(name, f"{name}s", (), (), "")
        columns = self._columns
        before = columns.rows
        if not columns.by_path:  # one record shows most columns: the page may be like it
            first = Columns()
            read_by_rule([result[0]], first, self.resource)
            columns.by_path.update({path: [None] * before for path in first.by_path})
            self._table = self._new_table()
        try:
            if isinstance(self._table, ChosenTable):
                self._table.read(result)
            else:
                self._table.read(root, result, content)
        except UnusualPageError:
            for values in columns.by_path.values():
                del values[before:]
            columns.rows = before
            read_by_rule(result, columns, self.resource)
            if self._chosen is not None:
                for path in columns.by_path.keys() - self._chosen:
                    del columns.by_path[path]
            self._table = self._new_table()
        return columns.rows - before

    def _check_resource(self, result: etree._Element, source: str | None) -> str:
        name = local(result[0]) if self.resource is None else self.resource.name
        if not _HOLDS_OTHERS(result, name=name):
            return name
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
