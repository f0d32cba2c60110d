"""Kernel of the statistics: typed columns of records from anywhere, provenance of the results."""

from __future__ import annotations

import inspect
import os
from contextlib import suppress
from functools import wraps
from itertools import chain
from numbers import Integral
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeAlias

import pandas as pd
import pyarrow as pa

from dirframe import provenance
from dirframe._arrow import loader_series, require_frame, type_name
from dirframe._display import suggests_options
from dirframe.errors import InvalidInputError, MissingColumnsError
from dirframe.schema import ALL_RESOURCES, Kind, resource_named

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from dask.dataframe import DataFrame as DaskFrame


class ArrowStream(Protocol):
    """A table of any library that offers an Arrow C stream: Polars, Arrow, a DuckDB relation."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the stream."""


#: Records as statistics take them: in memory, elsewhere, or in Parquet at a path.
Frame: TypeAlias = "pd.DataFrame | ArrowStream | DaskFrame | str | os.PathLike[str]"
#: The table of a statistic, and its counts: that of all records first, named after them.
Counted: TypeAlias = tuple[pd.DataFrame, dict[str, Any]]
P = ParamSpec("P")

MOMENT = Kind.TIMESTAMP.dtype
#: Columns of frames by short names; a column that is not here is read by its own name. Of several,
#: such as the specification's and that of the recorded responses, the first with a value counts.
COLUMNS: dict[str, tuple[str, ...]] = {
    "called": ("name", "login"),
    "language": ("analysis_main_language_name",),
    "code_lines": ("analysis_total_code_lines",),
    "people": ("analysis_twelve_month_contributor_count",),
    "analysis": ("analysis_id",),
    "users": ("stack_count", "user_count"),
    "first": ("analysis_min_month",),
    "last": ("analysis_max_month",),
    # The update of the analysis cannot replace the fetch of the code: it can be years later.
    "fetched": ("analysis_logged_at", "analysis_oldest_code_set_time"),
    "created": ("created_at",),
    "updated": ("updated_at",),
    "country": ("country_name",),
    "posts": ("posts_count",),
    "rank": ("kudo_score_kudo_rank",),
}
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


def statistic(base: str, which: str) -> Callable[[Callable[P, Counted]], Callable[P, pd.DataFrame]]:
    """Give the table of a statistic its provenance, its counts and its base.

    The base is the number of records behind the figures: its key in the counts, and in words.
    """

    def decorate(function: Callable[P, Counted]) -> Callable[P, pd.DataFrame]:
        signature = inspect.signature(function)
        first = next(iter(signature.parameters))
        name = getattr(function, "__name__", "")

        @wraps(function)
        def wrapper(*args: P.args, **options: P.kwargs) -> pd.DataFrame:
            table, numbers = function(*args, **options)
            counted = {key: int(number) for key, number in numbers.items()}
            resources = {resource.collection: key for key, resource in ALL_RESOURCES.items()}
            source = origin(args[0] if args else options[first])
            provenance.copy_provenance(source, table, name, records=False)
            return provenance.set_provenance(
                table,
                counted=counted,
                base={"records": counted[base], "which": which},
                statistic={"name": name},
                resource=resources.get(next(iter(counted)), ""),
            )

        wrapper.__signature__ = signature.replace(return_annotation="pd.DataFrame")  # type: ignore[attr-defined]  # read by inspect
        return suggests_options(wrapper)

    return decorate


def collection_of(frame: Frame) -> str:
    """Return what the records of a frame are called: projects, accounts, ..., or records."""
    resource = provenance.resource_of(origin(frame))
    return resource.collection if resource else "records"


# Reading


def read(frame: Frame, *names: str, optional: Iterable[str] = ()) -> pd.DataFrame:
    """Return columns of a frame by their short names and in their dtypes, aligned by position.

    An `optional` one that the frame lacks is not in the result; without another one it raises.
    """
    wanted = {name: COLUMNS.get(name, (name,)) for name in (*names, *optional)}
    columns = [*chain.from_iterable(wanted.values())]
    table = fetch(frame, columns)
    unsent = provenance.absent(table, columns)
    known = set(table.columns).difference(unsent.columns if unsent else ())
    if lacking := [wanted[name] for name in names if known.isdisjoint(wanted[name])]:
        unsent = provenance.absent(table, chain.from_iterable(lacking))
        raise unsent or _missing(frame, lacking)
    table = table.reset_index(drop=True)
    values: dict[str, pd.Series[Any]] = {}
    for name, alternatives in wanted.items():
        for column in filter(known.__contains__, alternatives):
            typed = _typed(table[column], _DTYPES.get(column, "str"))
            values[name] = values[name].fillna(typed) if name in values else typed
    return pd.DataFrame(values, index=table.index, copy=False)


def _missing(frame: Frame, lacking: list[tuple[str, ...]]) -> MissingColumnsError:
    columns = [column for column, *_ in lacking]
    held = provenance.get_provenance(origin(frame))["resource"]
    owners = [r for r in ALL_RESOURCES.values() if r.by_column.keys() >= {*columns}]
    if not {"country_alpha_2", "country_name"}.isdisjoint(columns):
        hint = (
            "dirframe.unify_countries(accounts) (dirframe clean) adds country_alpha_2 and country_name "
            "by the column country_code. Projects have no country."
        )
    elif not _DTYPES.keys() >= {*columns}:  # no record has it
        hint = ""
    elif held and owners and held not in {owner.name for owner in owners}:
        kinds = " or ".join(owner.words[1] for owner in owners)
        hint = f"It holds {resource_named(held).words[1]}: pass {kinds}."
    elif held:
        hint = "The records were loaded, but not all of their columns are here: keep this one."
    else:
        hint = (
            "Pass a frame of a loader, such as dirframe.load_projects(), or name a file of one, with "
            "all of its columns."
        )
    told = ", ".join(" or ".join(alternatives) for alternatives in lacking)
    return MissingColumnsError(f"The frame has no column {told}.", columns=columns, hint=hint)


def _typed(column: pd.Series[Any], dtype: str) -> pd.Series[Any]:
    """Return a column in a dtype; raise if it holds something else."""
    if dtype in {str(column.dtype), "object"}:
        return column
    if dtype == "str":
        return column.astype("str")
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
        dataset = _dataset(frame)
        return require_records(dataset.to_table([n for n in dataset.schema.names if n in columns]))
    reader = None
    if hasattr(frame, "__arrow_c_stream__"):
        with suppress(pa.ArrowInvalid):  # of a Series, which has no columns
            reader = pa.RecordBatchReader.from_stream(frame)
    if reader is not None:
        kept = [name for name in reader.schema.names if name in columns]
        schema = pa.schema([reader.schema.field(name) for name in kept], reader.schema.metadata)
        return require_records(pa.Table.from_batches((b.select(kept) for b in reader), schema))
    if _is_dask(frame):
        table = frame[[name for name in frame.columns if name in columns]].compute()
        table.attrs = dict(frame._meta.attrs)  # Dask's frame without rows
        return require_records(table)
    raise InvalidInputError(
        "Expected records: a DataFrame of pandas, Polars or Dask, a table of Arrow, a relation of "
        f"DuckDB, or the path of a Parquet file or folder; got a {type_name(frame)}."
    )


def origin(frame: Any) -> Any:
    """Return a frame that has the provenance of a frame: itself, or one without its rows."""
    if isinstance(frame, pd.DataFrame | pa.Table):
        return frame
    if _is_dask(frame):
        return frame._meta  # as above
    if isinstance(frame, str | os.PathLike):
        return require_records(_dataset(frame).schema.empty_table())
    return pd.DataFrame(columns=[str(name) for name in getattr(frame, "columns", ())])


def retrieved(frame: Any) -> pd.Timestamp | None:
    """Return when the newest page of a frame was fetched, in UTC, if it is known."""
    newest = provenance.get_provenance(origin(frame))["retrieved_newest"]
    when: pd.Timestamp | None = pd.to_datetime(newest, utc=True) if newest else None
    return when


def _is_dask(frame: Any) -> bool:
    return hasattr(frame, "compute") and hasattr(frame, "_meta") and hasattr(frame, "columns")


def _dataset(path: str | os.PathLike[str]) -> Any:
    from pyarrow import dataset

    try:
        return dataset.dataset(os.fspath(path), partitioning="hive", format="parquet")
    except FileNotFoundError as error:
        raise InvalidInputError(f"There is no file {os.fspath(path)}.") from error
    except (OSError, pa.ArrowException) as error:
        raise InvalidInputError(
            f"{os.fspath(path)} is not Parquet: {str(error).splitlines()[0].rstrip('.')}.",
            hint="Pass the frame of dirframe.read_table, which reads CSV and JSON too.",
        ) from error


def require_records(frame: Any) -> pd.DataFrame:
    """Return a frame in pandas; raise if it is none, if names repeat, or if it is a statistic."""
    frame = require_frame(frame)
    if name := provenance.get_provenance(frame)["statistic"].get("name"):
        raise InvalidInputError(f"The frame is the result of {name}, not records: pass these.")
    return frame  # type: ignore[no-any-return]  # of pandas


def whole_number(
    name: str, value: object, *, least: int, most: int | None = None, ending: str
) -> int:
    """Return an option as an integer within bounds; truth values, text and fractions raise."""
    if not isinstance(value, bool) and isinstance(value, Integral):
        number = int(value)
        if least <= number and (most is None or number <= most):
            return number
    bounds = f"of {least} or more" if most is None else f"from {least} to {most}"
    raise InvalidInputError(f"{name} is {value!r}; it must be a whole number {bounds}, {ending}.")
