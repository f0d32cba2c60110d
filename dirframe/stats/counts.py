"""What statistics count with: names, valid numbers, groups and reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dirframe._arrow import too_large
from dirframe.errors import InvalidInputError

Mask: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]

_LARGEST = 2**63 - 1


def as_bool(mask: Any) -> Mask:
    """Return a mask in which a missing value is False."""
    if isinstance(mask, pd.Series) and mask.dtype == "boolean":
        return mask.to_numpy(dtype=bool, na_value=False)
    return np.asarray(mask, dtype=bool)


def as_names(texts: pd.Series[Any]) -> pd.Series[Any]:
    """Return texts as categories by code point, without blanks around them; blank is missing."""
    names = texts.astype("category")
    stripped = [str(name).strip() for name in names.cat.categories]
    if stripped == list(names.cat.categories) and "" not in stripped:
        return names
    different = sorted(set(stripped) - {""})
    place = {name: number for number, name in enumerate(different)} | {"": -1}
    # The last place is that of the code -1, which is missing already.
    places = np.array([place[name] for name in stripped] + [-1])
    codes = places[names.cat.codes.to_numpy()]
    categories = pd.Categorical.from_codes(codes, pd.Index(different, dtype="str"))
    return pd.Series(categories, index=texts.index, name=texts.name)


def as_texts(texts: pd.Series[Any]) -> pd.Series[Any]:
    """Return texts without blanks around them; blank is missing."""
    names = as_names(texts)
    different = names.cat.categories.array  # by it, a tenth of the time of astype
    stripped = different.take(names.cat.codes.to_numpy(), allow_fill=True)
    return pd.Series(stripped, index=texts.index, name=texts.name, dtype="str")


def first_reason(reasons: Mapping[str, Any]) -> pd.Categorical[str]:
    """Return the name of the first reason that holds for each record; empty if none does."""
    masks = [as_bool(mask) for mask in reasons.values()]
    codes = np.select(masks, list(range(1, len(masks) + 1)), default=0)
    return pd.Categorical.from_codes(codes.astype(np.int8), pd.Index(["", *reasons]))


def count_reasons(reason: pd.Categorical[str], names: Sequence[str]) -> dict[str, int]:
    """Return how many records have each reason."""
    return {name: int((reason == name).sum()) for name in names}


def count_unusable(numbers: pd.Series[Any], what: str) -> dict[str, int]:
    """Count the numbers that are missing, and those that are negative."""
    return {
        f"{what}_missing": int(numbers.isna().sum()),
        f"{what}_negative": int((numbers < 0).sum()),
    }


def valid_numbers(numbers: pd.Series[Any]) -> pd.Series[int]:
    """Return the numbers of 0 or more."""
    return numbers[as_bool(numbers >= 0)].astype("int64")


def check_sum_fits(numbers: pd.Series[Any]) -> None:
    """Raise if the sum of numbers of 0 or more is beyond 64 bits, which pandas would wrap."""
    known = numbers.dropna()
    if known.empty or int(known.max()) * len(known) <= _LARGEST:
        return
    if sum(int(number) for number in known) > _LARGEST:
        raise InvalidInputError(too_large(str(numbers.name)))


def share_of(part: pd.Series[Any], whole: float) -> pd.Series[Any]:
    """Return parts as shares of a whole; of a whole of 0 they are missing."""
    if not whole:
        return pd.Series(None, part.index, dtype="Float64")
    return (part / whole).astype("Float64")


def later_median(values: pd.Series[Any]) -> Any:
    """Return the median of the values that are known, of two the later; None if there is none."""
    known = values.dropna()
    return None if known.empty else known.quantile(interpolation="higher")


# Groups


def sort_groups(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Sort groups by columns, descending; those that tie by their names in the index."""
    table = table.set_axis(pd.Index(table.index, dtype="str")).sort_index()
    return table.sort_values(list(columns), ascending=False, kind="stable")


def split_top(table: pd.DataFrame, top: int | None, noun: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the first rows, and the others; a single other row stays with the first."""
    check_top(top, noun)
    if top is None or len(table) <= top + 1:  # "other (1 language)" would save no row
        return table, table[:0]
    return table[:top], table[top:]


def with_other_row(
    table: pd.DataFrame, others: pd.DataFrame, noun: str, row: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Add one row for the other groups: the given one, or the sums of their columns."""
    if others.empty:
        return table
    if row is None:
        row = {str(name): others[name].sum(min_count=1) for name in others}
    added = pd.DataFrame([row], index=pd.Index([other_label(len(others), noun)], dtype="str"))
    return pd.concat([table, added.astype(table.dtypes.to_dict())])


def name_groups(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a table with the names of the groups as its first column."""
    names = pd.Series(table.index, index=table.index, dtype="str", name=name)
    return pd.concat([names, table], axis=1).reset_index(drop=True)


def other_label(groups: int, noun: str) -> str:
    """Return the name of the row that several groups share."""
    return f"other ({groups:,} {noun})"


# Options


def check_top(top: object, noun: str) -> None:
    """Raise unless an option is a number of rows, or None for all."""
    if top is not None:
        whole_number("top", top, least=1, ending=f"or None for all {noun}")


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
