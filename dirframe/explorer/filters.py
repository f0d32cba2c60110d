"""The explorer's filters: what there is to choose, and how many records each choice gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe.selection import select

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The filters by values, with the column of each.
VALUES = {
    "languages": "analysis_main_language_name",
    "countries": "country_name",
    "licenses": "licenses",
    "tags": "tags",
}
ANY_YEAR = ("any year", 0)
ANY_ACTIVITY = ("active or not", "all")
_LISTED = 300  # values of a list, the most frequent: a browser shows them without delay


class Filters:
    """Counts the records of a frame by each filter, as far as the other filters let them pass."""

    def __init__(self, frame: pd.DataFrame) -> None:
        # `select` tells which records pass by their number.
        self._frame = frame.set_axis(range(len(frame)), axis=0)
        self._masks: dict[str, tuple[Any, NDArray[np.bool_]]] = {}
        self._values = {n: _encoded(self._frame[c]) for n, c in VALUES.items() if c in frame}
        if "created_at" in frame and isinstance(frame["created_at"].dtype, pd.DatetimeTZDtype):
            self._values["years"] = _encoded(self._frame["created_at"].dt.year)
        self._has_activity = {"analysis_min_month", "analysis_max_month"} <= {*frame}

    def options(self, choices: dict[str, Any]) -> dict[str, list[tuple[str, Any]]]:
        """Return what to choose from by filter, with counts; a filter that has no column is not in it."""
        options: dict[str, list[tuple[str, Any]]] = {}
        for name, (rows, codes, values) in self._values.items():
            counts = np.bincount(
                codes[self._passing(choices, but=name)[rows]], minlength=len(values)
            )
            counted = list(zip(values, counts, strict=True))
            if name == "years":
                years = sorted((int(year), n) for year, n in counted if year is not None)
                options[name] = [ANY_YEAR, *((f"{year} ({n:,})", year) for year, n in years)]
            else:
                options[name] = [(f"{v or '(none)'} ({n:,})", v) for v, n in counted][:_LISTED]
        if self._has_activity:
            passing = self._passing(choices, but="activity")
            options["activity"] = [ANY_ACTIVITY]
            for state in ("active", "dormant"):
                count = int((passing & self._mask("activity", state)).sum())
                options["activity"].append((f"{state} ({count:,})", state))
        return options

    def _passing(self, choices: dict[str, Any], *, but: str) -> NDArray[np.bool_]:
        passing = np.ones(len(self._frame), dtype=bool)
        for name, value in choices.items():
            if name != but:
                passing &= self._mask(name, value)
        return passing

    def _mask(self, name: str, value: Any) -> NDArray[np.bool_]:
        """Return which records pass one filter; the last answer is kept, as it is asked again."""
        key = value if name == "activity" else name
        if key not in self._masks or self._masks[key][0] != value:
            mask = np.zeros(len(self._frame), dtype=bool)
            mask[select(self._frame, **{name: value}).index] = True
            self._masks[key] = (value, mask)
        return self._masks[key][1]


def _encoded(column: pd.Series[Any]) -> tuple[NDArray[Any], NDArray[Any], list[Any]]:
    """Return rows, codes and the values of the codes, the most frequent first, None last.

    A record is there once for each of its tags or licences.
    """
    if column.name in {"licenses", "tags"}:
        column = column.map(_names).explode()
    values = column.value_counts().index
    codes = values.get_indexer(pd.Index(column))
    return (
        column.index.to_numpy(),
        np.where(codes < 0, len(values), codes),
        [*values, *([None] if (codes < 0).any() else [])],
    )


def _names(entries: Any) -> list[str]:
    if not isinstance(entries, list | tuple | np.ndarray):
        return []
    names = (entry.get("name") if isinstance(entry, dict) else entry for entry in entries)
    return list(dict.fromkeys(name for name in names if name))
