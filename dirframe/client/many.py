"""Load a collection of each of many owners, such as projects, as one tidy frame."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import quote

import pandas as pd

from dirframe import provenance
from dirframe._display import did_you_mean, quantity
from dirframe.client import messages
from dirframe.client.budget import check_quota
from dirframe.client.directory import Directory, open_directory, session_of
from dirframe.client.load import (
    Options,
    Rows,
    add_rows,
    cost_of,
    load_query,
    raise_or_warn,
    warn_if_stale,
)
from dirframe.client.lookup import names_of
from dirframe.client.paging.fetch import (
    MAX_NOT_FOUND,
    Failure,
    Fetcher,
    Patience,
    Reason,
    fetch_ahead,
)
from dirframe.client.paging.ids import is_id
from dirframe.client.paging.pages import Pages
from dirframe.client.paging.proof import Completeness
from dirframe.client.paging.query import Query
from dirframe.client.paging.read_by_ids import NamedIds, fetch_first_page, is_todays_answer
from dirframe.client.paging.received import Arrival, Receipt, Received, receipt_of
from dirframe.client.paging.walk import Walk
from dirframe.client.progress import ProgressCallback, progress_of
from dirframe.errors import CacheError, DirframeError, InvalidInputError, RequestError
from dirframe.schema import ALL_RESOURCES, COLLECTIONS, PROJECT, Resource
from dirframe.settings import shown_value

#: One owner of a collection, such as a project, by id or short name; or many.
Owners: TypeAlias = str | int | Iterable[str | int] | pd.DataFrame

_NOT_ASKED = "not asked for"


def owned_collection(name: object) -> Resource:
    """Return the collection of a name, of which each of its owners has one."""
    text = name.strip() if isinstance(name, str) else ""
    collection = COLLECTIONS.get(text)
    if collection is not None and collection.owner:
        return collection
    if "/" in text or text.endswith(".xml"):
        raise InvalidInputError(
            "A path names whose collection it is, and of= (--of) does the same for a name.",
            hint='Leave of= out, or pass a name, such as load("enlistments", of=projects).',
        )
    names = [name for name, resource in COLLECTIONS.items() if resource.owner]
    raise InvalidInputError(
        f"{shown_value(name)} is no collection that belongs to projects, accounts or organizations."
        f"{did_you_mean(text, names)} Choose one of {', '.join(names)}."
    )


def check_is_unowned(name: object) -> None:
    """Raise if a name is that of a collection whose owner has to be named."""
    collection = COLLECTIONS.get(name.strip()) if isinstance(name, str) else None
    if collection is None or not collection.owner:
        return
    owner = owner_of(collection)
    many = f"{owner.owner_word}s"
    raise InvalidInputError(
        f"{collection.collection} belong to {many}: name one or several in of= (--of).",
        hint=f'As in load("{collection.collection}", of={many}): ids, short names, or a frame.',
    )


def owner_of(collection: Resource) -> Resource:
    """Return the resource whose records own a collection."""
    return ALL_RESOURCES[collection.owner]


def queries_of(collection: Resource, of: Any, **options: Any) -> list[Query]:
    """Return the queries to a collection of its owners, by their ids or names, each once."""
    owner = owner_of(collection)
    path = partial(collection.paths[0].format, analysis="latest")
    return [
        Query(
            resource=ALL_RESOURCES[collection.name],
            path=path(**{owner.name: quote(name, safe="")}),
            numbered=collection.paged,
            facts={owner.owner_word: name},
            **options,
        )
        for name in names_of(of, owner)
    ]


def with_owners(frame: pd.DataFrame, column: str, owners: list[str]) -> pd.DataFrame:
    """Return a frame whose first column has the owner of each row, as it was named."""
    if column in frame:  # the id of one that was named otherwise
        frame = frame.rename(columns={column: f"{column}_sent"})
    frame.insert(0, column, pd.Series(owners, index=frame.index, dtype="str"))
    return frame


def load_of(
    name: str, of: Owners, directory: Directory | None, options: Options, **asked: Any
) -> pd.DataFrame:
    """Load a collection of one owner, or of each of many."""
    collection = owned_collection(name)
    queries = queries_of(collection, of, **asked)
    with open_directory(directory) as client:
        if pd.api.types.is_list_like(of):
            return _load_many(queries, collection, client, options)
        return _load_one(queries[0], collection, client, options)


def _load_one(
    query: Query, collection: Resource, client: Directory, options: Options
) -> pd.DataFrame:
    """Load a collection of one owner, who is named in the first column."""
    owner = str(*query.facts.values())
    column = owner_of(collection).owner_column
    try:
        frame = load_query(query, client, options)
    except DirframeError as error:
        part = getattr(error, "frame", None)
        if part is not None:
            error.frame = _of_one(part, column, owner)  # type: ignore[attr-defined]  # it has one
        raise
    return _of_one(frame, column, owner)


def _of_one(frame: pd.DataFrame, column: str, owner: str) -> pd.DataFrame:
    """Return the records of one owner, whose column counts as sent, as it does with many owners."""
    frame = with_owners(frame, column, [owner] * len(frame))
    return provenance.set_provenance(frame, sent=provenance.columns_with_values(frame))


class _One:
    """The walk over the collection of one owner, and the pages that it received."""

    def __init__(self, query: Query, fetcher: Fetcher) -> None:
        self.owner = _owner_in(query)
        self.received = Received(query)
        self.arrivals: list[Arrival] = []
        self._walk = Walk(self.received, fetcher, workers=1, believes_refusals=True)

    def begin(self) -> _One:
        """Read the first page; what has failed is in `received`."""
        with suppress(RequestError, CacheError):
            self.arrivals += self._walk.begin()
        return self

    def read(self) -> _One:
        """Read all pages; what has failed is in `received`."""
        return self._read(self._walk.read_all)

    def read_known(self) -> _One:
        """Read the pages that are in the cache; what has failed is in `received`."""
        return self._read(self._walk.read_known)

    def _read(self, further_pages: Callable[[], Iterator[Arrival]]) -> _One:
        if not self.is_read:
            self.begin()
        if self.received.refusal is None and self.received.failure is None:
            with suppress(RequestError, CacheError):
                self.arrivals += further_pages()
        return self

    def count_missing(self) -> int:
        """Return the number of pages that are to be requested, as far as the first page shows."""
        part = self.received.part
        if not isinstance(part, Pages):
            return 0
        return sum(not self._walk.is_page_known(number) for number in part.missing())

    @property
    def is_read(self) -> bool:
        """Whether anything was asked for."""
        return bool(self.received.receipts)

    def is_known(self) -> bool:
        """Return whether its first page comes from the cache."""
        return self._walk.is_page_known(1)


class _Table:
    """The records of the owners that were read, and why those of others are missing."""

    def __init__(self, queries: list[Query], column: str) -> None:
        self.column = column
        self.rows = Rows(queries[0])
        self.numbers: list[int] = []  # of rows
        self.owners: list[str] = []  # of each row
        self.failures: dict[str, str] = {}
        self.without_analysis: set[str] = set()
        self.read_owners: set[str] = set()
        self.receipts: list[Receipt] = []
        self.to_come: set[str] = set()  # owners that may come later
        self.not_found: dict[str, tuple[Query, Failure]] = {}  # by owner, bare 404s
        self.is_counted = False
        self.is_capped = False

    def add(self, one: _One, client: Directory) -> None:
        """Add the records of an owner."""
        received = one.received
        self.read_owners.add(one.owner)
        self.receipts += received.receipts
        if received.refusal is not None:
            if received.refusal.reason is Reason.NO_ANALYSIS:
                self.without_analysis.add(one.owner)
            self.failures[one.owner] = messages.answer_words(received.refusal)
            return
        for arrival in one.arrivals:
            add_rows(self.rows, arrival, client)
        one.arrivals.clear()  # of all owners they would be large
        for page, index in received.readings():
            self.numbers.append(self.rows.row(page, index))
            self.owners.append(one.owner)
        failure = received.failure
        if not received.part.newest_versions() and failure is not None:
            self.failures[one.owner] = messages.failure_words(failure)
            self.to_come.add(one.owner)
            if failure.is_bare_404:
                self.not_found[one.owner] = received.query, failure
            return
        summary = messages.summarize(received)
        self.is_capped |= summary.is_capped
        self.is_counted |= summary.completeness is Completeness.COUNTED
        if summary.completeness is Completeness.INCOMPLETE and not summary.is_capped:
            self.failures[one.owner] = str(summary.reason)
            self.to_come.add(one.owner)

    def add_begun(self, owners: Iterable[_One], client: Directory) -> None:
        """Add the records of the other owners of whom pages were received."""
        for one in owners:
            if one.is_read and one.owner not in self.read_owners:
                self.add(one, client)

    def frame(self) -> pd.DataFrame:
        """Return the records, in the order in which the owners were read."""
        frame = self.rows.records.frame(self.numbers)
        return with_owners(frame, self.column, self.owners)


def _owner_in(query: Query) -> str:
    """Return the owner of the collection of a query, as it was named."""
    (owner,) = query.facts.values()
    return str(owner)


def _load_many(
    queries: list[Query], collection: Resource, client: Directory, options: Options
) -> pd.DataFrame:
    """Load queries to the same collection of several owners as one tidy frame."""
    owner = owner_of(collection)
    nouns = collection.collection.replace("_", " ")
    what = f"{nouns} of {quantity(len(queries), owner.owner_word)} of {client.name}"
    fetcher = Fetcher(session_of(client), options.cache)
    check = partial(check_quota, client, options.cache, what, accepts_parts=options.accepts_parts)
    table = _Table(queries, owner.owner_column)
    owners = [_One(query, fetcher) for query in queries]
    needed = sum(not one.is_known() for one in owners)
    check(needed)
    try:
        with (
            progress_of(f"{owner.owner_word}s", options.progress) as on_owner,
            suppress(StopIteration),  # of a callback
        ):
            if collection.paged and needed <= client.quota().left:
                _begin_all(owners, client, on_owner)
                check(sum(one.count_missing() for one in owners))
            _read_all(owners, table, client, options, on_owner=on_owner)
        table.add_begun(owners, client)
        if owner is PROJECT:
            _look_up(table, fetcher)
    except (CacheError, RequestError) as error:
        table.add_begun(owners, client)
        if table.owners:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                error.frame = _described(table, queries, client)[0]
        raise
    frame, reason = _described(table, queries, client)
    warn_if_stale(client, table.receipts)
    if reason is not None:
        message = f"The {what} are not complete: {reason}."
        may_come_later = bool(table.to_come)
        advice = messages.advice_on_failures(may_come_later=may_come_later)
        raise_or_warn(options, frame, message, reason, advice, retry_helps=may_come_later)
    return frame


def _look_up(table: _Table, fetcher: Fetcher) -> None:
    """Ask by ids for projects whose collection is a bare 404; those that are not sent are gone."""
    ids = [owner for owner in table.not_found if is_id(owner)]
    if not ids:
        return
    first = fetch_first_page(fetcher)
    table.receipts.append(receipt_of(first))
    if not is_todays_answer(first):
        return
    by_ids = NamedIds(fetcher.refreshed())
    try:
        by_ids.look_up(ids)
    finally:
        table.receipts += by_ids.receipts
    for owner in by_ids.gone:
        refusal = fetcher.remember_gone(*table.not_found[owner])
        table.failures[owner] = messages.answer_words(refusal)
        table.to_come.discard(owner)


def _described(
    table: _Table, queries: list[Query], client: Directory
) -> tuple[pd.DataFrame, str | None]:
    """Return the frame with its provenance, and why owners are missing."""
    frame = table.frame()
    for query in queries:
        owner = _owner_in(query)
        if owner not in table.read_owners:
            table.failures[owner] = _NOT_ASKED
            table.to_come.add(owner)
    lost = {name: why for name, why in table.failures.items() if name not in table.without_analysis}
    reason = f"{messages.list_named(lost)} could not be loaded" if lost else None
    (word,) = queries[0].facts
    query = replace(queries[0], facts={f"{word}s": len(queries)})
    cap = f"capped at max_items={query.max_items}" if table.is_capped else None
    completeness = Completeness.COUNTED if table.is_counted else Completeness.PROVEN
    if reason or cap:
        completeness = Completeness.INCOMPLETE
    provenance.set_provenance(
        frame,
        source=client.name,
        base_url=client.base_url,
        resource=query.resource.name,
        query=query.to_provenance(),
        items_loaded=len(frame),
        completeness=completeness.value,
        incomplete_reason=reason or cap,
        failures=table.failures,
        sent=provenance.columns_with_values(frame),
        **cost_of(table.receipts),
    )
    return frame, reason


def _begin_all(owners: list[_One], client: Directory, on_owner: ProgressCallback) -> None:
    """Read the first page of each owner, which shows how many others there are."""
    patience = Patience(most_not_found=MAX_NOT_FOUND)

    def ends(one: _One) -> bool:
        return patience.ends(one.received.failure)

    results = fetch_ahead(_One.begin, owners, client.workers, ends, session_of(client))
    with closing(results):
        for _ in results:
            on_owner(0, len(owners))


def _read_all(
    owners: list[_One],
    table: _Table,
    client: Directory,
    options: Options,
    *,
    on_owner: ProgressCallback,
) -> None:
    """Read each owner in order; after an end that is accepted, what else is in the cache."""
    patience = Patience(most_not_found=MAX_NOT_FOUND)

    def ends(one: _One) -> bool:
        patience.ends(one.received.failure)
        return patience.ending is not None

    # After an end among the first pages no others are requested.
    begun = [one for one in owners if one.is_read]
    results = fetch_ahead(_One.read, begun or owners, client.workers, ends, session_of(client))
    with closing(results):
        for _, one in results:
            table.add(one, client)
            failure = one.received.failure
            if failure is None or failure.is_of_one_page:
                on_owner(1, len(owners))
    ending = patience.ending
    if ending is None:
        return
    if not options.accepts_parts or not ending.may_come_later:
        raise ending.error
    for one in owners:
        if one.owner not in table.read_owners and (one.is_read or one.is_known()):
            table.add(one.read_known(), client)
