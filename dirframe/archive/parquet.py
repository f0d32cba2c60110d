"""Write records to a folder of Parquet files with one schema, in bounded memory."""

# The columns and types are known only after all records were read. So each run of records is first
# staged, chunk by chunk; then its chunks are converted to the common schema and written to files of
# their own. Runs are independent: `each` may process several concurrently, elsewhere, and more than
# once, since only the returned result of a run is used.
#
# Records can be partitioned into folders by a column. The column stays in the files too, and the
# folder names have no ``key=value`` form: readers that take a value from such a name have to guess
# its type, and pandas cannot read missing ones. Statistics in the files let filters skip the others.

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

from dirframe.client.frames.interchange import to_arrow
from dirframe.errors import ArchiveError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import pandas as pd

    #: Returns the records of a run; called once, or again after a worker was lost.
    Run = Callable[[], Iterable[pd.DataFrame]]


#: Number of buffered rows above which a row group of the largest folder is written.
_ROWS = 16_384

#: Tables of few rows use more memory for their columns than for their values.
_PIECES = 4

#: Number of rows partitioned at a time.
_BATCH = 8_192

#: The metadata of row groups is held until a file is closed; so is a file handle.
_GROUPS = 128

#: More than a thousand folders in a directory are hard to use.
_FOLDERS = 1_000


class MapFunction(Protocol):
    """Apply a function to each item and return the results in order, like `map`."""

    def __call__(self, work: Callable[[Any], Any], items: Iterable[Any], /) -> Iterable[Any]:
        """Apply it."""


class _Staged(NamedTuple):
    """A staged run: the location, number, schema and partition values of its chunks."""

    folder: Path
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
        Each returns frames of one resource, with the provenance of the whole.
    folder
        The target folder; it appears complete or not at all.
    partition_on
        Text column whose values become folders; records without a value are outside of all.
    each
        Processes the runs; by default in this process, one after the other.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    InvalidInputError
        If the folder exists, there is no such text column, or it has too many values.
    ArchiveError
        If the files cannot be written, for example because the disk is full.
    """
    if folder.exists():
        raise InvalidInputError(f"{folder} already exists; choose another name.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = folder.with_name(f".{folder.name}-{secrets.token_hex(4)}.part")
    complete = unfinished / "whole"
    complete.mkdir(parents=True)
    try:
        staged_runs: list[_Staged] = list(each(partial(_gather, unfinished, partition_on), runs))
        schema = reduce(_unify, (staged.schema for staged in staged_runs))
        names = _folders(dict.fromkeys(staged for run in staged_runs for staged in run.parts))
        finalize = partial(_finalize, complete, schema, partition_on, names)
        for staged, _ in zip(
            staged_runs, each(finalize, list(enumerate(staged_runs))), strict=True
        ):
            shutil.rmtree(staged.folder)
        complete.replace(folder)
    except OSError as error:
        raise ArchiveError(
            f"{folder} could not be written ({error.strerror or error}). Nothing of it was left "
            "there: make room, or choose another place."
        ) from error
    finally:
        # Renamed first, so that tasks still running cannot write to it.
        discarded = unfinished.with_suffix(".gone")
        with suppress(OSError):
            unfinished.replace(discarded)
        shutil.rmtree(discarded, ignore_errors=True)
    return folder


def _gather(unfinished: Path, partition_on: str | None, run: Run) -> _Staged:
    """Stage the chunks of a run in a folder that no other attempt uses."""
    if not unfinished.is_dir():
        raise ArchiveError(
            f"{socket.gethostname()} does not see {unfinished.parent}. Whoever writes has to reach "
            "the folder under the same path: choose one that all of them share."
        )
    attempt_folder = unfinished / f"gathered-{secrets.token_hex(8)}"
    attempt_folder.mkdir()
    schema: pa.Schema | None = None
    values: dict[str | None, None] = {}
    files = 0
    for frame in run():
        if partition_on is not None:
            if str(frame.dtypes.get(partition_on)) != "str":
                raise InvalidInputError(
                    f"There is no column of text {partition_on!r} to part the records by."
                )
            values |= dict.fromkeys(
                pa.array(frame[partition_on].unique(), pa.large_string()).to_pylist()
            )
            if len(values.keys() - {None}) > _FOLDERS:
                raise InvalidInputError(
                    f"{partition_on} has more than {_FOLDERS:,} different values; part the records "
                    "by a column that has fewer."
                )
        table = to_arrow(frame)
        schema = table.schema if schema is None else _unify(schema, table.schema)
        pq.write_table(table, attempt_folder / f"{files:08}.parquet")
        files += 1
    assert schema is not None  # noqa: S101  # a run has at least one chunk
    return _Staged(attempt_folder, files, schema, list(values))


def _finalize(
    whole: Path,
    schema: pa.Schema,
    partition_on: str | None,
    names: dict[str | None, str],
    numbered: tuple[int, _Staged],
) -> None:
    """Write the files of a run; each is added to the data set only when complete."""
    number, staged = numbered
    attempt_folder = whole.with_name(f"settled-{secrets.token_hex(8)}")
    attempt_folder.mkdir()
    parts = _partition(_batches(staged, schema), partition_on, names)
    for file in _write(_grouped(parts), attempt_folder, schema, f"part-{number:05}"):
        final = whole / file.relative_to(attempt_folder)
        final.parent.mkdir(exist_ok=True)
        file.replace(final)
    shutil.rmtree(attempt_folder)


def _write(
    groups: Iterable[tuple[str, pa.Table]], root: Path, schema: pa.Schema, name: str
) -> list[Path]:
    """Write row groups as they arrive: `pyarrow.dataset.write_dataset` queues millions of rows."""
    writers: dict[str, pq.ParquetWriter] = {}
    group_counts: Counter[str] = Counter()
    files: dict[str, list[Path]] = defaultdict(list)
    try:
        for folder, table in groups:
            if group_counts.total() == _GROUPS:
                largest = max(group_counts, key=group_counts.__getitem__)
                del group_counts[largest]
                writers.pop(largest).close()
            if folder not in writers:
                (root / folder).mkdir(exist_ok=True)
                files[folder].append(root / folder / f"{name}-{len(files[folder]):05}.parquet")
                writers[folder] = pq.ParquetWriter(files[folder][-1], schema)
            writers[folder].write_table(table, row_group_size=max(len(table), 1))
            group_counts[folder] += 1
    finally:
        for writer in writers.values():
            writer.close()
    return [file for written in files.values() for file in written]


def _grouped(parts: Iterable[tuple[str, pa.Table]]) -> Iterator[tuple[str, pa.Table]]:
    """Buffer the records of a folder until there are enough: small row groups cost space."""
    buffers: dict[str, list[pa.Table]] = defaultdict(list)
    rows: Counter[str] = Counter()
    for folder, part in parts:
        buffers[folder].append(part)
        rows[folder] += len(part)
        if len(buffers[folder]) == _PIECES:
            buffers[folder] = [pa.concat_tables(buffers[folder]).combine_chunks()]
        if rows.total() > _ROWS:
            largest = max(rows, key=rows.__getitem__)
            del rows[largest]
            yield largest, pa.concat_tables(buffers.pop(largest))
    for folder, rest in buffers.items():
        yield folder, pa.concat_tables(rest)


def _partition(
    batches: Iterable[pa.Table], column: str | None, names: dict[str | None, str]
) -> Iterator[tuple[str, pa.Table]]:
    """Yield the records of each folder; those without a value are outside of all."""
    for batch in batches:
        if column is None or not len(batch):
            yield "", batch
            continue
        codes = batch.column(column).combine_chunks().dictionary_encode(null_encoding="encode")
        for code, value in enumerate(codes.dictionary.to_pylist()):
            yield names[value], batch.filter(pc.equal(codes.indices, code))


def _folders(values: dict[str | None, None]) -> dict[str | None, str]:
    """Return the folder name of each value; it depends only on the values and their order."""
    names: dict[str | None, str] = {None: ""}
    used = {""}
    for value in values:
        if value is not None:
            names[value] = _folder(value, used)
            used.add(names[value].casefold())
    return names


def _folder(value: str, taken: set[str]) -> str:
    """Return a folder name that is valid and unique on every file system."""
    name = quote(value, safe="").replace(".", "%2E").replace("_", "%5F").replace("~", "%7E")
    if len(name) > 100 or name.casefold() in taken or not name:
        return f"{name[:100]}~{sha256(value.encode()).hexdigest()[:12]}"
    return name


def _unify(first: pa.Schema, second: pa.Schema) -> pa.Schema:
    """Return a schema for both; lists that differ in form become JSON."""
    fields = {field.name: field for field in first}
    for field in second:
        existing = fields.get(field.name, field)
        try:
            fields[field.name] = pa.unify_schemas(
                [pa.schema([existing]), pa.schema([field])], promote_options="permissive"
            ).field(0)
        except pa.ArrowTypeError:
            fields[field.name] = pa.field(field.name, pa.large_string())
    return pa.schema(list(fields.values()), metadata=first.metadata)


def _batches(staged: _Staged, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the records of a run in order, in batches of a minimum size."""
    buffer: list[pa.Table] = []
    for number in range(staged.files):
        table = pq.read_table(staged.folder / f"{number:08}.parquet")
        columns = [_column(table, field) for field in schema]
        buffer.append(pa.Table.from_arrays(columns, schema=schema))
        if number == staged.files - 1 or sum(map(len, buffer)) >= _BATCH:
            yield pa.concat_tables(buffer)
            buffer.clear()


def _column(table: pa.Table, field: pa.Field) -> Any:
    if field.name not in table.column_names:
        return pa.nulls(table.num_rows, field.type)
    column = table[field.name]
    if column.type == field.type:
        return column
    values = column.to_pylist()
    if pa.types.is_large_string(field.type):
        values = [
            v if v is None or isinstance(v, str) else json.dumps(v, ensure_ascii=False)
            for v in values
        ]
    return pa.array(values, field.type)
