"""Read tables into frames: those that `export` wrote, and those of other programs."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from dirframe import _tables
from dirframe._arrow import as_pandas, is_own, loader_series
from dirframe._display import quantity
from dirframe._files import unknown_suffix
from dirframe.client.xml.columns import listed, typed_columns
from dirframe.errors import ExportWarning, InvalidInputError, warn
from dirframe.io.formats import OF_ONE_TABLE
from dirframe.io.writers import digest_of, record_file
from dirframe.provenance import ATTRIBUTE, get_provenance, record_from, set_provenance
from dirframe.schema import (
    EXTENSIONS,
    RESOURCES,
    UNKNOWN,
    Kind,
    Resource,
    detect_resource,
    resource_named,
)

Record = dict[str, Any]

#: Rows that a message names.
_EXAMPLES = 3

_HINT = (
    "Save text as UTF-8, and restore a damaged file from a copy. Recorded XML is read by "
    "dirframe.read_pages (dirframe export FILE records.parquet)."
)
#: What is ambiguous in a table with semicolons: 51,507 can be a fraction, 1.000 a thousand.
_DOUBTFUL = {Kind.NUMBER: re.compile(","), Kind.INTEGER: re.compile(r",|\.\d{3}")}
#: Kinds whose values are no texts.
_NUMERIC = {Kind.INTEGER, Kind.NUMBER, Kind.TIMESTAMP}

#: What texts become that had a dtype when they were written.
_CASTS = {
    "str": pa.large_string(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "boolean": pa.bool_(),
    "datetime64[us, utc]": pa.timestamp("us", "UTC"),
}


def read_table(path: str | Path) -> pd.DataFrame:
    r"""Read a table: one that `export` wrote, with its provenance, or one of another program.

    Parameters
    ----------
    path : str or pathlib.Path
        A CSV, TSV, JSON, JSON lines or Parquet file.

    Returns
    -------
    pandas.DataFrame
        From Parquet that `export` wrote, the frame as it was. Otherwise the columns have the dtypes
        of the loaders, by their names: texts and identifiers are text (Namibia's code is ``NA``),
        numbers ``Int64`` or ``Float64``, times ``datetime64[us, UTC]``, lists lists. The file
        beside a text file has the types of all other columns, and the provenance. Without it, whole
        numbers, decimals, truth values, lists and ISO times are recognised, except in accounts and
        projects, where a column that the schema does not know is text.

        In files of other programs, the line ``sep=;`` of Excel, blanks around names, and the first
        column in which pandas and R number the rows are left out. ``NA`` without quotation marks is
        missing if all other texts have them, as R writes them; in numbers, times and truth values
        ``NA``, ``NULL``, ``\N``, ``#N/A`` and the like are missing too. In columns of text they are
        texts.

    Raises
    ------
    InvalidInputError
        If there is no such file, it holds no table, or it or the file beside it is damaged; if
        ids are fractions or have an exponent, so that their digits are lost; if a file that `export`
        did not write has more than 10,000 columns, or is Parquet that repeats values so often that
        it would fill the memory: more than 5,000,000 values and 200 for each byte, or more than
        256 MiB and 200 bytes for each.

    Warns
    -----
    UnreadableValueWarning
        If a number or a time cannot be read: it is kept as text in a column ``NAME_unreadable``.
    ExportWarning
        If the text file was changed after `export` wrote it, a column of row numbers is left out,
        texts such as ``NULL`` may stand for missing values, or the header looks like a record: it
        begins with a number, a date, a time, a truth value or ``NA``, or holds an address. pandas
        writes a header unless ``header=False``; to a table without one, add it, or its first record
        is lost.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> import pandas as pd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = dirframe.export(pd.DataFrame({"id": ["01", "NA"]}), f"{folder}/p.csv")
    ...     dirframe.read_table(file)["id"].tolist()
    ['01', 'NA']
    """
    file = Path(path)
    if file.is_dir() or not file.exists():
        raise InvalidInputError(f"There is no file {file}.")
    if file.suffix and file.suffix.lower() not in OF_ONE_TABLE:  # a named pipe has none
        hint = (
            "Unpack a study: its tables are in data/." if file.suffix.lower() == ".zip" else _HINT
        )
        raise InvalidInputError(unknown_suffix(file, OF_ONE_TABLE), hint=hint)
    if file.suffix.lower() == ".parquet":
        return read_content(file, str(file), {})
    record, content = _record_of(record_file(file)), file.read_bytes()
    frame = read_content(content, str(file), record)
    rows = record.get("rows", len(frame))
    if rows != len(frame):
        changed = (
            f"holds {quantity(len(frame), 'row')}; the export wrote {rows:,}, so it was changed."
        )
        warn(ExportWarning(f"{file} {changed}"))
    elif record and record["sha256"] != sha256(content).hexdigest():
        warn(ExportWarning(f"{file} was changed since its export."))
    return frame


def _record_of(file: Path) -> Record:
    """Return the record beside a table; none if there is no file, or one of another program."""
    try:
        record: Any = json.loads(file.read_bytes())
    except FileNotFoundError:
        return {}
    except _tables.DAMAGES as error:
        raise _damaged(file) from error
    if not (isinstance(record, dict) and record.keys() & {"provenance", "sha256", "digest"}):
        return {}
    if record.get("digest") != digest_of(record) or not _has_types_of_record(record):
        raise _damaged(file)
    return record


def _has_types_of_record(record: Record) -> bool:
    """Return whether the facts that are read from a record are of the types that were written."""
    columns = record.get("columns")
    return (
        isinstance(record.get("rows"), int)
        and isinstance(record.get("sha256"), str)
        and isinstance(record.get("provenance"), dict | None)
        and isinstance(columns, dict)
        and all(isinstance(dtype, str) for dtype in columns.values())
    )


def _damaged(file: Path) -> InvalidInputError:
    return InvalidInputError(
        f"{file}, which holds the provenance of the table, is damaged or was changed since its export.",
        hint="Restore it from a copy, or remove it to read the table without its provenance.",
    )


def read_content(content: bytes | Path, name: str, record: Record) -> pd.DataFrame:
    """Return the table in a Parquet file or in bytes of a name; see `read_table`."""
    try:
        if isinstance(content, Path) or content.startswith(_tables.PARQUET):
            return _parquet(_tables.read_parquet(content), name)
        is_json = name.lower().endswith((".json", ".jsonl"))
        read = _tables.read_json if is_json else _tables.read_columns
        table = read(content, is_own=bool(record))
        dtypes: dict[str, str] = record.get("columns", {})
        # Without rows, JSON has no columns.
        columns = table.columns or {column: [] for column in dtypes}
        resource = described_by(columns, record_from(record.get("provenance")))
        if table.separator == ";":
            _refuse_decimal_commas(columns, resource)
        notes = list(table.notes)
        if record and resource:
            # A frame whose ids had become numbers, such as in a join, was exported.
            numbers = [name for name in resource.by_column if dtypes.get(name) == "float64"]
            columns = columns | _with_whole_ids({n: columns[n] for n in numbers if n in columns})
        if not record:
            columns = _with_whole_ids(columns)
            columns, texts = _without_markers(columns, resource)
            notes += texts
        frame = _typed(columns, resource, dtypes)
        for note in notes:
            warn(ExportWarning(f"{name}: {note}"))
    except InvalidInputError:
        raise
    except _tables.UnsuitableTableError as error:
        raise InvalidInputError(f"{name} cannot be read as a table: {error}.") from None
    except _tables.DAMAGES as error:
        raise InvalidInputError(
            f"{name} holds no table of records as CSV, TSV, JSON, JSON lines or Parquet: "
            f"{str(error).splitlines()[0].rstrip('.')}.",
            hint=_HINT,
        ) from None
    if record.get("provenance"):
        frame.attrs[ATTRIBUTE] = record["provenance"]
    elif resource is not None and not record:
        set_provenance(frame, resource=resource.name)
    return frame


def _parquet(table: pa.Table, name: str) -> pd.DataFrame:
    """Return a table as a frame; ids and fields of one of another program get their dtypes."""
    frame: pd.DataFrame = as_pandas(table)
    resource = described_by(frame, get_provenance(frame))
    if is_own(table):
        return frame
    dtypes = {name: "str" for name in table.column_names if _tables.is_id(name)}
    if resource:
        dtypes |= {name: field.kind.dtype for name, field in resource.by_column.items()}
    others = [
        name for name, dtype in dtypes.items() if name in frame and frame[name].dtype != dtype
    ]
    texts = _with_whole_ids(_tables.table_columns(table.select(others)))
    texts, notes = _without_markers(texts, resource)
    for note in notes:
        warn(ExportWarning(f"{name}: {note}"))
    frame = frame.assign(**_typed(texts, resource, {}))
    return set_provenance(frame, resource=resource.name) if resource else frame


def _with_whole_ids(columns: _tables.Columns) -> _tables.Columns:
    """Return columns with 7 for 7.0 in ids; raise by column and row if digits of an id are lost."""
    return {
        name: _whole_ids(name, texts) if _tables.is_id(name) else texts
        for name, texts in columns.items()
    }


def _whole_ids(column: str, texts: Sequence[str | None]) -> list[str | None]:
    ids: list[str | None] = []
    unusable: list[str] = []
    reason = ""
    for row, text in enumerate(texts, start=1):
        try:
            ids.append(text and _tables.whole_id(text))
        except ValueError as error:
            reason = str(error)
            unusable.append(f"row {row:,} ({text!r})")
    if unusable:
        examples = ", ".join(unusable[:_EXAMPLES])
        more = len(unusable) - _EXAMPLES
        if more > 0:
            examples += f" and {more:,} more"
        raise _tables.UnsuitableTableError(f"column {column}, {examples}: {reason}")
    return ids


def _without_markers(
    columns: _tables.Columns, resource: Resource | None
) -> tuple[_tables.Columns, list[str]]:
    """Return columns without what other programs write for a missing number, time or truth.

    In a column of texts it may be a text: it stays, and a note counts those that hardly are.
    """
    bare = dict(columns)
    notes = []
    for name, texts in columns.items():
        if _tables.MISSING.isdisjoint(texts):
            continue
        values = [None if text in _tables.MISSING else text for text in texts]
        if _is_numeric(name, values, resource):
            bare[name] = values
            continue
        found = [text for text in texts if text in _tables.MISSING_TEXTS]
        if found:
            forms = " and ".join(sorted(set(found)))
            notes.append(
                f"{quantity(len(found), 'text')} in {name} {'is' if len(found) == 1 else 'are'} "
                f"{forms}, which may stand for a missing value: kept as text."
            )
    return bare, notes


def _is_numeric(name: str, texts: Sequence[str | None], resource: Resource | None) -> bool:
    """Return whether a column is of numbers, times or truths: by the schema, or else by its values."""
    fields = resource.by_column if resource else {}
    if name in fields:
        return fields[name].kind in _NUMERIC
    present: list[str | None] = [text for text in texts if text is not None]
    if not present or resource in RESOURCES.values():
        return False
    column = _typed({name: present}, None, {})[name]
    return not isinstance(column.dtype, pd.StringDtype)


def described_by(columns: Collection[Any], provenance: Record) -> Resource | None:
    """Return the resource whose fields the columns are; None if they are those of no record."""
    if provenance["statistic"] or provenance["counted"]:
        return None  # a column of a statistic is not the field of its name
    name = provenance["resource"]
    resource = resource_named(name) if name else detect_resource(columns)
    is_record = resource is not None and ("id" in columns or resource.name in EXTENSIONS)
    return resource if is_record else None


def _refuse_decimal_commas(columns: _tables.Columns, resource: Resource | None) -> None:
    for field in resource.fields if resource else ():
        pattern, texts = _DOUBTFUL.get(field.kind), columns.get(field.column, [])
        if doubtful := [text for text in texts if pattern and text and pattern.search(text)]:
            raise _tables.UnsuitableTableError(
                f"its columns are separated by semicolons, so the comma of {doubtful[0]!r} in "
                f"{field.column} may begin a fraction. Write fractions with a point, and thousands "
                "without a separator"
            )


def _typed(
    columns: _tables.Columns, resource: Resource | None, dtypes: Mapping[str, str]
) -> pd.DataFrame:
    """Return columns of text with the dtypes of their fields, or else those that they had.

    Those of others are inferred; what is not known of a directory is text.
    """
    fields = dict(resource.by_column) if resource else {}
    usual = "str" if resource in RESOURCES.values() else ""
    cells: dict[str, list[Any]] = dict(columns)
    others: dict[str, pd.Series[Any]] = {}
    for name, texts in columns.items():
        if name in fields:
            if fields[name].kind is Kind.ITEMS:
                cells[name] = _lists(texts, name)
            continue
        dtype = dtypes.get(name, usual).lower()
        if dtype in _CASTS:
            with suppress(pa.ArrowInvalid):  # it was changed since
                others[name] = _cast(texts, _CASTS[dtype])
                continue
        words = {text for text in texts if text is not None}
        if words and {text.lower() for text in words} <= {"true", "false"}:
            others[name] = _cast(texts, pa.bool_())
        elif any(text.startswith("[") for text in words):
            with suppress(ValueError):  # texts in brackets
                cells[name] = _lists(texts, name)
    collection = (resource or UNKNOWN).collection
    typed = typed_columns(cells, tuple(fields.values()), collection=collection, infers=True)
    return pd.DataFrame(typed | others)


def _cast(texts: Sequence[str | None], kind: pa.DataType) -> pd.Series[Any]:
    return loader_series(pa.array(texts, pa.large_string()).cast(kind))


def _lists(texts: Sequence[str | None], column: str) -> list[Any]:
    lists: list[Any] = []
    for number, text in enumerate(texts, start=1):
        try:
            value = json.loads(text) if text else None
        except ValueError as error:
            words = f"{column} of record {number} is not a list as JSON ({error})"
            raise ValueError(words) from None
        lists.append(None if value is None else listed(value))
    return lists
