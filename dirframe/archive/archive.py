"""Read an archive: progress, completeness, frames, chunks and Parquet."""

from __future__ import annotations

import math
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._arrow import to_arrow, unify_schemas, with_schema
from dirframe._display.card import Card
from dirframe._files import atomic_write, check_writable, make_folder
from dirframe.archive.status import Status, read_index
from dirframe.archive.store import Store
from dirframe.citation import cite
from dirframe.client.details import ANALYSIS_COLUMNS
from dirframe.client.page import parse
from dirframe.client.paging.completeness import PAGES_PER_CHUNK
from dirframe.client.records import Records
from dirframe.errors import (
    AnalysesNotSentWarning,
    ArchiveError,
    Hint,
    IncompleteWarning,
    warn,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dirframe.archive.store import PageRow


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
        own = (row for row in index.own_pages.values() if row.refusal is None)
        frame = self._read([*index.pages, *own], index.readings)
        provenance.set_provenance(frame, **self._provenance())
        if index.sent.left_out and not index.own_pages:
            provenance.set_provenance(frame, not_sent=ANALYSIS_COLUMNS)
            self._warn_not_sent()
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
        index, facts = self._index, self._provenance()
        self._check_pages()
        size = PAGES_PER_CHUNK * max(len(row.ids) for row in index.pages)
        for begin in range(0, max(index.records, 1), size or 1):
            readings = dict(islice(index.readings.items(), begin, begin + size))
            rows = {page.id: page for page in map(self._page, readings)}
            frame = self._read(rows.values(), readings)
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
        if not self._index.pages:
            raise ArchiveError(f"{self.path} is empty: nothing was harvested yet.")

    def _page(self, key: Any) -> PageRow:
        """Return the page that a record is read from: its own one, if that came."""
        own = self._index.own_pages.get(key)
        return self._index.readings[key][0] if own is None or own.refusal is not None else own

    def _read(self, pages: Iterable[PageRow], keys: Iterable[Any]) -> pd.DataFrame:
        """Return records in the order of their keys, from pages that hold all of them."""
        resource, starts, count = self._index.resource, dict[int, int](), 0
        records = Records(resource)
        with Store.open(self.path) as store:
            for page in pages:
                name = f"{page.name} in {self.path}"
                content = parse(store.content(page), source=name)
                records.add(content)
                if list(content.values("id")) != list(page.ids):
                    raise ArchiveError(f"{name} is damaged. Restore the file from a copy.")
                starts[page.id] = count
                count += len(page.ids)
        rows = []
        for key in keys:
            page, (collected, position) = self._page(key), self._index.readings[key]
            rows.append(starts[page.id] + (position if page is collected else 0))
        frame = records.frame()
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
            "ids": provenance.digest_ids(ids)[1],
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
