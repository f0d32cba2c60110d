"""The explorer's filters: what there is to choose, and how many records each choice gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dirframe import provenance
from dirframe.stats.activity import STATED_CLASS, UNKNOWN, states_of
from dirframe.stats.counts import as_texts
from dirframe.stats.licenses import license_entries
from dirframe.stats.lists import explode

if TYPE_CHECKING:
    from dirframe.selection import SearchedTexts

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


@dataclass(frozen=True)
class Choices:
    """The values of a filter in their order, and the row and the place of each value of a record."""

    rows: NDArray[np.intp]
    places: NDArray[np.intp]
    values: list[Any]
    titles: Mapping[Any, str] = field(default_factory=dict)  # of values that are codes

    def label(self, value: Any, count: int) -> str:
        """Return the words of a value in a list, with the number of records that have it."""
        title = self.titles.get(value, value) or "(none)"
        return f"{title} ({count:,})"

    def count(self, passing: NDArray[np.bool_]) -> dict[Any, int]:
        """Return the number of the records that pass by value."""
        places = self.places[passing[self.rows]]
        counts = np.bincount(places, minlength=len(self.values))
        return dict(zip(self.values, counts.tolist(), strict=True))

    def rows_with(self, is_wanted: Callable[[Any], bool]) -> NDArray[np.intp]:
        """Return the rows of the records with a wanted value."""
        is_wanted_at = np.array([is_wanted(value) for value in self.values], dtype=bool)
        rows: NDArray[np.intp] = self.rows[is_wanted_at[self.places]]
        return rows


class Filters:
    """Counts the records of a frame by each filter, as far as the other filters let them pass."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._texts: SearchedTexts | None = None  # read at the first search
        self._masks: dict[str, tuple[Any, NDArray[np.bool_]]] = {}
        absent = provenance.absent(frame, frame.columns)
        known = {*frame} - {*(absent.columns if absent else ())}
        self._values = {
            name: _most_frequent_first(frame[column])
            for name, column in VALUES.items()
            if column in known
        }
        if "created_at" in known and isinstance(frame["created_at"].dtype, pd.DatetimeTZDtype):
            self._values["years"] = _ascending(frame["created_at"].dt.year.astype("Int64"))
        months = {"analysis_min_month", "analysis_max_month"}
        not_sent = {*provenance.get_provenance(frame)["not_sent"]}
        is_class_stated = STATED_CLASS in known and months <= not_sent
        if months <= known or is_class_stated:
            states = pd.Series(states_of(frame)).astype("str")
            states = states.mask(states.isin(UNKNOWN), "unknown")
            is_state = states.isin(["active", "dormant", "unknown"])
            self._values["activity"] = _ascending(states.where(is_state))

    def options(self, choices: dict[str, Any]) -> dict[str, list[tuple[str, Any]]]:
        """Return what to choose from by control; one that lacks its column is not in it."""
        options: dict[str, list[tuple[str, Any]]] = {"search": []} if "name" in self._frame else {}
        for name, choice in self._values.items():
            others = {other: value for other, value in choices.items() if other != name}
            numbers = choice.count(self.passing(others))
            if name in VALUES:
                options[name] = _most_first(choice, numbers, chosen=choices.get(name, ()))
                continue
            counted = [(choice.label(value, number), value) for value, number in numbers.items()]
            if name == "years":
                options["first_year"] = [ANY_YEAR, *counted]
                options["last_year"] = [ANY_YEAR, *counted]
            else:
                options[name] = [ANY_ACTIVITY, *counted]
        return options

    def passing(self, choices: dict[str, Any]) -> NDArray[np.bool_]:
        """Return which records pass all filters."""
        passing = np.ones(len(self._frame), dtype=bool)
        for name, value in choices.items():
            passing &= self._mask(name, value)
        return passing

    def _mask(self, name: str, value: Any) -> NDArray[np.bool_]:
        """Return which records pass one filter; the last answer is kept, as it is asked again."""
        if name not in self._masks or self._masks[name][0] != value:
            self._masks[name] = (value, self._new_mask(name, value))
        return self._masks[name][1]

    def _new_mask(self, name: str, value: Any) -> NDArray[np.bool_]:
        if name == "search":
            return self._searched_texts().matching(value)
        if name == "years":
            first, last = value
            rows = self._values[name].rows_with(
                lambda year: (first is None or first <= year) and (last is None or year <= last)
            )
        elif name == "activity":
            rows = self._values[name].rows_with(lambda state: state == value)
        else:
            wanted = {"" if one is None else one for one in value}
            rows = self._values[name].rows_with(lambda one: one in wanted)
        mask = np.zeros(len(self._frame), dtype=bool)
        mask[rows] = True
        return mask

    def _searched_texts(self) -> SearchedTexts:
        if self._texts is None:
            from dirframe.selection import SearchedTexts

            self._texts = SearchedTexts(self._frame)
        return self._texts


def _most_first(
    choice: Choices, numbers: Mapping[Any, int], *, chosen: Sequence[Any]
) -> list[tuple[str, Any]]:
    """Return the values with the most records that are left, those chosen, and at the end none."""
    by_number = sorted(filter(None, choice.values), key=lambda value: -numbers[value])
    listed = by_number[:_LISTED]
    listed += [value for value in by_number[_LISTED:] if value in chosen]
    options = [(choice.label(value, numbers[value]), value) for value in listed]
    if "" in numbers:
        options.append((choice.label("", numbers[""]), None))
    return options


def _most_frequent_first(column: pd.Series[Any]) -> Choices:
    """Return the values of a column of texts or lists, and "" at the end for none."""
    titles: dict[Any, str] = {}
    if column.name == "tags":
        entries = explode(column, ["tag"]).rename(columns={"tag": "value"})
    elif column.name == "licenses":
        entries = license_entries(column).rename(columns={"license": "value"})
        titles = entries.dropna(subset=["title"]).groupby("value")["title"].min().to_dict()
    else:
        names = as_texts(column)
        entries = pd.DataFrame({"record": range(len(column)), "value": names})
    entries = entries[["record", "value"]].dropna()
    codes, different = pd.factorize(entries["value"], sort=True)
    pairs = pd.DataFrame({"record": entries["record"].to_numpy(), "code": codes}).drop_duplicates()
    by_number = np.argsort(-np.bincount(pairs["code"]), kind="stable")
    values = [different[code] for code in by_number]
    place_of_code = np.empty(len(values), dtype=np.intp)
    place_of_code[by_number] = np.arange(len(values))
    rows = pairs["record"].to_numpy()
    places = place_of_code[pairs["code"]]
    without = pd.RangeIndex(len(column)).difference(pd.Index(rows)).to_numpy()
    if len(without):
        rows = np.concatenate([rows, without])
        places = np.concatenate([places, np.full(len(without), len(values))])
        values.append("")
    return Choices(rows, places, values, titles)


def _ascending(column: pd.Series[Any]) -> Choices:
    """Return the values of a column, without those that are missing."""
    known = column.reset_index(drop=True).dropna()
    places, values = pd.factorize(known, sort=True)
    return Choices(known.index.to_numpy(), places, values.tolist())
