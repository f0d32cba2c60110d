"""Convert frames between pandas, Polars and Arrow, with their provenance and the loaders' dtypes."""

# Arrow keeps the provenance where pandas itself keeps attributes: in the metadata of the schema, so
# that it survives Arrow's own operations and Parquet. A frame of Polars has no place for it: the
# frame that is returned here has an attribute `attrs` as those of pandas, and frames derived from
# it have none. `dirframe.provenance.copy_provenance(frame, derived)` hands it on.

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import pandas as pd

from dirframe._arrow import as_pandas, check_unique_columns, to_arrow, type_name
from dirframe.errors import Hint, InvalidInputError, MissingExtraError
from dirframe.provenance import attributes_of

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

FrameKind = Literal["pandas", "polars", "arrow"]


def check_kind(kind: str) -> None:
    """Raise if a kind of frame is unknown, or its library is not installed."""
    if kind not in get_args(FrameKind):
        raise InvalidInputError(
            f"frame is {kind!r}; it must be one of {', '.join(map(repr, get_args(FrameKind)))}."
        )
    if kind == "polars" and find_spec("polars") is None:
        raise MissingExtraError("polars", extra="engines", purpose='frame="polars"')


@overload
def convert_frame(frame: Any, kind: Literal["pandas"]) -> pd.DataFrame: ...
@overload
def convert_frame(frame: Any, kind: Literal["polars"]) -> pl.DataFrame: ...
@overload
def convert_frame(frame: Any, kind: Literal["arrow"]) -> pa.Table: ...
@overload
def convert_frame(frame: Any, kind: FrameKind) -> Any: ...
def convert_frame(frame: Any, kind: FrameKind) -> Any:
    """Convert a frame to another library's, with its provenance.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The records, or the result of a statistic.
    kind : {"pandas", "polars", "arrow"}
        The library of the result.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The same columns. Texts, whole numbers, numbers and times (microseconds, UTC) have the
        types of the library, with nulls for missing values. Lists are lists, or JSON if their
        entries differ in form. The provenance is in ``attrs`` of pandas and Polars, and in the
        metadata of Arrow's schema; `cite` and `dirframe.provenance` read all three. Operations
        of Polars drop it: hand it on with `dirframe.provenance.copy_provenance`.

    Raises
    ------
    InvalidInputError
        If the kind is unknown, `frame` is not a frame of these libraries, has several columns of
        one name, or, for another library, an index of pandas with a name, which the others do not have.
    MissingExtraError
        If Polars is asked for and not installed.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     projects = directory.projects(max_items=5)
    >>> table = dirframe.convert_frame(projects, "arrow")
    >>> table.num_rows, dirframe.cite(table) == dirframe.cite(projects)
    (5, True)
    """
    check_kind(kind)
    converted = as_pandas(frame)
    if not isinstance(converted, pd.DataFrame):
        raise InvalidInputError(
            f"Expected a frame of pandas or Polars, or an Arrow table; got a {type_name(frame)}.",
            hint=Hint(
                "Bring a frame of Dask into memory with .compute(), a relation of DuckDB with "
                ".to_arrow_table().",
                shell="",
            ),
        )
    check_unique_columns(converted)
    if kind == "pandas":
        return converted
    if any(name is not None for name in converted.index.names):
        raise InvalidInputError(
            f"The index ({', '.join(map(str, converted.index.names))}) would be lost: only pandas "
            "has one. Make columns of it with reset_index(), or leave it out with "
            "reset_index(drop=True)."
        )
    table = to_arrow(converted)
    if kind == "arrow":
        return table
    import narwhals as nw

    result: Any = nw.from_arrow(table, backend="polars").to_native()
    result.attrs = attributes_of(converted)
    return result
