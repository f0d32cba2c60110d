"""Validate and apply the selection of a report: excluded records and strata."""

from __future__ import annotations

import inspect
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from dirframe.errors import InvalidInputError
from dirframe.stats._core.groupby import whole_number
from dirframe.stats._options.selection import DEFAULTS
from dirframe.stats._options.strata import known_strata
from dirframe.stats._rules.exclusion import applicable, exclude_records, rules_of
from dirframe.stats._rules.frame_facts import offset_of
from dirframe.stats._rules.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pandas as pd

    from dirframe.stats._options.selection import Selection

__all__ = ["checked", "counts_of", "options_for", "rules_for", "strata_for"]


def checked(frames: Mapping[str, pd.DataFrame], selection: Selection) -> Selection:
    """Validate the selection of a report and convert it to JSON values.

    Parameters
    ----------
    frames : Mapping of str to pandas.DataFrame
        The frames of the report.
    selection : Selection
        ``exclude``, ``max_age``, ``by`` and ``min_records``, as in every statistic.

    Returns
    -------
    Selection
        The options that differ from their defaults.

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
    options = DEFAULTS | selection
    age = options["max_age"]
    if isinstance(age, timedelta):
        if age % timedelta(days=1):
            raise InvalidInputError(f"max_age is {age!r}; a report takes whole days.")
        age = age.days
    if age is not None:
        offset_of(age)
    for rule in rules_of(options["exclude"], age):
        if not any(rule in applicable(frame) for frame in frames.values()):
            raise InvalidInputError(
                f"The rule {rule} needs columns that the {' and '.join(frames)} do not have. Leave "
                "it out, or load them."
            )
    names = _names(options["by"])
    if names and not any(_divides(f, names, *_unified(f)) for f in frames.values()):
        raise InvalidInputError(
            f"by={options['by']!r} names neither columns nor strata of the {' and '.join(frames)}."
        )
    whole_number("min_records", options["min_records"], least=1, instead="for all strata")
    plain: Any = {
        "exclude": [rule.value for rule in rules_of(options["exclude"])],
        "max_age": age,
        "by": names,
        "min_records": options["min_records"],
    }
    empty: Any = DEFAULTS | {"exclude": [], "by": []}
    serializable: Selection = {name: v for name, v in plain.items() if v != empty[name]}  # type: ignore[assignment]  # a TypedDict, by its names
    return serializable


def options_for(
    make: Callable[..., Any],
    frame: pd.DataFrame,
    selection: Selection,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the options that apply the selection of a report to a statistic or chart.

    Parameters
    ----------
    make : callable
        A function of `dirframe.stats` or `dirframe.plot`.
    frame : pandas.DataFrame
        Its input.
    selection : Selection
        The selection of the report.
    options : Mapping of str to object
        The options of the template's cell; they take precedence.

    Returns
    -------
    dict
        The options of the cell, and those of the selection that the function and the frame
        support.

    Examples
    --------
    >>> import pandas as pd
    >>> from dirframe import stats
    >>> frame = pd.DataFrame({"id": ["1"], "posts_count": [3]})
    >>> selection = {"exclude": ["negative_posts", "negative_lines"]}
    >>> options_for(stats.posts_distribution, frame, selection, {})
    {'exclude': ['negative_posts']}
    """
    parameters = inspect.signature(make).parameters
    selected: dict[str, Any] = {}
    rules = rules_for(frame, selection)
    if exclude := [rule for rule in rules if rule in selection.get("exclude", ())]:
        selected["exclude"] = exclude
    if selection.get("max_age") is not None and Rule.STALE_ANALYSIS in rules:
        selected["max_age"] = selection["max_age"]
    by = strata_for(frame, selection)
    chart = make.__module__.startswith("dirframe.plot.")
    if by and "by" in parameters:
        other_options = {n: v for n, v in options.items() if n != "by"}
        # A table with one row per language cannot be stratified by language.
        if chart or not set(by) & set(make(frame.iloc[:0], **other_options).columns):
            selected |= {"by": by, "min_records": selection.get("min_records", 1)}
    return {name: value for name, value in selected.items() if name in parameters} | dict(options)


def rules_for(frame: pd.DataFrame, selection: Selection) -> list[str]:
    """Return the rules of a selection whose columns a frame has.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects.
    selection : Selection
        As returned by `checked`.

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
    known = applicable(frame)
    rules = rules_of(selection.get("exclude", ()), selection.get("max_age"))
    return [rule.value for rule in rules if rule in known]


def strata_for(frame: pd.DataFrame, selection: Selection) -> list[str]:
    """Return the strata of a selection; empty if the frame lacks the columns.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects.
    selection : Selection
        As returned by `checked`.

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
    """Count the records that a selection excludes, in total and by rule.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects.
    selection : Selection
        As returned by `checked`.

    Yields
    ------
    tuple of str and int
        An empty name with the total, then each rule with its count.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["1", "1", "2"]})
    >>> list(counts_of(frame, {"exclude": ["duplicate_id"]}))
    [('', 2), ('duplicate_id', 2)]
    """
    rules = rules_for(frame, selection)
    _, numbers = exclude_records(frame, rules, selection.get("max_age") if _stale(rules) else None)
    for name, number in numbers.items():
        yield name.removeprefix("excluded").removeprefix("_"), number


def _unified(frame: pd.DataFrame) -> tuple[str, ...]:
    # The template unifies the countries of accounts first.
    return ("country",) if "country_code" in frame else ()


def _stale(rules: Iterable[str]) -> bool:
    return Rule.STALE_ANALYSIS in set(rules)


def _names(by: Any) -> list[str]:
    return [by] if isinstance(by, str) else list(by or ())


def _divides(frame: pd.DataFrame, names: list[str], *additional: str) -> bool:
    return {*names} <= {*frame.columns, *known_strata(frame), *additional}
