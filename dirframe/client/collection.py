"""Load a query as one frame with its provenance, proven complete or said not to be."""

# Today's live service sends projects in collections without their analysis; only the page of each
# project has it. A record needs its own page if it came without an analysis but with an analysis
# id. If no record of a collection has such an id, nothing shows which projects have an analysis, so
# every record without one needs its page.

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dirframe import provenance
from dirframe.client.paging import (
    Pages,
    Readings,
    Received,
    Walk,
    fetch_ahead,
    ids_of,
    signs_by_id,
)
from dirframe.client.query import (
    better_sort,
    find_order,
    in_order_of_today,
    is_in_order,
    record_path,
)
from dirframe.client.records import Records
from dirframe.errors import (
    AnalysesNotSentWarning,
    IncompleteCollectionError,
    IncompleteWarning,
    NotFoundError,
    QuotaExceededError,
    QuotaWarning,
    ServiceError,
    SortIgnoredWarning,
    warn,
)
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage, Session
    from dirframe.client.query import Options, Policy, ProgressCallback, Query
    from dirframe.schema import Resource

Key = TypeVar("Key")

#: The columns of a project that only its analysis fills.
ANALYSIS_COLUMNS = tuple(
    field.column for field in PROJECT.fields if field.path[0] == "analysis" and len(field.path) > 1
)

_NAMED = 20  # missing records in a message; the provenance lists all of them
_NO_COUNT = 1_000_000  # pages that no directory has: its count of records is wrong


def load_query(
    query: Query, client: Directory, options: Options, first: FetchedPage | None = None
) -> pd.DataFrame:
    """Load a query as a frame with its provenance; `first` is its first page, if fetched already."""
    load = Load(query, client, options)
    load.choose_order(first)
    with (
        progress_of(query.resource.collection, options.progress) as on_page,
        progress_of("own pages", options.progress) as on_own_page,
    ):
        try:
            load.read(on_page, on_own_page)
        except StopIteration:
            load.is_stopped = True
    return load.finish()


class Load:
    """One load: the pages that came, their records, and what is known of them."""

    def __init__(self, query: Query, client: Directory, options: Options) -> None:
        self.asked = self.query = query
        self.client, self.options, self.sample = client, options, query.sample
        self.session = client.session  # a directory that is closed ends its loads
        self.pages = Pages(query.max_items, paged=query.resource.paged)
        self.records = Records(query.resource)
        self.fetched: list[FetchedPage] = []  # without their content
        self.own: dict[Hashable, int] = {}  # row of each record that was read from its own page
        self.refused: dict[str, Refused] = {}
        self.own_pages_left: int | None = None  # not known before the collection was read
        self.is_stopped = False
        self._firsts: dict[str | None, FetchedPage] = {}  # first pages by order
        self._is_quota_checked = False
        self._what = f"{query.resource.collection} of {client.name}"

    # -- reading ---------------------------------------------------------------------------

    def choose_order(self, first: FetchedPage | None) -> None:
        """Choose an order that holds, for a sample or where today's live service has one alone."""
        query = self.query
        if first is not None:
            self._firsts[query.sort] = first
        if self.sample is not None:
            self.query, first = find_order(query, self._first)
            if first is not None:  # it came in the order that was tried last
                self._firsts.popitem()
                self._firsts[self.query.sort] = first
        else:
            self.query = in_order_of_today(query, self.session, self._first)

    def _first(self, query: Query) -> FetchedPage:
        if query.sort not in self._firsts:
            self._firsts[query.sort] = query.get(self.session, 1, self.options.policy())
        return self._firsts[query.sort]

    def _fetch(self, number: int, *, refresh: bool) -> FetchedPage:
        if number == 1 and not refresh and self.query.sort in self._firsts:
            return self._firsts.pop(self.query.sort)
        return self.query.get(self.session, number, self.options.policy(again=refresh))

    def _receive(self, number: int, fetched: FetchedPage) -> Received:
        return received(number, fetched, self.query.resource, self._add(fetched))

    def _add(self, fetched: FetchedPage) -> int:
        row = self.records.rows
        self.records.add(fetched.page)
        self.fetched.append(without_content(fetched))
        return row

    def read(self, on_page: ProgressCallback, on_own_page: ProgressCallback) -> None:
        """Read the pages of the collection, then the own pages of its records."""
        pages, query = self.pages, self.query
        walk = Walk(pages, self._fetch, self._receive, self.client.workers, on_page)
        walk.read([1])
        numbers = pages.missing()
        if self.sample is not None:
            numbers = self.sample.missing(pages)
            walk.total = len(pages.received[0].ids) * (1 + len(numbers))
        more = self._estimated_own_pages() if query.details else 0
        self._check_quota(numbers, partial(query.is_cached, self.session), more)
        if self.sample is not None:
            walk.read(numbers)
        else:
            walk.read_all()
        if query.details:
            self._read_own_pages(on_own_page)

    def _read_own_pages(self, on_own_page: ProgressCallback) -> None:
        """Read the own pages of the records that need one."""
        resource, session = self.query.resource, self.session
        needed = needed_pages(signs_by_id(self._records()))
        self.own_pages_left = len(needed)
        self._check_quota(needed, partial(own_page_is_cached, session, resource))
        fetch = partial(fetch_own_page, session, resource, policy=self.options.policy())
        for identifier, page in fetch_ahead(fetch, needed, self.client.workers):
            if isinstance(page, Refused):
                self.refused[identifier] = page
            else:
                self.own[identifier] = self._add(page)
            self.own_pages_left -= 1
            on_own_page(1, len(needed))

    def _estimated_own_pages(self) -> int:
        """Return how many own pages are needed, judged by the first page."""
        first = self.pages.received[0]
        needed = needed_pages(dict(enumerate(first.signs)))
        records = min(self.pages.expected, self.sample.size if self.sample else math.inf)
        return round(records * len(needed) / max(len(first.ids), 1))

    def _check_quota(
        self, keys: Sequence[Key], is_cached: Callable[[Key], bool], more: int = 0
    ) -> None:
        if not self._is_quota_checked:
            self._is_quota_checked = check_quota(
                self.client, self.options, self._what, keys, is_cached, more=more
            )

    # -- what came -------------------------------------------------------------------------

    def _records(self) -> Readings:
        """Return the page and the position of each record, in order, by its id."""
        pages = self.pages
        if self.sample is not None:
            return self.sample.records(pages)
        if not self.query.resource.key:  # equal records may be different ones
            places = ((page, n) for page in pages.contiguous() for n in range(len(page.ids)))
            found: Readings = {(page.number, n): (page, n) for page, n in places}
        else:
            found = pages.records(every=pages.order_fails())
        return dict(islice(found.items(), pages.max_items))

    def finish(self) -> pd.DataFrame:
        """Return the frame with its provenance; warn or raise if records are missing."""
        query, pages, records = self.query, self.pages, self._records()
        self.session.warn_if_stale(self.fetched)
        frame = frame_of_rows(
            self.records,
            [self.own.get(key, page.source + place) for key, (page, place) in records.items()],
        )
        facts = query.to_provenance()
        if is_in_order(frame, str(facts.get("sort", ""))) is False:
            sort = facts.pop("sort")
            if self.asked.sort or sort != query.sort:
                self._warn_sort_ignored(sort)
        signs = signs_by_id(records)
        not_sent = ANALYSIS_COLUMNS if not query.details and are_left_out(signs.values()) else ()
        lost = {id_: refused.why for id_, refused in self.refused.items() if refused.why}
        kind, reason, is_missing = self._completeness(records, lost)
        refusals = sum(refused.requests for refused in self.refused.values())
        attach_load_provenance(
            frame,
            self.client,
            query.resource,
            self.fetched,
            more_requests=refusals + sum(page.attempts for page in self._firsts.values()),
            query=facts,
            items_available=pages.available,
            completeness=kind,
            incomplete_reason=reason,
            duplicates_removed=pages.repeated() if query.resource.key and not self.sample else 0,
            not_sent=not_sent,
            details=len(self.own),
            details_missing=tuple(lost),
            sample=self.sample.design(pages, query.sort) if self.sample else {},
        )
        if not_sent:
            warn_not_sent(len(frame), len(needed_pages(signs)))
        if is_missing:
            self._tell_missing(frame, str(reason), lost)
        return frame

    def _completeness(
        self, records: Mapping[Hashable, object], lost: Mapping[str, str]
    ) -> tuple[str, str | None, bool]:
        """Return how complete the records are, why they are not proven, and whether any is missing."""
        pages, count = self.pages, len(records)
        if self.sample is not None:
            kind, reason = self.sample.completeness(pages)
        else:
            has_key = bool(self.query.resource.key)
            without_id = sum(not isinstance(key, str) for key in records) if has_key else 0
            kind, reason = pages.completeness(count, without_id)
        missing = self._stop_reason(count)
        if missing is None and kind != "incomplete" and lost:
            missing = f"the own pages of {len(lost):,} records did not come: {list_named(lost)}"
        if missing is not None:
            kind, reason = "incomplete", missing
        is_missing = kind == "incomplete"
        most, available = pages.max_items, pages.available
        if most is not None and (available is None or available > most):
            kind, reason = "incomplete", reason if is_missing else f"capped at max_items={most}"
        return kind, reason, is_missing

    def _stop_reason(self, records: int) -> str | None:
        """Return where a callback stopped the load; None if it did not or all was read."""
        if not self.is_stopped:
            return None
        left = self.own_pages_left
        if left is None and self.query.details:
            left = len(needed_pages(signs_by_id(self._records())))
        if left:
            return f"it was stopped with {left:,} own pages left to ask for"
        if not (self.pages.missing() or self.pages.unfit()):
            return None
        of = f" of {self.pages.expected:,}" if self.pages.expected else ""
        return f"it was stopped after {records:,}{of} records"

    def _warn_sort_ignored(self, sort: str) -> None:
        warn(
            SortIgnoredWarning(
                f"The {self._what} are not sorted by {sort}: the directory ignored it, so provenance "
                "does not state it.",
                sort=sort,
                hint="Sort the frame, or choose another sort (--sort).",
            )
        )

    def _tell_missing(self, frame: pd.DataFrame, why: str, lost: Mapping[str, str]) -> None:
        """Raise or warn that records are not proven complete."""
        query, pages, what = self.query, self.pages, self._what
        accept = 'incomplete="warn" (--incomplete warn) accepts the partial result.'
        facts: dict[str, Any] = {}
        is_short = 0 < len(frame) < pages.expected and self.sample is None
        if self._stop_reason(len(frame)):
            message = f"The load of the {what} is not complete: {why}."
            hint = "The same load again continues from there; pages in the cache cost nothing."
        elif lost:
            message = f"The {what} were loaded, but {why}. Their rows are those of the collection."
            hint = (
                'incomplete="warn" (--incomplete warn) continues without them. The cache remembers '
                "these refusals as long as it keeps pages fresh; refresh=True (--refresh) requests "
                "everything again."
            )
        elif query.resource.key and is_short and pages.order_fails():
            order = (
                f"The order of sort={query.sort!r}" if query.sort else "The directory's own order"
            )
            better = better_sort(query)
            facts = {"order_fails": True, "better_sort": better}
            message = (
                f"The {what} are not complete: {why}. {order} does not hold: records come again on "
                "other pages, and others on none. All that were received are kept; to ask again "
                "does not help."
            )
            hint = "There is no sort that is known to hold instead."
            if better is not None:
                hint = f"sort={better!r} (--sort {better}) holds on today's live service;"
            hint = f"{hint} {accept}"
        else:
            message = (
                f"The {what} could not be proven complete: {why}. The collection probably changed "
                "while it was read."
            )
            hint = (
                "Run the same line again (pages in the cache cost nothing; refresh=True (--refresh) "
                f"asks for all of them), or choose another sort (--sort); {accept}"
            )
        expected = self.sample.size if self.sample else pages.expected
        facts |= {"received": len(frame), "expected": expected or None, "hint": hint}
        raise_or_warn(self.options, frame, message, why=why, details_missing=tuple(lost), **facts)


# -- own pages of records ----------------------------------------------------------------------


@dataclass(frozen=True)
class Refused:
    """A page that did not come, and why; `why` is empty if the project has no analysis."""

    why: str
    requests: int = 1


def fetch_own_page(
    session: Session, resource: Resource, identifier: str, policy: Policy
) -> FetchedPage | Refused:
    """Return the own page of a record, or why it is not available; the cache keeps both."""
    path = record_path(resource, identifier)
    fetched = fetch_or_refusal(session, path, policy, lambda: session.get(path, {}, **policy))
    if isinstance(fetched, Refused):
        return fetched
    ids = ids_of(fetched.page, resource)
    if ids == (identifier,):
        return fetched
    names = ", ".join(map(str, ids[:3])) or "nothing"
    return Refused(f"returned {names}", fetched.attempts)


def fetch_or_refusal(
    session: Session, path: str, policy: Policy, fetch: Callable[[], FetchedPage]
) -> FetchedPage | Refused:
    """Return what is fetched from a path, or why it is refused; the cache remembers that."""
    refresh, offline = policy.get("refresh", False), policy.get("offline", False)
    why = session.get_refusal(path, refresh=refresh, offline=offline)
    if why is not None:
        return Refused(why, requests=0)
    try:
        return fetch()
    except (ServiceError, NotFoundError) as error:
        why = _why_refused(error)
        if why is None:
            raise
        # Without a status, the directory gave no answer about this record.
        if policy.get("store", True) and error.status is not None:
            session.put_refusal(path, why)
        return Refused(why)


def _why_refused(error: NotFoundError | ServiceError) -> str | None:
    """Return why one record is refused; None if the error concerns the whole directory."""
    if isinstance(error, NotFoundError):
        return "gone"
    if error.status == 200 and error.reported is None:
        return ""
    return "refused" if error.status is None or error.status < 500 else None


def own_page_is_cached(session: Session, resource: Resource, identifier: str) -> bool:
    """Return whether the own page of a record, or its refusal, is fresh in the cache."""
    path = record_path(resource, identifier)
    return session.is_cached(path, {}) or session.get_refusal(path) is not None


def needed_pages(signs: Mapping[Key, str]) -> list[Key]:
    """Return the ids of the records that need their own page; `signs` of `Page.signs` are by id."""
    any_named = not {"2", "3"}.isdisjoint(signs.values())
    return [id_ for id_, sign in signs.items() if sign == "2" or (sign == "0" and not any_named)]


def are_left_out(signs: Iterable[str]) -> bool:
    """Return whether records have analyses, but none came with its analysis."""
    kinds = set(signs)
    return "2" in kinds and kinds.isdisjoint({"1", "3"})


def list_named(missing: Mapping[str, str]) -> str:
    """Return the names of what did not come, and why: the first twenty."""
    named = [f"{identifier} ({why})" for identifier, why in missing.items()]
    more = f" and {len(named) - _NAMED:,} more" if len(named) > _NAMED else ""
    return f"{', '.join(named[:_NAMED])}{more}"


# -- what every load says and records ----------------------------------------------------------


def received(number: int, fetched: FetchedPage, resource: Resource, source: Any) -> Received:
    """Return a page as the proof needs it."""
    page, seconds = fetched.page, fetched.retrieved.timestamp()
    counts, ids = (page.items_available, page.first_item_position), ids_of(page, resource)
    return Received(number, *counts, ids, seconds, source, page.signs())


def without_content(fetched: FetchedPage) -> FetchedPage:
    """Return a page without content and records, which take the most memory."""
    return replace(fetched, content=b"", page=replace(fetched.page, records=()))


def frame_of_rows(records: Records, rows: Sequence[int]) -> pd.DataFrame:
    """Return some rows of all records, in their order."""
    return records.frame().iloc[np.array(rows, dtype=np.int64)].reset_index(drop=True)


def check_quota(
    client: Directory,
    options: Options,
    what: str,
    keys: Sequence[Key],
    is_cached: Callable[[Key], bool],
    *,
    more: int = 0,
) -> bool:
    """Warn if the quota does not suffice for pages today, and return whether it was said.

    Raises `QuotaExceededError` if the load would never end. `more` pages are estimated, and count
    as long as any other is missing.
    """
    quota = client.session.quota
    left, limit = quota.remaining(), quota.limit
    if len(keys) + more <= left or len(keys) > _NO_COUNT or options.offline:
        return False
    days = 1 if client.cache_folder is None else max(client.expire_after.days, 1)
    most = left + (days - 1) * limit
    needed = 0
    for key in keys:
        needed += options.refresh or not is_cached(key)
        if needed > most:  # enough to know
            needed = len(keys)
            break
    needed += more if needed else 0
    if needed <= left:
        return False
    text = (
        f"The {what} need about {needed:,} more requests, and {left:,} of {limit:,} are left today"
    )
    if needed > most:
        kept = f"Pages stay fresh for {days:,} days" if days > 1 else "Pages are not kept"
        raise QuotaExceededError(
            f"{text}. {kept}, so this load would never end, and it was not begun.",
            url=client.base_url,
            resets_at=quota.resets_at(),
            hint="dirframe.harvest (dirframe harvest) stores a collection over as many days as it "
            "takes; sample= (--sample-size) draws a part of it.",
        )
    if not left:
        return False  # the next request says so
    calls = math.ceil((needed - left) / limit) + 1
    warn(
        QuotaWarning(
            f"{text}: run the same line on {calls:,} days. Pages that came are kept and cost nothing "
            "again.",
            hint="dirframe.harvest (dirframe harvest) does that, too, and keeps all pages in a "
            "file.",
        )
    )
    return True


def warn_not_sent(records: int, needed: int) -> None:
    """Warn that projects came without their analyses, with the price of these."""
    price = f"for at most {needed:,} {'request' if needed == 1 else 'requests'}"
    warn(
        AnalysesNotSentWarning(
            f"{needed:,} of {records:,} projects have an analysis, but none was sent with it: this "
            "directory sends an analysis only with the own page of its project. The columns of the "
            "analysis are empty for that reason.",
            requests=needed,
            hint=f"details=True (--details) requests these pages, {price}; dirframe.plan(..., "
            "details=True) (dirframe plan projects --details) estimates their number.",
        )
    )


def raise_or_warn(
    options: Options, frame: pd.DataFrame, message: str, *, why: str, **facts: Any
) -> None:
    """Raise or warn that records of a frame are missing, as the options say."""
    if options.incomplete == "raise":
        raise IncompleteCollectionError(message, frame=frame, missing=why, **facts)
    warn(IncompleteWarning(message, **facts))


def attach_load_provenance(
    frame: pd.DataFrame,
    client: Directory,
    resource: Resource,
    pages: Sequence[FetchedPage],
    *,
    more_requests: int = 0,
    **facts: Any,
) -> pd.DataFrame:
    """Record the source, time and cost of a frame in its attributes; return the same frame."""
    times = [page.retrieved.isoformat(timespec="seconds") for page in pages]
    return provenance.set_provenance(
        frame,
        source=client.name,
        base_url=client.base_url,
        resource=resource.name,
        items_loaded=len(frame),
        retrieved_oldest=min(times, default=None),
        retrieved_newest=max(times, default=None),
        requests_made=sum(page.attempts for page in pages) + more_requests,
        requests_cached=sum(page.from_cache for page in pages),
        synthetic=any(page.page.synthetic for page in pages),
        **facts,
    )


@contextmanager
def progress_of(unit: str, shown: bool | ProgressCallback) -> Iterator[ProgressCallback]:
    """Yield what to call with the numbers of further records and of all: a bar, or a callback."""
    loaded, bar = 0, None

    def advance(count: int, total: int) -> None:
        nonlocal loaded, bar
        before, loaded = loaded, loaded + count
        if total:  # a last page may hold more than were asked for
            before, loaded = min(before, total), min(loaded, total)
        if callable(shown):
            shown(loaded, total)
        elif shown:
            if bar is None:
                from tqdm.auto import tqdm

                # None: in notebooks and terminals, but not in a pipe or a log.
                bar = tqdm(total=total or None, unit=f" {unit}", disable=None)
            bar.total = total or None
            bar.update(loaded - before)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.close()
