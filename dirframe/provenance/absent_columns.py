"""Detect columns that are empty because they were not sent or not loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dirframe.errors import Hint
from dirframe.provenance.record import Provenance
from dirframe.schema.attributes import ATTRIBUTE

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd


class Absent(NamedTuple):
    """Columns that are empty although the records may have values, the reason, and a hint."""

    columns: tuple[str, ...]
    why: str
    hint: Hint


def absent(
    frame: pd.DataFrame, columns: Iterable[str], *, rows_elsewhere: bool = False
) -> Absent | None:
    """Return the columns that are empty because they were not sent or not loaded.

    Parameters
    ----------
    frame : pandas.DataFrame
        A frame of a loader, or one derived from it.
    columns : iterable of str
        Names of columns.
    rows_elsewhere : bool, default False
        Whether the rows are stored elsewhere, such as in Dask.

    Returns
    -------
    Absent or None
        The columns that the directory did not send, or else those that were not loaded, with a
        hint; None if there are none.

    Examples
    --------
    >>> import pandas as pd
    >>> from dirframe.provenance import set_provenance
    >>> frame = set_provenance(pd.DataFrame({"id": ["1"]}), columns=["id"])
    >>> absent(frame, ["name"]).why
    'name was not loaded: only the columns id were asked for.'
    """
    record, names = Provenance.from_dict(frame.attrs.get(ATTRIBUTE)), list(columns)
    unsent = tuple(name for name in names if name in record.not_sent)
    if not rows_elsewhere:
        unsent = tuple(name for name in unsent if len(frame) and not _has_values(frame, name))
    if unsent:
        was, it = ("was", "it") if len(unsent) == 1 else ("were", "them")
        return Absent(
            unsent,
            f"{', '.join(unsent)} {was} not sent: the directory gives {it} on the own page of each "
            "project alone, so that nothing is known here.",
            Hint(
                "Load with details=True to ask for these pages; dirframe.plan(..., details=True) "
                "estimates the cost.",
                shell="Ask for these pages with dirframe projects --details; dirframe plan projects "
                "--details estimates the cost.",
            ),
        )
    present = set(frame)
    unloaded = tuple(
        name
        for name in names
        if record.columns and name not in present and name not in record.columns
    )
    if unloaded:
        was, it = ("was", "it") if len(unloaded) == 1 else ("were", "them")
        return Absent(
            unloaded,
            f"{', '.join(unloaded)} {was} not loaded: only the columns {', '.join(record.columns)} "
            "were asked for.",
            Hint(
                f"Name {it} in columns=, or leave columns= out.",
                shell="Load the file again with all columns.",
            ),
        )
    return None


def _has_values(frame: pd.DataFrame, column: str) -> bool:
    """Return whether a column has values, whatever their origin."""
    return column in frame and bool(frame[column].notna().any())
