"""The pages of a query that came: which are missing, their records, and what they prove."""

# A collection is proven complete if its pages follow each other from the first position to the last,
# all of one day and with the same ``items_available``, and hold as many different ids. Records may be
# added, removed or moved meanwhile, and a sort without a tie-break repeats some and leaves out others.
# Pages of several days prove nothing: they are counted. If the count is a multiple of the page size,
# one page more is requested: only an empty one behind the last shows that the count was not too low.
#
# Where the collection changed, a record may move over the edge between two pages that are read before
# and after it. None that was there all the time is skipped where two pages that follow each other have
# a record in common, or were read on one day with no other count between them: such pages are linked.
#
# Today's live service sends an analysis only with the own page of its project. A record needs that if
# it came without its analysis, but with an analysis id; or without both, if no record has such an id.

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from itertools import chain, pairwise
from typing import Any, TypeAlias, TypeVar

from dirframe.client.page import Page, check_records
from dirframe.client.query import Query, better_sort
from dirframe.errors import (
    QuotaExceededError,
    RequestError,
    ServiceError,
    UnreadableResponseError,
)
from dirframe.schema import PROJECT, Resource

Key = TypeVar("Key")

#: All page sizes that are known are multiples; a single page of another length is the last one.
PAGE_SIZE_STEP = 5

MOST_PAGES = 1_000_000  # of more, the count of records is wrong
_FEW = 5  # more pages, or a tenth of all, are not requested again because they are of earlier days
_CHEAP = 12  # so many are requested again even if their order seems not to hold

#: The columns of a project that only its analysis fills.
ANALYSIS_COLUMNS = tuple(
    field.column for field in PROJECT.fields if field.path[0] == "analysis" and len(field.path) > 1
)

_NAMED = 20  # missing records in a message; the provenance lists all of them


@dataclass(slots=True, eq=False, kw_only=True)
class ReceivedPage:
    """A page as it came, without its content; or why it was refused, or failed."""

    number: int | None = None  # 0: in an order that is not used; None: the own page of a record
    record: str | None = None  # the id of that record
    sort: str | None = None
    retrieved: datetime = field(default_factory=partial(datetime.now, UTC))
    attempts: int = 1  # 0: from the cache
    available: int | None = None
    first: int | None = None
    ids: tuple[str | None, ...] = ()
    signs: str = ""  # of the records, as `Page.signs`
    synthetic: bool = False
    refusal: str | None = None  # empty: the project has no analysis
    error: RequestError | None = None  # it failed so; neither cache nor archive remembers that
    source: Any = None  # where the records are: as fetched, then a row, or a place in an archive


#: Of each record, by its id, the page that it is read from and its position there, in order.
Readings: TypeAlias = "dict[Hashable, tuple[ReceivedPage, int]]"


def ids_of(page: Page, resource: Resource) -> tuple[str | None, ...]:
    """Return the ids of the records of a page; of a resource without a key, digests of them."""
    check_records(page, resource.name)
    return page.values(resource.key) if resource.key else page.digests()


def why_failed(error: RequestError) -> str:
    """Return why a page did not come that may come another time."""
    if isinstance(error, QuotaExceededError):
        return "not asked for"
    if isinstance(error, UnreadableResponseError):
        return f"unreadable, status {error.status}" if error.status else "unreadable"
    return f"status {error.status}" if error.status else "no response"


def is_of_one_page(error: RequestError) -> bool:
    """Return whether an error says nothing about other pages."""
    return isinstance(error, ServiceError | UnreadableResponseError)


def needed_pages(signs: Mapping[Key, str]) -> list[Key]:
    """Return the ids of the records that need their own page; `signs` as of `Page.signs`, by id."""
    any_named = not {"2", "3"}.isdisjoint(signs.values())
    return [id_ for id_, sign in signs.items() if sign == "2" or (sign == "0" and not any_named)]


def are_left_out(signs: Iterable[str]) -> bool:
    """Return whether records have analyses, but none came with its analysis."""
    kinds = set(signs)
    return "2" in kinds and kinds.isdisjoint({"1", "3"})


def list_named(missing: Mapping[str, str]) -> str:
    """Return the names of what did not come, the first twenty for each reason."""
    parts = []
    for why in dict.fromkeys(missing.values()):
        names = [name for name, other in missing.items() if other == why]
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        parts.append(f"{', '.join(names[:_NAMED])}{more} ({why})")
    return ", ".join(parts)


def cost_of(pages: Sequence[ReceivedPage]) -> dict[str, Any]:
    """Return when pages came and what they cost, as the provenance says it."""
    times = [p.retrieved.isoformat(timespec="seconds") for p in pages if p.refusal is None]
    return {
        "retrieved_oldest": min(times, default=None),
        "retrieved_newest": max(times, default=None),
        "requests_made": sum(page.attempts for page in pages),
        "requests_cached": sum(not page.attempts and page.refusal is None for page in pages),
        "synthetic": any(page.synthetic for page in pages),
    }


class Pages:
    """The pages of a query that came; `counts_all` is whether every record that ever came counts."""

    def __init__(self, query: Query, *, counts_all: bool = False) -> None:
        self.query, self.counts_all = query, counts_all
        self.is_sort_asked = query.sort is not None
        self.received: list[ReceivedPage] = []  # in the order of arrival, also those that failed
        self.latest: dict[int, ReceivedPage] = {}  # by their numbers
        self.own: dict[Hashable, ReceivedPage] = {}  # of records, also those refused or failed
        self.error: RequestError | None = None  # of the newest page that failed
        self._drawn: dict[int, list[int]] = {}  # of a sample: places on its pages
        self._confirmed: set[int] = set()  # pages that came again as they were
        self._judgement: tuple[Readings, str | None] | None = None

    def add(self, page: ReceivedPage) -> None:
        """Add a page; it replaces an earlier version. A refused one has no records: it is the end."""
        self.received.append(page)
        self.error, self._judgement = page.error or self.error, None
        if page.number is None:
            # An error of another kind ends the reading: the page is still to be asked for.
            if page.error is None or is_of_one_page(page.error):
                self.own[page.record] = page
        elif page.number and page.error is None:
            before = self.latest.get(page.number)
            is_same = before and (before.ids, before.available) == (page.ids, page.available)
            if page.refusal is not None or (is_same and page.available is not None):
                self._confirmed.add(page.number)
            self.latest[page.number] = page
            if page.number == 1 and self.query.sample:
                self._drawn = self.query.drawn(page.available, len(page.ids) or 1)

    # -- which pages are missing -----------------------------------------------------------

    @property
    def available(self) -> int | None:
        """The number of records according to the newest page; of a sample, to the first one."""
        came = [*self.latest.values()]  # a copy: another thread may add one
        pages = came[:1] if self.query.sample else came
        counted = [page for page in pages if page.available is not None]
        return max(counted, key=lambda page: page.retrieved).available if counted else None

    @property
    def expected(self) -> int | None:
        """The number of records to expect; None if it is not known."""
        counts = (self.available, self.query.sample, self.query.max_items)
        return min((count for count in counts if count is not None), default=None)

    @property
    def total(self) -> int:
        """The number of records on all pages to read; 0 if it is not known."""
        return len(self._drawn) * len(self.latest[1].ids) if self._drawn else self.expected or 0

    def _used(self) -> list[ReceivedPage]:
        """Return the pages from the first one to the end, to a missing one, or to `max_items`."""
        if self.query.sample:
            return [self.latest[number] for number in self._drawn if number in self.latest]
        used: list[ReceivedPage] = []
        covered, most = 0, self.query.max_items or math.inf
        while covered < most and (page := self.latest.get(len(used) + 1)) and not self.is_end(page):
            used.append(page)
            covered += len(page.ids)
        return used

    def is_end(self, page: ReceivedPage) -> bool:
        """Return whether a page is behind the last one: empty, or the first or the one before again.

        On another day, the same records on a later page show that others were added before them.
        """
        number, day = page.number or 0, page.retrieved.date()
        before = [self.latest[n] for n in (1, number - 1) if n in self.latest and n < number]
        return not page.ids or any(
            other.retrieved.date() == day and all(one in other.ids for one in page.ids)
            for other in before
        )

    def may_end_at(self, number: int) -> bool:
        """Return whether there may be no page of a number, as only behind all others."""
        if number in self.latest or self.available is None or self.query.sample:
            return False
        return sum(len(page.ids) for page in self._used()) >= (self.expected or 0)

    def missing(self) -> list[int]:
        """Return the numbers of the pages that were not read yet and may hold expected records."""
        if 1 not in self.latest:
            return [1]
        if self.query.sample:
            return [number for number in self._drawn if number not in self.latest]
        used, size = self._used(), len(self.latest[1].ids)
        after, covered = len(used) + 1, sum(len(page.ids) for page in used)
        is_enough = covered >= (self.query.max_items or math.inf)
        if after in self.latest or not self.query.resource.paged or is_enough:
            return []
        lacking = 1 if self.available is None else (self.expected or 0) - covered
        if lacking > 0:
            end = min(after + -(-lacking // size), MOST_PAGES + 2)
            return [number for number in range(after, end) if number not in self.latest]
        is_full = len(used[-1].ids) == size and (len(used) > 1 or size % PAGE_SIZE_STEP == 0)
        return [after] if lacking == 0 and is_full else []

    # -- which pages do not fit ------------------------------------------------------------

    def _days(self) -> list[date]:
        return sorted({page.retrieved.date() for page in self.latest.values()})

    def _repeated(self) -> dict[Hashable, int]:
        """Return the ids that come more than once on the used pages, and how often."""
        counts = Counter(chain.from_iterable(page.ids for page in self._used()))
        return {id_: count for id_, count in counts.items() if count > 1 and id_ is not None}

    def _unfit(self) -> set[int]:
        """Return the numbers of the pages that do not belong to one state of the collection.

        A directory grows from day to day, so that another count on another day is no sign of it.
        """
        available, used, unfit, end = self.available, self._used(), set[int](), 0
        if available is None:
            return unfit
        repeated, is_of_a_day = self._repeated().keys(), len(self._days()) == 1
        for number, page in enumerate(used, start=1):
            is_other = page.available != available and is_of_a_day
            if is_other or not repeated.isdisjoint(page.ids):
                unfit.add(number)
            if page.first not in {None, end}:
                unfit |= {number, max(number - 1, 1)}
            end += len(page.ids)
        if is_of_a_day:
            unfit |= self._outdated()
        if end < (self.expected or 0):
            # The page after these is missing, or repeats the first or the last one. Then these
            # may be the outdated ones.
            unfit |= {1, len(used) or 1, len(used) + 1}
        elif end > available:
            unfit.add(len(used))
        return unfit

    def _counted(self) -> list[ReceivedPage]:
        """Return the pages that state a count, in the order in which they were received."""
        pages = [page for page in self.received if page.number and page.available is not None]
        return sorted(pages, key=lambda page: page.retrieved)

    def _outdated(self) -> set[int]:
        """Return the numbers of the used pages that were read before the count last changed."""
        changes = [b.retrieved for a, b in pairwise(self._counted()) if a.available != b.available]
        if not changes:
            return set()
        return {page.number or 0 for page in self._used() if page.retrieved < changes[-1]}

    def unlinked(self) -> list[int]:
        """Return the numbers of the used pages behind which records may have been skipped."""
        if self.available is None or self.query.sample or not self.query.resource.key:
            return []
        # A page that states no count tells of no change.
        periods: dict[int, int] = {}  # by the identity of a page
        period, before = 0, None
        for page in sorted(self.received, key=lambda page: page.retrieved):
            if page.number and page.ids:
                day = page.retrieved.date()
                state = day, page.available if page.available is not None else before and before[1]
                period += state != before
                periods[id(page)], before = period, state
        versions: dict[int, list[ReceivedPage]] = {}
        for page in self.received:
            if page.number and page.ids:
                versions.setdefault(page.number, []).append(page)

        def are_linked(page: ReceivedPage, other: ReceivedPage) -> bool:
            period = periods.get(id(page))
            is_one_period = period is not None and period == periods.get(id(other))
            return is_one_period or not set(page.ids).isdisjoint(set(other.ids) - {None})

        def spread(linked: list[ReceivedPage], number: int) -> list[ReceivedPage]:
            """Return the versions of a page that are linked to others, directly or by each other."""
            reached = [v for v in versions[number] if any(are_linked(v, page) for page in linked)]
            while more := [
                version
                for version in versions[number]
                if version not in reached and any(are_linked(version, page) for page in reached)
            ]:
                reached += more
            return reached

        unlinked: list[int] = []
        linked: list[ReceivedPage] = []
        for page in self._used():
            number = page.number or 0
            reached = spread(linked, number) if linked else []
            if linked and not reached:
                unlinked.append(number - 1)
            linked = reached or spread(versions[number][-1:], number)
        return unlinked

    def to_reread(self) -> list[int]:
        """Return the numbers of the pages to request again.

        A change moves records over the edge of a page or two, and its pages count differently. An
        order that does not hold repeats records everywhere; no reading mends that.
        """
        if self.query.sample:
            return []
        unfit, count, days = self._unfit(), len(self.latest), self._days()
        if self.counts_all:
            is_worth_it = len(unfit) <= _FEW and len(days) == 1
        else:
            is_worth_it = count <= _CHEAP or not self.order_fails()
        if len(days) > 1 and unfit:
            unfit = {n for n, page in self.latest.items() if page.retrieved.date() < days[-1]}
            is_worth_it &= len(unfit) <= self._affordable()
        again = unfit if is_worth_it else set[int]()
        unlinked = self.unlinked() if len(days) == 1 else []
        if len(unlinked) <= self._affordable():
            again |= {*unlinked}
        return sorted(again - self._confirmed)

    def unlinked_days(self) -> list[int]:
        """Return the numbers of the last pages of earlier days, behind which records may be skipped."""
        unlinked = self.unlinked() if len(self._days()) > 1 else []
        again = {*unlinked}
        for number in unlinked:
            page, following = self.latest[number], self.latest.get(number + 1)
            if following and page.retrieved.date() > following.retrieved.date():
                again.add(number + 1)
        return sorted(again) if len(unlinked) <= self._affordable() else []

    def _affordable(self) -> int:
        return max(_FEW, math.ceil(len(self.latest) / 10))

    def order_fails(self) -> bool:
        """Return whether ids come again on more pages than a change of the collection explains."""
        used, came = self._used(), [p for p in self.received if p.number and p.refusal is None]
        repeated, counts = self._repeated().keys(), {page.available for page in came}
        affected = sum(not repeated.isdisjoint(page.ids) for page in used)
        has_moved = any(page.ids != self.latest[page.number or 0].ids for page in came)
        most = max(2 * len(counts), math.ceil(len(used) / 10))
        return affected > most or (affected > 0 and len(counts) == 1 and has_moved)

    # -- the records, and what is proven ---------------------------------------------------

    @property
    def records(self) -> Readings:
        """The newest reading of each record by its id, of every page if the last ones prove nothing."""
        return self._judged()[0]

    def _judged(self) -> tuple[Readings, str | None]:
        """Return the newest reading of each record, and why these may not be all records."""
        if self._judgement is None:
            # The used pages come first: the records are in their order.
            used = self._used()
            everything = [*used, *(page for page in self.received if page.number is not None)]
            is_one_state = len(self._days()) <= 1 and not self._outdated()
            # Over a change, what earlier versions of pages hold may have moved to pages read before.
            counts_all = self.counts_all or (bool(self.query.resource.key) and not is_one_state)
            records = self._readings(everything if counts_all else used)
            in_use, doubt = len(records), self._doubt(records, len(records))
            if self.query.resource.key and not counts_all and (doubt or self.missing()):
                # All that came is returned, but earlier versions of pages prove nothing.
                records = self._readings(everything)
                doubt = self._doubt(records, in_use)
            self._judgement = records, doubt
        return self._judgement

    def _readings(self, pages: list[ReceivedPage]) -> Readings:
        """Return the newest reading of each record; without an id, those of the last versions."""
        readings: Readings = {}
        # The place of a record remains the first one.
        for page in [*pages, *sorted(pages, key=lambda page: page.retrieved)]:
            number, places = page.number or 0, range(len(page.ids))
            for place in self._drawn.get(number, ()) if self.query.sample else places:
                identifier = page.ids[place] if place in places else None
                if identifier is not None and self.query.resource.key:
                    readings[identifier] = page, place
                elif page is self.latest.get(number) and place in places:
                    readings[number, place] = page, place
        return dict([*readings.items()][: self.query.max_items])

    def _doubt(self, records: Readings, in_use: int) -> str | None:
        """Return why these may not be all records; `in_use` of them are on used pages, or in an archive."""
        came, expected, used = len(records), self.expected, self._used()
        if self.available is None:
            unknown = "the directory does not state the number of records (items_available)"
            return unknown if in_use != expected and self.query.resource.paged else None
        without_id = sum(not isinstance(key, str) for key in records)
        if without_id and self.query.resource.key and expected != 1:
            return f"{without_id:,} records have no id, so they cannot be distinguished"
        if expected not in {in_use, came}:
            more = f"; {self.repeated():,} repeated" if self.repeated() else ""
            return f"{came:,} different records were received of {expected:,}{more}"
        if self.query.sample:  # none of its records has two positions
            is_fit = records.keys().isdisjoint(self._repeated()) and all(map(self._is_placed, used))
        else:
            is_fit = in_use == expected and (len(self._days()) > 1 or not self._unfit())
            if is_fit and self.unlinked():
                pages = ", ".join(map(str, self.unlinked()))
                return f"records may have been skipped behind page {pages}, after which others were removed"
        stated = {page.available for page in self.latest.values()}
        reported = " and ".join(
            f"{count:,}" for count in sorted(c for c in stated if c is not None)
        )
        text = f"the pages overlap, leave gaps or contradict their count of {reported} records"
        return None if is_fit else text

    def _is_placed(self, page: ReceivedPage) -> bool:
        """Return whether a page of a sample holds the positions that its number means."""
        size = len(self.latest[1].ids)
        begin = ((page.number or 0) - 1) * size
        available = self.available if page.available is None else page.available
        is_whole = len(page.ids) == min(size, (available or 0) - begin)
        return is_whole and page.first in {None, begin}

    def completeness(self) -> tuple[str, str | None]:
        """Return the provenance's word for how complete the records are, or capped, and the reason."""
        days, most = self._days(), self.query.max_items
        period = f"read from {days[0]} to {days[-1]}" if len(days) > 1 else ""
        if lack := self._lack(period):
            return "incomplete", lack
        if most is not None and (self.available is None or self.available > most):
            return "capped", f"capped at max_items={most}"
        if period and self.available is not None and not self.query.sample:
            return "counted", (
                f"{period}, as many different records as the directory counts; records that were "
                "exchanged meanwhile cannot be seen"
            )
        return ("sample" if self.query.sample else "proven"), None

    def _lack(self, period: str) -> str | None:
        """Return why records are missing, or may be; `period` is that of several days."""
        (records, doubt), error, end = self._judged(), self.error, ""
        if error is not None and not isinstance(error, QuotaExceededError):
            end = f"; {error.url} failed ({why_failed(error)})"
        if self.missing():
            of = "" if self.expected is None else f" of {self.expected:,}"
            return f"not finished: {len(records):,}{of} records were received{end}"
        if left := len(self.own_missing()):
            return f"not finished: {left:,} own pages were not asked for yet{end}"
        if doubt is not None:
            order = (
                f"the order of sort={self.query.sort!r} does not hold (records come again on other "
                "pages, and others on none); on today's live service the sort= (--sort) that holds "
                f"is {better_sort(self.query) or 'not known'}"
            )
            return "; ".join(filter(None, [doubt, period, order if self.lacks_order() else ""]))
        lost = self.lost()
        own = f"the own pages of {len(lost):,} records did not come: {list_named(lost)}"
        return own if lost else None

    def lacks_order(self) -> bool:
        """Return whether records are missing because the order does not hold."""
        is_short = 0 < len(self.records) < (self.expected or 0)
        return is_short and bool(self.query.resource.key) and self.order_fails()

    def repeated(self) -> int:
        """Return the number of records whose id came before."""
        is_drawn = self.query.sample or not self.query.resource.key
        return 0 if is_drawn else sum(count - 1 for count in self._repeated().values())

    def places(self, *, whole: bool = False) -> Iterator[tuple[ReceivedPage, int]]:
        """Yield where each record is read, `whole` only those that wait for no own page."""
        left_out = {*self.own_missing()} if whole else set()
        for key, (page, place) in self.records.items():
            own = self.own.get(key)
            if key not in left_out:
                yield (page, place) if own is None or own.refusal is not None else (own, 0)

    # -- own pages -------------------------------------------------------------------------

    def signs(self) -> dict[str, str]:
        """Return by the id of each project whether its analysis came in the collection."""
        return {
            key: page.signs[place]
            for key, (page, place) in self.records.items()
            if isinstance(key, str) and page.signs
        }

    def own_missing(self) -> list[str]:
        """Return the ids of the records whose own page is needed and was not read yet."""
        needed = needed_pages(self.signs()) if self.query.details else []
        return [key for key in needed if key not in self.own]

    def estimated_own(self) -> int:
        """Return how many own pages are to come: of further records, as many as on the first page."""
        needed = len(self.own_missing())
        if self.query.details and self.missing() and 1 in self.latest:
            signs = self.latest[1].signs
            share = len(needed_pages(dict(enumerate(signs)))) / max(len(signs), 1)
            needed += round(share * max((self.expected or 0) - len(self.records), 0))
        return needed

    def lost(self) -> dict[str, str]:
        """Return the records whose own page did not come, and why."""
        return {str(page.record): page.refusal for page in self.own.values() if page.refusal}

    def provenance(self) -> dict[str, Any]:
        """Return what the provenance says of the pages and their records."""
        (word, reason), sample = self.completeness(), dict[str, Any]()
        if self.query.sample and self.latest:
            later = {page.available for page in self.latest.values()} - {self.available, None}
            sample = {
                "design": "simple random sample of positions without replacement",
                "size": self.expected,
                "population": self.available,
                "seed": self.query.seed,
                "order": self.query.sort or "the directory's own",
            } | ({"population_later": sorted(filter(None, later))} if later else {})
        is_left_out = not self.query.details and are_left_out(self.signs().values())
        return {
            "resource": self.query.resource.name,
            "query": self.query.to_provenance(),
            "items_available": self.available,
            "items_loaded": len(self.records),
            "completeness": "incomplete" if word == "capped" else word,
            "incomplete_reason": reason,
            "sample": sample,
            "duplicates_removed": self.repeated(),
            "not_sent": ANALYSIS_COLUMNS if is_left_out else (),
            "details": sum(page.refusal is None for page in self.own.values()),
            "details_missing": tuple(self.lost()),
        } | cost_of(self.received)
