"""From a column to one resolution for each distinct value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dirframe.clean._overrides import Overrides, checked_overrides
from dirframe.clean._reasons import explain
from dirframe.clean.name_index import Resolution
from dirframe.clean.resolver import resolve
from dirframe.errors import Hint, InvalidInputError
from dirframe.provenance import ATTRIBUTE, copy_provenance, get_provenance

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = ["ColumnResolution", "raw_column", "resolve_column"]


@dataclass(frozen=True)
class ColumnResolution:
    """The distinct values of a column, how often each is there, and what became of it.

    `codes` has, for every row, the place of its value in `values`, -1 for a missing one.
    """

    codes: npt.NDArray[np.intp]
    values: list[Hashable]
    counts: npt.NDArray[np.intp]
    answers: list[Resolution]

    @property
    def rows(self) -> int:
        """How many rows the column has."""
        return len(self.codes)

    @property
    def mixed(self) -> bool:
        """Whether there are values that are no text."""
        return not all(isinstance(value, str) for value in self.values)

    @property
    def missing(self) -> int:
        """How many rows have no value."""
        return int(self.rows - self.counts.sum())

    @property
    def unresolved(self) -> int:
        """How many rows have a value without an answer."""
        return int(
            sum(
                count
                for count, one in zip(self.counts, self.answers, strict=True)
                if one.alpha_2 is None
            )
        )

    def failures(self) -> list[tuple[Hashable, int, str]]:
        """Return the values without an answer, each with its count and reason, most first."""
        found = [
            (value, int(count), explain(value, one.reason))
            for value, count, one in zip(self.values, self.counts, self.answers, strict=True)
            if one.alpha_2 is None
        ]
        return sorted(found, key=lambda failure: (-failure[1], str(failure[0])))

    def attach(
        self, source: pd.DataFrame | pd.Series[Any], target: pd.DataFrame, step: str
    ) -> pd.DataFrame:
        """Hand the provenance on, with the counts of this look-up."""
        # Doing it twice changes nothing, so it is noted once.
        done = get_provenance(source)["steps"][-1:]  # type: ignore[arg-type]  # a Series has attrs too
        copy_provenance(source, target, "" if done == [step] else step)  # type: ignore[arg-type]  # the same
        target.attrs[ATTRIBUTE]["countries"] = self.summary()
        return target

    def summary(self) -> dict[str, int]:
        """Return the counts that a frame carries along."""
        return {
            "records": self.rows,
            "resolved": self.rows - self.missing - self.unresolved,
            "missing": self.missing,
            "unresolved": self.unresolved,
            "unresolved_values": sum(one.alpha_2 is None for one in self.answers),
        }


def raw_column(data: pd.DataFrame | pd.Series[Any], column: str) -> pd.Series[Any]:
    """Return the column of raw values; a frame without it is an error."""
    if isinstance(data, pd.Series):
        return data
    if not isinstance(data, pd.DataFrame):
        raise InvalidInputError(
            f"A DataFrame or a Series of countries is asked for, not {type(data).__name__}."
        )
    places = [place for place, name in enumerate(data.columns) if name == column]
    if len(places) != 1:
        raise InvalidInputError(
            f"The frame has {len(places) or 'no'} column{'s' if places else ''} {column!r}. It has "
            f"{', '.join(map(repr, data.columns[:30])) or 'no column at all'}.",
            hint=Hint(
                "Pass column= to name the one that holds the countries.",
                shell="Give --column to name the one that holds the countries.",
            ),
        )
    return data.iloc[:, places[0]]


def resolve_column(raw: pd.Series[Any], overrides: Overrides | None) -> ColumnResolution:
    """Resolve each distinct value of a column once."""
    chosen = checked_overrides(overrides)
    codes, uniques = pd.factorize(raw)
    values = list(uniques)
    counts = np.bincount(codes[codes >= 0], minlength=len(values)).astype(np.intp)
    return ColumnResolution(codes, values, counts, [_resolve(value, chosen) for value in values])


def _resolve(value: Hashable, chosen: dict[Hashable, str | None]) -> Resolution:
    if value in chosen:
        code = chosen[value]
        if code is None:
            return Resolution(None, reason="an override says: no country")
        return Resolution(code, "override")
    return resolve(value)
