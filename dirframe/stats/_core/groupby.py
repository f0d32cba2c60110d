"""Group-bys over the columns of a frame of any engine, and helpers for the small results.

A statistic names its columns (`dirframe.stats._core.columns`) and aggregates them (`aggregate`,
`group_sizes`). It then sorts, pools and divides the small table. The group-by uses narwhals,
which needs neither a row order nor an index.
"""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import pandas as pd

from dirframe._arrow import too_large
from dirframe.errors import InvalidInputError
from dirframe.stats._core.backends import (
    collect,
    is_relation,
    map_reduce,
    relation_table,
)
from dirframe.stats._core.columns import text_column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dirframe.stats._core.columns import Column

    Statement = Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]


LANGUAGE = "analysis_main_language_name"
LINES = "analysis_total_code_lines"
CONTRIBUTORS = "analysis_twelve_month_contributor_count"
#: Members who use a project: the specification's name, then that of the recorded responses.
USERS = ("stack_count", "user_count")
FIRST_MONTH: Final = "analysis_min_month"
LAST_MONTH: Final = "analysis_max_month"
CREATED = "created_at"

#: The id of the analysis, and whether a project lacks it.
ANALYSIS = {"analysis": text_column("analysis_id")}
LACKING = nw.col("analysis").is_null().cast(nw.Int64).alias("lacking")

_LARGEST = 2**63 - 1


def aggregate(
    frame: Any,
    columns: Mapping[str, Column],
    statement: Statement,
    *,
    by: Sequence[str] = (),
    sums: Sequence[str] = (),
) -> pd.DataFrame:
    """Aggregate the columns of a frame into a small table.

    The statement is a group-by that computes counts and sums, which are added up over the parts
    of a frame by the columns `by`. Without `by`, the rows of the parts are concatenated.
    `sums` names the columns that are summed; negative values are not part of the sums.
    """
    if is_relation(frame):
        table = relation_table(frame, _names(columns))
        expressions = {name: column.within(table) for name, column in columns.items()}
        totals = collect(statement(table.select(**expressions)))
        if by:  # `combine` does so for the parts of other frames
            _check_sums(totals, by)
        return totals

    def work(part: pd.DataFrame) -> pd.DataFrame:
        values = read(part, columns)
        for name in sums:
            check_int64_sum(" or ".join(columns[name].names), values[name])
        return collect(statement(nw.from_native(values).lazy()))

    result: pd.DataFrame = map_reduce(frame, _names(columns), work, partial(combine, by=by))
    return result


def read(part: pd.DataFrame, columns: Mapping[str, Column]) -> pd.DataFrame:
    """Read columns of a pandas frame, aligned by position."""
    values = {name: column.of(part).reset_index(drop=True) for name, column in columns.items()}
    return pd.DataFrame(values, copy=False)


def combine(parts: Sequence[pd.DataFrame], by: Sequence[str] = ()) -> pd.DataFrame:
    """Concatenate tables; rows with the same values in the columns `by` are summed."""
    rows = pd.concat(parts, ignore_index=True)
    if not by or len(parts) == 1:
        return rows
    _check_sums(rows, by)
    groups = rows.groupby([*by], dropna=False, sort=False, observed=True)
    return groups.sum().reset_index()


def _check_sums(table: pd.DataFrame, by: Sequence[str]) -> None:
    # Checked over all groups, since shares are computed of the total.
    for name in table.columns.drop([*by]):
        if pd.api.types.is_integer_dtype(table[name]):
            check_int64_sum(name, table[name])


def group_sizes(
    frame: Any,
    columns: Mapping[str, Column],
    *,
    by: Sequence[str] = (),
    prepare: Statement | None = None,
) -> pd.DataFrame:
    """Count the records (``records``) of each combination of values, including missing ones.

    `prepare` computes the columns `by` from those that are read; by default they are the same.
    """
    keys = by or [*columns]

    def statement(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        prepared = prepare(table) if prepare else table
        return prepared.group_by(*keys).agg(nw.len().alias("records"))

    return aggregate(frame, columns, statement, by=keys)


def _names(columns: Mapping[str, Column]) -> set[str]:
    return {name for column in columns.values() for name in column.names}


def valid(column: str) -> nw.Expr:
    """Return an expression in which negative numbers are missing."""
    return nw.when(nw.col(column) >= 0).then(nw.col(column))


def check_int64_sum(what: str, numbers: Any, records: Any = None) -> None:
    """Raise if the sum of numbers is beyond 64 bits, where pandas overflows silently.

    Negative numbers are ignored. `records` holds the weight of each number, by default 1.
    """
    largest = numbers.max()
    times = len(numbers) if records is None else int(records.sum())
    if pd.isna(largest) or int(largest) * times <= _LARGEST:
        return
    positive = numbers > 0
    if records is None:
        total = sum(int(number) for number in numbers[positive])
    else:
        pairs = zip(numbers[positive], records[positive], strict=True)
        total = sum(int(number) * int(times) for number, times in pairs)
    if total > _LARGEST:
        raise InvalidInputError(too_large(what))


def as_int64(values: Any) -> pd.Series[int]:
    """Convert whole numbers to Int64, their dtype in every result."""
    return pd.Series(getattr(values, "array", values), dtype="Int64")


def true(flags: pd.Series[Any]) -> NDArray[np.bool_]:
    """Return nullable flags as a mask in which missing is False."""
    return flags.astype("boolean").to_numpy(dtype=bool, na_value=False)


def shares(part: pd.Series[int]) -> pd.Series[float]:
    """Divide by the sum; all shares are 0 if the sum is 0."""
    return (part / max(int(part.sum()), 1)).astype("Float64").reset_index(drop=True)


def rank_names(
    table: pd.DataFrame, name: str, by: Sequence[str], *, top: int | None, noun: str
) -> tuple[pd.Series[str], int]:
    """Sort named groups by some columns, descending, then by name, and pool those beyond top.

    Returns the name of each group in the result, indexed by its own name in sorted order, and
    the number of pooled groups.
    """
    rows, size = _sort(table, name, by, top=top, noun=noun)
    names = rows[name].astype("str")
    other = _other_label(len(names) - size, noun)
    labels = [*names[:size], *[other] * (len(names) - size)]
    return pd.Series(labels, index=pd.Index(names, dtype="str"), dtype="str"), len(names) - size


def rank_rows(
    table: pd.DataFrame, name: str, by: Sequence[str], *, top: int | None, noun: str
) -> tuple[pd.DataFrame, int]:
    """Sort named groups as `rank_names` does, and sum those beyond top in a last row.

    Every column but the name holds whole numbers. A sum of only missing values is missing.
    Also returns the number of groups in the last row.
    """
    rows, size = _sort(table, name, by, top=top, noun=noun)
    pooled = len(rows) - size
    labels = [*rows[name][:size], *[_other_label(pooled, noun)] * bool(pooled)]
    columns: dict[str, Any] = {name: pd.Series(labels, dtype="str")}
    for column in rows.columns.drop(name):
        numbers = as_int64(rows[column])
        if pooled:
            remainder = numbers[size:]
            check_int64_sum(column, remainder)
            numbers = as_int64([*numbers[:size], remainder.sum(min_count=1)])
        columns[column] = numbers
    return pd.DataFrame(columns), pooled


def _sort(
    table: pd.DataFrame, name: str, by: Sequence[str], *, top: int | None, noun: str
) -> tuple[pd.DataFrame, int]:
    """Sort a table of named groups; also return the number that keep their own row."""
    check_top(top, noun)
    rows = table.sort_values(name)
    for column in reversed(by):  # half the time of one sort by all columns
        rows = rows.sort_values(column, ascending=False, kind="stable")
    size = len(rows) if top is None else top
    # "other (1 language)" would hide a name and save no row.
    return rows, len(rows) if size >= len(rows) - 1 else size


def check_top(top: object, noun: str) -> None:
    """Raise if `top` is neither None nor a positive whole number."""
    if top is not None:
        whole_number("top", top, least=1, instead=f"or None for all {noun}")


def whole_number(
    name: str, value: object, *, least: int, most: int | None = None, instead: str
) -> int:
    """Validate an option as an integer within bounds; booleans, text and fractions raise."""
    if not isinstance(value, bool) and isinstance(value, Integral):
        number = int(value)
        if least <= number and (most is None or number <= most):
            return number
    bounds = f"of {least} or more" if most is None else f"from {least} to {most}"
    raise InvalidInputError(f"{name} is {value!r}; it must be a whole number {bounds}, {instead}.")


def _other_label(groups: int, noun: str) -> str:
    return f"other ({groups:,} {noun})"


def without_analysis(projects: Any, number: Any) -> dict[str, int]:
    """Return the number of projects without an analysis, if the frame has the column."""
    (column,) = ANALYSIS["analysis"].names
    return {"without_analysis": int(number)} if column in projects.columns else {}


def has_name(table: pd.DataFrame, column: str) -> NDArray[np.bool_]:
    """Return a mask of the rows of a small table whose name is not blank."""
    return (table[column].astype("str").str.strip().fillna("") != "").to_numpy(dtype=bool)
