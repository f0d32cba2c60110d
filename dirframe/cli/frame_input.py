"""Read the input of a command from a file or standard input.

Files written by `dirframe.export` are read with their provenance. Other CSV, TSV, JSON lines,
JSON and Parquet files are detected by content. Their columns get the dtypes of the loaders by
column name, and a note states that their source is not known.
"""

from __future__ import annotations

import io
import json
import re
import sys
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
import pandas as pd

from dirframe._arrow import as_pandas, loader_series
from dirframe._tables import separator_of
from dirframe.cli.frame_output import echo_note
from dirframe.client.dtypes import convert_column
from dirframe.errors import Hint, InvalidInputError
from dirframe.io._integrity.native_check import check
from dirframe.io.csv import column_names, parse_csv
from dirframe.io.formats import KINDS
from dirframe.io.metadata import METADATA_KEY
from dirframe.io.read import read_export
from dirframe.io.sidecar import sidecar_path
from dirframe.provenance import get_provenance, set_provenance
from dirframe.schema import ACCOUNT, PROJECT, Kind
from dirframe.schema.extensions import EXTENSIONS, detect_resource

if TYPE_CHECKING:
    from dirframe.archive.archive import Archive
    from dirframe.schema import Resource

STDIN = "-"

_READ_XML = Hint("Recorded XML is read by dirframe read FILE -o records.parquet.")
_UTF_8 = Hint("Save the table as UTF-8.")
#: Suffixes of tables that archives may have too: they are SQLite files.
_OF_ARCHIVES = {".db", ".sqlite"}
#: Suffixes of the tables that are read.
_SUFFIXES = [suffix for suffix, kind in KINDS.items() if kind.read]
#: The zeros of an identifier, which a number would lose.
_LEADING_ZERO = re.compile(r"[-+]?0\d")


def read_table(file: str, *, about_source: bool = True, is_edited: bool = False) -> pd.DataFrame:
    """Read a file of records or an archive; ``-`` is standard input.

    Parameters
    ----------
    file : str
        Path of the file.
    about_source : bool, default True
        Whether to write a note if the file has no provenance.
    is_edited : bool, default False
        Whether the file is meant to be edited: the record beside it does not count, which says
        how many rows and which columns were exported.

    Returns
    -------
    pandas.DataFrame
        The records, with the dtypes of the loaders.

    Raises
    ------
    InvalidInputError
        If the file does not exist or holds no table.
    ArchiveError
        If it is an archive, and damaged.
    """
    archive = archive_of(file)
    if archive is not None:
        return archive.frame()
    name = "Standard input" if file == STDIN else file
    content = _content(file)
    if not content.strip():
        raise InvalidInputError(f"{name} is empty: a table has at least a line of columns.")
    try:
        frame = _read_exported(file, content, is_edited=is_edited)
        if frame is None and content[:4] == b"PAR1":
            frame = _read_parquet(content)
        elif frame is None:
            frame = apply_schema(_read_text(content, name))
    except InvalidInputError:
        raise
    except ValueError as error:  # base of the errors of pandas, pyarrow, json and UTF-8
        raise InvalidInputError(
            f"{name} holds no table of records as CSV, TSV, JSON, JSON lines or Parquet: "
            f"{str(error).splitlines()[0]}",
            hint=_UTF_8 if isinstance(error, UnicodeDecodeError) else None,
        ) from None
    if about_source and not get_provenance(frame)["source"]:
        echo_note(
            f"{Path(name).name} does not say where its records are from; Parquet does "
            "(-o FILE.parquet, or --format parquet between commands)."
        )
    return frame


def holds_table(file: str) -> bool:
    """Return whether a file has the suffix of a table that `read_table` reads."""
    return Path(file).suffix.lower() in _SUFFIXES and not Path(file).is_dir()


def archive_of(file: str) -> Archive | None:
    """Open an archive; None if the file is none."""
    path = Path(file)
    if file == STDIN or path.suffix.lower() in {*_SUFFIXES} - _OF_ARCHIVES:
        return None
    from dirframe.archive.archive import open_archive
    from dirframe.archive.store import Store

    return open_archive(path) if Store.is_archive(path) else None


def _content(file: str) -> bytes:
    if file == STDIN:
        if sys.stdin.isatty():
            raise click.UsageError("Standard input is a terminal: pipe a table into the command.")
        return sys.stdin.buffer.read()
    path = Path(file)
    if path.is_dir():
        raise InvalidInputError(f"{file} is a folder; name a file of records.", hint=_READ_XML)
    if not path.exists():
        raise InvalidInputError(f"There is no file {file}.")
    if path.suffix and path.suffix.lower() not in _SUFFIXES:  # a named pipe has none
        advice = _READ_XML if ".xml" in map(str.lower, path.suffixes) else None
        raise InvalidInputError(
            f"{file} has the suffix {path.suffix!r}; records are read from {', '.join(_SUFFIXES)}, "
            "and from archives.",
            hint=advice,
        )
    return path.read_bytes()


def _read_exported(file: str, content: bytes, *, is_edited: bool = False) -> pd.DataFrame | None:
    """Read a file written by `dirframe.export`; None if it is another file."""
    if file == STDIN:
        if content[:4] != b"PAR1":
            return None
        with TemporaryDirectory() as folder:
            piped = Path(folder) / "piped.parquet"
            piped.write_bytes(content)
            return _read_exported(str(piped), content)
    path = Path(file)
    kind = KINDS.get(path.suffix.lower())
    if kind is None or kind.read is None:
        return None
    if kind.sidecar and (is_edited or not sidecar_path(path).is_file()):
        return None
    is_foreign = path.suffix.lower() == ".parquet" and METADATA_KEY.encode() not in content
    # Parquet files of other programs are accepted if they pass the check of the native library.
    if is_foreign and content[:4] == b"PAR1" and check(path, kind) is None:
        return None
    return read_export(path)


def _read_parquet(content: bytes) -> pd.DataFrame:
    from pyarrow import parquet

    table = parquet.read_table(io.BytesIO(content))
    # Of an index of pandas, one with a name is a column.
    names = [name for name in table.column_names if not name.startswith("__index_level_")]
    frame: pd.DataFrame = as_pandas(table.select(names))
    return frame


def _read_text(content: bytes, name: str) -> pd.DataFrame:
    """Read all values as text; those of JSON as numbers and lists too."""
    text = content.decode("utf-8-sig")
    begin = text.lstrip()[:1]
    if begin == "[":
        return pd.DataFrame(_check_records(json.loads(text), name), dtype="object")
    if begin == "{":
        # Not splitlines(): a text in JSON may hold other line separators.
        lines = [
            _parse_json(line, f"line {number}")
            for number, line in enumerate(text.split("\n"), start=1)
            if line.strip()
        ]
        return pd.DataFrame(_check_records(lines, name), dtype="object")
    header = text.partition("\n")[0]
    separator = separator_of(header)
    names = column_names(content, separator)
    if "<" in header or (len(names) == 1 and "\0" in text):
        raise InvalidInputError(f"{name} holds no table of records.", hint=_READ_XML)
    if repeated := sorted({column for column in names if names.count(column) > 1}):
        raise InvalidInputError(f"{name} has several columns of one name: {', '.join(repeated)}.")
    # Of a single column, a blank line is a missing value.
    columns = parse_csv(content, len(names), separator, blank_lines=len(names) == 1)
    frame = pd.DataFrame(
        {
            column: pd.Series([value or None for value in values], dtype="str")
            for column, values in zip(names, columns, strict=True)
        }
    )
    if separator == ";":
        _refuse_decimal_commas(frame, name)
    return frame


def _refuse_decimal_commas(frame: pd.DataFrame, name: str) -> None:
    """Refuse numbers that a table with semicolons as a rule writes as 51,507 and 1.000."""
    resource = detect_resource(frame.columns)
    signs = {Kind.NUMBER: ",", Kind.INTEGER: r",|\.\d{3}"}
    for column in frame.columns:
        field = resource.by_column.get(str(column)) if resource else None
        if field is None or field.kind not in signs:
            continue
        values = frame[column].dropna()
        if (doubtful := values[values.str.contains(signs[field.kind])]).size:
            raise InvalidInputError(
                f"{name} has semicolons between its columns and {doubtful.iloc[0]!r} in {column}, "
                "where a comma may begin a fraction.",
                hint=Hint("Write numbers with a point before the fraction, without thousands."),
            )


def _parse_json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name}: {error.msg}") from None


def _check_records(content: Any, name: str) -> list[dict[str, Any]]:
    if not all(isinstance(record, dict) for record in content):
        raise InvalidInputError(
            f"{name} holds no table: JSON is read as a list of records, each an object."
        )
    records: list[dict[str, Any]] = content
    return records


def apply_schema(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert columns to the dtypes of their fields; infer those of other columns."""
    resource = detect_resource(frame.columns)
    if resource is None and "id" in frame:  # few columns, which accounts and projects have alike
        common = _common_columns(frame)
        inferred = _infer_numbers(frame.drop(columns=common))
        for name in common:
            frame = _convert_field(frame, name, ACCOUNT)
        return frame.assign(**{str(name): inferred[name] for name in inferred})
    if resource is None or ("id" not in frame and resource.name not in EXTENSIONS):
        return _infer_numbers(frame)
    for name in list(frame.columns):
        frame = _convert_field(frame, str(name), resource)
    return set_provenance(frame, resource=resource.name)


def _common_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns that are the same field of accounts and of projects."""
    accounts, projects = ACCOUNT.by_column, PROJECT.by_column
    common = [name for name in map(str, frame) if name in accounts and name in projects]
    return [name for name in common if accounts[name].kind is projects[name].kind]


def _convert_field(frame: pd.DataFrame, name: str, resource: Resource) -> pd.DataFrame:
    field = resource.by_column.get(name)
    kind = field.kind if field else Kind.TEXT
    column = frame[name]
    if kind is Kind.ITEMS:
        lists = [
            None if _is_missing(value) else _parse_list(value, f"{name} of record {number}")
            for number, value in enumerate(column, start=1)
        ]
        return frame.assign(**{name: pd.Series(lists, frame.index, dtype="object")})
    texts = [None if _is_missing(value) else _as_text(value) for value in column]
    array, unreadable = convert_column(texts, kind)
    frame = frame.assign(**{name: loader_series(array)})
    if unreadable is not None:
        kept = f"{name}_unreadable"
        count = len(unreadable) - unreadable.null_count
        frame[kept] = pd.Series(loader_series(unreadable), index=frame.index)
        click.echo(f"dirframe: {count:,} values of {name} are kept as text in {kept}.", err=True)
    return frame


def _is_missing(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, float) and isnan(value))


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _parse_list(value: object, name: str) -> object:
    content = (
        _parse_json(value, f"{name} is not a list as JSON") if isinstance(value, str) else value
    )
    return content if isinstance(content, list) else [content]


def _infer_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    def numbers(column: pd.Series[Any]) -> pd.Series[Any]:
        present = column.dropna()
        if any(isinstance(value, str) and _LEADING_ZERO.match(value) for value in present):
            return column
        try:
            converted = pd.to_numeric(present)
        except (TypeError, ValueError):
            return column
        if len(present) < len(column) and converted.dtype == "int64":
            converted = converted.astype("Int64")  # floating-point numbers would lose digits
        return converted.reindex(column.index) if len(present) else column

    return frame.apply(numbers) if len(frame) else frame
