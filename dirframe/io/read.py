"""Read exported files back into frames."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dirframe.errors import DirframeError, InvalidInputError
from dirframe.io._integrity.native_check import check, check_record
from dirframe.io.formats import KINDS, kind_of
from dirframe.io.sidecar import read_sidecar
from dirframe.provenance import ATTRIBUTE

if TYPE_CHECKING:
    import pandas as pd


def read_export(path: str | Path, *, table: str | None = None) -> pd.DataFrame:
    """Read a file that `export` wrote, with every dtype and the provenance.

    Parameters
    ----------
    path : str or pathlib.Path
        The file, in any format except HTML and Markdown, which are only for viewing.
    table : str, optional
        Name of the frame; optional if the file has only one.

    Returns
    -------
    pandas.DataFrame
        The frame with its columns, dtypes, values and ``attrs["dirframe"]``, and a new index from
        0.

    Raises
    ------
    InvalidInputError
        If the file was not written by `export`, is damaged, has several frames and `table` is
        None, or its record belongs to another file.
    FileNotFoundError
        If there is no such file.

    Warns
    -----
    ExportWarning
        If a CSV, TSV or JSON lines file has changed since its record was written, or a SQLite or
        DuckDB file since it was exported, or a workbook holds other values than its record says.

    Notes
    -----
    A damaged Parquet, Feather or DuckDB file can crash the library that reads it, and Python with
    it. Therefore the digest in the file is verified first. A file from an older version, without a
    digest, is first read by another Python process, which takes about a second.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> import pandas as pd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = dirframe.export(pd.DataFrame({"id": ["01", "NA"]}), f"{folder}/p.csv")
    ...     dirframe.read_export(file)["id"].tolist()
    ['01', 'NA']
    """
    file = Path(path)
    kind = kind_of(file)
    if kind.read is None:
        readable = ", ".join(suffix for suffix, entry in KINDS.items() if entry.read)
        raise InvalidInputError(
            f"{file} is for people to look at; what is to be read back is exported to {readable}."
        )
    kind.check()
    if not file.is_file():
        raise FileNotFoundError(f"There is no file {file}.")
    if kind.sidecar:
        record_file = read_sidecar(file)
        frames = {file.stem: (_read_whole(file, kind.read, record_file), record_file)}
    else:
        fits = check(file, kind)
        frames = _read_whole(file, kind.read)
        check_record(file, kind, fits, [record for _, record in frames.values()])
    if table is None and len(frames) == 1:
        table = next(iter(frames))
    if table not in frames:
        advice = (
            "name one with table= of dirframe.read_export; commands read files of one table"
            if table is None
            else f"there is no {table!r} among them"
        )
        raise InvalidInputError(f"{file} holds {', '.join(map(repr, frames))}: {advice}.")
    frame: pd.DataFrame = frames[table][0]
    record: dict[str, Any] = frames[table][1]
    if len(frame) != record["rows"]:
        raise InvalidInputError(
            f"{file} holds {len(frame):,} rows, and its record says {record['rows']:,}: rows were "
            "added or lost since. Export the frame again."
        )
    frame.attrs = {} if record["provenance"] is None else {ATTRIBUTE: record["provenance"]}
    return frame


def _read_whole(file: Path, read: Any, *record: dict[str, Any]) -> Any:
    try:
        return read(file, *record)
    except DirframeError:
        raise
    except Exception as error:  # each library has its own error for a damaged file
        # An error of the disk; an invalid position comes from the content.
        if isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}:
            raise
        raise InvalidInputError(
            f"{file} cannot be read as what its suffix says ({error}). Export the frame again."
        ) from error
