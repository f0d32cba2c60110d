"""`export`: frames to a file by its suffix."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dirframe._atomic import (
    atomic_replace,
    check_folder,
    make_folder,
    refuse_existing,
    temporary_sibling,
)
from dirframe.errors import InvalidInputError
from dirframe.io._integrity.native_check import SEALED
from dirframe.io.formats import KINDS, beside, kind_of
from dirframe.io.frame_codec import prepare
from dirframe.io.metadata import METADATA_KEY
from dirframe.io.sidecar import write_with_sidecar

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["check_target", "export"]


def export(
    frame_or_frames: pd.DataFrame | Mapping[str, pd.DataFrame],
    path: str | Path,
    *,
    overwrite: bool = False,
) -> Path:
    """Write a frame, or several, to a file by its suffix, whole or not at all.

    Parameters
    ----------
    frame_or_frames : pandas.DataFrame or Mapping of str to pandas.DataFrame
        What to write. Several frames, by their names, become the sheets of a workbook, the
        tables of a database or of a page; the other formats hold one.
    path : str or pathlib.Path
        ``.csv``, ``.tsv``, ``.jsonl`` (JSON lines), ``.parquet``, ``.feather``, ``.xlsx``
        (extra ``excel``), ``.sqlite`` or ``.db``, ``.duckdb`` (extra ``duckdb``), ``.html``
        or ``.md``. Folders on the way are made.
    overwrite : bool, default False
        Whether an existing file may be replaced.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInputError
        If the suffix is unknown, the file exists and must not be replaced, its folder cannot
        be made, or the format cannot hold the frame.
    MissingExtraError
        If the format needs a package that is not installed.
    OSError
        If the file cannot be written, for a full disk, say. What was there before is there
        still.

    Warns
    -----
    ExportWarning
        If a file cannot hold something as it was; the warning names the columns.

    See Also
    --------
    read_export : Gives the frame back, with its dtypes and its provenance.

    Notes
    -----
    What other programs find in the file:

    - The provenance and the citation stand in the metadata of Parquet and Feather, in a table
      or sheet ``dirframe_provenance``, in the caption of HTML and Markdown, and for CSV, TSV and JSON
      lines in ``NAME.csv.provenance.json`` beside the file, with the digest of the file. It
      describes the file that is there, even where a process was killed while it replaced one.
    - 64 bytes with the SHA-256 of all others, before the footer of Parquet and Feather and at the
      end of SQLite and DuckDB, where other programs pass over them.
    - Lists are lists in Parquet, Feather, DuckDB and JSON lines where these can hold them, and
      JSON elsewhere. Times are ISO 8601 in UTC where the format has none.
    - A text that a spreadsheet would take for a formula (one that begins with ``=``, ``+``,
      ``-``, ``@``, a tab or a carriage return) gets an apostrophe in front in CSV and TSV, as
      OWASP advises against CSV injection; `read_export` takes it off again. In a workbook
      every text is a cell of type text.
    - pandas' own reader needs to be told that Namibia's code ``NA`` is a value and an id a
      text: ``pandas.read_csv(path, keep_default_na=False, na_values=[""], dtype={"id": "str"})``.
    - The index is not written; rows are counted from 0 when they are read back.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = export(pd.DataFrame({"id": ["01"]}), Path(folder) / "projects.csv")
    ...     sorted(one.name for one in Path(folder).iterdir())
    ['projects.csv', 'projects.csv.provenance.json']
    """
    target = check_target(path, overwrite=overwrite)
    kind = kind_of(target)
    several = isinstance(frame_or_frames, Mapping)
    frames = (
        dict(frame_or_frames)
        if isinstance(frame_or_frames, Mapping)
        else {target.stem: frame_or_frames}
    )
    if not frames:
        raise InvalidInputError("There is no frame to export: the mapping is empty.")
    if several and not kind.several and len(frames) > 1:
        hold = ", ".join(suffix for suffix, entry in KINDS.items() if entry.several)
        raise InvalidInputError(
            f"A {target.suffix} file holds one table, and there are {len(frames)}: "
            f"{', '.join(map(repr, frames))}. Export each by itself, or all to one of {hold}."
        )
    for name in frames:
        called: object = name
        if not isinstance(called, str) or not name.strip() or name.lower() == METADATA_KEY:
            raise InvalidInputError(
                f"A frame cannot be called {name!r}: its name is to be a text, and not {METADATA_KEY}, "
                "which holds the provenance."
            )
    prepared = []
    for name, frame in frames.items():  # no comprehension: a warning names the line of the caller
        prepared.append(prepare(name, frame))  # as said above
        if kind.seal:
            prepared[-1].record[SEALED] = "sha256"
    make_folder(target.parent)
    with temporary_sibling(target) as temporary:
        try:
            kind.write(prepared, temporary)
            if kind.seal:
                kind.seal.write(temporary)
        except sqlite3.Error as error:
            raise OSError(f"{target} could not be written: {error}.") from error
        except UnicodeEncodeError as error:
            raise InvalidInputError(
                f"{target} was not written: a text holds {error.object[error.start]!r}, half a "
                "character, which no file can hold. Replace it first."
            ) from None
        if kind.sidecar:
            write_with_sidecar(temporary, target, prepared[0].record, overwrite=overwrite)
        else:
            atomic_replace(temporary, target, overwrite=overwrite)
    return target


def check_target(path: str | Path, *, overwrite: bool = False) -> Path:
    """Refuse a file that `export` could not write, before anything is loaded for it.

    Parameters
    ----------
    path : str or pathlib.Path
        The file to be.
    overwrite : bool, default False
        Whether an existing file may be replaced.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInputError
        If the suffix is unknown, the file exists and must not be replaced, or it can have no
        folder.
    MissingExtraError
        If the format needs a package that is not installed.

    Examples
    --------
    >>> check_target("new.csv").name
    'new.csv'
    """
    target = Path(path)
    kind = kind_of(target)
    kind.check()
    if target.is_dir():
        raise InvalidInputError(f"{target} is a folder; name a file in it.")
    check_folder(target)
    if not overwrite:
        refuse_existing(target)
        if kind.sidecar:
            refuse_existing(beside(target))
    return target
