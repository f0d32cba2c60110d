"""What is asked of a directory: a collection or a path, its order, a random sample of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from numbers import Integral
from random import Random
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import pandas as pd

from dirframe.client.page import check_records
from dirframe.errors import InvalidInputError, NotFoundError, ServiceError
from dirframe.schema import ALL_RESOURCES, PROJECT, UNKNOWN
from dirframe.settings import KEY_PARAMETER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage, Session
    from dirframe.client.page import Page
    from dirframe.schema import Resource

Incomplete = Literal["raise", "warn"]

#: A callback that receives the number of records so far and the total.
ProgressCallback: TypeAlias = "Callable[[int, int], None]"

#: Paths of the collections of a directory, of which there is one each.
PATHS = {r.collection: r.paths[0] for r in ALL_RESOURCES.values() if "{" not in r.paths[0]}

_SAFE = "/!$'()*+,:;=@~%"
_PLACEHOLDER = re.compile(r"\\{\w+\\}")  # a template placeholder after re.escape
_SURROGATE = re.compile("[\ud800-\udfff]")  # cannot be sent

#: How the cache may be used: `refresh`, `offline` and `store`, as `Session.get` takes them.
Policy = dict[str, bool]


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a query is loaded, as the loaders take it."""

    incomplete: Incomplete = "raise"
    refresh: bool = False
    offline: bool = False
    progress: bool | ProgressCallback = False

    def __post_init__(self) -> None:
        if self.incomplete not in get_args(Incomplete):
            raise InvalidInputError(
                f'incomplete is {self.incomplete!r}; it must be "raise" or "warn".'
            )

    def policy(self) -> Policy:
        """Return how the cache may be used."""
        return {"refresh": self.refresh, "offline": self.offline}


@dataclass(frozen=True, kw_only=True)
class Query:
    """A validated query; without a `path`, to the resource's own collection.

    `paged` and `is_single` are None if it is not known whether the path has pages or one record;
    `facts` is recorded in provenance instead of the path, and `sample` is drawn of all records.
    """

    resource: Resource
    query: str | None = None
    sort: str | None = None
    max_items: int | None = None
    sample: Sample | None = None
    details: bool = False
    path: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    paged: bool | None = True
    is_single: bool | None = False
    facts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("query", "sort"):
            value = getattr(self, name)
            if not isinstance(value or "", str) or _SURROGATE.search(value or ""):
                raise InvalidInputError(f"{name} is {value!r}; it must be text, or None.")
        resource, most = self.resource, self.max_items
        allowed = (*resource.sorts, *resource.other_sorts)
        if self.sort is not None and allowed and self.sort not in allowed:
            raise InvalidInputError(
                f"{resource.collection} cannot be sorted by {self.sort!r}; choose one of "
                f"{', '.join(allowed)}."
            )
        if most is not None and not (_is_whole(most) and most >= 1):
            raise InvalidInputError(f"max_items is {most!r}; it must be a whole number from 1.")
        if most is not None and self.sample is not None:
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

    def get(self, session: Session, page: int, policy: Policy) -> FetchedPage:
        """Return a page."""
        return session.get(self.path, self.params(page), **policy)

    def is_cached(self, session: Session, page: int) -> bool:
        """Return whether a page is fresh in the cache."""
        return session.is_cached(self.path, self.params(page))

    def to_provenance(self) -> dict[str, Any]:
        """Return the query as recorded in provenance."""
        is_own = self.path == f"/{self.resource.collection}.xml" and self.paged is True
        facts: dict[str, Any] = dict(self.facts or ({} if is_own else {"path": self.path}))
        facts |= self.parameters
        for name in ("query", "sort", "max_items"):
            facts[name] = getattr(self, name) or facts.get(name)
        facts["details"] = self.details or None
        return {name: value for name, value in facts.items() if value is not None}


def query_at(path: object, client: Directory, **options: Any) -> Query:
    """Return the query to a collection by its name, or to a path below the base URL.

    An absolute URL may begin with the base URL. `InvalidInputError` if it leads to another host or
    outside the base URL, does not end in ``.xml``, or contains a key, a page number, a fragment, or
    an option that is given beside it.
    """
    base_url, key = client.base_url, client.api_key
    address = path.strip() if isinstance(path, str) else ""
    address = PATHS.get(address, address)
    if not address or address.isidentifier():
        raise InvalidInputError(
            f"There is no collection {path!r}; choose one of {', '.join(PATHS)}, or pass a path, such "
            f"as '/{address or 'languages'}.xml' or '/projects/1/contributors.xml'."
        )
    if KEY_PARAMETER in unquote(address).casefold() or key.redact(address) != address:
        raise InvalidInputError(
            "The path holds an api_key, which is sent without that.",
            hint="Pass the path alone.",
        )
    parts = urlsplit(
        address.removeprefix(base_url) if address.startswith(f"{base_url}/") else address
    )
    if parts.scheme or parts.netloc:
        raise InvalidInputError(  # without the address, which may contain a password
            f"The path is an address of {parts.hostname or 'another kind'}, and not below "
            f"{base_url}, the one directory that is asked.",
            hint="Pass a path, such as '/languages.xml', or a Directory of the other address "
            "(--base-url).",
        )
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.fragment or "page" in parameters or {".", ".."} & {*unquote(parts.path).split("/")}:
        raise InvalidInputError(
            f"The path {address!r} has a fragment, a step such as '..', or a page, while all pages are "
            "loaded.",
            hint="Leave that out, and pass max_items= (--max-items) to load less.",
        )
    quoted = quote("/" + parts.path.lstrip("/"), safe=_SAFE)
    if not quoted.endswith(".xml"):
        raise InvalidInputError(
            f"The path {address!r} does not end in .xml, so the directory would answer with a page "
            f"for people; pass {quoted.rstrip('/') + '.xml'!r}."
        )
    if twice := [name for name in parameters if options.get(name) is not None]:
        raise InvalidInputError(
            f"{twice[0]} stands in the path {path!r} and is given beside it, too.",
            hint=f"Leave {twice[0]}= (--{twice[0]}) out.",
        )
    known: dict[str, Any] = {"resource": UNKNOWN, "paged": None, "is_single": None}
    for resource in ALL_RESOURCES.values():
        for template in resource.paths:
            if re.fullmatch(_PLACEHOLDER.sub("[^/]+", re.escape(template)), quoted):
                is_single = template.endswith("}.xml")
                paged = resource.paged and not is_single
                known = {"resource": resource, "paged": paged, "is_single": is_single}
    return Query(path=quoted, parameters=parameters, **known, **options)


def record_path(resource: Resource, identifier: str) -> str:
    """Return the path of a record's own page below the base URL."""
    return f"/{resource.collection}/{quote(identifier, safe='')}.xml"


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


# -- an order that the directory keeps -----------------------------------------------------

#: The one order that today's live service keeps; its others have no tie-break. Accounts have none.
KEPT_TODAY = "project_name"

_SIZE_TODAY = 10  # records on a page of today's live service


def better_sort(query: Query) -> str | None:
    """Return the sort that holds where one of today's live service does not; None if none does."""
    return KEPT_TODAY if query.resource is PROJECT and query.sort != KEPT_TODAY else None


def in_order_of_today(
    query: Query, session: Session, first: Callable[[Query], FetchedPage]
) -> Query:
    """Return a query of all projects in the order that today's live service keeps.

    It is of that service if the first page is moved, not the last one, and without analyses.
    """
    is_whole = query.path == "/projects.xml" and query.max_items is None
    if not is_whole or "sort" in query.params(1):
        return query
    page = first(query).page
    is_of_today = session.is_moved(query.path) and len(page.records) == _SIZE_TODAY
    if not is_of_today or _is_last(page) or {"1", "3"} & set(page.signs()):
        return query
    return replace(query, sort=KEPT_TODAY)


def find_order(
    query: Query, fetch: Callable[[Query], FetchedPage]
) -> tuple[Query, FetchedPage | None]:
    """Return the query in an order that the directory keeps, and its first page if it came.

    Without a sort of its own these are ids, then names of projects, as the first page shows. `fetch`
    returns a first page.
    """
    sorts = ["id", KEPT_TODAY] if query.resource is PROJECT else ["id"]
    for sort in sorts if query.sort is None else ():
        try:
            first = fetch(replace(query, sort=sort))
        except (NotFoundError, ServiceError) as error:
            if (error.status or 0) >= 500:  # not about the order
                raise
            continue
        page = first.page
        check_records(page, query.resource.name)
        shown = pd.DataFrame({name: page.values(name) for name in ("id", "name")})
        if is_in_order(shown, sort):
            return replace(query, sort=sort), first
        if _is_last(page) or sort != "id":  # taken for ignored: this page is the directory's own
            return query, first
    return query, None


def _is_last(page: Page) -> bool:
    return page.items_available is not None and page.items_available <= len(page.records)


_FEWEST = 3  # values that show an order

#: The columns that show whether an order was kept.
_COLUMNS = {
    **{name: name for name in ("id", "name", "created_at", "updated_at", "stack_count")},
    "project_name": "name",
    "new": "created_at",
}


def is_in_order(frame: pd.DataFrame, sort: str) -> bool | None:
    """Return whether nine of ten neighbours are in the order of a sort value.

    None if they cannot show it. Names are compared without case, with and without signs, which
    databases may leave out.
    """
    column = _COLUMNS.get(sort.removesuffix("_reverse"), "")
    descends = sort.endswith("_reverse") or sort == "new"
    values: list[Any] = frame[column].dropna().tolist() if column in frame else []
    if len(values) < _FEWEST:
        return None
    if descends:
        values.reverse()
    forms, most = [values], (len(values) - 1) // 10
    if column == "id" and all(map(str.isdecimal, values)):
        forms = [[*map(int, values)]]
    elif column == "name":
        most = len(values) // 10  # of a page of ten, one pair that a database compares otherwise
        folded = [text.casefold() for text in values]
        forms += [folded, ["".join(filter(str.isalnum, text)) for text in folded]]
    return any(sum(a > b for a, b in pairwise(form)) <= most for form in forms)


# -- a random sample --------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """So many positions of a collection, drawn without replacement; its first page says of how many."""

    size: int
    seed: int

    def __post_init__(self) -> None:
        for argument, value, least in (("sample", self.size, 1), ("seed", self.seed, 0)):
            if type(value) is not int or value < least:
                raise InvalidInputError(
                    f"{argument} is {value!r}; it must be a whole number from {least}."
                )

    def positions(self, population: int) -> list[int]:
        """Return the positions that are drawn, from 0, in ascending order."""
        # Only Random.random gives the same numbers in every version of Python.
        chance, drawn = Random(self.seed), set[int]()  # noqa: S311  # no secret
        while len(drawn) < min(self.size, population):
            drawn.add(int(chance.random() * population))
        return sorted(drawn)

    def pages(self, population: int, page_size: int) -> list[int]:
        """Return the numbers of the pages that hold these positions, and of the first one."""
        return sorted({1, *(place // page_size + 1 for place in self.positions(population))})


def sample_of(size: int | None, seed: int) -> Sample | None:
    """Return the sample of these options; None if none is asked for."""
    return None if size is None else Sample(size, seed)
