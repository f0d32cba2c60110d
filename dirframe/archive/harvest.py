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

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dirframe import __version__
from dirframe.archive.journal import Journal
from dirframe.archive.manifest import FORMAT, MANIFEST, Kept, Manifest, Round
from dirframe.archive.reading import Archive
from dirframe.archive.storing import locked, store
from dirframe.client.ahead import in_order
from dirframe.client.directory import opened
from dirframe.client.manner import Manner
from dirframe.client.positions import REPAIRS, Page, Positions
from dirframe.client.question import Question
from dirframe.client.reader import Reader
from dirframe.errors import (
    ArchiveError,
    InvalidInputError,
    NotFoundError,
    QuotaExceededError,
    ServiceError,
)
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.client.directory import Directory

__all__ = ["harvest"]

_DAY = timedelta(days=1)
_ASKED_ANEW = Manner(refresh=True, keep=False)


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
    if daily is not None and daily < 1:
        raise InvalidInputError(f"daily is {daily}; it must be a whole number from 1.")
    if until is not None and until.tzinfo is None:
        raise InvalidInputError("until has no time zone; pass datetime.now().astimezone(), say.")
    question = Question(resource=known[collection], query=query, sort=sort)
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArchiveError(f"{path} cannot be made ({error.strerror}).") from error
    with opened(directory) as place, locked(path):
        work = _Harvest(path, place, question, daily=daily, until=until)
        try:
            work.run()
        except _TimeIsUpError:
            pass
        except QuotaExceededError as error:
            error.args = (work.stopped(error),)
            raise
        finally:
            work.close()
    return Archive(path)


class _TimeIsUpError(Exception):
    """The time that the person set has come."""


class _Harvest:
    def __init__(
        self,
        folder: Path,
        place: Directory,
        question: Question,
        *,
        daily: int | None,
        until: datetime | None,
    ) -> None:
        self._folder, self._place, self._question = folder, place, question
        self._daily, self._until = daily, until
        self._lock = threading.Lock()
        self._journal = Journal(folder / MANIFEST)
        self.manifest = self._begun()
        spent = [k for one in self.manifest.rounds for k in one.pages for _ in range(k.paid)]
        self._spent = [kept.moment for kept in spent if kept.moment > _now() - _DAY]
        self._positions = Positions()
        self._round: Round | None = None
        self._agreed: dict[int, int | None] = {}  # shown to be as they were, at which count
        self._session = 1 + max(
            (k.session for one in self.manifest.rounds for k in one.pages), default=0
        )

    def close(self) -> None:
        self._journal.close()

    def _begun(self) -> Manifest:
        asked, settings = self._question, self._place.settings
        file = self._folder / MANIFEST
        if not file.stat().st_size:
            head = {"event": "archive", "format": FORMAT, "resource": asked.resource.name}
            where = {"base_url": settings.base_url, "source": settings.name}
            self._journal.add(head | where | {"query": asked.query, "dirframe": __version__})
        with file.open("rb") as stream:
            manifest = Manifest.read(stream, str(file))
        if (manifest.resource, manifest.query) != (asked.resource, asked.query):
            held = f" matching {manifest.query!r}" if manifest.query else ""
            raise ArchiveError(
                f"{self._folder} holds {manifest.resource.collection}{held}, which is another "
                "question. Name another folder."
            )
        if manifest.source != settings.name:  # the port of an embedded service changes
            raise ArchiveError(
                f"{self._folder} holds pages of {manifest.source}, not of {settings.name}. Name "
                "another folder."
            )
        return manifest

    def run(self) -> None:
        rounds = self.manifest.rounds
        if rounds and rounds[-1].end:
            return
        if rounds:
            self._round = rounds[-1]
            for kept in self._round.pages:
                self._put(kept)
        else:
            self._choose()
        self._walk()
        for _ in range(REPAIRS):
            if not self._repair():
                break
            self._walk()
        self._finish()

    # -- one page --------------------------------------------------------------------------

    def _fetch(self, page: int, sort: str | None) -> tuple[Kept, bytes]:
        self._allow()
        asked = replace(self._question, sort=sort)
        answer = self._place.session.get(asked.path, asked.parameters(page), _ASKED_ANEW)
        reader = Reader(asked.resource, max_bytes=self._place.settings.max_body)
        envelope = reader.read(answer.content, source=answer.url)
        ids = reader.texts(("id",), 0)
        key = (sort or "").removesuffix("_reverse")
        texts = [text for text in reader.texts((key,), 0) if text] if key else []
        digest, packed = store(self._folder, answer.content)
        kept = Kept(
            page=page,
            session=self._session,
            sha256=digest,
            bytes=len(answer.content),
            packed=packed,
            retrieved=answer.retrieved.isoformat(),
            first=envelope.first_item_position,
            available=envelope.items_available,
            ids=ids,
            low=texts[0] if texts else None,
            high=texts[-1] if texts else None,
            ordered=_in_order(texts, reverse=(sort or "").endswith("_reverse")),
            paid=answer.paid,
            synthetic=envelope.synthetic,
        )
        return kept, answer.content

    def _keep(self, page: int) -> Kept:
        current = self._round
        assert current is not None  # noqa: S101  # `_choose` or the manifest has set it
        kept, _ = self._fetch(page, current.sort)
        with self._lock:
            self._journal.add(kept.event(current.number))
            current.pages.append(kept)
        return kept

    def _put(self, kept: Kept) -> None:
        order = (kept.moment.timestamp(), kept.session)
        self._positions.put(
            Page(kept.page, kept.available, kept.first, kept.ids, kept.session, order)
        )

    def _allow(self) -> None:
        now = _now()
        if self._until is not None and now >= self._until:
            raise _TimeIsUpError
        with self._lock:
            if self._daily is not None:
                self._spent = [moment for moment in self._spent if moment > now - _DAY]
                if len(self._spent) >= self._daily:
                    raise QuotaExceededError(
                        f"daily={self._daily:,} requests of this archive are made.",
                        url=self._place.settings.base_url,
                        resets_at=min(self._spent) + _DAY,
                    )
            self._spent.append(now)

    # -- the walk --------------------------------------------------------------------------

    def _choose(self) -> None:
        """Begin the round with the first sort that the directory's first page shows to hold."""
        own = self._question.sort
        sorts: Sequence[str | None] = [own] if own else ["id", "created_at", None]
        for sort in sorts:
            try:
                kept, _ = self._fetch(1, sort)
            except ServiceError:
                if sort == sorts[-1]:
                    raise
                continue
            if own or sort is None or (kept.ordered and kept.low is not None) or not kept.ids:
                break
        event: dict[str, Any] = {"event": "round", "kind": "whole", "sort": sort}
        self._journal.add(event | {"at": kept.retrieved, "dirframe": __version__})
        self._round = Round(len(self.manifest.rounds) + 1, "whole", sort, kept.retrieved, [kept])
        self.manifest.rounds.append(self._round)
        self._journal.add(kept.event(self._round.number))
        self._put(kept)

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
        workers = self._place.settings.max_workers if len(numbers) > 1 else 1
        for page, kept in in_order(self._keep, lambda _: None, needed, workers):
            self._put(kept)
            read[:] = [page]

    def _repair(self) -> bool:
        """Ask again for what may be of another state; tell whether there was any."""
        used = {page.number for page in self._positions.used()}
        assert self._round is not None  # noqa: S101  # as in `_keep`
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
        assert self._round is not None  # noqa: S101  # as in `_keep`
        available, held = self._positions.available(), self._round.newest()
        for page in others:
            self._put(replace(held[page], available=available))
            self._agreed[page] = available

    def _finish(self) -> None:
        assert self._round is not None  # noqa: S101  # as in `_keep`
        used = self._positions.used()
        ids = [one for page in used for one in page.ids]
        different = len({one for one in ids if one is not None}) + ids.count(None)
        why = self._positions.doubt(different, ids.count(None), len(ids) - different)
        end = {
            "event": "end",
            "round": self._round.number,
            "at": _now().isoformat(),
            "pages": used[-1].number if used else 1,
            "available": self._positions.available(),
            "complete": why is None,
            "why": why,
        }
        self._journal.add(end)
        self._round.end = end

    def stopped(self, error: QuotaExceededError) -> str:
        when = f" after {error.resets_at:%Y-%m-%d %H:%M} UTC" if error.resets_at else " tomorrow"
        if not any(one.pages for one in self.manifest.rounds):
            return f"{error}"
        status = Archive(self._folder).status()
        days = status.days_to_go(self._daily or self._place.settings.daily_allowance)
        return (
            f"The day's allowance is used up. {status.heading} are kept in {self._folder}; "
            f"{days:,} more {'day' if days == 1 else 'days'} to go. Run the same line again{when}: "
            "only what is missing is paid for."
        )


def _in_order(texts: list[str], *, reverse: bool) -> bool:
    keys: list[Any] = [int(t) for t in texts] if all(t.isdigit() for t in texts) else list(texts)
    return keys == sorted(keys, reverse=reverse)


def _now() -> datetime:
    return datetime.now(UTC)
