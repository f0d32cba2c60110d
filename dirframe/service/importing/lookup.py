"""Lookup keys of a record besides its id: names in URLs and the digest of the e-mail."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from dirframe.service.records import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dirframe.schema import Resource


#: Elements with the name of a record in URLs, in any dialect.
_NAME_FIELDS = {
    "account": ("login", "vanity_url", "url_name"),
    "project": ("url_name", "vanity_url"),
}
#: Elements with a URL of the record, which ends in such a name.
_ADDRESS_FIELDS = ("html_url", "url")
#: All of these.
LOOKUP_FIELDS = {name: (*fields, *_ADDRESS_FIELDS) for name, fields in _NAME_FIELDS.items()}
_PATHS = {
    "account": re.compile(r"/accounts/([^/?#]+?)(?:\.xml)?(?:[?#].*)?"),
    "project": re.compile(r"/(?:p|projects)/([^/?#]+?)(?:\.xml)?(?:[?#].*)?"),
}
_ORIGIN = re.compile(r"https?://[^/]+")
_AVATAR = re.compile(r"gravatar\.[^/]+/avatar(?:/|\.php\?(?:[^#]*&)?gravatar_id=)([0-9a-f]{32})\b")


def address_names(resource: Resource, record: Mapping[str, str]) -> list[str]:
    """Return the distinct names of a record in URLs, folded.

    Examples
    --------
    >>> from dirframe.schema import PROJECT
    >>> address_names(PROJECT, {"id": "9", "url_name": "Firefox", "name": "Mozilla Firefox"})
    ['firefox']
    """
    names = [record[field] for field in _NAME_FIELDS[resource.name] if field in record]
    for field in _ADDRESS_FIELDS:
        if field in record:
            path = _ORIGIN.sub("", record[field], count=1)
            if match := _PATHS[resource.name].fullmatch(path):
                names.append(unquote(match[1]))
    folded = dict.fromkeys(fold(name.strip()) for name in names)
    return [name for name in folded if name and "\n" not in name]


def avatar_md5(url: str) -> str | None:
    """Return the MD5 of the e-mail address in the avatar URL of an account, if present."""
    match = _AVATAR.search(url.lower())
    return match[1] if match else None
