"""Convert record elements to rows for the store."""

# Any dialect of the interface is read. Fields that other dialects name differently are added under
# the name in the specification, and missing elements of the specification at the end; everything
# else is kept as it was written.

from __future__ import annotations

import re
from datetime import UTC, datetime
from hashlib import md5, sha1
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from lxml import etree

from dirframe.errors import StoreError
from dirframe.schema import ACCOUNT, PROJECT, RESOURCES, Kind, Resource
from dirframe.service.importing.lookup import LOOKUP_FIELDS, address_names, avatar_md5
from dirframe.service.records import fold, is_always_sent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from lxml.etree import _Element


#: Names of fields here and in other dialects.
_OTHER_NAMES = {"stack_count": "user_count", "logged_at": "oldest_code_set_time"}
#: Form of an id.
ID = re.compile(r"[^\s/?#]{1,100}")
#: Form of an MD5 digest.
MD5 = re.compile(r"[0-9a-f]{32}")
#: Timestamps of the specification on days that each year has: all but February 29.
_TIMESTAMP = re.compile(
    r"(?!0000)\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])"
    r"|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    r"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ",
    re.ASCII,
)
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)
_DECIMAL = re.compile(r"\d{1,9}(\.\d{1,30})?", re.ASCII)
_tag_texts: Callable[[_Element], list[str]] = etree.XPath("tags//text()", smart_strings=False)  # type: ignore[assignment]  # of texts alone


#: The first child of each name.
Children: TypeAlias = "dict[str, _Element]"


def _parts(resource: Resource) -> dict[str, tuple[AbstractSet[str], list[str]]]:
    """Return the elements to complete and the timestamps, by parent: empty for the record itself."""
    # The keys of a dictionary are a set in order.
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


class SourceRecord(NamedTuple):
    """A record as it was read, and its place in the source for messages."""

    resource: Resource
    element: _Element
    where: str
    synthetic: bool


class Source(Protocol):
    """Records to import."""

    @property
    def report(self) -> object:
        """Report of invalid values, complete once the records have been read."""

    def records(self) -> Iterator[SourceRecord]:
        """Yield the records; an element is valid until the next one is requested."""


class RecordKeys(NamedTuple):
    """Search and sort keys of a record; the fields are columns of the store, in this order."""

    id_key: str
    name_key: str
    created_at: str
    updated_at: str
    stack_count: int
    title: str
    tags: str
    address_names: str
    description: str
    rating: float | None
    active_committers: int | None
    activity_level: int | None


class StoreRow(NamedTuple):
    """A record as it is stored."""

    id: str
    email_md5: str | None
    xml: str
    synthetic: bool


def normalize(source: SourceRecord) -> tuple[StoreRow, dict[str, Children]]:
    """Validate a record and convert its element, in place, to the form that is served.

    Returns
    -------
    StoreRow
        The record as it is stored.
    dict of str to dict
        The children of the record, by the empty string, and of its elements, for `record_keys`.

    Raises
    ------
    StoreError
        The record has no valid id, or an invalid timestamp; the message contains its place.
    """
    resource, element, where, synthetic = source
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
    if children["id"].text != identifier:
        children["id"].text = identifier
    email_md5 = _pop_email(element, children, where)
    if email_md5 is None and resource is ACCOUNT:
        email_md5 = avatar_md5(_text(children.get("avatar_url")))
    parts = {"": children}
    for parent, (complete, timestamps) in _PARTS[resource.name].items():
        part = children.get(parent) if parent else element
        if part is not None and len(part):
            if parent:
                parts[parent] = _children(part)
            _complete(part, parts[parent], complete)
            _convert_timestamps(parts[parent], timestamps, where, parent)
    xml = etree.tostring(element, encoding="unicode", with_tail=False)
    return StoreRow(identifier, email_md5, xml + "\n", synthetic), parts


def record_keys(resource: Resource, element: _Element, parts: dict[str, Children]) -> RecordKeys:
    """Return the search and sort keys of a normalized record."""
    children = parts[""]
    name = fold(_text(children.get("name")))
    stack_count = _number(_text(children.get("stack_count")))
    names = {f: _text(children[f]) for f in LOOKUP_FIELDS[resource.name] if f in children}
    description, tags, rating, committers, activity = "", "", None, None, None
    if resource is PROJECT:
        description = fold(_text(children.get("description")))
        if "tags" in children:
            tags = fold("\n".join(filter(None, map(str.strip, _tag_texts(element)))))
        rating = _decimal(_text(children.get("average_rating")))
        analysis = parts.get("analysis", {})
        committers = _number(_text(analysis.get("twelve_month_contributor_count")))
        if (index := children.get("project_activity_index")) is not None:
            activity = _number(_text(next(index.iterchildren("value"), None)))
    return RecordKeys(
        _id_key(_text(children["id"])),
        name,
        _text(children.get("created_at")),
        _text(children.get("updated_at")),
        -1 if stack_count is None else stack_count,
        " ".join(name.split()),
        tags,
        "\n".join(address_names(resource, names)),
        description,
        rating,
        committers,
        activity,
    )


def _children(element: _Element) -> Children:
    # A slice is faster than an iterator.
    return {child.tag: child for child in element[::-1]}  # type: ignore[index]  # the stubs know no slices


def _text(element: _Element | None) -> str:
    return "" if element is None else (element.text or "").strip()


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
    for child in list(element.iterchildren("email_md5", "email")):
        element.remove(child)
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


def _decimal(text: str) -> float | None:
    return float(text) if text and _DECIMAL.fullmatch(text) else None


def _id_key(identifier: str) -> str:
    """Return a sort key that orders numbers by value, before all other ids."""
    if not (identifier.isascii() and identifier.isdigit()):
        return f"~{identifier}"
    digits = identifier.lstrip("0")
    return f"{len(digits):03d}{digits}.{identifier}"
