"""Runs of records to a folder of Parquet files with one schema, in bounded memory.

What columns and types there are is known only when every record was read. So each run of
records is first gathered, chunk by chunk; then its chunks are brought to the one schema and
settled in files of its own. Runs need nothing of one another: `each` may have several done at the
same time, elsewhere, and more than once, for only what a run hands back counts.

Records can be parted into folders by a column. The column stays in the files too, and the names
of the folders are no ``key=value``: readers that take a value from such a name have to guess its
type, and pandas cannot read missing ones. Files say what is in them, so a filter skips the others.
"""

from __future__ import annotations

import json
import secrets
import shutil
import socket
from collections import Counter, defaultdict
from contextlib import suppress
from functools import partial, reduce
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dirframe.errors import ArchiveError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import pandas as pd

    #: Gives the records of a run; called once, or again after a worker was lost.
    Run = Callable[[], Iterable[pd.DataFrame]]

__all__ = ["MapFunction", "write_parquet"]

#: Rows that are held until a row group is written of the folder that has most of them.
_ROWS = 16_384

#: Tables of few rows take more for their columns than for what is in them.
_PIECES = 4

#: Rows that are parted at a time.
_BATCH = 8_192

#: What files say of their row groups is held until they are closed; so is a handle for each.
_GROUPS = 128

#: A directory of a thousand folders is as much as a person wants.
_FOLDERS = 1_000


class MapFunction(Protocol):
    """Does some work on each item and gives the results in order, as `map` does."""

    def __call__(self, work: Callable[[Any], Any], items: Iterable[Any], /) -> Iterable[Any]:
        """Do it."""


class _Staged(NamedTuple):
    """A run that was read: where its chunks are, how many, what they hold."""

    place: Path
    files: int
    schema: pa.Schema
    parts: list[str | None]


def write_parquet(
    runs: Iterable[Run], folder: Path, *, partition_on: str | None = None, each: MapFunction = map
) -> Path:
    """Write runs of records as a data set.

    Parameters
    ----------
    runs
        Each gives frames of one resource, with the provenance of the whole.
    folder
        Appears whole or not at all.
    partition_on
        Column of text whose values become folders; records without one stay outside.
    each
        Does the work on each run; by default here, one after the other.

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
    whole = unfinished / "whole"
    whole.mkdir(parents=True)
    try:
        found: list[_Staged] = list(each(partial(_gather, unfinished, partition_on), runs))
        schema = reduce(_unify, (one.schema for one in found))
        names = _folders(dict.fromkeys(one for gathered in found for one in gathered.parts))
        settle = partial(_finalize, whole, schema, partition_on, names)
        for one, _ in zip(found, each(settle, list(enumerate(found))), strict=True):
            shutil.rmtree(one.place)
        whole.replace(folder)
    except OSError as error:
        raise ArchiveError(
            f"{folder} could not be written ({error.strerror or error}). Nothing of it was left "
            "there: make room, or choose another place."
        ) from error
    finally:
        # Under another name first: who still writes there finds the old one no more.
        gone = unfinished.with_suffix(".gone")
        with suppress(OSError):
            unfinished.replace(gone)
        shutil.rmtree(gone, ignore_errors=True)
    return folder


def _gather(unfinished: Path, partition_on: str | None, run: Run) -> _Staged:
    """Keep the chunks of a run as they are, in a place that no other try of it has."""
    if not unfinished.is_dir():
        raise ArchiveError(
            f"{socket.gethostname()} does not see {unfinished.parent}. Whoever writes has to reach "
            "the folder under the same path: choose one that all of them share."
        )
    place = unfinished / f"gathered-{secrets.token_hex(8)}"
    place.mkdir()
    schema: pa.Schema | None = None
    values: dict[str | None, None] = {}
    files = 0
    for frame in run():
        if partition_on is not None:
            if str(frame.dtypes.get(partition_on)) != "str":
                raise InvalidInputError(
                    f"There is no column of text {partition_on!r} to part the records by."
                )
            values |= dict.fromkeys(_values(frame[partition_on]))
            _check_number(values, partition_on)
        table = _table(frame)
        schema = table.schema if schema is None else _unify(schema, table.schema)
        pq.write_table(table, place / f"{files:08}.parquet")
        files += 1
    assert schema is not None  # noqa: S101  # a run gives one chunk at least
    return _Staged(place, files, schema, list(values))


def _finalize(
    whole: Path,
    schema: pa.Schema,
    partition_on: str | None,
    names: dict[str | None, str],
    numbered: tuple[int, _Staged],
) -> None:
    """Write the files of a run; none is in the data set before it is whole."""
    number, gathered = numbered
    place = whole.with_name(f"settled-{secrets.token_hex(8)}")
    place.mkdir()
    parts = _partition(_batches(gathered, schema), partition_on, names)
    for file in _write(_grouped(parts), place, schema, f"part-{number:05}"):
        final = whole / file.relative_to(place)
        final.parent.mkdir(exist_ok=True)
        file.replace(final)
    shutil.rmtree(place)


def _write(
    groups: Iterable[tuple[str, pa.Table]], place: Path, schema: pa.Schema, name: str
) -> list[Path]:
    """Write each row group as it comes: `pyarrow.dataset.write_dataset` queues millions of rows."""
    writers: dict[str, pq.ParquetWriter] = {}
    held: Counter[str] = Counter()
    files: dict[str, list[Path]] = defaultdict(list)
    try:
        for folder, table in groups:
            if held.total() == _GROUPS:
                most = max(held, key=held.__getitem__)
                del held[most]
                writers.pop(most).close()
            if folder not in writers:
                (place / folder).mkdir(exist_ok=True)
                files[folder].append(place / folder / f"{name}-{len(files[folder]):05}.parquet")
                writers[folder] = pq.ParquetWriter(files[folder][-1], schema)
            writers[folder].write_table(table, row_group_size=max(len(table), 1))
            held[folder] += 1
    finally:
        for writer in writers.values():
            writer.close()
    return [file for written in files.values() for file in written]


def _grouped(parts: Iterable[tuple[str, pa.Table]]) -> Iterator[tuple[str, pa.Table]]:
    """Hold what comes for a folder until there is much of it: small row groups cost space."""
    held: dict[str, list[pa.Table]] = defaultdict(list)
    rows: Counter[str] = Counter()
    for folder, part in parts:
        held[folder].append(part)
        rows[folder] += len(part)
        if len(held[folder]) == _PIECES:
            held[folder] = [pa.concat_tables(held[folder]).combine_chunks()]
        if rows.total() > _ROWS:
            most = max(rows, key=rows.__getitem__)
            del rows[most]
            yield most, pa.concat_tables(held.pop(most))
    for folder, rest in held.items():
        yield folder, pa.concat_tables(rest)


def _partition(
    batches: Iterable[pa.Table], column: str | None, names: dict[str | None, str]
) -> Iterator[tuple[str, pa.Table]]:
    """Give the records of each folder; those without a value are outside of all."""
    for batch in batches:
        if column is None or not len(batch):
            yield "", batch
            continue
        codes = batch.column(column).combine_chunks().dictionary_encode(null_encoding="encode")
        for code, value in enumerate(codes.dictionary.to_pylist()):
            yield names[value], batch.filter(pc.equal(codes.indices, code))


def _values(column: pd.Series[str]) -> list[str | None]:
    values: list[str | None] = pa.array(column.unique(), pa.large_string()).to_pylist()
    return values


def _check_number(values: dict[str | None, None], column: str | None) -> None:
    if len(values.keys() - {None}) > _FOLDERS:
        raise InvalidInputError(
            f"{column} has more than {_FOLDERS:,} different values; part the records by a column "
            "that has fewer."
        )


def _folders(values: dict[str | None, None]) -> dict[str | None, str]:
    """Name the folder of each value; the same values in the same order have the same names."""
    names: dict[str | None, str] = {None: ""}
    taken = {""}
    for value in values:
        if value is not None:
            names[value] = _folder(value, taken)
            taken.add(names[value].casefold())
    return names


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


def _unify(first: pa.Schema, second: pa.Schema) -> pa.Schema:
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


def _batches(gathered: _Staged, schema: pa.Schema) -> Iterator[pa.Table]:
    """Give the records of a run in their order, so many at a time at least."""
    held: list[pa.Table] = []
    for number in range(gathered.files):
        table = pq.read_table(gathered.place / f"{number:08}.parquet")
        columns = [_column(table, field) for field in schema]
        held.append(pa.Table.from_arrays(columns, schema=schema))
        if number == gathered.files - 1 or sum(map(len, held)) >= _BATCH:
            yield pa.concat_tables(held)
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
