"""The state of a walk by ids: which ids to ask for next, and what a page of them decides."""

# Today's live service returns, of any ids, the first 25 projects that exist, in the order of ids. A page
# is one statement of its database: it decides each id asked for up to the last one received, or all of
# them if it has fewer than 25 records. So nothing shifts, and nothing has to be read again.
#
# Worked example: the projects 1 to 30, 500 to 520 and 950 exist, and 1,000 is the largest id.
#
#   asked for     received          total  decided       next
#   1-400         1-25              30     1-25          26-425, still 400 ids
#   26-425        26-30             5      26-425        426-1000, at most 800: fewer than 25 came
#   426-1000      500-520, 950      22     426-1000      nothing
#
# A request that is too long for the server: half as many ids, from now on.
#
#   1-400         status 414               nothing       1-200
#   1-200         1-25              30     1-25          26-225
#
# The project 500 cannot be sent: the page that would hold it fails, as often as it is asked for.
#
#   426-1000      status 404               nothing       426-1000
#   426-1000      status 404               nothing       426-712
#   426-712       status 404               nothing       426-568
#   426-568       status 404               nothing       426-496
#   426-496       nothing           0      426-496       497-532
#   497-532       status 404               nothing       497-514
#   497-514       status 404               nothing       497-505
#   497-505       status 404               nothing       497-500
#   497-500       status 404               nothing       497-498
#   497-498       nothing           0      497-498       499
#   499           nothing           0      499           500
#   500           status 404               nothing       500
#   500           status 404               500, as lost  501-1000
#   501-1000      501-520, 950      21     501-1000      nothing
#
# A failure changes the next requests only: the one behind them begins where it would have begun, so that a
# load that is run again finds its pages in the cache.

from __future__ import annotations

import enum
import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, islice, pairwise, takewhile

#: Most records that the service sends on a page.
PAGE_SIZE = 25
#: Ids in a usual request: 3 kB.
WINDOW = 400
#: Most bytes of the line of a request. The server takes 8,190; a firewall before it may take fewer.
MAX_LINE = 6_000
#: The largest id that the service's database can hold.
MAX_ID = 2**31 - 1

#: Records lost in a row, with no page between them, that show that the service itself is broken.
_MAX_LOST_IN_A_ROW = 3
#: Ids behind a missing page that are looked at for the next one: that of ten usual requests.
_LOOK_AHEAD = 10 * WINDOW
#: Standard errors that a hit rate may be away from what the directory states.
_STANDARD_ERRORS = 4
#: By ids may cost this much more than by page numbers: it proves more, also over days.
_TOLERANCE, _ALLOWANCE = 1.01, 5


# -- sets of ids -----------------------------------------------------------------------------


class IdSet:
    """A set of ids, kept as its runs: the ids 1 to 700,000 are one run."""

    def __init__(self, ids: Iterable[int] = ()) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        self._count = 0
        for number in sorted(set(ids)):
            self._append(number, number)

    @classmethod
    def from_runs(cls, runs: Iterable[tuple[int, int]]) -> IdSet:
        """Return the set of runs in ascending order, which do not touch; both ends are in it."""
        ids = cls()
        for first, last in runs:
            ids._append(first, last)
        return ids

    def _append(self, first: int, last: int) -> None:
        self._count += last - first + 1
        if self._lasts and self._lasts[-1] == first - 1:
            self._lasts[-1] = last
        else:
            self._firsts.append(first)
            self._lasts.append(last)

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The runs in ascending order, each with its first and its last id."""
        return list(zip(self._firsts, self._lasts, strict=True))

    @property
    def first_run(self) -> range:
        """The ids of the first run; none of an empty set."""
        return range(self._firsts[0], self._lasts[0] + 1) if self._firsts else range(0)

    @property
    def largest(self) -> int:
        """The largest id; 0 of an empty set."""
        return self._lasts[-1] if self._lasts else 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        runs = zip(self._firsts, self._lasts, strict=True)
        return chain.from_iterable(range(first, last + 1) for first, last in runs)

    def remove(self, first: int, last: int) -> int:
        """Remove the ids from `first` to `last`, and return how many of them were in the set."""
        begin = bisect_left(self._lasts, first)
        end = bisect_right(self._firsts, last)
        if begin >= end:
            return 0
        affected = list(zip(self._firsts[begin:end], self._lasts[begin:end], strict=True))
        remaining = []
        if affected[0][0] < first:
            remaining.append((affected[0][0], first - 1))
        if affected[-1][1] > last:
            remaining.append((last + 1, affected[-1][1]))
        self._firsts[begin:end] = [run[0] for run in remaining]
        self._lasts[begin:end] = [run[1] for run in remaining]
        removed = _count(affected) - _count(remaining)
        self._count -= removed
        return removed


def _count(runs: Iterable[tuple[int, int]]) -> int:
    return sum(last - first + 1 for first, last in runs)


def is_number(text: str) -> bool:
    """Return whether a text has digits alone."""
    return text.isascii() and text.isdigit()


def is_id(text: str) -> bool:
    """Return whether a text is an id as the directory writes it."""
    return is_number(text) and text == str(int(text)) and 0 < int(text) <= MAX_ID


# -- what is asked for, and whether a page answers it ----------------------------------------


@dataclass(frozen=True, slots=True)
class Window:
    """The ids of one request, in ascending order."""

    ids: tuple[int, ...]

    @property
    def first(self) -> int:
        """The lowest id."""
        return self.ids[0]

    @property
    def last(self) -> int:
        """The highest id."""
        return self.ids[-1]

    @property
    def text(self) -> str:
        """The value of the parameter `ids`; its commas are sent as they are."""
        return ",".join(map(str, self.ids))

    @property
    def is_run(self) -> bool:
        """Whether it has all ids from its first to its last."""
        return len(self.ids) == self.last - self.first + 1

    @property
    def name(self) -> str:
        """What stands for the ids in cache keys and addresses: the ends of a run, or a digest."""
        if self.is_run:
            return f"{self.first}-{self.last}"
        return f"{len(self.ids)}-of-{sha256(self.text.encode()).hexdigest()[:32]}"

    def __len__(self) -> int:
        return len(self.ids)


def lowest(ids: Iterable[int], count: int, room: int) -> Window | None:
    """Return the first ids of some in ascending order, whose text has at most `room` bytes."""
    window: list[int] = []
    for number in islice(ids, count):
        room -= len(str(number)) + 1  # and a comma
        if room < 0 and window:
            break
        window.append(number)
    return Window(tuple(window)) if window else None


def window_above(bound: int) -> Window | None:
    """Return the ids behind a bound: none of them exists, if it is the largest one."""
    last = min(bound + WINDOW, MAX_ID)
    return Window(tuple(range(bound + 1, last + 1))) if last > bound else None


class Doubt(enum.Enum):
    """Why a page is no answer to the ids that were asked for: the service does not know `ids`."""

    NO_ID = enum.auto()  # a record has no id, or none that is a number
    NOT_ASKED_FOR = enum.auto()  # a record was not asked for
    ORDER = enum.auto()  # the records are not in the order of ids, each once
    POSITION = enum.auto()  # it is not the first page
    LENGTH = enum.auto()  # it has more than 25 records
    TOTAL = enum.auto()  # it has fewer than 25 records and another total, or a total of more ids


def find_doubt(
    window: Window, ids: Sequence[str | None], total: int | None, position: int | None
) -> Doubt | None:
    """Return why a page is not believed to answer a window; None if it is."""
    numbers = [int(text) for text in ids if text is not None and text.isdecimal()]
    is_short = len(numbers) < PAGE_SIZE
    doubt = None
    if len(numbers) < len(ids):
        doubt = Doubt.NO_ID
    elif not set(numbers) <= set(window.ids):
        doubt = Doubt.NOT_ASKED_FOR
    elif any(number >= following for number, following in pairwise(numbers)):
        doubt = Doubt.ORDER
    elif position != 0:
        doubt = Doubt.POSITION
    elif len(numbers) > PAGE_SIZE:
        doubt = Doubt.LENGTH
    elif total is None or total > len(window) or (is_short and total != len(numbers)):
        doubt = Doubt.TOTAL
    return doubt


# -- the walk --------------------------------------------------------------------------------


class Undecided:
    """The ids that no page has decided yet, and the next ones to ask for.

    `room` is the number of bytes that the text of ids may have: those of a line without its rest. If a
    window is always one run of ids (`in_runs`), its first and its last id say what was asked for: then
    pages can be kept with these, and noted again in any order.
    """

    def __init__(self, ids: IdSet, *, room: int = MAX_LINE, in_runs: bool = False) -> None:
        self.ids = ids
        self.in_runs = in_runs
        self.lost: list[int] = []  # ids of records that cannot be sent
        self.max_ids = MAX_LINE  # of a request: fewer after one that was too long
        self._room = room
        self._size = WINDOW  # ids in the next request
        self._failed: Window | None = None  # the last window, if it failed
        # While the record is looked for that makes windows fail:
        self._suspected: int | None = None  # the last id of the smallest window that failed
        self._half = 0  # ids in the next request
        self._lost_in_a_row = 0

    def fit(self, room: int) -> None:
        """Set the number of bytes that the text of ids may have."""
        self._room = room

    def window(self) -> Window | None:
        """Return the next ids to ask for; None if all are decided."""
        size = self._size if self._suspected is None else self._half
        ids = self.ids.first_run if self.in_runs else self.ids
        return lowest(ids, min(size, self.max_ids), self._room)

    def windows_behind(self, window: Window) -> Iterator[Window]:
        """Yield windows that may follow one whose page is missing: they begin at ids behind its first."""
        ids = list(islice(self.ids, _LOOK_AHEAD + MAX_LINE))
        for place in range(bisect_right(ids, window.first), min(len(ids), _LOOK_AHEAD)):
            size = min(self._size, self.max_ids)
            behind = ids[place : place + size]
            if self.in_runs:
                run = range(behind[0], behind[0] + len(behind))
                behind = [
                    number for number, other in zip(behind, run, strict=True) if number == other
                ]
            following = lowest(behind, size, self._room)
            if following is not None:
                yield following

    def decide(self, window: Window, received: Sequence[int]) -> None:
        """Note a page: it decides its window up to the last id received, or all of it."""
        is_full = len(received) >= PAGE_SIZE
        decided = self.ids.remove(window.first, received[-1] if is_full else window.last)
        self._failed = None
        self._lost_in_a_row = 0
        if is_full:
            # The records of the window that failed, too: nothing is wrong with them.
            self._suspected = None
        if self._suspected is not None:
            self._suspect_the_rest(self._suspected)
        elif not is_full:
            self._size = min(2 * self._size, MAX_LINE)
        elif decided <= self._size // 2:
            self._size = max(self._size // 2, WINDOW)

    def fail(self, window: Window) -> bool:
        """Note that a window has no answer; return whether there is something to try.

        It is asked for again, then half of it, down to the one record that cannot be sent. If several
        are lost in a row, with no page between them, it is not they that are at fault.
        """
        is_repeated = self._failed == window
        self._failed = window
        if not is_repeated and (self._suspected is None or len(window) == 1):
            return True
        if self.halve(window):
            return True
        self.lost.append(window.first)
        self.ids.remove(window.first, window.first)
        self._suspected = None
        self._lost_in_a_row += 1
        return self._lost_in_a_row < _MAX_LOST_IN_A_ROW

    def halve(self, window: Window) -> bool:
        """Ask for half of a window that took too long; return whether that can be."""
        if len(window) == 1:
            return False
        self._suspected = window.last
        self._half = len(window) // 2
        return True

    def shorten(self, window: Window) -> bool:
        """Ask for half as many ids from now on, for these are too many; return whether that can be."""
        self.max_ids = max(len(window) // 2, 1)
        return len(window) > 1

    def bounds_of_requests(self, available: int | None, sent: int) -> tuple[int, int]:
        """Return the least and the greatest number of requests to come, if nothing changes.

        `available` are the records that exist, `sent` those received; None: each id may exist.
        """
        if not self.ids:
            return 0, 0
        longest = max(min(self._room // (len(str(self.ids.largest)) + 1), self.max_ids), 1)
        if available is None:
            return math.ceil(len(self.ids) / longest), math.ceil(len(self.ids) / PAGE_SIZE)
        pages = math.ceil(max(available - sent, 0) / PAGE_SIZE)
        usual = max(min(WINDOW, self.max_ids), 1)
        return max(pages, 1), pages + math.ceil(len(self.ids) / usual) + 1

    def _suspect_the_rest(self, last: int) -> None:
        """Suspect the other half of a window, after this one was answered."""
        rest = takewhile(lambda number: number <= last, self.ids)
        count = sum(1 for _ in rest)
        self._half = max(count // 2, 1)
        self._suspected = last if count else None


# -- what it costs ---------------------------------------------------------------------------


def estimate_by_ids(available: int, bound: int, *, room: int = MAX_LINE) -> int:
    """Return the requests by ids for all ids up to a bound, if those that exist are spread evenly."""
    longest = room // (len(str(bound)) + 1)
    return max(math.ceil(available / PAGE_SIZE), math.ceil(bound / longest))


def estimate_by_numbers(available: int) -> int:
    """Return the requests for all pages by their numbers, with the one behind a full last page."""
    return available // PAGE_SIZE + 1


def are_numbers_cheaper(available: int, bound: int, *, room: int = MAX_LINE) -> bool:
    """Return whether ids are so sparse that pages by their numbers cost clearly less."""
    by_ids = estimate_by_ids(available, bound, room=room)
    return by_ids > _TOLERANCE * estimate_by_numbers(available) + _ALLOWANCE


# -- a random sample -------------------------------------------------------------------------


def rank_ids(seed: int, bound: int) -> array[int]:
    """Return the ids 1 to `bound` in the order in which a seed draws them.

    An id has the same digest whatever the bound is. So with more ids the others keep their order, and
    a smaller sample is the beginning of a larger one.
    """

    def digest(number: int) -> bytes:
        return sha256(f"{seed}:{number}".encode()).digest()

    return array("L", sorted(range(1, bound + 1), key=digest))


def is_rate_credible(drawn: int, existing: int, available: int, bound: int) -> bool:
    """Return whether as many of the drawn ids exist as of all ids, within four standard errors.

    The variance is that of drawing without replacement, and one record more: where almost all ids
    exist, a single deletion is many standard errors.
    """
    if not drawn:
        return True
    rate = min(available / bound, 1.0)
    correction = (bound - drawn) / max(bound - 1, 1)
    variance = drawn * rate * (1 - rate) * correction + 1
    return abs(existing - drawn * rate) <= _STANDARD_ERRORS * math.sqrt(variance)


class Draw:
    """A simple random sample, without replacement, of the projects whose id is at most `bound`.

    Ids are drawn in the order of `rank_ids`, in batches. Each batch is decided whole, in the order of
    ids, before the sample is known: the first `size` of the drawn ids that exist. To stop at the page
    that brings the last one needed would take those with the lowest ids.
    """

    def __init__(
        self, *, size: int, seed: int, bound: int, available: int, room: int = MAX_LINE
    ) -> None:
        self.size = size
        self.seed = seed
        self.bound = bound
        self.available = available
        self.drawn = 0  # ids drawn so far
        self._ranking = rank_ids(seed, bound)
        self._room = room
        self._existing: set[int] = set()
        self._lost: set[int] = set()
        self._batch = Undecided(IdSet(), room=room)
        # Of batches of earlier runs, which could not be sent then: asked for behind the last batch.
        self._again = Undecided(IdSet(), room=room)
        self._draw()

    # It is asked for as `Undecided` is, by methods of the same names.

    def fit(self, room: int) -> None:
        """Set the number of bytes that the text of ids may have."""
        self._room = room
        self._batch.fit(room)
        self._again.fit(room)

    @property
    def _part(self) -> Undecided:
        """The ids to ask for: of the last batch, then those that could not be sent."""
        return self._batch if self._batch.ids else self._again

    def window(self) -> Window | None:
        """Return the next ids to ask for; None if the sample is decided."""
        return self._part.window()

    def windows_behind(self, window: Window) -> Iterator[Window]:
        """Yield windows that may follow one whose page is missing."""
        return self._part.windows_behind(window)

    def decide(self, window: Window, received: Sequence[int]) -> None:
        """Note a page; behind the last one of a batch more ids are drawn if too few exist."""
        part = self._part
        before = set(part.ids) if part is self._again else set()
        part.decide(window, received)
        decided = before - set(part.ids)
        self._lost -= decided
        self._existing -= decided
        self._existing.update(received)
        self._draw()

    def fail(self, window: Window) -> bool:
        """Note that a window has no answer: a record that cannot be sent exists, and may be drawn."""
        part = self._part
        is_worth_it = part.fail(window)
        self._lost.update(part.lost)
        self._existing.update(part.lost)
        self._draw()
        return is_worth_it

    def halve(self, window: Window) -> bool:
        """Ask for half of a window that took too long; return whether that can be."""
        return self._part.halve(window)

    def shorten(self, window: Window) -> bool:
        """Ask for half as many ids from now on; return whether that can be."""
        return self._part.shorten(window)

    def catch_up(self, drawn: int) -> None:
        """Draw up to the batch of a stored page: what was not decided before it could not be sent."""
        while self.drawn < drawn:
            rest = set(self._batch.ids)
            self._lost |= rest
            self._existing |= rest
            self._batch.ids = IdSet()
            self._again = Undecided(IdSet(self._lost), room=self._room)
            before = self.drawn
            self._draw()
            if self.drawn == before:
                return

    @property
    def expected(self) -> int:
        """The number of records in the sample: as many as there are, if they are fewer."""
        if self.window() is None:
            return len(self.kept())
        return min(self.size, self.available)

    def bounds_of_requests(self, available: int | None, sent: int) -> tuple[int, int]:  # noqa: ARG002  # of `Undecided`
        """Return the least and the greatest number of requests to come, in 9,999 of 10,000 cases."""
        count = len(self._batch.ids)
        again = math.ceil(len(self._again.ids) / PAGE_SIZE)
        if not count:
            return again, again
        rate = min(self.available / self.bound, 1.0)
        spread = _STANDARD_ERRORS * math.sqrt(count * rate * (1 - rate))
        least = math.ceil((count * rate - spread) / PAGE_SIZE)
        most = math.ceil((count * rate + spread) / PAGE_SIZE) + math.ceil(count / WINDOW) + 2
        return max(least, 1) + again, most + again

    @property
    def existing(self) -> int:
        """The number of drawn ids that exist; those behind the last one kept are dropped."""
        return len(self._existing)

    @property
    def lost(self) -> list[int]:
        """The ids of records of the sample that cannot be sent."""
        return [number for number in self.kept() if number in self._lost]

    @property
    def is_random(self) -> bool:
        """Whether, of a decided sample, the share of ids that exist agrees with what is stated."""
        return is_rate_credible(self.drawn, self.existing, self.available, self.bound)

    def kept(self) -> list[int]:
        """Return the ids of a decided sample, in the order drawn."""
        drawn = self._ranking[: self.drawn]
        return [number for number in drawn if number in self._existing][: self.size]

    def _draw(self) -> None:
        """Draw the next batch: as many ids as are needed, in 97 of 100 cases."""
        needed = self.size - self.existing
        if self._batch.ids or needed <= 0 or self.drawn == self.bound:
            return
        rate = self.available / self.bound
        if self.drawn:
            rate = (self.existing + 1) / (self.drawn + 1)
        rate = min(max(rate, 1 / self.bound), 1.0)
        margin = 2 * math.sqrt(needed * (1 - rate))
        end = self.drawn + math.ceil((needed + margin) / rate)
        max_ids = self._batch.max_ids
        self._batch = Undecided(IdSet(self._ranking[self.drawn : end]), room=self._room)
        self._batch.max_ids = max_ids
        self.drawn = min(end, self.bound)
