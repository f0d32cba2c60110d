"""Records for which something holds, out of a frame of any engine; and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from dirframe.stats._core.backends import is_relation, relation_kept
from dirframe.stats._core.groupby import aggregate

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from dirframe.stats._core.columns import Column


def read(part: pd.DataFrame, columns: Mapping[str, Column]) -> pd.DataFrame:
    """Read columns of a pandas frame; rows belong together by their place."""
    plain = {name: column.of(part).reset_index(drop=True) for name, column in columns.items()}
    return pd.DataFrame(plain, copy=False)


def holding(part: pd.DataFrame, columns: Mapping[str, Column], test: nw.Expr) -> NDArray[np.bool_]:
    """Tell for which rows of a pandas frame a test holds; where it cannot be told, not."""
    table = nw.from_native(read(part, columns))
    told = table.with_columns(holds=test.fill_null(value=False)).to_native()["holds"]
    found: NDArray[np.bool_] = told.to_numpy(dtype=bool)
    return found


def keep(frame: Any, columns: Mapping[str, Column], test: nw.Expr) -> Any:
    """Give the records for which a test holds, with all their columns, on the engine they have."""
    if isinstance(frame, pd.DataFrame):
        return frame[holding(frame, columns, test)]
    if is_relation(frame):

        def kept(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
            stated = {name: column.within(table) for name, column in columns.items()}
            return table.with_columns(**stated).filter(test.fill_null(value=False))

        return relation_kept(frame, [n for c in columns.values() for n in c.names], kept)
    return frame.map_partitions(keep, columns, test, meta=frame._meta)


def count(
    frame: Any, columns: Mapping[str, Column], tests: Mapping[str, nw.Expr]
) -> dict[str, int]:
    """Count the records for which each test holds."""

    def statement(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        marked = table.with_columns(
            **{name: test.fill_null(value=False).cast(nw.Int64) for name, test in tests.items()}
        )
        return marked.select(nw.col(*tests).sum())

    found = aggregate(frame, columns, statement).fillna(0)
    return {name: int(found[name].sum()) for name in tests}
