"""Read tables into frames: those that `export` wrote, and those of other programs."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from dirframe import _tables
from dirframe._arrow import as_pandas, is_own, loader_series
from dirframe._files import unknown_suffix
from dirframe.client.xml.columns import listed, typed_columns
from dirframe.errors import ExportWarning, InvalidInputError, warn
from dirframe.io.writers import FORMATS, beside, digest_of
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

_HINT = (
    "Save text as UTF-8, and restore a damaged file from a copy. Recorded XML is read by "
    "dirframe.read_pages (dirframe export FILE records.parquet)."
)
#: What is ambiguous in a table with semicolons: 51,507 can be a fraction, 1.000 a thousand.
_DOUBTFUL = {Kind.NUMBER: re.compile(","), Kind.INTEGER: re.compile(r",|\.\d{3}")}

#: What pandas adds to whole numbers in a column in which one is missing.
_FRACTION = re.compile(r"^(\d+)\.0$")
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
        ``Int64`` or ``Float64``, times ``datetime64[us, UTC]``, lists lists. Other columns are what
        they were, by the file beside a text file, which has its provenance too. Without that file
        whole numbers, decimals, truth values, lists and ISO times are recognised, except in accounts
        and projects, where what the schema does not know is text.

    Raises
    ------
    InvalidInputError
        If there is no such file, it holds no table, or it or the file beside it is damaged.

    Warns
    -----
    UnreadableValueWarning
        If a number or a time cannot be read: it is kept as text in a column ``NAME_unreadable``.
    ExportWarning
        If the text file is not as `export` wrote it.

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
    if file.suffix and file.suffix.lower() not in FORMATS:  # a named pipe has none
        hint = (
            "Unpack a study: its tables are in data/." if file.suffix.lower() == ".zip" else _HINT
        )
        raise InvalidInputError(unknown_suffix(file, FORMATS), hint=hint)
    if file.suffix.lower() == ".parquet":
        return read_content(file, str(file), {})
    record, content = _record_of(beside(file)), file.read_bytes()
    frame = read_content(content, str(file), record)
    rows = record.get("rows", len(frame))
    if rows != len(frame):
        changed = f"holds {len(frame):,} rows, and {rows:,} were exported: it was changed since."
        warn(ExportWarning(f"{file} {changed}"))
    elif record and record["sha256"] != sha256(content).hexdigest():
        warn(ExportWarning(f"{file} is not as it was exported: it was changed since."))
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
    if record.get("digest") != digest_of(record):
        raise _damaged(file)
    return record


def _damaged(file: Path) -> InvalidInputError:
    return InvalidInputError(
        f"{file}, which has the provenance of the table beside it, is not as it was exported: it is "
        "damaged, or was changed.",
        hint="Restore it from a copy, or remove it to read the table without its provenance.",
    )


def read_content(content: bytes | Path, name: str, record: Record) -> pd.DataFrame:
    """Return the table in a Parquet file or in bytes of a name; see `read_table`."""
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
        frame = _typed(columns if record else _with_whole_ids(columns), resource, dtypes)
    except InvalidInputError:
        raise
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


def _parquet(table: pa.Table) -> pd.DataFrame:
    """Return a table as a frame; ids and fields of one of another program get their dtypes."""
    frame: pd.DataFrame = as_pandas(table)
    resource = described_by(frame, get_provenance(frame))
    if is_own(table):
        return frame
    dtypes = {name: "str" for name in table.column_names if _tables.is_id(name)}
    dtypes |= {n: field.kind.dtype for n, field in (resource.by_column if resource else {}).items()}
    others = [n for n, dtype in dtypes.items() if n in frame and frame[n].dtype != dtype]
    texts = _with_whole_ids(_tables.table_columns(table.select(others)))
    frame = frame.assign(**_typed(texts, resource, {}))
    return set_provenance(frame, resource=resource.name) if resource else frame


def _with_whole_ids(columns: _tables.Columns) -> _tables.Columns:
    """Return columns with 7 for 7.0 in ids: pandas makes fractions of them where one is missing."""
    return {
        name: [text and _FRACTION.sub(r"\1", text) for text in texts]
        if _tables.is_id(name)
        else texts
        for name, texts in columns.items()
    }


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
    """Return columns of text with the dtypes of their fields, or else those that they had.

    Those of others are inferred; what is not known of a directory is text.
    """
    fields = dict(resource.by_column) if resource else {}
    usual = "str" if resource in RESOURCES.values() else ""
    cells: dict[str, list[Any]] = dict(columns)
    others: dict[str, pd.Series[Any]] = {}
    for name, texts in columns.items():
        dtype = dtypes.get(name, usual).lower()
        if name not in fields and dtype in _CASTS:
            with suppress(pa.ArrowInvalid):  # it was changed since
                others[name] = _cast(texts, _CASTS[dtype])
                continue
        is_list = name in fields and fields[name].kind is Kind.ITEMS
        words = {text for text in texts if name not in fields and text is not None}
        if words and {text.lower() for text in words} <= {"true", "false"}:
            others[name] = _cast(texts, pa.bool_())
        elif is_list or any(text[:1] == "[" for text in words):
            with nullcontext() if is_list else suppress(ValueError):
                cells[name] = _lists(texts, name)
    # As of records that no specification describes: other columns are inferred.
    described = replace(resource or UNKNOWN, name=UNKNOWN.name, fields=tuple(fields.values()))
    return pd.DataFrame(typed_columns(cells, described) | others)


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
