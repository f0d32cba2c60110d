"""What is asked of a directory: a collection or a path, in an order that holds, or a sample of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from numbers import Integral
from random import Random
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import pandas as pd

from dirframe._display import did_you_mean
from dirframe.client.directory import Directory
from dirframe.client.http.adapter import FetchedPage
from dirframe.client.http.session import Session
from dirframe.client.page import Page, check_records
from dirframe.errors import InvalidInputError
from dirframe.schema import ALL_RESOURCES, PROJECT, UNKNOWN, Resource, resource_named
from dirframe.settings import KEY_PARAMETER

Incomplete = Literal["raise", "warn"]

#: A callback that receives the number of records so far and the total.
ProgressCallback: TypeAlias = "Callable[[int, int], None]"

#: Paths of the collections of a directory, of which there is one each.
PATHS = {r.collection: r.paths[0] for r in ALL_RESOURCES.values() if "{" not in r.paths[0]}

_SAFE = "/!$'()*+,:;=@~%"
_PLACEHOLDER = re.compile(r"\\{\w+\\}")  # a template placeholder after re.escape
_SURROGATE = re.compile("[\ud800-\udfff]")  # cannot be sent


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a query is loaded, as the loaders take it; `store` is whether the cache stores pages."""

    incomplete: Incomplete = "raise"
    refresh: bool = False
    offline: bool = False
    progress: bool | ProgressCallback = False
    store: bool = True

    def __post_init__(self) -> None:
        if self.incomplete not in get_args(Incomplete):
            raise InvalidInputError(
                f'incomplete is {self.incomplete!r}; it must be "raise" or "warn".'
            )


@dataclass(frozen=True, kw_only=True)
class Query:
    """A validated query; without a `path`, to the resource's own collection.

    `sample` positions are drawn by `seed` of all records. `numbered` is whether the first page is
    asked for by its number: what has no pages may be one record. `facts` is recorded in provenance
    instead of the path.
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

    def __post_init__(self) -> None:
        for name in ("query", "sort"):
            text = getattr(self, name)
            is_text = isinstance(text, str) and text.strip() and not _SURROGATE.search(text)
            if text is not None and not is_text:
                raise InvalidInputError(
                    f"{name} is {text!r}; it must be text that is not empty.",
                    hint=f"Leave {name}= (--{name}) out for all records.",
                )
        for name, least in (("max_items", 1), ("sample", 1), ("seed", 0)):
            value: Any = getattr(self, name)
            if value is None and name != "seed":
                continue
            if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
                raise InvalidInputError(
                    f"{name} is {value!r}; it must be a whole number from {least}."
                )
            object.__setattr__(self, name, int(value))
        resource = self.resource
        allowed = (*resource.sorts, *resource.other_sorts)
        if self.sort is not None and allowed and self.sort not in allowed:
            raise InvalidInputError(
                f"{resource.collection} cannot be sorted by {self.sort!r}; choose one of "
                f"{', '.join(allowed)}."
            )
        if self.max_items is not None and self.sample is not None:
            raise InvalidInputError(
                "A sample is of the whole collection, and max_items (--max-items) takes the first "
                "records of it. Leave one of them out."
            )
        if self.details and resource is not PROJECT:
            raise InvalidInputError(
                f"Details are the own page of each project; {resource.collection} has none.",
                hint="Leave details= (--details) out.",
            )
        object.__setattr__(self, "path", self.path or f"/{resource.collection}.xml")

    def params(self, page: int = 1) -> dict[str, str]:
        """Return the query parameters of a page; page numbers start at 1."""
        number = str(page) if page > 1 or self.numbered else None
        asked = {**self.parameters, "query": self.query, "sort": self.sort, "page": number}
        return {name: value for name, value in asked.items() if value}

    def get(self, session: Session, options: Options, page: int = 1) -> FetchedPage:
        """Return a page."""
        use = {name: getattr(options, name) for name in ("refresh", "offline", "store")}
        return session.get(self.path, self.params(page), **use)

    def is_known(self, session: Session, page: int = 1, *, offline: bool = False) -> bool:
        """Return whether a page, or that it is refused, comes from the cache: offline of any age."""
        path, params = self.path, self.params(page)
        if session.is_cached(path, params, of_any_age=offline):
            return True
        return session.get_refusal(session.address(path, params), offline=offline) is not None

    def drawn(self, population: int | None, size: int) -> dict[int, list[int]]:
        """Return the numbers of the first page, and of those that hold the sample: at which places."""
        if population is None:
            raise InvalidInputError(
                "No sample can be drawn: the directory does not state how many records it has "
                "(items_available)."
            )
        # Only Random.random gives the same numbers in every version of Python.
        chance, positions = Random(self.seed), set[int]()  # noqa: S311  # no secret
        while len(positions) < min(self.sample or 0, population):
            positions.add(int(chance.random() * population))
        drawn: dict[int, list[int]] = {1: []}
        for position in sorted(positions):
            drawn.setdefault(position // size + 1, []).append(position % size)
        return drawn

    def to_provenance(self) -> dict[str, Any]:
        """Return the query as recorded in provenance."""
        is_own = self.path == f"/{self.resource.collection}.xml" and self.numbered
        facts: dict[str, Any] = dict(self.facts or ({} if is_own else {"path": self.path}))
        facts |= self.parameters
        facts |= {name: getattr(self, name) for name in ("query", "sort", "max_items", "details")}
        return {name: value for name, value in facts.items() if value}


def query_at(path: object, client: Directory, **options: Any) -> Query:
    """Return the query to a collection by its name, or to a path or URL below the base URL."""
    name = path.strip() if isinstance(path, str) else ""
    address = PATHS.get(name, name)
    is_below = address.startswith(f"{client.base_url}/")
    parts = urlsplit(address.removeprefix(client.base_url) if is_below else address)
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    given = {"page", *(name for name, value in options.items() if value is not None)}
    steps = {*unquote(parts.path).split("/")}
    is_elsewhere = parts.scheme or parts.netloc or parts.fragment or steps & {".", ".."}
    is_key_named = f"{KEY_PARAMETER}=" in unquote(address).casefold()
    has_key = is_key_named or client.api_key.redact(name) != name
    if is_elsewhere or has_key or given & parameters.keys() or not parts.path.endswith(".xml"):
        # Without the host, whose user may have a password.
        shown = client.api_key.redact(parts.path) if name else path
        if not name or name.isidentifier():
            raise InvalidInputError(
                f"There is no collection {shown!r}.{did_you_mean(name, PATHS)} Choose one of "
                f"{', '.join(PATHS)}, or pass a path, such as '/projects/1/contributors.xml'."
            )
        raise InvalidInputError(
            f"{shown!r} is no path below {client.base_url} that can be loaded: it must end in .xml, "
            "without a key, another host, a fragment, a step such as '..', a page, or an option that "
            "is given beside it, too.",
            hint="All pages are loaded; max_items= (--max-items) loads less.",
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


# -- an order that the directory keeps -----------------------------------------------------

#: The one order that today's live service keeps; its others have no tie-break. Accounts have none.
KEPT_TODAY = "project_name"


def better_sort(query: Query) -> str | None:
    """Return the sort that holds where one of today's live service does not; None if none does."""
    return KEPT_TODAY if query.resource is PROJECT and query.sort != KEPT_TODAY else None


def is_last(page: Page) -> bool:
    """Return whether a first page is the only one."""
    return page.items_available is not None and page.items_available <= len(page.records)


_FEWEST = 3  # values that show an order

#: The columns that show whether an order was kept.
_COLUMNS = {
    **{name: name for name in ("id", "name", "created_at", "updated_at", "stack_count")},
    "project_name": "name",
    "new": "created_at",
}


def is_in_order(columns: pd.DataFrame | Mapping[str, Any], sort: str) -> bool | None:
    """Return whether nine of ten neighbours are in the order of a sort value.

    None if they cannot show it. Names are compared without case, with and without signs, which
    databases may leave out.
    """
    column = _COLUMNS.get(sort.removesuffix("_reverse"), "")
    values: list[Any] = pd.Series(columns.get(column, [])).dropna().tolist()
    if len(values) < _FEWEST:
        return None
    if sort.endswith("_reverse") or sort == "new":
        values.reverse()
    forms, most = [values], (len(values) - 1) // 10
    if column == "id" and all(map(str.isdecimal, values)):
        forms = [[*map(int, values)]]
    elif column == "name":
        most = len(values) // 10  # of a page of ten, one pair that a database compares otherwise
        folded = [text.casefold() for text in values]
        forms += [folded, ["".join(filter(str.isalnum, text)) for text in folded]]
    return any(sum(a > b for a, b in pairwise(form)) <= most for form in forms)
