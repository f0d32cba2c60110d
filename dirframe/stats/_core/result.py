"""What stands at both ends of every statistic: what it takes, and what it hands on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe.charts import base_of
from dirframe.errors import ColumnsNotSentError, Hint, MissingColumnsError
from dirframe.stats._core.backends import absent_of, columns_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.stats._core.loaders import Loader


def attach_counts(
    source: Any,
    result: pd.DataFrame,
    *,
    step: str,
    resource: str,
    counted: dict[str, int],
) -> pd.DataFrame:
    """Hand the provenance on to a statistic, with what it counted.

    The base is the number of records that the figures are of, as the list of statistics names it.

    Of the engines, pandas alone keeps it with the frame; no source is better than a wrong one.
    """
    known = source if isinstance(source, pd.DataFrame) else pd.DataFrame()
    provenance.copy_provenance(known, result, step, records=False)
    base = {}
    key, words = base_of(step)
    if key in counted:
        base = {"records": counted[key], "which": words}
    return provenance.set_provenance(result, resource=resource, counted=counted, base=base)


def require_columns(
    frame: object,
    *columns: str,
    giver: Loader,
    any_of: Sequence[str] = (),
    lists: Sequence[str] = (),
) -> None:
    """Refuse what is no frame with these columns, and say who gives one.

    A column that the directory did not send, or that was not loaded, is refused as well: it says
    nothing of the records. So are `lists`, which a frame has only if a record holds one, and
    `any_of` where a frame has none of them that was sent. Pandas and Dask keep the provenance that tells.
    """
    known = set(columns_of(frame, giver))
    needed = [*columns, *lists, *(() if _any_sent(frame, known, any_of) else any_of)]
    if absent := absent_of(frame, needed):
        raise ColumnsNotSentError(absent.why, columns=absent.columns, hint=absent.hint)
    if missing := [column for column in columns if column not in known]:
        raise MissingColumnsError(
            f"The frame has no column {', '.join(missing)}.",
            columns=missing,
            hint=Hint(
                f"Pass one as {giver.python} gives it.", shell=f"Name a file of {giver.shell}."
            ),
        )


def _any_sent(frame: object, known: set[str], names: Sequence[str]) -> bool:
    there = [name for name in names if name in known]
    absent = absent_of(frame, there)
    return set(there) > set(absent.columns if absent else ())
