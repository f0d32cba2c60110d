"""Read an archive: frames, chunks and Parquet files of any harvest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dirframe import provenance
from dirframe._display.card import Card
from dirframe.archive.snapshot import PageRef, ReadTask, Snapshot, read_contents
from dirframe.archive.status import Status, is_finished, rounds_as_of, status_of
from dirframe.archive.store import Store
from dirframe.client import documents
from dirframe.client.details import sent_columns, unsent_columns, with_signs
from dirframe.client.frames.builder import FrameBuilder
from dirframe.client.frames.columns import select_columns, with_id_column
from dirframe.client.paging.completeness import PAGES_PER_CHUNK
from dirframe.client.xml.parser import MAX_BYTES
from dirframe.errors import (
    AnalysesNotSentWarning,
    Hint,
    IncompleteWarning,
    InvalidInputError,
    warn,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import date, datetime

    import pandas as pd
    from distributed import Client

    from dirframe.archive.snapshot import Mask


#: Pages written to Parquet by one task; a task is repeated if its worker is lost.
_TASK = 20_480

#: Tasks with fewer pages are not worth files of their own.
_SHORT_TASK = 512


class Archive(Card):
    """A collection stored on disk as received; created by `open_archive` and `open_bundle`.

    It shows the state at the time it was opened, whatever is harvested meanwhile.

    Parameters
    ----------
    path : pathlib.Path
        The file of an archive or of a bundle.
    open_index : callable, optional
        Opens the index of a bundle. Default: the file is an archive.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     archive = dirframe.harvest("projects", "harvest.archive", directory=directory)
    >>> len(archive.frame())
    1500
    """

    def __init__(self, path: Path, open_index: Callable[[Path], Store] | None = None) -> None:
        self.path = path
        self._is_bundle = open_index is not None
        self._open = open_index or Store.open
        with self._open(path) as store:
            self.collection = store.collection()
            self.rounds = store.rounds()

    def _card(self) -> tuple[str, dict[str, str], str]:
        if not self.rounds:
            return f"Archive {self.path}", {}, "Nothing was harvested yet."
        return self.status()._card()

    def status(self) -> Status:
        """Return the progress of the harvest.

        Returns
        -------
        Status
            Pages, share, records and sizes; printed as a few lines.
        """
        with self._open(self.path) as store:
            return status_of(self.path, store, self.rounds)

    def frame(
        self,
        as_of: str | date | datetime | None = None,
        *,
        columns: Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the records as one frame, like the loaders.

        Parameters
        ----------
        as_of : str, datetime.date or datetime.datetime, optional
            The state of the last harvest that ended by then (a day: by its end, in UTC).
            Default: the newest.
        columns : sequence of str, optional
            Names of the columns to read; ``id`` is always included. Default: all.

        Returns
        -------
        pandas.DataFrame
            One row a record, with the columns of `load_accounts` or `load_projects`. Records
            that were read again, or have their own page, come after the others.

        Raises
        ------
        ArchiveError
            If a page is missing or damaged, or no harvest had ended by then.

        Warns
        -----
        IncompleteWarning
            If the harvest is not finished or could not be proven complete.
        AnalysesNotSentWarning
            If projects have analyses but none came with its analysis.
        """
        chosen, resource = with_id_column(columns), self.collection.resource
        read = with_signs(resource, chosen)
        builder = FrameBuilder(resource, read)
        masks: list[Mask] = []
        with self._open(self.path) as store:
            task = self._task(self._snapshot(store, as_of), read)
            for reader, mask in task.read(anew=False):
                builder.add(reader.pop_columns())
                masks.append(mask)
        sent = sent_columns(builder)
        frame = select_columns(builder.finish(), chosen)
        keep = np.concatenate(masks)
        if not keep.all():
            frame = frame[keep].reset_index(drop=True)
        provenance.set_provenance(frame, **task.facts)
        absent = unsent_columns(resource, chosen) if sent.left_out else ()
        provenance.set_provenance(frame, columns=tuple(columns or ()), not_sent=absent)
        if absent:
            warn(
                AnalysesNotSentWarning(
                    f"No project in the archive {self.path} was sent with its analysis: the "
                    "directory sends an analysis only with the own page of its project.",
                    hint=Hint(
                        "Harvest with details=True to keep these pages, for one request each.",
                        shell="dirframe harvest --details keeps these pages, for one request each.",
                    ),
                    requests=int(sent.needed()[keep].sum()),
                )
            )
        facts = provenance.get_provenance(frame)
        if facts["complete"] is False:
            reason = facts["incomplete_reason"]
            warn(IncompleteWarning(f"The archive {self.path} is not proven complete: {reason}."))
        return frame

    def chunks(
        self,
        as_of: str | date | datetime | None = None,
        *,
        columns: Sequence[str] | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Yield the records in frames of 64 pages, in bounded memory.

        Parameters
        ----------
        as_of : str, datetime.date or datetime.datetime, optional
            As in `frame`.
        columns : sequence of str, optional
            As in `frame`.

        Yields
        ------
        pandas.DataFrame
            Some of the records; together they are those of `frame`. A column outside the
            specification is only in the chunks that contain it.
        """
        with self._open(self.path) as store:
            yield from self._task(self._snapshot(store, as_of), with_id_column(columns)).frames()

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
        verified: set[str] = set()

        def each_once(store: Store) -> Iterator[PageRef]:
            for page in (page for round_ in self.rounds for page in store.pages(round_)):
                if page.sha256 not in verified:
                    verified.add(page.sha256)
                    yield PageRef(page.page, page.sha256, page.size)

        with self._open(self.path) as store:
            store.check()
            for _ in read_contents(self.path, each_once(store), bundle=self._is_bundle):
                pass
        return len(verified)

    def to_parquet(
        self,
        folder: str | Path,
        *,
        partition_on: str | None = None,
        as_of: str | date | datetime | None = None,
        columns: Sequence[str] | None = None,
        client: Client | str | None = None,
    ) -> Path:
        """Write the records as a folder of Parquet files, in bounded memory.

        Parameters
        ----------
        folder : str or pathlib.Path
            The target folder; it appears complete or not at all.
        partition_on : str, optional
            A text column: the records of each of its values are in a folder, those without a
            value outside of all. Default: one folder.
        as_of : str, datetime.date or datetime.datetime, optional
            As in `frame`.
        columns : sequence of str, optional
            As in `frame`.
        client : distributed.Client or str, optional
            Dask client that runs the work, or the address of its scheduler; the workers have to
            reach archive and folder under the same paths. Default: this process.

        Returns
        -------
        pathlib.Path
            The folder. Every file has all columns, with the same types; lists remain lists, or
            are JSON if their entries differ in form.

        Raises
        ------
        InvalidInputError
            If the folder exists, or there is no such column with at most 1,000 values.
        ArchiveError
            If a page is missing or damaged, the disk is full, or the workers fail.
        MissingExtraError
            If the scheduler's address is given and Dask is not installed.

        Examples
        --------
        >>> import dirframe
        >>> with dirframe.sample_directory() as directory:
        ...     archive = dirframe.harvest("accounts", "people.archive", directory=directory)
        >>> tables = archive.to_parquet("people-tables", columns=["name", "posts_count"])
        >>> import pandas as pd
        >>> len(pd.read_parquet(tables))
        2000
        """
        from dirframe.archive.dask import open_executor
        from dirframe.archive.parquet import write_parquet

        target = Path(folder)
        with open_executor(client) as executor, self._open(self.path) as store:
            snapshot = self._snapshot(store, as_of)
            whole = self._task(snapshot, with_id_column(columns))
            share = -(-snapshot.number // (executor.shares * PAGES_PER_CHUNK)) * PAGES_PER_CHUNK
            tasks = (task.frames for task in whole.split(min(max(share, _SHORT_TASK), _TASK)))
            write_parquet(tasks, target.absolute(), partition_on=partition_on, each=executor.map)
        return target

    def note(self, frame: pd.DataFrame, as_of: str | date | datetime | None = None) -> pd.DataFrame:
        """Attach the provenance to a frame made of the archive, without reading pages.

        Parameters
        ----------
        frame : pandas.DataFrame
            Modified in place; only its attributes change.
        as_of : str, datetime.date or datetime.datetime, optional
            As in `frame`.

        Returns
        -------
        pandas.DataFrame
            The same frame.
        """
        with self._open(self.path) as store:
            return provenance.set_provenance(frame, **self._snapshot(store, as_of).facts)

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to fetch."""
        return is_finished(self.rounds)

    def _snapshot(self, store: Store, as_of: str | date | datetime | None) -> Snapshot:
        return Snapshot(store, rounds_as_of(self.rounds, as_of))

    def _task(self, snapshot: Snapshot, columns: Sequence[str] | None) -> ReadTask:
        return ReadTask(
            path=self.path.absolute(),
            bundle=self._is_bundle,
            resource=self.collection.resource.name,
            columns=columns,
            facts=snapshot.facts,
            pages=snapshot.refs(),
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
        The archive, with `frame`, `chunks`, `status`, `to_parquet` and `verify`.

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


def read_pages(
    paths: Archive | str | Path | Iterable[str | Path],
    *,
    resource: str | None = None,
    columns: Sequence[str] | None = None,
    max_bytes: int = MAX_BYTES,
    as_of: str | date | datetime | None = None,
) -> pd.DataFrame:
    """Read recorded XML documents, or an archive, into the frame that the loaders would return.

    Parameters
    ----------
    paths : Archive, str, pathlib.Path or iterable of these
        Files, or folders whose ``.xml`` files are read; or an archive, or its file.
    resource : str, optional
        For documents, the expected resource of the records: ``"account"``, ``"project"`` or
        another one known to `fields`. Default: that of the first record.
    columns : sequence of str, optional
        Names of the columns to read; requires `resource` for documents. Default: all.
    max_bytes : int, default 64 MiB
        For documents, the maximum size, uncompressed.
    as_of : str, datetime.date or datetime.datetime, optional
        For an archive, as in `Archive.frame`.

    Returns
    -------
    pandas.DataFrame
        One row a record, with the columns of `load_accounts` or `load_projects`.

    Raises
    ------
    InvalidInputError
        If a path does not exist, there is no XML file, or an argument does not apply to
        archives or to documents.
    UnreadableResponseError
        If a file is not the interface's XML; the message names the file.
    ArchiveError
        If the archive is damaged.

    Examples
    --------
    >>> import dirframe
    >>> from dirframe.service.store.sample import sample_files
    >>> accounts_file, projects_file = sample_files()
    >>> len(dirframe.read_pages(projects_file))
    1500
    """
    if isinstance(paths, str | Path) and Store.is_archive(Path(paths)):
        paths = open_archive(paths)
    if isinstance(paths, Archive):
        name = paths.collection.resource.name
        if resource not in {None, name}:
            raise InvalidInputError(f"{paths.path} holds records of {name!r}, not of {resource!r}.")
        return paths.frame(as_of, columns=columns)
    if as_of is not None:
        raise InvalidInputError("as_of applies only to archives: documents have a single state.")
    return documents.read_pages(paths, resource=resource, columns=columns, max_bytes=max_bytes)
