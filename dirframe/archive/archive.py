"""Read an archive: progress, completeness, frames, chunks and Parquet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, reduce
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._atomic import atomic_write, make_folder, refuse_existing
from dirframe._display.card import Card
from dirframe._display.values import counted
from dirframe.archive.store import Store
from dirframe.citation import cite
from dirframe.client.details import Sent, unsent_columns
from dirframe.client.frames.builder import FrameBuilder
from dirframe.client.frames.columns import column_paths, select_columns, with_id_column
from dirframe.client.frames.interchange import to_arrow, unify_schemas, with_schema
from dirframe.client.paging.completeness import PAGES_PER_CHUNK, PagePosition, PageSequence
from dirframe.client.xml.records import RecordReader
from dirframe.errors import (
    AnalysesNotSentWarning,
    ArchiveError,
    Hint,
    IncompleteWarning,
    warn,
)
from dirframe.provenance.fingerprint import ids_of
from dirframe.schema import PROJECT, RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dirframe.archive.store import PageRow


_NAMED = 20  # missing records in a message; the provenance lists all of them
_ROWS = 8_192  # at least, in a row group


@dataclass(frozen=True, kw_only=True, repr=False)
class Status(Card):
    """Progress of a harvest.

    Attributes
    ----------
    path : pathlib.Path
        The archive.
    resource : str
        ``accounts`` or ``projects``.
    records : int
        Number of different records received.
    available : int or None
        Number of records that the directory reports.
    pages, pages_expected : int
        Pages of the collection that are stored, and expected.
    details, details_expected : int
        Own pages of projects that are stored or refused, and expected so far; zero if none was
        asked for.
    completeness, reason : str, str or None
        ``proven``, ``counted`` or ``incomplete`` as in `Archive.frame`, and why it is not proven.
    sort : str or None
        The order of the pages; None for the directory's own.
    requests_left : int
        Requests to go, as far as is known.
    daily_quota : int or None
        Requests a day, if known.
    size_bytes : int
        Size of all stored pages, uncompressed.
    newest : str or None
        When the newest page was fetched, ISO 8601 in UTC.
    """

    path: Path
    resource: str
    records: int
    available: int | None
    pages: int
    pages_expected: int
    details: int
    details_expected: int
    completeness: str
    reason: str | None
    sort: str | None
    requests_left: int
    daily_quota: int | None
    size_bytes: int
    newest: str | None

    @property
    def finished(self) -> bool:
        """Whether nothing is left to fetch."""
        return not self.requests_left

    @property
    def complete(self) -> bool:
        """Whether it is finished, and proven complete."""
        return self.completeness == "proven"

    @property
    def share(self) -> float:
        """Share of the available records that was received; 1 only for as many as available."""
        if self.records == self.available:
            return 1.0
        return min(self.records / self.available, 0.999) if self.available else 0.0

    def _card(self) -> tuple[str, dict[str, str], str]:
        left = counted(self.requests_left, "request")
        if self.daily_quota:
            days = counted(math.ceil(self.requests_left / self.daily_quota), "day")
            left += f", {days} at {self.daily_quota:,} a day"
        words = {"proven": "proven complete", "counted": self.reason}
        note = f"Finished: {words.get(self.completeness, f'INCOMPLETE, {self.reason}')}."
        if not self.finished:
            note = f"Not finished: {left} to go. Run the same line again."
        of = "" if self.available is None else f" of {self.available:,}"
        own = f", and {self.details:,} of {self.details_expected:,} own pages"
        facts = {
            "records": f"{self.records:,}{of} {self.resource} ({self.share:.1%})",
            "pages": f"{self.pages:,} of {self.pages_expected:,}"
            + own * bool(self.details_expected),
            "size": f"{self.size_bytes / 1e6:,.1f} MB uncompressed",
            "newest page": f"{self.newest[:16].replace('T', ' ')} UTC" if self.newest else "none",
        }
        return f"Archive {self.path}", facts, note


class Index:
    """What an archive holds: of each record its place and its newest reading."""

    def __init__(self, store: Store) -> None:
        self.facts, self.rows = store.facts(), store.pages()
        self.resource = RESOURCES[self.facts["resource"]]
        self.sequence = PageSequence(paged=self.resource.paged)
        self.sort: str | None = None
        for row in self.rows:
            self.add_position(row)

    def add_position(self, row: PageRow) -> None:
        """Add a page to the sequence that proves completeness."""
        if not row.number:
            return
        self.sort = row.sort
        if row.refusal is not None:
            self.sequence.ended = True
            return
        order = (datetime.fromisoformat(row.fetched).timestamp(), row.id)
        self.sequence.add(
            PagePosition(row.number, row.available, row.first, row.ids, row.id, order)
        )

    @cached_property
    def pages(self) -> list[PageRow]:
        """The pages of the collection, in its order; of two readings the newer one first."""
        pages = [row for row in self.rows if row.number is not None and row.refusal is None]
        return sorted(pages, key=lambda row: (not row.number, row.number, -row.id))

    @cached_property
    def own_pages(self) -> dict[str | None, PageRow]:
        """The own pages of records, by id, and those that were refused."""
        return {row.record: row for row in self.rows if row.number is None}

    @cached_property
    def readings(self) -> dict[Any, tuple[PageRow, int]]:
        """The newest reading of each record in the collection, as page and position, in order."""
        readings: dict[Any, tuple[PageRow, int]] = {}
        number = None
        for row in self.pages:
            is_newest, number = row.number != number, row.number
            for position, identifier in enumerate(row.ids):
                # Records without an id cannot be told apart: those of a newer reading count.
                key = (row.id, position) if identifier is None else identifier
                known = readings.get(key)
                if known is None:
                    if identifier is not None or is_newest:
                        readings[key] = row, position
                elif (known[0].fetched, known[0].id) < (row.fetched, row.id):
                    readings[key] = row, position  # the place remains the first one
        return readings

    @cached_property
    def sent(self) -> Sent:
        """Which records came with an analysis, in the order of `readings`."""
        if self.resource is not PROJECT:
            nothing = np.zeros(len(self.readings), dtype=bool)
            return Sent(~nothing, nothing)
        signs = np.array([int(row.signs[at]) for row, at in self.readings.values()], dtype=int)
        return Sent(signs & 1 > 0, signs & 2 > 0)

    def needed(self) -> list[str]:
        """Return the ids of the records that need their own page, in the order of the collection."""
        needed = zip(self.readings, self.sent.needed(), strict=True)
        return [key for key, is_needed in needed if is_needed and isinstance(key, str)]

    @property
    def records(self) -> int:
        """Number of different records."""
        return len(self.readings)

    @cached_property
    def repeated(self) -> int:
        """Number of records on the pages in use whose id came before."""
        pages = self.sequence.contiguous_pages()
        used = [identifier for page in pages for identifier in page.ids if identifier is not None]
        return len(used) - len(set(used))

    @property
    def details_left(self) -> int:
        """Number of own pages that are not stored yet, if any was asked for."""
        return sum(key not in self.own_pages for key in self.needed()) if self.own_pages else 0

    def lost(self) -> dict[str, str]:
        """Return the records whose own page did not come, and why."""
        refused = {str(row.record): row.refusal or "" for row in self.own_pages.values()}
        return {record: why for record, why in refused.items() if why}

    def completeness(self) -> tuple[str, str | None]:
        """Return ``proven``, ``counted`` or ``incomplete``, and why it is not proven."""
        if reason := self._unfinished():
            return "incomplete", reason
        days, available = self.sequence.days(), self.sequence.available()
        without_id = sum(not isinstance(key, str) for key in self.readings)
        reason = self.sequence.incomplete_reason(self.records, without_id, self.repeated)
        if len(days) == 1 and reason is None:
            return "proven", None
        if len(days) > 1 and self.records == available and not without_id:
            return "counted", (
                f"read from {days[0]} to {days[-1]}, as many different records as the directory "
                "counts; records that were exchanged meanwhile cannot be seen"
            )
        return "incomplete", f"{reason}{self._order_reason()}"

    def _unfinished(self) -> str | None:
        """Return which pages are not there; None if all are."""
        if not self.sequence.days() or self.sequence.missing_pages():
            available = self.sequence.available() or 0
            return (
                f"the harvest is not finished: {self.records:,} of {available:,} records are stored"
            )
        if left := self.details_left:
            return f"{left:,} own pages were not asked for yet"
        lost = [f"{record} ({why})" for record, why in sorted(self.lost().items())]
        if not lost:
            return None
        more = f" and {len(lost) - _NAMED:,} more" if len(lost) > _NAMED else ""
        names = ", ".join(lost[:_NAMED])
        return f"the own pages of {len(lost):,} records did not come: {names}{more}"

    def _order_reason(self) -> str:
        """Return what to say about the order, if records come again while their number stands."""
        counts = {row.available for row in self.pages if row.number}
        if not self.repeated or len(counts) > 1 or self.records >= (self.sequence.available() or 0):
            return ""
        text = ", although all pages count as many: the order does not hold"
        if self.resource is not PROJECT:
            return f"{text}, and there is no other"
        return text if self.sort == "project_name" else f"{text}, that of sort='project_name' may"


def read_index(store: Store) -> Index:
    """Return what an archive holds; `ArchiveError` if it is damaged."""
    try:
        index = Index(store)
        index.completeness(), index.sent  # all that is computed from the rows
    except (LookupError, TypeError, ValueError) as error:
        raise ArchiveError(f"{store.path} is damaged ({error}). Restore it from a copy.") from error
    return index


class Archive(Card):
    """A collection stored as received; created by `harvest` and `open_archive`.

    It shows the state at the time it was opened, whatever is harvested meanwhile.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    daily_quota : int, optional
        Requests a day, for the days left in the status.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     archive = dirframe.harvest("projects", "harvest.archive", directory=directory)
    >>> len(archive.frame())
    1500
    """

    def __init__(self, path: Path, daily_quota: int | None = None) -> None:
        self.path, self._daily_quota = path, daily_quota
        with Store.open(path) as store:
            self._index = read_index(store)

    def _card(self) -> tuple[str, dict[str, str], str]:
        return self.status()._card()

    def status(self) -> Status:
        """Return the progress of the harvest.

        Returns
        -------
        Status
            Records, pages, sizes and completeness; printed as a few lines.
        """
        index = self._index
        available = index.sequence.available()
        sizes = {row.number: len(row.ids) for row in index.pages if row.number and row.ids}
        expected = max(math.ceil((available or 0) / sizes.get(1, 1)), len(sizes))
        missing = bool(index.sequence.missing_pages()) or not sizes
        completeness, reason = index.completeness()
        return Status(
            path=self.path,
            resource=index.resource.collection,
            pages=len(sizes),
            pages_expected=expected,
            details=len(index.own_pages),
            details_expected=len(index.own_pages) + index.details_left,
            records=index.records,
            available=available,
            size_bytes=sum(row.size for row in index.rows),
            completeness=completeness,
            reason=reason,
            sort=index.sort,
            requests_left=max(expected - len(sizes), 1) * missing + index.details_left,
            daily_quota=self._daily_quota,
            newest=max((row.fetched for row in index.rows), default=None),
        )

    def frame(self, *, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return every record that was ever received, once, as one frame like the loaders.

        Parameters
        ----------
        columns : sequence of str, optional
            Names of the columns to read; ``id`` is always included. Default: all.

        Returns
        -------
        pandas.DataFrame
            The newest reading of each record, the own page before the collection, in the order of
            the pages. ``completeness`` in its provenance is ``proven`` if the pages are of one day
            and prove that no record is missing; ``counted`` if they are of several days and there
            are as many different records as the directory has, so that an exchanged one would not
            be seen; otherwise ``incomplete``.

        Raises
        ------
        ArchiveError
            If a page is missing or damaged, or nothing was harvested yet.

        Warns
        -----
        IncompleteWarning
            If it is incomplete; the reason is in the provenance too.
        AnalysesNotSentWarning
            If projects have analyses but none came with its analysis.
        """
        index, chosen = self._index, with_id_column(columns)
        self._check_pages()
        own = (row for row in index.own_pages.values() if row.refusal is None)
        frame = self._read([*index.pages, *own], chosen, index.readings)
        provenance.set_provenance(frame, **self._provenance(), columns=tuple(columns or ()))
        if index.sent.left_out and not index.own_pages:
            absent = unsent_columns(index.resource, chosen)
            provenance.set_provenance(frame, not_sent=absent)
            if absent:
                self._warn_not_sent()
        facts = provenance.get_provenance(frame)
        if facts["completeness"] == "incomplete":
            reason = facts["incomplete_reason"]
            warn(IncompleteWarning(f"The archive {self.path} is incomplete: {reason}."))
        return frame

    def chunks(self, *, columns: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the records of `frame`, those of 64 pages at a time, in bounded memory.

        Parameters
        ----------
        columns : sequence of str, optional
            As in `frame`.

        Yields
        ------
        pandas.DataFrame
            Some of the records, in the same order; a column outside the specification is only in
            the chunks that contain it.
        """
        index, chosen, facts = self._index, with_id_column(columns), self._provenance()
        self._check_pages()
        size = PAGES_PER_CHUNK * max(len(row.ids) for row in index.pages)
        for begin in range(0, max(index.records, 1), size or 1):
            readings = dict(islice(index.readings.items(), begin, begin + size))
            rows = {page.id: page for page in map(self._page, readings)}
            frame = self._read(rows.values(), chosen, readings)
            yield provenance.set_provenance(frame, **facts)

    def verify(self) -> int:
        """Read every page and check its digest.

        Returns
        -------
        int
            Number of pages.

        Raises
        ------
        ArchiveError
            If a page is missing or damaged; the message names it.
        """
        with Store.open(self.path) as store:
            rows = [row for row in store.pages() if row.refusal is None]
            for row in rows:
                store.content(row)
        return len(rows)

    def to_parquet(self, path: str | Path) -> Path:
        """Write the records as one Parquet file, in bounded memory.

        Parameters
        ----------
        path : str or pathlib.Path
            The file; it appears whole or not at all.

        Returns
        -------
        pathlib.Path
            The file, with checksums of its pages, and provenance and citation in its metadata.
            Lists are lists, or JSON if their entries differ in form.

        Raises
        ------
        InvalidInputError
            If the file exists, or its folder cannot be created.
        ArchiveError
            If a page is missing or damaged, or the disk is full.

        Examples
        --------
        >>> import dirframe
        >>> with dirframe.sample_directory() as directory:
        ...     archive = dirframe.harvest("accounts", "people.archive", directory=directory)
        >>> import pandas as pd
        >>> len(pd.read_parquet(archive.to_parquet("people.parquet")))
        2000
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        target = Path(path)
        refuse_existing(target)
        make_folder(target.parent)
        # All pages are read twice: the types of all columns are known only at the end.
        schema = reduce(unify_schemas, (to_arrow(frame).schema for frame in self.chunks()))
        ids = pd.DataFrame({"id": [*self._index.readings]})
        citation = cite(provenance.set_provenance(ids, **self._provenance()))
        schema = schema.with_metadata({**schema.metadata, "citation": citation})
        try:
            with (
                atomic_write(target, overwrite=False) as unfinished,
                pq.ParquetWriter(unfinished, schema, write_page_checksum=True) as writer,
            ):
                tables: list[pa.Table] = []
                for frame in self.chunks():
                    tables.append(with_schema(to_arrow(frame), schema))
                    if sum(map(len, tables)) >= _ROWS:
                        writer.write_table(pa.concat_tables(tables))
                        tables.clear()
                if tables:
                    writer.write_table(pa.concat_tables(tables))
        except OSError as error:
            raise ArchiveError(
                f"{target} could not be written ({error.strerror or error}). Nothing of it was left "
                "there: make room, or choose another place."
            ) from error
        return target

    def _check_pages(self) -> None:
        if not self._index.pages:
            raise ArchiveError(f"{self.path} is empty: nothing was harvested yet.")

    def _page(self, key: Any) -> PageRow:
        """Return the page that a record is read from: its own one, if that came."""
        own = self._index.own_pages.get(key)
        return self._index.readings[key][0] if own is None or own.refusal is not None else own

    def _read(
        self, pages: Iterable[PageRow], columns: Sequence[str] | None, keys: Iterable[Any]
    ) -> pd.DataFrame:
        """Return records in the order of their keys, from pages that hold all of them."""
        resource, starts, count = self._index.resource, dict[int, int](), 0
        reader = RecordReader(resource, chosen=column_paths(resource, columns))
        builder = FrameBuilder(resource, columns)
        with Store.open(self.path) as store:
            for number, page in enumerate(pages, start=1):
                name = f"{page.name} in {self.path}"
                if reader.read(store.content(page), source=name).records != len(page.ids):
                    raise ArchiveError(f"{name} is damaged. Restore the file from a copy.")
                starts[page.id] = count
                count += len(page.ids)
                if number % PAGES_PER_CHUNK == 0:
                    builder.add(reader.pop_columns())
        builder.add(reader.pop_columns())
        rows = []
        for key in keys:
            page, (collected, position) = self._page(key), self._index.readings[key]
            rows.append(starts[page.id] + (position if page is collected else 0))
        frame = select_columns(builder.finish(), columns)
        return frame.iloc[np.array(rows, dtype=np.int64)].reset_index(drop=True)

    def _provenance(self) -> dict[str, Any]:
        index, facts = self._index, self._index.facts
        completeness, reason = index.completeness()
        read = [row for row in index.rows if row.refusal is None]
        times = [row.fetched[:19] + row.fetched[26:] for row in read]
        query = {"query": facts["query"], "sort": facts["sort"] or index.sort}
        query |= {"details": True if index.own_pages else None}
        ids = pd.Series(
            [key if isinstance(key, str) else None for key in index.readings], dtype="str"
        )
        return {
            "source": facts["source"],
            "base_url": facts["base_url"],
            "resource": facts["resource"],
            "query": {name: value for name, value in query.items() if value is not None},
            "items_available": index.sequence.available(),
            "items_loaded": index.records,
            "ids": ids_of(ids).digest,
            "complete": {"proven": True, "counted": None}.get(completeness, False),
            "completeness": completeness,
            "incomplete_reason": reason,
            "details": sum(row.number is None for row in read),
            "details_missing": sorted(index.lost()),
            "duplicates_removed": index.repeated,
            "retrieved_oldest": min(times, default=None),
            "retrieved_newest": max(times, default=None),
            "requests_made": sum(row.requests for row in index.rows),
            "requests_cached": sum(not row.requests for row in read),
            "synthetic": any(row.synthetic for row in index.rows),
        }

    def _warn_not_sent(self) -> None:
        warn(
            AnalysesNotSentWarning(
                f"No project in the archive {self.path} was sent with its analysis: the directory "
                "sends an analysis only with the own page of its project.",
                hint=Hint(
                    "Harvest with details=True to store these pages, for one request each.",
                    shell="dirframe harvest --details stores these pages, for one request each.",
                ),
                requests=len(self._index.needed()),
            )
        )


def open_archive(path: str | Path) -> Archive:
    """Open an archive for reading; a harvest may write to it meanwhile.

    Parameters
    ----------
    path : str or pathlib.Path
        The file written by `harvest`.

    Returns
    -------
    Archive
        The archive, with `status`, `frame`, `chunks`, `to_parquet` and `verify`.

    Raises
    ------
    ArchiveError
        If it is not an archive, or damaged.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     _ = dirframe.harvest("accounts", "kept.archive", directory=directory)
    >>> dirframe.open_archive("kept.archive").status().complete
    True
    """
    return Archive(Path(path))
