"""Convert record elements to rows of the store, and collect invalid values."""

# Any dialect of the interface is taken. Fields that other dialects name differently are added under
# the name in the specification, and missing elements of the specification at the end; everything
# else is kept as it was written, but for what `privacy` removes.

from __future__ import annotations

import logging
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from hashlib import md5, sha1
from typing import NamedTuple

from lxml import etree
from lxml.etree import _Element

from dirframe._printable import escaped
from dirframe.errors import StoreError
from dirframe.schema import ACCOUNT, PROJECT, RESOURCES, Field, Kind, Resource
from dirframe.schema.addresses import MASK, without_addresses
from dirframe.service.privacy import remove_private

#: Tags of repeated elements by the tag of the element that wraps them.
ITEM_TAGS = {
    field.path[-1]: field.tag
    for resource in RESOURCES.values()
    for field in resource.fields
    if field.tag
}
#: Names of fields here and in other dialects.
_OTHER_NAMES = {"stack_count": "user_count", "logged_at": "oldest_code_set_time"}
_LOG = logging.getLogger("dirframe.service")
#: Names in one line of the log.
_MAX_NAMES = 20
_ID = re.compile(r"[^\s/?#]{1,100}")
_MD5 = re.compile(r"[0-9a-f]{32}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_SHA1 = re.compile(r"[0-9a-fA-F]{40}")
#: Timestamps of the first day of a month at midnight (specification, Project).
_MONTHS = {"min_month", "max_month"}
#: The largest absolute value of each coordinate, in degrees.
_COORDINATES = {"latitude": 90.0, "longitude": 180.0}
_DECIMAL = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
#: Form of addresses that are safe to link to: no ``javascript:`` and the like.
URL = r"(?i:https?|ftp|ircs?)://[^/?#\s][\s\S]*"
_NUMBER = re.compile(r"-?\d{1,18}(\.\d{1,30})?", re.ASCII)

#: Elements with the name of a record in addresses.
_NAMES = ("login", "url_name", "vanity_url")
_AVATAR = re.compile(r"gravatar\.[^/]+/avatar(?:/|\.php\?(?:[^#]*&)?gravatar_id=)([0-9a-f]{32})\b")


def _by_parent(fields: Iterable[Field]) -> dict[str, list[Field]]:
    """Group fields by the path of the element that holds them, "" for the record itself."""
    groups = defaultdict(list)
    for field in fields:
        groups["/".join(field.path[:-1])].append(field)
    return dict(groups)


#: Fields that every record has, if need be as empty elements.
_REQUIRED = {
    ACCOUNT.name: _by_parent(field for field in ACCOUNT.specified if field.required),
    PROJECT.name: _by_parent(PROJECT.specified),
}
#: Fields that are converted to the form of the specification.
_TIMESTAMPS = {
    name: _by_parent(field for field in resource.fields if field.kind is Kind.TIMESTAMP)
    for name, resource in RESOURCES.items()
}


class Row(NamedTuple):
    """A record as it is stored: its XML, its names in URLs, and the values of `COLUMNS`."""

    resource: Resource
    xml: str
    slugs: set[str]
    values: list[object]


class Refusals:
    """What does not fit in a file or frame: its places, by column and reason."""

    def __init__(self, source: str) -> None:
        self._source = source
        #: The row or record that is being read, such as "row 3".
        self.place = ""
        #: Paths of elements and attributes that are not served.
        self.left_out: set[str] = set()
        #: Number of accounts whose coordinates are not served.
        self.without_location = 0
        self._places: defaultdict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, column: str, reason: str, value: str) -> None:
        """Note a value that does not fit."""
        shown = repr(value) if len(value) <= 60 else f"{value[:60]!r}…"
        self._places[column, reason].append(f"{self.place} ({shown})")

    def check(self) -> None:
        """Raise a StoreError if anything was refused, with three examples of each problem.

        What is not served is logged by name.
        """
        if self.left_out:
            names = ", ".join(sorted(self.left_out)[:_MAX_NAMES])
            others_count = len(self.left_out) - _MAX_NAMES
            others = f" and {others_count:,} more" if others_count > 0 else ""
            _LOG.warning("%s", escaped(f"{self._source}: not served: {names}{others}."))
        if self.without_location:
            _LOG.warning(
                "%s",
                escaped(
                    f"{self._source}: not served: latitude and longitude of accounts without a "
                    f"location ({self.without_location:,})."
                ),
            )
        if self._places:
            lines = [f"Values of {self._source} do not fit; nothing was imported."]
            for (column, reason), places in self._places.items():
                more = f" and {len(places) - 3:,} more" if len(places) > 3 else ""
                examples = ", ".join(places[:3])
                lines.append(f"  column {column}, {len(places):,}: {reason}: {examples}{more}.")
            raise StoreError("\n".join(lines), hint="The first row or record is number 1.")


def row_of(resource: Resource, element: _Element, refusals: Refusals) -> Row:
    """Convert the element of a record to the form that is served, and return its row."""
    children = _children(element)
    identifier = text_of(children.get("id"))
    if reason := _why_no_id(identifier):
        refusals.add("id", reason, identifier)
    else:
        children["id"].text = identifier
    email_md5 = None
    if resource is ACCOUNT:
        email_md5 = _pop_email(element, children, refusals)
        _check_coordinates(element, children, refusals)
    element, left_out = remove_private(element, resource)
    refusals.left_out |= left_out
    children = _children(element)
    names = {text_of(children[name]) for name in _NAMES if name in children}
    slugs = {fold(name) for name in names if name and MASK not in name}
    for parent, fields in _REQUIRED[resource.name].items():
        part = children.get(parent) if parent else element
        if part is not None and len(part):
            _add_missing(part, children if part is element else _children(part), fields)
    for parent, fields in _TIMESTAMPS[resource.name].items():
        part = children.get(parent) if parent else element
        if part is not None:
            own = children if part is element else _children(part)
            _convert_timestamps(own, fields, refusals)
    texts = children["tags"].itertext() if "tags" in children else ()
    tags = "\n".join(filter(None, map(str.strip, map(str, texts))))
    values = [convert(_text_at(children, path)) for path, convert in _VALUES.values()]
    values = [identifier, email_md5, fold(f"\n{tags}\n"), *values]
    return Row(resource, serialize(element), slugs, values)


def _why_no_id(identifier: str) -> str:
    """Return why a text cannot be an id, a step in the URLs of pages and of XML; empty if it can."""
    if not _ID.fullmatch(identifier):
        return "an id has 1 to 100 characters, without blanks and slashes"
    if identifier in {".", ".."} or identifier.lower().endswith(".xml"):
        return "an id is not '.' or '..' and does not end in .xml, because it is part of URLs"
    if without_addresses(identifier) != identifier:
        return "an id is not an e-mail address"
    return ""


def serialize(element: _Element) -> str:
    """Return the XML of an element and a line break."""
    return etree.tostring(element, encoding="unicode", with_tail=False) + "\n"


def text_of(element: _Element | None) -> str:
    """Return the text of an element without the white space around it; empty if there is none."""
    return "" if element is None else (element.text or "").strip()


def _children(element: _Element) -> dict[str, _Element]:
    """Return the first child of each name."""
    # A slice is faster than an iterator.
    return {child.tag: child for child in element[::-1]}  # type: ignore[index]  # the stubs know no slices


def _text_at(children: dict[str, _Element], path: str) -> str:
    name, _, rest = path.partition("/")
    child = children.get(name)
    return text_of(child.find(rest) if rest and child is not None else child)


def _add_missing(part: _Element, children: dict[str, _Element], fields: list[Field]) -> None:
    """Append missing elements; those that other dialects name differently get the value of these."""
    for field in fields:
        name = field.path[-1]
        if name not in children:
            children[name] = etree.SubElement(part, name)
            children[name].tail = "\n"
        other = children.get(_OTHER_NAMES.get(name, ""))
        if other is not None and not text_of(children[name]):
            children[name].text = text_of(other) or None


def _convert_timestamps(
    children: dict[str, _Element], fields: list[Field], refusals: Refusals
) -> None:
    """Convert timestamps to UTC, in the form of the specification."""
    for field in fields:
        name = field.path[-1]
        text = text_of(children.get(name))
        if not text:
            continue
        try:
            moment = datetime.fromisoformat(text)
            moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
        except (ValueError, OverflowError):
            refusals.add(field.column, "it is not a timestamp of ISO 8601", text)
            continue
        if name in _MONTHS and moment != moment.replace(
            day=1, hour=0, minute=0, second=0, microsecond=0
        ):
            refusals.add(field.column, "it is not the first day of a month at 00:00:00 UTC", text)
            continue
        children[name].text = moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _check_coordinates(
    element: _Element, children: dict[str, _Element], refusals: Refusals
) -> None:
    """Refuse coordinates that are on no map, and remove those without a location."""
    coordinates = {name: children[name] for name in _COORDINATES if text_of(children.get(name))}
    for name, child in coordinates.items():
        text, most = text_of(child), _COORDINATES[name]
        if not _DECIMAL.fullmatch(text) or not -most <= float(text) <= most:
            refusals.add(name, f"it is not a number from -{most:g} to {most:g}", text)
    if coordinates and not text_of(children.get("location")):
        refusals.without_location += 1
        etree.strip_elements(element, *coordinates, with_tail=False)


def _pop_email(element: _Element, children: dict[str, _Element], refusals: Refusals) -> str | None:
    """Replace an e-mail address by its digests; return the MD5 that finds the account, if any."""
    digest = text_of(children.get("email_md5")).lower()
    address = text_of(children.get("email")).lower()
    etree.strip_elements(element, "email_md5", "email", with_tail=False)
    if digest and not _MD5.fullmatch(digest):
        refusals.add("email_md5", "it is not 32 hexadecimal digits", digest)
    if address and not _EMAIL.fullmatch(address):
        refusals.add("email", "it is not an e-mail address", address)
    served = text_of(children.get("email_sha1"))
    if served and not _SHA1.fullmatch(served):
        refusals.add("email_sha1", "it is not 40 hexadecimal digits", served)
    if address and not served:
        if "email_sha1" not in children:
            children["email_sha1"] = etree.SubElement(element, "email_sha1")
        children["email_sha1"].text = sha1(address.encode(), usedforsecurity=False).hexdigest()
    if digest:
        return digest
    if address:
        return md5(address.encode(), usedforsecurity=False).hexdigest()
    avatar = _AVATAR.search(text_of(children.get("avatar_url")).lower())
    return avatar[1] if avatar else None


def _number(text: str) -> float | None:
    digits = text.replace(",", "")
    return float(digits) if _NUMBER.fullmatch(digits) else None


def _id_key(identifier: str) -> str:
    """Return a sort key that orders numbers by value, before all other ids."""
    is_number = identifier.isascii() and identifier.isdigit()
    digits = identifier.lstrip("0")
    return f"{len(digits):03d}{digits}.{identifier}" if is_number else f"~{identifier}"


def fold(text: str) -> str:
    """Return the case-folded, NFC-normalized form for comparison and search."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text.casefold())


#: The values that records are sorted and searched by, and the paths and conversions of most.
_VALUES: dict[str, tuple[str, Callable[[str], object]]] = {
    "id_key": ("id", _id_key),
    "created_at": ("created_at", str),
    "updated_at": ("updated_at", str),
    "stack_count": ("stack_count", _number),
    "rating": ("average_rating", _number),
    "active_committers": ("analysis/twelve_month_contributor_count", _number),
    "activity_level": ("project_activity_index/value", _number),
    "kudo_rank": ("kudo_score/kudo_rank", _number),
    "name": ("name", lambda text: " ".join(fold(text).split())),
    "description": ("description", fold),
}
COLUMNS = ("id", "email_md5", "tags", *_VALUES)
