"""Read tables of records: CSV, JSON lines and Parquet files, data frames and SQL queries."""

# A table is its column names and an iterator of rows, read in batches. Values keep the types of the
# format; those of CSV are texts.

from __future__ import annotations

import csv
import io
import json
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from dirframe.errors import (
    ConfigurationError,
    Hint,
    InvalidInputError,
    MissingExtraError,
    StoreError,
)
from dirframe.service.store.xml_files import open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from pathlib import Path


_SEPARATORS = ",;\t"
_BATCH_SIZE = 1_000


@dataclass(frozen=True)
class Table:
    """Column names, and a function that reads the rows anew; `name` is for messages."""

    name: str
    columns: list[str]
    rows: Callable[[], Iterator[Sequence[Any]]]


def is_table(path: Path) -> bool:
    """Return whether the name of a file is that of a table."""
    return _suffix(path) in _READERS


def read_table(path: Path) -> Table:
    """Open a file of rows by its suffix.

    Raises
    ------
    StoreError
        The file cannot be read as what its suffix says.
    """
    read = _READERS[_suffix(path)]

    def rows() -> Iterator[Sequence[Any]]:
        with _told(path):
            _, found = read(path)
            yield from found

    with _told(path):
        columns, _ = read(path)
    if repeated := sorted({name for name in columns if columns.count(name) > 1}):
        raise StoreError(f"{path} has several columns of one name: {', '.join(repeated)}.")
    return Table(str(path), columns, rows)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, csv.Error, ValueError) as error:  # ValueError: UTF-8, JSON, Arrow
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise StoreError(f"{path} cannot be read as {_suffix(path)[1:]}: {reason}.") from None


def _suffix(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return name[name.rfind(".") :] if "." in name else ""


def _read_csv(path: Path) -> tuple[list[str], Iterator[list[str]]]:
    stream = io.TextIOWrapper(open_file(path), encoding="utf-8-sig", newline="")
    first = stream.readline()
    if not first.strip():
        raise ValueError("the first line must name the columns")
    separator = max(_SEPARATORS, key=first.count)
    header = next(csv.reader([first], delimiter=separator))

    def rows() -> Iterator[list[str]]:
        with stream:
            yield from (row for row in csv.reader(stream, delimiter=separator, strict=True) if row)

    return [name.strip() for name in header], rows()


def _read_json_lines(path: Path) -> tuple[list[str], Iterator[list[Any]]]:
    def records() -> Iterator[dict[str, Any]]:
        with open_file(path) as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    record = json.loads(line)
                    if not isinstance(record, dict):
                        raise ValueError(f"line {number} is no object")
                    yield record

    # Any line may have a further name.
    columns = list(dict.fromkeys(chain.from_iterable(records())))
    return columns, ([record.get(name) for name in columns] for record in records())


def _read_parquet(path: Path) -> tuple[list[str], Iterator[Sequence[Any]]]:
    from pyarrow import parquet

    file = parquet.ParquetFile(path)
    return file.schema_arrow.names, _values(file.iter_batches(_BATCH_SIZE))


_READERS: dict[str, Callable[[Path], tuple[list[str], Iterator[Any]]]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".parquet": _read_parquet,
}


def _values(batches: Iterable[Any]) -> Iterator[Sequence[Any]]:
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def frame_table(frame: object) -> Table:
    """Return the rows of a pandas, polars or Arrow frame.

    Raises
    ------
    InvalidInputError
        The object is no frame, or a column has values of several types.
    """
    import pyarrow as pa

    if not hasattr(frame, "__arrow_c_stream__"):
        raise InvalidInputError(
            f"A {type(frame).__name__} cannot be served: pass a path, or a data frame of pandas, "
            "polars or Arrow."
        )
    try:
        table = pa.table(frame)
    except pa.ArrowException as error:
        raise InvalidInputError(f"The frame is no table: {str(error).splitlines()[0]}") from None
    columns = [name for name in table.column_names if not name.startswith("__index_level_")]
    table = table.select(columns)
    return Table("the frame", columns, lambda: _values(table.to_batches(_BATCH_SIZE)))


def query_table(address: str, query: str) -> Table:
    """Return the rows of a query of an SQL database.

    Parameters
    ----------
    address
        An address as SQLAlchemy reads it, such as ``sqlite:///people.db``. It is never displayed
        with its user, password or options.
    query
        The query.

    Raises
    ------
    MissingExtraError
        SQLAlchemy is not installed.
    StoreError
        The database cannot be read.
    """
    try:
        import sqlalchemy
    except ImportError:
        raise MissingExtraError("sqlalchemy", extra="serve", purpose="An SQL database") from None
    try:
        url = sqlalchemy.make_url(address)
    except sqlalchemy.exc.ArgumentError:
        raise ConfigurationError(
            "The address of the database is not readable.",
            hint=Hint("It is DIALECT://USER:PASSWORD@HOST/DATABASE, as SQLAlchemy reads it."),
        ) from None
    shown = f"{url.drivername}://{url.host or ''}/{url.database or ''}"

    def read() -> Generator[Any]:
        # The text of a driver's error may repeat the address, so that it is not displayed.
        try:
            engine = sqlalchemy.create_engine(url)
        except (ImportError, sqlalchemy.exc.SQLAlchemyError) as error:
            raise StoreError(
                f"{shown} cannot be opened: the driver {url.drivername} is not usable "
                f"({type(error).__name__}). Install the package of the driver."
            ) from None
        try:
            with engine.connect().execution_options(yield_per=_BATCH_SIZE) as connection:
                result = connection.execute(sqlalchemy.text(query))
                yield list(result.keys())
                yield from result
        except sqlalchemy.exc.SQLAlchemyError as error:
            raise StoreError(
                f"{shown} does not answer the query of the map ({type(error).__name__}). "
                "Try address and query with the database's own program."
            ) from None
        finally:
            engine.dispose()

    found = read()
    columns = next(found)
    found.close()

    def rows() -> Iterator[Any]:
        answer = read()
        next(answer)
        return answer

    return Table(shown, columns, rows)
