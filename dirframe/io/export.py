"""Export frames to a file in the format of its suffix."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dirframe._files import atomic_write, check_writable, make_folder
from dirframe.errors import InvalidInputError
from dirframe.io._integrity.native_check import SEALED
from dirframe.io.formats import KINDS, kind_of
from dirframe.io.frame_codec import prepare
from dirframe.io.metadata import METADATA_KEY
from dirframe.io.sidecar import sidecar_path, write_sidecar

if TYPE_CHECKING:
    import pandas as pd


#: What stands in a path for a byte that is no text.
_SURROGATE = re.compile("[\ud800-\udfff]")


def export(
    frame_or_frames: pd.DataFrame | Mapping[str, pd.DataFrame],
    path: str | Path,
    *,
    overwrite: bool = False,
    title: str | None = None,
    authors: Sequence[str] = (),
    license: str | None = None,
) -> Path:
    """Write one or more frames to a file atomically; the suffix selects the format.

    Parameters
    ----------
    frame_or_frames : pandas.DataFrame or Mapping of str to pandas.DataFrame
        The frames to write. Several named frames become the sheets of a workbook, or the tables of
        a database, HTML page or study; the other formats hold one frame.
    path : str or pathlib.Path
        ``.csv``, ``.tsv``, ``.json``, ``.jsonl`` (JSON lines), ``.parquet``, ``.feather``, ``.xlsx``
        (extra ``excel``), ``.sqlite`` or ``.db``, ``.duckdb`` (extra ``engines``), ``.html``
        or ``.md``, or ``.zip`` for a study: CSV and Parquet with metadata. Missing parent folders
        are created.
    overwrite : bool, default False
        Whether an existing file may be replaced.
    title : str, optional
        Only for a study: its title. Default: that of the citation.
    authors : sequence of str, default ()
        Only for a study: ``"Family, Given"`` for a person, a name without a comma for an
        organization. Default: the directory.
    license : str, optional
        Only for a study: the licence of the records, as an identifier of SPDX or an address.
        Default: none is stated, and the terms of the directory apply; for generated sample
        records CC0-1.0.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInputError
        If the suffix is unknown, the file is an archive, or exists and `overwrite` is False, its
        folder cannot be created, the format cannot hold the frame, or an option of a study is
        invalid, is given for another format, or the frame of a study has no source in its
        provenance.
    MissingExtraError
        If the format needs a package that is not installed.
    OSError
        If the file cannot be written, for example because the disk is full. An existing file is
        left unchanged.

    Warns
    -----
    ExportWarning
        If the format cannot store a value unchanged; the warning names the columns.

    See Also
    --------
    read_export : Read the frame back with its dtypes and provenance.

    Notes
    -----
    What other programs see in the file:

    - The provenance and the citation are in the metadata of Parquet and Feather, in a table
      or sheet ``dirframe_provenance``, in the caption of HTML and Markdown, and for CSV, TSV and JSON
      lines in ``NAME.csv.provenance.json`` beside the file, with the digest of the file. It always
      matches the file, even if the process was killed while replacing it.
    - 64 bytes with the SHA-256 of all others, before the footer of Parquet and Feather and at the
      end of SQLite and DuckDB, where other programs ignore them.
    - Lists are lists in Parquet, Feather, DuckDB and JSON lines where these can hold them, and
      JSON elsewhere. Times are ISO 8601 in UTC where the format has no time type.
    - A string that a spreadsheet would evaluate as a formula (one that begins with ``=``, ``+``,
      ``-``, ``@``, a tab or a carriage return) is prefixed with an apostrophe in CSV and TSV, as
      OWASP recommends against CSV injection; `read_export` removes it. In a workbook every string
      is a cell of type text.
    - pandas' own reader needs options to keep Namibia's code ``NA`` as a value and ids as strings:
      ``pandas.read_csv(path, keep_default_na=False, na_values=[""], dtype={"id": "str"})``.
    - A study (``.zip``) has each table as ``data/NAME.csv`` and ``data/NAME.parquet``, and
      ``datapackage.json`` (Frictionless: type, unit and meaning of each column),
      ``ro-crate-metadata.json`` (RO-Crate 1.1: files, authors, licence, source, query, times of
      access, completeness), ``croissant.json`` (Croissant 1.0), ``CITATION.cff`` and ``README.md``.
      The same frames give the same bytes.
    - The index is not written; a frame that is read back has a new one from 0.

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
    given = {"title": title, "authors": authors, "license": license}
    options = {name: value for name, value in given.items() if value}
    if options and not kind.study:
        raise InvalidInputError(
            f"{', '.join(options)} can be given for a study (.zip), not for a {target.suffix} file."
        )
    frames = (
        dict(frame_or_frames)
        if isinstance(frame_or_frames, Mapping)
        else {target.stem: frame_or_frames}
    )
    if not frames:
        raise InvalidInputError("There is no frame to export: the mapping is empty.")
    if len(frames) > 1 and not kind.several:
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
    prepared = [prepare(name, frame) for name, frame in frames.items()]
    if kind.seal:
        for entry in prepared:
            entry.record[SEALED] = "sha256"
    make_folder(target.parent)
    with atomic_write(target, overwrite=overwrite) as temporary:
        try:
            kind.write(prepared, temporary, **options)
            if kind.seal:
                kind.seal.write(temporary)
        except sqlite3.Error as error:
            raise OSError(str(error)) from error
        except UnicodeEncodeError as error:
            raise InvalidInputError(
                f"{target} was not written: a text holds {error.object[error.start]!r}, half a "
                "character, which no file can hold. Replace it first."
            ) from None
    if kind.sidecar:
        write_sidecar(target, prepared[0].record)
    return target


def check_target(path: str | Path, *, overwrite: bool = False) -> Path:
    """Check that `export` can write a file, before any data is loaded for it.

    Parameters
    ----------
    path : str or pathlib.Path
        The file to write.
    overwrite : bool, default False
        Whether an existing file may be replaced.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInputError
        If the suffix is unknown, the name is no text, the file is an archive, or exists
        and `overwrite` is False, or its folder cannot be created.
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
    # Of files of native libraries the folders too; the others record only the name.
    if _SURROGATE.search(str(target) if kind.native else target.name):
        raise InvalidInputError(
            f"{target} has a name that is not text in the encoding of this system, and files record "
            "their name. Choose another."
        )
    check_writable(target, overwrite=overwrite)
    if kind.sidecar:
        check_writable(sidecar_path(target), overwrite=overwrite)
    if target.exists():
        from dirframe.archive.store import Store  # rarely needed

        if Store.is_archive(target):
            raise InvalidInputError(
                f"{target} is an archive of harvested pages, which is never replaced. Choose another "
                "name."
            )
    return target
