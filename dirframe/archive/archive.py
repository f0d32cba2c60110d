"""Store a whole collection in a file, over as many days as the quota needs, and read it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from dirframe._arrow import to_arrow, unify_schemas
from dirframe._display import card, percent, quantity
from dirframe._files import atomic_write, check_writable, make_folder
from dirframe.archive.store import Store, name_of
from dirframe.client.collection import Reading, Walk, describe, describe_whole
from dirframe.client.directory import Directory, open_directory
from dirframe.client.paging import ReceivedPage, ids_of
from dirframe.client.query import Options, Query
from dirframe.client.xml.page import parse
from dirframe.client.xml.records import Records
from dirframe.errors import ArchiveError, IncompleteWarning, InvalidInputError, warn
from dirframe.schema import RESOURCES

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
        words = {"proven": "proven complete", "counted": self.reason, "sample": "a random sample"}
        note = f"Finished: {words.get(self.completeness, f'INCOMPLETE, {self.reason}')}."
        if not self.finished:
            left = quantity(self.requests_left, "request")
            note = f"Not finished: {left} to go. Run the same line again."
        of = share = ""
        if self.available is not None:
            of = f" of {self.available:,}"
            if 0 < self.available >= self.records:
                share = f" ({percent(self.records / self.available)})"
        own = f", and {quantity(self.details, 'own page')}" if self.details else ""
        facts = {
            "records": f"{self.records:,}{of} {self.resource}{share}",
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
            self._pages, facts = store.pages(), store.facts()
        self._source = {name: facts[name] for name in ("source", "base_url")}

    def __repr__(self) -> str:
        return repr(self.status())

    def status(self) -> Status:
        """Return the records, pages and completeness so far; printed as a few lines."""
        pages = self._pages
        completeness, reason = pages.completeness()
        return Status(
            path=self.path,
            resource=pages.query.resource.collection,
            records=len(pages.records),
            available=pages.expected,
            pages=sum(bool(page.ids) for page in pages.latest.values()),
            details=len(pages.own),
            completeness=completeness,
            reason=reason,
            sort=pages.query.sort,
            requests_left=len(pages.missing()) + pages.estimated_own(),
            newest=max((page.retrieved for page in pages.received), default=None),
        )

    def frame(self, *, whole: bool = False) -> pd.DataFrame:
        """Return every record that was ever received, once, as one frame like the loaders.

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
        IncompleteWarning, SortIgnoredWarning, AnalysesNotSentWarning
            If it is incomplete; the others as in `load_projects`.
        """
        frame = self._read(self._places(whole=whole))
        what = f"{self._pages.query.resource.collection} of the archive {self.path}"
        facts = describe_whole(frame, self._pages, what, **self._source)
        if facts["completeness"] == "incomplete":
            reason = facts["incomplete_reason"]
            warn(IncompleteWarning(f"The archive {self.path} is incomplete: {reason}."))
        return frame

    def chunks(self) -> Iterator[pd.DataFrame]:
        """Yield the records of `frame` in its order, 8,192 at a time, in bounded memory.

        A column outside the specification is only in the chunks that contain it.
        """
        places = self._places()
        for begin in range(0, max(len(places), 1), ROWS):
            frame = self._read(places[begin : begin + ROWS])
            describe(frame, self._pages, **self._source)
            yield frame

    def verify(self) -> int:
        """Check the digest of every page, and return their number; `ArchiveError` names a bad one."""
        with Store.open(self.path) as store:
            pages = [page for page in store.pages().received if page.refusal is None]
            for page in pages:
                store.content(page)
        return len(pages)

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
        with (
            atomic_write(target, overwrite=False) as unfinished,
            pq.ParquetWriter(unfinished, schema, write_page_checksum=True) as writer,
        ):
            for frame in self.chunks():
                writer.write_table(to_arrow(frame, schema))
        return target

    def _places(self, *, whole: bool = False) -> list[tuple[ReceivedPage, int]]:
        if not self._pages.received:
            raise ArchiveError(f"{self.path} is empty: nothing was harvested yet.")
        return [*self._pages.places(whole=whole)]

    def _read(self, places: Iterable[tuple[ReceivedPage, int]]) -> pd.DataFrame:
        """Return the records at some places."""
        resource, starts = self._pages.query.resource, dict[int, int]()
        records, rows = Records(resource), list[int]()
        with Store.open(self.path) as store:
            for page, place in places:
                if page.source not in starts:
                    name = f"{name_of(page)} in {self.path}"
                    parsed = parse(store.content(page), source=name)
                    if ids_of(parsed, resource) != page.ids:
                        raise ArchiveError(f"{name} is damaged. Restore the file from a copy.")
                    starts[page.source] = records.add(parsed)
                rows.append(starts[page.source] + place)
        return records.frame(rows)


def harvest(
    collection: Literal["accounts", "projects"],
    path: str | Path,
    *,
    directory: Directory | None = None,
    query: str | None = None,
    sort: str | None = None,
    sample: int | None = None,
    seed: int = 0,
    details: bool = False,
) -> Archive:
    """Store a whole collection in a file, page by page; the same call again continues.

    Nothing that is stored is asked for again, but the last page once in each further call: records
    move forward when others are removed. Fresh pages of the cache are taken from there.

    Parameters
    ----------
    collection : {"accounts", "projects"}
        The collection to store.
    path : str or pathlib.Path
        The archive, one file.
    directory, query, sample, seed, details
        As in `load_projects`; the own pages of projects are stored, too.
    sort : str, optional
        The sort order. Default: by id, or projects by project_name, whichever the first page shows
        to be kept; otherwise the order of the directory.

    Returns
    -------
    Archive
        The archive; its ``status()`` tells whether it is finished, and what is proven.

    Raises
    ------
    QuotaExceededError, RequestError
        If the daily quota is used up (``resets_at`` is when to call again); if the directory cannot
        be reached or refuses, or fails for own pages, after the others. All pages received are stored.
    ArchiveError, InvalidInputError
        If the file is no archive of this directory, collection, query and order, is damaged, or
        another process writes to it; if the disk is full; if an argument is invalid.

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     archive = dirframe.harvest("projects", "kept.archive", directory=directory)
    >>> archive.status().pages, archive.status().complete
    (60, True)
    """
    resources = {resource.collection: resource for resource in RESOURCES.values()}
    if collection not in resources:
        raise InvalidInputError(
            f"There is no collection {collection!r}; choose one of {', '.join(resources)}."
        )
    drawn: dict[str, Any] = {"sample": sample, "seed": seed}
    asked = Query(resource=resources[collection], query=query, sort=sort, details=details, **drawn)
    # The walk is that of a load, from the pages that are stored. The thread that receives a page
    # stores it, so that an error or a kill costs at most the requests in flight.
    with open_directory(directory) as client:
        client.session.address(asked.path, asked.params())  # raises before a file exists
        with Store.open_writer(Path(path), client, asked) as store:
            pages = store.pages()
            order = pages.query.sort
            if sort not in {None, order} and (pages.latest or order):
                raise InvalidInputError(
                    f"{path} is in the order {order!r}, not {sort!r}. Leave sort out, or name "
                    "another file."
                )
            # Begun with own pages, it ends with them.
            pages.query = replace(asked, sort=order or sort, details=details or pages.query.details)
            walk = Walk(pages, client.session, Options(store=False), client.workers, store.add)
            deque(_read(walk), maxlen=0)
            if pages.error is not None:
                raise pages.error  # the other own pages are stored
    return Archive(Path(path))


def _read(walk: Walk) -> Reading:
    """Read what an archive lacks; and its last page again: records may have moved forward since."""
    pages = walk.pages
    if pages.missing():
        if not pages.latest:
            yield from walk.begin()
        elif pages.query.sample is None:
            last = [number for number in pages.latest if number + 1 not in pages.latest]
            yield from walk.read(last, refresh=True)
        yield from walk.read_all()
    yield from walk.read_own_pages()


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
