"""Which columns to read, by name: checked, and what to do when lists are among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.errors import InvalidInputError
from dirframe.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from dirframe.client.xml.columns import FieldPath
    from dirframe.schema import Resource

__all__ = ["column_paths", "select_columns", "with_id_column"]


def column_paths(resource: Resource, columns: Sequence[str] | None) -> frozenset[FieldPath] | None:
    """Return the paths of chosen columns; None where everything has to be read.

    Raises
    ------
    InvalidInputError
        If a column is not known; the message names those that are.
    """
    if columns is None:
        return None
    unknown = [name for name in columns if name not in resource.by_column]
    if unknown:
        raise InvalidInputError(
            f"{resource.collection} have no column {', '.join(map(repr, unknown))}; choose among "
            f"{', '.join(resource.by_column)}."
        )
    fields = [resource.by_column[name] for name in columns]
    # Lists are read with everything around them; what was not chosen is left out afterwards.
    if any(field.kind is Kind.ITEMS or len(field.path) > 2 for field in fields):
        return None
    return frozenset(field.path for field in fields)


def select_columns(frame: pd.DataFrame, columns: Sequence[str] | None) -> pd.DataFrame:
    """Return a frame with the chosen columns, and the texts of theirs that were unreadable."""
    if columns is None:
        return frame
    return frame[[name for name in frame.columns if name.removesuffix("_unreadable") in columns]]


def with_id_column(columns: Sequence[str] | None, key: str = "id") -> list[str] | None:
    """Return the chosen columns with the id before them: without it nothing can be proven."""
    return None if columns is None else list(dict.fromkeys([*([key] if key else []), *columns]))
