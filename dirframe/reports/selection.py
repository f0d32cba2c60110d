"""Validate and apply the selection of a report: excluded records and strata."""

from __future__ import annotations

import inspect
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from dirframe.errors import InvalidInputError
from dirframe.stats._core.groupby import whole_number
from dirframe.stats._options.selection import as_json
from dirframe.stats._options.strata import known_strata
from dirframe.stats._rules.exclusion import applicable, exclude_records, rules_of
from dirframe.stats._rules.frame_facts import offset_of
from dirframe.stats._rules.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pandas as pd

    from dirframe.stats._options.selection import Selection


def validate_selection(frames: Mapping[str, pd.DataFrame], selection: Selection) -> Selection:
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
    >>> validate_selection({"projects": frame}, {"exclude": ["duplicate_id"], "by": None})
    {'exclude': ['duplicate_id']}
    """
    age = selection.get("max_age")
    if isinstance(age, timedelta) and age % timedelta(days=1):
        raise InvalidInputError(f"max_age is {age!r}; a report takes whole days.")
    if age is not None:
        offset_of(age)
    validated = as_json(selection)
    for rule in rules_of(validated.get("exclude", ()), age):
        if not any(rule in applicable(frame) for frame in frames.values()):
            raise InvalidInputError(
                f"The rule {rule} needs columns that the {' and '.join(frames)} do not have. Leave "
                "it out, or load them."
            )
    names = _strata_names(validated)
    if names and not any(_has_strata(f, names, *_unified(f)) for f in frames.values()):
        raise InvalidInputError(
            f"{' and '.join(map(repr, names))}: no columns and no strata of the "
            f"{' and '.join(frames)}."
        )
    whole_number("min_records", selection.get("min_records", 1), least=1, instead="for all strata")
    return validated


def options_for(
    function: Callable[..., Any],
    frame: pd.DataFrame,
    selection: Selection,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the options that apply the selection of a report to a statistic or chart.

    Parameters
    ----------
    function : callable
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
    parameters = inspect.signature(function).parameters
    selected: dict[str, Any] = {}
    rules = rules_for(frame, selection)
    if exclude := [rule for rule in rules if rule in selection.get("exclude", ())]:
        selected["exclude"] = exclude
    if selection.get("max_age") is not None and Rule.STALE_ANALYSIS in rules:
        selected["max_age"] = selection["max_age"]
    by = strata_for(frame, selection)
    chart = function.__module__.startswith("dirframe.plot.")
    if by and "by" in parameters:
        other_options = {n: v for n, v in options.items() if n != "by"}
        # A table with one row per language cannot be stratified by language.
        if chart or not set(by) & set(function(frame.iloc[:0], **other_options).columns):
            selected |= {"by": by, "min_records": selection.get("min_records", 1)}
    return {name: value for name, value in selected.items() if name in parameters} | dict(options)


def rules_for(frame: pd.DataFrame, selection: Selection) -> list[str]:
    """Return the rules of a selection whose columns a frame has.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects.
    selection : Selection
        As returned by `validate_selection`.

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
    usable = applicable(frame)
    rules = rules_of(selection.get("exclude", ()), selection.get("max_age"))
    return [rule.value for rule in rules if rule in usable]


def strata_for(frame: pd.DataFrame, selection: Selection) -> list[str]:
    """Return the strata of a selection; empty if the frame lacks the columns.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects.
    selection : Selection
        As returned by `validate_selection`.

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
    names = _strata_names(selection)
    return names if _has_strata(frame, names) else []


def excluded_counts(frame: pd.DataFrame, selection: Selection) -> Iterator[tuple[str, int]]:
    """Count the records that a selection excludes, in total and by rule.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects.
    selection : Selection
        As returned by `validate_selection`.

    Yields
    ------
    tuple of str and int
        An empty name with the total, then each rule with its count.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["1", "1", "2"]})
    >>> list(excluded_counts(frame, {"exclude": ["duplicate_id"]}))
    [('', 2), ('duplicate_id', 2)]
    """
    rules = rules_for(frame, selection)
    age = selection.get("max_age") if Rule.STALE_ANALYSIS in rules else None
    _, numbers = exclude_records(frame, rules, age)
    for name, number in numbers.items():
        yield name.removeprefix("excluded").removeprefix("_"), number


def _unified(frame: pd.DataFrame) -> tuple[str, ...]:
    # The template unifies the countries of accounts first.
    return ("country",) if "country_code" in frame else ()


def _strata_names(selection: Selection) -> list[str]:
    return list(selection.get("by") or ())


def _has_strata(frame: pd.DataFrame, names: list[str], *additional: str) -> bool:
    return {*names} <= {*frame.columns, *known_strata(frame), *additional}
