"""An archive open for reading: frames in chunks, as of any harvest.

What stays out: writing (`dirframe.archive.harvest`), Parquet (`dirframe.archive.parquet`).
"""

from __future__ import annotations

import warnings
import zipfile
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dirframe import provenance
from dirframe.archive.manifest import MANIFEST, Manifest
from dirframe.archive.selection import Selection
from dirframe.archive.status import Status, status_of
from dirframe.archive.storing import member, unpack
from dirframe.client import recorded
from dirframe.client.choice import chosen_paths, only, with_id
from dirframe.client.frames import FrameBuilder
from dirframe.client.positions import CHUNK
from dirframe.client.reader import Reader
from dirframe.errors import ArchiveError, IncompleteWarning, InvalidInputError
from dirframe.show import Card

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd

    from dirframe.archive.manifest import Kept

    Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]

__all__ = ["Archive", "open_archive", "read_pages"]


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
            with file.open("rb") as stream:
                self.manifest = Manifest.read(stream, str(file))
        else:
            with zipfile.ZipFile(path) as bundle, bundle.open(MANIFEST) as stream:
                self.manifest = Manifest.read(stream, f"{MANIFEST} in {path}")

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
            One row a record, with the columns of `load_accounts` or `load_projects`.

        Raises
        ------
        ArchiveError
            If a page is missing or damaged, or there was no harvest by then.

        Warns
        -----
        IncompleteWarning
            If the harvest is not finished or could not be proven complete.
        """
        selection, chosen = self._selection(as_of), with_id(columns)
        builder = FrameBuilder(self.manifest.resource, chosen)
        masks: list[Mask] = []
        for reader, mask in self._read(selection, chosen):
            builder.add(reader.take())
            masks.append(mask)
        frame = only(builder.finish(), chosen)
        keep = np.concatenate(masks)
        if not keep.all():
            frame = frame[keep].reset_index(drop=True)
        selection.note(frame)
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
        selection, chosen = self._selection(as_of), with_id(columns)
        for reader, keep in self._read(selection, chosen):
            builder = FrameBuilder(self.manifest.resource, chosen)
            builder.add(reader.take())
            frame = only(builder.finish(), chosen)
            if not keep.all():
                frame = frame[keep].reset_index(drop=True)
            yield selection.note(frame)

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
        every = {kept.sha256: kept for one in self.manifest.rounds for kept in one.pages}
        for _ in self._contents(every.values()):
            pass
        return len(every)

    def to_parquet(
        self,
        folder: str | Path,
        *,
        partition_on: str | None = None,
        as_of: str | date | datetime | None = None,
        columns: Sequence[str] | None = None,
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
            If a page is missing or damaged, or the disk is full.
        """
        from dirframe.archive.parquet import write_parquet

        target = Path(folder)
        parts = self.chunks(as_of, columns=columns)
        return write_parquet(parts, target, partition_on=partition_on)

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

    def _read(
        self, selection: Selection, columns: Sequence[str] | None
    ) -> Iterator[tuple[Reader, Mask]]:
        """Read the pages, a chunk at a time; say of each of its records whether it counts."""
        resource = self.manifest.resource
        reader = Reader(resource, chosen=chosen_paths(resource, columns))
        masks: list[Mask] = []
        for number, (kept, content) in enumerate(self._contents(selection.pages)):
            before = reader.rows
            reader.read(content, source=member(kept.sha256))
            mask = selection.kept(number)
            masks.append(np.ones(reader.rows - before, dtype=bool) if mask is None else mask)
            if len(masks) == CHUNK:
                yield reader, np.concatenate(masks)
                masks = []
        if masks or not selection.pages:
            yield reader, np.concatenate([*masks, np.ones(0, dtype=bool)])

    def _contents(self, pages: Iterable[Kept]) -> Iterator[tuple[Kept, bytes]]:
        if self.path.is_dir():
            for kept in pages:
                file = self.path / member(kept.sha256)
                try:
                    packed = file.read_bytes()
                except OSError as error:
                    raise _missing(kept, self.path) from error
                yield kept, unpack(packed, kept.sha256, kept.bytes, str(file))
            return
        with zipfile.ZipFile(self.path) as bundle:
            for kept in pages:
                name = member(kept.sha256)
                try:
                    packed = bundle.read(name)
                except (KeyError, zipfile.BadZipFile) as error:
                    raise _missing(kept, self.path) from error
                yield kept, unpack(packed, kept.sha256, kept.bytes, f"{name} in {self.path}")


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
        ``columns``, the names of those to read. Of an archive also ``as_of``, as in
        `Archive.frame`; of documents ``resource``, ``"account"`` or ``"project"``, if they
        do not say it themselves, and ``max_bytes``, the size of the largest.

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


def _missing(kept: Kept, path: Path) -> ArchiveError:
    return ArchiveError(
        f"Page {kept.page:,} is missing in {path}: there is no {member(kept.sha256)}. Take it "
        "from a copy."
    )


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
