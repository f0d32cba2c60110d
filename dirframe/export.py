"""Frames to files, each written whole or not at all.

What stays out: choosing what to export.
"""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["check_target", "export", "write_csv"]

_SUFFIXES = (".csv", ".parquet")


def export(frame: pd.DataFrame, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a frame to a file by its suffix, whole or not at all.

    Parameters
    ----------
    frame : pandas.DataFrame
        What to write.
    path : str or pathlib.Path
        ``.csv`` or ``.parquet``. A CSV holds lists as JSON; Parquet keeps every dtype and
        the provenance, and has JSON only where the entries of lists differ in form. Read a CSV back with ``pandas.read_csv(path,
        keep_default_na=False, na_values=[""], dtype={"id": "str"})``: without these,
        Namibia's code ``NA`` becomes a missing value and ids become numbers.
    overwrite : bool, default False
        Whether an existing file may be replaced.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInputError
        If the suffix is unknown, or the file exists and must not be replaced.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export(pd.DataFrame({"id": ["1"]}), Path(folder) / "projects.csv").name
    'projects.csv'
    """
    target = check_target(path, overwrite=overwrite)
    write = _parquet_file if target.suffix.lower() == ".parquet" else _csv_file
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.stem}-{secrets.token_hex(4)}.part")
    try:
        write(frame, unfinished)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
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
        If the suffix is unknown, or the file exists and must not be replaced.

    Examples
    --------
    >>> check_target("new.csv").name
    'new.csv'
    """
    target = Path(path)
    if target.suffix.lower() not in _SUFFIXES:
        raise InvalidInputError(
            f"{target} has the suffix {target.suffix!r}; choose one of {', '.join(_SUFFIXES)}."
        )
    if target.exists() and not overwrite:
        raise InvalidInputError(
            f"{target} exists already; choose another name or pass overwrite=True."
        )
    return target


def write_csv(frame: pd.DataFrame, stream: TextIO) -> None:
    """Write a frame as CSV to an open stream; lists become JSON.

    Parameters
    ----------
    frame : pandas.DataFrame
        What to write.
    stream : TextIO
        Where to.

    Examples
    --------
    >>> import sys
    >>> import pandas as pd
    >>> write_csv(pd.DataFrame({"id": ["1"], "tags": [["a", "b"]]}), sys.stdout)
    id,tags
    1,"[""a"", ""b""]"
    """
    lists = [name for name in frame.columns if frame[name].dtype == object]
    plain = frame.assign(**{name: _as_json(frame[name]) for name in lists})
    plain.to_csv(stream, index=False, date_format="%Y-%m-%dT%H:%M:%SZ", lineterminator="\n")


def _csv_file(frame: pd.DataFrame, file: Path) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        write_csv(frame, stream)


def _parquet_file(frame: pd.DataFrame, file: Path) -> None:
    import pyarrow as pa

    mixed = {}
    for name in frame.columns:
        if frame[name].dtype == object:
            try:
                pa.array(frame[name], from_pandas=True)
            except pa.ArrowException:  # a text and a record in one list, say
                mixed[name] = _as_json(frame[name])
    frame.assign(**mixed).to_parquet(file, index=False)


def _as_json(column: pd.Series[Any]) -> pd.Series[Any]:
    return column.map(_json, na_action="ignore").astype("str")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=_listed)


def _listed(value: Any) -> list[Any]:
    listed: list[Any] = value.tolist()  # Parquet gives lists back as arrays
    return listed
