"""Parse a document into a page: its envelope and the elements of its records."""

# Accepts all that services of this kind have sent since 2007: elements in any order, unknown ones,
# error bodies without an envelope. Entities, external documents and network access are disabled.

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NoReturn

from lxml import etree

from dirframe.errors import UnreadableResponseError
from dirframe.schema import COLLECTION_COUNTS, SYNTHETIC_MARK

#: Default maximum size of a document. Parsing takes about six times its size in memory.
MAX_BYTES = 64 * 1024 * 1024

_PARSER = etree.XMLParser(
    remove_blank_text=True,
    remove_comments=True,
    remove_pis=True,
    collect_ids=False,
    resolve_entities=False,
    no_network=True,
)
_SYNTHETIC = b"<?" + SYNTHETIC_MARK.encode()


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
    record_name: str | None = None
    source: str | None = None

    def values(self, name: str) -> tuple[str | None, ...]:
        """Return the text of a leaf of each record; None if there is none, or several."""
        return tuple(_value(record, name) for record in self.records)

    def signs(self) -> str:
        """Return of each project a digit: 1 came with its analysis, 2 with its id, 3 both, 0 none."""
        projects = self.records if self.record_name == "project" else ()
        digits = (_has_text(p, "analysis") + 2 * _has_text(p, "analysis_id") for p in projects)
        return "".join(map(str, digits))

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
        _refuse(found, source, text=f"holds {found}, the most that is allowed (max_bytes=)")
    root = _parse_root(content, source)
    envelope = [root, *root]
    results = [element for element in envelope if _local_name(element) == "result"]
    if len(results) > 1:
        _refuse("a response with more than one <result>", source)
    records = [record for result in results for record in result]
    names: list[Any] = list(dict.fromkeys(map(_local_name, records))) or [None]
    texts = {_local_name(element): (element.text or "").strip() for element in envelope}
    status = texts.get("status")
    page = Page(
        # A bare <result> is a success, a bare <error> is not; today's service omits an empty result.
        succeeded=status == "success" if status else bool(results),
        status=status or None,
        error=texts.get("error") or texts.get("message") or None,
        **{count: _count(texts.get(count, "")) for count in COLLECTION_COUNTS},
        synthetic=_SYNTHETIC in content[: content.find(_local_name(root).encode())],
        records=records,
        record_name=names[-1],
        source=source,
    )
    check_records(page, names[0])
    return page


def check_records(page: Page, name: str | None) -> None:
    """Raise if the records of a page have another name than the expected one."""
    if page.record_name not in {None, name}:
        found = f"<{page.record_name}>"
        text = f"should hold <{name}> records alone, but it holds {found}"
        _refuse(found, page.source, text=text)


def _parse_root(content: bytes, source: str | None) -> etree._Element:
    try:
        root = etree.fromstring(content, _PARSER)
    except (etree.XMLSyntaxError, ValueError) as error:
        _refuse(_describe(content), source, detail=f" ({error})")
    name = _local_name(root)
    if root.getroottree().docinfo.internalDTD is not None or name.lower() == "html":
        _refuse(_describe(content), source)
    if name not in {"response", "error", "result"}:
        _refuse(f"an XML document with the root <{name}>", source)
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


def _refuse(found: str, source: str | None, *, detail: str = "", text: str = "") -> NoReturn:
    expected = "a response of the directory's XML interface, whose root is <response>"
    text = text or f"is {found}{detail}, not {expected}"
    raise UnreadableResponseError(
        f"{source or 'The document'} {text}.",
        found=found,
        source=source,
        hint="Check the address and that its path ends in .xml; a page saved from a browser is not "
        "enough.",
    )
