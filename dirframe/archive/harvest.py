"""Harvest a collection over days: every page is kept as it came, and paid for once.

A collection that grows meanwhile is met by a sort that keeps still (by id, else by created_at),
as long as the pages show that the directory honours it. What changes nevertheless is found for
few requests (`dirframe.archive.drift`), and at the end the proof of a load is applied
(`dirframe.client.positions`).

What stays out: reading (`dirframe.archive.reading`), the files (`dirframe.archive.storing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dirframe.archive.details import walk_details
from dirframe.archive.drift import Cover
from dirframe.archive.keeping import is_refusal, keeping
from dirframe.archive.manifest import DETAILS
from dirframe.archive.reading import Archive
from dirframe.client.ahead import in_order
from dirframe.client.details import check_details
from dirframe.client.positions import REPAIRS
from dirframe.client.question import Question
from dirframe.errors import InvalidInputError, NotFoundError, ServiceError
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from dirframe.archive.keeping import Keeper
    from dirframe.archive.manifest import Round
    from dirframe.client.directory import Directory

__all__ = ["Known", "choose", "harvest", "walk"]


def harvest(
    collection: Literal["accounts", "projects"],
    folder: str | Path,
    *,
    directory: Directory | None = None,
    query: str | None = None,
    sort: str | None = None,
    details: bool = False,
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
    details : bool, default False
        Whether to keep the own page of each project that the collection gives without its
        analysis: one request each. Today's live service sends analyses there alone. A `refresh`
        then does the same for what it asks for.
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
    check_details(known[collection], details=details)
    question = Question(resource=known[collection], query=query, sort=sort)
    path = Path(folder)
    with keeping(path, directory, question, details=details, daily=daily, until=until) as keeper:
        rounds = keeper.manifest.rounds
        if not rounds:
            walk(keeper, choose(keeper, [sort] if sort else None))
        elif rounds[-1].kind == "whole":
            walk(keeper, rounds[-1])
        manifest = keeper.manifest
        begun = rounds[-1].end is not None or rounds[-1].kind == DETAILS
        if details and begun and not (manifest.details and manifest.finished):
            walk_details(keeper)
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


def walk(keeper: Keeper, one: Round, known: Known | None = None) -> None:
    """Walk through a collection from where the round is, and end the round with its proof."""
    if one.end is None:
        _Walk(keeper, one, known).run()


@dataclass(frozen=True)
class Known:
    """What an archive holds, in the order of a collection, before a round looks what is left."""

    ids: Sequence[str]
    available: int | None
    held: AbstractSet[str]


class _Walk:
    def __init__(self, keeper: Keeper, one: Round, known: Known | None) -> None:
        self._keeper, self._round, self._known = keeper, one, known
        # To look for many that are gone costs no more than to ask for everything.
        self._cover = Cover(one.sort) if known is None else Cover(one.sort, patience=1)
        if known is not None:
            self._cover.know(known.ids, known.available)
        kept = None
        for kept in one.pages:
            self._cover.take(kept)
        if kept is not None and kept.session != keeper.session:
            self._cover.begin_anew()

    def run(self) -> None:
        self._read_on()
        for _ in range(REPAIRS):
            restless = len(self._round.pages) > REPAIRS * self._cover.pages
            if self._is_in_vain:
                break
            if self._cover.is_uncertain and not restless:
                self._cover.forget()
            elif unfit := self._cover.positions().unfit():
                for page in unfit:
                    self._read(page)
            else:
                break
            self._read_on()
        self._finish()

    @property
    def _is_in_vain(self) -> bool:
        """Tell whether what was known before this round says nothing of the order that comes."""
        return self._known is not None and self._cover.is_uncertain

    def _read_on(self) -> None:
        """Keep what is wanted, and look behind the last page if its end shows nothing."""
        while True:
            while not self._is_in_vain and (numbers := self._cover.wanted()):
                self._read_all(numbers)
            positions = self._cover.positions()
            behind = positions.unread()
            if (
                self._is_in_vain
                or self._cover.end
                or not positions.is_behind_the_last(behind)
                or self._read(behind[0])
            ):
                return

    def _read_all(self, numbers: Sequence[int]) -> None:
        """Keep pages, several at a time, up to the end or to another state of the collection."""
        if len(numbers) == 1:
            self._read(numbers[0])
            return
        keep = partial(self._keeper.keep, self._round)
        for _, kept in in_order(keep, lambda _: None, numbers, self._keeper.workers):
            if not self._cover.take(kept) or self._cover.end:
                break

    def _read(self, page: int) -> bool:
        """Keep a page; return whether the collection is what it was."""
        try:
            return self._cover.take(self._keeper.keep(self._round, page))
        except NotFoundError:  # which says as well that nothing stands there
            self._cover.end = page
            return True

    def _finish(self) -> None:
        positions = self._cover.positions()
        used = positions.used()
        ids = [one for page in used for one in page.ids]
        different = len({one for one in ids if one is not None}) + ids.count(None)
        why = self._cover.doubt() or positions.doubt(
            different, ids.count(None), len(ids) - different
        )
        if why and self._known is not None:
            why = (
                f"which records were removed could not be found ({why}); a whole refresh finds them"
            )
        facts = {"available": self._cover.available, "complete": why is None, "why": why}
        if self._known is None:
            settled = self._round.settled(ids)
        else:
            read = {one for kept in self._round.pages for one in kept.ids if one is not None}
            gone = (self._known.held | read) - set(ids)  # some came and went meanwhile
            settled = {"gone": sorted(gone) if why is None else []}
        self._keeper.end(self._round, pages=len(used) or 1, **facts, **settled)
