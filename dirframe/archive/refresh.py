"""Bring an archive up to date for few requests, and keep what was.

Changed records come first when a directory sorts by ``updated_at_reverse``. So pages are asked
for until what comes was changed before the last round began, a day earlier to be safe: clocks
differ, and some directories cut times to midnight. That the directory does sort so is looked
at on each page; and as its newest records may be in this order by creation too, the other end of
the same order has to begin with others. Where it does not, a whole round is made instead.

What was removed from a directory is on none of these pages. The count tells how many records are
gone; which, the pages of an order that keeps still (`dirframe.archive.removals`).

What stays out: which reading of a record counts (`dirframe.archive.selection`).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dirframe.archive.details import give_up_details, walk_details
from dirframe.archive.harvest import choose, walk
from dirframe.archive.keeping import is_refusal, keeping
from dirframe.archive.manifest import DETAILS
from dirframe.archive.ordering import keys
from dirframe.archive.reading import Archive, open_archive
from dirframe.archive.removals import REMOVALS, name_removed
from dirframe.archive.selection import Selection
from dirframe.client.positions import REPAIRS
from dirframe.client.question import Question
from dirframe.errors import ArchiveError, NotFoundError, ServiceError

if TYPE_CHECKING:
    from dirframe.archive.keeping import Keeper
    from dirframe.archive.manifest import Round
    from dirframe.archive.pages import Kept
    from dirframe.client.directory import Directory

__all__ = ["refresh"]

#: What is newest first, if the directory honours it.
NEWEST_FIRST = "updated_at_reverse"
OLDEST_FIRST = "updated_at"

_MARGIN = timedelta(days=1)

#: How often pages that moved are followed back, besides once for each second page.
_STEPS_BACK = 10


def refresh(
    folder: str | Path,
    *,
    directory: Directory | None = None,
    whole: bool = False,
    daily: int | None = None,
    until: datetime | None = None,
) -> Archive:
    """Bring an archive up to date; what it was stays in it.

    Where own pages were harvested (``details=True``), those of the projects that it reads are asked
    for as well. Asks for what changed since the last harvest or refresh, where the directory can sort by
    it, and otherwise for everything. Where the directory counts fewer records than are held,
    it looks which ones are gone.

    Parameters
    ----------
    folder : str or pathlib.Path
        What `harvest` wrote; the same line again goes on where the last one ended.
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.
    whole : bool, default False
        Whether to ask for everything again. Needed to learn which records were removed where no
        order of the directory keeps still; elsewhere each costs some ten requests.
    daily : int, optional
        Requests within 24 hours for this archive, at most. Left out: the key's allowance.
    until : datetime.datetime, optional
        When to stop. Left out: at the end.

    Returns
    -------
    Archive
        Its `frame` is the newest state; ``frame(as_of=...)`` is that of an earlier one. Its
        ``status()`` says whether the newest is proven complete.

    Raises
    ------
    QuotaExceededError
        If the day's allowance ends; ``resets_at`` says when to go on. The same line then
        pays only for what is missing.
    RequestError
        If the directory cannot be reached or refuses; what came is kept.
    ArchiveError
        If there is no archive, it is of another directory, another process is writing to it,
        or the disk is full.
    InvalidInputError
        If an argument cannot be meant.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     _ = dirframe.harvest("projects", "current", directory=directory)
    ...     archive = dirframe.refresh("current", directory=directory)
    >>> archive.status().rounds, archive.status().complete
    (2, True)
    """
    manifest = open_archive(folder).manifest
    if not manifest.rounds:
        raise ArchiveError(f"{folder} is empty: nothing was harvested yet. Harvest into it first.")
    question, path = Question(resource=manifest.resource, query=manifest.query), Path(folder)
    details = manifest.details
    with keeping(path, directory, question, details=details, daily=daily, until=until) as keeper:
        last = keeper.manifest.rounds[-1]
        if whole or last.kind != DETAILS or last.end is not None:
            _refresh(keeper, whole=whole)
        if details:
            walk_details(keeper)
    return Archive(path)


def _refresh(keeper: Keeper, *, whole: bool) -> None:
    """Go on with the round that has not ended, or begin one."""
    last = keeper.manifest.rounds[-1]
    if last.end is None and last.kind == DETAILS:
        give_up_details(keeper, last)
    elif last.end is None and last.kind != "whole" and whole:
        keeper.end(last, **_given_up(last, "it was given up for a whole round"))
    elif last.end is None and last.kind == REMOVALS:
        name_removed(keeper, last)
    if last.end is not None:
        last = _begun(keeper, whole=whole)
    tries = 0
    while last.kind != "whole":
        found, tries = _Changes(keeper, last).run(), tries + 1
        if found == "removed":
            name_removed(keeper)
        if found in {"known", "removed"} or (found == "behind" and tries == REPAIRS):
            break
        last = _begun(keeper, whole=found == "unsorted")
    if last.kind == "whole":
        walk(keeper, last)


def _begun(keeper: Keeper, *, whole: bool) -> Round:
    """Begin a round of changes, if the first page shows that the directory can tell them."""
    first = None if whole else _first(keeper)
    if first is not None:
        return keeper.begin("changes", NEWEST_FIRST, first)
    base = [one for one in keeper.manifest.rounds if one.kind == "whole"][-1]
    return choose(keeper, list(dict.fromkeys([base.sort, "id", "created_at", None])))


def _first(keeper: Keeper) -> Kept | None:
    """Return the page of the newest changes; None if the directory does not sort by them."""
    try:
        first = keeper.fetch(1, NEWEST_FIRST)
        if not first.ordered or None in _moments(first):
            return None
        if first.available is not None and first.available <= first.count:
            return first  # this page is all there is
        other = keeper.fetch(1, OLDEST_FIRST)
    except ServiceError as error:
        if not is_refusal(error):
            raise
        return None
    return first if other.ordered and other.ids != first.ids else None


class _Changes:
    """What changed, newest first, down to what is known."""

    def __init__(self, keeper: Keeper, changes: Round) -> None:
        self._keeper, self._round = keeper, changes
        asked = [one for one in keeper.manifest.until(None) if one.kind not in {REMOVALS, DETAILS}]
        self._since = datetime.fromisoformat(asked[-1].began) - _MARGIN
        self._top: Any = None
        self._frontier: Any = None  # everything that was changed later has come
        self._last: Kept | None = None
        self._honoured = True
        self._next = 1
        self._steps_back = 0
        for kept in changes.pages:
            self._take(kept)
        self._go_back_to(self._last)

    def _go_back_to(self, last: Kept | None) -> None:
        """Begin a session at the page where the one before ended, which may have moved."""
        if last is not None and self._next and last.session != self._keeper.session:
            self._next = last.page

    def run(self) -> Literal["known", "removed", "behind", "unsorted"]:
        """Read on; return whether what is known was met, and with it that records are gone.

        Or else that records came meanwhile, or that the directory does not sort so.
        """
        while self._honoured and not self._is_reached():
            try:
                self._take(self._keeper.keep(self._round, self._next))
            except NotFoundError:  # what stands behind the last page
                self._next = 0
        if not self._honoured:
            why = f"the directory does not sort by {NEWEST_FIRST}"
            self._keeper.end(self._round, **_given_up(self._round, why))
            return "unsorted"
        known = self._keeper.manifest.until(None)
        held = Selection(self._keeper.manifest, [*known, self._round]).records
        doubt = self._doubt(held, known[0])
        counts = [kept.available or 0 for kept in self._round.pages]
        available = self._round.pages[-1].available
        facts = {"available": available, "complete": doubt is None, "why": doubt, "reached": True}
        self._keeper.end(self._round, pages=len(self._round.pages), **facts)
        if doubt == _removed(held, available):
            return "removed"
        return "behind" if held < counts[-1] != counts[0] else "known"

    def _take(self, kept: Kept) -> None:
        """Move the frontier, if nothing can be between this page and what came before."""
        if kept.count == 0:  # behind the last page
            self._next = 0
            return
        high, low = _moments(kept)
        if not kept.ordered or high is None or low is None:
            self._honoured = False
            return
        last = self._last
        beside = (
            last is not None
            and kept.page == last.page + 1
            and (kept.session, kept.available) == (last.session, last.available)
        )
        if beside and high > self._frontier:
            self._honoured = False
        elif kept.page == 1 or beside or self._meets(kept, high):
            self._frontier = low if self._frontier is None else min(low, self._frontier)
            self._top = self._top or high
            self._last = kept
            last_page = kept.available is not None and kept.page * self._size() >= kept.available
            self._next = 0 if last_page else kept.page + 1
        else:  # pages moved meanwhile: back to one that meets what is known
            self._steps_back += 1
            self._next = kept.page - 1

    def _meets(self, kept: Kept, high: datetime) -> bool:
        """Tell whether a page of another state overlaps what has come."""
        if self._last is None or self._is_torn():
            return True
        return high > self._frontier or not set(kept.ids).isdisjoint(self._last.ids)

    def _is_torn(self) -> bool:
        return self._steps_back > _STEPS_BACK + len(self._round.pages) // 2

    def _size(self) -> int:
        return self._round.pages[0].count if self._round.pages else 1

    def _is_reached(self) -> bool:
        if self._next == 0 or self._frontier is None:
            return self._next == 0
        # Times that are all the same show no order.
        return bool(self._top != self._frontier and self._frontier < self._since)

    def _doubt(self, held: int, base: Round) -> str | None:
        available = self._round.pages[-1].available
        if available is None:
            return "the directory does not say how many records there are (items_available)"
        if base.end and not base.end["complete"]:
            return str(base.end["why"])
        if self._is_torn():
            return "the directory changed too often while its changes were read"
        if held > available:
            return _removed(held, available)
        if held < available:
            return (
                f"{held:,} different records are kept of {available:,}; a whole refresh finds "
                "the others"
            )
        return None


def _removed(held: int, available: int | None) -> str:
    gone = held - (available or 0)
    one = "1 record was" if gone == 1 else f"{gone:,} records were"
    return f"{one} removed from the directory; which, only a whole refresh shows"


def _moments(kept: Kept) -> tuple[datetime | None, datetime | None]:
    """Return when the first and the last record of a page were changed."""
    found = keys([kept.low or "", kept.high or ""])
    if not all(isinstance(one, datetime) for one in found):
        return None, None
    return found[0], found[1]


def _given_up(one: Round, why: str) -> dict[str, Any]:
    available = one.pages[-1].available if one.pages else None
    return {
        "pages": len(one.pages),
        "available": available,
        "complete": False,
        "why": why,
        "reached": False,
    }
