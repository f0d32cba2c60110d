"""Fetch the pages of an archive within the daily quota and store them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from dirframe._display.values import counted
from dirframe.archive.archive import Archive
from dirframe.archive.model import (
    Collection,
    Outcome,
    PageRecord,
    Refusal,
    Round,
    RoundKind,
    encode_ids,
    sort_keys,
)
from dirframe.archive.snapshot import compress
from dirframe.archive.store import PAGE_COLUMNS, Store
from dirframe.client.connection import client_or_default
from dirframe.client.details import Details, Refused
from dirframe.client.http.client import CachePolicy
from dirframe.client.xml.records import RecordReader
from dirframe.errors import ArchiveError, Hint, InvalidInputError, QuotaExceededError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dirframe.archive.model import Doubt
    from dirframe.client.connection import Connection
    from dirframe.client.directory import Directory
    from dirframe.client.http.client import FetchedPage
    from dirframe.client.paging.query import CollectionQuery
    from dirframe.errors import ServiceError


_DAY = timedelta(days=1)
_LAST_SESSION = f"SELECT {PAGE_COLUMNS} FROM pages ORDER BY session DESC LIMIT 1"
_FETCHED = f"SELECT {PAGE_COLUMNS} FROM pages WHERE retrieved > ?"
_UNCACHED = CachePolicy(refresh=True, keep=False)


class CompressedPage(NamedTuple):
    """A fetched page, and its compressed content."""

    page: PageRecord
    content: bytes


@dataclass(frozen=True)
class Budget:
    """How many requests a day, and until when, an archive may be written to."""

    requests_per_day: int | None
    stop_at: datetime | None

    def __post_init__(self) -> None:
        if self.requests_per_day is not None and self.requests_per_day < 1:
            raise InvalidInputError(
                f"requests_per_day is {self.requests_per_day}; it must be a whole number from 1."
            )
        if self.stop_at is not None and self.stop_at.tzinfo is None:
            raise InvalidInputError(
                "stop_at has no time zone; pass datetime.now().astimezone(), say."
            )


class ArchiveWriter:
    """Fetch pages within the daily quota and store them; created by `open_writer`."""

    def __init__(
        self,
        store: Store,
        directory: Connection,
        query: CollectionQuery,
        budget: Budget,
        *,
        details: bool,
    ) -> None:
        self.store, self.directory, self.query = store, directory, query
        self._details, self._budget = details, budget
        self._lock = Lock()
        self._check_collection()
        self.rounds = store.rounds()
        self._spent: list[datetime] = []
        # Whole rows, so that each is verified before it decides on a request.
        last = store.read(_LAST_SESSION)
        self.session = max((store.parse_page(row).session for row in last), default=0) + 1
        since, limit = _now() - _DAY, budget.requests_per_day or 0
        for row in store.read(_FETCHED, (since.isoformat(),)):
            page = store.parse_page(row)
            self._spent += [page.moment] * min(page.paid, limit)
        for refusal in (refusal for round_ in self.rounds for refusal in store.refusals(round_)):
            if (moment := datetime.fromisoformat(refusal.at)) > since:
                self._spent += [moment] * min(refusal.paid, limit)

    def _check_collection(self) -> None:
        stored, name = self.store.collection(), self.store.name
        query, settings = self.query, self.directory.settings
        if (stored.resource, stored.query) != (query.resource, query.query):
            matching = f" matching {stored.query!r}" if stored.query else ""
            raise ArchiveError(
                f"{name} holds {stored.resource.collection}{matching}, which is another question. "
                "Name another file."
            )
        if stored.source != settings.name:  # the port of an embedded service changes
            raise ArchiveError(
                f"{name} holds pages of {stored.source}, not of {settings.name}. Name another file."
            )

    @property
    def workers(self) -> int:
        """Number of pages fetched concurrently."""
        return self.directory.settings.max_workers

    def fetch(self, number: int, sort: str | None) -> CompressedPage:
        """Fetch a page; it is not stored yet."""
        self.check_budget()
        query = replace(self.query, sort=sort)
        fetched = self.directory.session.get(query.path, query.params(number), _UNCACHED)
        return self.parse(fetched, number, sort)

    def parse(self, fetched: FetchedPage, number: int, sort: str | None) -> CompressedPage:
        """Return the record of a fetched page."""
        reader = RecordReader(self.query.resource)
        envelope = reader.add(fetched.page)
        key = (sort or "").removesuffix("_reverse")
        texts = [text for text in reader.last_values(key) if text] if key else []
        values = sort_keys(texts)
        digest, compressed = compress(fetched.content)
        page = PageRecord(
            page=number,
            session=self.session,
            sha256=digest,
            size=len(fetched.content),
            compressed_size=len(compressed),
            retrieved=fetched.retrieved.isoformat(),
            first=envelope.first_item_position,
            available=envelope.items_available,
            ids_json=encode_ids(reader.last_values("id")),
            low=texts[0] if texts else None,
            high=texts[-1] if texts else None,
            ordered=int(values == sorted(values, reverse=(sort or "").endswith("_reverse"))),
            paid=fetched.attempts,
            synthetic=int(envelope.synthetic),
        )
        return CompressedPage(page, compressed)

    def fetch_and_record(self, current: Round, number: int) -> PageRecord:
        """Fetch a page of a round and store it."""
        fetched = self.fetch(number, current.sort)
        self.store.add_page(current, *fetched)
        return fetched.page

    def fetch_details(self, current: Round, number: int, identifier: str) -> None:
        """Fetch the own page of a record and store it or its refusal."""
        self.check_budget()
        resource = self.query.resource
        response = Details(self.directory, resource, _UNCACHED).fetch(identifier)
        if not isinstance(response, Refused):
            fetched = self.parse(response, number, None)
            ids = fetched.page.ids
            if ids == (identifier,):
                # Its positions do not refer to the collection.
                page = replace(fetched.page, first=None, available=None)
                self.store.add_page(current, page, fetched.content)
                return
            names = ", ".join(str(value) for value in ids[:3]) or "nothing"
            response = Refused(f"returned {names}", requests=response.attempts)
        self.store.add_refusal(
            current, Refusal(identifier, response.why, _now().isoformat(), response.requests)
        )

    def start_round(
        self,
        kind: RoundKind,
        sort: str | None = None,
        first: CompressedPage | None = None,
        *,
        expected: int = 0,
    ) -> Round:
        """Start a round, with its first page."""
        began = first.page.retrieved if first else _now().isoformat()
        number = len(self.rounds) + 1
        current = Round(number, kind, sort, began, details=int(self._details), expected=expected)
        self.store.add_round(current, *(first or ()))
        self.rounds.append(current)
        return current

    def finish_round(self, current: Round, **facts: Any) -> None:
        """Finish a round, and store its outcome."""
        current.outcome = Outcome(at=_now().isoformat(), **facts)
        self.store.update_round(current)

    def abandon_round(self, current: Round, doubt: Doubt) -> None:
        """Finish a round that does not count."""
        available = None
        for page in self.store.pages(current):
            available = page.available
        facts: Any = {"pages": current.pages, "available": available, "doubt": doubt}
        self.finish_round(current, **facts, reached=False)

    def counts(self, current: Round) -> set[int | None]:
        """Return the counts of the directory that the pages of a round show."""
        return {page.available for page in self.store.pages(current)}

    # -- the quota -------------------------------------------------------------------------

    def check_budget(self) -> None:
        """Count a request, or raise if none is left."""
        now = _now()
        limit, stop_at = self._budget.requests_per_day, self._budget.stop_at
        if stop_at is not None and now >= stop_at:
            raise _DeadlineReached
        with self._lock:
            if limit is not None:
                # A clock that was ahead dated requests in the future; they were sent by now.
                self._spent = [min(moment, now) for moment in self._spent if moment > now - _DAY]
                if len(self._spent) >= limit:
                    raise QuotaExceededError(
                        f"The {limit:,} requests allowed today for this archive are used up.",
                        url=self.directory.settings.base_url,
                        resets_at=min(self._spent) + _DAY,
                    )
            self._spent.append(now)

    def quota_error(self, error: QuotaExceededError) -> QuotaExceededError:
        """Extend the error of a request with the state of the archive and the time to continue."""
        last = self.rounds[-1]
        if last.kind not in {RoundKind.FULL, RoundKind.DETAILS}:
            progress = f"{last.pages:,} pages of changes are kept in {self.store.name}."
        else:
            status = Archive(Path(self.store.name)).status()
            days = status.days_remaining(
                self._budget.requests_per_day or self.directory.settings.daily_quota
            )
            more = counted(days, "more day")
            progress = f"{status.heading} are kept in {self.store.name}; {more} to go."
        when = f" after {error.resets_at:%Y-%m-%d %H:%M} UTC" if error.resets_at else " tomorrow"
        saved = "only what is missing is paid for."
        return QuotaExceededError(
            f"The daily quota is used up. {progress}",
            url=error.url,
            status=error.status,
            resets_at=error.resets_at,
            hint=Hint(
                f"Run the same line again{when}: {saved}",
                shell=f"Run the same command again{when}: {saved}",
            ),
        )


class _DeadlineReached(Exception):  # noqa: N818  # not an error
    """The stop time set by the user was reached."""


@contextmanager
def open_writer(
    path: Path,
    directory: Directory | None,
    query: CollectionQuery,
    budget: Budget,
    *,
    details: bool = False,
) -> Iterator[ArchiveWriter]:
    """Yield the only writer of an archive; reaching the stop time ends the block silently.

    Raises
    ------
    QuotaExceededError
        If the daily quota is used up, with the state of the archive and the time to continue.
    """
    with client_or_default(directory) as client:
        settings = client.settings
        client.session.address(query.path, query.params(1))  # raises before a file exists
        what = query.resource.name, settings.base_url, settings.name, query.query
        with Store.open_writer(path, Collection(*what)) as store:
            writer = ArchiveWriter(store, client, query, budget, details=details)
            try:
                yield writer
            except _DeadlineReached:
                pass
            except QuotaExceededError as error:
                if not writer.rounds:
                    raise
                raise writer.quota_error(error) from error


def is_client_error(error: ServiceError) -> bool:
    """Return whether a directory rejected the request, as opposed to being out of order."""
    return error.status is None or error.status < 500


def _now() -> datetime:
    return datetime.now(UTC)
