"""Resolve each distinct value of a column of countries once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dirframe._arrow import type_name
from dirframe.clean._overrides import Overrides, checked_overrides
from dirframe.clean._reasons import Reason, explain
from dirframe.clean.name_index import Resolution
from dirframe.clean.resolver import resolve
from dirframe.errors import InvalidInputError
from dirframe.provenance import ATTRIBUTE, copy_provenance, get_provenance

if TYPE_CHECKING:
    from collections.abc import Hashable


@dataclass(frozen=True)
class ColumnResolution:
    """Distinct values of a column, with their counts and resolutions.

    `codes` holds, for every row, the index of its value in `values`; -1 is a missing value.
    """

    codes: npt.NDArray[np.intp]
    values: list[Hashable]
    counts: npt.NDArray[np.intp]
    answers: list[Resolution]

    @property
    def missing(self) -> int:
        """Number of rows without a value."""
        return int((self.codes < 0).sum())

    @property
    def is_unresolved(self) -> npt.NDArray[np.bool_]:
        """Whether each value is unresolved."""
        return np.array([answer.alpha_2 is None for answer in self.answers], dtype=bool)

    def failures(self) -> list[tuple[Hashable, int, str]]:
        """Return the unresolved values with count and reason, most frequent first."""
        failures = [
            (self.values[i], int(self.counts[i]), explain(self.values[i], self.answers[i].reason))
            for i in np.flatnonzero(self.is_unresolved)
        ]
        return sorted(failures, key=lambda failure: (-failure[1], str(failure[0])))

    def attach(
        self, source: pd.DataFrame | pd.Series[Any], target: pd.DataFrame, step: str
    ) -> pd.DataFrame:
        """Copy the provenance to the result and add the counts of this resolution."""
        # The step is idempotent, so it is recorded once.
        last_step = get_provenance(source)["steps"][-1:]
        copy_provenance(source, target, "" if last_step == [step] else step)
        target.attrs[ATTRIBUTE]["countries"] = self.summary()
        return target

    def summary(self) -> dict[str, int]:
        """Return the counts that are stored in the attributes of a frame."""
        is_unresolved = self.is_unresolved
        unresolved = int(self.counts[is_unresolved].sum())
        return {
            "records": len(self.codes),
            "resolved": len(self.codes) - self.missing - unresolved,
            "missing": self.missing,
            "unresolved": unresolved,
            "unresolved_values": int(is_unresolved.sum()),
        }


def raw_column(data: pd.DataFrame | pd.Series[Any], column: str) -> pd.Series[Any]:
    """Return the column of raw values; raise if the frame does not have exactly one."""
    if isinstance(data, pd.Series):
        return data
    if not isinstance(data, pd.DataFrame):
        raise InvalidInputError(
            f"A DataFrame or a Series of countries is asked for, not {type_name(data)}."
        )
    positions = [position for position, name in enumerate(data.columns) if name == column]
    if len(positions) != 1:
        raise InvalidInputError(
            f"The frame has {len(positions) or 'no'} column{'s' if positions else ''} {column!r}. It has "
            f"{', '.join(map(repr, data.columns[:30])) or 'no column at all'}.",
            hint="Pass column= (--column) to name the one that holds the countries.",
        )
    return data.iloc[:, positions[0]]


def resolve_column(raw: pd.Series[Any], overrides: Overrides | None) -> ColumnResolution:
    """Resolve each distinct value of a column once."""
    codes_by_value = checked_overrides(overrides)
    codes, uniques = pd.factorize(raw)
    values = list(uniques)
    counts = np.bincount(codes[codes >= 0], minlength=len(values)).astype(np.intp)
    return ColumnResolution(
        codes, values, counts, [_resolve(value, codes_by_value) for value in values]
    )


def _resolve(value: Hashable, overrides: dict[Hashable, str | None]) -> Resolution:
    if value in overrides:
        code = overrides[value]
        if code is None:
            return Resolution(None, reason=Reason.OVERRIDE)
        return Resolution(code, "override")
    return resolve(value)
