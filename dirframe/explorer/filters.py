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
        self._frame = frame = frame.set_axis(range(len(frame)), axis=0)
        self._masks: dict[str, tuple[Any, NDArray[np.bool_]]] = {}
        self._values = {
            n: _values(frame[column]) for n, column in VALUES.items() if column in frame
        }
        if "created_at" in frame and isinstance(frame["created_at"].dtype, pd.DatetimeTZDtype):
            years = frame["created_at"].dt.year.dropna()
            self._values["years"] = years.astype("int64").astype("category")

    def options(self, choices: dict[str, Any]) -> dict[str, list[tuple[str, Any]]]:
        """Return what to choose from by control; one that lacks its column is not in it."""
        options: dict[str, list[tuple[str, Any]]] = {"search": []} if "name" in self._frame else {}
        for name, values in self._values.items():
            passing = self._passing(choices, but=name)[values.index]
            counts: dict[Any, int] = values[passing].value_counts(sort=False).to_dict()
            counted = [(f"{v or '(none)'} ({n:,})", v or None) for v, n in counts.items()]
            if name == "years":
                options["first_year"] = options["last_year"] = [ANY_YEAR, *counted]
            else:
                options[name] = counted[:_LISTED]
        if {"analysis_min_month", "analysis_max_month"} <= {*self._frame}:
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


def _values(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return the values by record, as categories from the most frequent to "", that of no value.

    A record is there once for each of its tags or licences.
    """
    if column.name in {"licenses", "tags"}:
        column = column.map(_names).explode()
    values = column.fillna("")
    order = sorted(values.value_counts().index, key=lambda value: value == "")
    return values.astype(pd.CategoricalDtype(order))


def _names(entries: Any) -> list[str]:
    if not isinstance(entries, list | tuple | np.ndarray):
        return []
    names = (entry.get("name") if isinstance(entry, dict) else entry for entry in entries)
    return list(dict.fromkeys(name for name in names if name))
