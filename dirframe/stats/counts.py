"""What statistics count with: masks, names, ranked groups, shares, distributions, concentration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe._arrow import too_large
from dirframe.errors import InvalidInputError
from dirframe.stats.kernel import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from dirframe.stats.kernel import Counted

    Mask = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    #: Returns the row that several groups share, of their names.
    Pool = Callable[[pd.Index[Any]], pd.Series[Any]]

_TOP_SHARES = {f"top {percent}%": percent / 100 for percent in (1, 10, 20, 50)}


def true(mask: Any) -> Mask:
    """Return a mask in which a missing value is False."""
    if isinstance(mask, pd.Series) and mask.dtype == "boolean":
        return mask.to_numpy(dtype=bool, na_value=False)
    return np.asarray(mask, dtype=bool)


def first_reason(**reasons: Any) -> pd.Categorical[str]:
    """Return the name of the first reason that holds for each record; empty if none does."""
    codes = np.select([*map(true, reasons.values())], [*range(1, len(reasons) + 1)])
    return pd.Categorical.from_codes(codes.astype(np.int8), pd.Index(["", *reasons]))


def names_of(texts: pd.Series[Any]) -> pd.Series[Any]:
    """Return texts as categories by code point; a blank text is missing."""
    names = texts.astype("category")
    return names.cat.remove_categories([n for n in names.cat.categories if not n.strip()])


def unusable(numbers: pd.Series[Any], what: str) -> dict[str, Any]:
    """Count the numbers that are missing, and those that are negative."""
    return {f"{what}_missing": numbers.isna().sum(), f"{what}_negative": (numbers < 0).sum()}


def valid(numbers: pd.Series[Any], what: str, all_: str) -> tuple[pd.Series[Any], dict[str, Any]]:
    """Return the numbers of 0 or more, and how many there are, are missing and are negative."""
    known = numbers[numbers >= 0].astype("int64")
    return known, {all_: len(numbers), f"with_{what}": len(known), **unusable(numbers, what)}


def ranked(
    table: pd.DataFrame,
    name: str,
    noun: str,
    *,
    by: Sequence[str],
    top: int | None,
    pool: Pool | None = None,
) -> Counted:
    """Sort groups by columns, descending, then by name; those beyond top share a last row.

    The names are in the index, and become the first column. The last row is what `pool` gives of
    the others, or their sum. Also counts the groups, and the others.
    """
    check_top(top, noun)
    table = table.set_axis(pd.Index(table.index, dtype="str")).sort_index()
    table = table.sort_values([*by], ascending=False, kind="stable")
    counted = {noun: len(table), f"{noun}_in_other": 0}
    others = len(table) - top if top is not None else 0
    if others > 1:  # "other (1 language)" would hide a name and save no row
        rest = pool(table.index[top:]) if pool else exact(table[top:]).sum(min_count=1)
        row = rest.to_frame().T.set_axis([other_label(others, noun)])
        table = pd.concat([table[:top], row.astype(table.dtypes.to_dict())])
        counted[f"{noun}_in_other"] = others
    table.insert(0, name, pd.Series(table.index, index=table.index, dtype="str"))
    return table.reset_index(drop=True), counted


def check_top(top: object, noun: str) -> None:
    """Raise unless an option is a number of rows, or None for all."""
    if top is not None:
        whole_number("top", top, least=1, ending=f"or None for all {noun}")


def other_label(groups: int, noun: str) -> str:
    """Return the name of the row that several groups share."""
    return f"other ({groups:,} {noun})"


def shares(part: pd.Series[Any]) -> pd.Series[Any]:
    """Divide by the sum; all shares are 0 if it is 0."""
    return (part / max(int(part.sum()), 1)).astype("Float64")


def exact(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table; raise if non-negative whole numbers do not add up within 64 bits."""
    for name, column in table.items():
        # Wrapped sums differ from those of floating-point numbers, which do not wrap.
        total = float(column.clip(lower=0).astype("Float64").sum())
        if total > 2.0**62 and sum(int(n) for n in column.dropna() if n > 0) >= 2**63:
            raise InvalidInputError(too_large(str(name)))
    return table


def table_of(**columns: tuple[str, Any]) -> pd.DataFrame:
    """Return columns, each a dtype and its values, as a table, also where it has no row."""
    return pd.DataFrame({n: pd.Series(v, dtype=d).array for n, (d, v) in columns.items()})


def later_median(values: pd.Series[Any]) -> Any:
    """Return the median of the values that are known, of two the later; None if there is none."""
    known = values.dropna().sort_values()
    return None if known.empty else known.iloc[len(known) // 2]


def distribution(known: pd.Series[int], number: str, records: str) -> pd.DataFrame:
    """Return each number with its records, their share and their cumulative share."""
    counts = known.value_counts().sort_index()
    whole = max(len(known), 1)
    return table_of(
        **{number: ("Int64", counts.index), records: ("Int64", counts)},
        share=("Float64", counts / whole),
        share_at_most=("Float64", counts.cumsum() / whole),
    )


def lorenz_curve(known: pd.Series[int]) -> tuple[Floats, Floats, Floats]:
    """Return the numbers that occur, and the corners of the curve: shares of records and of sum.

    Both begin with 0. They are empty if the sum is 0.
    """
    counts = known.value_counts().sort_index()
    numbers = counts.index.to_numpy(np.float64)
    held = np.append(0.0, (numbers * counts).cumsum())
    if not held[-1]:
        return numbers, np.array([]), np.array([])
    return numbers, np.append(0, counts.cumsum()) / len(known), held / held[-1]


def gini_and_shares(known: pd.Series[int]) -> dict[str, float]:
    """Return the Gini coefficient of some numbers, and the shares of the top; NaN for a sum of 0."""
    _, records, held = lorenz_curve(known)
    if not len(held):
        return dict.fromkeys(["gini", *_TOP_SHARES], math.nan)
    gini = 1 - float(np.sum(np.diff(records) * (held[1:] + held[:-1])))
    below = np.interp([1 - share for share in _TOP_SHARES.values()], records, held)
    return {"gini": gini, **dict(zip(_TOP_SHARES, (1 - below).tolist(), strict=True))}
