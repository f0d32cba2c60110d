"""What a load asks a directory for: a collection or a path, a part of it, and in which order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from dirframe._display import did_you_mean
from dirframe.client.paging.ids import PAGE_SIZE, Window
from dirframe.client.xml.page import Page, check_records
from dirframe.errors import InvalidInputError
from dirframe.schema import ACCOUNT, ALL_RESOURCES, PROJECT, UNKNOWN, Resource, resource_named
from dirframe.settings import KEY_PARAMETER, ApiKey, check_switches, shown_value

#: Paths of the collections of a directory, of which there is one each.
PATHS = {
    r.collection: r.paths[0] for r in ALL_RESOURCES.values() if r.paths and "{" not in r.paths[0]
}

#: The one order of accounts that today's live service keeps: a rank. Members without one are last, and
#: in no order.
BY_RANK = "kudo_position"

_SAFE = "/!$'()*+,:;=@~%"
_PLACEHOLDER = re.compile(r"\\{\w+\\}")  # a template placeholder after re.escape
#: Control characters, and halves of characters: neither is in a name, and the halves cannot be sent.
_UNSENDABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
#: Files of an archive hold no larger number.
_LARGEST = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class Query:
    """A validated query; without a `path`, to the resource's own collection.

    `sample` positions are drawn by `seed` of all records. `numbered` is whether the first page is
    asked for by its number: what has no pages may be one record. `facts` is recorded in provenance
    instead of the path. `per_page` and `ids` are what today's live service takes besides: a number of
    records on a page, and the projects among some ids.
    """

    resource: Resource
    query: str | None = None
    sort: str | None = None
    max_items: int | None = None
    sample: int | None = None
    seed: int = 0
    details: bool = False
    path: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    numbered: bool = True
    facts: Mapping[str, Any] = field(default_factory=dict)
    per_page: int | None = None
    ids: Window | None = None

    def __post_init__(self) -> None:
        for name in ("query", "sort"):
            text = getattr(self, name)
            is_text = isinstance(text, str) and text.strip() and not _UNSENDABLE.search(text)
            if text is not None and not is_text:
                raise InvalidInputError(
                    f"{name} is {shown_value(text)}; it must be text that is not empty, without control characters.",
                    hint=f"Leave {name}= (--{name}) out for all records.",
                )
        for name, least, most in (
            ("max_items", 1, 10 * _LARGEST),  # more than there are is all of them
            ("sample", 1, _LARGEST),
            ("seed", 0, _LARGEST),
        ):
            value: Any = getattr(self, name)
            if value is None and name != "seed":
                continue
            is_whole = isinstance(value, Integral) and not isinstance(value, bool)
            if not is_whole or int(value) < least:
                raise InvalidInputError(
                    f"{name} is {shown_value(value)}; it must be a whole number from {least}."
                )
            if int(value) > most:
                raise InvalidInputError(f"{name} is larger than {most:,}.")
            object.__setattr__(self, name, int(value))
        check_switches(details=self.details)
        resource = self.resource
        allowed = (*resource.sorts, *resource.other_sorts)
        if resource is ACCOUNT:
            allowed = (*allowed, BY_RANK)
        if self.sort is not None and allowed and self.sort not in allowed:
            raise InvalidInputError(
                f"{resource.collection} cannot be sorted by {shown_value(self.sort)}; choose one of "
                f"{', '.join(allowed)}."
            )
        if self.max_items is not None and self.sample is not None:
            raise InvalidInputError(
                "sample (--sample) draws from the whole collection, and max_items (--max-items) takes "
                "its first records. Leave out one of them."
            )
        if self.details and resource is not PROJECT:
            raise InvalidInputError(
                f"Details are the own page of each project; {resource.collection} have none.",
                hint="Leave details= (--details) out.",
            )
        object.__setattr__(self, "path", self.path or f"/{resource.collection}.xml")

    def params(self, page: int = 1) -> dict[str, str]:
        """Return the query parameters of a page; page numbers start at 1.

        A name stands for the ids: `long_values` has them.
        """
        if self.ids is not None:
            return {"ids": self.ids.name, "per_page": str(PAGE_SIZE)}
        params = {
            **self.parameters,
            "query": self.query,
            "sort": self.sort,
            "page": str(page) if page > 1 or self.numbered else None,
            "per_page": None if self.per_page is None else str(self.per_page),
        }
        return {name: value for name, value in params.items() if value}

    def long_values(self) -> dict[str, str]:
        """Return the parameters that are sent instead of their names."""
        return {} if self.ids is None else {"ids": self.ids.text}

    def to_provenance(self) -> dict[str, Any]:
        """Return the query as recorded in provenance."""
        is_own = self.path == f"/{self.resource.collection}.xml" and self.numbered
        facts: dict[str, Any] = dict(self.facts or ({} if is_own else {"path": self.path}))
        facts |= self.parameters
        facts |= {name: getattr(self, name) for name in ("query", "sort", "max_items", "details")}
        return {name: value for name, value in facts.items() if value}


def query_at(path: object, base_url: str, key: ApiKey, **options: Any) -> Query:
    """Return the query to a collection by its name, or to a path or URL below the base URL."""
    name = path.strip() if isinstance(path, str) else ""
    address = PATHS.get(name, name)
    is_below = address.startswith(f"{base_url}/")
    parts = urlsplit(address.removeprefix(base_url) if is_below else address)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    parameters = dict(pairs)
    given = {option for option, value in options.items() if value is not None}
    steps = set(unquote(parts.path).split("/"))
    is_elsewhere = parts.scheme or parts.netloc or parts.fragment or steps & {".", ".."}
    is_key_named = f"{KEY_PARAMETER}=" in unquote(address).casefold()
    has_key = is_key_named or key.redact(name) != name
    is_set_twice = bool((given | {"page"}) & parameters.keys())  # pages are counted here
    if is_elsewhere or has_key or is_set_twice or not parts.path.endswith(".xml"):
        # Without the host, whose user may have a password.
        shown = key.redact(parts.path) if name else path
        if not name or name.isidentifier():
            raise InvalidInputError(
                f"There is no collection {shown!r}.{did_you_mean(name, PATHS)} Choose one of "
                f"{', '.join(PATHS)}, or pass a path, such as '/projects/1/contributors.xml'."
            )
        raise InvalidInputError(
            f"{shown!r} is no path below {base_url} that can be loaded: it must end in .xml, "
            "without a key, another host, a fragment, a step such as '..', a page, or an option that "
            "is given beside it, too.",
            hint="All pages are loaded; max_items= (--max-items) loads less.",
        )
    for parameter, value in pairs:
        if not parameter or not value or len(parameters) < len(pairs):
            raise InvalidInputError(
                f"The parameter {parameter!r} of {parts.path} has no value, or is there twice: the "
                "interface has no such parameters, and the page would be stored as another one.",
                hint="Pass each parameter once, as in '?name=value'.",
            )
    options |= {name: parameters.pop(name) for name in ("query", "sort") if name in parameters}
    quoted = quote("/" + parts.path.lstrip("/"), safe=_SAFE)
    options |= {"resource": UNKNOWN, "numbered": False}
    for known in ALL_RESOURCES.values():
        for template in known.paths:
            if re.fullmatch(_PLACEHOLDER.sub("[^/]+", re.escape(template)), quoted):
                options["resource"] = known
                options["numbered"] = known.paged and not template.endswith("}.xml")
    return Query(path=quoted, parameters=parameters, **options)


def record_query(resource: Resource, identifier: str) -> Query:
    """Return the query to the own page of a record."""
    path = f"/{resource.collection}/{quote(identifier, safe='')}.xml"
    facts = {"id": identifier}
    return Query(resource=resource, path=path, numbered=False, facts=facts)


def recognised(query: Query, page: Page) -> Query:
    """Return a query with the resource and the key that the first page of its path shows."""
    resource = query.resource
    if resource is not UNKNOWN:
        check_records(page, resource.name)
    elif page.record_name:
        resource = resource_named(page.record_name)
    if page.record_name and not resource.fields:
        ids = page.values("id")
        are_distinct = None not in ids and len(set(ids)) == len(ids)
        resource = replace(resource, key="id" if are_distinct else "")
    return replace(query, resource=resource)
