"""Chunks of records to a folder of Parquet files with one schema, in bounded memory.

Each chunk is written as it comes; what its columns and types are is known for all of them
only at the end, so that the parts are then brought to one schema, one after the other.

Records can be parted into folders by a column. The column stays in the files too, and the names
of the folders are no ``key=value``: readers that take a value from such a name have to guess its
type, and pandas cannot read missing ones. Files say what is in them, so a filter skips the others.

What stays out: where the chunks come from (`dirframe.archive.reading`).
"""

from __future__ import annotations

import json
import secrets
import shutil
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dirframe.errors import ArchiveError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pandas as pd

__all__ = ["write_parquet"]

#: Of a row group; where records are parted by a column, of all their groups together.
_ROWS, _PARTED_ROWS = 8_192, 32_768

#: What a file says of its groups is held until it is closed.
_GROUPS_OF_A_FILE = 32

#: Files that are open at the same time; systems allow 256 or more.
_OPEN = 200

#: A directory of a thousand folders is as much as a person wants.
_FOLDERS = 1_000


def write_parquet(
    chunks: Iterable[pd.DataFrame], folder: Path, *, partition_on: str | None = None
) -> Path:
    """Write chunks as a data set.

    Parameters
    ----------
    chunks
        Frames of one resource, with the provenance of the whole.
    folder
        Appears whole or not at all.
    partition_on
        Column of text whose values become folders; records without one stay outside.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    InvalidInputError
        If the folder exists, there is no such column of text, or it has too many values.
    ArchiveError
        If the disk is full, say.
    """
    if folder.exists():
        raise InvalidInputError(f"{folder} exists already; choose another name.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = folder.with_name(f".{folder.name}-{secrets.token_hex(4)}.part")
    parts, whole = unfinished / "parts", unfinished / "whole"
    parts.mkdir(parents=True)
    try:
        files: list[Path] = []
        schema: pa.Schema | None = None
        for frame in chunks:
            if partition_on is not None and str(frame.dtypes.get(partition_on)) != "str":
                raise InvalidInputError(
                    f"There is no column of text {partition_on!r} to part the records by."
                )
            table = _table(frame)
            schema = table.schema if schema is None else _both(schema, table.schema)
            files.append(parts / f"{len(files):08}.parquet")
            pq.write_table(table, files[-1])
        assert schema is not None  # noqa: S101  # an archive gives one chunk at least
        rows = _ROWS if partition_on is None else _PARTED_ROWS
        batches = _batches(files, schema, rows)
        if partition_on is None:
            _write((("", batch) for batch in batches), whole, schema)
        else:
            _write(_parted(batches, partition_on), whole, schema)
        whole.replace(folder)
    except OSError as error:
        raise ArchiveError(
            f"{folder} could not be written ({error.strerror or error}). Nothing of it was left "
            "there: make room, or choose another place."
        ) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _write(parts: Iterator[tuple[str, pa.RecordBatch]], whole: Path, schema: pa.Schema) -> None:
    """Write each part as it comes: `pyarrow.dataset.write_dataset` queues millions of rows."""
    writers: dict[str, pq.ParquetWriter] = {}
    groups: dict[str, int] = {}
    files: dict[str, int] = {}
    whole.mkdir()
    try:
        for folder, batch in parts:
            if folder in writers and groups[folder] == _GROUPS_OF_A_FILE:
                writers.pop(folder).close()
            if folder not in writers:
                if len(writers) == _OPEN:
                    writers.pop(next(iter(writers))).close()
                number, groups[folder] = files.get(folder, 0), 0
                files[folder] = number + 1
                (whole / folder).mkdir(exist_ok=True)
                file = whole / folder / f"part-{number}.parquet"
                writers[folder] = pq.ParquetWriter(file, schema)
            writers[folder].write_batch(batch)
            groups[folder] += 1
    finally:
        for writer in writers.values():
            writer.close()


def _parted(batches: Iterator[pa.RecordBatch], column: str) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Give the records of each folder; those without a value are outside of all."""
    names: dict[str | None, str] = {None: ""}
    for batch in batches:
        values = batch.column(column)
        codes = values.dictionary_encode(null_encoding="encode")
        for code, value in enumerate(codes.dictionary.to_pylist()):
            if value not in names:
                names[value] = _folder(value, {name.casefold() for name in names.values()})
                if len(names) > _FOLDERS + 1:
                    raise InvalidInputError(
                        f"{column} has more than {_FOLDERS:,} different values; part the records "
                        "by a column that has fewer."
                    )
            yield names[value], batch.filter(pc.equal(codes.indices, code))


def _folder(value: str, taken: set[str]) -> str:
    """Name a folder that every file system takes and keeps apart from the others."""
    name = quote(value, safe="").replace(".", "%2E").replace("_", "%5F").replace("~", "%7E")
    if len(name) > 100 or name.casefold() in taken or not name:
        return f"{name[:100]}~{sha256(value.encode()).hexdigest()[:12]}"
    return name


def _table(frame: pd.DataFrame) -> pa.Table:
    mixed = {}
    for name in frame.columns:
        if frame[name].dtype == object:
            try:
                pa.array(frame[name], from_pandas=True)
            except pa.ArrowException:  # a text and a record in one list, say
                mixed[name] = frame[name].map(_json, na_action="ignore").astype("str")
    return pa.Table.from_pandas(frame.assign(**mixed), preserve_index=False)


def _both(first: pa.Schema, second: pa.Schema) -> pa.Schema:
    """Return a schema that holds what both hold; lists that differ in form become JSON."""
    fields = {field.name: field for field in first}
    for field in second:
        known = fields.get(field.name, field)
        try:
            fields[field.name] = pa.unify_schemas(
                [pa.schema([known]), pa.schema([field])], promote_options="permissive"
            ).field(0)
        except pa.ArrowTypeError:
            fields[field.name] = pa.field(field.name, pa.large_string())
    return pa.schema(list(fields.values()), metadata=first.metadata)


def _batches(files: list[Path], schema: pa.Schema, rows: int) -> Iterator[pa.RecordBatch]:
    """Give the records in the order of the files, so many at a time at least."""
    held: list[pa.Table] = []
    for file in files:
        table = pq.read_table(file)
        columns = [_column(table, field) for field in schema]
        held.append(pa.Table.from_arrays(columns, schema=schema))
        file.unlink()
        if file is files[-1] or sum(map(len, held)) >= rows:
            yield from pa.concat_tables(held).combine_chunks().to_batches()
            held.clear()


def _column(table: pa.Table, field: pa.Field) -> Any:
    if field.name not in table.column_names:
        return pa.nulls(table.num_rows, field.type)
    column = table[field.name]
    if column.type == field.type:
        return column
    values = column.to_pylist()
    if pa.types.is_large_string(field.type):
        values = [v if v is None or isinstance(v, str) else _json(v) for v in values]
    return pa.array(values, field.type)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
