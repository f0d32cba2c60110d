"""Read and write SQLite and DuckDB files: one table per frame, and one with the records."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from dirframe._sqlite import open_database
from dirframe.errors import InvalidInputError
from dirframe.io.frame_codec import ExportFrame, check_columns, restored_frame
from dirframe.io.metadata import METADATA_KEY, facts, read_record
from dirframe.io.parquet import from_arrow, to_arrow

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd


_KEEPER_TABLE = f"CREATE TABLE {METADATA_KEY} (frame TEXT, fact TEXT, value TEXT)"
_INT64 = range(-(2**63), 2**63)


def write_sqlite(frames: Sequence[ExportFrame], file: Path) -> None:
    """Write a SQLite file; times are ISO 8601 text, lists JSON, booleans 0 and 1."""
    _check_names(frames)
    with closing(open_database(file)) as db:
        db.execute("PRAGMA journal_mode = OFF")  # a temporary file: there are no other readers
        db.execute("BEGIN")
        for item in frames:
            names = [column["name"] for column in item.columns]
            kinds = [_kind(column["dtype"]) for column in item.columns]
            columns = ", ".join(
                f"{_quoted(name)} {kind}".rstrip() for name, kind in zip(names, kinds, strict=True)
            )
            values = [_storable(item.texts_of(position)) for position in range(len(names))]
            db.execute(f"CREATE TABLE {_quoted(item.name)} ({columns})")
            marks = ", ".join("?" * len(names))
            db.executemany(
                f"INSERT INTO {_quoted(item.name)} VALUES ({marks})",
                zip(*values, strict=True),
            )
        db.execute(_KEEPER_TABLE)
        db.executemany(f"INSERT INTO {METADATA_KEY} VALUES (?, ?, ?)", _record_rows(frames))
        db.execute("COMMIT")


def read_sqlite(file: Path) -> dict[str, tuple[pd.DataFrame, dict[str, Any]]]:
    """Read what `write_sqlite` wrote."""
    with closing(open_database(file, mode="ro")) as db:
        records = _records(db, file, sqlite3.Error)
        frames = {}
        for name, record in records.items():
            cursor = db.execute(f"SELECT * FROM {_quoted(name)} ORDER BY rowid")
            check_columns(file, record, [column[0] for column in cursor.description])
            rows = cursor.fetchall()
            columns = list(zip(*rows, strict=True)) or [()] * len(record["columns"])
            frames[name] = restored_frame(columns, record), record
    return frames


def write_duckdb(frames: Sequence[ExportFrame], file: Path) -> None:
    """Write a DuckDB file; lists stay lists and times keep their zone."""
    import duckdb

    _check_names(frames)
    path = str(file.absolute())
    if "?" in path:
        raise InvalidInputError(
            f"DuckDB takes what follows the question mark in {path} for options. Choose a name "
            "and a folder without one, or export to .parquet."
        )
    try:
        with duckdb.connect(path) as db:
            for item in frames:
                db.register("arrow_of_frame", to_arrow(item))
                db.execute(f"CREATE TABLE {_quoted(item.name)} AS SELECT * FROM arrow_of_frame")
                db.unregister("arrow_of_frame")
            db.execute(_KEEPER_TABLE)
            db.executemany(f"INSERT INTO {METADATA_KEY} VALUES (?, ?, ?)", _record_rows(frames))
    except duckdb.Error as error:
        raise OSError(str(error)) from None


def read_duckdb(file: Path) -> dict[str, tuple[pd.DataFrame, dict[str, Any]]]:
    """Read what `write_duckdb` wrote."""
    import duckdb

    try:
        opened = duckdb.connect(str(file), read_only=True)
    except duckdb.Error as error:
        raise InvalidInputError(f"{file} is not a DuckDB file: {error}.") from None
    with opened as db:
        frames = {}
        for name, record in _records(db, file, duckdb.Error).items():
            table = db.sql(f"SELECT * FROM {_quoted(name)}").to_arrow_table()
            check_columns(file, record, table.column_names)
            frames[name] = from_arrow(table, record), record
    return frames


def _record_rows(frames: Sequence[ExportFrame]) -> list[tuple[str, str, str]]:
    return [(frame.name, *fact) for frame in frames for fact in facts(frame.record)]


def _records(db: Any, file: Path, error: type[Exception]) -> dict[str, dict[str, Any]]:
    try:
        rows = db.execute(
            f"SELECT frame, value FROM {METADATA_KEY} WHERE fact = 'record'"
        ).fetchall()
    except error:
        rows = []
    if not rows:
        read_record(None, file)
    return {name: read_record(text, file) for name, text in rows}


def _check_names(frames: Sequence[ExportFrame]) -> None:
    """Reject names that differ only in case, which these databases treat as equal."""
    for names, label in [
        ([frame.name for frame in frames], "tables"),
        *(
            ([column["name"] for column in frame.columns], f"columns of {frame.name}")
            for frame in frames
        ),
    ]:
        folded: dict[str, str] = {}
        for name in names:
            previous = folded.setdefault(name.lower(), name)
            if previous is not name:
                raise InvalidInputError(
                    f"The {label} {previous!r} and {name!r} differ in case alone, and a database "
                    "takes them for one. Rename one, or export to .parquet."
                )
            if "\0" in name:
                raise InvalidInputError(f"The {label} have a name with a NUL in it: {name!r}.")
            if label == "tables" and name.lower().startswith("sqlite_"):
                raise InvalidInputError(f"{name!r} is a name that SQLite keeps for itself.")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _kind(dtype: str) -> str:
    if dtype.lower() == "uint64":
        return ""  # INTEGER makes a fraction of the text of a number beyond 64 bits with sign
    if dtype in {"bool", "boolean"} or dtype.lower().startswith(("int", "uint")):
        return "INTEGER"
    return "REAL" if dtype.lower().startswith("float") else "" if dtype == "category" else "TEXT"


def _storable(values: list[Any]) -> list[Any]:
    # SQLite integers are 64-bit; larger ones are stored as text.
    return [str(v) if isinstance(v, int) and v not in _INT64 else v for v in values]
