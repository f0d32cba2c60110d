"""From bytes to columns of text: the envelope is read, the records are taken apart.

The reader accepts the specification's envelope and what services of this kind have sent
since 2007: elements in any order, unknown elements and attributes, repeated elements, error
bodies without an envelope. It takes bytes and never fetches; entities, external documents
and the network are switched off. What stays out: HTTP, dtypes, blanks around text and
pandas. Text between elements (mixed content) is not part of the interface and is not read.

How a record becomes columns
    A leaf is a column at its path, ``("name",)`` or ``("analysis", "total_code_lines")``. An
    attribute counts as a child leaf. A repeated element is a list: at its container's path
    if the container holds nothing else (``("tags",)``), at its own otherwise. An entry of a
    list is its text, or a dict if it has attributes or children, in which the entry's text
    goes by the entry's tag.

There are two ways through a page. `_flatten` states the rule and looks at everything.
`_Table` knows where the elements go that were met before, at the price of a look-up each, and
looks at neither attributes nor children of a leaf; so the tags and attributes it saw are
counted against those in the bytes, and a page where they differ is read again by the rule.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from dirframe.client.refusal import describe, refuse
from dirframe.errors import UnreadableResponseError
from dirframe.schema import COLLECTION_COUNTS, RESOURCES, SYNTHETIC_MARK, Kind, Resource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["MAX_BYTES", "Columns", "Envelope", "Path", "Reader", "Value"]

Path = tuple[str, ...]
Value = Any  # None, text, or a list of texts and dicts

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


@dataclass(slots=True)
class Columns:
    """Records taken apart: for each path a list with one value a record."""

    rows: int = 0
    by_path: dict[Path, list[Value]] = field(default_factory=dict)


class Reader:
    """Read documents of one resource into one growing set of columns.

    Parameters
    ----------
    resource
        What the records must be; None to take what the first record is.
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

    def __init__(self, resource: Resource | None = None, *, max_bytes: int = MAX_BYTES) -> None:
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
        self._columns = Columns()
        self._table = _Table(self._columns, self.resource)

    def take(self) -> Columns:
        """Hand over the columns so far and begin new ones."""
        taken = self._columns
        self._columns = Columns(0, {path: [] for path in taken.by_path})
        self._table = _Table(self._columns, self.resource)
        return taken

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
        parts = {_local(child): child for child in root}
        synthetic = _SYNTHETIC in content[: content.find(_local(root).encode())]
        if _local(root) == "error":
            message = _text(parts["message"]) if "message" in parts else _text(root)
            return Envelope(None, message, synthetic=synthetic)
        result = root if _local(root) == "result" else parts.get("result")
        records = 0
        if result is not None and len(result):
            records = self._add(root, result, content, source)
        counts = {name: _count(parts.get(name)) for name in COLLECTION_COUNTS}
        return Envelope(
            status=_text(parts.get("status")),
            error=_text(parts.get("error")) or _text(parts.get("message")),
            **counts,
            has_result=result is not None,
            records=records,
            synthetic=synthetic,
        )

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
        if _local(root) not in _ROOTS:
            refuse(f"an XML document with the root <{_local(root)}>", source)
        return root

    def _add(
        self, root: etree._Element, result: etree._Element, content: bytes, source: str | None
    ) -> int:
        self._settle_resource(result, source)
        columns = self._columns
        before = columns.rows
        try:
            self._table.read(root, result, content)
        except _UnusualPageError:
            for values in columns.by_path.values():
                del values[before:]
            columns.rows = before
            _read_by_rule(result, columns, self.resource)
            self._table = _Table(columns, self.resource)
        return columns.rows - before

    def _settle_resource(self, result: etree._Element, source: str | None) -> None:
        names = {_local(record) for record in result}
        if self.resource is None:
            name = _local(result[0])
            self.resource = RESOURCES.get(name) or Resource(name, f"{name}s", (), (), "")
        others = names - {self.resource.name}
        if others:
            found = ", ".join(f"<{name}>" for name in sorted(others))
            raise UnreadableResponseError(
                f"{source or 'The document'} should hold <{self.resource.name}> records alone, "
                f"but it holds {found}.",
                found=found,
                source=source,
            )


def _local(element: etree._Element) -> str:
    tag = str(element.tag)
    return tag.rpartition("}")[2] if "}" in tag else tag


def _text(element: etree._Element | None) -> str | None:
    return None if element is None else ((element.text or "").strip() or None)


def _count(element: etree._Element | None) -> int | None:
    text = (_text(element) or "").replace(",", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


class _UnusualPageError(Exception):
    """The page holds something that a table does not look at: read it by the rule."""


class _Table:
    """Where the text of each element goes that was met before, by its tag."""

    __slots__ = ("columns", "items", "leaves", "nested")

    def __init__(self, columns: Columns, resource: Resource | None, path: Path = ()) -> None:
        depth = len(path)
        below = [p for p in columns.by_path if p[:depth] == path and len(p) > depth]
        here = {p: columns.by_path[p].append for p in below if len(p) == depth + 1}
        lists = _list_paths(resource)
        self.columns = columns
        self.leaves = {p[-1]: append for p, append in here.items() if p not in lists}
        self.items = {p[-1]: append for p, append in here.items() if p in lists}
        self.nested = {
            name: _Table(columns, resource, (*path, name))
            for name in {p[depth] for p in below if len(p) > depth + 1}
        }

    def read(self, root: etree._Element, result: etree._Element, content: bytes) -> None:
        """Read all records of a result; raise `_UnusualPageError` if anything stays unseen."""
        leaf = self.leaves.get
        lists = list(self.columns.by_path.values())
        rows = self.columns.rows
        tags = _tags_around(root, result)
        attributes = 0
        for record in result:
            rows += 1
            tags += 1 + len(record)
            for child in record:
                append = leaf(child.tag)
                if append is not None:
                    append(child.text)
                else:
                    more, named = self.branch(child)
                    tags += more
                    attributes += named
            for values in lists:
                if len(values) != rows:
                    if len(values) > rows:
                        raise _UnusualPageError
                    values.append(None)
        if (tags, attributes) != _passed(content):
            raise _UnusualPageError
        self.columns.rows = rows

    def branch(self, child: etree._Element) -> tuple[int, int]:
        """Put an element with children away; return the tags and attributes inside it."""
        table = self.nested.get(child.tag)
        append = self.items.get(child.tag)
        tags, attributes = len(child), 0
        if append is not None:
            if tags:
                entries, tags, attributes = _entries(child)
                append(entries)
            elif _text(child):
                raise _UnusualPageError
            if child.attrib:
                if table is None:
                    raise _UnusualPageError
                for name, value in child.items():
                    table.leaf(str(name))(value)
                    attributes += 1
        elif table is not None:
            for grandchild in child:
                append = table.leaves.get(grandchild.tag)
                if append is not None:
                    append(grandchild.text)
                else:
                    more, named = table.branch(grandchild)
                    tags += more
                    attributes += named
        else:
            raise _UnusualPageError
        return tags, attributes

    def leaf(self, name: str) -> Callable[[Value], None]:
        """Return where the leaf of this name goes."""
        append = self.leaves.get(name)
        if append is None:
            raise _UnusualPageError
        return append


def _list_paths(resource: Resource | None) -> set[Path]:
    fields = resource.fields if resource else ()
    return {f.path for f in fields if f.kind is Kind.ITEMS}


def _tags_around(root: etree._Element, result: etree._Element) -> int:
    if result is root:
        return 1
    return 2 + sum(1 + len(child) for child in root if child is not result)


def _passed(content: bytes) -> tuple[int, int]:
    """Count the start tags and the attributes in the bytes; -1 where counting proves nothing."""
    view = np.frombuffer(content, dtype=np.uint8)
    behind = view[np.flatnonzero(view[:-1] == ord("<")) + 1]
    marks = np.bincount(behind, minlength=256)
    if marks[ord("!")]:  # comments and CDATA may hold any text
        return -1, -1
    tags = len(behind) - marks[ord("/")] - marks[ord("?")]
    start = max(content.find(b"?>"), 0)  # the declaration's attributes are no record's
    places = np.flatnonzero(view[start:-1] == ord("=")) + start + 1
    behind = view[places]
    quotes = np.count_nonzero((behind == ord('"')) | (behind == ord("'")))
    blanks = sum(
        content[place : place + 80].lstrip()[:1] in (b'"', b"'")
        for place in places[behind <= ord(" ")]
    )
    # Text may hold =" too: then the page is read by the rule, which is only slower.
    return int(tags), int(quotes) + blanks


def _entries(container: etree._Element) -> tuple[list[Value], int, int]:
    """Read a list of plain entries; return it with the tags and attributes inside."""
    entries: list[Value] = []
    tags, attributes = len(container), 0
    for element in container:
        text = (element.text or "").strip()
        keys = element.keys()
        if not keys and not len(element):
            entries.append(text or None)
            continue
        entry = dict(element.items())
        for child in element:
            if child.tag in entry:
                raise _UnusualPageError
            entry[child.tag] = (child.text or "").strip()
        if text:
            entry[element.tag] = text
        tags += len(element)
        attributes += len(keys)
        entries.append(entry)
    return entries, tags, attributes


def _read_by_rule(result: etree._Element, columns: Columns, resource: Resource | None) -> None:
    lists = _list_paths(resource)
    for record in result:
        for path, value in _flatten(record, (), lists):
            values = columns.by_path.setdefault(path, [])
            values.extend([None] * (columns.rows - len(values)))
            if len(values) == columns.rows:
                values.append(value)
            else:  # an element and an attribute, or two elements, of the same name
                values[-1] = [*_as_list(values[-1]), *_as_list(value)]
        columns.rows += 1
        for values in columns.by_path.values():
            values.extend([None] * (columns.rows - len(values)))


def _as_list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _flatten(element: etree._Element, path: Path, lists: set[Path]) -> Iterator[tuple[Path, Value]]:
    """Take one element apart: pairs of a path and a text or list."""
    for name, value in element.items():
        yield (*path, str(name).rpartition("}")[2]), value
    if len(element) == 0:
        if path in lists:
            yield path, [_text(element)] if _text(element) else None
        elif path:
            yield path, element.text
        return
    tags = Counter(_local(child) for child in element)
    if _is_list(path, tags, lists):
        yield path, [_entry(child) for child in element]
        return
    for child in element:
        name = _local(child)
        if tags[name] > 1 and len(child):
            yield (*path, name), [_entry(child)]
        else:
            yield from _flatten(child, (*path, name), lists)


def _is_list(path: Path, tags: Counter[str], lists: set[Path]) -> bool:
    if path in lists:
        return True
    if len(tags) != 1 or not path:
        return False
    [(tag, number)] = tags.items()
    return number > 1 or path[-1].endswith(tag + "s")


def _entry(element: etree._Element) -> Value:
    """Read one entry of a list by the rule, however deep it is."""
    text = (element.text or "").strip()
    if not len(element) and not element.keys():
        return text or None
    entry: dict[str, Value] = {}
    for path, value in _flatten(element, (), set()):
        key = "_".join(path)
        clean = value.strip() if isinstance(value, str) else value
        entry[key] = [*_as_list(entry[key]), *_as_list(clean)] if key in entry else clean or ""
    if text:
        name = _local(element)
        entry[name] = [*_as_list(entry[name]), text] if name in entry else text
    return entry
