"""Filter records by words, language, country, year and activity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import pandas as pd

from dirframe import provenance
from dirframe._display.values import entries
from dirframe.errors import InvalidInputError
from dirframe.stats._core.activity_months import FETCHED, states_of, timestamp, usual_month_of
from dirframe.stats._core.groupby import FIRST_MONTH, LAST_MONTH

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ACTIVITIES",
    "COUNTRY",
    "CREATED",
    "LANGUAGE",
    "Filters",
    "activity_of",
    "matches",
    "month_shown",
    "years",
]

LANGUAGE = "analysis_main_language_name"
COUNTRY = "country_name"
CREATED = "created_at"

#: The columns that a search looks in, as far as a frame has them.
_SEARCHED = ("name", "description", "tags", "location", COUNTRY)

_DATES = {CREATED, FIRST_MONTH, LAST_MONTH, *FETCHED}

Activity = Literal["all", "active", "dormant"]
ACTIVITIES: tuple[Activity, ...] = get_args(Activity)

#: The columns that each filter requires.
_NEEDS = {
    "search": ("name",),
    "languages": (LANGUAGE,),
    "countries": (COUNTRY,),
    "years": (CREATED,),
    "activity": (FIRST_MONTH, LAST_MONTH, FETCHED[0]),
}


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Filters for the records shown; a record with a missing value does not pass its filter.

    Parameters
    ----------
    search : str
        Words that `matches` looks for; empty for all.
    languages : tuple of str
        Main languages of projects; empty for all.
    countries : tuple of str
        Countries of accounts, as `dirframe.unify_countries` names them; empty for all.
    years : tuple of int or None
        First and last year in which the record was created in the directory; None for all.
    activity : {"all", "active", "dormant"}
        As returned by `activity_of`.
    """

    search: str = ""
    languages: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    years: tuple[int, int] | None = None
    activity: Activity = "all"

    def __post_init__(self) -> None:
        if self.activity not in ACTIVITIES:
            raise InvalidInputError(
                f"activity is {self.activity!r}; choose one of {', '.join(ACTIVITIES)}."
            )

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the records that pass, in their order; the same frame if there is no filter.

        Raises
        ------
        InvalidInputError
            If the frame lacks a column that a filter requires.
        """
        missing = [name for name in self._needed() if not _usable(frame, name)]
        if missing:
            raise InvalidInputError(
                f"The frame has no column {', '.join(missing)}, or has text in it where there "
                "have to be dates, so it cannot be filtered by it."
            )
        steps = self.steps()
        if not steps:
            return frame
        keep = pd.Series(data=True, index=frame.index)
        if self.search:
            keep &= matches(frame, self.search)
        if self.languages:
            keep &= frame[LANGUAGE].isin(self.languages)
        if self.countries:
            keep &= frame[COUNTRY].isin(self.countries)
        if self.years:
            keep &= frame[CREATED].dt.year.between(*self.years)
        if self.activity != "all":
            keep &= activity_of(frame) == self.activity
        selected = frame[keep]
        for step in steps:
            provenance.copy_provenance(selected, selected, step)
        return selected

    def steps(self) -> list[str]:
        """Describe each active filter in words, as recorded in the provenance."""
        descriptions = []
        if self.search:
            descriptions.append(f"only matching {self.search}")
        if self.languages:
            descriptions.append(f"only main language {_any_of(self.languages)}")
        if self.countries:
            descriptions.append(f"only country {_any_of(self.countries)}")
        if self.years:
            descriptions.append(f"only created in {_span(self.years)}")
        if self.activity != "all":
            descriptions.append(f"only {self.activity}")
        return descriptions

    def _needed(self) -> Iterable[str]:
        for name, columns in _NEEDS.items():
            if getattr(self, name) not in {(), None, "all", ""}:
                yield from columns

    @staticmethod
    def offered(frame: pd.DataFrame) -> set[str]:
        """Return the filters whose columns a frame has."""
        return {
            name
            for name, columns in _NEEDS.items()
            if all(_usable(frame, column) for column in columns)
        }


def matches(records: pd.DataFrame, words: str) -> pd.Series[bool]:
    """Return whether each record has every word in its name, description, tags or place.

    Parameters
    ----------
    records : pandas.DataFrame
        Projects or accounts; a column that they lack is not searched.
    words : str
        Words or parts of words, in any order; case is ignored.

    Returns
    -------
    pandas.Series
        True (bool) for each record that has them all.

    Examples
    --------
    >>> projects = pd.DataFrame({"name": ["Apache", "Nginx"], "tags": [["HTTP", "server"], None]})
    >>> matches(projects, "server apa").tolist()
    [True, False]
    """
    texts = pd.Series("", index=records.index, dtype="str")
    for name in _SEARCHED:
        if name in records:
            column = records[name]
            texts = texts + "\n" + (_texts(column) if column.dtype == object else column.fillna(""))
    texts = texts.str.casefold()
    found = pd.Series(data=True, index=records.index)
    for word in words.casefold().split():
        found &= texts.str.contains(word, regex=False)
    return found


def _texts(lists: pd.Series[Any]) -> pd.Series[str]:
    texts = ["" if pd.api.types.is_scalar(values) else entries(values) for values in lists]
    return pd.Series(texts, index=lists.index, dtype="str")


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
    if not _usable(frame, CREATED) or frame[CREATED].isna().all():
        return None
    created = frame[CREATED].dt.year
    return int(created.min()), int(created.max())


def _usable(frame: pd.DataFrame, column: str) -> bool:
    """Return whether a column exists and, for a date column, holds dates."""
    if column not in frame:
        return False
    return column not in _DATES or pd.api.types.is_datetime64_any_dtype(frame[column])


def _any_of(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _span(span: tuple[int, int]) -> str:
    first, last = span
    return str(first) if first == last else f"{first} to {last}"
