"""Validate addresses below the base URL and find the resource at a path."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from dirframe.client.http.api_key import KEY_PARAMETER, redact
from dirframe.errors import InvalidInputError
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dirframe.schema import Resource
    from dirframe.settings import ApiKey


_SAFE = "/!$'()*+,:;=@~%"
_PLACEHOLDER = re.compile(r"\\{\w+\\}")  # a template placeholder after re.escape


@dataclass(frozen=True)
class Address:
    """A path below the base URL that ends in ``.xml``, and its own query parameters.

    `paged` and `single` are None if it is not known whether the path has pages or a single record.
    `facts` is recorded in provenance instead of the path.
    """

    path: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    paged: bool | None = None
    single: bool | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


def address_of(text: object, base_url: str, *, key: ApiKey) -> Address:
    """Validate an address given by the user.

    Parameters
    ----------
    text
        A path below the base URL, or an absolute URL that begins with the base URL.
    base_url
        Address of the directory.
    key
        The API key, which no path may contain.

    Returns
    -------
    Address
        The path, percent-encoded.

    Raises
    ------
    InvalidInputError
        If it leads to another host or outside the base URL, does not end in ``.xml``, or
        contains a key, a page number or a fragment.
    """
    address = text.strip() if isinstance(text, str) else ""
    if not address:
        raise InvalidInputError(
            f"The path is {text!r}; pass one below the base URL, such as '/languages.xml'."
        )
    if KEY_PARAMETER in unquote(address).casefold() or redact(address, key) != address:
        raise InvalidInputError(
            "The path holds an api_key, which is sent without that.",
            hint="Pass the path alone.",
        )
    relative = address.removeprefix(base_url) if address.startswith(f"{base_url}/") else address
    parts = urlsplit(relative)
    if parts.scheme or parts.netloc:
        raise InvalidInputError(  # without the address, which may contain a password
            f"The path is an address of {parts.hostname or 'another kind'}, and not below "
            f"{base_url}, the one directory that is asked.",
            hint="Pass a path, such as '/languages.xml', or a Directory of the other address "
            "(--base-url).",
        )
    if parts.fragment or any(step in {".", ".."} for step in unquote(parts.path).split("/")):
        raise InvalidInputError(
            f"The path {address!r} has a fragment or a step such as '..'; write it out from the "
            "base URL on."
        )
    path = quote("/" + parts.path.lstrip("/"), safe=_SAFE)
    if not path.endswith(".xml"):
        raise InvalidInputError(
            f"The path {address!r} does not end in .xml, so the directory would answer with a page "
            f"for people; pass {path.rstrip('/') + '.xml'!r}."
        )
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    if "page" in parameters:
        raise InvalidInputError(
            f"The path {address!r} names a page; all pages are loaded.",
            hint="Leave it out, and pass max_items= (--max-items) to load less.",
        )
    resource, is_collection = known_resource(path)
    if resource is None:
        return Address(path, parameters)
    paged = resource.paged and is_collection
    return Address(path, parameters, paged=paged, single=not is_collection)


def known_resource(path: str) -> tuple[Resource | None, bool]:
    """Return the resource expected at a path, and whether the path is a collection."""
    for resource in ALL_RESOURCES.values():
        for template in resource.paths:
            if re.fullmatch(_PLACEHOLDER.sub("[^/]+", re.escape(template)), path):
                return resource, not template.endswith("}.xml")
    return None, False


def identifier_of(value: object, name: str) -> str:
    """Return the id or the name of a record as text.

    Raises
    ------
    InvalidInputError
        If it is neither text nor a whole number: it would be requested, and not be found.
    """
    if isinstance(value, bool) or not isinstance(value, str | Integral):
        raise InvalidInputError(
            f"The {name} is {value!r}; it must be text or a whole number.",
            hint="Pass one id or name; of a table, read the column of ids as text.",
        )
    return str(value).strip()


def path_of(template: str, **values: str | int) -> str:
    """Fill in a path template.

    Raises
    ------
    InvalidInputError
        If a value is empty.
    """
    escaped = {}
    for name, value in values.items():
        text = identifier_of(value, name)
        if not text or text in {".", ".."}:
            raise InvalidInputError(
                f"The {name} is {value!r}; pass its id or its short name in addresses."
            )
        escaped[name] = quote(text, safe="")
    return template.format(**escaped)
