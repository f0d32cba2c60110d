"""Select records by words, language, country, tag, licence, year, activity and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._display import did_you_mean, is_number, label, suggests_options
from dirframe.errors import InvalidInputError, UnknownValueWarning, warn
from dirframe.stats.entries import license_codes, tag_codes
from dirframe.stats.kernel import read, require_records
from dirframe.stats.lifetimes import states_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dirframe.stats.kernel import Floats, Mask

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

    A record has to pass all the filters that are given. One with a missing value passes no filter
    of it, except by ``None`` among the values, or ``(None, None)`` as a range. A frame that lacks a
    column that a filter needs raises.

    Parameters
    ----------
    records : pandas.DataFrame
        Projects or accounts.
    search : str
        Words or parts of words, in any order and case, that a record has all of in its name,
        description, tags or place.
    languages, countries, licenses, tags : str or iterable of str or None
        Values of which a record has at least one: main languages of projects; countries of accounts
        as `unify_countries` names them or by their codes of two letters; licences by code or by
        title, as in `dirframe.stats.licenses`; tags. A value that no record has selects nothing
        and is warned of (`UnknownValueWarning`).
    years : tuple of int, optional
        First and last year (UTC) in which the directory got the record; either may be None.
    activity : {"all", "active", "dormant"}
        State of projects as `dirframe.stats.activity` defines it for the whole frame.
    ranges : mapping of str to tuple, optional
        By column, the first number and the one that a value stays below; either may be None.

    Returns
    -------
    pandas.DataFrame
        The records that pass, with all their columns and in their order.

    Examples
    --------
    >>> projects = pd.DataFrame({"name": ["Apache", "Nginx"], "stack_count": [9, 4]})
    >>> select(projects, search="x", ranges={"stack_count": (1, 5)})["name"].tolist()
    ['Nginx']
    """
    frame = require_records(records)
    if not isinstance(search, str):
        raise InvalidInputError(f"search is {search!r}; give a text.")
    passed: list[tuple[Mask, str]] = []
    if words := " ".join(search.split()):
        passed.append((_having(frame, words), f"only matching {words}"))
    values = {"languages": languages, "countries": countries, "licenses": licenses, "tags": tags}
    for name, given in values.items():
        if wanted := _values(name, given):
            mask = _chosen(frame, *_NAMED[name], wanted)
            passed.append((mask, f"only {_NAMED[name][1]} {_any_of(wanted)}"))
    if years is not None:
        passed.append((_created_within(frame, years), _years(years)))
    if activity not in _ACTIVITIES:
        raise InvalidInputError(
            f"activity is {activity!r}; choose one of {', '.join(_ACTIVITIES)}."
        )
    if activity != "all":
        passed.append((states_of(frame) == activity, f"only {activity}"))
    if ranges is not None and not isinstance(ranges, Mapping):
        raise InvalidInputError(
            f"ranges is {ranges!r}; give a range by column, such as {{'stack_count': (1, 100)}}."
        )
    for column, span in (ranges or {}).items():
        passed.append((_within(frame, column, span), _numbers(column, span)))
    mask = np.logical_and.reduce([np.ones(len(frame), dtype=bool), *(mask for mask, _ in passed)])
    record, steps = provenance.get_provenance(frame), [step for _, step in passed]
    return provenance.set_provenance(
        frame[mask], steps=record["steps"] + steps, selection=record["selection"] + steps
    )


def _having(frame: pd.DataFrame, words: str) -> Mask:
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
        found = np.fromiter((word in text for text in whole), dtype=bool, count=len(whole))
        has_word = np.array([word in tag.casefold() for tag in tags], dtype=bool)
        found[rows[has_word[codes]]] = True
        mask &= found
    return mask


def _chosen(frame: pd.DataFrame, column: str, noun: str, wanted: Sequence[str | None]) -> Mask:
    """Return which records have one of some values; warn of those that no record has."""
    values = read(frame, column)[column]
    other_names: dict[str, set[str]] = {}
    if column == "licenses":
        (rows, codes, names), titles = license_codes(values)
        for code, title in titles.items():
            other_names.setdefault(title, set()).add(code)
    elif column == "tags":
        rows, codes, names = tag_codes(values)
    else:
        texts = values.astype("category").cat
        names = list(texts.categories)
        codes = np.asarray(texts.codes, dtype=np.int64)
        rows = np.arange(len(codes), dtype=np.int64)[codes >= 0]
        codes = codes[codes >= 0]
        if column == "country" and "country_alpha_2" in frame:
            pairs = frame[["country_alpha_2", "country_name"]].dropna().drop_duplicates()
            for code, country in pairs.itertuples(index=False):
                other_names.setdefault(code, set()).add(country)
    known = {value for value in wanted if value in names}
    meant = {n for value in wanted if value not in known for n in other_names.get(value or "", ())}
    unknown = [v for v in wanted if v is not None and v not in known and v not in other_names]
    if unknown:
        question = did_you_mean(unknown[0], [*names, *other_names])
        message = f"No record has the {noun} {', '.join(map(repr, unknown))}.{question}"
        warn(UnknownValueWarning(message, values=unknown))
    mask = np.zeros(len(frame), dtype=bool)
    mask[rows[np.isin(names, [*known, *meant])[codes]] if names else []] = True
    if None in wanted:
        mask |= ~np.isin(np.arange(len(frame)), rows)
    return mask


def _created_within(frame: pd.DataFrame, span: tuple[int | None, int | None]) -> Mask:
    form = "the first and the last, such as (2008, 2010) or (2008, None)"
    _check_span("years", span, Integral, form)
    first, last = span
    years = read(frame, "created")["created"].dt.year
    return _between(years, first, last if last is None else last + 1)


def _within(frame: pd.DataFrame, column: str, span: Range) -> Mask:
    form = "the first and the one that values stay below, such as (1, 100) or (1, None)"
    _check_span(column, span, Real, form)
    if column not in frame:
        read(frame, column)  # raises, and says why it is not there
    if not is_number(frame[column].dtype):
        raise InvalidInputError(
            f"The column {column}, by which the frame is to be filtered, has values that are no "
            "numbers."
        )
    return _between(frame[column].astype("Float64"), *span)


def _between(values: pd.Series[Any], first: float | None, below: float | None) -> Mask:
    numbers: Floats = values.to_numpy(np.float64, na_value=np.nan)
    if first is None and below is None:
        return np.isnan(numbers)
    mask: Mask = numbers >= (-np.inf if first is None else first)
    return mask & (numbers < (np.inf if below is None else below))


def _values(name: str, given: str | Iterable[str | None]) -> tuple[str | None, ...]:
    try:
        values = (given,) if isinstance(given, str) else tuple(given)
    except TypeError:
        values = (0,)  # type: ignore[assignment]  # refused below
    if not all(value is None or isinstance(value, str) for value in values):
        raise InvalidInputError(
            f"{name} is {given!r}; give texts, or [None] for the records without any."
        )
    return values


def _check_span(name: str, span: Any, number: type, form: str) -> None:
    """Raise if a range is not one of numbers of Python or numpy."""
    is_pair = isinstance(span, tuple) and len(span) == 2
    bounds = [bound for bound in span if bound is not None] if is_pair else []
    are_numbers = all(isinstance(b, number) and not isinstance(b, bool) for b in bounds)
    # No comparison with NaN is true.
    if not (is_pair and are_numbers and all(bounds[0] <= bound <= bounds[-1] for bound in bounds)):
        raise InvalidInputError(
            f"{name} is {span!r}; give {form}, or (None, None) for the records without a value."
        )


def _any_of(values: tuple[str | None, ...]) -> str:
    names = ["(missing)" if value is None else value for value in values]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _years(span: tuple[int | None, int | None]) -> str:
    first, last = span
    if span == (None, None):
        return "only without a date of creation"
    if first is None:
        return f"only created in {last} or before"
    if last is None:
        return f"only created in {first} or later"
    return f"only created in {first}" if first == last else f"only created in {first} to {last}"


def _numbers(column: str, span: Range) -> str:
    first, below = span
    if span == (None, None):
        return f"only without {label(column)}"
    words = [f"from {first}"] if first is not None else []
    words += [f"below {below}"] if below is not None else []
    return f"only {label(column)} {' '.join(words)}"
