"""Harvest a collection over days: every page is kept as it came, and paid for once.

Pages are walked as in a load. A collection that grows meanwhile is met by a sort that keeps
still (by id, else by created_at), as long as the pages show that the directory honours it.
Pages that were fetched while the directory counted another number of records belong to another
state of it: at the end the last page of each such stretch is asked for again. If it is as it
was, nothing before it moved; otherwise the pages before it are asked for again, back to one
that is as it was. Then the proof of a load is applied (`dirframe.client.positions`).

What stays out: reading (`dirframe.archive.reading`), the files (`dirframe.archive.storing`).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dirframe.archive.keeping import is_refusal, keeping
from dirframe.archive.reading import Archive
from dirframe.client.ahead import in_order
from dirframe.client.positions import REPAIRS, Page, Positions
from dirframe.client.question import Question
from dirframe.errors import InvalidInputError, NotFoundError, ServiceError
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from dirframe.archive.keeping import Keeper
    from dirframe.archive.manifest import Kept, Round
    from dirframe.client.directory import Directory

__all__ = ["choose", "harvest", "walk"]


def harvest(
    collection: Literal["accounts", "projects"],
    folder: str | Path,
    *,
    directory: Directory | None = None,
    query: str | None = None,
    sort: str | None = None,
    daily: int | None = None,
    until: datetime | None = None,
) -> Archive:
    """Keep a whole collection on disk, page by page, over as many days as it takes.

    Parameters
    ----------
    collection : {"accounts", "projects"}
        What is to be kept.
    folder : str or pathlib.Path
        Where to; the same line again goes on where the last one ended.
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.
    query : str, optional
        Only records that match.
    sort : str, optional
        The order. Left out: by id, or by created_at, if the directory's first page shows that
        it honours it; otherwise its own order.
    daily : int, optional
        Requests within 24 hours for this archive, at most. Left out: the key's allowance.
    until : datetime.datetime, optional
        When to stop. Left out: at the end.

    Returns
    -------
    Archive
        What was kept; its ``status()`` says whether that is all.

    Raises
    ------
    QuotaExceededError
        If the day's allowance ends; ``resets_at`` says when to go on. The same line then
        pays only for what is missing.
    RequestError
        If the directory cannot be reached or refuses; what came is kept.
    ArchiveError
        If another process is harvesting into the folder, it is damaged, the disk is full, or
        it holds another collection.
    InvalidInputError
        If an argument cannot be meant.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     archive = dirframe.harvest("projects", "archive", directory=directory)
    >>> archive.status().pages, archive.status().complete
    (60, True)
    """
    known = {resource.collection: resource for resource in RESOURCES.values()}
    if collection not in known:
        raise InvalidInputError(
            f"There is no collection {collection!r}; choose one of {', '.join(known)}."
        )
    question = Question(resource=known[collection], query=query, sort=sort)
    path = Path(folder)
    with keeping(path, directory, question, daily=daily, until=until) as keeper:
        rounds = keeper.manifest.rounds
        if not rounds:
            walk(keeper, choose(keeper, [sort] if sort else None))
        elif rounds[-1].kind == "whole":
            walk(keeper, rounds[-1])
    return Archive(path)


def choose(keeper: Keeper, sorts: Sequence[str | None] | None = None) -> Round:
    """Begin a round with the first sort that the directory's first page shows to hold."""
    sorts = sorts or ["id", "created_at", None]
    for sort in sorts:
        try:
            kept = keeper.fetch(1, sort)
        except ServiceError as error:
            if sort == sorts[-1] or not is_refusal(error):
                raise
            continue
        if len(sorts) == 1 or sort is None or not kept.ids:
            break
        if kept.ordered and kept.low is not None:
            break
    return keeper.begin("whole", sort, kept)


def walk(keeper: Keeper, whole: Round) -> None:
    """Walk through a collection from where the round is, and end the round with its proof."""
    if whole.end is None:
        _Walk(keeper, whole).run()


class _Walk:
    def __init__(self, keeper: Keeper, whole: Round) -> None:
        self._keeper, self._round = keeper, whole
        self._session = keeper.session
        self._positions = Positions()
        self._agreed: dict[int, int | None] = {}  # shown to be as they were, at which count
        for kept in whole.pages:
            self._put(kept)

    def run(self) -> None:
        self._walk()
        for _ in range(REPAIRS):
            if not self._repair():
                break
            self._walk()
        self._finish()

    def _keep(self, page: int) -> Kept:
        return self._keeper.keep(self._round, page)

    def _put(self, kept: Kept) -> None:
        order = (kept.moment.timestamp(), kept.session)
        self._positions.put(
            Page(kept.page, kept.available, kept.first, kept.ids, kept.session, order)
        )

    def _walk(self) -> None:
        while numbers := self._positions.unread():
            if self._positions.is_behind_the_last(numbers):
                try:
                    self._put(self._keep(numbers[0]))
                except NotFoundError:  # which says as well that nothing stands there
                    self._positions.ended = True
            else:
                self._read(numbers)

    def _read(self, numbers: Sequence[int]) -> None:
        """Keep pages, several at a time, up to one that shows the end."""
        read: list[int] = []
        needed = takewhile(lambda _: not read or not self._positions.is_the_end(read[-1]), numbers)
        workers = self._keeper.workers if len(numbers) > 1 else 1
        for page, kept in in_order(self._keep, lambda _: None, needed, workers):
            self._put(kept)
            read[:] = [page]

    def _repair(self) -> bool:
        """Ask again for what may be of another state; tell whether there was any."""
        used = {page.number for page in self._positions.used()}
        held = self._round.newest()
        available = self._positions.available()
        states = {n: (held[n].session, held[n].available) for n in used}
        newest = (self._session, available)
        others = [
            n
            for n in sorted(used)
            if newest not in (states[n], (self._session, self._agreed.get(n)))
        ]
        if len(others) == len(used) and len(set(states.values())) == 1:
            others = []  # one earlier session has them all: nothing moved within it
        unfit = set(self._positions.unfit()) - set(others)
        for page in sorted(unfit):
            self._put(self._keep(page))
        confirmed: list[int] = []
        for page in reversed(others):
            following = states.get(page + 1)
            if confirmed and following == states[page]:
                continue  # the page behind it, of the same state, is as it was
            confirmed.clear()
            again = self._keep(page)
            self._put(again)
            if again.ids == held[page].ids:
                confirmed.append(page)
        self._agree(others)
        return bool(unfit or others)

    def _agree(self, others: list[int]) -> None:
        """Let pages that were shown to be as they were count what the directory counts now."""
        available, held = self._positions.available(), self._round.newest()
        for page in others:
            self._put(replace(held[page], available=available))
            self._agreed[page] = available

    def _finish(self) -> None:
        used = self._positions.used()
        ids = [one for page in used for one in page.ids]
        different = len({one for one in ids if one is not None}) + ids.count(None)
        why = self._positions.doubt(different, ids.count(None), len(ids) - different)
        self._keeper.end(
            self._round,
            pages=used[-1].number if used else 1,
            available=self._positions.available(),
            complete=why is None,
            why=why,
        )
