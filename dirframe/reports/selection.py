"""Which records a whole report leaves out, and by what it divides its tables and charts."""

from __future__ import annotations

import inspect
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from dirframe.errors import InvalidInputError
from dirframe.plot._drawing.small_multiples import has_panels
from dirframe.stats._core.groupby import whole_number
from dirframe.stats._options.selection import DEFAULTS
from dirframe.stats._options.strata import known_strata
from dirframe.stats._rules.exclusion import applicable, excluded, rules_of
from dirframe.stats._rules.frame_facts import offset_of
from dirframe.stats._rules.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pandas as pd

    from dirframe.stats._options.selection import Selection

__all__ = ["checked", "counts_of", "options_for", "rules_for", "strata_for"]


def checked(frames: Mapping[str, pd.DataFrame], selection: Selection) -> Selection:
    """Refuse a selection that no frame of a report can follow, and write it as JSON can.

    Parameters
    ----------
    frames : Mapping of str to pandas.DataFrame
        The frames of the report.
    selection : Selection
        ``exclude``, ``max_age``, ``by`` and ``min_records``, as every statistic takes them.

    Returns
    -------
    Selection
        The options that are not the default.

    Raises
    ------
    InvalidInputError
        If a rule or a stratum is unknown, or needs columns that no frame has.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["1"]})
    >>> checked({"projects": frame}, {"exclude": ["duplicate_id"], "by": None})
    {'exclude': ['duplicate_id']}
    """
    given = DEFAULTS | selection
    age = given["max_age"]
    if isinstance(age, timedelta):
        if age % timedelta(days=1):
            raise InvalidInputError(f"max_age is {age!r}; a report takes whole days.")
        age = age.days
    if age is not None:
        offset_of(age)
    for rule in rules_of(given["exclude"], age):
        if not any(rule in applicable(frame) for frame in frames.values()):
            raise InvalidInputError(
                f"The rule {rule} needs columns that the {' and '.join(frames)} do not have. Leave "
                "it out, or load them."
            )
    names = _names(given["by"])
    if names and not any(_divides(f, names, *_unified(f)) for f in frames.values()):
        raise InvalidInputError(
            f"by={given['by']!r} names neither columns nor strata of the {' and '.join(frames)}."
        )
    whole_number("min_records", given["min_records"], least=1, instead="for all strata")
    plain: Any = {
        "exclude": [rule.value for rule in rules_of(given["exclude"])],
        "max_age": age,
        "by": names,
        "min_records": given["min_records"],
    }
    empty: Any = DEFAULTS | {"exclude": [], "by": []}
    written: Selection = {name: v for name, v in plain.items() if v != empty[name]}  # type: ignore[assignment]  # a TypedDict, by its names
    return written


def options_for(
    make: Callable[..., Any],
    frame: pd.DataFrame,
    selection: Selection,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Give the options with which a statistic or chart follows the selection of a report.

    Parameters
    ----------
    make : callable
        A function of `dirframe.stats` or `dirframe.plot`.
    frame : pandas.DataFrame
        What it is about.
    selection : Selection
        That of the report.
    options : Mapping of str to object
        What the template's cell says; it comes first.

    Returns
    -------
    dict
        The options of the cell, with those of the selection that the function and the frame
        can follow.

    Examples
    --------
    >>> import pandas as pd
    >>> from dirframe import stats
    >>> frame = pd.DataFrame({"id": ["1"], "posts_count": [3]})
    >>> selection = {"exclude": ["negative_posts", "negative_lines"]}
    >>> options_for(stats.posts_distribution, frame, selection, {})
    {'exclude': ['negative_posts']}
    """
    takes = inspect.signature(make).parameters
    found: dict[str, Any] = {}
    rules = rules_for(frame, selection)
    if exclude := [rule for rule in rules if rule in selection.get("exclude", ())]:
        found["exclude"] = exclude
    if selection.get("max_age") is not None and Rule.STALE_ANALYSIS in rules:
        found["max_age"] = selection["max_age"]
    by = strata_for(frame, selection)
    chart = make.__module__.startswith("dirframe.plot.")
    if by and "by" in takes and (has_panels(make.__name__) if chart else True):
        own = {n: v for n, v in options.items() if n != "by"}
        # A table that has a row a language cannot be divided by language.
        if chart or not set(by) & set(make(frame.iloc[:0], **own).columns):
            found |= {"by": by, "min_records": selection.get("min_records", 1)}
    return {name: value for name, value in found.items() if name in takes} | dict(options)


def rules_for(frame: pd.DataFrame, selection: Selection) -> list[str]:
    """Name the rules of a selection that a frame has the columns for.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects.
    selection : Selection
        As `checked` gives it.

    Returns
    -------
    list of str
        Names of rules.

    Examples
    --------
    >>> import pandas as pd
    >>> rules_for(pd.DataFrame({"id": ["1"]}), {"exclude": ["duplicate_id", "negative_posts"]})
    ['duplicate_id']
    """
    there = applicable(frame)
    rules = rules_of(selection.get("exclude", ()), selection.get("max_age"))
    return [rule.value for rule in rules if rule in there]


def strata_for(frame: pd.DataFrame, selection: Selection) -> list[str]:
    """Name what a selection divides a frame by; nothing if the frame lacks the columns.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects.
    selection : Selection
        As `checked` gives it.

    Returns
    -------
    list of str
        Names of columns or strata.

    Examples
    --------
    >>> import pandas as pd
    >>> strata_for(pd.DataFrame({"id": ["1"]}), {"by": ["country"]})
    []
    """
    names = _names(selection.get("by"))
    return names if _divides(frame, names) else []


def counts_of(frame: pd.DataFrame, selection: Selection) -> Iterator[tuple[str, int]]:
    """Count the records that a selection leaves out: all together, then by rule.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects.
    selection : Selection
        As `checked` gives it.

    Yields
    ------
    tuple of str and int
        An empty name with the number of all, then each rule with its own.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["1", "1", "2"]})
    >>> list(counts_of(frame, {"exclude": ["duplicate_id"]}))
    [('', 2), ('duplicate_id', 2)]
    """
    rules = rules_for(frame, selection)
    _, numbers = excluded(frame, rules, selection.get("max_age") if _stale(rules) else None)
    for name, number in numbers.items():
        yield name.removeprefix("excluded").removeprefix("_"), number


def _unified(frame: pd.DataFrame) -> tuple[str, ...]:
    # The template unifies the countries of accounts before it shows anything.
    return ("country",) if "country_code" in frame else ()


def _stale(rules: Iterable[str]) -> bool:
    return Rule.STALE_ANALYSIS in set(rules)


def _names(by: Any) -> list[str]:
    return [by] if isinstance(by, str) else list(by or ())


def _divides(frame: pd.DataFrame, names: list[str], *others: str) -> bool:
    return {*names} <= {*frame.columns, *known_strata(frame), *others}
