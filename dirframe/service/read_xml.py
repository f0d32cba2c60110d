"""Read files of the interface's XML, one record at a time, so that files may have any size."""

# Any dialect of the interface is read. Fields that other dialects name differently are added under
# the name in the specification, and missing elements of the specification at the end; everything
# else is kept as it was written.

from __future__ import annotations

import gzip
import os
import re
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import md5, sha1
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import unquote

from lxml import etree

from dirframe.errors import InvalidInputError, StoreError
from dirframe.schema import ACCOUNT, PROJECT, RESOURCES, SYNTHETIC_MARK, Kind, Resource
from dirframe.schema.extensions import EXTENSIONS
from dirframe.service.records import fold, is_always_sent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet
    from typing import IO, NoReturn

    from lxml.etree import _Element

#: The first child of each name.
Children: TypeAlias = "dict[str, _Element]"

_PARSER: dict[str, Any] = {"resolve_entities": False, "load_dtd": False, "no_network": True}
#: Records that are removed from memory at once.
_BATCH_SIZE = 100
#: Addresses, in a folder, of documents that are served as they are, and the tag of their entries.
_DOCUMENTS = re.compile(
    r"(?:languages|(?:projects|p)/([^/]+)/(?:contributors|analyses/[^/]+/(?:activity|size)_facts))"
    r"\.xml"
)
_ENTRY_TAGS = {resource.collection: resource.name for resource in EXTENSIONS.values()}

#: Names of fields here and in other dialects.
_OTHER_NAMES = {"stack_count": "user_count", "logged_at": "oldest_code_set_time"}
#: Form of an id and of an MD5 digest.
ID = re.compile(r"[^\s/?#]{1,100}")
MD5 = re.compile(r"[0-9a-f]{32}")
#: Timestamps of the specification on days that each month has.
_TIMESTAMP = re.compile(
    r"(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ",
    re.ASCII,
)
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)
_DECIMAL = re.compile(r"\d{1,9}(\.\d{1,30})?", re.ASCII)

#: Elements with the name of a record in addresses, those with its address, and its form.
_NAME_FIELDS = ("login", "url_name", "vanity_url")
_ADDRESS_FIELDS = ("html_url", "url")
_ADDRESS = {
    name: re.compile(rf"(?:https?://[^/]+)?/(?:{path})/([^/?#]+?)(?:\.xml)?(?:[?#].*)?")
    for name, path in {"account": "accounts", "project": "p|projects"}.items()
}
_AVATAR = re.compile(r"gravatar\.[^/]+/avatar(?:/|\.php\?(?:[^#]*&)?gravatar_id=)([0-9a-f]{32})\b")


def _parts(resource: Resource) -> dict[str, tuple[AbstractSet[str], list[str]]]:
    """Return the elements to complete and the timestamps, by parent: empty for the record itself."""
    parts: dict[str, tuple[dict[str, None], list[str]]] = {}
    for field in resource.fields:
        *parents, name = field.path
        complete, timestamps = parts.setdefault("/".join(parents), ({}, []))
        if is_always_sent(resource, field):
            complete[name] = None
        if field.kind is Kind.TIMESTAMP:
            timestamps.append(name)
    return {p: (c.keys(), t) for p, (c, t) in parts.items() if c or t}


_PARTS = {name: _parts(resource) for name, resource in RESOURCES.items()}


class Row(NamedTuple):
    """A record as it is stored: its XML, and the folded texts and numbers that it is found by."""

    resource: Resource
    synthetic: bool
    xml: str
    id: str
    id_key: str
    email_md5: str | None
    names: str
    created_at: str
    updated_at: str
    stack_count: int
    rating: float | None
    active_committers: int | None
    activity_level: int | None
    name: str
    tags: str
    description: str


class Document(NamedTuple):
    """Entries that are served below a project, or as the languages of the directory."""

    kind: str
    owner: str
    entries: list[str]
    where: str


def find_files(sources: Iterable[Path]) -> dict[Path, str]:
    """Return files, and the XML files of folders sorted by name, with their address in the folder."""
    files: dict[Path, str] = {}
    for source in sources:
        with refuse_unreadable(source):
            if source.is_dir():
                files |= {path: path.relative_to(source).as_posix() for path in _xml_files(source)}
            elif source.is_file():
                files[source] = source.name
            else:
                raise InvalidInputError(f"There is no file or folder {source}.")
    return files


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
            hint="Of a folder only XML is read; name each table by its own path.",
        )
    return matches


@contextmanager
def refuse_unreadable(path: Path) -> Iterator[None]:
    """Convert an error of reading in the block to a StoreError that names the file."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise StoreError(
            f"{path} is not a whole gzip file: {error}. Nothing was imported."
        ) from None
    except OSError as error:
        raise StoreError(
            f"{error.filename or path} cannot be read: {error.strerror or error}."
        ) from error


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if its name ends in ``.gz``."""
    return gzip.open(path) if path.name.endswith(".gz") else path.open("rb")  # type: ignore[return-value]  # reads bytes


def read_xml(path: Path, address: str) -> Iterator[Row | Document]:
    """Yield the records of a file, or the document that it is by its address in its folder."""
    try:
        with refuse_unreadable(path):
            with open_file(path) as stream:
                synthetic = _check_root(path, stream)
            with open_file(path) as stream:
                if match := _DOCUMENTS.fullmatch(address.removesuffix(".gz")):
                    yield _read_document(path, match, stream)
                    return
                for number, element in enumerate(_elements(path, stream), start=1):
                    where = f"{path}, record {number} (line {element.sourceline})"
                    resource = RESOURCES[str(element.tag)]
                    yield row_of(resource, element, where, synthetic=synthetic)
    except etree.XMLSyntaxError as error:
        raise StoreError(
            f"{path} is not well-formed XML: {error.msg}. Nothing was imported.",
            hint=None
            if ".xml" in path.suffixes
            else "A table has the suffix .csv, .tsv, .jsonl, .ndjson or .parquet.",
        ) from None


def _check_root(path: Path, stream: IO[bytes]) -> bool:
    """Raise unless the root is that of a response; return whether it is marked as synthetic."""
    _, root = next(iter(etree.iterparse(stream, events=("start",), **_PARSER)))
    if root.getroottree().docinfo.internalDTD is not None:
        raise StoreError(f"{path} declares a document type, which no collection does.")
    if root.tag not in {"response", "result"}:  # some recorded files lack the envelope
        raise StoreError(
            f"{path} is not a collection of the interface: its root is <{root.tag}>, not <response>."
        )
    return bool(root.xpath(f"preceding-sibling::processing-instruction('{SYNTHETIC_MARK}')"))


def _read_document(path: Path, match: re.Match[str], stream: IO[bytes]) -> Document:
    kind = match[0].rpartition("/")[2].removesuffix(".xml")
    parser = etree.XMLParser(remove_comments=True, remove_pis=True, **_PARSER)
    root = etree.parse(stream, parser).getroot()
    _check_status(path, root.find("status"))
    entries = root.findall("*" if root.tag == "result" else "result/*")
    _check_tags(path, entries, {_ENTRY_TAGS[kind]})
    texts = [etree.tostring(e, encoding="unicode", with_tail=False) + "\n" for e in entries]
    return Document(kind, match[1] or "", texts, str(path))


def _elements(path: Path, stream: IO[bytes]) -> Iterator[_Element]:
    # Only the ends of records and of the status are events: lxml then skips the rest in C.
    events = etree.iterparse(
        stream, tag=(*RESOURCES, "status"), remove_comments=True, remove_pis=True, **_PARSER
    )
    result, count = None, 0
    for _, element in events:
        parent = element.getparent()
        if parent is None or (parent is not result and not _is_result(parent)):
            if element.tag == "status" and parent is not None and parent.tag == "response":
                _check_status(path, element)
        elif element.tag != "status":
            yield element
            result, count = parent, count + 1
            if count % _BATCH_SIZE == 0:
                read = parent[: parent.index(element)]
                _check_tags(path, read, RESOURCES.keys())
                del parent[: len(read)]
    rest = events.root.iterfind("*" if events.root.tag == "result" else "result/*")
    _check_tags(path, rest, RESOURCES.keys())


def _check_status(path: Path, status: _Element | None) -> None:
    if status is not None and (status.text or "").strip() != "success":
        raise StoreError(
            f"{path} holds a failed answer (its status is {status.text!r}), no records."
        )


def _check_tags(path: Path, elements: Iterable[_Element], known: AbstractSet[str]) -> None:
    for element in elements:
        if element.tag not in known:
            raise StoreError(
                f"{path}, line {element.sourceline}: a <{element.tag}> stands where "
                f"{' or '.join(f'<{tag}>' for tag in known)} is expected."
            )


def _is_result(element: _Element) -> bool:
    parent = element.getparent()
    return element.tag == "result" and (parent is None or parent.getparent() is None)


def row_of(resource: Resource, element: _Element, where: str, *, synthetic: bool) -> Row:
    """Validate a record, convert its element to the form that is served, and return the row."""
    if element.nsmap:
        for node in element.iter():
            node.tag = etree.QName(node).localname
        etree.cleanup_namespaces(element)
    children = _children(element)
    identifier = _text(children.get("id"))
    if not ID.fullmatch(identifier):
        raise StoreError(
            f"{where}: the {resource.name}'s id is {identifier!r}; it must be present, without "
            "blanks or slashes, and have at most 100 characters."
        )
    children["id"].text = identifier
    email_md5 = _pop_email(element, children, where)
    if email_md5 is None and resource is ACCOUNT:
        match = _AVATAR.search(_text(children.get("avatar_url")).lower())
        email_md5 = match[1] if match else None
    analysis: Children = {}
    for parent, (complete, timestamps) in _PARTS[resource.name].items():
        part = children.get(parent) if parent else element
        if part is not None and len(part):
            below = _children(part) if parent else children
            if parent == "analysis":
                analysis = below
            _complete(part, below, complete)
            _convert_timestamps(below, timestamps, where, parent)
    description, tags = "", ""
    rating, committers, activity = None, None, None
    if resource is PROJECT:
        description = fold(_text(children.get("description")))
        if "tags" in children:
            texts = (str(text).strip() for text in children["tags"].itertext())
            tags = fold("".join(f"\n{text}" for text in texts if text) + "\n")
        average = _text(children.get("average_rating"))
        rating = float(average) if _DECIMAL.fullmatch(average) else None
        committers = _number(_text(analysis.get("twelve_month_contributor_count")))
        if (index := children.get("project_activity_index")) is not None:
            activity = _number(_text(next(index.iterchildren("value"), None)))
    stack_count = _number(_text(children.get("stack_count")))
    return Row(
        resource,
        synthetic,
        etree.tostring(element, encoding="unicode", with_tail=False) + "\n",
        identifier,
        _id_key(identifier),
        email_md5,
        _names(resource, children),
        _text(children.get("created_at")),
        _text(children.get("updated_at")),
        -1 if stack_count is None else stack_count,
        rating,
        committers,
        activity,
        " ".join(fold(_text(children.get("name"))).split()),
        tags,
        description,
    )


def _children(element: _Element) -> Children:
    # A slice is faster than an iterator.
    return {child.tag: child for child in element[::-1]}  # type: ignore[index]  # the stubs know no slices


def _text(element: _Element | None) -> str:
    return "" if element is None else (element.text or "").strip()


def _names(resource: Resource, children: Children) -> str:
    """Return the names of a record in addresses, folded, each on a line."""
    names = [_text(children[f]) for f in _NAME_FIELDS if f in children]
    addresses = (_text(children[f]) for f in _ADDRESS_FIELDS if f in children)
    matches = map(_ADDRESS[resource.name].fullmatch, addresses)
    names += [unquote(match[1]) for match in matches if match]
    folded = dict.fromkeys(fold(name.strip()) for name in names)
    return "\n".join(name for name in folded if name and "\n" not in name)


def _complete(part: _Element, children: Children, names: AbstractSet[str]) -> None:
    """Append missing elements, and fill those that another dialect names differently."""
    if not children.keys() >= names:
        for name in names:
            if name not in children:
                children[name] = etree.SubElement(part, name)
                children[name].tail = "\n"
    for name, other_name in _OTHER_NAMES.items():
        if name in names and not _text(children[name]):
            children[name].text = _text(children.get(other_name)) or None


def _convert_timestamps(children: Children, names: list[str], where: str, parent: str) -> None:
    for name in names:
        if name in children and (text := children[name].text) and not _TIMESTAMP.fullmatch(text):
            try:
                t = text.strip()
                children[name].text = to_timestamp(datetime.fromisoformat(t)) if t else ""
            except (ValueError, OverflowError):
                path = f"{parent}/{name}" if parent else name
                raise StoreError(
                    f"{where}: {path} is {t!r}, which is not an ISO 8601 timestamp."
                ) from None


def _pop_email(element: _Element, children: Children, where: str) -> str | None:
    """Remove e-mail fields from the record and return the MD5 for the lookup by e-mail."""
    if "email_md5" not in children and "email" not in children:
        return None
    digest, address = (_text(children.pop(name, None)) for name in ("email_md5", "email"))
    etree.strip_elements(element, "email_md5", "email", with_tail=False)
    if address and not digest:
        return email_digests(address)[1]
    if digest and not MD5.fullmatch(digest.lower()):
        raise StoreError(f"{where}: email_md5 is not 32 hexadecimal digits.")
    return digest.lower() or None


def email_digests(address: str) -> tuple[str, str]:
    """Return SHA-1 and MD5 of an address in lower case, as hexadecimal digits."""
    content = address.strip().lower().encode()
    return (
        sha1(content, usedforsecurity=False).hexdigest(),
        md5(content, usedforsecurity=False).hexdigest(),
    )


def to_timestamp(moment: datetime) -> str:
    """Return a time in the form of the specification; without a zone it is taken as UTC."""
    moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _number(text: str) -> int | None:
    digits = text.replace(",", "")
    return int(digits) if digits and _INTEGER.fullmatch(digits) else None


def _id_key(identifier: str) -> str:
    """Return a sort key that orders numbers by value, before all other ids."""
    if not (identifier.isascii() and identifier.isdigit()):
        return f"~{identifier}"
    digits = identifier.lstrip("0")
    return f"{len(digits):03d}{digits}.{identifier}"
