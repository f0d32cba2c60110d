"""An archive open for reading: frames in chunks, as of any harvest.

What stays out: writing (`dirframe.archive.harvest`), Parquet (`dirframe.archive.parquet`).
"""

from __future__ import annotations

import warnings
import zipfile
from datetime import UTC, date, datetime, time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dirframe import provenance
from dirframe.archive.contents import Run, Wanted, contents
from dirframe.archive.manifest import MANIFEST, Manifest
from dirframe.archive.selection import Selection
from dirframe.archive.status import Status, status_of
from dirframe.client import recorded
from dirframe.client.choice import only, with_id
from dirframe.client.details import sent, unsent_columns, with_signs
from dirframe.client.frames import FrameBuilder
from dirframe.client.positions import CHUNK
from dirframe.errors import (
    AnalysesNotSentWarning,
    ArchiveError,
    IncompleteWarning,
    InvalidInputError,
)
from dirframe.show import Card

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd
    from distributed import Client

    from dirframe.archive.contents import Mask

__all__ = ["Archive", "open_archive", "read_pages"]

#: Pages that are written to Parquet as one; what is done of it is lost if a worker is.
_RUN = 20_480

#: Fewer are not worth files of their own.
_SHORT_RUN = 512


class Archive(Card):
    """A collection that was kept on disk as it came; made by `open_archive` and `open_bundle`.

    Parameters
    ----------
    path : pathlib.Path
        The folder of an archive, or the file of a bundle.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     archive = dirframe.harvest("projects", "harvest", directory=directory)
    >>> len(archive.frame())
    1500
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            file = path / MANIFEST
            if not file.is_file():
                raise ArchiveError(f"{path} is no archive: it has no {MANIFEST}.")
            self.manifest = Manifest.read(lambda: file.open("rb"), str(file))
        else:
            with zipfile.ZipFile(path) as bundle:
                lines = bundle.read(MANIFEST)
            self.manifest = Manifest.read(lambda: BytesIO(lines), f"{MANIFEST} in {path}")

    def _card(self) -> tuple[str, dict[str, str], str]:
        if not self.manifest.rounds:
            return f"Archive {self.path}", {}, "Nothing was harvested yet."
        return self.status()._card()

    def status(self) -> Status:
        """Say how far the harvest is.

        Returns
        -------
        Status
            Pages, share, records, sizes; printed, a few lines.
        """
        return status_of(self.path, self.manifest)

    def frame(
        self,
        as_of: str | date | datetime | None = None,
        *,
        columns: Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Give the records as one frame, as the loaders do.

        Parameters
        ----------
        as_of : str, datetime.date or datetime.datetime, optional
            The state of the last harvest that ended by then (a day: by its end, in UTC).
            Left out: the newest.
        columns : sequence of str, optional
            Names of the columns to read; ``id`` is always among them. Left out: everything.

        Returns
        -------
        pandas.DataFrame
            One row a record, with the columns of `load_accounts` or `load_projects`. Those that
            were read again, or have their own page, come after those that have not.

        Raises
        ------
        ArchiveError
            If a page is missing or damaged, or there was no harvest by then.

        Warns
        -----
        IncompleteWarning
            If the harvest is not finished or could not be proven complete.
        AnalysesNotSentWarning
            If projects have analyses and none came with its own.
        """
        selection, chosen = self._selection(as_of), with_id(columns)
        resource = self.manifest.resource
        read = with_signs(resource, chosen)
        builder = FrameBuilder(resource, read)
        masks: list[Mask] = []
        for reader, mask in self._run(selection, read).read(anew=False):
            builder.add(reader.pop_columns())
            masks.append(mask)
        frame = only(builder.finish(), chosen)
        keep = np.concatenate(masks)
        if not keep.all():
            frame = frame[keep].reset_index(drop=True)
        selection.note(frame)
        absent = unsent_columns(resource, chosen) if sent(builder).left_out else ()
        provenance.attach(frame, columns=tuple(columns or ()), not_sent=absent)
        if absent:
            warnings.warn(
                AnalysesNotSentWarning(
                    f"No project in the archive {self.path} came with its analysis: the directory "
                    "sends it with the own page of each project alone. Harvest into it with "
                    "details=True to keep these pages too, for one request each.",
                    requests=int(sent(builder).needed()[keep].sum()),
                ),
                stacklevel=2,
            )
        facts = provenance.describe(frame)
        if facts["complete"] is False:
            warnings.warn(
                f"The archive {self.path} is not proven complete: {facts['why']}.",
                IncompleteWarning,
                stacklevel=2,
            )
        return frame

    def chunks(
        self,
        as_of: str | date | datetime | None = None,
        *,
        columns: Sequence[str] | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Give the records in frames of 64 pages, in bounded memory.

        Parameters
        ----------
        as_of : str, datetime.date or datetime.datetime, optional
            As in `frame`.
        columns : sequence of str, optional
            As in `frame`.

        Yields
        ------
        pandas.DataFrame
            Some of the records; together they are those of `frame`. A column that the
            specification does not name is only in the chunks that hold it.
        """
        selection = self._selection(as_of)
        yield from self._run(selection, with_id(columns)).frames()

    def verify(self) -> int:
        """Read every page and check its digest.

        Returns
        -------
        int
            How many there are.

        Raises
        ------
        ArchiveError
            If one is missing or damaged; the message names it.
        """
        every: set[str] = set()

        def each_once() -> Iterator[Wanted]:
            for kept in (kept for one in self.manifest.rounds for kept in one.pages):
                if kept.sha256 not in every:
                    every.add(kept.sha256)
                    yield Wanted(kept.page, kept.sha256, kept.bytes)

        for _ in contents(self.path, each_once()):
            pass
        return len(every)

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
            The folder to be; it appears whole or not at all.
        partition_on : str, optional
            A column of text: the records of each of its values get a folder, those without
            one stay outside. Left out: one folder.
        as_of : str, datetime.date or datetime.datetime, optional
            As in `frame`.
        columns : sequence of str, optional
            As in `frame`.
        client : distributed.Client or str, optional
            Whose workers do it, or the address of the scheduler; they have to reach archive
            and folder under the same paths. Left out: this process.

        Returns
        -------
        pathlib.Path
            The folder. Every part has all columns, with the same types; lists stay lists, or
            are JSON where their entries differ in form.

        Raises
        ------
        InvalidInputError
            If the folder exists, or there is no such column of at most 1,000 values.
        ArchiveError
            If a page is missing or damaged, the disk is full, or the workers cannot do it.
        MissingExtraError
            If the scheduler's address is given and Dask is not installed.

        Examples
        --------
        >>> import dirframe
        >>> with dirframe.sample_directory() as directory:
        ...     archive = dirframe.harvest("accounts", "people", directory=directory)
        >>> tables = archive.to_parquet("people-tables", columns=["name", "posts_count"])
        >>> import pandas as pd
        >>> len(pd.read_parquet(tables))
        2000
        """
        from dirframe.archive.cluster import workers
        from dirframe.archive.parquet import write_parquet

        selection, target = self._selection(as_of), Path(folder)
        whole = self._run(selection, with_id(columns))
        with workers(client) as crew:
            share = -(-selection.number // (crew.shares * CHUNK)) * CHUNK
            runs = (run.frames for run in whole.parted(min(max(share, _SHORT_RUN), _RUN)))
            write_parquet(runs, target.absolute(), partition_on=partition_on, each=crew.each)
        return target

    def note(self, frame: pd.DataFrame, as_of: str | date | datetime | None = None) -> pd.DataFrame:
        """Note in a frame what it is made of; the manifest alone says it.

        Parameters
        ----------
        frame : pandas.DataFrame
            Is changed in place, its attributes alone.
        as_of : str, datetime.date or datetime.datetime, optional
            As in `frame`.

        Returns
        -------
        pandas.DataFrame
            The same frame.
        """
        return self._selection(as_of).note(frame)

    def _selection(self, as_of: str | date | datetime | None) -> Selection:
        return Selection(self.manifest, self.manifest.until(_moment(as_of)))

    def _run(self, selection: Selection, columns: Sequence[str] | None) -> Run:
        return Run(
            path=self.path.absolute(),
            resource=self.manifest.resource.name,
            columns=columns,
            facts=selection.facts,
            pages=selection.wanted(),
        )


def open_archive(folder: str | Path) -> Archive:
    """Open the folder of an archive for reading.

    Parameters
    ----------
    folder : str or pathlib.Path
        What `harvest` wrote.

    Returns
    -------
    Archive
        Its `frame`, `chunks`, `status`, `to_parquet` and `verify`.

    Raises
    ------
    ArchiveError
        If it is no archive, or its manifest is damaged.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     _ = dirframe.harvest("accounts", "kept", directory=directory)
    >>> dirframe.open_archive("kept").status().complete
    True
    """
    path = Path(folder)
    if not path.is_dir():
        raise ArchiveError(f"There is no folder {path}.")
    return Archive(path)


def read_pages(paths: Archive | str | Path | Iterable[str | Path], **options: Any) -> pd.DataFrame:
    """Read an archive, or recorded XML documents, into the frame that the loaders would give.

    Parameters
    ----------
    paths : Archive, str, pathlib.Path or iterable of these
        An archive or its folder; or files, or folders whose ``.xml`` files are read.
    **options : object
        Of an archive `as_of` and `columns`, see `Archive.frame`. Of documents ``resource``
        ("account" or "project": what the records must be), ``columns`` (names of the columns
        to read, with the resource named) and ``max_bytes`` (of the largest document, unpacked).

    Returns
    -------
    pandas.DataFrame
        One row a record, with the columns of `load_accounts` or `load_projects`.

    Raises
    ------
    InvalidInputError
        If a path does not exist, or there is no XML file at all.
    UnreadableResponseError
        If a file is not the interface's XML; the message names the file.
    ArchiveError
        If the archive is damaged.

    Examples
    --------
    >>> import dirframe
    >>> from dirframe.service.sample_data import sample_files
    >>> accounts_file, projects_file = sample_files()
    >>> len(dirframe.read_pages(projects_file))
    1500
    """
    if isinstance(paths, Archive):
        return paths.frame(**options)
    if isinstance(paths, str | Path) and (Path(paths) / MANIFEST).is_file():
        return open_archive(paths).frame(**options)
    return recorded.read_pages(paths, **options)


def _moment(as_of: str | date | datetime | None) -> datetime | None:
    """Read a time; a day means its end."""
    if isinstance(as_of, str):
        try:
            as_of = date.fromisoformat(as_of) if len(as_of) == 10 else datetime.fromisoformat(as_of)
        except ValueError:
            raise InvalidInputError(
                f"as_of is {as_of!r}; it must be a day or a time such as 2026-11-21T18:00."
            ) from None
    if as_of is None:
        return None
    if not isinstance(as_of, datetime):
        as_of = datetime.combine(as_of, time.max, UTC)
    return as_of if as_of.tzinfo else as_of.replace(tzinfo=UTC)
