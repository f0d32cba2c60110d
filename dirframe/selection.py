"""Select records by words, language, country, tag, licence, year, activity and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._display import did_you_mean, is_number, label, suggests_options
from dirframe.errors import InvalidInputError, UnknownValueWarning, warn
from dirframe.schema import PROJECT
from dirframe.stats.counts import names_of
from dirframe.stats.entries import license_codes, tag_codes
from dirframe.stats.kernel import read, require_records
from dirframe.stats.lifetimes import states_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.stats.counts import Floats, Mask

    Range = tuple[float | None, float | None]

#: What each filter by names reads, and what it is called.
_NAMED = {
    "languages": ("language", "main language"),
    "countries": ("country", "country"),
    "licenses": ("licenses", "licence"),
    "tags": ("tags", "tag"),
}
_ACTIVITIES = ("all", "active", "dormant")
#: The columns beside the tags that a search looks in, as far as a frame has them.
_SEARCHED = ("name", "description", "location", "country")


@suggests_options
def select(
    records: pd.DataFrame,
    *,
    search: str = "",
    languages: str | Iterable[str | None] = (),
    countries: str | Iterable[str | None] = (),
    licenses: str | Iterable[str | None] = (),
    tags: str | Iterable[str | None] = (),
    years: tuple[int | None, int | None] | None = None,
    activity: Literal["all", "active", "dormant"] = "all",
    ranges: Mapping[str, Range] | None = None,
) -> pd.DataFrame:
    """Select projects or accounts, and record in their provenance by what.

    Parameters
    ----------
    records : pandas.DataFrame
        Projects or accounts, with the columns of the filters.
    search : str
        Words, or parts, in any order and case, all in the name, description, tags or place.
    languages, countries, licenses, tags : str or iterable of str or None
        Main languages, tags, or names or codes of `unify_countries` and `dirframe.stats.licenses`,
        of which a record has one. `UnknownValueWarning` names those that no record has.
    years : tuple of int, optional
        First and last year (UTC), both included, in which the directory got the record; either may
        be None.
    activity : {"all", "active", "dormant"}
        State of projects as `dirframe.stats.activity` defines it for the whole frame.
    ranges : mapping of str to tuple, optional
        By column, the lower bound (included) and the upper bound (excluded); either may be None.

    Returns
    -------
    pandas.DataFrame
        The records that pass all filters, in their order; missing values pass None (as a range
        ``(None, None)``) alone.

    Examples
    --------
    >>> projects = pd.DataFrame({"name": ["Apache", "Nginx"], "stack_count": [9, 4]})
    >>> select(projects, search="x", ranges={"stack_count": (1, 5)})["name"].tolist()
    ['Nginx']
    """
    frame = require_records(records)
    filters: list[tuple[str, Mask]] = []
    if not isinstance(search, str):
        raise InvalidInputError(f"search is {search!r}; it must be text.")
    personal: list[str] = []
    if words := " ".join(search.split()):
        filters.append((f"only matching {words}", _matching(frame, words)))
        if provenance.resource_of(frame) is not PROJECT:
            personal.append(f"only matching {words}")
    given = {"languages": languages, "countries": countries, "licenses": licenses, "tags": tags}
    for name, (column, noun) in _NAMED.items():
        if wanted := _values(name, given[name]):
            words = " or ".join("(missing)" if value is None else value for value in wanted)
            filters.append((f"only {noun} {words}", _having(frame, column, noun, wanted)))
    if years is not None:
        first, last = _checked("years", years, Integral, "last")
        created = read(frame, "created")["created"].dt.year
        within = _between(created, first, None if last is None else last + 1)
        filters.append((_within("year of creation", first, "to", last), within))
    if activity not in _ACTIVITIES:
        raise InvalidInputError(
            f"activity is {activity!r}; choose one of {', '.join(_ACTIVITIES)}."
        )
    if activity != "all":
        filters.append((f"only {activity}", states_of(frame) == activity))
    if ranges is not None and not isinstance(ranges, Mapping):
        raise InvalidInputError(f"ranges is {ranges!r}; give a range by column, as a dictionary.")
    for column, span in (ranges or {}).items():
        first, below = _checked(column, span, Real, "one that values stay below")
        within = _between(_numbers(frame, column), first, below)
        step = _within(label(str(column)), first, "below", below)
        filters.append((step, within))
        if provenance.is_about_persons(frame, column):
            personal.append(step)
    passed = np.ones(len(frame), dtype=bool)
    for _, mask in filters:
        passed &= mask
    steps = [step for step, _ in filters]
    return provenance.add_selection(frame[passed], steps, personal=personal)


def _matching(frame: pd.DataFrame, words: str) -> Mask:
    """Return which records have every word, or part of a word, in a text or a tag."""
    read(frame, "name")
    texts = read(frame, optional=_SEARCHED).fillna("")
    # Python finds a word in a text several times as fast as Arrow.
    columns = (texts[name].to_numpy(object) for name in texts)
    whole = ["\n".join(row).casefold() for row in zip(*columns, strict=True)]
    lists = frame["tags"] if "tags" in frame else pd.Series([None] * len(frame))
    rows, codes, tags = tag_codes(lists)
    mask = np.ones(len(frame), dtype=bool)
    for word in words.casefold().split():
        found = np.array([word in text for text in whole], dtype=bool)
        has_word = np.array([word in tag.casefold() for tag in tags], dtype=bool)
        found[rows[has_word[codes]]] = True
        mask &= found
    return mask


def _having(frame: pd.DataFrame, column: str, noun: str, wanted: Sequence[str | None]) -> Mask:
    """Return which records have one of some values; warn of those that no record has."""
    values = read(frame, column)[column]
    pairs: Iterable[tuple[str, str]] = ()
    if column == "licenses":
        (rows, codes, names), titles = license_codes(values)
        pairs = ((title, code) for code, title in titles.items())
    elif column == "tags":
        rows, codes, names = tag_codes(values)
    else:
        texts = names_of(values).cat
        names, rows = list(texts.categories), np.flatnonzero(texts.codes >= 0)
        codes = texts.codes.to_numpy()[rows]
        if column == "country" and "country_alpha_2" in frame:
            countries = frame[["country_alpha_2", "country_name"]].dropna().drop_duplicates()
            pairs = countries.itertuples(index=False, name=None)
    meant = {name: {name} for name in names}
    for other, name in pairs:
        if other not in names:
            meant.setdefault(other, set()).add(name)
    given = [value for value in wanted if value is not None]
    if unknown := [value for value in given if value not in meant]:
        question = did_you_mean(unknown[0], meant)
        message = f"No record has the {noun} {', '.join(map(repr, unknown))}.{question}"
        warn(UnknownValueWarning(message, values=unknown))
    chosen = {name for value in given for name in meant.get(value, ())}
    mask = np.zeros(len(frame), dtype=bool)
    mask[rows[np.array([name in chosen for name in names], dtype=bool)[codes]]] = True
    if None in wanted:
        mask |= ~np.isin(np.arange(len(frame)), rows)
    return mask


def _numbers(frame: pd.DataFrame, column: str) -> pd.Series[Any]:
    if column not in frame:
        read(frame, str(column))  # raises, and says why it is not there
    if error := provenance.absent(frame, [column]):
        raise error
    if not is_number(frame[column].dtype):
        raise InvalidInputError(f"The column {column}, to be selected by, holds no numbers.")
    return frame[column].astype("Float64")


def _between(values: pd.Series[Any], first: float | None, below: float | None) -> Mask:
    numbers: Floats = values.to_numpy(np.float64, na_value=np.nan)
    if first is None and below is None:
        return np.isnan(numbers)
    mask: Mask = numbers >= (-np.inf if first is None else first)
    return mask & (numbers < (np.inf if below is None else below))


def _values(name: str, given: object) -> tuple[str | None, ...]:
    """Return the values of an option: a text alone is one; raise if it holds something else."""
    if isinstance(given, str):
        return (given,)
    values = tuple(given) if isinstance(given, Iterable) else (given,)
    if given is None or not all(value is None or isinstance(value, str) for value in values):
        raise InvalidInputError(
            f"{name} is {given!r}; give texts, or [None] for the records without any."
        )
    return values


def _checked(name: str, span: Any, number: type, last: str) -> Any:
    """Return a range; raise if it is not one of numbers of Python or numpy."""
    is_pair = isinstance(span, tuple) and len(span) == 2
    bounds = [bound for bound in span if bound is not None] if is_pair else []
    are_numbers = all(isinstance(b, number) and not isinstance(b, bool) for b in bounds)
    # No comparison with NaN is true.
    if not (is_pair and are_numbers and all(bounds[0] <= bound <= bounds[-1] for bound in bounds)):
        raise InvalidInputError(
            f"{name} is {span!r}; give the first and the {last}, such as (2008, 2010) or "
            "(2008, None), or (None, None) for the records without a value."
        )
    return span


def _within(what: str, first: float | None, word: str, last: float | None) -> str:
    if first is None and last is None:
        return f"only without {what}"
    words = [f"only {what}"]
    words += [f"from {first}".removesuffix(".0")] if first is not None else []
    words += [f"{word} {last}".removesuffix(".0")] if last is not None else []
    return " ".join(words)
