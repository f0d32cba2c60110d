"""Read files of the interface's XML, one record at a time, so that files may have any size."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from dirframe.errors import InvalidInputError, StoreError
from dirframe.schema import EXTENSIONS, RESOURCES, SYNTHETIC_MARK
from dirframe.service.records import Refusals, Row, row_of, serialize

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import IO, NoReturn

    from lxml.etree import _Element

_ENTRY_TAGS = {resource.collection: resource.name for resource in EXTENSIONS.values()}
#: Addresses, in a folder, of documents that are served as they are, such as languages.xml.
_DOCUMENT = re.compile(rf"(?:(?:projects|p)/([^/]+)/)?((?:.+/)?({'|'.join(_ENTRY_TAGS)}))\.xml")


class Document(NamedTuple):
    """Entries that are served as they are, of the directory or below a project."""

    project: str
    name: str
    entries: list[str]


#: Instead of a document: the records are generated.
SYNTHETIC = Document("", "", [])


def find_files(sources: Iterable[Path]) -> dict[Path, str]:
    """Return files, and the XML files of folders sorted by name, with their address in the folder."""
    files: dict[Path, str] = {}
    for source in sources:
        with refuse_unreadable(source):
            if source.is_dir():
                files |= {path: path.relative_to(source).as_posix() for path in _xml_files(source)}
            elif source.exists():
                files[source] = source.name
            else:
                raise InvalidInputError(f"There is no file or folder {source}.")
    return files


def is_xml(path: Path) -> bool:
    """Return whether the name of a file is that of XML, compressed or not."""
    return path.name.endswith((".xml", ".xml.gz"))


def _xml_files(folder: Path) -> list[Path]:
    def refuse(error: OSError) -> NoReturn:
        raise error  # os.walk would leave the folder out

    walked = os.walk(folder, onerror=refuse)
    paths = (Path(parent, name) for parent, _, names in walked for name in names)
    if not (files := sorted(filter(is_xml, paths))):
        raise StoreError(
            f"The folder {folder} holds no .xml and no .xml.gz file.",
            hint="Of a folder only XML is read; name each table by its own path.",
        )
    return files


@contextmanager
def refuse_unreadable(path: Path) -> Iterator[None]:
    """Convert an error of reading in the block to a StoreError that names the file."""
    try:
        yield
    except (OSError, EOFError, zlib.error, etree.XMLSyntaxError) as error:
        raise StoreError(f"{path} cannot be read: {error}. Nothing was imported.") from error


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if its name ends in ``.gz``."""
    return gzip.open(path) if path.name.endswith(".gz") else path.open("rb")  # type: ignore[return-value]  # reads bytes


def read_xml(path: Path, address: str) -> Iterator[Row | Document]:
    """Yield the records of a file, or the document that it is by its address in its folder."""
    document = _DOCUMENT.fullmatch(address.removesuffix(".gz"))
    tags = [_ENTRY_TAGS[document[3]]] if document else list(RESOURCES)
    refusals, entries = Refusals(str(path)), []
    with refuse_unreadable(path), open_file(path) as stream:
        # Only the ends of records are events: lxml then skips the rest in C.
        events = etree.iterparse(
            stream,
            tag=tags,
            remove_comments=True,
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
        )
        for number, element in enumerate(_records(events), start=1):
            if document:
                entries.append(serialize(element))
                continue
            refusals.place = f"record {number} (line {element.sourceline})"
            row = row_of(RESOURCES[str(element.tag)], element, refusals)
            if not refusals:
                yield row
        _check(path, events.root, tags)
    refusals.check()
    if document:
        yield Document(document[1] or "", document[2], entries)
    if events.root.xpath(f"preceding-sibling::processing-instruction('{SYNTHETIC_MARK}')"):
        yield SYNTHETIC


def _records(events: Iterable[tuple[str, _Element]]) -> Iterator[_Element]:
    """Yield the records of a result; each is removed when the next one has been read."""
    previous = None
    for _, element in events:
        result = element.getparent()
        if result is not None and _is_result(result):
            yield element
            if previous is not None:
                result.remove(previous)
            previous = element


def _is_result(element: _Element) -> bool:
    # Some recorded files lack the envelope: their result is the root.
    parent = element.getparent()
    return element.tag == "result" and (parent is None or parent.getparent() is None)


def _check(path: Path, root: _Element, tags: Collection[str]) -> None:
    """Raise unless a document that has been read is a success, and held records of these tags alone."""
    others = {e.tag for e in root.iterfind("*" if root.tag == "result" else "result/*")} - {*tags}
    status = (root.findtext("status") or "success").strip()
    if root.tag not in {"response", "result"}:
        reason = f"its root is <{root.tag}>, not <response>"
    elif root.getroottree().docinfo.internalDTD is not None:
        reason = "it declares a document type"
    elif status != "success":
        reason = f"its status is {status!r}"
    elif others:
        reason = f"it holds <{others.pop()}> where <{'> or <'.join(tags)}> is expected"
    else:
        return
    raise StoreError(f"{path} is no collection: {reason}. Nothing was imported.")
