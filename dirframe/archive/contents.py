"""The pages of an archive, unpacked and checked, and frames made of them.

What stays out: which pages count (`dirframe.archive.selection`).
"""

from __future__ import annotations

import socket
import zipfile
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from dirframe import provenance
from dirframe.archive.storing import member, unpack
from dirframe.client.choice import chosen_paths, only
from dirframe.client.frames import FrameBuilder
from dirframe.client.positions import CHUNK
from dirframe.client.xml.records import RecordReader
from dirframe.errors import ArchiveError
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pandas as pd

    Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]

__all__ = ["Run", "Wanted", "contents"]


class Wanted(NamedTuple):
    """One page that is read, what proves it, and which of its records count; None: all do."""

    page: int
    sha256: str
    bytes: int
    mask: Mask | None = None


@dataclass(frozen=True, kw_only=True)
class Run:
    """Pages that follow one another, with all that is needed to read them, here or elsewhere.

    Parameters
    ----------
    path
        The archive, or a bundle.
    resource
        The name of what is in it.
    columns
        Those to read; None for all.
    facts
        What is noted in its frames.
    pages
        Read once: an iterator will do.
    """

    path: Path
    resource: str
    columns: Sequence[str] | None
    facts: dict[str, Any]
    pages: Iterable[Wanted]

    def parted(self, length: int) -> Iterator[Self]:
        """Give runs of so many pages at most, in lists that can travel; one at least."""
        rest = iter(self.pages)
        pages = list(islice(rest, length))
        yield replace(self, pages=pages)
        while pages := list(islice(rest, length)):
            yield replace(self, pages=pages)

    def read(self, *, anew: bool) -> Iterator[tuple[RecordReader, Mask]]:
        """Read the pages, a chunk at a time; say of each of its records whether it counts.

        Read anew, a chunk has the columns that are in it, whatever came before.
        """
        if not self.path.exists():
            raise ArchiveError(
                f"{socket.gethostname()} does not see {self.path}. Whoever reads an archive has "
                "to reach it under the same path: keep it in a folder that all of them share."
            )
        resource = RESOURCES[self.resource]
        chosen = chosen_paths(resource, self.columns)
        reader = RecordReader(resource, chosen=chosen)
        masks: list[Mask] = []
        nothing = True
        for kept, content in contents(self.path, self.pages):
            before = reader.rows
            reader.read(content, source=member(kept.sha256))
            every = np.ones(reader.rows - before, dtype=bool)
            masks.append(every if kept.mask is None else kept.mask)
            if len(masks) == CHUNK:
                yield reader, np.concatenate(masks)
                masks, nothing = [], False
                reader = RecordReader(resource, chosen=chosen) if anew else reader
        if masks or nothing:
            yield reader, np.concatenate([*masks, np.ones(0, dtype=bool)])

    def frames(self) -> Iterator[pd.DataFrame]:
        """Give the records that count, a chunk at a time."""
        for reader, keep in self.read(anew=True):
            builder = FrameBuilder(RESOURCES[self.resource], self.columns)
            builder.add(reader.pop_columns())
            frame = only(builder.finish(), self.columns)
            if not keep.all():
                frame = frame[keep].reset_index(drop=True)
            yield provenance.attach(frame, **self.facts)


def contents(path: Path, pages: Iterable[Wanted]) -> Iterator[tuple[Wanted, bytes]]:
    """Unpack pages of an archive or a bundle.

    Raises
    ------
    ArchiveError
        If one is missing or damaged; the message names it.
    """
    if path.is_dir():
        for kept in pages:
            file = path / member(kept.sha256)
            try:
                packed = file.read_bytes()
            except OSError as error:
                raise _missing(kept, path) from error
            yield kept, unpack(packed, kept.sha256, kept.bytes, str(file))
        return
    with zipfile.ZipFile(path) as bundle:
        for kept in pages:
            name = member(kept.sha256)
            try:
                packed = bundle.read(name)
            except (KeyError, zipfile.BadZipFile) as error:
                raise _missing(kept, path) from error
            yield kept, unpack(packed, kept.sha256, kept.bytes, f"{name} in {path}")


def _missing(kept: Wanted, path: Path) -> ArchiveError:
    return ArchiveError(
        f"Page {kept.page:,} is missing in {path}: there is no {member(kept.sha256)}. Take it "
        "from a copy."
    )
