"""Filter and count the records of a frame of any engine by an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from dirframe.stats._core.backends import is_relation, relation_kept
from dirframe.stats._core.groupby import aggregate, read

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from dirframe.stats._core.columns import Column


def holding(
    part: pd.DataFrame,
    columns: Mapping[str, Column],
    test: nw.Expr,
    derived: Mapping[str, nw.Expr] | None = None,
) -> NDArray[np.bool_]:
    """Return a mask of the rows of a pandas frame for which a test holds; missing is False."""
    table = nw.from_native(read(part, columns))
    table = table.with_columns(**derived) if derived else table
    mask = table.with_columns(holds=test.fill_null(value=False)).to_native()["holds"]
    values: NDArray[np.bool_] = mask.to_numpy(dtype=bool)
    return values


def keep(
    frame: Any,
    columns: Mapping[str, Column],
    test: nw.Expr,
    derived: Mapping[str, nw.Expr] | None = None,
) -> Any:
    """Return the records for which a test holds, with all columns, on the same engine.

    `derived` are columns computed once from those that are read, for the test.
    """
    if isinstance(frame, pd.DataFrame):
        return frame[holding(frame, columns, test, derived)]
    if is_relation(frame):

        def filtered(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
            expressions = {name: column.within(table) for name, column in columns.items()}
            table = table.with_columns(**expressions)
            table = table.with_columns(**derived) if derived else table
            return table.filter(test.fill_null(value=False))

        return relation_kept(frame, [n for c in columns.values() for n in c.names], filtered)
    return frame.map_partitions(keep, columns, test, derived, meta=frame._meta)


def count(
    frame: Any, columns: Mapping[str, Column], tests: Mapping[str, nw.Expr]
) -> dict[str, int]:
    """Count the records for which each test holds."""

    def statement(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        flags = table.with_columns(
            **{name: test.fill_null(value=False).cast(nw.Int64) for name, test in tests.items()}
        )
        return flags.select(nw.col(*tests).sum())

    sums = aggregate(frame, columns, statement).fillna(0)
    return {name: int(sums[name].sum()) for name in tests}
