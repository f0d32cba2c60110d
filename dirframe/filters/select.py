"""Select records by words, language, country, tag, licence, year, activity and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from dirframe import provenance
from dirframe._arrow import require_frame
from dirframe._display.suggest import did_you_mean
from dirframe._display.values import label
from dirframe.errors import InvalidInputError, UnknownValueWarning, warn
from dirframe.filters.conditions import (
    ACTIVITIES,
    CHOICES,
    MISSING,
    NEEDS,
    NOUNS,
    Activity,
    Conditions,
    Range,
    unusable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Filters for the records shown, as the arguments of `select`.

    Parameters
    ----------
    search : str
        Words or parts of words that a record has all of; empty for all.
    languages, countries, licenses, tags : tuple of str or None
        Values of which a record has at least one, None for a record without any; empty for all.
    years : tuple of int or None
        First and last year of creation (UTC), either of which may be None; ``(None, None)`` for
        no date; None for all.
    activity : {"all", "active", "dormant"}
        As returned by `activity_of`.
    ranges : mapping of str to tuple
        First number and the one to stay below, by column; ``(None, None)`` for no value.
    """

    search: str = ""
    languages: tuple[str | None, ...] = ()
    countries: tuple[str | None, ...] = ()
    licenses: tuple[str | None, ...] = ()
    tags: tuple[str | None, ...] = ()
    years: tuple[int | None, int | None] | None = None
    activity: Activity = "all"
    ranges: Mapping[str, Range] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.activity not in ACTIVITIES:
            raise InvalidInputError(
                f"activity is {self.activity!r}; choose one of {', '.join(ACTIVITIES)}."
            )
        for name in CHOICES:
            if not all(value is None or isinstance(value, str) for value in getattr(self, name)):
                raise InvalidInputError(
                    f"{name} is {getattr(self, name)!r}; give texts, or None for none."
                )
        years, numbers = (
            "the first and the last, such as (2008, 2010) or (2008, None)",
            "the first and the one that values stay below, such as (1, 100) or (1, None)",
        )
        spans: list[tuple[str, Range, str]] = [("years", self.years or MISSING, years)]
        spans += [(name, span, numbers) for name, span in self.ranges.items()]
        for name, span, form in spans:
            if not _is_span(span, Integral if form is years else Real):
                raise InvalidInputError(
                    f"{name} is {span!r}; give {form}, or (None, None) for the records without a "
                    "value."
                )

    def active(self) -> dict[str, Any]:
        """Return the filters in use by name."""
        return {
            name: value
            for name in (*NEEDS, "ranges")
            if (value := getattr(self, name)) not in ((), None, "", {})
            and (name, value) != ("activity", "all")
        }

    def apply(self, frame: pd.DataFrame, conditions: Conditions | None = None) -> pd.DataFrame:
        """Return the records that pass, in their order; the same frame if there is no filter.

        Raises
        ------
        InvalidInputError
            If the frame lacks a column that a filter needs.
        """
        steps = self.steps()
        if not steps:
            return frame
        selected = frame[(conditions or Conditions(frame)).all_of(self.active())]
        for step in steps:
            provenance.copy_provenance(selected, selected, step)
        return selected

    def steps(self) -> list[str]:
        """Describe each active filter in words, as recorded in the provenance."""
        words = []
        for name, value in self.active().items():
            if name == "search":
                words.append(f"only matching {value}")
            elif name in CHOICES:
                words.append(f"only {NOUNS[name]} {_any_of(value)}")
            elif name == "years":
                words.append(_years(value))
            elif name == "activity":
                words.append(f"only {value}")
            else:
                words += [_numbers(column, value[column]) for column in sorted(value)]
        return words

    @staticmethod
    def offered(frame: pd.DataFrame) -> set[str]:
        """Return the filters whose columns a frame has."""
        return {name for name, columns in NEEDS.items() if not unusable(frame, columns)}


def select(
    records: pd.DataFrame | pl.DataFrame | pa.Table,
    *,
    search: str = "",
    languages: str | Iterable[str | None] = (),
    countries: str | Iterable[str | None] = (),
    licenses: str | Iterable[str | None] = (),
    tags: str | Iterable[str | None] = (),
    years: tuple[int | None, int | None] | None = None,
    activity: Activity = "all",
    ranges: Mapping[str, Range] | None = None,
) -> pd.DataFrame:
    """Select projects or accounts, and record in their provenance by what.

    A record has to pass all the filters that are given. One with a missing value passes no filter
    of it, except by ``None`` among the values, or ``(None, None)`` as a range.

    Parameters
    ----------
    records : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        Projects or accounts.
    search : str
        Words or parts of words, in any order and case, that a record has all of in its name,
        description, tags or place.
    languages : str or iterable of str or None
        Main languages of projects, of which a record has one.
    countries : str or iterable of str or None
        Countries of accounts as `unify_countries` names them, of which a record has one.
    licenses, tags : str or iterable of str or None
        Licences (in the directory's code, as in `dirframe.stats.licenses`) or tags of projects, of
        which a record has at least one.
    years : tuple of int, optional
        First and last year (UTC) in which the record was created in the directory; either may be
        None.
    activity : {"all", "active", "dormant"}
        State of projects as `dirframe.stats.activity` defines it for the whole frame.
    ranges : mapping of str to tuple, optional
        By column, the first number and the one that a value stays below; either may be None.

    Returns
    -------
    pandas.DataFrame
        The records that pass, with all their columns and in their order.

    Raises
    ------
    InvalidInputError
        If the frame lacks a column that a filter needs, or a range ends before it begins.

    Warns
    -----
    UnknownValueWarning
        If no record has one of the values, which selects nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"name": ["Apache", "Nginx"], "stack_count": [9, 4]})
    >>> print(select(projects, search="x", ranges={"stack_count": (1, 5)}))
        name  stack_count
    1  Nginx            4
    """
    if not isinstance(search, str):
        raise InvalidInputError(f"search is {search!r}; give a text.")
    filters = Filters(
        search=" ".join(search.split()),
        languages=_values("languages", languages),
        countries=_values("countries", countries),
        licenses=_values("licenses", licenses),
        tags=_values("tags", tags),
        years=years,
        activity=activity,
        ranges=_ranges(ranges),
    )
    frame = require_frame(records)
    conditions = Conditions(frame)
    selected = filters.apply(frame, conditions)
    _warn_of_unknown(filters, conditions)
    return frame[:] if selected is frame else selected


def _warn_of_unknown(filters: Filters, conditions: Conditions) -> None:
    for name, noun in NOUNS.items():
        if not (wanted := [value for value in getattr(filters, name) if value is not None]):
            continue
        known = [value for value in conditions.choices(CHOICES[name]).names if value is not None]
        if unknown := [value for value in wanted if value not in known]:
            listed = ", ".join(map(repr, unknown))
            warn(
                UnknownValueWarning(
                    f"No record has the {noun} {listed}.{did_you_mean(unknown[0], known)}",
                    values=unknown,
                )
            )


def _values(name: str, given: str | Iterable[str | None]) -> tuple[str | None, ...]:
    if isinstance(given, str):
        return (given,)
    try:
        return tuple(given)
    except TypeError:
        raise InvalidInputError(
            f"{name} is {given!r}; give texts, or [None] for the records without any."
        ) from None


def _ranges(given: Mapping[str, Range] | None) -> dict[str, Range]:
    if given is not None and not isinstance(given, Mapping):
        raise InvalidInputError(
            f"ranges is {given!r}; give a range by column, such as {{'stack_count': (1, 100)}}."
        )
    return dict(given or {})


def _is_span(span: Any, number: type) -> bool:
    """Return whether a range is one, of numbers of Python or numpy."""
    if not isinstance(span, tuple) or len(span) != 2:
        return False
    bounds = [bound for bound in span if bound is not None]
    are_numbers = all(isinstance(b, number) and not isinstance(b, bool) for b in bounds)
    # No comparison with NaN is true.
    return are_numbers and all(
        low <= high for low, high in zip(bounds, bounds[-1:] * 2, strict=False)
    )


def _any_of(values: tuple[str | None, ...]) -> str:
    names = ["(missing)" if value is None else value for value in values]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _years(span: Range) -> str:
    first, last = span
    if first is None and last is None:
        return "only without a date of creation"
    if first is None or last is None:
        return (
            f"only created in {last} or before"
            if first is None
            else f"only created in {first} or later"
        )
    return f"only created in {first}" if first == last else f"only created in {first} to {last}"


def _numbers(column: str, span: Range) -> str:
    first, below = span
    if first is None and below is None:
        return f"only without {label(column)}"
    words = [f"from {first}"] if first is not None else []
    words += [f"below {below}"] if below is not None else []
    return f"only {label(column)} {' '.join(words)}"
