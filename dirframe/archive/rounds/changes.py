"""Read the records that changed, newest first, down to those that are stored."""

# If a directory sorts by ``updated_at_reverse``, changed records come first. So pages are fetched
# until their records were changed before the last round began, with a margin of one day: clocks
# differ, and some directories truncate times to midnight. Each page is checked for this order. Since
# the newest records may be in this order by creation too, the opposite order has to begin with
# different records. Otherwise a full round is made instead.

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from dirframe.archive.model import Doubt, Reason, RoundKind, sort_keys
from dirframe.archive.snapshot import Snapshot
from dirframe.archive.status import rounds_as_of
from dirframe.archive.writer import is_client_error
from dirframe.errors import NotFoundError, ServiceError

if TYPE_CHECKING:
    from dirframe.archive.model import PageRecord, Round
    from dirframe.archive.writer import ArchiveWriter, CompressedPage


#: Sorts by change, newest first, if the directory applies it.
NEWEST_FIRST = "updated_at_reverse"
OLDEST_FIRST = "updated_at"

_MARGIN = timedelta(days=1)

#: Limit on steps back to pages that moved, plus one for every second page.
_STEPS_BACK = 10


def first_changes(writer: ArchiveWriter) -> CompressedPage | None:
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


class ChangeScan:
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
            self._writer.abandon_round(self._round, Doubt(Reason.UNSORTED, (NEWEST_FIRST,)))
            return "unsorted"
        known = rounds_as_of(self._writer.rounds, None)
        stored = Snapshot(self._writer.store, [*known, self._round]).records
        doubt, available = self._doubt(stored, known[0]), self._counts[-1]
        pages = self._round.pages
        self._writer.finish_round(self._round, pages=pages, available=available, doubt=doubt)
        if doubt is not None and doubt.reason is Reason.REMOVED:
            return "removed"
        return "behind" if self._has_changed and stored <= (available or 0) else "known"

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
        is_next_page = (
            last is not None
            and page.page == last.page + 1
            and (page.session, page.available) == (last.session, last.available)
        )
        if is_next_page and high > self._frontier:
            self._honoured = False
        elif page.page == 1 or is_next_page or self._meets(page, high):
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

    def _doubt(self, stored: int, base: Round) -> Doubt | None:
        available = self._counts[-1]
        if available is None:
            return Doubt(Reason.TOTAL_UNKNOWN)
        if earlier := (base.outcome and base.outcome.doubt) or self._missing:
            return earlier
        if self._has_too_many_gaps():
            return Doubt(Reason.CHANGED_WHILE_READ)
        if stored > available:
            return Doubt(Reason.REMOVED, (stored - available,))
        if self._has_changed:
            return Doubt(Reason.TOO_MANY_CHANGES)
        missing = Doubt(Reason.RECORDS_MISSING, (stored, available))
        return missing if stored < available else None


def _moments(page: PageRecord) -> tuple[datetime | None, datetime | None]:
    """Return the times of change of the first and the last record of a page."""
    moments = sort_keys([page.low or "", page.high or ""])
    if not all(isinstance(moment, datetime) for moment in moments):
        return None, None
    return moments[0], moments[1]
