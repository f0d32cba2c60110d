"""What is asked of a directory: a collection or a path, its filter, sort and limit."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from dirframe.client.http.api_key import KEY_PARAMETER, redact
from dirframe.errors import InvalidInputError
from dirframe.schema.extensions import ALL_RESOURCES, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dirframe.client.directory import Directory
    from dirframe.schema import Resource


_SAFE = "/!$'()*+,:;=@~%"
_PLACEHOLDER = re.compile(r"\\{\w+\\}")  # a template placeholder after re.escape


class Policy(TypedDict, total=False):
    """How the cache may be used, as `Session.get` takes it."""

    refresh: bool
    offline: bool
    store: bool


def again(policy: Policy) -> Policy:
    """Return the policy for a page that does not fit: the newest version, unless offline."""
    return {**policy, "refresh": not policy.get("offline", False)}


@dataclass(frozen=True, kw_only=True)
class Query:
    """A validated query; without a `path`, to the resource's own collection.

    `paged` and `is_single` are None if it is not known whether the path has pages or one record;
    `facts` is recorded in provenance instead of the path.
    """

    resource: Resource
    query: str | None = None
    sort: str | None = None
    max_items: int | None = None
    path: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    paged: bool | None = True
    is_single: bool | None = False
    facts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("query", "sort"):
            if not _is_text(getattr(self, name) or ""):
                raise InvalidInputError(
                    f"{name} is {getattr(self, name)!r}; it must be text, or None."
                )
        resource, most = self.resource, self.max_items
        allowed = (*resource.sorts, *resource.other_sorts)
        if self.sort is not None and allowed and self.sort not in allowed:
            raise InvalidInputError(
                f"{resource.collection} cannot be sorted by {self.sort!r}; choose one of "
                f"{', '.join(allowed)}."
            )
        if most is not None and (isinstance(most, bool) or not _is_whole(most) or most < 1):
            raise InvalidInputError(f"max_items is {most!r}; it must be a whole number from 1.")
        object.__setattr__(self, "path", self.path or f"/{resource.collection}.xml")

    def params(self, page: int) -> dict[str, str]:
        """Return the query parameters of a page; page numbers start at 1."""
        own = self.parameters
        parameters = {
            **own,
            "query": self.query or own.get("query", ""),
            "sort": self.sort or own.get("sort", ""),
            # Without known paging, the first page is requested without a number.
            "page": str(page) if page > 1 or self.paged else "",
        }
        return {name: value for name, value in parameters.items() if value}

    def to_provenance(self) -> dict[str, Any]:
        """Return the query as recorded in provenance."""
        is_own = self.path == f"/{self.resource.collection}.xml" and self.paged is True
        facts: dict[str, Any] = dict(self.facts or ({} if is_own else {"path": self.path}))
        facts |= self.parameters
        for name in ("query", "sort", "max_items"):
            facts[name] = getattr(self, name) or facts.get(name)
        return {name: value for name, value in facts.items() if value is not None}


def query_at(path: object, client: Directory, **options: Any) -> Query:
    """Return the query to a path below the base URL, or to an absolute URL that begins with it.

    Raises
    ------
    InvalidInputError
        If it leads to another host or outside the base URL, does not end in ``.xml``, or
        contains a key, a page number, a fragment, or an option that is given beside it.
    """
    base_url, key = client.base_url, client.api_key
    address = path.strip() if isinstance(path, str) else ""
    if not address:
        raise InvalidInputError(
            f"The path is {path!r}; pass one below the base URL, such as '/languages.xml'."
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
    quoted = quote("/" + parts.path.lstrip("/"), safe=_SAFE)
    if not quoted.endswith(".xml"):
        raise InvalidInputError(
            f"The path {address!r} does not end in .xml, so the directory would answer with a page "
            f"for people; pass {quoted.rstrip('/') + '.xml'!r}."
        )
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    if "page" in parameters:
        raise InvalidInputError(
            f"The path {address!r} names a page; all pages are loaded.",
            hint="Leave it out, and pass max_items= (--max-items) to load less.",
        )
    for name in ("query", "sort"):
        if options.get(name) is not None and name in parameters:
            raise InvalidInputError(
                f"{name} stands in the path {path!r} and is given beside it, too.",
                hint=f"Leave {name}= (--{name}) out.",
            )
    for resource in ALL_RESOURCES.values():
        for template in resource.paths:
            if re.fullmatch(_PLACEHOLDER.sub("[^/]+", re.escape(template)), quoted):
                is_single = template.endswith("}.xml")
                return Query(
                    resource=resource,
                    path=quoted,
                    parameters=parameters,
                    paged=resource.paged and not is_single,
                    is_single=is_single,
                    **options,
                )
    return Query(
        resource=UNKNOWN, path=quoted, parameters=parameters, paged=None, is_single=None, **options
    )


def identifier_of(value: object, name: str) -> str:
    """Return the id or the name of a record as text; `InvalidInputError` if it cannot be one."""
    if isinstance(value, bool) or not isinstance(value, str | Integral):
        raise InvalidInputError(
            f"The {name} is {value!r}; it must be text or a whole number.",
            hint="Pass one id or name; of a table, read the column of ids as text.",
        )
    return str(value).strip()


def path_of(template: str, **values: str | int) -> str:
    """Fill in a path template; `InvalidInputError` if a value is empty."""
    escaped = {}
    for name, value in values.items():
        text = identifier_of(value, name)
        if not text or text in {".", ".."}:
            raise InvalidInputError(
                f"The {name} is {value!r}; pass its id or its short name in addresses."
            )
        escaped[name] = quote(text, safe="")
    return template.format(**escaped)


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral)


def _is_text(value: object) -> bool:
    """Return whether a value can be sent in a URL: text without a lone surrogate."""
    try:
        return isinstance(value, str) and bool(value.encode() or True)
    except UnicodeEncodeError:
        return False
