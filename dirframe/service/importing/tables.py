"""Read tables of records: CSV, JSON lines and Parquet files, data frames and SQL queries."""

# A table is its column names and an iterator of rows, read in batches. Values keep the types of the
# format; those of CSV are texts.

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import threading
import zlib
from contextlib import closing, contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dirframe._tables import separator_of
from dirframe.errors import (
    ConfigurationError,
    Hint,
    InvalidInputError,
    MissingExtraError,
    StoreError,
)
from dirframe.schema.attributes import is_synthetic
from dirframe.service.importing.values import Unreadable
from dirframe.service.importing.xml_files import open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence


_BATCH_SIZE = 1_000
#: Held while the field limit of `csv` is lifted.
_FIELD_LIMIT = threading.Lock()
#: Rows of CSV in a batch: few, since each may be large.
_ROWS_AT_ONCE = 100
_NO_LIMIT = 2**31 - 1  # a long of C, also on Windows
#: A lone surrogate.
_SURROGATE = re.compile("[\ud800-\udfff]")
_UTF_8 = Hint(
    "Save the table as UTF-8; it is usually from Windows: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW."
)
#: Longest first, since one is a prefix of another.
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


#: Yields the names of the columns, then the rows.
Rows: TypeAlias = "Generator[Sequence[Any]]"


class Table:
    """A table: its column names, and a function that reads the rows anew.

    Parameters
    ----------
    name
        The name for messages.
    read
        Yields the names of the columns, then the rows.
    synthetic
        Whether the records are generated, as the provenance of a loader's frame says.
    """

    def __init__(self, name: str, read: Callable[[], Rows], *, synthetic: bool = False) -> None:
        self.name = name
        self.synthetic = synthetic
        self._read = read
        with closing(read()) as rows:
            self.columns: list[str] = list(next(rows))
        if repeated := sorted({n for n in self.columns if self.columns.count(n) > 1}):
            raise StoreError(f"{name} has several columns of one name: {', '.join(repeated)}.")

    def rows(self) -> Iterator[Sequence[Any]]:
        """Yield the rows."""
        with closing(self._read()) as rows:
            next(rows)
            yield from rows


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

    def read() -> Rows:
        with _refuse_damaged(path), closing(_READERS[_suffix(path)](path)) as rows:
            yield from rows

    table = Table(str(path), read)
    if _suffix(path) == ".parquet":
        from pyarrow import parquet

        with _refuse_damaged(path):
            table.synthetic = is_synthetic(parquet.read_schema(path).empty_table())
    return table


@contextmanager
def _refuse_damaged(path: Path) -> Iterator[None]:
    try:
        yield
    except (
        OSError,
        EOFError,
        csv.Error,
        ValueError,
        NotImplementedError,
        zlib.error,
    ) as error:  # ValueError: UTF-8, JSON, Arrow; NotImplementedError: Arrow
        lines = (getattr(error, "strerror", None) or str(error)).splitlines()
        reason = lines[0] if lines else type(error).__name__
        raise StoreError(
            f"{path} cannot be read as {_suffix(path)[1:]} ({reason}).",
            hint=_encoding_hint(path, error),
        ) from None


def _encoding_hint(path: Path, error: Exception) -> Hint | None:
    if not isinstance(error, ValueError) or _suffix(path) == ".parquet":
        return None
    with suppress(OSError, EOFError, zlib.error), open_file(path) as stream:
        start = stream.read(4)
        for mark, encoding in _BYTE_ORDER_MARKS.items():
            if start.startswith(mark):
                return Hint(
                    f"By its byte order mark it is {encoding}. Save it as UTF-8: "
                    f"iconv -f {encoding} -t UTF-8 OLD > NEW."
                )
    return _UTF_8 if isinstance(error, UnicodeDecodeError) else None


def _suffix(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return name[name.rfind(".") :] if "." in name else ""


def _read_csv(path: Path) -> Rows:
    with open_file(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as stream:
        first = stream.readline()
        if not first.strip():
            raise ValueError("the first line must name the columns")
        separator = separator_of(first)
        yield [name.strip() for name in next(csv.reader([first], delimiter=separator))]
        rows = csv.reader(stream, delimiter=separator, strict=True)
        line = 2  # in which the next row begins
        batch: list[list[str]] | None = None
        while batch is None or batch:
            batch = []
            try:
                with _fields_of_any_size():
                    for row in islice(rows, _ROWS_AT_ONCE):
                        line = rows.line_num + 2
                        batch.append(row)
            except csv.Error as error:
                raise ValueError(f"line {line}: {error}") from None
            yield from filter(None, batch)


@contextmanager
def _fields_of_any_size() -> Iterator[None]:
    """Lift the field limit of `csv` in the block only: it applies to the whole process."""
    with _FIELD_LIMIT:
        limit = csv.field_size_limit(_NO_LIMIT)
        try:
            yield
        finally:
            csv.field_size_limit(limit)


def _read_json_lines(path: Path) -> Rows:
    # Any line may have a further name.
    columns = list(dict.fromkeys(chain.from_iterable(_json_records(path))))
    yield columns
    yield from ([record.get(name) for name in columns] for record in _json_records(path))


def _json_records(path: Path) -> Iterator[dict[str, Any]]:
    with open_file(path) as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                try:
                    record = json.loads(line)
                except json.JSONDecodeError as error:
                    raise ValueError(f"line {number}: {error.msg}") from None
                except RecursionError:
                    raise ValueError(f"line {number} is nested too deeply") from None
                if not isinstance(record, dict):
                    raise ValueError(f"line {number} is not an object")
                if match := _SURROGATE.search("".join(record)):
                    raise ValueError(
                        f"line {number}: a name has U+{ord(match[0]):04X}, half of a character"
                    )
                yield record


def _read_parquet(path: Path) -> Rows:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        yield file.schema_arrow.names
        yield from _values(file.iter_batches(_BATCH_SIZE))


_READERS: dict[str, Callable[[Path], Rows]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".parquet": _read_parquet,
}


#: A time outside Python's range, an unknown time zone, an object with a repeated name.
_UNREADABLE = (OverflowError, ValueError, NotImplementedError)


def _values(batches: Iterable[Any]) -> Iterator[Sequence[Any]]:
    for batch in batches:
        yield from zip(*map(_python_values, batch.columns), strict=True)


def _python_values(column: Any) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist()
    except _UNREADABLE:
        return [_python_value(scalar) for scalar in column]
    return values


def _python_value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except OverflowError:
        why = "it is outside the range of dates and times."
    except _UNREADABLE:
        why = f"it is a {scalar.type}, which cannot be read."
    return Unreadable(f"{scalar.type} {getattr(scalar, 'value', '')}".strip(), why)


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
    except (pa.ArrowException, ValueError) as error:  # ValueError: of pandas, columns of one name
        raise InvalidInputError(f"The frame is not a table: {str(error).splitlines()[0]}") from None
    # By position, for names may repeat.
    table = table.select(
        [
            position
            for position, name in enumerate(table.column_names)
            if not name.startswith("__index_level_")
        ]
    )
    columns = table.column_names
    batches = table.to_batches(_BATCH_SIZE)
    return Table(
        "the frame",
        lambda: (row for row in chain([columns], _values(batches))),
        synthetic=is_synthetic(frame),
    )


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
    ConfigurationError
        The address is invalid.
    StoreError
        The database cannot be read.
    """
    try:
        import sqlalchemy
    except ImportError:
        raise MissingExtraError("sqlalchemy", purpose="An SQL database") from None
    try:
        url = sqlalchemy.make_url(address)
    except (sqlalchemy.exc.ArgumentError, ValueError):  # ValueError: of the port, and of [::1
        raise ConfigurationError(
            "The address of the database is not readable.",
            hint=Hint("It is DIALECT://USER:PASSWORD@HOST/DATABASE, as SQLAlchemy reads it."),
        ) from None
    location = f"{url.host or ''}/{url.database or ''}"
    # With an @ in the wrong place, part of a password may be taken for host or database.
    shown = f"{url.drivername}://{'…' if '@' in location else location}"

    file = url.database if url.get_backend_name() == "sqlite" and not url.host else None
    if file and not file.startswith((":", "file:")) and not Path(file).is_file():
        # SQLite would create it.
        raise StoreError(
            f"There is no database {Path(file).absolute()}.",
            hint=Hint("Three slashes precede a path from the working folder, four one from /."),
        )

    def read() -> Rows:
        # The text of a driver's error may repeat the address, so that it is not displayed.
        try:
            engine = sqlalchemy.create_engine(url)
        except (ImportError, sqlalchemy.exc.SQLAlchemyError) as error:
            raise StoreError(
                f"{shown} cannot be opened: the driver {url.drivername} is not usable "
                f"({type(error).__name__}). Install the package of the driver."
            ) from None
        except Exception as error:  # noqa: BLE001  # of whatever kind the driver's is
            raise StoreError(
                f"{shown} cannot be opened ({type(error).__name__}). Look at the options of its "
                "address."
            ) from None
        try:
            with engine.connect().execution_options(yield_per=_BATCH_SIZE) as connection:
                result = connection.execute(sqlalchemy.text(query))
                yield list(result.keys())
                yield from result
        except Exception as error:  # noqa: BLE001  # a driver may raise others than SQLAlchemy's
            raise StoreError(
                f"{shown} does not answer the query of the map ({type(error).__name__}). "
                "Try address and query with the database's own program."
            ) from None
        finally:
            engine.dispose()

    return Table(shown, read)
