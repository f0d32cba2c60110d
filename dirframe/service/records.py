"""How the element of a record becomes a row of the store, and how what does not fit is refused."""

# Any dialect of the interface is taken. Fields that other dialects name differently are added under
# the name in the specification, and missing elements of the specification at the end; everything
# else is kept as it was written, but for what `privacy` removes.

from __future__ import annotations

import logging
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import md5, sha1
from typing import NamedTuple

from lxml import etree
from lxml.etree import _Element

from dirframe._printable import escaped
from dirframe.errors import StoreError
from dirframe.schema import ACCOUNT, RESOURCES, Field, Kind, Resource
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
#: Form of addresses that are safe to link to: no ``javascript:`` and the like.
URL = r"(?i:https?|ftp|ircs?)://[^/?#\s][\s\S]*"
_NUMBER = re.compile(r"-?\d{1,18}(\.\d{1,30})?", re.ASCII)

#: Elements with the name of a record in addresses.
_NAMES = ("login", "url_name", "vanity_url")
_AVATAR = re.compile(r"gravatar\.[^/]+/avatar(?:/|\.php\?(?:[^#]*&)?gravatar_id=)([0-9a-f]{32})\b")


def _parts(resource: Resource) -> dict[str, list[tuple[Field, bool]]]:
    """Return the timestamps and the fields that are always sent, with whether they are the latter.

    They are grouped by the path of their parent, "" for the record itself.
    """
    parts = defaultdict(list)
    for field in resource.fields:
        is_sent = field in resource.specified and (resource is not ACCOUNT or field.required)
        if is_sent or field.kind is Kind.TIMESTAMP:
            parts["/".join(field.path[:-1])].append((field, is_sent))
    return parts


_PARTS = {name: _parts(resource) for name, resource in RESOURCES.items()}


class Row(NamedTuple):
    """A record as it is stored: its XML, its names in addresses, and the values of `COLUMNS`."""

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
            others = f" and {others_count:,} others" if others_count > 0 else ""
            _LOG.warning("%s", escaped(f"{self._source}: {names}{others} are not served."))
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
    if not _ID.fullmatch(identifier):
        refusals.add("id", "an id has 1 to 100 characters, without blanks and slashes", identifier)
    elif without_addresses(identifier) != identifier:
        refusals.add("id", "an id is not an e-mail address", identifier)
    else:
        children["id"].text = identifier
    email_md5 = _pop_email(element, children, refusals) if resource is ACCOUNT else ""
    element, left_out = remove_private(element, resource)
    refusals.left_out |= left_out
    children = _children(element)
    names = {text_of(children[name]) for name in _NAMES if name in children}
    slugs = {fold(name) for name in names if name and MASK not in name}
    if email_md5:
        slugs.add(email_slug(email_md5))
    for parent, fields in _PARTS[resource.name].items():
        part = children.get(parent) if parent else element
        if part is not None and len(part):
            _complete(part, _children(part) if parent else children, fields, refusals)
    texts = children["tags"].itertext() if "tags" in children else ()
    tags = "\n".join(filter(None, map(str.strip, map(str, texts))))
    values = [convert(_text_at(children, path)) for path, convert in _VALUES.values()]
    values = [identifier, fold(f"\n{tags}\n"), *values]
    return Row(resource, serialize(element), slugs, values)


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


def _complete(
    part: _Element,
    children: dict[str, _Element],
    fields: list[tuple[Field, bool]],
    refusals: Refusals,
) -> None:
    """Append missing elements, fill those with other names elsewhere, and convert timestamps."""
    for field, is_sent in fields:
        name = field.path[-1]
        if is_sent and name not in children:
            children[name] = etree.SubElement(part, name)
            children[name].tail = "\n"
        text, other = text_of(children.get(name)), _OTHER_NAMES.get(name, "")
        if not text and other in children:
            text = text_of(children[other])
            children[name].text = text or None
        if text and field.kind is Kind.TIMESTAMP:
            try:
                moment = datetime.fromisoformat(text)
                moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
            except (ValueError, OverflowError):
                refusals.add(field.column, "it is not a timestamp of ISO 8601", text)
            else:
                moment = moment.replace(tzinfo=None)
                children[name].text = moment.isoformat(timespec="seconds") + "Z"


def _pop_email(element: _Element, children: dict[str, _Element], refusals: Refusals) -> str:
    """Replace an address by its digests; return the MD5 that finds the account."""
    digest, address = (text_of(children.get(name)).lower() for name in ("email_md5", "email"))
    etree.strip_elements(element, "email_md5", "email", with_tail=False)
    if digest and not _MD5.fullmatch(digest):
        refusals.add("email_md5", "it is not 32 hexadecimal digits", digest)
    if address and not text_of(children.get("email_sha1")):
        if "email_sha1" not in children:
            children["email_sha1"] = etree.SubElement(element, "email_sha1")
        children["email_sha1"].text = sha1(address.encode(), usedforsecurity=False).hexdigest()
    if address and not digest:
        digest = md5(address.encode(), usedforsecurity=False).hexdigest()
    avatar = _AVATAR.search(text_of(children.get("avatar_url")).lower())
    return digest or (avatar[1] if avatar else "")


def email_slug(digest: str) -> str:
    """Return the name of an account by the MD5 digest of its e-mail address, which no page has."""
    return f"/{digest.lower()}"


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
    "name": ("name", lambda text: " ".join(fold(text).split())),
    "description": ("description", fold),
}
COLUMNS = ("id", "tags", *_VALUES)
