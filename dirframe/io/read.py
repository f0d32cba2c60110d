"""Read tables into frames: those that `export` wrote, and those of other programs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from dirframe import _tables
from dirframe._arrow import as_pandas, loader_series
from dirframe.client.dtypes import convert_column, infer_kind
from dirframe.errors import ExportWarning, InvalidInputError, UnreadableValueWarning, warn
from dirframe.io.writers import DIGEST, TEXTS, beside, schema_digest
from dirframe.provenance import ATTRIBUTE, record_from, set_provenance
from dirframe.schema import (
    ACCOUNT,
    EXTENSIONS,
    PROJECT,
    Field,
    Kind,
    detect_resource,
    resource_named,
)

if TYPE_CHECKING:
    from dirframe.schema import Resource

#: Suffixes of the tables that are read.
SUFFIXES = (*TEXTS, ".parquet")

_READ_XML = "Recorded XML is read by dirframe.read_pages (dirframe read FILE -o records.parquet)."
_UTF_8 = "Save the table as UTF-8."
#: What a table with semicolons as a rule writes otherwise: 51,507 and 1.000.
_DOUBTFUL = {Kind.NUMBER: re.compile(","), Kind.INTEGER: re.compile(r",|\.\d{3}")}


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
        ``Int64`` or ``Float64``, times ``datetime64[us, UTC]``, lists lists. Of other columns whole
        numbers, decimals and ISO times are recognised. The provenance of a text file is that beside
        it (``NAME.csv.provenance.json``), if it is there.

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
    if file.is_dir():
        raise InvalidInputError(f"{file} is a folder; name a file of records.", hint=_READ_XML)
    if not file.exists():
        raise InvalidInputError(f"There is no file {file}.")
    if file.suffix and file.suffix.lower() not in SUFFIXES:  # a named pipe has none
        raise InvalidInputError(
            f"{file} has the suffix {file.suffix!r}; tables are read from {', '.join(SUFFIXES)}.",
            hint=_READ_XML if ".xml" in map(str.lower, file.suffixes) else None,
        )
    record = _record_beside(file)
    is_parquet = file.suffix.lower() == ".parquet"
    content: bytes | Path = file if is_parquet else file.read_bytes()
    frame = read_content(content, str(file), record)
    if (rows := record.get("rows", len(frame))) != len(frame):
        warn(
            ExportWarning(
                f"{file} holds {len(frame):,} rows, and {rows:,} were exported: it was changed since."
            )
        )
    return frame


def read_content(content: bytes | Path, name: str, record: dict[str, Any]) -> pd.DataFrame:
    """Return the table in a Parquet file or in bytes of a name; see `read_export`."""
    try:
        if isinstance(content, Path) or content[:4] == b"PAR1":
            return _read_parquet(content)
        columns = _columns(content, name, record)
    except InvalidInputError:
        raise
    except (ValueError, OSError, KeyError) as error:  # of Arrow, JSON and UTF-8
        raise InvalidInputError(
            f"{name} holds no table of records as CSV, TSV, JSON, JSON lines or Parquet: "
            f"{str(error).splitlines()[0].rstrip('.')}.",
            hint=_hint(content, error),
        ) from None
    if content[:1] not in {b"[", b"{"} and _tables.separator_of(content) == ";":
        _refuse_decimal_commas(columns, name)
    return _typed(columns, name, record)


def _read_parquet(content: bytes | Path) -> pd.DataFrame:
    table = _tables.read_parquet(content)
    digest = (table.schema.metadata or {}).get(DIGEST)
    if digest is not None and digest != schema_digest(table.schema):
        raise ValueError("the digest of its columns and metadata does not fit: it is damaged")
    frame: pd.DataFrame = as_pandas(_tables.without_index(table))
    return frame


def _record_beside(file: Path) -> dict[str, Any]:
    """Return what `export` wrote beside a text file; empty if there is nothing."""
    try:
        record = json.loads(beside(file).read_bytes())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _columns(content: bytes, name: str, record: dict[str, Any]) -> _tables.Columns:
    if not name.lower().endswith((".json", ".jsonl")):
        return _tables.read_columns(content)
    # Without rows, JSON has no columns.
    return _tables.read_json(content) or {column: [] for column in record.get("columns", ())}


def _typed(columns: _tables.Columns, name: str, record: dict[str, Any]) -> pd.DataFrame:
    """Return columns of text with the dtypes of their fields; those of others are inferred."""
    known = record_from(record.get("provenance"))
    resource = resource_named(known["resource"]) if known["resource"] else detect_resource(columns)
    is_record = resource is not None and ("id" in columns or resource.name in EXTENSIONS)
    if (
        known["statistic"] or known["counted"]
    ):  # a column of a statistic is not the field of its name
        resource, is_record = None, False
    fields = _fields(columns, resource if is_record else None)
    data: dict[str, pd.Series[Any]] = {}
    unreadable: dict[str, pd.Series[Any]] = {}
    for column, texts in columns.items():
        field = fields.get(column)
        if field is None and is_record and resource and resource.name not in EXTENSIONS:
            data[column] = _text(texts)
        elif field is None:
            data[column] = _inferred(column, texts)
        elif field.kind is Kind.ITEMS:
            data[column] = _lists(texts, column, name)
        else:
            data[column] = _converted(column, texts, field.kind, unreadable)
    frame = pd.DataFrame(data | unreadable)
    if record.get("provenance"):
        frame.attrs[ATTRIBUTE] = record["provenance"]
    elif resource is not None and is_record and not record:
        set_provenance(frame, resource=resource.name)
    return frame


def _fields(columns: _tables.Columns, resource: Resource | None) -> dict[str, Field]:
    """Return the fields of the columns by name; without a resource those that all records share."""
    if resource is not None:
        return resource.by_column
    if "id" not in columns:
        return {}
    accounts, projects = ACCOUNT.by_column, PROJECT.by_column
    common = [name for name in columns if name in accounts and name in projects]
    return {name: accounts[name] for name in common if accounts[name].kind is projects[name].kind}


def _converted(
    name: str, texts: list[str | None], kind: Kind, unreadable: dict[str, pd.Series[Any]]
) -> pd.Series[Any]:
    """Return a column with the dtype of its kind, and put aside what cannot be read."""
    if kind in {Kind.TEXT, Kind.IDENTIFIER, Kind.URL}:
        return _text(texts)
    column, others = convert_column(texts, kind)
    if others is not None:
        kept = f"{name}_unreadable"
        count = others.count()
        warn(UnreadableValueWarning(f"{count:,} values of {name} are kept as text in {kept}."))
        unreadable[kept] = others
    return column


def _inferred(name: str, texts: list[str | None]) -> pd.Series[Any]:
    words = {text for text in texts if text is not None}
    if words and {text.lower() for text in words} <= {"true", "false"}:
        values = [None if text is None else text.lower() == "true" for text in texts]
        return pd.Series(values, dtype="boolean")
    if any(text[:1] == "[" for text in words):
        try:
            return pd.Series(map(_parsed, texts), dtype="object")
        except ValueError:
            return _text(texts)
    kind = infer_kind(name, words)
    return _text(texts) if kind is Kind.TEXT else convert_column(texts, kind)[0]


def _text(texts: list[str | None]) -> pd.Series[Any]:
    return loader_series(pa.array(texts, pa.large_string()))


def _lists(texts: list[str | None], column: str, name: str) -> pd.Series[Any]:
    lists: list[Any] = []
    for number, text in enumerate(texts, start=1):
        try:
            value = _parsed(text or None)
        except ValueError as error:
            raise InvalidInputError(
                f"{name} holds no table of records: {column} of record {number} is not a list as "
                f"JSON ({error})."
            ) from None
        lists.append(value if value is None or isinstance(value, list) else [value])
    return pd.Series(lists, dtype="object")


def _parsed(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _refuse_decimal_commas(columns: _tables.Columns, name: str) -> None:
    resource = detect_resource(columns)
    for column, texts in columns.items():
        field = resource.by_column.get(column) if resource else None
        pattern = _DOUBTFUL.get(field.kind) if field else None
        doubtful = pattern and next((text for text in texts if text and pattern.search(text)), None)
        if doubtful:
            raise InvalidInputError(
                f"{name} has semicolons between its columns and {doubtful!r} in {column}, where a "
                "comma may begin a fraction.",
                hint="Write numbers with a point before the fraction, without thousands.",
            )


def _hint(content: bytes | Path, error: Exception) -> str | None:
    if isinstance(content, Path) or content[:4] == b"PAR1":
        return "Restore the file from a copy, or export the frame again."
    if isinstance(error, UnicodeDecodeError):
        return _UTF_8
    return _READ_XML if content.lstrip()[:1] == b"<" else None
