"""What the statistics share: groups in a stable order, and whole numbers that may be missing.

What stays out: the statistics themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Counts:
    """A column of whole numbers of which some are missing and some impossible.

    `numbers` holds 0 where a row is not `known`.
    """

    numbers: NDArray[np.int64]
    missing: NDArray[np.bool_]
    negative: NDArray[np.bool_]

    @classmethod
    def of(cls, frame: pd.DataFrame, *columns: str) -> Self:
        """Read the first of the columns that has a value, row by row."""
        numbers = np.zeros(len(frame), dtype=np.int64)
        missing = np.ones(len(frame), dtype=bool)
        for name in columns:
            if name in frame:
                column = _whole_numbers(frame[name])
                np.copyto(numbers, column.to_numpy(dtype=np.int64, na_value=0), where=missing)
                missing &= column.isna().to_numpy(dtype=bool)
        return cls(np.maximum(numbers, 0), missing, numbers < 0)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """The rows whose value counts."""
        return ~(self.missing | self.negative)

    def sums(self, groups: Groups) -> pd.Series[int]:
        """Sum up each group; missing where the group has no known value."""
        sums = np.zeros(len(groups.names) + 1, dtype=np.int64)
        np.add.at(sums, groups.of_row, self.numbers)  # rows of no group go to the last entry
        nothing = groups.sizes == groups.sizes_of(~self.known)
        return pd.Series(sums[:-1], dtype="Int64").mask(nothing)

    def left_out(self, noun: str, rows: NDArray[np.bool_]) -> dict[str, int]:
        """Count what is not in the sums, among some of the rows."""
        return {
            f"{noun}_missing": int((self.missing & rows).sum()),
            f"{noun}_negative": int((self.negative & rows).sum()),
        }


@dataclass(frozen=True)
class Groups:
    """Rows put into groups: `of_row` is the number of a row's group, -1 for none.

    `distinct` is how many there were before the last `pooled` of them became one.
    """

    of_row: NDArray[np.intp]
    names: list[str]
    sizes: NDArray[np.intp]
    distinct: int
    pooled: int

    @cached_property
    def named(self) -> NDArray[np.bool_]:
        """The rows that are in a group."""
        return self.of_row >= 0

    def sizes_of(self, rows: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Rows in each group, counting some of the rows only."""
        return _sizes(self.of_row[rows], len(self.names))


def group(
    labels: pd.Series[str], *, top: int | None, noun: str, weights: Counts | None = None
) -> Groups:
    """Group rows by a label, the heaviest group first, then the largest, then by name."""
    if top is not None and top < 1:
        raise InvalidInputError(f"top is {top}; it must be 1 or more, or None for all {noun}.")
    codes, names = _numbered(labels)
    sizes = _sizes(codes, len(names))
    order = pd.DataFrame({"weight": sizes, "size": sizes, "name": names})
    if weights is not None:
        order["weight"] = weights.sums(Groups(codes, list(names), sizes, len(names), 0)).fillna(-1)
    order = order.sort_values(["weight", "size", "name"], ascending=[False, False, True])
    ranked = list(order["name"])
    pooled = max(len(ranked) - top, 0) if top is not None else 0
    if pooled == 1:  # "other (1 language)" would hide a name and save no row
        pooled = 0
    kept = len(ranked) - pooled
    # One entry more than there are names: a missing label has the code -1, the last entry.
    place = np.full(len(names) + 1, -1, dtype=np.intp)
    place[order.index.to_numpy()] = np.minimum(np.arange(len(ranked)), kept)
    totals = order["size"].to_numpy()
    rest = [f"other ({pooled:,} {noun})"] if pooled else []
    return Groups(
        of_row=place[codes],
        names=ranked[:kept] + rest,
        sizes=np.append(totals[:kept], [totals[kept:].sum()] if pooled else []).astype(np.intp),
        distinct=len(ranked),
        pooled=pooled,
    )


def finish(
    source: pd.DataFrame,
    result: pd.DataFrame,
    *,
    step: str,
    resource: str,
    counted: dict[str, int],
) -> pd.DataFrame:
    """Hand the provenance on to a statistic, with what it counted."""
    provenance.carry(source, result, step)
    return provenance.attach(result, resource=resource, counted=counted)


def require(frame: pd.DataFrame, *columns: str, giver: str) -> None:
    """Refuse what is no frame with these columns, and say who gives one."""
    if not isinstance(frame, pd.DataFrame):
        raise InvalidInputError(
            f"A DataFrame as {giver} gives it was expected; a {type(frame).__name__} came."
        )
    if missing := [column for column in columns if column not in frame]:
        raise InvalidInputError(
            f"The frame has no column {', '.join(missing)}. Pass one as {giver} gives it."
        )


def _numbered(labels: pd.Series[str]) -> tuple[NDArray[np.intp], pd.Index[str]]:
    """Give each label a number; one that is missing or blank gets -1."""
    codes, found = pd.factorize(labels)
    names = pd.Index(found).astype("str")
    blank = (names.str.strip() == "").astype(bool)
    if blank.any():
        place = np.where(blank, -1, np.cumsum(~blank) - 1)
        codes, names = np.append(place, -1)[codes], names[~blank]
    return codes, names


def _sizes(codes: NDArray[np.intp], groups: int) -> NDArray[np.intp]:
    return np.bincount(codes + 1, minlength=groups + 1)[1:]


def _whole_numbers(column: pd.Series[int]) -> pd.Series[int]:
    if isinstance(column.dtype, pd.Int64Dtype):
        return column
    try:
        return pd.to_numeric(column).astype("Int64")
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"The column {column.name} must hold whole numbers: {error}."
        ) from error
