"""How the element of a record becomes a row of the store, and how what does not fit is refused."""

# Any dialect of the interface is taken. Fields that other dialects name differently are added under
# the name in the specification, and missing elements of the specification at the end; everything
# else is kept as it was written.

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from datetime import UTC, datetime
from hashlib import md5, sha1
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from lxml import etree

from dirframe.errors import StoreError
from dirframe.schema import ACCOUNT, PROJECT, RESOURCES, Kind, Resource

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element

#: The first child of each name.
Children: TypeAlias = "dict[str, _Element]"
#: Called with the column, the reason and the value of what does not fit.
Refuse: TypeAlias = "Callable[[str, str, str], None]"

#: Tags of repeated elements by the tag of the element that wraps them.
ITEM_TAGS = {
    field.path[-1]: field.items.tag
    for resource in RESOURCES.values()
    for field in resource.fields
    if field.items
}
#: Names of fields here and in other dialects.
_OTHER_NAMES = {"stack_count": "user_count", "logged_at": "oldest_code_set_time"}
_ID = re.compile(r"[^\s/?#]{1,100}")
_MD5 = re.compile(r"[0-9a-f]{32}")
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


def _parts(resource: Resource) -> dict[str, tuple[list[str], list[str]]]:
    """Return the elements that are always sent and the timestamps, by parent: "" is the record."""
    parts: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for field in resource.fields:
        *parents, name = field.path
        always, timestamps = parts["/".join(parents)]
        if field in resource.specified and (resource is not ACCOUNT or field.required):
            always.append(name)
        if field.kind is Kind.TIMESTAMP:
            timestamps.append(name)
    return {parent: names for parent, names in parts.items() if any(names)}


_PARTS = {name: _parts(resource) for name, resource in RESOURCES.items()}


class Row(NamedTuple):
    """A record as it is stored: its XML, and the folded texts and numbers that it is found by."""

    resource: Resource
    synthetic: bool
    xml: str
    id: str
    id_key: str
    email_md5: str
    names: str
    created_at: str
    updated_at: str
    stack_count: int | None
    rating: float | None
    active_committers: int | None
    activity_level: int | None
    name: str
    tags: str
    description: str


class Refusals:
    """What does not fit in a file or frame, by column and reason."""

    def __init__(self, source: str, noun: str, hint: str | None = None) -> None:
        self._source, self._noun, self._hint = source, noun, hint
        self._places: set[str] = set()
        self._problems: defaultdict[tuple[str, str], list[str]] = defaultdict(list)

    def __bool__(self) -> bool:
        return bool(self._places)

    def add(self, place: str, column: str, reason: str, value: str) -> None:
        """Note a value, at a place such as "row 3"."""
        self._places.add(place)
        shown = repr(value) if len(value) <= 60 else f"{value[:60]!r}…"
        self._problems[column, reason].append(f"{place} ({shown})")

    def check(self, total: int) -> None:
        """Raise a StoreError if anything was refused, with three examples of each problem."""
        if not self:
            return
        lines = []
        for (column, reason), places in self._problems.items():
            examples = ", ".join(places[:3])
            more = f" and {len(places) - 3:,} more" if len(places) > 3 else ""
            lines.append(f"\n  column {column}, {len(places):,}: {reason}: {examples}{more}.")
        raise StoreError(
            f"{len(self._places):,} of {total:,} {self._noun}s of {self._source} do not fit; "
            f"nothing was imported.{''.join(lines)}",
            hint=self._hint,
        )


def row_of(resource: Resource, element: _Element, refuse: Refuse, *, synthetic: bool) -> Row:
    """Convert the element of a record to the form that is served, and return its row."""
    if element.nsmap:
        for node in element.iter():
            node.tag = etree.QName(node).localname
        etree.cleanup_namespaces(element)
    children = _children(element)
    identifier = text_of(children.get("id"))
    if _ID.fullmatch(identifier):
        children["id"].text = identifier
    else:
        refuse("id", "an id has 1 to 100 characters, without blanks and slashes", identifier)
    email_md5 = _pop_email(element, children, refuse) if resource is ACCOUNT else ""
    analysis: Children = {}
    for parent, (always, timestamps) in _PARTS[resource.name].items():
        part = children.get(parent) if parent else element
        if part is not None and len(part):
            below = _children(part) if parent else children
            if parent == "analysis":
                analysis = below
            _complete(part, below, always)
            _convert_timestamps(below, timestamps, parent, refuse)
    rating, activity = (
        text_of(children.get("average_rating")),
        children.get("project_activity_index"),
    )
    is_project = resource is PROJECT
    return Row(
        resource,
        synthetic,
        etree.tostring(element, encoding="unicode", with_tail=False) + "\n",
        identifier,
        _id_key(identifier),
        email_md5,
        _names(resource, children),
        text_of(children.get("created_at")),
        text_of(children.get("updated_at")),
        _number(text_of(children.get("stack_count"))),
        float(rating) if _DECIMAL.fullmatch(rating) else None,
        _number(text_of(analysis.get("twelve_month_contributor_count"))),
        None if activity is None else _number(text_of(activity.find("value"))),
        " ".join(fold(text_of(children.get("name"))).split()),
        _tags(children.get("tags")) if is_project else "",
        fold(text_of(children.get("description"))) if is_project else "",
    )


def text_of(element: _Element | None) -> str:
    """Return the text of an element without the white space around it; empty if there is none."""
    return "" if element is None else (element.text or "").strip()


def _children(element: _Element) -> Children:
    # A slice is faster than an iterator.
    return {child.tag: child for child in element[::-1]}  # type: ignore[index]  # the stubs know no slices


def _complete(part: _Element, children: Children, names: list[str]) -> None:
    """Append missing elements, and fill those that another dialect names differently."""
    for name in names:
        if name not in children:
            children[name] = etree.SubElement(part, name)
            children[name].tail = "\n"
        other = _OTHER_NAMES.get(name, "")
        if other in children and not text_of(children[name]):
            children[name].text = children[other].text


def _convert_timestamps(children: Children, names: list[str], parent: str, refuse: Refuse) -> None:
    for name in names:
        if text := text_of(children.get(name)):
            try:
                moment = datetime.fromisoformat(text)
                moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
            except (ValueError, OverflowError):
                column = f"{parent}_{name}" if parent else name
                refuse(column, "it is not a timestamp of ISO 8601", text)
            else:
                moment = moment.replace(tzinfo=None)
                children[name].text = moment.isoformat(timespec="seconds") + "Z"


def _pop_email(element: _Element, children: Children, refuse: Refuse) -> str:
    """Replace an address by its digests; return the MD5 that finds the account."""
    digest, address = (text_of(children.get(name)).lower() for name in ("email_md5", "email"))
    etree.strip_elements(element, "email_md5", "email", with_tail=False)
    if digest and not _MD5.fullmatch(digest):
        refuse("email_md5", "it is not 32 hexadecimal digits", digest)
    if address and not text_of(children.get("email_sha1")):
        _complete(element, children, ["email_sha1"])
        children["email_sha1"].text = sha1(address.encode(), usedforsecurity=False).hexdigest()
    if address and not digest:
        digest = md5(address.encode(), usedforsecurity=False).hexdigest()
    avatar = _AVATAR.search(text_of(children.get("avatar_url")).lower())
    return digest or (avatar[1] if avatar else "")


def _names(resource: Resource, children: Children) -> str:
    """Return the names of a record in addresses, folded, each on a line."""
    names = [text_of(children[f]) for f in _NAME_FIELDS if f in children]
    addresses = (text_of(children[f]) for f in _ADDRESS_FIELDS if f in children)
    matches = map(_ADDRESS[resource.name].fullmatch, addresses)
    names += [unquote(match[1]) for match in matches if match]
    folded = dict.fromkeys(fold(name.strip()) for name in names)
    return "\n".join(name for name in folded if name and "\n" not in name)


def _tags(element: _Element | None) -> str:
    """Return the tags of a project, folded, with a line break before and after each."""
    texts = [] if element is None else [str(text).strip() for text in element.itertext()]
    return fold("".join(f"\n{text}" for text in texts if text) + "\n")


def _number(text: str) -> int | None:
    digits = text.replace(",", "")
    return int(digits) if _INTEGER.fullmatch(digits) else None


def _id_key(identifier: str) -> str:
    """Return a sort key that orders numbers by value, before all other ids."""
    if not (identifier.isascii() and identifier.isdigit()):
        return f"~{identifier}"
    digits = identifier.lstrip("0")
    return f"{len(digits):03d}{digits}.{identifier}"


def is_url(text: str) -> bool:
    """Return whether a text is a URL that is safe to link to (no ``javascript:`` and the like)."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https", "ftp", "irc", "ircs"} and bool(parts.netloc)


def fold(text: str) -> str:
    """Return the case-folded, NFC-normalized form for comparison and search."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text.casefold())
