"""Update an archive with few requests, and keep its earlier states."""

# If a directory sorts by ``updated_at_reverse``, changed records come first. So pages are fetched
# until their records were changed before the last round began, with a margin of one day: clocks
# differ, and some directories truncate times to midnight. Each page is checked for this order. Since
# the newest records may be in this order by creation too, the opposite order has to begin with
# different records. Otherwise a full round is made instead.
#
# Records removed from a directory are on none of these pages. The count tells how many were removed.
# Once all changes are read, every record of the directory is among the stored ones. So where each of
# these has its place in a stable order, or is on a page that is read, the two differ only by the removed
# ones: each page shows how many were removed before it, and a bisection locates each
# (`dirframe.archive.tracking`), with some ten requests for a thousand pages. This holds for one state of
# the directory: if its count changes meanwhile, the changes are read again.

from __future__ import annotations

from array import array
from datetime import UTC, datetime, timedelta
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dirframe.archive.archive import Archive, open_archive
from dirframe.archive.harvest import (
    KnownState,
    abandon_details,
    run_details,
    run_round,
    start_round,
)
from dirframe.archive.model import Doubt, Reason, RoundKind
from dirframe.archive.snapshot import Snapshot, read_page
from dirframe.archive.status import has_details, rounds_as_of
from dirframe.archive.tracking import sort_keys
from dirframe.archive.writer import Budget, is_client_error, open_writer
from dirframe.client.paging.completeness import MAX_REFETCHES
from dirframe.client.paging.ids import EMPTY, IdCodec, IdIndex, concatenate, unique
from dirframe.client.paging.query import CollectionQuery
from dirframe.client.xml.records import RecordReader
from dirframe.errors import ArchiveError, NotFoundError, ServiceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dirframe.archive.model import PageRecord, Round
    from dirframe.archive.writer import ArchiveWriter, CompressedPage
    from dirframe.client.directory import Directory
    from dirframe.client.paging.ids import Codes


#: Sorts by change, newest first, if the directory applies it.
NEWEST_FIRST = "updated_at_reverse"
OLDEST_FIRST = "updated_at"

_MARGIN = timedelta(days=1)

#: Limit on steps back to pages that moved, plus one for every second page.
_STEPS_BACK = 10


def update(
    path: str | Path,
    *,
    directory: Directory | None = None,
    full: bool = False,
    requests_per_day: int | None = None,
    stop_at: datetime | None = None,
) -> Archive:
    """Update an archive; its earlier states are kept.

    Fetches the records that changed since the last harvest or update if the directory can sort by
    change, and otherwise all records. If own pages were harvested (``details=True``), those of the
    fetched projects are fetched as well. If the directory counts fewer records than are stored, the
    removed ones are located, wherever in the order others were added. If it counts differently
    meanwhile, the changes are fetched again, three times at most; then ``status()`` says that the
    state is not proven complete.

    Parameters
    ----------
    path : str or pathlib.Path
        The file written by `harvest`; repeating the call continues an unfinished update.
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    full : bool, default False
        Whether to fetch everything again. Needed to see a record that changed without a later
        ``updated_at``, and to detect removed records if the directory has no stable order, or sorts
        by ``created_at`` and records were added with earlier times; otherwise each of these costs
        some ten requests.
    requests_per_day : int, optional
        Maximum number of requests within 24 hours for this archive. Default: the key's quota.
    stop_at : datetime.datetime, optional
        When to stop. Default: at the end.

    Returns
    -------
    Archive
        Its `frame` is the newest state; ``frame(as_of=...)`` is an earlier one. Its
        ``status()`` tells whether the newest is proven complete.

    Raises
    ------
    QuotaExceededError
        If the daily quota is used up; ``resets_at`` is the time of its reset. Repeating the
        call then fetches only missing pages.
    RequestError
        If the directory cannot be reached or refuses; pages already fetched are stored.
    ArchiveError
        If there is no archive, it is of another directory, another process is writing to it,
        or the disk is full.
    InvalidInputError
        If an argument is invalid.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     _ = dirframe.harvest("projects", "current.archive", directory=directory)
    ...     archive = dirframe.update("current.archive", directory=directory)
    >>> archive.status().rounds, archive.status().complete
    (2, True)
    """
    file = Path(path)
    archive = open_archive(file)
    if not archive.rounds:
        raise ArchiveError(f"{file} is empty: nothing was harvested yet. Harvest into it first.")
    collection, details = archive.collection, has_details(archive.rounds)
    query = CollectionQuery(resource=collection.resource, query=collection.query)
    budget = Budget(requests_per_day, stop_at)
    with open_writer(file, directory, query, budget, details=details) as writer:
        last = writer.rounds[-1]
        if full or last.kind is not RoundKind.DETAILS or last.outcome is not None:
            _update(writer, full=full)
        if details:
            run_details(writer)
    return Archive(file)


def _update(writer: ArchiveWriter, *, full: bool) -> None:
    """Continue the unfinished round, or start one."""
    last = writer.rounds[-1]
    if last.outcome is None and last.kind is RoundKind.DETAILS:
        abandon_details(writer, last)
    elif last.outcome is None and last.kind is not RoundKind.FULL and full:
        _abandon(writer, last, Doubt(Reason.REPLACED_BY_FULL))
    elif last.outcome is None and last.kind is RoundKind.REMOVALS:
        find_removed(writer, last)
    if last.outcome is not None:
        last = _start(writer, full=full)
    attempts, outcome = 0, None
    while last.kind is not RoundKind.FULL:
        outcome, attempts = _ChangeScan(writer, last).run(), attempts + 1
        if outcome == "removed" and not find_removed(writer):
            outcome = "behind"
        if outcome in {"known", "removed"} or (outcome == "behind" and attempts == MAX_REFETCHES):
            break
        last = _start(writer, full=outcome == "unsorted")
    if last.kind is RoundKind.FULL:
        run_round(writer, last)
        proven = last.outcome is not None and last.outcome.complete
        if outcome is None and proven and len(_counts(writer, last)) > 1:
            _check_full(writer)


def _check_full(writer: ArchiveWriter) -> None:
    """Fetch what changed during a full round: ids may have been added between those already read."""
    first = _first_changes(writer)
    if first is not None:
        writer.start_round(RoundKind.CHANGES, NEWEST_FIRST, first)
        _update(writer, full=False)


def _start(writer: ArchiveWriter, *, full: bool) -> Round:
    """Start a round of changes, if the first page shows that the directory sorts by change."""
    first = None if full else _first_changes(writer)
    if first is not None:
        return writer.start_round(RoundKind.CHANGES, NEWEST_FIRST, first)
    base = [round_ for round_ in writer.rounds if round_.kind is RoundKind.FULL][-1]
    return start_round(writer, list(dict.fromkeys([base.sort, "id", "created_at", None])))


def _first_changes(writer: ArchiveWriter) -> CompressedPage | None:
    """Return the page of the newest changes; None if the directory does not sort by change."""
    try:
        first = writer.fetch(1, NEWEST_FIRST)
        page = first.page
        if not page.ordered or None in _moments(page):
            return None
        if page.available is not None and page.available <= len(page.ids):
            return first  # the only page
        oldest = writer.fetch(1, OLDEST_FIRST).page
    except ServiceError as error:
        if not is_client_error(error):
            raise
        return None
    return first if oldest.ordered and oldest.ids != page.ids else None


def _abandon(writer: ArchiveWriter, current: Round, doubt: Doubt) -> None:
    """Finish a round that does not count."""
    available = None
    for page in writer.store.pages(current):
        available = page.available
    facts: Any = {"pages": current.pages, "available": available, "doubt": doubt}
    writer.finish_round(current, **facts, reached=False)


class _ChangeScan:
    """Fetch changed records, newest first, down to the known ones."""

    def __init__(self, writer: ArchiveWriter, changes: Round) -> None:
        self._writer, self._round = writer, changes
        excluded = {RoundKind.REMOVALS, RoundKind.DETAILS}
        rounds = [
            round_ for round_ in rounds_as_of(writer.rounds, None) if round_.kind not in excluded
        ]
        gapless = rounds[0]
        self._missing: Doubt | None = None
        for round_ in rounds:
            doubt = round_.outcome.doubt if round_.outcome else None
            if doubt is not None and doubt.reason is Reason.RECORDS_MISSING:
                self._missing = doubt  # one that no time of change shows: counts prove nothing
            if doubt is None or doubt.reason is not Reason.CHANGED_WHILE_READ:
                gapless = round_
        self._since = datetime.fromisoformat(gapless.began) - _MARGIN
        if self._since > datetime.now(UTC):  # a clock that was ahead: all may have changed since
            self._since = datetime.min.replace(tzinfo=UTC)
        self._size = 0
        self._counts: list[int | None] = []
        self._top: Any = None
        self._frontier: Any = None  # all records changed later are stored
        self._last: PageRecord | None = None
        self._honoured = True
        self._next = 1
        self._steps_back = 0
        for page in writer.store.pages(changes):
            self._add_page(page)
        self._go_back_to(self._last)

    def _go_back_to(self, last: PageRecord | None) -> None:
        """Start a session at the last page of the previous one, which may have moved."""
        if last is not None and self._next and last.session != self._writer.session:
            self._next = last.page

    def run(self) -> Literal["known", "removed", "behind", "unsorted"]:
        """Fetch pages until a known record; return how the scan ended.

        ``"removed"`` also reaches a known record, but more are stored than the directory counts.
        ``"behind"`` means that records may have been inserted meanwhile, ``"unsorted"`` that the
        directory does not sort by change.
        """
        while self._honoured and not self._is_reached():
            try:
                self._add_page(self._writer.fetch_and_record(self._round, self._next))
            except NotFoundError:  # after the last page
                self._next = 0
        if not self._honoured:
            _abandon(self._writer, self._round, Doubt.because(Reason.UNSORTED, NEWEST_FIRST))
            return "unsorted"
        known = rounds_as_of(self._writer.rounds, None)
        held = Snapshot(self._writer.store, [*known, self._round]).records
        doubt, available = self._doubt(held, known[0]), self._counts[-1]
        pages = self._round.pages
        self._writer.finish_round(self._round, pages=pages, available=available, doubt=doubt)
        if doubt is not None and doubt.reason is Reason.REMOVED:
            return "removed"
        return "behind" if self._has_changed and held <= (available or 0) else "known"

    def _add_page(self, page: PageRecord) -> None:
        """Move the frontier, if there can be no gap between this page and the previous ones."""
        ids = page.ids
        self._size = self._size or len(ids)
        self._counts.append(page.available)
        if not ids:  # after the last page
            self._next = 0
            return
        high, low = _moments(page)
        if not page.ordered or high is None or low is None:
            self._honoured = False
            return
        last = self._last
        beside = (
            last is not None
            and page.page == last.page + 1
            and (page.session, page.available) == (last.session, last.available)
        )
        if beside and high > self._frontier:
            self._honoured = False
        elif page.page == 1 or beside or self._meets(page, high):
            self._frontier = low if self._frontier is None else min(low, self._frontier)
            self._top = self._top or high
            self._last = page
            is_last = page.available is not None and page.page * self._size >= page.available
            self._next = 0 if is_last else page.page + 1
        else:  # pages moved meanwhile: go back to one that overlaps
            self._steps_back += 1
            self._next = page.page - 1

    def _meets(self, page: PageRecord, high: datetime) -> bool:
        """Return whether a page of another state overlaps the pages so far."""
        if self._last is None or self._has_too_many_gaps():
            return True
        return high > self._frontier or not set(page.ids).isdisjoint(self._last.ids)

    @property
    def _has_changed(self) -> bool:
        return len(set(self._counts)) > 1

    def _has_too_many_gaps(self) -> bool:
        return self._steps_back > _STEPS_BACK + len(self._counts) // 2

    def _is_reached(self) -> bool:
        if self._next == 0 or self._frontier is None:
            return self._next == 0
        # Equal times show no order.
        return bool(self._top != self._frontier and self._frontier < self._since)

    def _doubt(self, held: int, base: Round) -> Doubt | None:
        available = self._counts[-1]
        if available is None:
            return Doubt(Reason.TOTAL_UNKNOWN)
        if earlier := (base.outcome and base.outcome.doubt) or self._missing:
            return earlier
        if self._has_too_many_gaps():
            return Doubt(Reason.CHANGED_WHILE_READ)
        if held > available:
            return Doubt.because(Reason.REMOVED, held - available)
        if self._has_changed:
            return Doubt(Reason.TOO_MANY_CHANGES)
        missing = Doubt.because(Reason.RECORDS_MISSING, held, available)
        return missing if held < available else None


def _moments(page: PageRecord) -> tuple[datetime | None, datetime | None]:
    """Return the times of change of the first and the last record of a page."""
    moments = sort_keys([page.low or "", page.high or ""])
    if not all(isinstance(moment, datetime) for moment in moments):
        return None, None
    return moments[0], moments[1]


def find_removed(writer: ArchiveWriter, begun: Round | None = None) -> bool:
    """Locate and record the stored records that were removed, if there is a stable order.

    Parameters
    ----------
    writer
        Fetches and stores pages.
    begun
        The round, if an earlier call has started one.

    Returns
    -------
    bool
        False if the collection changed meanwhile, so that another round of changes is needed.
    """
    rounds = rounds_as_of(writer.rounds, None)
    base = rounds[0]
    known = _known(writer, rounds)
    if known is None or base.sort is None:
        if begun is not None:
            _abandon(writer, begun, Doubt(Reason.UNSTABLE_ORDER))
        return True
    if begun is None:
        try:
            first = writer.fetch(1, base.sort)
        except ServiceError as error:
            if not is_client_error(error):
                raise
            return True
        begun = writer.start_round(RoundKind.REMOVALS, base.sort, first)
    run_round(writer, begun, known)
    doubt = begun.outcome.doubt if begun.outcome else None
    counts = known.counts | _counts(writer, begun)
    return not doubt or (doubt.reason is not Reason.TOO_MANY_CHANGES and len(counts) == 1)


def _counts(writer: ArchiveWriter, current: Round) -> set[int | None]:
    """Return the counts of the directory that the pages of a round show."""
    return {page.available for page in writer.store.pages(current)}


def _known(writer: ArchiveWriter, rounds: list[Round]) -> KnownState | None:
    """Return the stored records in the order of the collection; None if it is not known."""
    base = rounds[0]
    changes = [round_ for round_ in rounds if round_.kind is RoundKind.CHANGES][-1]
    codec, stored = IdCodec(), array("q")
    for identifier in Snapshot(writer.store, rounds).ids():
        if identifier is None:
            return None
        stored.append(codec.code(identifier))
    held = np.sort(stored)
    index, harvested = IdIndex(held), array("q")
    for _, page, mask in Snapshot(writer.store, [base]).pages():
        if not page.ordered:
            return None
        codes = codec.encode(page.ids)
        is_held = index.find(codes) >= 0
        harvested.extend(compress(codes, is_held if mask is None else is_held & mask))
    ids = unique(np.asarray(harvested))
    later, unplaced = np.setdiff1d(held, ids), EMPTY
    if base.sort in {"id", "id_reverse"}:
        ordered = _by_id(codec, ids, held, descending=base.sort == "id_reverse")
        if ordered is None:
            return None
        ids = ordered  # including later additions
    elif len(later):
        unplaced = later[~_are_newest(writer, rounds, codec, later)]
    recent = concatenate(codec.encode(page.ids) for page in writer.store.pages(changes))
    return KnownState(ids, _counts(writer, changes), held, recent, unplaced, codec)


def _by_id(codec: IdCodec, ids: Codes, held: Codes, *, descending: bool) -> Codes | None:
    """Return the stored ids as numbers or texts in order; None if the harvested ones are in neither."""
    for numbers in (True, False):
        if numbers and not codec.is_decimal(held):
            continue
        keys = codec.numbers if numbers else codec.texts
        own = keys(ids)[::-1] if descending else keys(ids)
        if np.all(own[1:] > own[:-1]):
            ordered = held[np.argsort(keys(held), kind="stable")]
            return ordered[::-1] if descending else ordered
    return None


def _are_newest(
    writer: ArchiveWriter, rounds: list[Round], codec: IdCodec, later: Codes
) -> NDArray[np.bool_]:
    """Return which later additions were created after all harvested records, so follow them."""
    base = [page for page in writer.store.pages(rounds[0]) if page.ids]
    ends = [text or "" for page in base for text in (page.low, page.high)]
    created: list[tuple[int, str]] = []
    index = IdIndex(later)
    for round_ in rounds[1:]:
        for page in writer.store.pages(round_):
            positions = index.find(codec.encode(page.ids))
            if np.all(positions < 0):
                continue
            reader = RecordReader(writer.query.resource)
            reader.read(read_page(writer.store, page))
            texts = reader.last_values("created_at")
            created += [
                (at, text or "")
                for at, text in zip(positions.tolist(), texts, strict=True)
                if at >= 0
            ]
    moments = sort_keys(ends + [text for _, text in created])
    newest = np.zeros(len(later), dtype=bool)
    if not ends or not all(isinstance(moment, datetime) for moment in moments):
        return newest
    newest[[at for at, _ in created]] = True
    last = max(moments[: len(ends)])
    earlier = zip(created, moments[len(ends) :], strict=True)
    newest[[at for (at, _), moment in earlier if moment <= last]] = False
    return newest
