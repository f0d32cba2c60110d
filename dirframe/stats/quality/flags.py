"""Flag known bad data: a row per record and rule, with the value at fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from dirframe._arrow import as_pandas
from dirframe.errors import MissingColumnsError
from dirframe.schema import PROJECT
from dirframe.stats._core.backends import map_reduce, resource_of
from dirframe.stats._core.groupby import aggregate
from dirframe.stats._core.result import attach_counts
from dirframe.stats._rules.exclusion import applicable, columns_read, required, rules_of, tests_of
from dirframe.stats._rules.frame_facts import facts_of
from dirframe.stats._rules.rules import READ, RULES, Rule

if TYPE_CHECKING:
    from collections.abc import Collection

    from dirframe.stats._options.selection import Frame
    from dirframe.stats._rules.frame_facts import MaxAge

_MARK = "matches_"


def flags(
    frame: Frame, *, rules: Collection[str] | None = None, max_age: MaxAge | None = None
) -> pd.DataFrame:
    """Flag records that cannot be right, or are in doubt, each with its reason.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
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
      retrieved; where that is not known (DuckDB and Dask keep no provenance), or the data is
      synthetic, before the code of the median project was fetched (of two in the middle, the
      later)

    Accounts: ``impossible_kudo_rank`` (not 1 to 10), ``impossible_latitude`` and
    ``impossible_longitude`` (outside the globe), ``negative_posts``. Both:
    ``updated_before_created``, and ``duplicate_id``: another record has the same id. All of
    them are flagged, since none of them says which is the right one.

    ``attrs["dirframe"]["counted"]`` holds the records of the frame and, by rule, how many are
    flagged (``flagged_negative_lines`` and so on, zeros too).

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
    frame = as_pandas(frame)
    selected = applicable(frame) if rules is None else rules_of(rules)
    if rules is None and not selected:
        needed = {name for rule in Rule for read in RULES[rule].needs for name in READ[read].names}
        raise MissingColumnsError(
            "The frame has no column that a rule reads. Pass accounts or projects as a loader "
            "gives them.",
            columns=sorted(needed),
        )
    required(frame, selected)
    facts = facts_of(frame, set(selected), max_age)
    # Missing if the frame has no such column: no rule requires either.
    columns = {"id": READ["id"], "name": READ["name"], **columns_read(selected)}
    tests = tests_of(selected, facts)

    def statement(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        marks = {_MARK + name: test.fill_null(value=False) for name, test in tests.items()}
        marked = table.with_columns(**marks)
        return marked.filter(nw.any_horizontal(*(nw.col(m) for m in marks), ignore_nulls=True))

    matches = aggregate(frame, columns, statement) if selected else pd.DataFrame()
    rows = [
        (row.id, row.name, rule.value, RULES[rule].evidence(facts, row))
        for rule in selected
        for row in _matching(matches, rule).itertuples(index=False)
    ]
    result = pd.DataFrame(rows, columns=["id", "name", "rule", "evidence"]).astype("str")
    records: int = map_reduce(frame, [], len, sum)  # type: ignore[misc]  # mypy picks no overload of sum
    collection = (resource_of(frame) or PROJECT).collection
    counted = {
        collection: records,
        **{f"flagged_{rule}": int((result["rule"] == rule).sum()) for rule in selected},
    }
    return attach_counts(frame, result, counted, step="flags")


def _matching(matches: pd.DataFrame, rule: Rule) -> pd.DataFrame:
    return matches[matches[_MARK + rule].astype("bool")].sort_values(["id", "name"])
