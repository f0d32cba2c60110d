"""Harvest a collection over days: every page is stored as received, and paid only once."""

# For collections that grow meanwhile, a stable sort is used (by id, else by created_at), as long
# as the pages show that the directory applies it. Other changes are located with few requests
# (`dirframe.archive.tracking`), and at the end completeness is proven as for a load
# (`dirframe.client.paging.completeness`).

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import partial
from itertools import compress, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dirframe.archive.archive import Archive
from dirframe.archive.model import Doubt, Reason, RoundKind
from dirframe.archive.snapshot import Snapshot, read_page
from dirframe.archive.status import has_details, is_finished, rounds_as_of
from dirframe.archive.tracking import CollectionTracker
from dirframe.archive.writer import Budget, is_client_error, open_writer
from dirframe.client.details import Sent, check_details, read_sent
from dirframe.client.paging.completeness import MAX_REFETCHES, PAGES_PER_CHUNK
from dirframe.client.paging.ids import NO_ID, IdCodec, IdIndex, concatenate, repeats, unique
from dirframe.client.paging.prefetch import fetch_ahead
from dirframe.client.paging.query import CollectionQuery
from dirframe.client.xml.parser import PageParser
from dirframe.errors import InvalidInputError, NotFoundError, ServiceError
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from dirframe.archive.model import PageRecord, Round
    from dirframe.archive.writer import ArchiveWriter
    from dirframe.client.directory import Directory
    from dirframe.client.paging.completeness import Page
    from dirframe.client.paging.ids import Codes


def harvest(
    collection: Literal["accounts", "projects"],
    path: str | Path,
    *,
    directory: Directory | None = None,
    query: str | None = None,
    sort: str | None = None,
    details: bool = False,
    requests_per_day: int | None = None,
    stop_at: datetime | None = None,
) -> Archive:
    """Store a whole collection in a file, page by page, over as many days as needed.

    Parameters
    ----------
    collection : {"accounts", "projects"}
        The collection to store.
    path : str or pathlib.Path
        The archive file; repeating the call continues an unfinished harvest.
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    query : str, optional
        Only records that match.
    sort : str, optional
        The sort order. Default: by id, or by created_at, if the directory's first page shows
        that it is applied; otherwise the directory's own order.
    details : bool, default False
        Whether to store the own page of each project that the collection returns without its
        analysis: one request each. Today's live service sends analyses only there. An `update`
        then does the same for the projects it fetches.
    requests_per_day : int, optional
        Maximum number of requests within 24 hours for this archive. Default: the key's quota.
    stop_at : datetime.datetime, optional
        When to stop. Default: at the end.

    Returns
    -------
    Archive
        The archive; its ``status()`` tells whether it is finished.

    Raises
    ------
    QuotaExceededError
        If the daily quota is used up; ``resets_at`` is the time of its reset. Repeating the
        call then fetches only missing pages.
    RequestError
        If the directory cannot be reached or refuses; pages already fetched are stored.
    ArchiveError
        If another process is writing to the file, it is damaged, the disk is full, or it
        contains another collection.
    InvalidInputError
        If an argument is invalid.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     archive = dirframe.harvest("projects", "kept.archive", directory=directory)
    >>> archive.status().pages, archive.status().complete
    (60, True)
    """
    resources = {resource.collection: resource for resource in RESOURCES.values()}
    if collection not in resources:
        raise InvalidInputError(
            f"There is no collection {collection!r}; choose one of {', '.join(resources)}."
        )
    check_details(resources[collection], details=details)
    collection_query = CollectionQuery(resource=resources[collection], query=query, sort=sort)
    file = Path(path)
    budget = Budget(requests_per_day, stop_at)
    with open_writer(file, directory, collection_query, budget, details=details) as writer:
        rounds = writer.rounds
        if not rounds:
            run_round(writer, start_round(writer, [sort] if sort else None))
        elif rounds[-1].kind is RoundKind.FULL:
            run_round(writer, rounds[-1])
        begun = rounds[-1].outcome is not None or rounds[-1].kind is RoundKind.DETAILS
        if details and begun and not (has_details(rounds) and is_finished(rounds)):
            run_details(writer)
    return Archive(file)


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
        if len(sorts) == 1 or sort is None or not page.ids:
            break
        if page.ordered and page.low is not None:
            break
    return writer.start_round(RoundKind.FULL, sort, first)


def run_round(writer: ArchiveWriter, current: Round, known: KnownState | None = None) -> None:
    """Fetch the remaining pages of a round, and finish it with its proof."""
    if current.outcome is None:
        _RoundRun(writer, current, known).run()


@dataclass(frozen=True)
class KnownState:
    """The stored records, before a round that finds removals.

    Parameters
    ----------
    ids
        Those whose place is known, in the order of the collection.
    counts
        The counts of the directory while the changes were read.
    held, recent
        All stored records, and those read with the last changes.
    unplaced
        Those that may stand anywhere in the order.
    codec
        Encodes the ids.
    """

    ids: Codes
    counts: set[int | None]
    held: Codes
    recent: Codes
    unplaced: Codes
    codec: IdCodec


class _RoundRun:
    def __init__(self, writer: ArchiveWriter, current: Round, known: KnownState | None) -> None:
        self._writer, self._round, self._known = writer, current, known
        self._codec = IdCodec() if known is None else known.codec
        # Locating many removed records costs as much as fetching everything.
        self._tracker = (
            CollectionTracker(current.sort, self._codec)
            if known is None
            else CollectionTracker(current.sort, self._codec, probe_budget=1)
        )
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
            behind = positions.missing_pages()
            if (
                self._cannot_succeed
                or self._tracker.end
                or not positions.is_behind_the_last(behind)
                or self._read(behind[0])
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
        self._writer.finish_round(self._round, **facts)

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
            return {"doubt": Doubt.because(Reason.REMOVALS_UNKNOWN, str(doubt))}
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
            doubt = Doubt.because(Reason.PAGES_UNPROVEN, text) if text else None
        facts = {"pages": len(used) or 1, "available": self._tracker.available, "doubt": doubt}
        return concatenate(page.ids for page in used), facts


def _counts(pages: Sequence[Page]) -> tuple[int, int, int]:
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
        found = index.find(codes)
        gone.update(compress(codes, found < 0))
        found = found[found >= 0]
        is_newer = [ages[before] <= ages[page.number] for before in newest[found]]
        newest[found[is_newer]] = page.number
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


# -- own pages of records ------------------------------------------------------------------


def run_details(writer: ArchiveWriter) -> None:
    """Fetch the own pages that are needed and not stored yet, and finish their round.

    They are stored like other pages, in a round of their own that follows each of the others. The
    pages needed follow from the stored pages, so they are the same after an interruption.
    """
    rounds = rounds_as_of(writer.rounds, None)
    is_running = rounds[-1].kind is RoundKind.DETAILS and rounds[-1].outcome is None
    running = rounds.pop() if is_running else None
    needed = _needed_details(writer, rounds)
    current = running or writer.start_round(RoundKind.DETAILS, expected=len(needed))
    done = {identifier for page in writer.store.pages(current) for identifier in page.ids}
    done |= {refusal.id for refusal in writer.store.refusals(current)}
    remaining = [
        (number, identifier)
        for number, identifier in enumerate(needed, 1)
        if identifier not in done
    ]

    def fetch(wanted: tuple[int, str]) -> bool:
        writer.fetch_details(current, *wanted)
        return True

    for _ in fetch_ahead(fetch, lambda _: None, remaining, writer.workers):
        pass
    writer.finish_round(current, pages=current.pages, available=None)


def abandon_details(writer: ArchiveWriter, current: Round) -> None:
    """Finish a round of own pages early; the pages already fetched count."""
    doubt = Doubt(Reason.DETAILS_PENDING)
    writer.finish_round(current, pages=current.pages, available=None, doubt=doubt)


def _needed_details(writer: ArchiveWriter, rounds: list[Round]) -> list[str]:
    """Return the ids of the records that need their own page, in the order of the collection."""
    refused = {
        refusal.id: round_.number for round_ in rounds for refusal in writer.store.refusals(round_)
    }
    ids: list[str | None] = []
    numbers: list[int] = []
    held, named = [np.zeros(0, dtype=bool)], [np.zeros(0, dtype=bool)]
    readings = (
        (round_.number, page, mask)
        for round_, page, mask in Snapshot(writer.store, rounds).pages()
        if round_.kind is not RoundKind.DETAILS
    )
    parser = PageParser()
    while chunk := list(islice(readings, PAGES_PER_CHUNK)):
        parsed = (
            parser.parse(read_page(writer.store, page), source=page.sha256) for _, page, _ in chunk
        )
        page_ids, sent = read_sent(parsed, writer.query.resource)
        counts = np.concatenate(
            [
                np.ones(len(page.ids), dtype=bool) if mask is None else mask
                for _, page, mask in chunk
            ]
        )
        round_numbers = np.repeat([n for n, _, _ in chunk], [len(page.ids) for _, page, _ in chunk])
        ids += [
            identifier for identifier, counting in zip(page_ids, counts, strict=True) if counting
        ]
        numbers += round_numbers[counts].tolist()
        held.append(sent.held[counts])
        named.append(sent.named[counts])
    lacking = Sent(np.concatenate(held), np.concatenate(named)).needed()
    return [
        identifier
        for identifier, number, needed in zip(ids, numbers, lacking, strict=True)
        if needed and identifier is not None and refused.get(identifier, 0) < number
    ]
