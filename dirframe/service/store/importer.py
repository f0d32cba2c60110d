"""Read collections in XML files into rows for the store."""

# Any dialect of the interface is read, one record at a time, so that files may have any size.
# Fields that other dialects name differently are added under the name in the specification;
# everything else is kept unchanged.

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import md5
from typing import TYPE_CHECKING

from lxml import etree

from dirframe.errors import StoreError
from dirframe.schema import ACCOUNT, PROJECT, RESOURCES, SYNTHETIC_MARK, Kind, Resource
from dirframe.service.dialects.xml_writer import record_xml
from dirframe.service.records import Value, fold, record_from_element, text_of, texts_of
from dirframe.service.store.lookup import address_names, avatar_md5

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import IO

    from lxml.etree import _Element


#: Fields named differently in other dialects: parent path, name there, name here.
_OTHER_NAMES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    ((), "user_count", "stack_count"),
    (("analysis",), "oldest_code_set_time", "logged_at"),
)
_TIMESTAMPS = {
    r.name: [(f.path[:-1], f.path[-1]) for f in r.fields if f.kind is Kind.TIMESTAMP]
    for r in RESOURCES.values()
}
_ID = re.compile(r"[^\s/?#]{1,100}")
_MD5 = re.compile(r"[0-9a-f]{32}")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


@dataclass(frozen=True, slots=True)
class StoreRow:
    """A record as it is stored: its XML and its search and sort keys."""

    resource: Resource
    id: str
    email_md5: str | None
    xml: str
    id_key: str
    name_key: str
    created_at: str
    updated_at: str
    stack_count: int
    words: str
    title: str
    tags: str
    address_names: str
    description: str
    rating: float | None
    active_committers: int | None
    activity_level: int | None
    synthetic: bool


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
            raise StoreError(f"There is no file or folder {source}.")
    return files


@dataclass
class ImportSummary:
    """Facts about imported files."""

    records: int = 0
    synthetic: bool = False
    synthetic_file: bool = False


def read_file(path: Path, imported: ImportSummary) -> Iterator[StoreRow]:
    """Yield the records of one file and update `imported`.

    Raises
    ------
    StoreError
        The file is not the interface's XML, or a record is invalid; the message names the
        file and the line.
    """
    imported.synthetic_file = False
    try:
        with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as stream:
            for element in _elements(path, stream, imported):
                imported.records += 1
                where = f"{path}, record {imported.records} (line {element.sourceline})"
                record = record_from_element(element)
                yield to_store_row(
                    RESOURCES[element.tag],
                    record,
                    where=where,
                    synthetic=imported.synthetic_file,
                )
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


def _elements(
    path: Path, stream: IO[bytes] | gzip.GzipFile, imported: ImportSummary
) -> Iterator[_Element]:
    events = etree.iterparse(
        stream,
        events=("start", "end"),
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        remove_comments=True,
        huge_tree=False,
    )
    depth = 0
    for event, element in events:
        if event == "start":
            depth += 1
            if depth == 1:
                _check_root(path, element)
                imported.synthetic_file = any(
                    node.tag is etree.PI and node.target == SYNTHETIC_MARK
                    for node in element.itersiblings(preceding=True)
                )
                imported.synthetic |= imported.synthetic_file
            continue
        depth -= 1
        parent = element.getparent()
        if depth == 1 and element.tag == "status" and (element.text or "").strip() != "success":
            raise StoreError(
                f"{path} holds a failed answer (its status is {element.text!r}), no records."
            )
        if depth == 2 and parent is not None and parent.tag == "result":
            if element.tag not in RESOURCES:
                raise StoreError(
                    f"{path}, line {element.sourceline}: a <{element.tag}> is neither an "
                    "account nor a project; only collections of these can be served."
                )
            yield element
            element.clear()
            while element.getprevious() is not None:
                del parent[0]


def _check_root(path: Path, root: _Element) -> None:
    if root.getroottree().docinfo.internalDTD is not None:
        raise StoreError(f"{path} declares a document type, which no collection does.")
    if root.tag != "response":
        raise StoreError(
            f"{path} is no collection of the interface: its root is <{root.tag}>, not <response>."
        )


def to_store_row(
    resource: Resource, record: dict[str, Value], *, where: str, synthetic: bool = False
) -> StoreRow:
    """Validate a record and convert it to the form of the specification, in its own order.

    Raises
    ------
    StoreError
        The record has no valid id, or an invalid timestamp; the message contains `where`.
    """
    identifier = text_of(record, "id")
    if not _ID.fullmatch(identifier):
        raise StoreError(
            f"{where}: the {resource.name}'s id is {identifier!r}; it must be other_name, without "
            "blanks or slashes, and have at most 100 characters."
        )
    email_md5 = _pop_email(record, where)
    for path, other_name, name_in_store in _OTHER_NAMES:
        part = _part(record, path)
        if resource is PROJECT and part is not None and part.get(name_in_store) is None:
            value = part.get(other_name)
            if value is not None:
                part[name_in_store] = value
    for path, name in _TIMESTAMPS[resource.name]:
        part = _part(record, path)
        value = part.get(name) if part is not None else None
        if part is not None and isinstance(value, str) and not _TIMESTAMP.fullmatch(value):
            part[name] = _timestamp(value, f"{where}: {'/'.join((*path, name))}")
    name, description, tags = text_of(record, "name"), "", []
    if resource is PROJECT:
        description, tags = text_of(record, "description"), texts_of(record.get("tags"))
    stack_count = _number(text_of(record, "stack_count"))
    analysis = _part(record, ("analysis",)) or {}
    activity = _part(record, ("project_activity_index",)) or {}
    return StoreRow(
        resource=resource,
        id=identifier,
        email_md5=email_md5 or (avatar_md5(record) if resource is ACCOUNT else None),
        xml=record_xml(resource, record, recorded=True),
        id_key=_id_key(identifier),
        name_key=fold(name),
        created_at=text_of(record, "created_at"),
        updated_at=text_of(record, "updated_at"),
        stack_count=-1 if stack_count is None else stack_count,
        words=" ".join(sorted(set(fold(" ".join([name, description, *tags])).split()))),
        title=" ".join(fold(name).split()),
        tags="\n".join(fold(tag) for tag in tags),
        address_names="\n".join(address_names(resource, record)),
        description=fold(description),
        rating=_decimal(text_of(record, "average_rating")),
        active_committers=_number(text_of(analysis, "twelve_month_contributor_count")),
        activity_level=_number(text_of(activity, "value")),
        synthetic=synthetic,
    )


def _part(record: dict[str, Value], path: tuple[str, ...]) -> dict[str, Value] | None:
    for name in path:
        inner = record.get(name)
        if not isinstance(inner, dict):
            return None
        record = inner
    return record


def _pop_email(record: dict[str, Value], where: str) -> str | None:
    """Remove e-mail fields from the record and return the MD5 for the lookup by e-mail."""
    digest, address = record.pop("email_md5", None), record.pop("email", None)
    if isinstance(address, str) and digest is None:
        digest = md5(address.strip().lower().encode(), usedforsecurity=False).hexdigest()
    if digest is None:
        return None
    digest = str(digest).lower()
    if not _MD5.fullmatch(digest):
        raise StoreError(f"{where}: email_md5 is not 32 hexadecimal digits.")
    return digest


def _timestamp(text: str, where: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise StoreError(f"{where} is {text!r}, which is no ISO 8601 timestamp.") from None
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _number(text: str) -> int | None:
    digits = text.replace(",", "")
    return int(digits) if re.fullmatch(r"-?\d{1,18}", digits, re.ASCII) else None


def _decimal(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d{1,30})?", text, re.ASCII) else None


def _id_key(identifier: str) -> str:
    """Return a sort key that orders numbers by value, before all other ids."""
    if not re.fullmatch(r"\d+", identifier, re.ASCII):
        return f"~{identifier}"
    digits = identifier.lstrip("0")
    return f"{len(digits):03d}{digits}.{identifier}"
