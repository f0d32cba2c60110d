"""What stands at both ends of every statistic: what it takes, and what it hands on.

What stays out: the statistics themselves.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe.errors import InvalidInputError
from dirframe.stats._bases import BASES
from dirframe.stats._engines import columns_of


def finish(
    source: Any,
    result: pd.DataFrame,
    *,
    step: str,
    resource: str,
    counted: dict[str, int],
) -> pd.DataFrame:
    """Hand the provenance on to a statistic, with what it counted.

    The base is the number of records that the figures are of, as `BASES` names it.

    Of the engines, pandas alone keeps it with the frame; no source is better than a wrong one.
    """
    known = source if isinstance(source, pd.DataFrame) else pd.DataFrame()
    provenance.carry(known, result, step, records=False)
    base = {}
    if step in BASES and (key := BASES[step][0]) in counted:
        base = {"records": counted[key], "which": BASES[step][1]}
    return provenance.attach(result, resource=resource, counted=counted, base=base)


def require(frame: object, *columns: str, giver: str) -> None:
    """Refuse what is no frame with these columns, and say who gives one."""
    known = set(columns_of(frame, giver))
    if missing := [column for column in columns if column not in known]:
        raise InvalidInputError(
            f"The frame has no column {', '.join(missing)}. Pass one as {giver} gives it."
        )
