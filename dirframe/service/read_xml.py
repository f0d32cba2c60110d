"""Read files of the interface's XML, one record at a time, so that files may have any size."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from dirframe.errors import InvalidInputError, StoreError
from dirframe.schema import EXTENSIONS, RESOURCES, SYNTHETIC_MARK
from dirframe.service.records import Refusals, Row, row_of, text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import IO, NoReturn

    from lxml.etree import _Element

_PARSER: dict[str, Any] = {"resolve_entities": False, "load_dtd": False, "no_network": True}
#: Addresses, in a folder, of documents that are served as they are, and the tag of their entries.
_DOCUMENTS = re.compile(
    r"(?:languages|(?:projects|p)/([^/]+)/(?:contributors|analyses/[^/]+/(?:activity|size)_facts))"
    r"\.xml"
)
_ENTRY_TAGS = {resource.collection: resource.name for resource in EXTENSIONS.values()}


class Document(NamedTuple):
    """Entries that are served below a project, or as the languages of the directory."""

    kind: str
    owner: str
    entries: list[str]


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
    except (OSError, EOFError, zlib.error) as error:
        raise StoreError(f"{path} cannot be read: {error}. Nothing was imported.") from error


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if its name ends in ``.gz``."""
    return gzip.open(path) if path.name.endswith(".gz") else path.open("rb")  # type: ignore[return-value]  # reads bytes


def read_xml(path: Path, address: str) -> Iterator[Row | Document]:
    """Yield the records of a file, or the document that it is by its address in its folder."""
    refusals = Refusals(str(path))
    try:
        with refuse_unreadable(path):
            with open_file(path) as stream:
                synthetic = _check_root(path, stream)
            with open_file(path) as stream:
                if match := _DOCUMENTS.fullmatch(address.removesuffix(".gz")):
                    yield _read_document(path, match, stream)
                    return
                for number, element in enumerate(_elements(path, stream), start=1):
                    refuse = partial(refusals.add, f"record {number} (line {element.sourceline})")
                    resource = RESOURCES[str(element.tag)]
                    row = row_of(resource, element, refuse, synthetic=synthetic)
                    if not refusals:
                        yield row
    except etree.XMLSyntaxError as error:
        raise StoreError(
            f"{path} is not well-formed XML: {error.msg}. Nothing was imported."
        ) from None
    refusals.check()


def _check_root(path: Path, stream: IO[bytes]) -> bool:
    """Raise unless the root is that of a response; return whether it is marked as synthetic."""
    _, root = next(iter(etree.iterparse(stream, events=("start",), **_PARSER)))
    if root.tag not in {"response", "result"}:  # some recorded files lack the envelope
        raise StoreError(f"{path} is no collection: its root is <{root.tag}>, not <response>.")
    if root.getroottree().docinfo.internalDTD is not None:
        raise StoreError(f"{path} is no collection: it declares a document type.")
    return bool(root.xpath(f"preceding-sibling::processing-instruction('{SYNTHETIC_MARK}')"))


def _read_document(path: Path, match: re.Match[str], stream: IO[bytes]) -> Document:
    kind = match[0].rpartition("/")[2].removesuffix(".xml")
    parser = etree.XMLParser(remove_comments=True, remove_pis=True, **_PARSER)
    root = etree.parse(stream, parser).getroot()
    _check_status(path, root)
    entries = root.findall("*" if root.tag == "result" else "result/*")
    _check_tags(path, entries, {_ENTRY_TAGS[kind]})
    texts = [etree.tostring(e, encoding="unicode", with_tail=False) + "\n" for e in entries]
    return Document(kind, match[1] or "", texts)


def _elements(path: Path, stream: IO[bytes]) -> Iterator[_Element]:
    # Only the ends of records are events: lxml then skips the rest in C.
    events = etree.iterparse(
        stream, tag=tuple(RESOURCES), remove_comments=True, remove_pis=True, **_PARSER
    )
    for _, element in events:
        result = element.getparent()
        if result is not None and _is_result(result):
            yield element
            while (previous := element.getprevious()) is not None:  # which has been read
                _check_tags(path, [previous], RESOURCES)
                result.remove(previous)
    _check_status(path, events.root)
    _check_tags(
        path, events.root.iterfind("*" if events.root.tag == "result" else "result/*"), RESOURCES
    )


def _is_result(element: _Element) -> bool:
    parent = element.getparent()
    return element.tag == "result" and (parent is None or parent.getparent() is None)


def _check_status(path: Path, root: _Element) -> None:
    status = root.find("status")
    if status is not None and text_of(status) != "success":
        raise StoreError(f"{path} is a failed answer: its status is {status.text!r}.")


def _check_tags(path: Path, elements: Iterable[_Element], known: Collection[str]) -> None:
    for element in elements:
        if element.tag not in known:
            raise StoreError(
                f"{path}, line {element.sourceline}: a <{element.tag}> stands where "
                f"{' or '.join(f'<{tag}>' for tag in known)} is expected."
            )
