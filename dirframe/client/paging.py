"""The pages of a query that came: which are missing, their records, and what they prove."""

# A collection is proven complete if its pages follow each other from the first position to the last,
# all of one day and with the same ``items_available``, and hold as many different ids. Records may be
# added, removed or moved meanwhile, and a sort without a tie-break repeats some and leaves out others.
# Pages of several days prove nothing: they are counted. If the count is a multiple of the page size,
# one page more is requested: only an empty one behind the last shows that the count was not too low.
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
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from dirframe.client.http.session import FetchedPage
from dirframe.client.page import Page, check_records
from dirframe.client.query import Query, better_sort
from dirframe.errors import InvalidInputError, QuotaExceededError, RequestError, ServiceError
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
    """A page as it came, without its content; or why it was refused."""

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

    @classmethod
    def of(cls, fetched: FetchedPage, query: Query, **place: Any) -> ReceivedPage:
        """Return a fetched page of a query; `place` is its number and sort."""
        page = fetched.page
        is_counted = page.items_available is not None or page.items_returned is not None
        is_single = not query.numbered and len(page.records) == 1 and not is_counted
        return cls(
            retrieved=fetched.retrieved.astimezone(UTC),
            attempts=fetched.attempts,
            available=1 if is_single else page.items_available,
            first=page.first_item_position,
            ids=ids_of(page, query.resource),
            signs=page.signs(),
            synthetic=page.synthetic,
            source=fetched,
            **place,
        )


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
    return f"status {error.status}" if error.status else "no response"


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


class Pages:
    """The pages of a query that came; `counts_all` is whether every record that ever came counts."""

    def __init__(self, query: Query, *, counts_all: bool = False) -> None:
        self.query, self.counts_all = query, counts_all
        self.is_sort_asked = query.sort is not None
        self.received: list[ReceivedPage] = []  # in the order of arrival, also those that failed
        self.latest: dict[int, ReceivedPage] = {}  # by their numbers
        self.own: dict[Hashable, ReceivedPage] = {}  # of records, also those refused or failed
        self._confirmed: set[int] = set()  # pages that came again as they were
        self._judgement: tuple[Readings, str | None] | None = None

    def add(self, page: ReceivedPage) -> None:
        """Add a page; it replaces an earlier version. A refused one has no records: it is the end."""
        self.received.append(page)
        self._judgement = None
        if page.number is None:
            # An error of another kind ends the reading: the page is still to be asked for.
            if page.error is None or isinstance(page.error, ServiceError):
                self.own[page.record] = page
        elif page.number and page.error is None:
            before = self.latest.get(page.number)
            is_same = before and (before.ids, before.available) == (page.ids, page.available)
            if page.refusal is not None or (is_same and page.available is not None):
                self._confirmed.add(page.number)
            self.latest[page.number] = page

    @property
    def error(self) -> RequestError | None:
        """Why the newest page that failed did so."""
        return next((page.error for page in reversed(self.received) if page.error), None)

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
        if self.query.sample and 1 in self.latest:
            return len(self.latest[1].ids) * len(self._drawn())
        return self.expected or 0

    @property
    def _most(self) -> float:
        return self.query.max_items or math.inf

    def missing(self) -> list[int]:
        """Return the numbers of the pages that were not read yet and may hold expected records."""
        if 1 not in self.latest:
            return [1]
        if self.query.sample:
            return [number for number in self._drawn() if number not in self.latest]
        used, size = self._used(), len(self.latest[1].ids)
        after, covered = len(used) + 1, sum(len(page.ids) for page in used)
        if after in self.latest or not self.query.resource.paged or covered >= self._most:
            return []
        lacking = 1 if self.available is None else (self.expected or 0) - covered
        if lacking > 0:
            end = min(after + -(-lacking // size), MOST_PAGES + 2)
            return [number for number in range(after, end) if number not in self.latest]
        is_full = len(used[-1].ids) == size and (len(used) > 1 or size % PAGE_SIZE_STEP == 0)
        return [after] if lacking == 0 and is_full else []

    def planned(self) -> list[int]:
        """Return the numbers of all pages to read, judged by the first one; none if it cannot tell."""
        numbers, available, size = [1, *self.missing()], self.available, len(self.latest[1].ids)
        if available is None or len(numbers) > MOST_PAGES:
            return []
        # Of several pages, a full last one will need one more.
        if size < available == len(numbers) * size < self._most and not self.query.sample:
            numbers.append(len(numbers) + 1)
        return numbers

    def may_end_at(self, number: int) -> bool:
        """Return whether there may be no page of a number, as only behind all others."""
        if number in self.latest or self.available is None or self.query.sample:
            return False
        return sum(len(page.ids) for page in self._used()) >= (self.expected or 0)

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

    def _used(self) -> list[ReceivedPage]:
        """Return the pages from the first one to the end, to a missing one, or to `max_items`."""
        if self.query.sample:
            return [*self.latest.values()]
        used: list[ReceivedPage] = []
        covered = 0
        while (page := self.latest.get(len(used) + 1)) is not None:
            if covered >= self._most or self.is_end(page):
                break
            used.append(page)
            covered += len(page.ids)
        return used

    def _drawn(self) -> dict[int, list[int]]:
        """Return the numbers of the first page, and of those that hold the sample: at which places."""
        if self.available is None:
            raise InvalidInputError(
                "No sample can be drawn: the directory does not state how many records it has "
                "(items_available)."
            )
        size = len(self.latest[1].ids) or 1
        drawn: dict[int, list[int]] = {1: []}
        for position in self.query.positions(self.available):
            drawn.setdefault(position // size + 1, []).append(position % size)
        return drawn

    # -- which pages do not fit ------------------------------------------------------------

    def to_reread(self) -> list[int]:
        """Return the numbers of the pages to request again.

        A change moves records over the edge of a page or two, and its pages count differently. An
        order that does not hold repeats records everywhere; no reading mends that.
        """
        unfit = self._unfit()
        if self.counts_all:
            is_worth_it = len(unfit) <= _FEW and len(self._days()) == 1
        else:
            is_worth_it = len(self.latest) <= _CHEAP or not self.order_fails()
        return [number for number in unfit if is_worth_it and number not in self._confirmed]

    def _unfit(self) -> list[int]:
        """Return the numbers of the pages that do not belong to one state of the collection."""
        available, used, unfit, end = self.available, self._used(), set[int](), 0
        if available is None or self.query.sample:
            return []
        repeated = _repeated(used)
        for number, page in enumerate(used, start=1):
            if not repeated.isdisjoint(page.ids):
                unfit.add(number)
            if page.first not in {None, end}:
                unfit |= {number, max(number - 1, 1)}
            end += len(page.ids)
        # A directory grows from day to day, so that other counts on pages of earlier days are none.
        today = max(self._days())
        earlier = [n for n, page in self.latest.items() if page.retrieved.date() < today]
        if earlier:
            is_whole = end == available or end >= self._most
            is_few = len(earlier) <= max(_FEW, math.ceil(len(self.latest) / 10))
            return sorted(earlier) if is_few and (unfit or not is_whole) else []
        unfit |= {number for number, page in enumerate(used, 1) if page.available != available}
        if end < (self.expected or 0):
            # The page after these is missing, or repeats the first or the last one. Then these
            # may be the outdated ones.
            unfit |= {1, len(used) or 1, len(used) + 1}
        elif end > available:
            unfit.add(len(used))
        return sorted(unfit)

    def _is_misplaced(self, page: ReceivedPage) -> bool:
        """Return whether a page of a sample does not hold the positions that its number means."""
        size = len(self.latest[1].ids)
        begin = ((page.number or 0) - 1) * size
        available = self.available if page.available is None else page.available
        is_whole = len(page.ids) == min(size, (available or 0) - begin)
        return page.first not in {None, begin} or not is_whole

    def order_fails(self) -> bool:
        """Return whether ids come again on more pages than a change of the collection explains."""
        used, came = self._used(), [p for p in self.received if p.number and p.refusal is None]
        repeated, counts = _repeated(used), {page.available for page in came}
        affected = sum(not repeated.isdisjoint(page.ids) for page in used)
        has_moved = any(page.ids != self.latest[page.number or 0].ids for page in came)
        most = max(2 * len(counts), math.ceil(len(used) / 10))
        return affected > most or (affected > 0 and len(counts) == 1 and has_moved)

    def _days(self) -> list[date]:
        return sorted({page.retrieved.date() for page in self.latest.values()})

    # -- the records, and what is proven ---------------------------------------------------

    @property
    def records(self) -> Readings:
        """The newest reading of each record by its id, of every page if the last ones prove nothing."""
        return self._judged()[0]

    def _judged(self) -> tuple[Readings, str | None]:
        """Return the newest reading of each record, and why these may not be all records."""
        if self._judgement is None:
            used = self._used()
            # The used pages come first: the records are in their order.
            everything = [*used, *(page for page in self.received if page.number is not None)]
            records = self._readings(everything if self.counts_all else used)
            in_use, doubt = len(records), self._doubt(records, len(records))
            if self.query.resource.key and not self.counts_all and (doubt or self.missing()):
                # All that came is returned, but earlier versions of pages prove nothing.
                records = self._readings(everything)
                doubt = self._doubt(records, in_use)
            self._judgement = records, doubt
        return self._judgement

    def _readings(self, pages: list[ReceivedPage]) -> Readings:
        """Return the newest reading of each record; without an id, those of the last versions."""
        readings: Readings = {}
        if self.query.sample:
            drawn = self._drawn() if self.latest else {}
            for number, places in drawn.items():
                if page := self.latest.get(number):
                    came = [place for place in places if place < len(page.ids)]
                    readings |= {page.ids[at] or (number, at): (page, at) for at in came}
            return readings
        # The place of a record remains the first one.
        for page in [*pages, *sorted(pages, key=lambda page: page.retrieved)]:
            for place, identifier in enumerate(page.ids):
                if identifier is not None and self.query.resource.key:
                    readings[identifier] = page, place
                elif page is self.latest.get(page.number or 0):
                    readings[page.number, place] = page, place
        return dict([*readings.items()][: self.query.max_items])

    def _doubt(self, records: Readings, in_use: int) -> str | None:
        """Return why these may not be all records; `in_use` of them are on used pages, or in an archive."""
        came, expected = len(records), self.expected
        if self.available is None:
            unknown = "the directory does not state the number of records (items_available)"
            return unknown if in_use != expected and self.query.resource.paged else None
        without_id = sum(not isinstance(key, str) for key in records)
        if without_id and self.query.resource.key and expected != 1:
            return f"{without_id:,} records have no id, so they cannot be distinguished"
        if expected not in {in_use, came}:
            more = f"; {self.repeated():,} repeated" if self.repeated() else ""
            return f"{came:,} different records were received of {expected:,}{more}"
        used = self._used()
        if self.query.sample:  # none of its records has two positions
            is_unfit = not _repeated(used).isdisjoint(records) or any(map(self._is_misplaced, used))
        else:
            is_unfit = in_use != expected or (not self._is_counted() and self._unfit() != [])
        if not is_unfit:
            return None
        stated = {page.available for page in self.latest.values()}
        counts = sorted(count for count in stated if count is not None)
        reported = " and ".join(f"{count:,}" for count in counts)
        return f"the pages overlap, leave gaps or contradict their count of {reported} records"

    def places(self, *, whole: bool = False) -> Iterator[tuple[ReceivedPage, int]]:
        """Yield where each record is read, `whole` only those that wait for no own page."""
        left_out = {*self.own_missing()} if whole else set()
        for key, (page, place) in self.records.items():
            own = self.own.get(key)
            if key not in left_out:
                yield (page, place) if own is None or own.refusal is not None else (own, 0)

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

    def repeated(self) -> int:
        """Return the number of records whose id came before."""
        if self.query.sample or not self.query.resource.key:
            return 0
        ids = [id_ for page in self._used() for id_ in page.ids if id_ is not None]
        return len(ids) - len(set(ids))

    def is_capped(self) -> bool:
        """Return whether there are, or may be, more records than were asked for."""
        most = self.query.max_items
        return most is not None and (self.available is None or self.available > most)

    def completeness(self) -> tuple[str, str | None]:
        """Return the provenance's word for how complete the records are, and why not proven."""
        records, doubt = self._judged()
        end, error = "", self.error
        if error is not None and not isinstance(error, QuotaExceededError):
            end = f"; {error.url} failed ({why_failed(error)})"
        if self.missing():
            of = "" if self.expected is None else f" of {self.expected:,}"
            return "incomplete", f"not finished: {len(records):,}{of} records were received{end}"
        if left := len(self.own_missing()):
            return "incomplete", f"not finished: {left:,} own pages were not asked for yet{end}"
        days = self._days()
        period = f"read from {days[0]} to {days[-1]}" if len(days) > 1 else ""
        if doubt is not None:
            order = (
                f"the order of sort={self.query.sort!r} does not hold (records come again on other "
                "pages, and others on none); on today's live service the sort= (--sort) that holds "
                f"is {better_sort(self.query) or 'not known'}"
            )
            parts = [doubt, period, order if self.lacks_order() else ""]
            return "incomplete", "; ".join(filter(None, parts))
        if lost := self.lost():
            own = f"the own pages of {len(lost):,} records did not come: {list_named(lost)}"
            return "incomplete", own
        if self._is_counted():
            return "counted", (
                f"{period}, as many different records as the directory counts; records that were "
                "exchanged meanwhile cannot be seen"
            )
        return ("sample" if self.query.sample else "proven"), None

    def _is_counted(self) -> bool:
        """Return whether pages of several days can be counted only."""
        return len(self._days()) > 1 and self.available is not None and not self.query.sample

    def lacks_order(self) -> bool:
        """Return whether records are missing because the order does not hold."""
        is_short = 0 < len(self.records) < (self.expected or 0)
        return is_short and bool(self.query.resource.key) and self.order_fails()

    def provenance(self) -> dict[str, Any]:
        """Return what the provenance says of the pages and their records."""
        completeness, reason = self.completeness()
        is_left_out = not self.query.details and are_left_out(self.signs().values())
        return {
            "resource": self.query.resource.name,
            "items_available": self.available,
            "items_loaded": len(self.records),
            "completeness": completeness,
            "incomplete_reason": reason,
            "sample": self._design() if self.query.sample and self.latest else {},
            "duplicates_removed": self.repeated(),
            "not_sent": ANALYSIS_COLUMNS if is_left_out else (),
            "details": sum(page.refusal is None for page in self.own.values()),
            "details_missing": tuple(self.lost()),
        } | cost_of(self.received)

    def _design(self) -> dict[str, Any]:
        """Return how the sample was drawn, and other counts that later pages stated."""
        later = {page.available for page in self.latest.values()} - {self.available, None}
        return {
            "design": "simple random sample of positions without replacement",
            "size": self.expected,
            "population": self.available,
            "seed": self.query.seed,
            "order": self.query.sort or "the directory's own",
        } | ({"population_later": sorted(filter(None, later))} if later else {})


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


def _repeated(pages: Iterable[ReceivedPage]) -> set[Hashable]:
    """Return the ids that come more than once."""
    counts = Counter(chain.from_iterable(page.ids for page in pages))
    return {id_ for id_, count in counts.items() if count > 1 and id_ is not None}
