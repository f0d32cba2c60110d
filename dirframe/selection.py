"""Select records by words, language, country, tag, licence, year, activity and numbers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._display import did_you_mean, is_number, label, suggests_options
from dirframe.clean.names import Country
from dirframe.clean.names import countries as countries_by_code
from dirframe.clean.resolver import resolve
from dirframe.errors import InvalidInputError, UnknownValueWarning, warn
from dirframe.schema import PROJECT
from dirframe.stats.activity import UNKNOWN, states_of
from dirframe.stats.counts import Floats, Mask, as_texts
from dirframe.stats.licenses import license_entries
from dirframe.stats.lists import explode
from dirframe.stats.records import (
    COUNTRY,
    COUNTRY_CODE,
    CREATED,
    LANGUAGE,
    LICENSES,
    NAME,
    TAGS,
    read,
    require_records,
)

#: The first and the last value of a range; None if it is open at this end.
Range: TypeAlias = tuple[float | None, float | None]

#: What each filter by names is called.
_NOUNS = {
    "languages": "main language",
    "countries": "country",
    "licenses": "licence",
    "tags": "tag",
}
#: What each is called in the shell: --where language=Java.
_CONDITIONS = {
    "languages": "language",
    "countries": "country",
    "licenses": "license",
    "tags": "tag",
}
_ACTIVITIES = ("all", "active", "dormant", "unknown")
#: The columns beside the tags that a search looks in, as far as a frame has them.
_SEARCHED = (NAME, "description", "location", COUNTRY)


@suggests_options
def select(
    frame: pd.DataFrame,
    *,
    search: str = "",
    languages: str | Iterable[str | None] = (),
    countries: str | Iterable[str | None] = (),
    licenses: str | Iterable[str | None] = (),
    tags: str | Iterable[str | None] = (),
    years: tuple[int | None, int | None] | None = None,
    activity: Literal["all", "active", "dormant", "unknown"] = "all",
    ranges: Mapping[str, Range] | None = None,
) -> pd.DataFrame:
    """Select projects or accounts, and record in their provenance by what.

    Parameters
    ----------
    frame : pandas.DataFrame
        Projects or accounts, with the columns of the filters.
    search : str
        Words, or parts, in any order and case, all in the name, description, tags or place.
    languages, countries, licenses, tags : str or iterable of str or None
        Main languages, countries, licences by code or title, and tags, of which a record has one.
        If no record has exactly this value, case, blanks, hyphens and full stops in it are ignored;
        a country may have any name or code that `unify_countries` resolves. Several are a list: a
        comma is part of a name. `UnknownValueWarning` names the values that no record has.
    years : tuple of int, optional
        First and last year (UTC), both included, in which the directory got the record; either may
        be None.
    activity : {"all", "active", "dormant", "unknown"}
        State of projects as `dirframe.stats.activity` defines it for the whole frame.
    ranges : mapping of str to tuple, optional
        By column, the lowest and the highest value, both included; either may be None.

    Returns
    -------
    pandas.DataFrame
        The records that pass all filters, in their order. A missing value passes only the filter
        None (as a range ``(None, None)``).

    Examples
    --------
    >>> projects = pd.DataFrame({"name": ["Apache", "Nginx"], "stack_count": [9, 4]})
    >>> select(projects, search="x", ranges={"stack_count": (1, 4)})["name"].tolist()
    ['Nginx']
    """
    frame = require_records(frame)
    filters: list[tuple[str, Mask]] = []
    if not isinstance(search, str):
        raise InvalidInputError(f"search is {search!r}; it must be text.")
    personal: list[str] = []
    words = " ".join(search.split())
    given = {"languages": languages, "countries": countries, "licenses": licenses, "tags": tags}
    for name, option in given.items():
        values = _values(name, option)
        if values:
            names = " or ".join("(missing)" if value is None else value for value in values)
            filters.append((f"only {_NOUNS[name]} {names}", _with_values(frame, name, values)))
    if years is not None:
        first, last = _checked(years, "years", Integral, "(2008, 2010) or (2008, None)")
        year = read(frame, [CREATED])[CREATED].dt.year
        filters.append((_step("year of creation", first, last), _between(year, first, last)))
    if activity not in _ACTIVITIES:
        raise InvalidInputError(
            f"activity is {activity!r}; choose one of {', '.join(_ACTIVITIES)}."
        )
    if activity != "all":
        filters.append((f"only {_activity_words(activity)}", _in_state(frame, activity)))
    if ranges is not None and not isinstance(ranges, Mapping):
        raise InvalidInputError(f"ranges is {ranges!r}; give a range by column, as a dictionary.")
    for column, span in (ranges or {}).items():
        first, last = _checked(span, column, Real, "(1, 100) or (1, None)")
        within = _between(_numbers(frame, column), first, last)
        step = _step(label(str(column)), first, last)
        filters.append((step, within))
        if provenance.is_about_persons(frame, column):
            personal.append(step)
    passed = np.ones(len(frame), dtype=bool)
    for _, mask in filters:
        passed &= mask
    steps = [step for step, _ in filters]
    if words:  # last, because it reads all texts of the records that the other filters let pass
        passed[passed] = SearchedTexts(frame[passed]).matching(words)
        steps.insert(0, f"only matching {words}")
        if provenance.resource_of(frame) is not PROJECT:
            personal.append(steps[0])
    selected = provenance.add_domain(frame, frame[passed])
    return provenance.add_selection(selected, steps, personal=personal)


def _activity_words(activity: str) -> str:
    return "unknown activity" if activity == "unknown" else activity


def _in_state(frame: pd.DataFrame, activity: str) -> Mask:
    states = pd.Series(states_of(frame))
    wanted = UNKNOWN if activity == "unknown" else [activity]
    return states.isin(wanted).to_numpy()


class SearchedTexts:
    """The texts of records that a search looks in: read once, searched as often as needed."""

    def __init__(self, frame: pd.DataFrame) -> None:
        read(frame, [NAME])  # raises if it is absent
        texts = read(frame, [], optional=_SEARCHED).fillna("")
        # Python finds a word in a text several times as fast as Arrow.
        columns = [texts[name].to_numpy(object) for name in texts]
        self._lines = ["\n".join(row).casefold() for row in zip(*columns, strict=True)]
        entries = pd.DataFrame({"record": [], "tag": []}).astype({"record": "int64", "tag": "str"})
        if TAGS in frame:
            entries = explode(frame[TAGS], ["tag"]).dropna()
        self._record_of_tag = entries["record"].to_numpy()
        self._place_of_tag, tags = pd.factorize(entries["tag"])
        self._tags = [str(tag).casefold() for tag in tags]

    def matching(self, words: str) -> Mask:
        """Return which records have every word, or part of a word, in a text or a tag."""
        mask = np.ones(len(self._lines), dtype=bool)
        for word in words.casefold().split():
            has_word = np.array([word in line for line in self._lines], dtype=bool)
            is_in_tag = np.array([word in tag for tag in self._tags], dtype=bool)
            has_word[self._record_of_tag[is_in_tag[self._place_of_tag]]] = True
            mask &= has_word
        return mask


# Filters by names


def _with_values(frame: pd.DataFrame, name: str, wanted: Sequence[str | None]) -> Mask:
    """Return which records have one of some values; warn of those that no record has."""
    entries, names = _entries_and_names(frame, name)
    chosen: set[str] = set()
    unknown: list[str] = []
    for value in wanted:
        if value is not None:
            meant = _meant(value, name, names)
            chosen |= meant
            if not meant:
                unknown.append(value)
    if unknown:
        _warn_of(unknown, name, names)
    mask = np.zeros(len(frame), dtype=bool)
    mask[entries.loc[entries["value"].isin(chosen), "record"]] = True
    if None in wanted:
        without = np.ones(len(frame), dtype=bool)
        without[entries["record"]] = False
        mask |= without
    return mask


def _entries_and_names(frame: pd.DataFrame, name: str) -> tuple[pd.DataFrame, dict[str, set[str]]]:
    """Return the values of each record, and the values by each name that they have.

    The values are in the columns ``record`` (the position) and ``value``.
    """
    if name == "tags":
        entries = explode(read(frame, [TAGS])[TAGS], ["tag"]).dropna()
        entries = entries.rename(columns={"tag": "value"})
        return entries, _by_name(entries["value"])
    if name == "licenses":
        entries = license_entries(read(frame, [LICENSES])[LICENSES])
        entries = entries.rename(columns={"license": "value"})
        names = _by_name(entries["value"])
        titles = entries[["title", "value"]].dropna().drop_duplicates()
        return entries, _add_names(names, titles)
    column = LANGUAGE if name == "languages" else COUNTRY
    texts = as_texts(read(frame, [column])[column])
    entries = pd.DataFrame({"record": range(len(frame)), "value": texts}).dropna()
    names = _by_name(entries["value"])
    if name == "countries" and COUNTRY_CODE in frame:
        codes = read(frame, [COUNTRY_CODE, COUNTRY]).dropna().drop_duplicates()
        return entries, _add_names(names, codes)
    return entries, names


def _by_name(values: pd.Series[Any]) -> dict[str, set[str]]:
    return {name: {name} for name in values.unique()}


def _add_names(names: dict[str, set[str]], pairs: pd.DataFrame) -> dict[str, set[str]]:
    """Add other names of values; a value's own name stays its own."""
    own = set(names)
    for other, value in pairs.to_numpy():
        if other not in own:
            names.setdefault(other, set()).add(value)
    return names


def _meant(value: str, name: str, names: Mapping[str, set[str]]) -> set[str]:
    """Return the values of a filter that a text names; a country may have any name or code."""
    meant = _spelt(value, names)
    if not meant and name == "countries":
        meant = _same_country(value, names)
    return meant


def _spelt(value: str, names: Mapping[str, set[str]]) -> set[str]:
    """Return the values that a text names: as it is spelt, else without case, else loosely."""
    forms: list[Callable[[str], str]] = [str.strip, str.casefold, _loosely]
    for form in forms:
        meant = [values for name, values in names.items() if form(name) == form(value.strip())]
        if meant:
            return set().union(*meant)
    return set()


def _loosely(text: str) -> str:
    """Return a text without case, and without blanks, hyphens and full stops within it.

    Signs at an end stay, as in C#, C++ and C--.
    """
    return re.sub(r"(?<=[^\W_])[\s._-]+(?=[^\W_])", "", text.strip().casefold())


def _country_of(value: str) -> Country | None:
    """Return the country that a text names, by the rules of `unify_countries`."""
    code = resolve(value).alpha_2
    return None if code is None else countries_by_code()[code]


def _same_country(value: str, names: Mapping[str, set[str]]) -> set[str]:
    """Return the values that are the country of a text."""
    country = _country_of(value)
    if country is None:
        return set()
    return names.get(country.alpha_2, set()) | names.get(country.name, set())


def _warn_of(unknown: Sequence[str], name: str, names: Mapping[str, set[str]]) -> None:
    """Warn of values that no record has; a country in another spelling is named as it is called."""
    words = []
    for value in unknown:
        country = _country_of(value) if name == "countries" else None
        is_renamed = country is not None and country.name != value
        words.append(f"{value!r} ({country.name})" if country and is_renamed else repr(value))
    question = did_you_mean(unknown[0], names)
    if name == "countries" and _country_of(unknown[0]) is not None:
        question = ""  # it is a country, and no record has it
    hint = _how_to_ask_for_several(unknown[0], name, names)
    if hint:
        question = ""
    message = f"No record has the {_NOUNS[name]} {', '.join(words)}.{question}"
    warn(UnknownValueWarning(message, hint=hint, values=unknown))


def _how_to_ask_for_several(value: str, name: str, names: Mapping[str, set[str]]) -> str | None:
    """Return a hint for values between commas, of which records have one; None for other texts.

    They are not divided, since a name can have a comma: "Korea, Republic of".
    """
    values = [part.strip() for part in value.split(",")]
    if len(values) == 1 or not any(_meant(part, name, names) for part in values):
        return None
    options: list[str] = []
    for part in values:
        options += ["--where", f"{_CONDITIONS[name]}={part}"]
    return f"Give several as a list: {name}={values!r} ({shlex.join(options)})."


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


# Filters by numbers


def _numbers(frame: pd.DataFrame, column: str) -> pd.Series[Any]:
    if column not in frame:
        read(frame, [str(column)])  # raises, and says why it is not there
    if error := provenance.absent(frame, [column]):
        raise error
    if not is_number(frame[column].dtype):
        raise InvalidInputError(f"The column {column}, to be selected by, holds no numbers.")
    return frame[column].astype("Float64")


def _between(values: pd.Series[Any], first: float | None, last: float | None) -> Mask:
    """Return which values are within both ends; of a range without ends, those that are missing."""
    numbers: Floats = values.to_numpy(np.float64, na_value=np.nan)
    if first is None and last is None:
        return np.isnan(numbers)
    mask = ~np.isnan(numbers)
    if first is not None:
        mask &= numbers >= first
    if last is not None:
        mask &= numbers <= last
    return mask


def _checked(span: Any, name: str, number: type, example: str) -> Any:
    """Return a range; raise if it is not one of numbers of Python or numpy."""
    is_pair = isinstance(span, tuple) and len(span) == 2
    bounds = [bound for bound in span if bound is not None] if is_pair else []
    are_numbers = all(isinstance(b, number) and not isinstance(b, bool) for b in bounds)
    # No comparison with NaN is true.
    if not (is_pair and are_numbers and all(bounds[0] <= bound <= bounds[-1] for bound in bounds)):
        raise InvalidInputError(
            f"{name} is {span!r}; give the first and the last, such as {example}, or (None, None) for "
            "the records without a value."
        )
    return span


def _step(what: str, first: float | None, last: float | None) -> str:
    """Return a range in words, for the provenance."""
    if first is None and last is None:
        return f"only without {what}"
    step = f"only {what}"
    if first is not None:
        step += f" from {first}".removesuffix(".0")
    if last is not None:
        step += f" to {last}".removesuffix(".0")
    return step
