"""Select the rules that apply to a frame, and exclude the records that they match."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from dirframe.errors import InvalidInputError
from dirframe.provenance import set_provenance
from dirframe.stats._core.backends import check_sent, columns_sent
from dirframe.stats._core.filter import count, keep
from dirframe.stats._rules.frame_facts import facts_of
from dirframe.stats._rules.rules import READ, RULES, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    import narwhals as nw
    import pandas as pd

    from dirframe.stats._core.columns import Column
    from dirframe.stats._rules.frame_facts import Facts, MaxAge

_ANY = "excluded"


def rules_of(names: Iterable[str] | str, max_age: MaxAge | None = None) -> list[Rule]:
    """Parse rule names, without duplicates, in the order of `Rule`; an age adds `stale_analysis`."""
    selected = {names} if isinstance(names, str) else set(names)
    if unknown := sorted(str(name) for name in selected if name not in {*Rule}):
        raise InvalidInputError(
            f"There is no rule {', '.join(unknown)}. The rules are {', '.join(Rule)}."
        )
    if max_age is not None:
        selected.add(Rule.STALE_ANALYSIS)
    return [rule for rule in Rule if rule in selected]


def applicable(frame: Any) -> list[Rule]:
    """Return the rules whose required columns a frame has."""
    columns = columns_sent(frame)
    return [rule for rule in Rule if not _missing(rule, columns)]


def required(frame: Any, rules: Iterable[Rule]) -> None:
    """Raise if a frame lacks a column that a rule requires."""
    columns = columns_sent(frame)
    for rule in rules:
        needed = [name for read in RULES[rule].needs for name in READ[read].names]
        if missing := _missing(rule, columns):
            check_sent(frame, needed)
            raise InvalidInputError(
                f"The rule {rule} needs the column {', '.join(missing)}, which the frame does not "
                "have. Leave the rule out, or load the column."
            )


def _missing(rule: Rule, known: set[str]) -> list[str]:
    needed = [READ[name].names for name in RULES[rule].needs]
    return [" or ".join(names) for names in needed if not known & set(names)]


def tests_of(rules: Iterable[Rule], facts: Facts) -> dict[str, nw.Expr]:
    """Return the expression of each rule, given the facts of a frame."""
    return {rule.value: RULES[rule].holds(facts) for rule in rules}


def columns_read(rules: Iterable[Rule]) -> dict[str, Column]:
    """Return the columns that some rules read, by their names in `READ`."""
    names = {name for rule in rules for name in RULES[rule].columns()}
    return {name: column for name, column in READ.items() if name in names}


def exclude(
    frame: pd.DataFrame, rules: Iterable[str] | str, max_age: MaxAge | None = None
) -> pd.DataFrame:
    """Return a frame without the records that some rules match; its provenance has their numbers."""
    records, counts = exclude_records(frame, rules, max_age)
    if not counts:
        return frame
    numbers = {name.removeprefix(f"{_ANY}_"): n for name, n in counts.items() if name != _ANY}
    sound: pd.DataFrame = records.copy(deep=False)
    return set_provenance(sound, excluded=numbers)


def exclude_records(
    frame: Any, exclude: Iterable[str] | str, max_age: MaxAge | None = None
) -> tuple[Any, dict[str, int]]:
    """Return a frame without the records that some rules match, and their numbers.

    The counts are for ``counted``: the total (``excluded``), and by rule, where a record can
    match several (``excluded_negative_lines`` and so on).
    """
    rules = rules_of(exclude, max_age)
    required(frame, rules)
    if not rules:
        return frame, {}
    columns = columns_read(rules)
    tests = tests_of(rules, facts_of(frame, set(rules), max_age))
    any_rule = reduce(or_, (test.fill_null(value=False) for test in tests.values()))
    tests_by_count = {_ANY: any_rule, **{f"{_ANY}_{name}": test for name, test in tests.items()}}
    counts = count(frame, columns, tests_by_count)
    return (keep(frame, columns, ~any_rule) if counts[_ANY] else frame), counts
