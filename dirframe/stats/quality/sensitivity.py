"""Sensitivity of a statistic to the exclusion of records in doubt."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe._arrow import as_pandas
from dirframe.charts import STATISTICS
from dirframe.errors import InvalidInputError
from dirframe.stats._options.selection import DEFAULTS
from dirframe.stats._options.strata import names_of
from dirframe.stats._rules.exclusion import applicable, required, rules_of
from dirframe.stats._rules.frame_facts import DEFAULT_AGE
from dirframe.stats._rules.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from dirframe.stats._options.selection import Frame
    from dirframe.stats._rules.frame_facts import MaxAge


def sensitivity(
    statistic: Callable[..., pd.DataFrame],
    frame: Frame,
    *,
    rules: Collection[str] | None = None,
    max_age: MaxAge | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Compute a statistic without exclusion, with each one alone, and with all of them.

    Parameters
    ----------
    statistic : callable
        A function of `dirframe.stats`, of accounts or projects.
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        The records that the statistic takes.
    rules : collection of str, optional
        Names of the rules of `dirframe.flags` to try. By default, all whose columns the frame
        has.
    max_age : str, int or datetime.timedelta, optional
        The age from which ``stale_analysis`` treats an analysis as stale, as in
        `dirframe.flags`. By default, ``"1y"``.
    **options : object
        Options of the statistic, such as ``top=5`` or ``by="year"``.

    Returns
    -------
    pandas.DataFrame
        The rows of the statistic once for each exclusion, one below the other:

        - ``exclusion`` (str): ``"none"``, then each rule by name, then ``"all"``
        - ``removed`` (Int64, records): that the exclusion leaves out; 0 for ``"none"``
        - the columns of the statistic
        - for each of them that is a figure, its name with ``_difference`` behind it (Int64 or
          Float64, the unit of the figure): the figure less that of the same row without
          exclusion, not in percent of it, so that a share of 0.25 instead of 0.20 differs by
          0.05, and what becomes smaller has a negative one. Missing where either figure is,
          or where there is no such row without exclusion

    Raises
    ------
    InvalidInputError
        If `statistic` is none of `dirframe.stats`, a rule is unknown or its columns are
        missing, or as the statistic.
    TypeError
        If the statistic has no such option.

    Notes
    -----
    A record can be told by more than one rule, so that ``removed`` of ``"all"`` may be less
    than the sum. A rule that tells no record has rows, too: that it changes nothing is a result.

    Rows are the same where their strata and what they are of (language, class, month, measure;
    of `dirframe.stats.life_span` the id) are; the n-th of several such rows is that of the
    n-th. ``other (5 languages)`` and ``other (6 languages)`` are not the same row. What an
    exclusion leaves nothing of has no row. Points in time, texts and truth values have no
    difference. Of `dirframe.stats.lorenz`, a row is the corner of a number of contributors.

    Examples
    --------
    >>> import pandas as pd
    >>> from dirframe import stats
    >>> projects = pd.DataFrame({
    ...     "analysis_twelve_month_contributor_count": [2, -1, 4],
    ...     "analysis_total_code_lines": [100, 100, -100],
    ... })
    >>> table = sensitivity(stats.contributor_quantiles, projects, quantiles=[0.5])
    >>> columns = ["exclusion", "removed", "contributors", "contributors_difference"]
    >>> print(table[columns])
                   exclusion  removed  contributors  contributors_difference
    0                   none        0           3.0                      0.0
    1          lines_outlier        0           3.0                      0.0
    2  negative_contributors        1           3.0                      0.0
    3         negative_lines        1           2.0                     -1.0
    4                    all        2           2.0                     -1.0
    """
    if not _takes_rules(statistic):
        raise InvalidInputError(
            "The statistic must be a function of dirframe.stats that takes exclude=; got "
            f"{statistic!r}."
        )
    if "exclude" in options:
        raise InvalidInputError("sensitivity tries the exclusions itself: name them as rules=.")
    frame = as_pandas(frame)
    selected = applicable(frame) if rules is None else rules_of(rules, max_age)
    required(frame, selected)
    exclusions: dict[str, list[Rule]] = {
        "none": [],
        **{rule.value: [rule] for rule in selected},
        "all": selected,
    }
    parts = []
    for name, exclude in exclusions.items():
        stale = (
            (DEFAULT_AGE if max_age is None else max_age)
            if Rule.STALE_ANALYSIS in exclude
            else None
        )
        table = statistic(frame, exclude=exclude, max_age=stale, **options)
        removed = provenance.get_provenance(table)["counted"].get("excluded", 0)
        table.insert(0, "exclusion", pd.Series([name] * len(table), dtype="str", index=table.index))
        table.insert(1, "removed", pd.Series([removed] * len(table), dtype="Int64"))
        parts.append(table)
    result = pd.concat(parts, ignore_index=True).astype(parts[0].dtypes.to_dict())
    _add_differences(result, [*names_of(options.get("by")), *STATISTICS[statistic.__name__].keys])
    provenance.copy_provenance(parts[0], result, "sensitivity")
    return result


def _add_differences(result: pd.DataFrame, keys: list[str]) -> None:
    """Add a column for each figure: its difference from the same row without exclusion."""
    rows = result[keys].assign(
        occurrence=result.groupby(["exclusion", *keys], dropna=False, sort=False).cumcount()
    )
    figures = [
        name
        for name in result.columns.drop(["exclusion", "removed", *keys])
        if pd.api.types.is_any_real_numeric_dtype(result[name])
    ]
    baseline = rows.assign(**{name: result[name] for name in figures})
    baseline = baseline[result["exclusion"] == "none"]
    reference = rows.merge(
        baseline, how="left", on=[*rows]
    )  # keeps the order, and missing keys match
    for name in figures:
        result[f"{name}_difference"] = result[name] - reference[name].astype(result[name].dtype)


def _takes_rules(statistic: object) -> bool:
    return (
        callable(statistic)
        and getattr(statistic, "__name__", None) in STATISTICS
        and getattr(statistic, "__module__", "").startswith("dirframe.stats.")  # charts are not
        and {*DEFAULTS} <= {*inspect.signature(statistic).parameters}
    )
