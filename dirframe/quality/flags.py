"""Flag known bad data: a row per record and rule, with the value at fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dirframe import provenance
from dirframe.errors import MissingColumnsError
from dirframe.quality.rules import COLUMNS as READ
from dirframe.quality.rules import RULES, applicable, columns_of, matches, rules_of
from dirframe.stats.kernel import COLUMNS, collection_of, require_records

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
        Names of the rules to apply. By default, all whose columns the frame has; the last step of
        the provenance names the others for such records.
    max_age : str, int or datetime.timedelta, optional
        Age from which an analysis is stale, by default ``"1y"``: days, a timedelta, or a number
        with ``d``, ``w``, ``mo`` or ``y``.

    Returns
    -------
    pandas.DataFrame
        One row per record and rule, by rule, then id, then name (as text, missing ones last):
        ``id``, ``name``, ``rule`` and ``evidence``, the value and why it is flagged (all str).

    Notes
    -----
    A missing value is never flagged. Counted: the records, and by rule those that are flagged
    (``flagged_negative_lines`` and so on, zeros too). The rules:

    - ``began_before_1970``, and ``began_before_language``: the first month is before the year in
      which the main language first appeared, the earliest that PLDB (the Programming Language
      Database) and Wikipedia have, in ``quality/first_appearance.csv``
    - ``lines_outlier``: a modified z-score of the decimal logarithm of the lines above 3.5 (B.
      Iglewicz and D. Hoaglin, How to Detect and Handle Outliers, 1993), within the main language
      or, where it has fewer than 20 projects with lines, of all; none where all deviate by 0
    - ``months_reversed``, and ``month_in_future``: the last month begins after the fetch of the code
    - ``stale_analysis``: the code was fetched longer than `max_age` before the frame was retrieved
      or, where that is not known or the data synthetic, before that of the median project was
    - ``negative_lines``, ``negative_contributors``, ``negative_posts``, ``impossible_latitude``,
      ``impossible_longitude``, ``impossible_kudo_rank`` (not 1 to 10), ``updated_before_created``
    - ``duplicate_id``: all records with that id, since none of them says which is the right one

    Examples
    --------
    >>> print(flags(pd.DataFrame({"posts_count": [3, -1]}))["evidence"][0])
    -1 posts
    """
    frame = require_records(frame)
    chosen = applicable(frame) if rules is None else rules_of(rules)
    if rules is None and not chosen:
        raise MissingColumnsError(
            "The frame has no column that a rule reads. Pass accounts or projects as a loader "
            "gives them.",
            columns=[COLUMNS.get(name, (name,))[0] for name in READ],
        )
    p = columns_of(frame, chosen, max_age)
    rows = []
    for name in chosen:
        found = p[matches(p, name)].sort_values(["id", "called"])
        rows += [
            (row["id"], row["called"], name, RULES[name].evidence.format_map(row))
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
    unchecked = [
        name
        for name, rule in RULES.items()
        if name not in chosen
        and all(COLUMNS.get(need, (need,))[0] in fields for need in rule.needs)
    ]
    return f"flags, not checked: {', '.join(unchecked)}" if unchecked else "flags"
