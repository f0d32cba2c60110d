"""Read collections in XML files, one record at a time, so that files may have any size."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

from dirframe.errors import Hint, InvalidInputError, StoreError
from dirframe.schema import RESOURCES, SYNTHETIC_MARK
from dirframe.service.importing.importer import SourceRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO, NoReturn

    from lxml.etree import _Element


_PARSER: dict[str, Any] = {"resolve_entities": False, "load_dtd": False, "no_network": True}
_TABLES = Hint(
    "A table has the suffix .csv, .tsv, .jsonl, .ndjson or .parquet; a database is named by its "
    "address, such as sqlite:///people.db."
)
#: An address of a database that lacks a slash; it may have a password.
_ADDRESS = re.compile(r"(.*/)?\w+(\+\w+)?:.*@", re.DOTALL)
#: Records that are removed from memory at once.
_BATCH_SIZE = 100


def find_files(sources: Iterable[Path]) -> list[Path]:
    """Return files, and the XML files of folders sorted by name."""
    files: list[Path] = []
    for source in sources:
        with refuse_unreadable(source):
            if source.is_dir():
                files += _xml_files(source)
            elif source.is_file():
                files.append(source)
            else:
                raise _missing(source)
    return files


def _missing(path: Path) -> InvalidInputError:
    if _ADDRESS.match(str(path)):
        return InvalidInputError(
            "There is no such file or folder; the address of a database is "
            "DIALECT://USER:PASSWORD@HOST/DATABASE."
        )
    return InvalidInputError(f"There is no file or folder {path}.")


def _xml_files(folder: Path) -> list[Path]:
    def refuse(error: OSError) -> NoReturn:
        raise error  # os.walk would leave the folder out

    matches = sorted(
        Path(parent, name)
        for parent, _, names in os.walk(folder, onerror=refuse)
        for name in names
        if name.endswith((".xml", ".xml.gz"))
    )
    if not matches:
        raise StoreError(
            f"The folder {folder} holds no .xml and no .xml.gz file.",
            hint=Hint("Of a folder only XML is read; name each table by its own path."),
        )
    return matches


@contextmanager
def refuse_unreadable(path: Path) -> Iterator[None]:
    """Convert an OSError of the block to a StoreError that names the file."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{error.filename or path} cannot be read: {error.strerror or error}."
        ) from error


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if its name ends in ``.gz``."""
    return gzip.open(path) if path.name.endswith(".gz") else path.open("rb")  # type: ignore[return-value]  # reads bytes


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
            with open_file(path) as stream:
                for number, element in enumerate(_elements(path, stream), start=1):
                    where = f"{name}, record {number} (line {element.sourceline})"
                    yield SourceRecord(RESOURCES[str(element.tag)], element, where, synthetic)
        except etree.XMLSyntaxError as error:
            raise StoreError(
                f"{path} is not well-formed XML: {error.msg}. Nothing was imported.",
                hint=None if ".xml" in path.suffixes else _TABLES,
            ) from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise StoreError(
                f"{path} is not a whole gzip file: {error}. Nothing was imported."
            ) from None
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}.") from error


def _check_root(path: Path, stream: IO[bytes]) -> bool:
    """Raise unless the root is that of a collection; return whether it is marked as synthetic."""
    _, root = next(iter(etree.iterparse(stream, events=("start",), **_PARSER)))
    if root.getroottree().docinfo.internalDTD is not None:
        raise StoreError(f"{path} declares a document type, which no collection does.")
    if root.tag != "response":
        raise StoreError(
            f"{path} is not a collection of the interface: its root is <{root.tag}>, not <response>."
        )
    return bool(root.xpath(f"preceding-sibling::processing-instruction('{SYNTHETIC_MARK}')"))


def _elements(path: Path, stream: IO[bytes]) -> Iterator[_Element]:
    # Only the ends of records and of the status are events: lxml then skips the rest in C.
    events = etree.iterparse(
        stream, tag=(*RESOURCES, "status"), remove_comments=True, remove_pis=True, **_PARSER
    )
    result, count = None, 0
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
            yield element
            result, count = parent, count + 1
            if count % _BATCH_SIZE == 0:
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
