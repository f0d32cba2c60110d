"""The explorer's filters: what there is to choose, and how many records each choice gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dirframe import provenance
from dirframe.selection import select
from dirframe.stats.entries import Codes, distinct_pairs, license_codes, tag_codes
from dirframe.stats.lifetimes import states_of

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
        absent = provenance.absent(frame, frame.columns)
        known = {*frame} - {*(absent.columns if absent else ())}
        self._values = {
            name: _most_frequent_first(frame[column])
            for name, column in VALUES.items()
            if column in known
        }
        if "created_at" in known and isinstance(frame["created_at"].dtype, pd.DatetimeTZDtype):
            self._values["years"] = _in_order(frame["created_at"].dt.year)
        if {"analysis_min_month", "analysis_max_month"} <= known:
            states = states_of(frame).set_categories(["active", "dormant"])
            self._values["activity"] = _in_order(pd.Series(states))

    def options(self, choices: dict[str, Any]) -> dict[str, list[tuple[str, Any]]]:
        """Return what to choose from by control; one that lacks its column is not in it."""
        options: dict[str, list[tuple[str, Any]]] = {"search": []} if "name" in self._frame else {}
        for name, (rows, codes, values) in self._values.items():
            passing = np.ones(len(self._frame), dtype=bool)
            for other in choices.keys() - {name}:
                passing &= self._mask(other, choices[other])
            counts = np.bincount(codes[passing[rows]], minlength=len(values))
            counted = [
                (f"{value or '(none)'} ({count:,})", value or None)
                for value, count in zip(values, counts, strict=True)
            ]
            if name == "years":
                options["first_year"] = options["last_year"] = [ANY_YEAR, *counted]
            elif name == "activity":
                options[name] = [ANY_ACTIVITY, *counted]
            else:
                none = [choice for choice in counted[_LISTED:] if choice[1] is None]
                options[name] = [*counted[:_LISTED], *none]
        return options

    def _mask(self, name: str, value: Any) -> NDArray[np.bool_]:
        """Return which records pass one filter; the last answer is kept, as it is asked again."""
        if name not in self._masks or self._masks[name][0] != value:
            mask = np.zeros(len(self._frame), dtype=bool)
            mask[select(self._frame, **{name: value}).index] = True
            self._masks[name] = (value, mask)
        return self._masks[name][1]


def _most_frequent_first(column: pd.Series[Any]) -> Codes:
    """Return the values of a column of texts or lists, and "" at the end for none."""
    if column.name == "tags":
        rows, codes, names = tag_codes(column)
    elif column.name == "licenses":
        (rows, codes, names), _ = license_codes(column)
    else:
        rows, codes, names = _in_order(column)
    rows, codes = distinct_pairs(rows, codes, len(names))
    order = np.argsort(-np.bincount(codes, minlength=len(names)), kind="stable")
    codes, names = np.argsort(order)[codes], [names[number] for number in order]
    if (without := np.setdiff1d(np.arange(len(column)), rows)).size:
        rows, codes = np.append(rows, without), np.append(codes, np.full(without.size, len(names)))
        names.append("")
    return rows, codes, names


def _in_order(column: pd.Series[Any]) -> Codes:
    codes, values = pd.factorize(column, sort=True)
    rows = np.flatnonzero(codes >= 0)
    return rows, codes[rows], values.tolist()
