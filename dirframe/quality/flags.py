"""Flag known bad data: a row per record and rule, with the value at fault."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe.errors import MissingColumnsError
from dirframe.quality.rules import RULE_COLUMNS, RULES, applicable, columns_of, matches, rules_of
from dirframe.schema import Resource
from dirframe.stats.records import NAME, collection_of, read, require_records


def flags(
    frame: pd.DataFrame,
    *,
    rules: Collection[str] | None = None,
    older_than: str | None = None,
) -> pd.DataFrame:
    """Flag records that cannot be right, or are in doubt, each with its reason.

    Parameters
    ----------
    frame : pandas.DataFrame
        Accounts or projects as the loaders give them.
    rules : collection of str, optional
        Names of rules; by default all rules whose columns the frame has. The provenance names the
        others.
    older_than : str, optional
        Age beyond which an analysis is stale, as in `exclude`; by default ``"1y"``.

    Returns
    -------
    pandas.DataFrame
        One row per record and rule, by rule, id, then name (as text, missing last): ``id``,
        ``name``, ``rule`` and ``evidence``, the value and why it is flagged (all str). Counted: the
        records, and by rule those flagged (``flagged_negative_lines``). Missing values never are:

        - ``began_before_language``: before the year in which the main language first appeared, the
          earliest that PLDB and Wikipedia have (``quality/first_appearance.csv``)
        - ``duplicate_id``: every record of an id that is there twice, of which `exclude` keeps none;
          ``frame.drop_duplicates("id")`` keeps one
        - ``lines_outlier``: a modified z-score of log lines above 3.5 in the main language or, below
          20 projects, in all (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993)
        - ``month_in_future``: the code was fetched before the last month with activity
        - ``stale_analysis``: the code was fetched longer than `older_than` before the retrieval (if
          not known or synthetic, before the fetch of the median project)

    Examples
    --------
    >>> print(flags(pd.DataFrame({"posts_count": [3, -1]}))["evidence"][0])
    -1 posts
    """
    frame = require_records(frame)
    chosen = applicable(frame) if rules is None else rules_of(rules)
    if rules is None and not chosen:
        raise MissingColumnsError(
            "The frame has no column that a rule reads. Pass accounts or projects of a loader.",
            columns=list(RULE_COLUMNS),
        )
    columns = columns_of(frame, chosen, older_than).assign(name=_names(frame))
    if "id" not in columns:
        columns["id"] = pd.Series(None, columns.index, dtype="str")
    tables = []
    for rule in chosen:
        is_flagged = matches(columns, rule)
        if not is_flagged.any():  # most rules match nothing, and a table of nothing takes as long
            continue
        flagged = columns[is_flagged].sort_values(["id", "name"])
        evidence = [RULES[rule].evidence.format_map(row) for row in flagged.to_dict("records")]
        tables.append(flagged[["id", "name"]].assign(rule=rule, evidence=evidence))
    nothing = pd.DataFrame(columns=["id", "name", "rule", "evidence"])
    table = pd.concat([nothing, *tables], ignore_index=True).astype("str")
    resource = provenance.resource_of(frame)
    unchecked = [] if rules is not None or resource is None else _unchecked(resource, chosen)
    step = f"flags, not checked: {', '.join(unchecked)}" if unchecked else "flags"
    provenance.copy_provenance(frame, table, step, records=False)
    collection = collection_of(frame)
    numbers = table["rule"].value_counts()
    flagged_by = {f"flagged_{rule}": int(numbers.get(rule, 0)) for rule in chosen}
    return provenance.set_provenance(
        table,
        counted={collection: len(frame), **flagged_by},
        statistic={"name": "flags"},
        resource=resource.name if resource else "",
    )


def _names(frame: pd.DataFrame) -> pd.Series[Any]:
    """Return the names of records, or else their logins."""
    columns = read(frame, [], optional=[NAME, "login"]).reindex(columns=[NAME, "login"])
    return columns[NAME].astype("str").fillna(columns["login"].astype("str"))


def _unchecked(resource: Resource, chosen: Collection[str]) -> list[str]:
    """Return the rules for such records that are not chosen, since columns are absent."""
    fields = resource.by_column.keys()
    others = [name for name in RULES if name not in chosen]
    return [name for name in others if set(RULES[name].needs) <= fields]
