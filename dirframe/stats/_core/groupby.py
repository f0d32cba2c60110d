"""What the statistics are stated on: columns of a frame, and narwhals group-bys over them.

A statistic names its columns (`dirframe.stats._core.columns`), lets a group-by make them small
(`reduced`, `sizes`), and only then orders, pools and shares out what is left. The group-by is
narwhals', which needs neither an order of rows nor an index; the rest sees a small table.
"""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats._core.backends import (
    collect,
    is_relation,
    map_reduce,
    relation_table,
    too_large,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dirframe.stats._core.columns import Column

    Statement = Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]


LANGUAGE = "analysis_main_language_name"
ANALYSIS = "analysis_id"
LINES = "analysis_total_code_lines"
CONTRIBUTORS = "analysis_twelve_month_contributor_count"
#: Members who use a project: the specification's name, then that of the recorded answers.
USERS = ("stack_count", "user_count")
FIRST_MONTH: Final = "analysis_min_month"
LAST_MONTH: Final = "analysis_max_month"
CREATED = "created_at"

_LARGEST = 2**63 - 1


def aggregate(
    frame: Any,
    columns: Mapping[str, Column],
    statement: Statement,
    *,
    by: Sequence[str] = (),
    sums: Sequence[str] = (),
) -> pd.DataFrame:
    """Let a statement make the columns of a frame a small table.

    The statement is a group-by whose numbers are counts and sums: those of the parts of a
    frame are added up by the columns `by`. Without them, rows of the parts are put together.
    `sums` are the columns that it sums up, without what is below zero.
    """
    if is_relation(frame):
        table = relation_table(frame, _names(columns))
        read = {name: column.within(table) for name, column in columns.items()}
        found = collect(statement(table.select(**read)))
        if by:  # as `added` does with the parts of other frames
            _summable(found, by)
        return found

    def work(part: pd.DataFrame) -> pd.DataFrame:
        # Their rows belong together, whatever the index.
        plain = {name: column.of(part).reset_index(drop=True) for name, column in columns.items()}
        for name in sums:
            check_int64_sum(" or ".join(columns[name].names), plain[name])
        table = nw.from_native(pd.DataFrame(plain, copy=False)).lazy()
        return collect(statement(table))

    counted: pd.DataFrame = map_reduce(frame, _names(columns), work, partial(combine, by=by))
    return counted


def combine(parts: Sequence[pd.DataFrame], by: Sequence[str] = ()) -> pd.DataFrame:
    """Put tables together: add up the numbers of those with the same values in columns `by`."""
    whole = pd.concat(parts, ignore_index=True)
    if not by or len(parts) == 1:
        return whole
    _summable(whole, by)
    groups = whole.groupby([*by], dropna=False, sort=False, observed=True)
    return groups.sum().reset_index()


def _summable(table: pd.DataFrame, by: Sequence[str]) -> None:
    # Of all groups: their total is what shares are taken of.
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
    """Count the records (``records``) of each combination of values, missing ones too.

    `prepare` makes the columns `by` of those that are read; without it they are the same.
    """
    keys = by or [*columns]

    def statement(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        prepared = prepare(table) if prepare else table
        return prepared.group_by(*keys).agg(nw.len().alias("records"))

    return aggregate(frame, columns, statement, by=keys)


def _names(columns: Mapping[str, Column]) -> set[str]:
    return {name for column in columns.values() for name in column.names}


def valid(column: str) -> nw.Expr:
    """Leave out what cannot be: a number below zero."""
    return nw.when(nw.col(column) >= 0).then(nw.col(column))


def check_int64_sum(what: str, numbers: Any, records: Any = None) -> None:
    """Refuse numbers whose sum does not fit 64 bits: pandas would give another one, unsaid.

    Those below zero are in no sum. `records` says how often each of them counts; left out: once.
    """
    most = numbers.max()
    times = len(numbers) if records is None else int(records.sum())
    if pd.isna(most) or int(most) * times <= _LARGEST:
        return
    known = numbers > 0
    if records is None:
        total = sum(int(number) for number in numbers[known])
    else:
        pairs = zip(numbers[known], records[known], strict=True)
        total = sum(int(number) * int(times) for number, times in pairs)
    if total > _LARGEST:
        raise InvalidInputError(too_large(what))


def as_int64(values: Any) -> pd.Series[int]:
    """Give whole numbers the dtype that they have in every result."""
    return pd.Series(getattr(values, "array", values), dtype="Int64")


def true(flags: pd.Series[Any]) -> NDArray[np.bool_]:
    """Tell where a statement holds; missing, it does not."""
    return flags.astype("boolean").to_numpy(dtype=bool, na_value=False)


def shares(part: pd.Series[int]) -> pd.Series[float]:
    """Divide by the sum; nothing shared out is no share at all, not a division by zero."""
    return (part / max(int(part.sum()), 1)).astype("Float64").reset_index(drop=True)


def rank_names(
    table: pd.DataFrame, name: str, by: Sequence[str], *, top: int | None, noun: str
) -> tuple[pd.Series[str], int]:
    """Order named groups by some columns, most first, then by name, and pool what is beyond top.

    Returns the name that each group has in the result, in its order, by the group's own name,
    and how many are pooled.
    """
    rows, kept = _sort(table, name, by, top=top, noun=noun)
    names = rows[name].astype("str")
    other = _other(len(names) - kept, noun)
    shown = [*names[:kept], *[other] * (len(names) - kept)]
    return pd.Series(shown, index=pd.Index(names, dtype="str"), dtype="str"), len(names) - kept


def rank_rows(
    table: pd.DataFrame, name: str, by: Sequence[str], *, top: int | None, noun: str
) -> tuple[pd.DataFrame, int]:
    """Put named groups in the order of `ranking`, and sum up those beyond top in a last row.

    Every column but the name is of whole numbers. A sum of missing ones alone is missing.
    Returns how many groups are summed up, too.
    """
    rows, kept = _sort(table, name, by, top=top, noun=noun)
    pooled = len(rows) - kept
    shown = [*rows[name][:kept], *[_other(pooled, noun)] * bool(pooled)]
    columns: dict[str, Any] = {name: pd.Series(shown, dtype="str")}
    for column in rows.columns.drop(name):
        numbers = as_int64(rows[column])
        if pooled:
            rest = numbers[kept:]
            check_int64_sum(column, rest)
            numbers = as_int64([*numbers[:kept], rest.sum(min_count=1)])
        columns[column] = numbers
    return pd.DataFrame(columns), pooled


def _sort(
    table: pd.DataFrame, name: str, by: Sequence[str], *, top: int | None, noun: str
) -> tuple[pd.DataFrame, int]:
    """Sort a table of named groups; tell how many of them keep a row of their own."""
    check_top(top, noun)
    rows = table.sort_values(name)
    for column in reversed(by):  # half the time of one sort by all of them
        rows = rows.sort_values(column, ascending=False, kind="stable")
    kept = len(rows) if top is None else top
    # "other (1 language)" would hide a name and save no row.
    return rows, len(rows) if kept >= len(rows) - 1 else kept


def check_top(top: object, noun: str) -> None:
    """Refuse a number of rows to keep that is none."""
    if top is not None:
        whole_number("top", top, least=1, instead=f"or None for all {noun}")


def whole_number(
    name: str, value: object, *, least: int, most: int | None = None, instead: str
) -> int:
    """Take an option that is a whole number within bounds; refuse truth values, text, fractions."""
    if not isinstance(value, bool) and isinstance(value, Integral):
        number = int(value)
        if least <= number and (most is None or number <= most):
            return number
    bounds = f"of {least} or more" if most is None else f"from {least} to {most}"
    raise InvalidInputError(f"{name} is {value!r}; it must be a whole number {bounds}, {instead}.")


def _other(groups: int, noun: str) -> str:
    return f"other ({groups:,} {noun})"


def has_name(table: pd.DataFrame, column: str) -> NDArray[np.bool_]:
    """Tell which rows of a small table have a name that is not blank."""
    return (table[column].astype("str").str.strip().fillna("") != "").to_numpy(dtype=bool)
