"""Parse a document into a page: its envelope and the elements of its records."""

# Accepts all that services of this kind have sent since 2007: elements in any order, unknown ones,
# error bodies without an envelope. Entities, external documents and network access are disabled.

from __future__ import annotations

import codecs
import enum
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, NoReturn

from lxml import etree

from dirframe.errors import UnreadableResponseError
from dirframe.schema import COLLECTION_COUNTS, SYNTHETIC_MARK, WRAPPED, resource_named

#: Default maximum size of a document. Parsing takes about six times its size in memory.
MAX_BYTES = 64 * 1024 * 1024
#: Most levels of elements; the parser's own limit, which it does not have for large documents.
MAX_DEPTH = 256


@cache
def _parser(*, keeps_all: bool, is_large: bool) -> etree.XMLParser:
    """Return a parser; one that keeps all keeps blanks, comments and processing instructions."""
    return etree.XMLParser(
        remove_blank_text=not keeps_all,
        remove_comments=not keeps_all,
        remove_pis=not keeps_all,
        collect_ids=False,
        resolve_entities=False,
        no_network=True,
        huge_tree=is_large,
    )


#: The parser refuses texts of more bytes, unless it is that of large documents.
_LARGE = 10_000_000
_PROLOG_BYTES = 256
#: Most attributes of an element: the parser's time for reading them grows with their square.
MAX_ATTRIBUTES = 1_000
#: A document with fewer signs of equality is read in no time, whatever its elements.
_MANY_ATTRIBUTES = 4 * MAX_ATTRIBUTES
_is_too_deep: Callable[[etree._Element], Any] = etree.XPath(f"boolean({'/*' * (MAX_DEPTH + 1)})")
_count_many_attributes: Callable[[etree._Element], Any] = etree.XPath(
    f"count((//*[@*[{MAX_ATTRIBUTES + 1}]])[1]/@*)"
)


class AnalysisSent(enum.Flag):
    """What a record of a project says of its analysis."""

    NOTHING = 0
    ANALYSIS = enum.auto()  # the analysis itself
    ID = enum.auto()  # the id of the analysis
    NO_ID = enum.auto()  # that it has none: the element of the id is empty


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed document: its envelope, and the elements of its records, which take the memory."""

    succeeded: bool = False
    status: str | None = None  # success, failed, or another word
    error: str | None = None
    items_returned: int | None = None
    items_available: int | None = None
    first_item_position: int | None = None
    synthetic: bool = False  # whether the document declares its data as generated
    records: Sequence[etree._Element] = ()
    record_name: str | None = None  # by the schema: of records in a further element, not their own
    source: str | None = None

    def values(self, name: str) -> tuple[str | None, ...]:
        """Return the text of a leaf of each record; None if there is none, or several."""
        return tuple(_value(record, name) for record in self.records)

    def analyses_sent(self) -> tuple[AnalysisSent, ...]:
        """Return what each project says of its analysis; nothing for records of another kind."""
        projects = self.records if self.record_name == "project" else ()
        return tuple(map(_analysis_sent, projects))

    def digests(self) -> tuple[str, ...]:
        """Return a digest of each record; equal ones are numbered."""
        before: Counter[str] = Counter()
        digests = []
        for record in self.records:
            digest = sha256(etree.tostring(record, with_tail=False)).hexdigest()
            digests.append(f"{digest} {before[digest]}")
            before[digest] += 1
        return tuple(digests)


def parse(content: bytes, *, source: str | None = None, max_bytes: int = MAX_BYTES) -> Page:
    """Parse one document, also one that reports a failure; `source` is its name in messages."""
    if len(content) > max_bytes:
        found = f"more than {max_bytes:,} bytes"
        refuse(found, source, text=f"holds {found}, the most that is allowed (max_bytes=)")
    prolog = _read_prolog(content)
    root = _parse_root(content, prolog, source)
    envelope = [root, *root]
    results = [element for element in envelope if _local_name(element) == "result"]
    if len(results) > 1:
        refuse("a response with more than one <result>", source)
    children = [child for result in results for child in result]
    name, records = _unwrapped(children, source)
    texts = {_local_name(element): (element.text or "").strip() for element in envelope}
    status = texts.get("status")
    return Page(
        # A bare <result> is a success, a bare <error> is not; today's service omits an empty result.
        succeeded=status == "success" if status else bool(results),
        status=status or None,
        error=texts.get("error") or texts.get("message") or None,
        **{count: _count(texts.get(count, "")) for count in COLLECTION_COUNTS},
        synthetic=prolog.is_synthetic,
        records=records,
        record_name=name,
        source=source,
    )


def _unwrapped(
    children: list[etree._Element], source: str | None
) -> tuple[str | None, list[etree._Element]]:
    """Return the name of the records of a result, and the records, which one element may wrap."""
    names = list(dict.fromkeys(map(_local_name, children)))
    if len(names) > 1:
        _refuse_record(names[1], names[0], source)
    resource = WRAPPED.get(names[0]) if len(children) == 1 else None
    if resource is None:
        return (names[0] if names else None), children
    records = []
    for element in children[0]:
        if _local_name(element) == resource.element:
            records.append(element)
        elif len(element):  # a text, such as the address of the page for people, is no record
            _refuse_record(_local_name(element), resource.name, source)
    return resource.name, records


def check_records(page: Page, name: str | None) -> None:
    """Raise if the records of a page have another name than the expected one."""
    if page.record_name is not None and page.record_name != name:
        _refuse_record(page.record_name, name, page.source)


def redact(content: bytes, replace: Callable[[str], str]) -> bytes:
    """Return a document whose XML is replaced by a function; as it is, if that changes nothing.

    The function gets the XML in one spelling: decoded, without CDATA and character references. What
    is no XML is returned as it is.
    """
    try:
        tree = _parse_tree(content, _read_prolog(content), keeps_all=True).getroottree()
    except (etree.XMLSyntaxError, ValueError):
        return content
    xml = etree.tostring(tree, encoding="unicode")
    replaced = replace(xml)
    return content if replaced == xml else replaced.encode()


@dataclass(frozen=True, slots=True)
class _Prolog:
    """What stands before the root of a document."""

    has_doctype: bool = False
    is_synthetic: bool = False
    is_readable: bool = True  # by this reader, and not only by the parser


def _read_prolog(content: bytes) -> _Prolog:
    """Read a document up to its root, without what the parser removes."""
    reader = etree.XMLPullParser(
        events=("start",), remove_comments=True, resolve_entities=False, no_network=True
    )
    begin, size = 0, _PROLOG_BYTES
    try:
        while begin < len(content):
            reader.feed(content[begin : begin + size])
            for _, root in reader.read_events():
                if isinstance(root, etree._Element):  # as of each start
                    return _Prolog(has_doctype=_has_doctype(root), is_synthetic=_is_marked(root))
            # The parser reads an open declaration again with each part: so its time is linear.
            begin, size = begin + size, 2 * size
    except etree.XMLSyntaxError:
        pass  # damaged; or in UTF-32, which is read only as a whole
    return _Prolog(is_synthetic=_has_mark(content), is_readable=False)


def _has_mark(content: bytes) -> bool:
    try:
        root = etree.fromstring(content, _parser(keeps_all=True, is_large=False))
    except (etree.XMLSyntaxError, ValueError):
        return False
    return _is_marked(root)


def _has_doctype(root: etree._Element) -> bool:
    # Not the DTD itself: lxml copies it, in a time that grows with the square of its attributes.
    return bool(root.getroottree().docinfo.doctype)  # type: ignore[attr-defined]  # not in the stubs


def _is_marked(root: etree._Element) -> bool:
    """Return whether a processing instruction before the root says that the data is generated."""
    return any(
        isinstance(node, etree._ProcessingInstruction) and node.target == SYNTHETIC_MARK
        for node in root.itersiblings(preceding=True)
    )


def _parse_tree(content: bytes, prolog: _Prolog, *, keeps_all: bool = False) -> etree._Element:
    # Without the parser's limits, entities in attributes could fill the memory.
    is_large = len(content) > _LARGE and prolog.is_readable and not prolog.has_doctype
    root: etree._Element = etree.fromstring(
        content, _parser(keeps_all=keeps_all, is_large=is_large)
    )
    return root


def _parse_root(content: bytes, prolog: _Prolog, source: str | None) -> etree._Element:
    try:
        root = _parse_tree(content, prolog)
    except (etree.XMLSyntaxError, ValueError) as error:
        refuse(_describe(content), source, detail=f" ({error})")
    name = _local_name(root)
    if _has_doctype(root) or name.lower() == "html":
        refuse(_describe(content), source)
    if name not in {"response", "error", "result"}:
        refuse(f"an XML document with the root <{name}>", source)
    if len(content) > _LARGE and _is_too_deep(root):
        refuse(f"XML of more than {MAX_DEPTH} levels", source)
    if content.count(b"=") > _MANY_ATTRIBUTES:
        most = int(_count_many_attributes(root))
        if most:
            refuse(f"XML with an element of {most:,} attributes", source)
    return root


def _local_name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _value(record: etree._Element, name: str) -> str | None:
    texts = [str(text) for key, text in record.items() if str(key).rpartition("}")[2] == name]
    for child in record.iterchildren(f"{{*}}{name}"):
        if len(child):
            return None
        texts.append(child.text or "")
    stripped = [text.strip() for text in texts if text.strip()]
    return stripped[0] if len(stripped) == 1 else None


def _analysis_sent(project: etree._Element) -> AnalysisSent:
    sent = AnalysisSent.NOTHING
    if _has_text(project, "analysis"):
        sent |= AnalysisSent.ANALYSIS
    if _has_text(project, "analysis_id"):
        sent |= AnalysisSent.ID
    elif next(project.iterchildren("{*}analysis_id"), None) is not None:
        sent |= AnalysisSent.NO_ID
    return sent


def _has_text(record: etree._Element, name: str) -> bool:
    children = record.iterchildren(f"{{*}}{name}")
    return any(text.strip() for child in children for text in child.itertext())


def _count(text: str) -> int | None:
    text = text.replace(",", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


# -- what else a document is ---------------------------------------------------------------

#: Allowed before DOCTYPE and root.
_PROLOG = rb"(?:\s|<!--.*?-->|<\?.*?\?>)*+"
#: By how it begins; the first that fits.
_OTHERS = {
    rb"\Z": "an empty document",
    rb"\x1f\x8b": "gzip data that was not unpacked",
    rb"PK\x03\x04": "a ZIP archive",
    rb"[{[]": "JSON",
    _PROLOG + rb"<(?:!doctype\s+)?html\b": "an HTML page",
    _PROLOG + rb"<!doctype": "a document with a DOCTYPE, which could declare entities",
    rb"<": "XML that is cut off, damaged or in another encoding than it says",
    rb"": "something that is not XML",
}


def _describe(content: bytes) -> str:
    head = content[: 64 * 1024].removeprefix(codecs.BOM_UTF8).lstrip()
    flags = re.DOTALL | re.IGNORECASE
    return next(name for begin, name in _OTHERS.items() if re.match(begin, head, flags))


def _refuse_record(name: str, expected: str | None, source: str | None) -> NoReturn:
    found = f"<{_element_of(name)}>"
    text = f"should hold <{_element_of(expected or '')}> records alone, but it holds {found}"
    refuse(found, source, text=text)


def _element_of(name: str) -> str:
    """Return the element below the result by which records of a name are known."""
    resource = resource_named(name)
    return resource.wrapper or resource.element


def refuse(found: str, source: str | None, *, detail: str = "", text: str = "") -> NoReturn:
    """Raise an error that names a document and what was found in it."""
    expected = "a response of the directory's XML interface, whose root is <response>"
    text = text or f"is {found}{detail}, not {expected}"
    raise UnreadableResponseError(
        f"{source or 'The document'} {text}.",
        found=found,
        source=source,
        hint="Check the address and that its path ends in .xml; a page saved from a browser is not "
        "enough.",
    )
