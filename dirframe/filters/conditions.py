"""Compute which records of a frame pass which filter."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from dirframe._display.values import is_number as _is_number
from dirframe.errors import InvalidInputError
from dirframe.stats._core.activity_months import FETCHED, states_of, timestamp, usual_month_of
from dirframe.stats._core.groupby import FIRST_MONTH, LAST_MONTH
from dirframe.stats.memberships import distinct_entries

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import NDArray

LANGUAGE = "analysis_main_language_name"
COUNTRY = "country_name"
CREATED = "created_at"

#: The filters whose values are chosen from those of a column.
CHOICES = {"languages": LANGUAGE, "countries": COUNTRY, "licenses": "licenses", "tags": "tags"}
NOUNS = {
    "languages": "main language",
    "countries": "country",
    "licenses": "licence",
    "tags": "tag",
}
_LISTS = ("licenses", "tags")

#: The range of the records without a value.
MISSING = (None, None)

#: The columns beside the tags that a search looks in, as far as a frame has them.
_SEARCHED = ("name", "description", "location", COUNTRY)

_DATES = {CREATED, FIRST_MONTH, LAST_MONTH, *FETCHED}

Activity = Literal["all", "active", "dormant"]
ACTIVITIES: tuple[Activity, ...] = get_args(Activity)
Range = tuple[float | None, float | None]

#: The columns that each filter requires; of several in one place, one is enough.
NEEDS: dict[str, tuple[str | tuple[str, ...], ...]] = {
    "search": ("name",),
    **{name: (column,) for name, column in CHOICES.items()},
    "years": (CREATED,),
    "activity": (FIRST_MONTH, LAST_MONTH, FETCHED),
}


class Choices(NamedTuple):
    """The values of a column to choose from: records by row number, each value once.

    The last code is that of the records without a value.
    """

    rows: NDArray[np.intp]
    codes: NDArray[np.intp]
    names: tuple[Any, ...]
    titles: tuple[str, ...]


class Conditions:
    """Which records of a frame pass which filter; each is computed once until it changes.

    Parameters
    ----------
    frame : pandas.DataFrame
        The records.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self._masks: dict[str, tuple[Any, NDArray[np.bool_]]] = {}
        self.choices = cache(self._choices)
        self._text = cache(partial(_text, frame))

    def all_of(self, filters: Mapping[str, Any], *, but: str = "") -> NDArray[np.bool_]:
        """Return which records pass all filters, by name, but one, or one of the ranges."""
        mask = np.ones(len(self.frame), dtype=bool)
        for name, value in filters.items():
            parts = value.items() if name == "ranges" else [(name, value)]
            for part, wanted in parts:
                if part != but:
                    mask &= self._mask(part, wanted, is_range=name == "ranges")
        return mask

    def _mask(self, name: str, value: Any, *, is_range: bool) -> NDArray[np.bool_]:
        key = f"range {name}" if is_range else name
        known = self._masks.get(key)
        if known is None or known[0] != value:
            self._require([name] if is_range else NEEDS[name], numbers=is_range)
            mask = self._range(name, value) if is_range else self._compute(name, value)
            known = self._masks[key] = (value, mask)
        return known[1]

    def _compute(self, name: str, value: Any) -> NDArray[np.bool_]:
        if name in CHOICES:
            return self._chosen(CHOICES[name], value)
        if name == "search":
            return self._having(value)
        if name == "years":
            mask = _within(_created(self.frame), *value)
        else:
            mask = activity_of(self.frame) == value
        result: NDArray[np.bool_] = mask.to_numpy(dtype=bool)
        return result

    def _chosen(self, column: str, wanted: Collection[str | None]) -> NDArray[np.bool_]:
        choices = self.choices(column)
        is_wanted = np.array([value in wanted for value in choices.names])
        mask = np.zeros(len(self.frame), dtype=bool)
        mask[choices.rows[is_wanted[choices.codes]]] = True
        return mask

    def _having(self, words: str) -> NDArray[np.bool_]:
        """Return which records have every word, or part of a word, in a text or a tag."""
        mask = np.ones(len(self.frame), dtype=bool)
        tags = self.choices("tags").names[:-1] if "tags" in self.frame else ()
        for word in words.casefold().split():
            matches = self._text().str.contains(word, regex=False).to_numpy(dtype=bool)
            if tags:
                matches = matches | self._chosen(
                    "tags", {tag for tag in tags if word in tag.casefold()}
                )
            mask &= matches
        return mask

    def _range(self, column: str, span: Range) -> NDArray[np.bool_]:
        numbers, (first, below) = self.frame[column], span
        if span == MISSING:
            return numbers.isna().to_numpy(dtype=bool)
        mask = numbers.notna()
        if first is not None:
            mask &= (numbers >= first).fillna(value=False)
        if below is not None:
            mask &= (numbers < below).fillna(value=False)
        return mask.to_numpy(dtype=bool)

    def _require(self, columns: Iterable[str | tuple[str, ...]], *, numbers: bool) -> None:
        if missing := unusable(self.frame, columns, is_number=numbers):
            kind = "number" if numbers else "date"
            absent = [name for name in missing if name not in self.frame]
            raise InvalidInputError(
                f"The frame has no column {', '.join(absent)}, by which it is to be filtered."
                if absent
                else f"The column {', '.join(missing)}, by which the frame is to be filtered, has "
                f"values that are no {kind}s."
            )

    def _choices(self, column: str) -> Choices:
        size = len(self.frame)
        if column in _LISTS:
            distinct = distinct_entries(self.frame, column)
            rows = distinct["project"].to_numpy()
            codes, values = pd.factorize(distinct["label"])
            titles = _titles(distinct)
        else:
            rows, titles = np.arange(size), {}
            codes, values = pd.factorize(self.frame[column])
            rows, codes = rows[codes >= 0], codes[codes >= 0]
        without = np.ones(size, dtype=bool)
        without[rows] = False
        rest = np.flatnonzero(without)
        names = tuple(map(str, values))
        return Choices(
            np.concatenate([rows, rest]),
            np.concatenate([codes, np.full(len(rest), len(names))]),
            (*names, None),
            (*(titles.get(name, name) for name in names), "(missing)"),
        )


def _titles(entries_by_row: pd.DataFrame) -> dict[str, str]:
    if "title" not in entries_by_row:
        return {}
    titled = entries_by_row.dropna(subset=["title"]).drop_duplicates("label")
    return dict(zip(titled["label"], titled["title"], strict=True))


def _text(records: pd.DataFrame) -> pd.Series[str]:
    """Return what a search looks in, apart from tags, without case."""
    texts = pd.Series("", index=records.index, dtype="str")
    for name in _SEARCHED:
        if name in records:
            texts = texts + "\n" + records[name].astype("str").fillna("")
    return texts.str.casefold()


def activity_of(projects: pd.DataFrame) -> pd.Series[str]:
    """Return whether each project is active, as defined by `dirframe.stats.activity`.

    Parameters
    ----------
    projects : pandas.DataFrame
        Projects as `dirframe.load_projects` gives them.

    Returns
    -------
    pandas.Series
        ``"active"`` or ``"dormant"`` (str) in the twelve months up to the month in which the code
        of the median project was fetched; missing if unknown or if the project begins later.

    Examples
    --------
    >>> projects = pd.DataFrame({
    ...     "analysis_min_month": pd.to_datetime(["2008-02-01", "2009-01-01", None]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2010-01-01", None]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02", None]),
    ... })
    >>> activity_of(projects).tolist()
    ['active', 'dormant', nan]
    """
    states = states_of(projects)
    return states.where(states.isin(["active", "dormant"]))


def month_shown(projects: pd.DataFrame) -> pd.Timestamp | None:
    """Return the reference month of `activity_of`; None if no fetch date is known."""
    month = usual_month_of(projects)
    return None if month is None else pd.Timestamp(timestamp(month))


def years(frame: pd.DataFrame) -> tuple[int, int] | None:
    """Return the first and last year in which a record was created; None without dates."""
    if not usable(frame, CREATED) or frame[CREATED].isna().all():
        return None
    created = _created(frame)
    return int(created.min()), int(created.max())


def _created(frame: pd.DataFrame) -> pd.Series[Any]:
    """Return the years of creation in UTC, as those of the statistics."""
    return pd.to_datetime(frame[CREATED], utc=True).dt.year


def _within(years: pd.Series[Any], first: int | None, last: int | None) -> pd.Series[bool]:
    if first is None and last is None:
        return years.isna()
    return years.between(-np.inf if first is None else first, np.inf if last is None else last)


def unusable(
    frame: pd.DataFrame, columns: Iterable[str | tuple[str, ...]], *, is_number: bool = False
) -> list[str]:
    """Return the required columns that are not `usable`; the first of alternatives for them."""
    required = [(column,) if isinstance(column, str) else column for column in columns]
    return [
        names[0]
        for names in required
        if not any(usable(frame, name, is_number=is_number) for name in names)
    ]


def usable(frame: pd.DataFrame, column: str, *, is_number: bool = False) -> bool:
    """Return whether a column exists and, for a date column or a range, holds its type."""
    if column not in frame:
        return False
    if is_number:
        return _is_number(frame[column].dtype)
    return column not in _DATES or pd.api.types.is_datetime64_any_dtype(frame[column])
