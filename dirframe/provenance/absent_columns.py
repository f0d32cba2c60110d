"""Columns that hold nothing because they did not come, not because the records lack them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dirframe.errors import Hint
from dirframe.provenance.record import ATTRIBUTE, Provenance

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

__all__ = ["Absent", "absent"]


class Absent(NamedTuple):
    """Columns that hold nothing although the records may have it, why, and what to do."""

    columns: tuple[str, ...]
    why: str
    hint: Hint


def absent(
    frame: pd.DataFrame, columns: Iterable[str], *, rows_elsewhere: bool = False
) -> Absent | None:
    """Say which columns hold nothing because they did not come, not because the records lack them.

    Parameters
    ----------
    frame : pandas.DataFrame
        A frame of a loader, or one that was made from it.
    columns : iterable of str
        Names of columns.
    rows_elsewhere : bool, default False
        Whether the frame stands for rows that are not in it, such as those of Dask.

    Returns
    -------
    Absent or None
        The columns that the directory did not send, or else those that were not loaded, and
        what to do; None if neither is known of any.

    Examples
    --------
    >>> import pandas as pd
    >>> from dirframe.provenance import set_provenance
    >>> frame = set_provenance(pd.DataFrame({"id": ["1"]}), columns=["id"])
    >>> absent(frame, ["name"]).why
    'name was not loaded: only the columns id were asked for.'
    """
    record, names = Provenance.from_dict(frame.attrs.get(ATTRIBUTE)), list(columns)
    unsent = tuple(one for one in names if one in record.not_sent)
    if not rows_elsewhere:
        unsent = tuple(one for one in unsent if len(frame) and not _holds(frame, one))
    if unsent:
        was, it = ("was", "it") if len(unsent) == 1 else ("were", "them")
        return Absent(
            unsent,
            f"{', '.join(unsent)} {was} not sent: the directory gives {it} on the own page of each "
            "project alone, so that nothing is known here.",
            Hint(
                "Load with details=True to ask for these pages; dirframe.plan(..., details=True) "
                "says the price.",
                shell="Ask for these pages with dirframe projects --details; dirframe plan projects "
                "--details says the price.",
            ),
        )
    there = set(frame)
    unloaded = tuple(
        one for one in names if record.columns and one not in there and one not in record.columns
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


def _holds(frame: pd.DataFrame, column: str) -> bool:
    """Tell whether a column has values, wherever they came from."""
    return column in frame and bool(frame[column].notna().any())
