"""What stands at both ends of every statistic: what it takes, and what it hands on.

What stays out: the statistics themselves.
"""

from __future__ import annotations

import pandas as pd

from dirframe import provenance
from dirframe.errors import InvalidInputError


def finish(
    source: pd.DataFrame,
    result: pd.DataFrame,
    *,
    step: str,
    resource: str,
    counted: dict[str, int],
) -> pd.DataFrame:
    """Hand the provenance on to a statistic, with what it counted."""
    provenance.carry(source, result, step)
    return provenance.attach(result, resource=resource, counted=counted)


def require(frame: pd.DataFrame, *columns: str, giver: str) -> None:
    """Refuse what is no frame with these columns, and say who gives one."""
    if not isinstance(frame, pd.DataFrame):
        raise InvalidInputError(
            f"A DataFrame as {giver} gives it was expected; a {type(frame).__name__} came."
        )
    if missing := [column for column in columns if column not in frame]:
        raise InvalidInputError(
            f"The frame has no column {', '.join(missing)}. Pass one as {giver} gives it."
        )
