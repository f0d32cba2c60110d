"""Yield the records of a collection page by page, in bounded memory."""

# Records leave as their page is read, so no page can be fetched again to replace them. Of each page
# only its position and the ids stay, which prove at the end that no record is missing.

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe.client.details import Refused, sent_columns, with_signs
from dirframe.client.frames.builder import FrameBuilder
from dirframe.client.paging.paginator import Paginator, Stopped, report_progress
from dirframe.client.paging.prefetch import fetch_ahead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dirframe.client.details import Details
    from dirframe.client.http.session import FetchedPage
    from dirframe.client.paging.paginator import CollectionResult

    Record = dict[str, Any]


class RecordStream(Paginator):
    """Fetch a collection as `Paginator` does, and yield its records instead of a frame."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._names = with_signs(self._resource, self._columns)
        self._seen: set[str | None] = set()
        self.yielded = 0
        self._repeated = self._without_id = self._needed = 0
        self._any_held = self._any_named = False
        self._own_pages = 0

    def records(self) -> Iterator[Record]:
        """Yield the records in order, each id once; `result` is then what is known of them."""
        try:
            for number in self._read_pages([1]):
                yield from self._page_records(number)
        except Stopped:
            self._stopped = True

    def result(self) -> CollectionResult:
        """Return what is known about completeness; the frame is empty."""
        return self._make_result(
            pd.DataFrame(),
            records=self.yielded,
            without_id=self._without_id,
            repeated=self._repeated,
            details=self._own_pages,
            are_unsent=self._any_named and not self._any_held,
            needed=self._needed,
        )

    def _was_read(self, number: int, count: int, fetched: FetchedPage) -> None:
        if number:  # no own page
            self._rows.append((number, count))
        # The oldest is enough to warn of stale pages.
        slim = replace(fetched, content=b"", page=replace(fetched.page, records=None))
        self._fetched = [min([*self._fetched, slim], key=lambda page: page.retrieved)]

    def _page_records(self, number: int) -> Iterator[Record]:
        """Yield the records of the page that was read last."""
        ids = self._pages[number].ids
        records, builder = self._build()
        sent = sent_columns(builder)
        self._any_held |= bool(sent.held.any())
        self._any_named |= bool(sent.named.any())
        needed = ~sent.held & (sent.named if self._any_named else True)
        chosen: dict[int, str | None] = {}
        for row, identifier in enumerate(ids):
            if self._max_items is not None and self.yielded + len(chosen) >= self._max_items:
                break
            if identifier is None:
                self._without_id += 1
            elif identifier in self._seen:
                self._repeated += 1
                continue
            self._seen.add(identifier)
            chosen[row] = identifier
        self._needed += sum(bool(needed[row]) for row in chosen) if self._wants_analysis else 0
        if self._details is not None:
            wanted = [name for row, name in chosen.items() if needed[row] and name is not None]
            own = self._own_records(self._details, wanted)
        else:
            own = {}
        for row, identifier in chosen.items():
            self.yielded += 1
            yield self._select(own.get(identifier, records[row]))

    def _own_records(self, details: Details, ids: list[str]) -> dict[str | None, Record]:
        """Return the records of own pages by id."""
        own: dict[str | None, Record] = {}
        for identifier, response in fetch_ahead(
            details.fetch, details.get_cached, ids, self._workers
        ):
            if isinstance(response, Refused):
                self._refused[identifier] = response
            elif self._read_alone(identifier, response):
                own[identifier] = self._build()[0][0]
                self._own_pages += 1
            else:
                self._reader.pop_columns()
            report_progress(self._on_details, 1, len(ids))
        return own

    def _build(self) -> tuple[list[Record], FrameBuilder]:
        builder = FrameBuilder(self._resource, self._names)
        builder.add(self._reader.pop_columns())
        return builder.records(), builder

    def _select(self, record: Record) -> Record:
        if self._columns is None:
            return record
        return {
            name: value
            for name, value in record.items()
            if name.removesuffix("_unreadable") in self._columns
        }
