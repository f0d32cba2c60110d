"""Engine-specific access to records: pandas frames, Dask frames and DuckDB relations.

Dask and DuckDB are imported only when a frame of theirs is passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import pandas as pd
import pyarrow as pa

from dirframe import provenance
from dirframe._arrow import as_pandas, check_unique_columns, is_instance, type_name
from dirframe.errors import ColumnsNotSentError, InvalidInputError
from dirframe.provenance import absent
from dirframe.stats._core.loaders import ANY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dirframe.provenance import Absent
    from dirframe.schema import Resource
    from dirframe.stats._core.loaders import Loader

Part = TypeVar("Part")

#: Parts of a Dask frame that are combined at a time, so that no worker has to hold all.
_TOGETHER = 16
#: Prefix of a relation's own columns while derived columns are added.
_OWN = "__dirframe_own_"
#: Rows of a batch: lists of as many records fit the processor's caches.
_ROWS = 100_000


def columns_of(frame: object, loader: Loader) -> list[str]:
    """Return the column names of a frame; raise if they or its engine are not supported."""
    if isinstance(frame, pd.DataFrame):
        check_unique_columns(frame)
    if isinstance(frame, pd.DataFrame) or is_relation(frame) or _is_dask(frame):
        return [str(name) for name in frame.columns]  # type: ignore[attr-defined]  # every engine has columns
    raise InvalidInputError(
        f"Expected a DataFrame of {loader.python} (pandas, Polars or Dask), or an Arrow table or a "
        f"DuckDB relation with its columns; got a {type_name(frame)}."
    )


def absent_of(frame: Any, columns: Sequence[str]) -> Absent | None:
    """Return the columns that were not sent, if the engine keeps the provenance."""
    if isinstance(frame, pd.DataFrame):
        return absent(frame, columns)
    if _is_dask(frame):  # the empty meta frame keeps the attributes
        return absent(frame._meta, columns, rows_elsewhere=True)
    return None


def check_sent(frame: Any, columns: Sequence[str]) -> None:
    """Raise if some columns of a frame were not sent."""
    if absent := absent_of(frame, columns):
        raise ColumnsNotSentError(absent.why, columns=absent.columns, hint=absent.hint)


def resource_of(frame: Any) -> Resource | None:
    """Return the resource of a frame of any engine, from its provenance or its columns."""
    return provenance.resource_of(frame._meta if _is_dask(frame) else frame)


def columns_sent(frame: Any) -> set[str]:
    """Return the columns without those that are empty because they were not sent."""
    columns = columns_of(frame, ANY)
    absent = absent_of(frame, columns)
    return {*columns}.difference(absent.columns if absent else ())


def is_relation(frame: object) -> bool:
    """Return whether a frame is a DuckDB relation."""
    return is_instance(frame, "duckdb", "DuckDBPyRelation")


def map_reduce(
    frame: Any,
    columns: Iterable[str],
    work: Callable[[pd.DataFrame], Part],
    together: Callable[[Sequence[Part]], Part],
) -> Part:
    """Apply a function to the records part by part, each a pandas frame, and combine the results.

    Parts are the partitions of a Dask frame, computed by its scheduler, or the batches of a
    relation; a pandas frame is one part. Each record is in exactly one part.
    """
    if isinstance(frame, pd.DataFrame):
        return work(frame)
    names = [name for name in columns_of(frame, ANY) if name in set(columns)]
    if is_relation(frame):
        # A relation needs at least one column, and its rows still count.
        from duckdb import ColumnExpression

        expressions = [ColumnExpression(name) for name in names or frame.columns[:1]]
        return together([work(part) for part in _batches(frame.select(*expressions))])
    from dask.base import compute
    from dask.delayed import delayed

    parts = [delayed(work)(part) for part in frame[names].to_delayed()]
    while len(parts) > 1:
        groups = [parts[start : start + _TOGETHER] for start in range(0, len(parts), _TOGETHER)]
        parts = [delayed(together)(group) for group in groups]
    (result,) = compute(*parts)
    return result  # type: ignore[no-any-return]  # compute is untyped


def row_batches(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the rows of a pandas frame in batches; a frame without rows is one batch."""
    for begin in range(0, max(len(frame), 1), _ROWS):
        yield frame.iloc[begin : begin + _ROWS]


def relation_table(relation: Any, names: Iterable[str]) -> nw.LazyFrame[Any]:
    """Wrap some columns of a relation in narwhals; timestamps are UTC, without a time zone.

    DuckDB itself would use the time zone of the session for days, months and years.
    """
    wanted = set(names)
    table: nw.LazyFrame[Any] = nw.from_native(
        relation.select(*(column for name, column in _in_utc(relation) if name in wanted))
    )
    return table


def relation_kept(
    relation: Any, names: Iterable[str], keep: Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]
) -> Any:
    """Filter a relation with narwhals by some columns, leaving its own columns unchanged."""
    from duckdb import ColumnExpression

    wanted = set(names)
    originals = [ColumnExpression(name).alias(_OWN + name) for name in relation.columns]
    derived = (column for name, column in _in_utc(relation) if name in wanted)
    filtered = keep(nw.from_native(relation.select(*originals, *derived))).to_native()
    return filtered.select(
        *(ColumnExpression(_OWN + name).alias(name) for name in relation.columns)
    )


def _in_utc(relation: Any) -> Iterator[tuple[str, Any]]:
    from duckdb import ColumnExpression, ConstantExpression, FunctionExpression

    for name, kind in zip(relation.columns, relation.types, strict=True):
        column = ColumnExpression(name)
        if str(kind) == "TIMESTAMP WITH TIME ZONE":
            utc = ConstantExpression("UTC")
            column = FunctionExpression("timezone", utc, column).alias(name)
        yield name, column


def collect(table: nw.LazyFrame[Any]) -> pd.DataFrame:
    """Compute a small aggregated table, with the dtypes of the loaders' frames."""
    if table.implementation.is_pandas():
        return table.collect(backend="pandas").to_pandas()
    from duckdb import DataError

    try:
        result = _reader(table.to_native(), _ROWS).read_all()
    except DataError as error:  # such as an integer beyond 64 bits
        raise InvalidInputError(f"DuckDB cannot count these records: {error}") from error
    frame: pd.DataFrame = as_pandas(result)
    return frame


def _reader(relation: Any, rows: int) -> Any:
    # DuckDB before 1.5 has only the older name.
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    return read(rows)


def _batches(relation: Any) -> Iterator[pd.DataFrame]:
    batches = _reader(relation, _ROWS)
    is_empty = True
    for batch in batches:
        is_empty = False
        yield as_pandas(pa.Table.from_batches([batch]))
    if is_empty:
        yield as_pandas(batches.schema.empty_table())


def _is_dask(frame: object) -> bool:
    return is_instance(frame, "dask.dataframe", "DataFrame")
