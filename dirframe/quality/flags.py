"""Flag known bad data: a row per record and rule, with the value at fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dirframe import provenance
from dirframe.errors import MissingColumnsError
from dirframe.quality.rules import COLUMNS, RULES, applicable, columns_of, matches, rules_of
from dirframe.stats.kernel import collection_of, require_records

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import timedelta


def flags(
    frame: pd.DataFrame,
    *,
    rules: Collection[str] | None = None,
    max_age: str | int | timedelta | None = None,
) -> pd.DataFrame:
    """Flag records that cannot be right, or are in doubt, each with its reason.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects as the loaders give them.
    rules : collection of str, optional
        Names of the rules to apply. By default, all whose columns the frame has.
    max_age : str, int or datetime.timedelta, optional
        The age from which an analysis is stale: a number of days, a timedelta, or text of a
        number with its unit ``d``, ``w``, ``mo`` or ``y``. By default, ``"1y"``.

    Returns
    -------
    pandas.DataFrame
        One row per record and rule, by rule, then id, then name (as text, missing ones last):

        - ``id`` (str): of the record; missing where the frame has none
        - ``name`` (str): of the record; missing as above
        - ``rule`` (str): name of the rule
        - ``evidence`` (str): the value, and why it is flagged

    Raises
    ------
    MissingColumnsError
        If the frame has no column that a rule reads.
    InvalidInputError
        If a rule is unknown or its columns are missing, a column does not hold what it
        should, or `max_age` is no age.

    Notes
    -----
    A missing value is never flagged, and dates are compared as they are, in UTC. Projects:

    - ``began_before_1970``: the first month with activity is before 1970
    - ``began_before_language``: it is before the year in which the main language first
      appeared; the project may be older than its present language. The years, the earliest of
      PLDB's (the Programming Language Database) and Wikipedia's: ActionScript 1998, Ada 1980,
      C 1972, C# 2000, C++ 1983, Clojure 2007, CoffeeScript 2009, D 2001, Dart 2011, Eiffel
      1986, Elixir 2011, Emacs Lisp 1985, Erlang 1986, F# 2005, Go 2009, Groovy 2003, Haskell
      1990, Haxe 2005, Java 1995, JavaScript 1995, Julia 2012, Kotlin 2011, Lua 1993, OCaml
      1996, Objective-C 1984, PHP 1994, Perl 1987, Python 1991, R 1993, Ruby 1995, Rust 2010,
      Scala 2004, Swift 2014, TypeScript 2012, Vala 2006, Visual Basic 1991
    - ``lines_outlier``: far more lines of code than others. The measure is the modified z-score
      of the decimal logarithm of the lines, 0.6745 (x - median) / MAD, where MAD is the median
      of the absolute deviations from the median (B. Iglewicz and D. Hoaglin, How to Detect and
      Handle Outliers, 1993); above their 3.5 is an outlier. It is taken of the projects with
      a line or more within the main language, or of all of them where a language has fewer than
      20 such; where MAD is 0, nothing is an outlier. Few lines are no reason: small projects
      are real
    - ``months_reversed``: the last month is before the first
    - ``month_in_future``: the last month begins after the project's code was fetched
    - ``negative_lines``, ``negative_contributors``
    - ``stale_analysis``: the code was fetched longer than `max_age` before the frame was
      retrieved; where that is not known, or the data is synthetic, before the code of the median
      project was fetched (of two in the middle, the later)

    Accounts: ``impossible_kudo_rank`` (not 1 to 10), ``impossible_latitude`` and
    ``impossible_longitude`` (outside the globe), ``negative_posts``. Both:
    ``updated_before_created``, and ``duplicate_id``: another record has the same id. All of
    them are flagged, since none of them says which is the right one.

    ``attrs["dirframe"]["counted"]`` holds the records of the frame and, by rule, how many are
    flagged (``flagged_negative_lines`` and so on, zeros too). The last step of the provenance
    names the rules for such records that could not be checked, as columns are absent.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "id": ["1", "2"],
    ...     "name": ["Ant", "Bee"],
    ...     "analysis_main_language_name": ["C", "Java"],
    ...     "analysis_min_month": pd.to_datetime(["1988-07-01", "1989-11-01"]),
    ...     "analysis_total_code_lines": [-5, 800],
    ... })
    >>> print(flags(projects)[["name", "rule"]])
      name                   rule
    0  Bee  began_before_language
    1  Ant         negative_lines
    >>> print(flags(projects)["evidence"][0])
    first month 1989-11; Java first appeared in 1995
    """
    frame = require_records(frame)
    chosen = applicable(frame) if rules is None else rules_of(rules)
    if rules is None and not chosen:
        raise MissingColumnsError(
            "The frame has no column that a rule reads. Pass accounts or projects as a loader "
            "gives them.",
            columns=[c if isinstance(c, str) else c[0] for c in COLUMNS.values()],
        )
    p = columns_of(frame, chosen, max_age)
    rows = []
    for name in chosen:
        found = p[matches(p, name)].sort_values(["id", "name"])
        rows += [
            (row["id"], row["name"], name, RULES[name].evidence.format_map(row))
            for row in found.to_dict("records")
        ]
    table = pd.DataFrame(rows, columns=["id", "name", "rule", "evidence"]).astype("str")
    provenance.copy_provenance(
        frame, table, _step(frame, chosen, is_all=rules is None), records=False
    )
    resource = provenance.resource_of(frame)
    counted = {f"flagged_{name}": int((table["rule"] == name).sum()) for name in chosen}
    return provenance.set_provenance(
        table,
        counted={collection_of(frame): len(frame), **counted},
        statistic={"name": "flags"},
        resource=resource.name if resource else "",
    )


def _step(frame: pd.DataFrame, chosen: Collection[str], *, is_all: bool) -> str:
    """Return the step of the provenance, with the rules of such records that could not be checked."""
    resource = provenance.resource_of(frame)
    fields = resource.by_column if resource and is_all else {}
    columns = {name: (c,) if isinstance(c, str) else c for name, c in COLUMNS.items()}
    unchecked = [
        name
        for name, rule in RULES.items()
        if name not in chosen and all(columns[need][0] in fields for need in rule.needs)
    ]
    return f"flags, not checked: {', '.join(unchecked)}" if unchecked else "flags"
