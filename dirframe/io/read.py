"""Read tables into frames: those that `export` wrote, and those of other programs."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from dirframe import _tables
from dirframe._arrow import as_pandas, is_own, loader_series
from dirframe._files import unknown_suffix
from dirframe.client.dtypes import (
    convert_column,
    dtype_of,
    free_name,
    infer_kind,
    warn_unreadable,
)
from dirframe.errors import ExportWarning, InvalidInputError, warn
from dirframe.io.writers import FORMATS, beside
from dirframe.provenance import ATTRIBUTE, get_provenance, record_from, set_provenance
from dirframe.schema import EXTENSIONS, RESOURCES, Kind, Resource, detect_resource, resource_named

Record = dict[str, Any]
Texts = list[str | None]

_HINT = (
    "Save text as UTF-8, and restore a damaged file from a copy. Recorded XML is read by "
    "dirframe.read_pages (dirframe export FILE records.parquet)."
)
#: What is ambiguous in a table with semicolons: 51,507 can be a fraction, 1.000 a thousand.
_DOUBTFUL = {Kind.NUMBER: re.compile(","), Kind.INTEGER: re.compile(r",|\.\d{3}")}

#: Infinite numbers, such as a quotient of 0, as `export` writes them.
_INFINITE = {"inf", "-inf"}


def read_export(path: str | Path) -> pd.DataFrame:
    """Read a table: one that `export` wrote, with its provenance, or one of another program.

    Parameters
    ----------
    path : str or pathlib.Path
        A CSV, TSV, JSON, JSON lines or Parquet file.

    Returns
    -------
    pandas.DataFrame
        Of Parquet that `export` wrote, the frame as it was. Else the columns have the dtypes of the
        loaders, by their names: texts and identifiers are text (Namibia's code is ``NA``), numbers
        ``Int64`` or ``Float64``, times ``datetime64[us, UTC]``, lists lists. In other columns whole
        numbers, decimals, truth values, lists and ISO times are recognised, except in what was text;
        of accounts and projects from another program they are text. The provenance of a text file,
        and what was text, is in the file beside it, if that is there.

    Raises
    ------
    InvalidInputError
        If there is no such file, it holds no table, or it is damaged.

    Warns
    -----
    UnreadableValueWarning
        If a number or a time cannot be read: it is kept as text in a column ``NAME_unreadable``.
    ExportWarning
        If the file has other rows than `export` wrote.

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
    if file.is_dir() or not file.exists():
        raise InvalidInputError(f"There is no file {file}.")
    if file.suffix and file.suffix.lower() not in FORMATS:  # a named pipe has none
        hint = (
            "Unpack a study: its tables are in data/." if file.suffix.lower() == ".zip" else _HINT
        )
        raise InvalidInputError(unknown_suffix(file, FORMATS), hint=hint)
    record: Any = {}
    with suppress(OSError, ValueError):
        record = json.loads(beside(file).read_bytes())
    if not (isinstance(record, dict) and isinstance(record.get("columns", {}), dict)):
        record = {}  # a file of another program
    content = file if file.suffix.lower() == ".parquet" else file.read_bytes()
    frame = read_content(content, str(file), record)
    if (rows := record.get("rows", len(frame))) != len(frame):
        changed = f"holds {len(frame):,} rows, and {rows:,} were exported: it was changed since."
        warn(ExportWarning(f"{file} {changed}"))
    return frame


def read_content(content: bytes | Path, name: str, record: Record) -> pd.DataFrame:
    """Return the table in a Parquet file or in bytes of a name; see `read_export`."""
    try:
        if isinstance(content, Path) or content[:4] == b"PAR1":
            return _parquet(_tables.read_parquet(content))
        is_json = name.lower().endswith((".json", ".jsonl"))
        columns = _tables.read_json(content) if is_json else _tables.read_columns(content)
        dtypes: dict[str, str] = record.get("columns", {})
        # Without rows, JSON has no columns.
        columns = columns or {column: [] for column in dtypes}
        resource = described_by(columns, record_from(record.get("provenance")))
        if not is_json and _tables.separator_of(content) == ";":
            _refuse_decimal_commas(columns, resource)
        frame = _typed(columns, resource, dtypes)
    except InvalidInputError:
        raise
    except (ValueError, OSError, KeyError, NotImplementedError) as error:  # of Arrow and JSON too
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


def _parquet(table: pa.Table) -> pd.DataFrame:
    """Return a table as a frame; ids and fields of one of another program get their dtypes."""
    frame: pd.DataFrame = as_pandas(table)
    resource = described_by(frame, get_provenance(frame))
    if is_own(table):
        return frame
    dtypes = {name: "str" for name in frame if _tables.is_id(name)}
    dtypes |= {f.column: dtype_of(f.kind) for f in (resource.fields if resource else ())}
    others = [
        name for name, dtype in dtypes.items() if name in frame and frame[name].dtype != dtype
    ]
    texts = _tables.table_columns(table.select(others))
    frame = frame.assign(**_typed(texts, resource, {}))
    return set_provenance(frame, resource=resource.name) if resource else frame


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
            raise ValueError(
                f"it has semicolons between its columns and {doubtful[0]!r} in {field.column}, where "
                "a comma may begin a fraction: write a point there, and no sign between thousands"
            )


def _typed(
    columns: _tables.Columns, resource: Resource | None, dtypes: Mapping[str, str]
) -> pd.DataFrame:
    """Return columns of text with the dtypes of their fields; those of others are inferred.

    What was text when it was written stays text, and so does what is not known of a directory.
    """
    kinds = {field.column: field.kind for field in resource.fields} if resource else {}
    usual = "str" if resource in RESOURCES.values() else ""
    data: dict[str, pd.Series[Any]] = {}
    unreadable: dict[str, pd.Series[Any]] = {}
    for column, texts in columns.items():
        is_text = dtypes.get(column, usual) == "str"
        kind = kinds.get(column, Kind.TEXT if is_text else None)
        if kind is None:
            data[column] = _inferred(column, texts)
        elif kind is Kind.ITEMS:
            data[column] = _lists(texts, column)
        elif kind in {Kind.TEXT, Kind.IDENTIFIER, Kind.URL}:
            data[column] = _loaded(texts)
        else:
            data[column], kept = convert_column(texts, kind)
            if kept is not None:
                data[free_name(f"{column}_unreadable", columns)] = unreadable[column] = kept
    warn_unreadable(resource.collection if resource else "records", unreadable)
    return pd.DataFrame(data)


def _inferred(name: str, texts: Texts) -> pd.Series[Any]:
    words = {text for text in texts if text is not None}
    if words and {text.lower() for text in words} <= {"true", "false"}:
        return _loaded(texts, pa.bool_())
    if any(text[:1] == "[" for text in words):
        try:
            return _lists(texts, name)
        except ValueError:
            return _loaded(texts)
    kind = infer_kind(name, words - _INFINITE)
    if kind in {Kind.INTEGER, Kind.NUMBER} and words & _INFINITE:
        return _loaded(texts, pa.float64())
    return _loaded(texts) if kind is Kind.TEXT else convert_column(texts, kind)[0]


def _loaded(texts: Texts, kind: pa.DataType | None = None) -> pd.Series[Any]:
    return loader_series(pa.array(texts, pa.large_string()).cast(kind or pa.large_string()))


def _lists(texts: Texts, column: str) -> pd.Series[Any]:
    lists: list[Any] = []
    for number, text in enumerate(texts, start=1):
        try:
            value = json.loads(text) if text else None
        except ValueError as error:
            words = f"{column} of record {number} is not a list as JSON ({error})"
            raise ValueError(words) from None
        lists.append(value if value is None or isinstance(value, list) else [value])
    return pd.Series(lists, dtype="object")
