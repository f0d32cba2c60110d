"""Input checks and result metadata that all statistics share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe.charts import base_of
from dirframe.errors import Hint, MissingColumnsError
from dirframe.schema import PROJECT
from dirframe.schema.extensions import ALL_RESOURCES
from dirframe.stats._core.backends import absent_of, check_sent, columns_of, resource_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.stats._core.loaders import Loader

#: Names of the resources by their collection.
_NAMES = {resource.collection: name for name, resource in ALL_RESOURCES.items()}


def attach_counts(
    source: Any, result: pd.DataFrame, counted: dict[str, int], *, step: str
) -> pd.DataFrame:
    """Attach the provenance of the input and the counts to the result of a statistic.

    The first count is that of all records, by their collection. The base is the number of records
    behind the figures, as the list of statistics names it.

    Only pandas frames carry provenance; for other engines no source is given.
    """
    collection = next(iter(counted))
    origin = source if isinstance(source, pd.DataFrame) else pd.DataFrame()
    provenance.copy_provenance(origin, result, step, records=False)
    base = {}
    key, description = base_of(step)
    if key in counted:
        base = {"records": counted[key], "which": description}
    resource = _NAMES.get(collection, collection.removesuffix("s"))
    return provenance.set_provenance(result, resource=resource, counted=counted, base=base)


def require_columns(
    frame: object,
    *columns: str,
    loader: Loader,
    any_of: Sequence[str] = (),
    lists: Sequence[str] = (),
) -> None:
    """Raise if an object is not a frame with these columns; the message names the loader.

    Columns that the directory did not send, or that were not loaded, raise as well. So do `lists`,
    which a frame of projects has only if a record holds one, and `any_of` if none of them was
    sent. Only pandas and Dask frames carry the provenance that this needs.
    """
    known = set(columns_of(frame, loader))
    needed = [*columns, *lists, *(() if _any_sent(frame, known, any_of) else any_of)]
    check_sent(frame, [*dict.fromkeys(needed)])
    missing = [column for column in columns if column not in known]
    if not known.issuperset(lists) and resource_of(frame) is not PROJECT:
        missing += [column for column in lists if column not in known]
    if missing:
        raise MissingColumnsError(
            f"The frame has no column {', '.join(missing)}.",
            columns=missing,
            hint=Hint(f"Pass a frame of {loader.python}.", shell=f"Name a file of {loader.shell}."),
        )


def _any_sent(frame: object, known: set[str], names: Sequence[str]) -> bool:
    present = [name for name in names if name in known]
    absent = absent_of(frame, present)
    return set(present) > set(absent.columns if absent else ())
