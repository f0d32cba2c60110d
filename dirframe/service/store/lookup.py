"""What a record is found by beside its id: the names and the digest that it carries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from dirframe.service.records import fold, text_of

if TYPE_CHECKING:
    from dirframe.schema import Resource
    from dirframe.service.records import Record

__all__ = ["address_names", "avatar_md5"]

#: Elements that hold the name in addresses, in any dialect.
_NAME_FIELDS = {
    "account": ("login", "vanity_url", "url_name"),
    "project": ("url_name", "vanity_url"),
}
#: Elements that hold an address of the record, which ends in such a name.
_ADDRESS_FIELDS = ("html_url", "url")
_PATHS = {
    "account": re.compile(r"/accounts/([^/?#]+?)(?:\.xml)?(?:[?#].*)?"),
    "project": re.compile(r"/(?:p|projects)/([^/?#]+?)(?:\.xml)?(?:[?#].*)?"),
}
_ORIGIN = re.compile(r"https?://[^/]+")
_AVATAR = re.compile(r"gravatar\.[^/]+/avatar(?:/|\.php\?(?:[^#]*&)?gravatar_id=)([0-9a-f]{32})\b")


def address_names(resource: Resource, record: Record) -> list[str]:
    """Return the names by which addresses call a record, folded, each once.

    Examples
    --------
    >>> from dirframe.schema import PROJECT
    >>> address_names(PROJECT, {"id": "9", "url_name": "Firefox", "name": "Mozilla Firefox"})
    ['firefox']
    """
    names = [text_of(record, field) for field in _NAME_FIELDS[resource.name]]
    for field in _ADDRESS_FIELDS:
        path = _ORIGIN.sub("", text_of(record, field), count=1)
        if found := _PATHS[resource.name].fullmatch(path):
            names.append(unquote(found[1]))
    folded = dict.fromkeys(fold(name.strip()) for name in names)
    return [name for name in folded if name and "\n" not in name]


def avatar_md5(record: Record) -> str | None:
    """Return the MD5 of the e-mail address that an account's picture shows, if it does."""
    found = _AVATAR.search(text_of(record, "avatar_url").lower())
    return found[1] if found else None
