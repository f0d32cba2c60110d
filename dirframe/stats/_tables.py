"""What the statistics are stated on: columns of a frame, and narwhals group-bys over them.

A statistic reads its columns (`whole`, `text`, `moment`), lets a group-by make them small
(`collected`), and only then orders, pools and shares out what is left. The group-by is
narwhals', which needs neither an order of rows nor an index; the rest sees a small table.

What stays out: the statistics themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

PROJECTS = "dirframe.load_projects()"
ACCOUNTS = "dirframe.load_accounts()"

LANGUAGE = "analysis_main_language_name"
LINES = "analysis_total_code_lines"
CONTRIBUTORS = "analysis_twelve_month_contributor_count"
#: Members who use a project: the specification's name, then that of the recorded answers.
USERS = ("stack_count", "user_count")
FIRST_MONTH, LAST_MONTH = "analysis_min_month", "analysis_max_month"
CREATED = "created_at"


def lazy(**columns: pd.Series[Any]) -> nw.LazyFrame[Any]:
    """Put columns side by side for narwhals; their rows belong together, whatever the index."""
    plain = {name: column.reset_index(drop=True) for name, column in columns.items()}
    return nw.from_native(pd.DataFrame(plain, copy=False)).lazy()


def collected(table: nw.LazyFrame[Any]) -> pd.DataFrame:
    """Compute a table that a group-by has made small."""
    return table.collect(backend="pandas").to_pandas()


def sizes(table: nw.LazyFrame[Any], *by: str) -> pd.DataFrame:
    """Count the records (``records``) of each combination of values, missing ones too."""
    return collected(table.group_by(*by).agg(nw.len().alias("records")))


def valid(column: str) -> nw.Expr:
    """Leave out what cannot be: a number below zero."""
    return nw.when(nw.col(column) >= 0).then(nw.col(column))


def whole(frame: pd.DataFrame, *names: str) -> pd.Series[int]:
    """Read whole numbers: of several columns, the first that has a value, row by row."""
    return _first(frame, names, _whole_numbers, "Int64")


def text(frame: pd.DataFrame, *names: str) -> pd.Series[str]:
    """Read text; a category is the text it stands for."""
    return _first(frame, names, lambda column: column.astype("str"), "str")


def moment(frame: pd.DataFrame, *names: str) -> pd.Series[pd.Timestamp]:
    """Read points in time; one without a zone is UTC."""
    return _first(frame, names, _moments, "datetime64[us, UTC]")


def whole_column(values: Any) -> pd.Series[int]:
    """Give whole numbers the dtype that they have in every result."""
    return pd.Series(getattr(values, "array", values), dtype="Int64")


def shares(part: pd.Series[int]) -> pd.Series[float]:
    """Divide by the sum; nothing shared out is no share at all, not a division by zero."""
    return (part / max(int(part.sum()), 1)).astype("Float64").reset_index(drop=True)


def ranking(
    table: pd.DataFrame, name: str, by: Sequence[str], *, top: int | None, noun: str
) -> tuple[pd.Series[str], int]:
    """Order named groups by some columns, most first, then by name, and pool what is beyond top.

    Returns the name that each group has in the result, in its order, by the group's own name,
    and how many are pooled.
    """
    names, kept = _order(table, name, by, top=top, noun=noun)
    other = _other(len(names) - kept, noun)
    shown = [*names[:kept], *[other] * (len(names) - kept)]
    return pd.Series(shown, index=pd.Index(names, dtype="str"), dtype="str"), len(names) - kept


def ranked(
    table: pd.DataFrame, name: str, by: Sequence[str], *, top: int | None, noun: str
) -> tuple[pd.DataFrame, int]:
    """Put named groups in the order of `ranking`, and sum up those beyond top in a last row.

    Every column but the name is of whole numbers. A sum of missing ones alone is missing.
    Returns how many groups are summed up, too.
    """
    names, kept = _order(table, name, by, top=top, noun=noun)
    rows = table.loc[names.index]
    pooled = len(rows) - kept
    if pooled:
        rest = rows.iloc[kept:].drop(columns=name).sum(min_count=1).to_frame().T
        rest.insert(0, name, _other(pooled, noun))
        rows = pd.concat([rows.iloc[:kept], rest.astype(rows.dtypes)])
    numbers = {column: whole_column(rows[column]) for column in rows if column != name}
    return pd.DataFrame({name: pd.Series(rows[name].to_numpy(), dtype="str"), **numbers}), pooled


def _order(
    table: pd.DataFrame, name: str, by: Sequence[str], *, top: int | None, noun: str
) -> tuple[pd.Series[str], int]:
    if top is not None and top < 1:
        raise InvalidInputError(f"top is {top}; it must be 1 or more, or None for all {noun}.")
    names = table.sort_values([*by, name], ascending=[*(False for _ in by), True])[name]
    kept = len(names) if top is None else top
    # "other (1 language)" would hide a name and save no row.
    return names.astype("str"), len(names) if kept >= len(names) - 1 else kept


def _other(groups: int, noun: str) -> str:
    return f"other ({groups:,} {noun})"


def named(table: pd.DataFrame, column: str) -> NDArray[np.bool_]:
    """Tell which rows of a small table have a name that is not blank."""
    return (table[column].astype("str").str.strip().fillna("") != "").to_numpy(dtype=bool)


def _first(frame: pd.DataFrame, names: Sequence[str], read: Any, dtype: str) -> pd.Series[Any]:
    found = [read(frame[name]) for name in names if name in frame]
    if not found:
        return pd.Series([None] * len(frame), dtype=dtype, index=frame.index)
    column: pd.Series[Any] = found[0]
    for other in found[1:]:
        column = column.where(column.notna(), other)
    return column


def _whole_numbers(column: pd.Series[int]) -> pd.Series[int]:
    if isinstance(column.dtype, pd.Int64Dtype):
        return column
    try:
        return pd.to_numeric(column).astype("Int64")
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"The column {column.name} must hold whole numbers: {error}."
        ) from error


def _moments(column: pd.Series[pd.Timestamp]) -> pd.Series[pd.Timestamp]:
    if column.dtype == "datetime64[us, UTC]":
        return column
    try:
        return pd.to_datetime(column, utc=True).astype("datetime64[us, UTC]")
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"The column {column.name} must hold dates: {error}.") from error
