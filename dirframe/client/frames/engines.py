"""Convert frames between pandas, Polars and Arrow, with their provenance."""

# Arrow keeps the provenance where pandas itself keeps attributes: in the metadata of the schema, so
# that it survives Arrow's own operations and Parquet. A frame of Polars has no place for it: the
# frame that is returned here has an attribute `attrs` as those of pandas, and frames derived from
# it have none. `dirframe.provenance.copy_provenance(frame, derived)` hands it on.

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import pandas as pd
import pyarrow as pa

from dirframe.client.frames.interchange import as_pandas
from dirframe.errors import InvalidInputError, MissingExtraError
from dirframe.provenance import ATTRIBUTE, attributes_of

if TYPE_CHECKING:
    import polars as pl

FrameKind = Literal["pandas", "polars", "arrow"]


def check_kind(kind: str) -> None:
    """Raise if a kind of frame is unknown, or its library is not installed."""
    if kind not in get_args(FrameKind):
        raise InvalidInputError(
            f"frame is {kind!r}; it must be one of {', '.join(map(repr, get_args(FrameKind)))}."
        )
    if kind == "polars" and find_spec("polars") is None:
        raise MissingExtraError("polars", extra="polars", purpose='frame="polars"')


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
        If the kind is unknown, or `frame` is not a frame of these libraries.
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
            f"A frame of pandas or Polars or a table of Arrow was expected; a "
            f"{type(frame).__name__} came."
        )
    if kind == "pandas":
        return converted
    table = to_arrow(converted)
    if kind == "arrow":
        return table
    import narwhals as nw

    result: Any = nw.from_arrow(table, backend="polars").to_native()
    result.attrs = attributes_of(converted)
    return result


def to_arrow(frame: pd.DataFrame) -> pa.Table:
    """Convert a pandas frame to Arrow; lists whose entries differ in form become JSON."""
    mixed = {}
    for name in frame.columns:
        if frame[name].dtype == object:
            try:
                pa.array(frame[name], from_pandas=True)
            except pa.ArrowException:  # for example a text and a record in one list
                mixed[name] = frame[name].map(_json, na_action="ignore").astype("str")
    kept = {name: value for name, value in frame.attrs.items() if name == ATTRIBUTE}
    plain = frame.assign(**mixed)
    plain.attrs.clear()
    plain.attrs.update(kept)  # others need not be JSON
    return pa.Table.from_pandas(plain, preserve_index=False)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
