"""Read an archive: progress, completeness, frames, chunks and Parquet."""

from __future__ import annotations

import math
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe._arrow import to_arrow, unify_schemas, with_schema
from dirframe._display import Card
from dirframe._files import atomic_write, check_writable, make_folder
from dirframe.archive.status import Index, Status
from dirframe.archive.store import Store
from dirframe.citation import cite
from dirframe.client.collection import ANALYSIS_COLUMNS, are_left_out, frame_of_rows
from dirframe.client.page import check_records, parse
from dirframe.client.paging import ids_of
from dirframe.client.records import Records
from dirframe.errors import (
    AnalysesNotSentWarning,
    ArchiveError,
    IncompleteWarning,
    warn,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence


PAGES_PER_CHUNK = 64
_ROWS = 8_192  # at least, in a row group


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
            self._index = Index(store)

    def _card(self) -> tuple[str, dict[str, str], str]:
        return self.status()._card()

    def status(self) -> Status:
        """Return the progress of the harvest.

        Returns
        -------
        Status
            Records, pages, sizes and completeness; printed as a few lines.
        """
        index, pages = self._index, self._index.pages
        sizes = {page.number: len(page.ids) for page in pages.received if page.number and page.ids}
        if index.sample is None:
            every = max(math.ceil((pages.available or 0) / sizes.get(1, 1)), len(sizes))
        else:
            every = len(sizes) + len(index.missing())
        completeness, reason = index.completeness()
        return Status(
            path=self.path,
            resource=index.resource.collection,
            pages=len(sizes),
            pages_expected=every,
            details=len(index.own_pages),
            details_expected=len(index.own_pages) + index.details_left,
            records=len(index.readings),
            available=index.expected,
            size_bytes=sum(row.size for row in index.rows),
            completeness=completeness,
            reason=reason,
            sort=index.sort,
            requests_left=max(every - len(sizes), 1) * bool(index.missing()) + index.details_left,
            daily_quota=self._daily_quota,
            newest=max((row.fetched for row in index.rows), default=None),
        )

    def frame(self) -> pd.DataFrame:
        """Return every record that was ever received, once, as one frame like the loaders.

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
        index = self._index
        self._check_pages()
        frame = self._read([*index.readings])
        provenance.set_provenance(frame, **self._provenance())
        if are_left_out(index.signs().values()) and not index.own_pages:
            provenance.set_provenance(frame, not_sent=ANALYSIS_COLUMNS)
            warn(
                AnalysesNotSentWarning(
                    f"No project in the archive {self.path} was sent with its analysis: the "
                    "directory sends an analysis only with the own page of its project.",
                    hint="Harvest with details=True (--details) to store these pages, for one "
                    "request each.",
                    requests=len(index.needed()),
                )
            )
        facts = provenance.get_provenance(frame)
        if facts["completeness"] == "incomplete":
            reason = facts["incomplete_reason"]
            warn(IncompleteWarning(f"The archive {self.path} is incomplete: {reason}."))
        return frame

    def chunks(self) -> Iterator[pd.DataFrame]:
        """Yield the records of `frame`, those of 64 pages at a time, in bounded memory.

        Yields
        ------
        pandas.DataFrame
            Some of the records, in the same order; a column outside the specification is only in
            the chunks that contain it.
        """
        facts, keys = self._provenance(), [*self._index.readings]
        self._check_pages()
        size = PAGES_PER_CHUNK * max(len(page.ids) for page in self._index.pages.received)
        for begin in range(0, max(len(keys), 1), size or 1):
            yield provenance.set_provenance(self._read(keys[begin : begin + size]), **facts)

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
        check_writable(target, overwrite=False)
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
        if not self._index.pages.received:
            raise ArchiveError(f"{self.path} is empty: nothing was harvested yet.")

    def _read(self, keys: Sequence[Hashable]) -> pd.DataFrame:
        """Return records in the order of their keys: from their own page, if that came."""
        index, starts = self._index, dict[int, int]()
        records, chosen = Records(index.resource), list[int]()
        with Store.open(self.path) as store:
            for key in keys:
                page, place = index.readings[key][0].source, index.readings[key][1]
                own = index.own_pages.get(key)
                if own is not None and own.refusal is None:
                    page, place = own, 0
                if page.id not in starts:
                    name = f"{page.name} in {self.path}"
                    parsed = parse(store.content(page), source=name)
                    check_records(parsed, index.resource.name)
                    if list(ids_of(parsed, index.resource)) != list(page.ids):
                        raise ArchiveError(f"{name} is damaged. Restore the file from a copy.")
                    starts[page.id] = records.rows
                    records.add(parsed)
                chosen.append(starts[page.id] + place)
        return frame_of_rows(records, chosen)

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
            "items_available": index.pages.available,
            "items_loaded": len(index.readings),
            "ids": provenance.digest_ids(ids)[1],
            "completeness": completeness,
            "incomplete_reason": reason,
            "details": sum(row.number is None for row in read),
            "details_missing": list(index.lost()),
            "duplicates_removed": 0 if index.sample else index.pages.repeated(),
            "sample": index.sample.design(index.pages, index.sort) if index.sample else {},
            "retrieved_oldest": min(times, default=None),
            "retrieved_newest": max(times, default=None),
            "requests_made": sum(row.requests for row in index.rows),
            "requests_cached": sum(not row.requests for row in read),
            "synthetic": any(row.synthetic for row in index.rows),
        }


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
