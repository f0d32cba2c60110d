"""Read files of the interface's XML, one record at a time, so that files may have any size."""

from __future__ import annotations

import gzip
import logging
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from hashlib import file_digest, sha256
from pathlib import Path
from typing import IO, NamedTuple

from lxml import etree
from lxml.etree import _Element

from dirframe._printable import escaped
from dirframe.errors import InvalidInputError, StoreError
from dirframe.schema import COLLECTIONS, EXTENSIONS, RESOURCES, SYNTHETIC_MARK, Resource
from dirframe.schema.addresses import without_addresses
from dirframe.service.privacy import remove_private
from dirframe.service.records import Refusals, Row, row_of, serialize

#: Kinds of documents that are served in their own order, by the end of their addresses.
DOCUMENTS = {resource.collection: resource for resource in EXTENSIONS.values() if resource.element}
#: The same by the form of their addresses, which may end as that of another collection does.
_ADDRESSES = {
    re.compile(re.sub(r"\{\w+\}", "[^/]+", template.strip("/").removesuffix(".xml"))): resource
    for resource in (*EXTENSIONS.values(), *COLLECTIONS.values())
    for template in resource.paths
    if resource.name not in RESOURCES or resource.owner
}
_LOG = logging.getLogger("dirframe.service")
#: Tables in a folder of XML, which are not read with it.
_TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
#: Collections of projects of which one file may hold those of all, told apart by their project_id.
_OF_ALL_PROJECTS = {"enlistments"}


class Document(NamedTuple):
    """Entries that are served at the address that the file has in its folder."""

    address: str
    entries: list[str]


def document_resource(address: str) -> Resource | None:
    """Return the resource of the document at an address; None if there are records."""
    for form, resource in _ADDRESSES.items():
        if form.fullmatch(address):
            return resource
    return DOCUMENTS.get(address.rpartition("/")[2])


class Synthetic:
    """Says that records of a source are generated."""


def find_files(sources: Iterable[Path]) -> dict[Path, str]:
    """Return files, and the XML files of folders sorted by name, with their address in the folder."""
    files = {}
    for source in sources:
        if not source.exists():
            raise InvalidInputError(f"There is no file or folder {source}.")
        if not source.is_dir():
            files[source] = source.name
            continue
        with refuse_unreadable(source):
            paths = sorted(_files_below(source, ()))
        documents = [path for path in paths if is_xml(path)]
        if not documents:
            raise StoreError(
                f"The folder {source} holds no .xml and no .xml.gz file.",
                hint="Of a folder only XML is read; name each table by its own path.",
            )
        files |= {path: path.relative_to(source).as_posix() for path in documents}
    return files


def log_unread_tables(folder: Path) -> None:
    """Log the tables in a folder, of which only XML is read."""
    with refuse_unreadable(folder):
        paths = sorted(_files_below(folder, ()))
    tables = [path for path in paths if path.name.lower().removesuffix(".gz").endswith(_TABLES)]
    if tables:
        names = ", ".join(str(path.relative_to(folder)) for path in tables)
        text = f"{folder}: of a folder only XML is read, so these tables are not served: {names}."
        _LOG.warning("%s", escaped(text))


def _files_below(folder: Path, parents: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the files of a folder and of the folders in it, also where these are links."""
    real = folder.resolve()
    if real in parents:
        raise StoreError(f"{folder} is a link to a folder that holds it. Remove the link.")
    for path in folder.iterdir():
        if path.is_dir():
            yield from _files_below(path, (*parents, real))
        else:
            yield path


def is_xml(path: Path) -> bool:
    """Return whether a path is a folder, or named as XML, compressed or not."""
    return path.name.lower().endswith((".xml", ".xml.gz")) or path.is_dir()


@contextmanager
def refuse_unreadable(path: Path) -> Iterator[None]:
    """Convert an error of reading in the block to a StoreError that names the file."""
    try:
        yield
    except (OSError, EOFError, zlib.error, etree.XMLSyntaxError) as error:
        raise StoreError(f"{path} cannot be read: {error}. Nothing was imported.") from error


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if its name ends in ``.gz``."""
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")  # type: ignore[return-value]  # reads bytes


def digest_of(paths: Iterable[Path]) -> str:
    """Return a digest of the contents of files, and of their addresses, by which they are read."""
    digest = sha256()
    for file, address in find_files(paths).items():
        with refuse_unreadable(file), file.open("rb") as stream:
            digest.update(file_digest(stream, "sha256").digest())
        digest.update(b"%b\0" % os.fsencode(address))
    return digest.hexdigest()[:24]


def read_xml(source: Path) -> Iterator[Row | Document | Synthetic]:
    """Yield the records and documents of a file, or of all files of a folder."""
    if source.is_dir():
        log_unread_tables(source)
    for path, address in find_files([source]).items():
        yield from _read_file(path, address)


def _read_file(path: Path, address: str) -> Iterator[Row | Document | Synthetic]:
    """Yield the records of a file, or the document that it is by its address in its folder."""
    address = re.sub(r"(?i)\.xml(\.gz)?$", "", address)
    document = document_resource(address)
    tags = [document.element] if document else list(RESOURCES)
    wrapper = document.wrapper if document else ""
    if without_addresses(address) != address:
        raise StoreError(f"{path} is named after an e-mail address, which is not served.")
    refusals, entries = Refusals(str(path)), []
    with refuse_unreadable(path), open_file(path) as stream:
        # Only the ends of records are events: lxml then skips the rest in C.
        events = etree.iterparse(stream, tag=tags, remove_comments=True, resolve_entities=False)
        for number, element in enumerate(_records(events, wrapper), start=1):
            if document:
                entry, left_out = remove_private(element, document)
                refusals.left_out |= left_out
                entries.append(serialize(entry))
                continue
            refusals.place = f"record {number} (line {element.sourceline})"
            yield row_of(RESOURCES[str(element.tag)], element, refusals)
        _check(path, events.root, [wrapper] if wrapper else tags)
    refusals.check()
    if document and address in _OF_ALL_PROJECTS:
        yield from _of_each_project(address, entries)
    elif document:
        yield Document(address, entries)
    if events.root.xpath(f"preceding-sibling::processing-instruction('{SYNTHETIC_MARK}')"):
        yield Synthetic()


def _of_each_project(collection: str, entries: Iterable[str]) -> Iterator[Document]:
    """Yield a document of each project from the entries of all."""
    by_project: dict[str, list[str]] = {}
    for entry in entries:
        project = (etree.fromstring(entry).findtext("project_id") or "").strip()
        if not project:
            raise StoreError(
                f"An entry of {collection}.xml has no project_id, so it is of no project. "
                "Nothing was imported."
            )
        by_project.setdefault(project, []).append(entry)
    for project, own in by_project.items():
        yield Document(f"projects/{project}/{collection}", own)


def _records(events: Iterable[tuple[str, _Element]], wrapper: str) -> Iterator[_Element]:
    """Yield the records of a result; the content of each is removed after its use."""
    for _, element in events:
        parent = element.getparent()
        if wrapper and parent is not None and parent.tag == wrapper:
            parent = parent.getparent()
        if parent is not None and _is_result(parent):
            yield element
            element.clear()


def _is_result(element: _Element) -> bool:
    """Return whether an element is the result; some recorded files lack the envelope around it."""
    parent = element.getparent()
    if element.tag != "result":
        return False
    return parent is None or (parent.tag == "response" and parent.getparent() is None)


def _check(path: Path, root: _Element, tags: Collection[str]) -> None:
    """Raise unless a document that has been read is a success, and held records of these tags alone."""
    if root.tag not in {"response", "result"}:
        raise _no_collection(path, f"its root is <{root.tag}>, not <response>")
    # Not the DTD itself, which lxml would copy.
    if root.getroottree().docinfo.doctype:  # type: ignore[attr-defined]  # not in the stubs
        raise _no_collection(path, "it declares a document type")
    status = (root.findtext("status") or "success").strip()
    if status != "success":
        raise _no_collection(path, f"its status is {status!r}")
    records = root.iterfind("*" if root.tag == "result" else "result/*")
    others = {record.tag for record in records} - {*tags}
    if others:
        expected = "> or <".join(tags)
        raise _no_collection(path, f"it holds <{others.pop()}> where <{expected}> is expected")


def _no_collection(path: Path, reason: str) -> StoreError:
    return StoreError(f"{path} is not a collection: {reason}. Nothing was imported.")
