"""Read the columns of records from any engine, in the dtypes of the loaders."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import pandas as pd
import pyarrow as pa

from dirframe import provenance
from dirframe._arrow import as_text, loader_series, require_frame, type_name
from dirframe._tables import (
    DAMAGES,
    UnsuitableTableError,
    check_seal,
    is_parquet,
    refuse_large_columns,
)
from dirframe.errors import InvalidInputError, MissingColumnsError
from dirframe.schema import ALL_RESOURCES, Kind, resource_named

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset


class ArrowStream(Protocol):
    """A table of any library that offers an Arrow C stream: Polars, Arrow, a DuckDB relation."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the stream."""


class DaskFrame(Protocol):
    """A frame of Dask."""

    def compute(self) -> pd.DataFrame:
        """Return the frame in pandas."""


#: Records as statistics take them: in memory, elsewhere, or in Parquet at a path.
Frame: TypeAlias = pd.DataFrame | ArrowStream | DaskFrame | str | os.PathLike[str]

NAME = "name"
LANGUAGE = "analysis_main_language_name"
LANGUAGES = "analysis_languages"
CODE_LINES = "analysis_total_code_lines"
CONTRIBUTORS = "analysis_twelve_month_contributor_count"
ANALYSIS = "analysis_id"
USERS = "stack_count"
FIRST_MONTH = "analysis_min_month"
LAST_MONTH = "analysis_max_month"
FETCHED = "analysis_logged_at"
CREATED = "created_at"
UPDATED = "updated_at"
LICENSES = "licenses"
TAGS = "tags"
COUNTRY_RAW = "country_code"
COUNTRY_CODE = "country_alpha_2"
COUNTRY = "country_name"
POSTS = "posts_count"
KUDO_RANK = "kudo_score_kudo_rank"

#: Columns that recorded responses and today's service call otherwise than the specification.
#: They are read as the specification's: where that has no value, the other one counts. The update
#: of an analysis is no date of the fetch of its code: it can be years later.
OTHER_NAMES = {USERS: "user_count", FETCHED: "analysis_oldest_code_set_time"}

MOMENT = Kind.TIMESTAMP.dtype
_DTYPES = {
    column: field.kind.dtype
    for resource in ALL_RESOURCES.values()
    for column, field in resource.by_column.items()
}
#: What a column must hold, by its dtype, and the kinds of pandas that do. Text is neither a number
#: nor a date, since "03/04/2013" is ambiguous; a number is no date, since its unit is unknown.
_KINDS = {
    "Int64": ("whole numbers", {"integer", "floating", "mixed-integer-float"}),
    "Float64": ("numbers", {"integer", "floating", "mixed-integer-float"}),
    MOMENT: ("dates", {"datetime64", "datetime", "date"}),
}


def read(frame: Frame, columns: Sequence[str], optional: Sequence[str] = ()) -> pd.DataFrame:
    """Return columns of a frame in their dtypes, aligned by position.

    A column that is absent, was not sent, or was taken away since the load raises. An `optional`
    one is then not in the result.
    """
    wanted = {name: _names_of(name) for name in [*columns, *optional]}
    every_name = [name for names in wanted.values() for name in names]
    table = fetch(frame, every_name)
    error = provenance.absent(table, every_name)
    not_sent = list(error.columns) if error else []
    sent = provenance.get_provenance(table)["sent"]
    usable: dict[str, list[str]] = {}
    lacking: list[list[str]] = []
    for name, names in wanted.items():
        present = [other for other in names if other in table and other not in not_sent]
        removed = [other for other in names if other not in table and other in sent]
        if present and not removed:
            usable[name] = present
        elif name in columns:
            lacking.append(removed or names)
    if lacking:
        error = provenance.absent(table, [name for names in lacking for name in names])
        raise error or _missing(table, lacking)
    table = table.reset_index(drop=True)
    values: dict[str, pd.Series[Any]] = {}
    for name, names in usable.items():
        values[name] = _typed(table[names[0]], name)
        for other in names[1:]:
            values[name] = values[name].fillna(_typed(table[other], name))
    return pd.DataFrame(values, index=table.index, copy=False)


def _names_of(column: str) -> list[str]:
    return [column, OTHER_NAMES[column]] if column in OTHER_NAMES else [column]


def _missing(table: pd.DataFrame, lacking: list[list[str]]) -> MissingColumnsError:
    columns = [names[0] for names in lacking]
    held = provenance.get_provenance(table)["resource"]
    owners = [r for r in ALL_RESOURCES.values() if r.by_column.keys() >= set(columns)]
    if COUNTRY in columns or COUNTRY_CODE in columns:
        hint = (
            "dirframe.unify_countries(accounts) (dirframe clean) adds country_alpha_2 and country_name "
            "by the column country_code. Projects have no country."
        )
    elif not set(columns) <= _DTYPES.keys():  # no record has it
        hint = ""
    elif held and owners and held not in {owner.name for owner in owners}:
        kinds = " or ".join(owner.words[1] for owner in owners)
        hint = f"It holds {resource_named(held).words[1]}: pass {kinds}."
    elif held:
        hint = "The loaded frame had this column, and it was dropped since: keep it."
    else:
        hint = (
            "Pass a frame of a loader, such as dirframe.load_projects(), or name a file of one, with "
            "all of its columns."
        )
    names = ", ".join(" or ".join(alternatives) for alternatives in lacking)
    return MissingColumnsError(f"The frame has no column {names}.", columns=columns, hint=hint)


def _typed(column: pd.Series[Any], name: str) -> pd.Series[Any]:
    """Return a column in the dtype of the schema; raise if it holds something else."""
    dtype = _DTYPES.get(name, "str")
    if dtype in {str(column.dtype), "object"}:
        return column
    if dtype == "str":
        return as_text(column)
    if column.isna().all():
        nothing: pd.Series[Any] = pd.Series(None, index=column.index, dtype=dtype)
        return nothing
    expected, kinds = _KINDS[dtype]
    try:
        kind = pd.api.types.infer_dtype(column, skipna=True)
        if kind not in kinds:
            raise TypeError(f"it holds {kind}")  # reported below, as the errors of the conversions
        if dtype == MOMENT:
            return pd.to_datetime(column, utc=True).dt.as_unit("us")
        numbers = pa.array(column, from_pandas=True)  # unlike pandas, it truncates nothing
        return loader_series(numbers.cast(pa.int64() if dtype == "Int64" else pa.float64()))
    except (OverflowError, TypeError, ValueError) as error:
        how = "to_datetime(…, utc=True) of a known format" if dtype == MOMENT else "to_numeric(…)"
        raise InvalidInputError(
            f"The column {column.name} must hold {expected}: {error}.",
            hint=f"Convert it first, such as with pandas.{how}.",
        ) from error


def fetch(frame: Any, columns: Collection[str]) -> pd.DataFrame:
    """Return a frame as pandas; of records that are elsewhere, only these of their columns."""
    if isinstance(frame, pd.DataFrame):
        return require_records(frame)
    if isinstance(frame, str | os.PathLike):
        with _refuse_damage(frame):
            dataset = _dataset(frame)
            names = [name for name in dataset.schema.names if name in columns]
            for file in map(Path, dataset.files):
                if not _is_sealed(file):
                    refuse_large_columns(file, names)
            table = dataset.to_table(names)
            table.validate(full=True)  # a damaged page can hold texts that are no UTF-8
            return require_records(table)
    reader = _reader(frame)
    if reader is not None:
        names = [name for name in reader.schema.names if name in columns]
        fields = [reader.schema.field(name) for name in names]
        schema = pa.schema(fields, reader.schema.metadata)
        batches = (batch.select(names) for batch in reader)
        return require_records(pa.Table.from_batches(batches, schema))
    if _is_dask(frame):
        table = frame[[name for name in frame.columns if name in columns]].compute()
        table.attrs = dict(frame._meta.attrs)  # Dask's frame without rows
        return require_records(table)
    raise InvalidInputError(
        "Expected records: a DataFrame of pandas, Polars or Dask, a table of Arrow, a relation of "
        f"DuckDB, or the path of a Parquet file or folder; got {type_name(frame)}."
    )


def _reader(frame: Any) -> pa.RecordBatchReader | None:
    """Return a reader of a table that offers an Arrow C stream; None if it offers none."""
    if not hasattr(frame, "__arrow_c_stream__"):
        return None
    with suppress(pa.ArrowInvalid):  # of a Series, which has no columns
        return pa.RecordBatchReader.from_stream(frame)
    return None


def origin(frame: Any) -> Any:
    """Return a frame that has the provenance of a frame: itself, or one without its rows."""
    if isinstance(frame, pd.DataFrame | pa.Table):
        return frame
    if _is_dask(frame):
        return frame._meta  # as above
    if isinstance(frame, str | os.PathLike):
        with _refuse_damage(frame):
            return require_records(_dataset(frame).schema.empty_table())
    if isinstance(frame, pa.RecordBatchReader):  # it can be read only once
        return require_records(frame.schema.empty_table())
    return pd.DataFrame(columns=[str(name) for name in getattr(frame, "columns", ())])


def collection_of(frame: Frame) -> str:
    """Return what the records of a frame are called: projects, accounts, ..., or records."""
    resource = provenance.resource_of(origin(frame))
    return resource.collection if resource else "records"


def retrieved(frame: Frame) -> pd.Timestamp | None:
    """Return when the newest page of a frame was fetched, in UTC, if it is known."""
    newest = provenance.get_provenance(origin(frame))["retrieved_newest"]
    return None if newest is None else pd.to_datetime(newest, utc=True)


def observed_until(frame: Frame, dates: pd.Series[Any]) -> Any:
    """Return the moment up to which records of these dates are known, or NaT.

    It is when the oldest page was fetched. Where that is not known, or the data are synthetic, it is
    the newest of the dates, of a stratum those of the whole frame.
    """
    record = provenance.get_provenance(origin(frame))
    if dates.name in record["whole"]:
        return pd.to_datetime(record["whole"][dates.name], utc=True)
    fetched = record["retrieved_oldest"] or record["retrieved_newest"]
    if fetched is None or record["synthetic"]:
        return dates.max()
    return pd.to_datetime(fetched, utc=True)


def _is_dask(frame: Any) -> bool:
    return hasattr(frame, "compute") and hasattr(frame, "_meta") and hasattr(frame, "columns")


def _dataset(path: str | os.PathLike[str]) -> Dataset:
    """Open Parquet, whose footers are as they were written, with the checksums of its pages."""
    from pyarrow import dataset

    if Path(path).is_file() and not is_parquet(Path(path)):
        raise InvalidInputError(f"{os.fspath(path)} is not Parquet.", hint=_OTHER_FORMATS)
    options = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
    kind = dataset.ParquetFileFormat(default_fragment_scan_options=options)
    opened = dataset.dataset(os.fspath(path), partitioning="hive", format=kind)
    for name in opened.files:
        _is_sealed(Path(name))  # raises if its footer is not as it was written
    return opened


def _is_sealed(file: Path) -> bool:
    """Return whether a Parquet file is one that `export` wrote."""
    with file.open("rb") as content:
        return check_seal(content, is_whole=False)


#: What to do with a file that is not Parquet.
_OTHER_FORMATS = "Pass the frame of dirframe.read_table, which reads CSV and JSON too."


@contextmanager
def _refuse_damage(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise InvalidInputError that names a file if a block that reads it finds none, or damage."""
    try:
        yield
    except InvalidInputError:
        raise
    except FileNotFoundError as error:
        raise InvalidInputError(f"There is no file {os.fspath(path)}.") from error
    except UnsuitableTableError as error:
        raise InvalidInputError(f"{os.fspath(path)} cannot be read as a table: {error}.") from error
    except (*DAMAGES, pa.ArrowException) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidInputError(
            f"{os.fspath(path)} cannot be read as Parquet: {first.rstrip('.')}.",
            hint=_OTHER_FORMATS,
        ) from error


def require_records(frame: Any) -> pd.DataFrame:
    """Return a frame in pandas; raise if it is none, if names repeat, or if it is a statistic."""
    table = require_frame(frame)
    if name := provenance.get_provenance(table)["statistic"].get("name"):
        raise InvalidInputError(f"The frame is the result of {name}: pass the records instead.")
    return table


def require_one_project(frame: Frame, columns: pd.DataFrame) -> None:
    """Raise if records of several projects would be counted as those of one."""
    if "project_id" in columns:
        projects = columns["project_id"].unique()
        if len(projects) > 1:
            names = ", ".join(str(project) for project in projects[:3])
            raise InvalidInputError(
                f"The frame has records of {len(projects):,} projects ({names}{_more(projects)}).",
                hint=ONE_PROJECT,
            )
        return
    record = provenance.get_provenance(origin(frame))
    number = record["query"].get("projects")
    if isinstance(number, int) and number > 1:
        raise MissingColumnsError(
            f"The frame was loaded for {number:,} projects, and has no column project_id to tell "
            "them apart.",
            columns=["project_id"],
            hint="Keep this column.",
        )


ONE_PROJECT = (
    "Pass the records of one project, or those of several with stats.by or plot.panels (--by) and "
    "the column that tells their projects apart, such as project_id."
)


def _more(values: Iterable[Any]) -> str:
    return ", ..." if len(list(values)) > 3 else ""
