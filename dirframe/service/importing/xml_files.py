"""Read collections in XML files, one record at a time, so that files may have any size."""

from __future__ import annotations

import gzip
import zlib
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from lxml import etree

from dirframe.errors import InvalidInputError, StoreError
from dirframe.schema import RESOURCES, SYNTHETIC_MARK
from dirframe.service.importing.importer import SourceRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import IO

    from lxml.etree import _Element


_PARSER: dict[str, Any] = {
    "resolve_entities": False,
    "load_dtd": False,
    "no_network": True,
    "remove_comments": True,
    "remove_pis": True,
}
#: Records that are removed from memory at once.
_BATCH_SIZE = 100
#: Bytes of a file that are parsed at once, and those within which a record has to end.
_BLOCK_SIZE, _LONGEST_BLOCK = 1 << 17, 1 << 24
_END_TAGS = tuple(f"</{name}>".encode() for name in RESOURCES)
_BEGIN, _END = b"<result>", b"</result></response>"


def find_files(sources: Iterable[Path]) -> list[Path]:
    """Return files, and the XML files of folders sorted by name."""
    files: list[Path] = []
    for source in sources:
        if source.is_dir():
            matches = sorted(p for p in source.rglob("*") if p.name.endswith((".xml", ".xml.gz")))
            if not matches:
                raise StoreError(f"The folder {source} holds no .xml and no .xml.gz file.")
            files += matches
        elif source.is_file():
            files.append(source)
        else:
            raise InvalidInputError(f"There is no file or folder {source}.")
    return files


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if its name ends in ``.gz``."""
    return gzip.open(path) if path.name.endswith(".gz") else path.open("rb")  # type: ignore[return-value]  # reads bytes


class UnusualXmlError(Exception):
    """A file is damaged, or not of the form that can be read in blocks."""


@dataclass(frozen=True)
class XmlFile:
    """A file of the interface's XML as a source of records."""

    path: Path

    report = None

    def __str__(self) -> str:
        return str(self.path)

    def records(self) -> Iterator[SourceRecord]:
        """Yield the records of the file.

        Raises
        ------
        StoreError
            The file is not the interface's XML; the message names the file and the line.
        """
        path, name = self.path, str(self.path)
        try:
            with open_file(path) as stream:
                synthetic = _check_root(path, stream)
            for number, (element, line) in enumerate(_elements(path), start=1):
                where = f"{name}, record {number} (line {line})"
                yield SourceRecord(RESOURCES[str(element.tag)], element, where, synthetic)
        except etree.XMLSyntaxError as error:
            raise StoreError(
                f"{path} is not well-formed XML: {error.msg}. Nothing was imported."
            ) from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise StoreError(
                f"{path} is not a whole gzip file: {error}. Nothing was imported."
            ) from None
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}.") from error

    def blocks(self, part: int, parts: int) -> Iterator[list[SourceRecord]]:
        """Yield the records of every block whose number is `part`, modulo `parts`.

        Raises
        ------
        UnusualXmlError
            The file can only be read by `records`, which says what is wrong with it, if anything.
        """
        with open_file(self.path) as stream:
            synthetic = _check_root(self.path, stream)
        with open_file(self.path) as stream:
            for elements, _ in _blocks(stream, part, parts):
                yield [SourceRecord(RESOURCES[str(e.tag)], e, "", synthetic) for e in elements]


def _check_root(path: Path, stream: IO[bytes]) -> bool:
    """Raise unless the root is that of a collection; return whether it is marked as synthetic."""
    parser = _PARSER | {"remove_pis": False}
    _, root = next(iter(etree.iterparse(stream, events=("start",), **parser)))
    if root.getroottree().docinfo.internalDTD is not None:
        raise StoreError(f"{path} declares a document type, which no collection does.")
    if root.tag != "response":
        raise StoreError(
            f"{path} is no collection of the interface: its root is <{root.tag}>, not <response>."
        )
    return bool(root.xpath(f"preceding-sibling::processing-instruction('{SYNTHETIC_MARK}')"))


def _elements(path: Path) -> Iterator[tuple[_Element, int]]:
    """Yield the records with their lines: from blocks, and from where that fails by events."""
    read = 0
    with suppress(UnusualXmlError), open_file(path) as stream:
        for elements, line in _blocks(stream):
            for element in elements:
                read += 1
                yield element, line + cast("int", element.sourceline)
        return
    with open_file(path) as stream:
        for element in islice(_elements_of_events(path, stream), read, None):
            yield element, cast("int", element.sourceline)


def _blocks(
    stream: IO[bytes], part: int = 0, parts: int = 1
) -> Iterator[tuple[list[_Element], int]]:
    """Yield the records of usual XML, many at once, and the number of lines before them.

    Whole records are parsed at once, between the beginning and the end of the file, which is faster
    than events for each record. A block that was cut elsewhere, in a comment say, is not well-formed.
    """
    parser = etree.XMLParser(collect_ids=False, **_PARSER)
    head, block, lines, children, number = b"", b"", 0, 0, 0
    try:
        while content := stream.read(_BLOCK_SIZE):
            block += content
            if not head:
                end = block.find(_BEGIN) + len(_BEGIN)
                head, block = block[:end], block[end:]
                root = etree.fromstring(head + _END, parser)
                if not _is_usual(root):
                    raise UnusualXmlError
                children = len(root)
            end = max(block.rfind(tag) + len(tag) if tag in block else 0 for tag in _END_TAGS)
            if end == 0 and len(block) < _LONGEST_BLOCK:
                continue
            if number % parts == part:
                root = etree.fromstring(head + block[:end] + _END, parser)
                elements = list(root[-1])
                known = all(element.tag in RESOURCES for element in elements)
                if len(root) != children or not end or not known or b"xmlns" in block:
                    raise UnusualXmlError
                yield elements, lines
            number += 1
            lines += block.count(b"\n", 0, end)
            block = block[end:]
        root = etree.fromstring(head + block, parser)
    except (etree.XMLSyntaxError, OSError, EOFError, zlib.error):
        raise UnusualXmlError from None
    if len(root) != children or len(root[-1]):
        raise UnusualXmlError


def _is_usual(root: _Element) -> bool:
    """Return whether a collection without its records has one result, at its end, and no error."""
    *others, result = root
    return (
        result.tag == "result"
        and not result.nsmap
        and (root.getroottree().docinfo.encoding or "").upper() == "UTF-8"
        and all(e.tag != "result" for e in others)
        and all((e.text or "").strip() == "success" for e in others if e.tag == "status")
    )


def _elements_of_events(path: Path, stream: IO[bytes]) -> Iterator[_Element]:
    # Only the ends of records and of the status are events: lxml then skips the rest in C.
    events = etree.iterparse(stream, tag=(*RESOURCES, "status"), **_PARSER)
    result, kept = None, 0
    for _, element in events:
        parent = element.getparent()
        if parent is None or (parent is not result and not _is_result(parent)):
            is_status = (
                element.tag == "status" and parent is not None and parent.getparent() is None
            )
            if is_status and (element.text or "").strip() != "success":
                raise StoreError(
                    f"{path} holds a failed answer (its status is {element.text!r}), no records."
                )
        elif element.tag != "status":
            if element.nsmap:
                for node in element.iter():
                    node.tag = etree.QName(node).localname
                etree.cleanup_namespaces(element)
            yield element
            result, kept = parent, kept + 1
            if kept % _BATCH_SIZE == 0:
                read = parent[: parent.index(element)]
                _check_tags(path, read)
                del parent[: len(read)]
    _check_tags(path, events.root.iterfind("result/*"))


def _check_tags(path: Path, elements: Iterable[_Element]) -> None:
    for element in elements:
        if element.tag not in RESOURCES:
            raise StoreError(
                f"{path}, line {element.sourceline}: a <{element.tag}> is neither an "
                "account nor a project; only collections of these can be served."
            )


def _is_result(element: _Element) -> bool:
    parent = element.getparent()
    return element.tag == "result" and parent is not None and parent.getparent() is None
