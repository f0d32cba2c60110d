"""Read a collection from its first page to its last, and prove that nothing is missing."""

# For collections that grow meanwhile, a stable sort is used (by id, else by created_at), as long
# as the pages show that the directory applies it. Other changes are located with few requests
# (`dirframe.archive.rounds.tracking`), and at the end completeness is proven as for a load
# (`dirframe.client.paging.completeness`).

from __future__ import annotations

from array import array
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from dirframe.archive.model import Doubt, Reason, RoundKind
from dirframe.archive.rounds.changes import NEWEST_FIRST, first_changes
from dirframe.archive.rounds.tracking import CollectionTracker
from dirframe.archive.writer import is_client_error
from dirframe.client.paging.completeness import MAX_REFETCHES
from dirframe.client.paging.ids import NO_ID, IdCodec, IdIndex, concatenate, repeats, unique
from dirframe.client.paging.prefetch import fetch_ahead
from dirframe.errors import NotFoundError, ServiceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dirframe.archive.model import PageRecord, Round
    from dirframe.archive.rounds.known import KnownState
    from dirframe.archive.writer import ArchiveWriter
    from dirframe.client.paging.completeness import PagePosition
    from dirframe.client.paging.ids import Codes


def start_round(writer: ArchiveWriter, sorts: Sequence[str | None] | None = None) -> Round:
    """Start a full round with the first sort that the directory is shown to apply."""
    sorts = sorts or ["id", "created_at", None]
    for sort in sorts:
        try:
            first = writer.fetch(1, sort)
        except ServiceError as error:
            if sort == sorts[-1] or not is_client_error(error):
                raise
            continue
        page = first.page
        is_sorted = page.ordered and page.low is not None
        if len(sorts) == 1 or sort is None or not page.ids or is_sorted:
            break
    return writer.start_round(RoundKind.FULL, sort, first)


def run_round(
    writer: ArchiveWriter,
    current: Round,
    known: KnownState | None = None,
    *,
    check: bool = False,
) -> None:
    """Fetch the remaining pages of a round, and finish it with its proof.

    As many records may have been added as removed between two pages of an earlier state. So with
    `check`, a round of changes is started if there is one and the directory sorts by change.
    """
    if current.outcome is None:
        _RoundRun(writer, current, known, check=check).run()


class _RoundRun:
    def __init__(
        self, writer: ArchiveWriter, current: Round, known: KnownState | None, *, check: bool
    ) -> None:
        self._writer, self._round, self._known = writer, current, known
        self._check = check
        self._codec = IdCodec() if known is None else known.codec
        # Locating many removed records costs as much as fetching everything.
        budget = {} if known is None else {"probe_budget": 1}
        self._tracker = CollectionTracker(current.sort, self._codec, **budget)
        if known is not None:
            self._tracker.seed(known.ids, known.counts)
        page = None
        for page in writer.store.pages(current):
            self._tracker.add_page(page)
        if page is not None and page.session != writer.session:
            self._tracker.start_session()

    def run(self) -> None:
        self._read_on()
        for _ in range(MAX_REFETCHES):
            restless = self._round.pages > MAX_REFETCHES * self._tracker.pages
            if self._cannot_succeed:
                break
            if self._tracker.is_uncertain and not restless:
                self._tracker.reset()
            elif unfit := self._tracker.positions().inconsistent_pages():
                for page in unfit:
                    self._read(page)
            else:
                break
            self._read_on()
        self._finish()

    @property
    def _cannot_succeed(self) -> bool:
        """Return whether the known records say nothing about the current order."""
        tracker = self._tracker
        return self._known is not None and (tracker.is_uncertain or not tracker.is_stable)

    def _read_on(self) -> None:
        """Store the expected pages, and the one after the last if its end shows nothing."""
        while True:
            while not self._cannot_succeed and (numbers := self._tracker.next_pages()):
                self._read_all(numbers)
            positions = self._tracker.positions()
            missing = positions.missing_pages()
            if (
                self._cannot_succeed
                or self._tracker.end
                or not positions.is_behind_the_last(missing)
                or self._read(missing[0])
            ):
                return

    def _read_all(self, numbers: Sequence[int]) -> None:
        """Store pages concurrently, up to the end or to another state of the collection."""
        if len(numbers) == 1:
            self._read(numbers[0])
            return
        keep = partial(self._writer.fetch_and_record, self._round)
        for _, page in fetch_ahead(keep, lambda _: None, numbers, self._writer.workers):
            if not self._tracker.add_page(page) or self._tracker.end:
                break

    def _read(self, page: int) -> bool:
        """Store a page; return whether the collection is unchanged."""
        try:
            return self._tracker.add_page(self._writer.fetch_and_record(self._round, page))
        except NotFoundError:  # also means that there is no further page
            self._tracker.end = page
            return True

    def _finish(self) -> None:
        ids, facts = self._proof()
        pages = self._writer.store.pages(self._round)
        if self._known is None:
            facts |= _resolution(pages, ids, self._codec)
        else:
            facts |= self._removals(self._known, pages, ids, facts["doubt"])
        first = None
        if self._check and facts["doubt"] is None and self._tracker.is_remembered:
            first = first_changes(self._writer)  # before the end: whatever stops it, it is repeated
            if first is None and self._tracker.may_grow_anywhere:
                facts["doubt"] = Doubt(Reason.UNSTABLE_ORDER)
        self._writer.finish_round(self._round, **facts)
        if first is not None:
            self._writer.start_round(RoundKind.CHANGES, NEWEST_FIRST, first)

    def _removals(
        self, known: KnownState, pages: Iterable[PageRecord], ids: Codes, doubt: Doubt | None
    ) -> dict[str, Any]:
        """Return the removed records, and what is in doubt about them.

        Equal counts prove that the remembered records between two pages are there, as all records
        of the directory are among the stored ones, and those without a known place are on pages.
        """
        read = np.unique(concatenate(known.codec.encode(page.ids) for page in pages))
        gone = np.setdiff1d(np.union1d(known.held, read), ids)
        if doubt is None and not self._tracker.is_stable:
            doubt = Doubt(Reason.UNSTABLE_ORDER)
        if doubt is None and np.isin(gone, np.union1d(known.recent, known.unplaced)).any():
            doubt = Doubt(Reason.UNSTABLE_ORDER)
        if doubt is not None:
            return {"doubt": Doubt(Reason.REMOVALS_UNKNOWN, (str(doubt),))}
        if self._tracker.has_changed or not np.isin(read, known.held).all():
            doubt = Doubt(Reason.TOO_MANY_CHANGES)  # more may have been added, at any place
        return {"doubt": doubt, "gone": _sorted_ids(set(gone.tolist()), known.codec)}

    def _proof(self) -> tuple[Codes, dict[str, Any]]:
        """Return the ids of the records, in the order of the collection, and what is proven."""
        positions = self._tracker.positions()
        used = positions.contiguous_pages()
        doubt = self._tracker.uncertainty()
        if doubt is None:
            text = positions.incomplete_reason(*_counts(used))
            doubt = Doubt(Reason.PAGES_UNPROVEN, (text,)) if text else None
        facts = {"pages": len(used) or 1, "available": self._tracker.available, "doubt": doubt}
        return concatenate(page.ids for page in used), facts


def _counts(pages: Sequence[PagePosition]) -> tuple[int, int, int]:
    """Return the numbers of different records, of those without an id, and of repeated ones."""
    records = sum(len(page.ids) for page in pages)
    without_id = sum(page.ids.count(NO_ID) for page in pages)
    repeated = int(np.count_nonzero(repeats(page.ids for page in pages) != NO_ID))
    return records - repeated, without_id, repeated


def _resolution(pages: Iterable[PageRecord], ids: Codes, codec: IdCodec) -> dict[str, Any]:
    """Return the pages that hold a round's records, the number of duplicates, and removals.

    Parameters
    ----------
    pages
        The pages read, in order of their fetch.
    ids
        The codes of the records' ids, in the order of the collection.
    codec
        Encodes the ids.
    """
    index = IdIndex(unique(ids))
    newest = np.zeros(len(index), dtype=np.int32)  # number of the page with the newest version
    numbers: list[int] = []
    ages: list[tuple[int, str]] = [(0, "")]  # a later session is newer, whatever the clock said
    read = array("q")
    gone: set[int] = set()
    for page in pages:
        numbers.append(page.page)
        ages.append((page.session, page.retrieved))
        codes = codec.encode(page.ids)
        read.extend(codes)
        positions = index.find(codes)
        gone.update(compress(codes, positions < 0))
        positions = positions[positions >= 0]
        is_newer = [ages[before] <= ages[page.number] for before in newest[positions]]
        newest[positions[is_newer]] = page.number
    newest = newest[newest > 0]
    others = newest[1:][newest[1:] != newest[:-1]]
    order = list(dict.fromkeys([*newest[:1].tolist(), *others.tolist()]))
    is_plain = len(order) == len(numbers) and [numbers[n - 1] for n in order] == list(
        range(1, len(order) + 1)
    )
    return {
        "order": None if is_plain else order,
        "repeated": len(set(repeats([read]).tolist()) - {NO_ID}),
        "gone": _sorted_ids(gone, codec),
    }


def _sorted_ids(codes: set[int], codec: IdCodec) -> list[str]:
    """Return the ids of codes, but not the one of records without an id."""
    return sorted(codec.decode(code) or "" for code in codes - {NO_ID})
