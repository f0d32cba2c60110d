"""Ask for a page, keep it, and write it down, within the day's allowance.

The page's file comes first and its line in the manifest after it: a kill in between leaves a
file that is found again. What stays out: which pages are asked for (`dirframe.archive.harvest`,
`dirframe.archive.refresh`).
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from dirframe import __version__
from dirframe.archive.journal import Journal
from dirframe.archive.manifest import DETAILS, FORMAT, MANIFEST, Manifest, Round
from dirframe.archive.ordering import keys
from dirframe.archive.pages import Kept
from dirframe.archive.reading import Archive
from dirframe.archive.storing import locked, store
from dirframe.client.details import Details, Refused
from dirframe.client.directory import opened
from dirframe.client.http.client import CachePolicy
from dirframe.client.xml.records import RecordReader
from dirframe.errors import ArchiveError, InvalidInputError, QuotaExceededError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dirframe.client.directory import Directory
    from dirframe.client.question import Question
    from dirframe.errors import ServiceError

__all__ = ["Keeper", "is_refusal", "keeping"]

_DAY = timedelta(days=1)
_ASKED_ANEW = CachePolicy(refresh=True, keep=False)


class Keeper:
    """What a harvest and a refresh have in common; made by `keeping`."""

    def __init__(
        self,
        folder: Path,
        place: Directory,
        question: Question,
        *,
        details: bool,
        daily: int | None,
        until: datetime | None,
    ) -> None:
        self.folder, self.place, self.question = folder, place, question
        self.details = details
        self._daily, self._until = daily, until
        self._lock = threading.Lock()
        self._journal = Journal(folder / MANIFEST)
        try:
            self.manifest = self._opened()
        except BaseException:
            self._journal.close()
            raise
        self._spent: list[datetime] = []
        self.session, yesterday = 1, _now() - _DAY
        for kept in (kept for one in self.manifest.rounds for kept in one.pages):
            self._spent += [kept.moment] * kept.paid if kept.moment > yesterday else []
            self.session = max(self.session, kept.session + 1)
        for moment, paid in self.manifest.refusals:
            at = datetime.fromisoformat(moment)
            self._spent += [at] * paid if at > yesterday else []

    def close(self) -> None:
        """Close the manifest."""
        self._journal.close()

    def _opened(self) -> Manifest:
        asked, settings = self.question, self.place.settings
        file = self.folder / MANIFEST
        if not file.stat().st_size:
            head = {"event": "archive", "format": FORMAT, "resource": asked.resource.name}
            where = {"base_url": settings.base_url, "source": settings.name}
            self._journal.add(head | where | {"query": asked.query, "dirframe": __version__})
        manifest = Manifest.read(lambda: file.open("rb"), str(file))
        if (manifest.resource, manifest.query) != (asked.resource, asked.query):
            held = f" matching {manifest.query!r}" if manifest.query else ""
            raise ArchiveError(
                f"{self.folder} holds {manifest.resource.collection}{held}, which is another "
                "question. Name another folder."
            )
        if manifest.source != settings.name:  # the port of an embedded service changes
            raise ArchiveError(
                f"{self.folder} holds pages of {manifest.source}, not of {settings.name}. Name "
                "another folder."
            )
        return manifest

    @property
    def workers(self) -> int:
        """How many pages may be asked for at the same time."""
        return self.place.settings.max_workers

    # -- pages -----------------------------------------------------------------------------

    def fetch(self, page: int, sort: str | None) -> Kept:
        """Ask for a page and keep it; it counts once it is written down."""
        self._allow()
        asked = replace(self.question, sort=sort)
        answer = self.place.session.get(asked.path, asked.parameters(page), _ASKED_ANEW)
        reader = RecordReader(asked.resource)
        envelope = reader.add(answer.page)
        key = (sort or "").removesuffix("_reverse")
        texts = [text for text in reader.last_values(key) if text] if key else []
        digest, packed = store(self.folder, answer.content)
        values = keys(texts)
        return Kept(
            page=page,
            session=self.session,
            sha256=digest,
            bytes=len(answer.content),
            packed=packed,
            retrieved=answer.retrieved.isoformat(),
            first=envelope.first_item_position,
            available=envelope.items_available,
            names=Kept.joined(reader.last_values("id")),
            low=texts[0] if texts else None,
            high=texts[-1] if texts else None,
            ordered=values == sorted(values, reverse=(sort or "").endswith("_reverse")),
            paid=answer.attempts,
            synthetic=envelope.synthetic,
        )

    def keep(self, one: Round, page: int) -> Kept:
        """Ask for a page of a round, keep it and write it down."""
        kept = self.fetch(page, one.sort)
        self.write(one, kept)
        return kept

    def keep_details(self, one: Round, page: int, identifier: str) -> None:
        """Ask for the own page of a record and write down what came of it."""
        self._allow()
        came = Details(self.place, self.question.resource, _ASKED_ANEW).fetch(identifier)
        if isinstance(came, Refused):
            self._refuse(one, identifier, came)
            return
        reader = RecordReader(self.question.resource)
        envelope = reader.add(came.page)
        ids = reader.last_values("id")
        if ids != (identifier,):
            named = ", ".join(str(other) for other in ids[:3]) or "nothing"
            self._refuse(one, identifier, Refused(f"answered with {named}", requests=came.attempts))
            return
        digest, packed = store(self.folder, came.content)
        self.write(
            one,
            Kept(
                page=page,
                session=self.session,
                sha256=digest,
                bytes=len(came.content),
                packed=packed,
                retrieved=came.retrieved.isoformat(),
                first=None,
                available=None,
                names=Kept.joined(ids),
                low=None,
                high=None,
                ordered=True,
                paid=came.attempts,
                synthetic=envelope.synthetic,
            ),
        )

    def _refuse(self, one: Round, identifier: str, refused: Refused) -> None:
        event = {"event": "refused", "round": one.number, "id": identifier, "why": refused.why}
        with self._lock:
            self._journal.add(event | {"at": _now().isoformat(), "paid": refused.requests})
            one.refused[identifier] = refused.why

    def write(self, one: Round, kept: Kept) -> None:
        """Write a page down."""
        with self._lock:
            self._journal.add(kept.event(one.number))
            one.pages.append(kept)

    def begin(self, kind: str, sort: str | None, first: Kept) -> Round:
        """Begin a round with its first page."""
        one = self._begin(kind, sort, first.retrieved, {"details": True} if self.details else {})
        self.write(one, first)
        return one

    def begin_details(self, wanted: int) -> Round:
        """Begin a round of own pages."""
        one = self._begin(DETAILS, None, _now().isoformat(), {"wanted": wanted})
        one.wanted = wanted
        return one

    def _begin(self, kind: str, sort: str | None, at: str, facts: dict[str, Any]) -> Round:
        event = {"event": "round", "kind": kind, "sort": sort, "at": at} | facts
        self._journal.add(event | {"dirframe": __version__})
        one = Round(len(self.manifest.rounds) + 1, kind, sort, at, details=self.details)
        self.manifest.rounds.append(one)
        return one

    def end(self, one: Round, **facts: Any) -> None:
        """Write down that a round has ended, and what is known of it."""
        end = {"event": "end", "round": one.number, "at": _now().isoformat()} | facts
        self._journal.add(end)
        one.end = end

    # -- the allowance ---------------------------------------------------------------------

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
                        url=self.place.settings.base_url,
                        resets_at=min(self._spent) + _DAY,
                    )
            self._spent.append(now)

    def stopped(self, error: QuotaExceededError) -> str:
        """Say what is kept, and when and how to go on."""
        when = f" after {error.resets_at:%Y-%m-%d %H:%M} UTC" if error.resets_at else " tomorrow"
        again = f"Run the same line again{when}: only what is missing is paid for."
        if not self.manifest.rounds:
            return f"{error}"
        if self.manifest.rounds[-1].kind not in {"whole", DETAILS}:
            pages = len(self.manifest.rounds[-1].pages)
            return (
                f"The day's allowance is used up. {pages:,} pages of changes are kept in "
                f"{self.folder}. {again}"
            )
        status = Archive(self.folder).status()
        days = status.days_to_go(self._daily or self.place.settings.daily_quota)
        return (
            f"The day's allowance is used up. {status.heading} are kept in {self.folder}; "
            f"{days:,} more {'day' if days == 1 else 'days'} to go. {again}"
        )


class _TimeIsUpError(Exception):
    """The time that the person set has come."""


@contextmanager
def keeping(
    folder: Path,
    directory: Directory | None,
    question: Question,
    *,
    details: bool = False,
    daily: int | None,
    until: datetime | None,
) -> Iterator[Keeper]:
    """Give what keeps pages in a folder, alone; a time that has come ends it quietly.

    Raises
    ------
    QuotaExceededError
        If the day's allowance ends, with what is kept and when to go on.
    """
    if daily is not None and daily < 1:
        raise InvalidInputError(f"daily is {daily}; it must be a whole number from 1.")
    if until is not None and until.tzinfo is None:
        raise InvalidInputError("until has no time zone; pass datetime.now().astimezone(), say.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArchiveError(f"{folder} cannot be made ({error.strerror}).") from error
    with opened(directory) as place, locked(folder):
        keeper = Keeper(folder, place, question, details=details, daily=daily, until=until)
        try:
            yield keeper
        except _TimeIsUpError:
            pass
        except QuotaExceededError as error:
            error.args = (keeper.stopped(error),)
            raise
        finally:
            keeper.close()


def is_refusal(error: ServiceError) -> bool:
    """Tell whether a directory refused a question, rather than being out of order."""
    return error.status is None or error.status < 500


def _now() -> datetime:
    return datetime.now(UTC)
