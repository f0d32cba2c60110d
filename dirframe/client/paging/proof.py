"""What the pages of a collection prove: whether a record may be missing."""

# Collections of ten and twelve records, five on a page, and what the pages of a load prove up to each
# row with a verdict. `total` is items_available. These rows are the table of tests/client/test_proof.py.
#
# An archive counts the records of all versions of a page. It reads again, in one turn (a load in up to
# three), a few pages that do not fit together and those that link two days; never those of an earlier
# day because the numbers differ.
#
#   history                    number  position  total  ids                verdict
#   -------------------------  ------  --------  -----  -----------------  ---------------------------
#   nothing changes               1        0       12   a b c d e
#                                 2        5       12   f g h i j
#                                 3       10       12   k l                proven
#
#   b is removed before page 2    1        0       12   a b c d e          (f is on page 1 by now)
#                                 2        5       11   g h i j k
#                                 3       10       11   l                  contradiction: read 1 again
#                                 1        0       11   a c d e f          proven
#
#   b is removed before page 2,   1        0       12   a b c d e          (f is on page 1 by now)
#   m is added before page 3      2        5       11   g h i j k
#                                 3       10       12   l m                contradiction: read 1 and 2
#                                 1        0       12   a c d e f
#                                 2        5       12   g h i j k          proven
#
#   a moves to the end            1        0       12   a b c d e
#   before page 3                 2        5       12   f g h i j
#                                 3       10       12   l a                wrong number: read 1 and 3
#                                 1        0       12   b c d e f
#                                 3       10       12   l a                wrong number: read 1 and 2
#                                 2        5       12   g h i j k          proven
#
#   the order is not stable       1        0       12   a b c d e
#                                 2        5       12   d a f g h
#                                 3       10       12   b k                wrong number: 9 of 12
#
#   two days, b was removed       1        0       12   a b c d e          (on the first day)
#   between them                  2        5       12   f g h i j          (on the first day)
#                                 3       10       11   l                  skipped after 2: read it again
#                                 2        5       11   g h i j k          removed: 12 of 11; read 1 again
#                                 1        0       11   a c d e f          proven: all are of one day
#
#   two days, m was added         1        0       12   a b c d e          (on the first day)
#                                 2        5       12   f g h i j          (on the first day)
#                                 3       10       13   k l m              skipped after 2: read it again
#                                 2        5       13   f g h i j          counted
#
#   a full last page              1        0       10   a b c d e
#                                 2        5       10   f g h i j          unfinished: 3 is missing
#                                 3       10       10                      proven
#
# A walk by ids is proven by other rows: of the ids 1 to 40, of which 1 to 30 and 40 exist. Nothing shifts, so
# that neither days nor another total make a difference.
#
#   history                    asked for  total  ids              verdict
#   -------------------------  ---------  -----  ---------------  --------------------------------
#   all ids are decided        1 to 40       31  1 to 25
#                              26 to 40       6  26 to 30, 40
#                              (the newest)  31                   proven
#
#   on another day, after      1 to 40       31  1 to 25
#   3 was removed              26 to 40       6  26 to 30, 40     (on the second day)
#                              (the newest)  30                   proven: 31 records, 3 was there
#
#   one page is missing        1 to 40       31  1 to 25          unfinished: 26 to 40
#
#   40 cannot be sent          1 to 40       31  1 to 25
#                              26 to 39       5  26 to 30
#                              40                                 status 404, twice: lost
#                              (the newest)  31

from __future__ import annotations

import enum
import math
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from dirframe.client.paging.ids import Draw
from dirframe.client.paging.pages import CollectionPage, Key, Pages, Place, repeated_ids
from dirframe.client.paging.sample import SampledPages
from dirframe.client.paging.windows import PagesByIds, WindowPage

#: A part of a collection that can be proven alone.
Part: TypeAlias = Pages | SampledPages | PagesByIds

#: If no more pages of the usual ten records were read, all are read again even if the order seems
#: unstable.
CHEAP_REREAD = 12
_USUAL = 10

#: So many pages, or a tenth of all, are read again because of an earlier day; so many of an archive
#: that do not fit together.
FEW_PAGES = 5


class Completeness(enum.Enum):
    """How complete the records are."""

    #: There is no `Problem`, and all pages are of one state of the collection; or each id is decided.
    PROVEN = "proven"
    #: There is no `Problem`, but the pages are of several states, or in an order with ties.
    COUNTED = "counted"
    SAMPLE = "sample"
    #: There is a `Problem`, or a limit below the total.
    INCOMPLETE = "incomplete"


class Problem(enum.Enum):
    """Why the records may not be all."""

    UNFINISHED = enum.auto()  # pages are missing
    NO_TOTAL = enum.auto()  # the directory states no number of records
    NO_IDS = enum.auto()  # records cannot be told apart
    WRONG_NUMBER = enum.auto()  # fewer different records than stated, or more
    REMOVED = enum.auto()  # read over several days, and more than stated now: some were removed
    SKIPPED = enum.auto()  # a change between two pages may have moved records past both
    CONTRADICTION = enum.auto()  # pages overlap, leave gaps or state other totals
    MISCOUNTED = enum.auto()  # a page states another number of records than it holds
    LEFT_OUT = enum.auto()  # the directory counts records that it does not send
    LOST = enum.auto()  # the directory could not send some records
    NOT_RANDOM = enum.auto()  # as many of the drawn ids exist as cannot be by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The records of some pages, and how complete they are."""

    places: dict[Key, Place]
    problem: Problem | None
    completeness: Completeness
    is_capped: bool = False  # all that was asked for, by a limit below the total
    expected: int | None = None
    total: int | None = None
    totals: tuple[int, ...] = ()  # all that the newest pages state
    days: tuple[date, ...] = ()
    repeated: int = 0  # readings of a record that another page has, too
    without_id: int = 0
    skipped_after: tuple[int, ...] = ()  # numbers of pages
    is_order_unstable: bool = False
    has_ties: bool = False  # whether several pages were read in an order in which records are equal
    miscounted: CollectionPage | None = None
    lost: tuple[int, ...] = ()  # ids of records that the directory could not send


# How the pages fit together


def days_of(pages: Pages | SampledPages) -> list[date]:
    """Return the days of the newest versions."""
    return sorted({page.day for page in pages.newest.values()})


def outdated(pages: Pages) -> set[int]:
    """Return the numbers of the used pages that were requested before the total last changed."""
    stated = [page for page in pages.by_arrival() if page.total is not None]
    if not stated:
        return set()
    current = stated[-1].total
    others = [page for page in stated if page.total != current]
    if not others:
        return set()
    last = others[-1]
    return {
        page.number
        for page in pages.used()
        if pages.recency(page) <= pages.recency(last)
        or page.requested_at < last.received_at <= page.received_at
    }


def misfits(pages: Pages) -> set[int]:
    """Return the numbers of the pages that do not belong to one state of the collection."""
    total = pages.total
    if total is None or miscounted(pages) is not None or are_records_left_out(pages):
        return set()
    used = pages.used()
    repeated = repeated_ids(used)
    is_one_day = len(days_of(pages)) == 1
    unfit: set[int] = outdated(pages) if is_one_day else set()
    received = 0
    for page in used:
        # A directory grows from day to day: another total on another day is no contradiction.
        if is_one_day and page.total != total:
            unfit.add(page.number)
        if not repeated.keys().isdisjoint(page.ids):
            unfit.add(page.number)
        if page.position is not None and page.position != received:
            # A gap or an overlap may be the fault of the page or of the one before it.
            unfit |= {page.number, max(page.number - 1, 1)}
        received += len(page.ids)
    if received < (pages.expected or 0):  # the page behind them is missing, or repeats one of them
        unfit |= {1, len(used) or 1, len(used) + 1}
    elif received > total:
        unfit.add(len(used))
    return unfit


def miscounted(pages: Pages | SampledPages) -> CollectionPage | None:
    """Return the first page that states another number of records than it holds, if there is one."""
    found = [page for page in pages.newest.values() if page.is_miscounted]
    return min(found, key=lambda page: page.number, default=None)


def are_records_left_out(pages: Pages) -> bool:
    """Return whether the directory counts records that it leaves out of pages before the last one.

    Positions follow each other by one page size, each page states the number of records that it
    holds, and nothing else shows a change: to read such pages again brings the same.
    """
    used = pages.used()
    total = pages.total
    received = sum(len(page.ids) for page in used)
    if total is None or pages.limit is not None or received >= total or not used:
        return False
    newest = list(pages.newest.values())
    steps = {
        page.position / (page.number - 1) for page in newest if page.position and page.number > 1
    }
    if len(steps) != 1 or len(days_of(pages)) > 1 or repeated_ids(used):
        return False
    size = steps.pop()
    for page in newest:
        if not page.exists:
            continue
        states_its_number = page.returned == len(page.ids) <= size
        is_in_place = page.position == (page.number - 1) * size
        if page.total != total or not states_its_number or not is_in_place:
            return False
    return len(used) * size >= total


def is_order_unstable(pages: Pages | SampledPages) -> bool:
    """Return whether ids come again on more pages than changes of the collection explain.

    A change between two pages repeats a record on two pages. Without a change, no page may have other
    records when it is read again.
    """
    used = pages.used()
    repeated = repeated_ids(used)
    affected = [page for page in used if not repeated.keys().isdisjoint(page.ids)]
    versions = [page for page in pages.history if page.exists]
    totals = {page.total for page in versions}
    has_moved = any(page.ids != pages.newest[page.number].ids for page in versions)
    explained = max(2 * len(totals), math.ceil(len(used) / 10))
    return len(affected) > explained or (bool(affected) and len(totals) == 1 and has_moved)


def skipped_after(pages: Pages) -> list[int]:
    """Return the numbers of the used pages after which a change may have skipped records.

    A record that was there all the time was received, if the order of such records does not change
    and each page is linked to the next one: by a record on both, or because both were read on one
    day and no page received between them states another total. Any version of a page can be the
    link, also an earlier one that is linked to the version in use.
    """
    if pages.total is None or not pages.has_key:
        return []
    periods = _periods(pages)
    versions: dict[int, list[CollectionPage]] = defaultdict(list)
    for page in pages.history:
        if page.ids:
            versions[page.number].append(page)

    def are_linked(page: CollectionPage, other: CollectionPage) -> bool:
        period = periods[page]
        if period is not None and period == periods[other]:
            return True
        return any(identifier is not None and identifier in other.ids for identifier in page.ids)

    def linked_versions(number: int, sources: list[CollectionPage]) -> list[CollectionPage]:
        """Return the versions of a page that are linked to sources, directly or by each other."""
        linked: list[CollectionPage] = []
        others = list(versions[number])
        to_follow = list(sources)
        while to_follow:
            source = to_follow.pop()
            following = [version for version in others if are_linked(source, version)]
            others = [version for version in others if version not in following]
            linked += following
            to_follow += following
        return linked

    skipped: list[int] = []
    before: list[CollectionPage] = []  # the linked versions of the page before
    for page in pages.used():
        linked = linked_versions(page.number, before)
        if before and not linked:
            skipped.append(page.number - 1)
        if not linked:  # begin again with the version in use
            linked = linked_versions(page.number, [page])
        before = linked
    return skipped


def _periods(pages: Pages) -> dict[CollectionPage, int | None]:
    """Return for each version a number that is the same where no change was seen between two.

    None: the page was requested before a page with another total was received.
    """
    periods: dict[CollectionPage, int | None] = {}
    versions = [page for page in pages.by_arrival() if page.ids]
    period = 0
    total: int | None = None
    day: date | None = None
    for index, page in enumerate(versions):
        # A page that states no total shows no change.
        stated = total if page.total is None else page.total
        if (page.day, stated) != (day, total):
            period += 1
        day, total = page.day, stated
        periods[page] = period
        for other in reversed(versions[:index]):
            if other.received_at <= page.requested_at or page.requested_at == page.received_at:
                break
            if None not in {other.total, page.total} and other.total != page.total:
                periods[page] = periods[other] = None
    return periods


# Which pages are worth another request


def to_reread(pages: Part) -> list[int]:
    """Return the numbers of the pages to read again, to replace the version that does not fit.

    A change moves records over the edge of a page or two. An unstable order repeats records
    everywhere, and no reading mends that, unless the pages are so few that luck may.
    """
    if not isinstance(pages, Pages):
        return []
    is_unstable = is_order_unstable(pages)
    if is_unstable and pages.limit is not None:
        return []  # the first records of an unstable order are no certain ones
    if len(days_of(pages)) > 1:
        again = _of_earlier_days(pages)
    elif pages.keeps_history:
        again = _of_an_archive(pages)
    else:
        again = misfits(pages)
    cheap = CHEAP_REREAD
    if pages.page_size is not None:
        cheap = CHEAP_REREAD * _USUAL // pages.page_size
    if is_unstable and not pages.keeps_history and len(pages.newest) > cheap:
        return []
    return sorted(again - pages.unchanged)


def _of_earlier_days(pages: Pages) -> set[int]:
    days = days_of(pages)
    if pages.keeps_history:
        return set()
    received = pages.places(pages.everything())
    are_more = pages.has_key and len(received) > (pages.expected or math.inf)
    if not are_more and not misfits(pages):
        return set()
    earlier = {number for number, page in pages.newest.items() if page.day < days[-1]}
    return earlier if len(earlier) <= affordable(pages) else set()


def _of_an_archive(pages: Pages) -> set[int]:
    unfit = misfits(pages)
    skipped = skipped_after(pages)
    again = set(unfit) if len(unfit) <= FEW_PAGES else set()
    if len(skipped) <= affordable(pages):
        again.update(skipped)
    return again


def to_link(pages: Part) -> list[int]:
    """Return the numbers of pages to read again so that they link two days, beside the earlier version.

    These are the pages after which records may have been skipped. The page behind one is read again
    as well if it is of an earlier day.
    """
    if not isinstance(pages, Pages) or len(days_of(pages)) == 1:
        return []
    skipped = skipped_after(pages)
    if len(skipped) > affordable(pages):
        return []
    again = set(skipped)
    for number in skipped:
        following = pages.newest.get(number + 1)
        if following is not None and pages.newest[number].day > following.day:
            again.add(number + 1)
    return sorted(again)


def affordable(pages: Pages) -> int:
    """Return the number of pages that may be read again for the sake of an earlier day."""
    return max(FEW_PAGES, math.ceil(len(pages.newest) / 10))


# The verdict


def judge(pages: Part) -> Verdict:
    """Return the records, and how complete they are."""
    if isinstance(pages, SampledPages):
        return _judge_sample(pages)
    if isinstance(pages, PagesByIds):
        return _judge_by_ids(pages)
    return _judge_by_numbers(pages)


def _judge_by_numbers(pages: Pages) -> Verdict:
    """Return the records of pages by numbers.

    If the pages in use are of several days or of before and after a change, and in an archive, every
    record that was received counts: a record that is only on an earlier version may have moved to a
    page that was read before. Otherwise the pages in use count; if these prove nothing, all that was
    received is returned, and still proves nothing.
    """
    used = pages.used()
    everything = pages.everything()
    is_one_state = len(days_of(pages)) <= 1 and not outdated(pages)
    counts_all = pages.keeps_history or (pages.has_key and not is_one_state)
    places = pages.places(everything if counts_all else used)
    in_use = len(places)
    skipped: tuple[int, ...] = ()
    if pages.keeps_history or not is_one_state:
        skipped = tuple(skipped_after(pages))
    problem = _problem(pages, places, in_use, skipped)
    is_missing = bool(pages.missing())
    if pages.has_key and not counts_all and (problem is not None or is_missing):
        places = pages.places(everything)
        problem = _problem(pages, places, in_use, skipped)
    if is_missing:
        problem = Problem.UNFINISHED
    total = pages.total
    limit = pages.limit
    is_capped = problem is None and limit is not None and (total is None or total > limit)
    has_ties = pages.has_ties and len(used) > 1
    is_of_several_states = not is_one_state or _was_by_ids(pages)
    if problem is not None or is_capped:
        completeness = Completeness.INCOMPLETE
    elif has_ties or (is_of_several_states and total is not None):
        completeness = Completeness.COUNTED
    else:
        completeness = Completeness.PROVEN
    repeated = sum(number - 1 for number in repeated_ids(used).values())
    return Verdict(
        places=places,
        problem=problem,
        completeness=completeness,
        is_capped=is_capped,
        expected=pages.expected,
        total=total,
        totals=_totals(pages),
        days=tuple(days_of(pages)),
        repeated=repeated if pages.has_key else 0,
        without_id=sum(not isinstance(key, str) for key in places),
        skipped_after=skipped,
        is_order_unstable=pages.has_key and problem is not None and is_order_unstable(pages),
        has_ties=has_ties,
        miscounted=miscounted(pages),
    )


def _was_by_ids(pages: Pages) -> bool:
    """Return whether an archive was begun by ids: then all records of both kinds of pages count."""
    return pages.keeps_history and any(isinstance(page, WindowPage) for page in pages.probes)


def _problem(
    pages: Pages, places: dict[Key, Place], in_use: int, skipped: tuple[int, ...]
) -> Problem | None:
    """Return what is wrong with some records, of which `in_use` are on the pages in use."""
    expected = pages.expected
    is_of_days = len(days_of(pages)) > 1
    problem = None
    if miscounted(pages) is not None:
        problem = Problem.MISCOUNTED
    elif are_records_left_out(pages):
        problem = Problem.LEFT_OUT
    elif pages.total is None:
        if pages.is_paged and in_use != expected:
            problem = Problem.NO_TOTAL
    elif pages.has_key and expected != 1 and any(not isinstance(key, str) for key in places):
        problem = Problem.NO_IDS
    elif in_use != expected and len(places) != expected:
        problem = Problem.WRONG_NUMBER
        if is_of_days and not skipped and len(places) > (expected or 0):
            problem = Problem.REMOVED
    elif in_use != expected or (not is_of_days and misfits(pages)):
        problem = Problem.CONTRADICTION
    elif skipped:
        problem = Problem.SKIPPED
    return problem


def _judge_sample(pages: SampledPages) -> Verdict:
    used = pages.used()
    places = pages.places(used)
    problem = _problem_of_sample(pages, places)
    if pages.has_key and (problem is not None or pages.missing()):
        places = pages.places([*used, *pages.history])
    if pages.missing():
        problem = Problem.UNFINISHED
    return Verdict(
        places=places,
        problem=problem,
        completeness=Completeness.SAMPLE if problem is None else Completeness.INCOMPLETE,
        expected=pages.expected,
        total=pages.total,
        totals=_totals(pages),
        days=tuple(days_of(pages)),
        without_id=sum(not isinstance(key, str) for key in places),
        is_order_unstable=pages.has_key and problem is not None and is_order_unstable(pages),
    )


def _judge_by_ids(pages: PagesByIds) -> Verdict:
    """Return the records of a walk by ids: each id is decided by one statement, whatever the day."""
    is_sample = isinstance(pages.state, Draw)
    places = pages.places()
    problem = None
    if not pages.is_finished:
        problem = Problem.UNFINISHED
        places = pages.everything()
    elif pages.lost:
        problem = Problem.LOST
    elif isinstance(pages.state, Draw) and not pages.state.is_random:
        problem = Problem.NOT_RANDOM
    completeness = Completeness.SAMPLE if is_sample else Completeness.PROVEN
    return Verdict(
        places=places,
        problem=problem,
        completeness=completeness if problem is None else Completeness.INCOMPLETE,
        expected=pages.expected,
        total=pages.total,
        totals=tuple(sorted(set(pages.totals))),
        days=tuple(sorted({page.day for page in pages.received})),
        lost=tuple(pages.lost),
    )


def _problem_of_sample(pages: SampledPages, places: dict[Key, Place]) -> Problem | None:
    if pages.total is None:
        return Problem.NO_TOTAL
    if pages.has_key and pages.expected != 1 and any(not isinstance(key, str) for key in places):
        return Problem.NO_IDS
    if len(places) != pages.expected:
        return Problem.WRONG_NUMBER
    used = pages.used()
    if not places.keys().isdisjoint(repeated_ids(used)):  # one of its records has two positions
        return Problem.CONTRADICTION
    if not all(_is_placed(pages, page) for page in used):
        return Problem.CONTRADICTION
    return None


def _is_placed(pages: SampledPages, page: CollectionPage) -> bool:
    """Return whether a page of a sample holds the positions that its number means."""
    size = len(pages.newest[1].ids)
    begin = (page.number - 1) * size
    total = pages.total if page.total is None else page.total
    is_whole = len(page.ids) == min(size, (total or 0) - begin)
    return is_whole and page.position in {None, begin}


def _totals(pages: Pages | SampledPages) -> tuple[int, ...]:
    totals = {page.total for page in pages.newest.values()}
    return tuple(sorted(total for total in totals if total is not None))
