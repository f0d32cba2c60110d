"""Read the archive of a collection: its status, its records as frames, or as a Parquet file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pandas as pd

from dirframe._arrow import to_arrow, unify_schemas
from dirframe._display import card, percent, quantity
from dirframe._files import atomic_write, check_writable, make_folder
from dirframe._tables import seal_parquet
from dirframe.archive.store import Store
from dirframe.client.load import describe, describe_whole
from dirframe.client.messages import advice_on_archive, summarize
from dirframe.client.paging.details import OwnPage
from dirframe.client.paging.pages import CollectionPage
from dirframe.client.paging.received import ids_of
from dirframe.client.xml.page import parse
from dirframe.client.xml.records import Records
from dirframe.errors import ArchiveError, IncompleteWarning, warn
from dirframe.schema import COLLECTIONS

ROWS = 8_192  # in a chunk, and a row group


@dataclass(frozen=True, kw_only=True, repr=False)
class Status:
    """Progress of a harvest."""

    path: Path
    resource: str  # accounts or projects
    records: int  # different ones that were received
    available: int | None  # that the directory reports
    pages: int  # of the collection, that are stored
    details: int  # own pages of projects that are stored or refused
    completeness: str  # as in `Archive.frame`
    reason: str | None  # why it is not proven
    advice: str | None  # what helps, if it is incomplete
    sort: str | None  # the order of the pages; None for the directory's own
    requests_left: int  # as far as is known
    newest: datetime | None  # when the newest page was fetched, in UTC

    @property
    def finished(self) -> bool:
        """Whether nothing is left to fetch."""
        return not self.requests_left

    @property
    def complete(self) -> bool:
        """Whether it is finished, and proven complete."""
        return self.completeness == "proven"

    def __repr__(self) -> str:
        states = {"proven": "proven complete", "counted": self.reason, "sample": "a random sample"}
        note = f"Finished: {states.get(self.completeness, f'INCOMPLETE, {self.reason}')}."
        if self.advice is not None:
            note += f" {self.advice}"
        if not self.finished:
            left = quantity(self.requests_left, "request")
            note = f"Not finished: {left} to go. Run it again."
        words = COLLECTIONS[self.resource].words
        records = quantity(self.records, *words)
        if self.available is not None:
            records = f"{self.records:,} of {quantity(self.available, *words)}"
            if 0 < self.available >= self.records:
                records += f" ({percent(self.records / self.available)})"
        own = f", and {quantity(self.details, 'own page')}" if self.details else ""
        facts = {
            "records": records,
            "pages": f"{self.pages:,}{own}",
            "newest page": f"{self.newest:%Y-%m-%d %H:%M} UTC" if self.newest else "none",
        }
        return card(f"Archive {self.path}", facts, note)


class Archive:
    """A collection stored as received, as it is when it is opened.

    Parameters
    ----------
    path : pathlib.Path
        The file.

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     archive = dirframe.harvest("projects", "harvest.archive", directory=directory)
    >>> len(archive.frame())
    1500
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with Store.open(path) as store:
            self._stored, facts = store.read(), store.facts()
        self._received = self._stored.received
        self._source = {name: facts[name] for name in ("source", "base_url")}

    def __repr__(self) -> str:
        return repr(self.status())

    def status(self) -> Status:
        """Return the records, pages and completeness so far; printed as a few lines."""
        received, verdict = self._received, self._received.verdict
        summary = summarize(received)
        pages = received.part.newest_versions()
        return Status(
            path=self.path,
            resource=received.query.resource.collection,
            records=len(verdict.places),
            available=verdict.expected,
            pages=sum(bool(page.ids) for page in pages),
            details=len(received.details.answers),
            completeness=summary.completeness.value,
            reason=summary.reason,
            advice=advice_on_archive(received),
            sort=received.query.sort,
            requests_left=received.part.count_missing() + received.own_to_come(),
            newest=self._stored.newest,
        )

    def frame(self, *, whole: bool = False) -> pd.DataFrame:
        """Return every record that was ever received, once, as one frame like the loaders.

        Of a finished walk by ids, those up to its bound: newer ones are named in the provenance.

        Parameters
        ----------
        whole : bool, default False
            Whether to leave out projects whose own page is still to come: a statistic would count
            them as projects without an analysis.

        Returns
        -------
        pandas.DataFrame
            The newest reading of each record, the own page before the collection, in the order of
            the pages.

        Raises
        ------
        ArchiveError
            If a page is missing or damaged, or nothing was harvested yet.

        Warns
        -----
        IncompleteWarning, SortIgnoredWarning, AnalysesNotSentWarning, ServiceChangedWarning
            If it is incomplete; the others as in `load_projects`.
        """
        frame = self._read(self._readings(whole=whole))
        what = f"{self._received.query.resource.collection} of the archive {self.path}"
        facts = describe_whole(frame, self._received, what, **self._source)
        if facts["completeness"] == "incomplete":
            reason = facts["incomplete_reason"]
            verdict = self._received.verdict
            warn(
                IncompleteWarning(
                    f"The archive {self.path} is incomplete: {reason}.",
                    hint=advice_on_archive(self._received),
                    received=len(verdict.places),
                    expected=verdict.expected,
                    order_fails=verdict.is_order_unstable,
                )
            )
        return frame

    def chunks(self) -> Iterator[pd.DataFrame]:
        """Yield the records of `frame` in its order, 8,192 at a time, in bounded memory.

        A column outside the specification is only in the chunks that contain it.
        """
        readings = self._readings()
        for begin in range(0, max(len(readings), 1), ROWS):
            frame = self._read(readings[begin : begin + ROWS])
            describe(frame, self._received, **self._source)
            yield frame

    def verify(self) -> int:
        """Check the digest of every page, and return their number; `ArchiveError` names a bad one."""
        with Store.open(self.path) as store:
            documents = store.read().documents
            for row, name in documents.items():
                store.content(row, name)
        return len(documents)

    def to_parquet(self, path: str | Path) -> Path:
        """Write the records of `frame` as one Parquet file, in bounded memory.

        Parameters
        ----------
        path : str or pathlib.Path
            The file; it appears whole or not at all.

        Returns
        -------
        pathlib.Path
            The file, with checksums of its pages, and the provenance in its metadata. Lists are
            lists, or JSON if their entries differ in form.

        Raises
        ------
        InvalidInputError, OSError, ArchiveError
            If the file exists, or its folder cannot be created; if the disk is full; as in `frame`.
        """
        import pyarrow.parquet as pq

        target = Path(path)
        check_writable(target, overwrite=False)
        make_folder(target.parent)
        # All pages are read twice: the types of all columns are known only at the end.
        schema = unify_schemas(to_arrow(frame).schema for frame in self.chunks())
        with atomic_write(target, overwrite=False) as unfinished:
            with pq.ParquetWriter(unfinished, schema, write_page_checksum=True) as writer:
                for frame in self.chunks():
                    writer.write_table(to_arrow(frame, schema))
            with unfinished.open("r+b") as file:
                seal_parquet(file)
        return target

    def _readings(self, *, whole: bool = False) -> list[tuple[CollectionPage | OwnPage, int]]:
        if not self._stored.times:
            raise ArchiveError(f"{self.path} is empty: nothing was harvested yet.")
        return list(self._received.readings(whole=whole))

    def _read(self, readings: Iterable[tuple[CollectionPage | OwnPage, int]]) -> pd.DataFrame:
        """Return the records at some places."""
        resource = self._received.query.resource
        begins: dict[CollectionPage | OwnPage, int] = {}
        records, rows = Records(resource), list[int]()
        with Store.open(self.path) as store:
            for page, index in readings:
                if page not in begins:
                    row = self._stored.rows[page]
                    name = self._stored.documents[row]
                    content = store.content(row, name)
                    parsed = parse(content, source=f"{name} in {self.path}")
                    ids = (page.record,) if isinstance(page, OwnPage) else page.ids
                    if ids_of(parsed, resource) != ids:
                        raise ArchiveError(
                            f"{name} in {self.path} is damaged. Restore the file from a copy."
                        )
                    begins[page] = records.add(parsed)
                rows.append(begins[page] + index)
        return records.frame(rows)


def open_archive(path: str | Path) -> Archive:
    """Open an archive, also while a harvest writes to it.

    Parameters
    ----------
    path : str or pathlib.Path
        The file written by `harvest`.

    Returns
    -------
    Archive
        The archive as it is now.

    Raises
    ------
    ArchiveError
        If it is not an archive, or damaged.

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     _ = dirframe.harvest("accounts", "members.archive", directory=directory)
    >>> dirframe.open_archive("members.archive").status().complete
    True
    """
    return Archive(Path(path))
