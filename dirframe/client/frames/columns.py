"""Select columns by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe._display.suggest import did_you_mean
from dirframe.errors import InvalidInputError
from dirframe.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from dirframe.client.xml.columns import FieldPath
    from dirframe.schema import Resource


def column_paths(resource: Resource, columns: Sequence[str] | None) -> frozenset[FieldPath] | None:
    """Return the paths of the chosen columns; None if everything has to be read.

    Raises
    ------
    InvalidInputError
        If a column is unknown; the message lists the known ones.
    """
    if columns is None:
        return None
    _refuse_text(columns)
    unknown = [name for name in columns if name not in resource.by_column]
    if unknown:
        raise InvalidInputError(
            f"{resource.collection} have no column {', '.join(map(repr, unknown))}; choose among "
            f"{', '.join(resource.by_column)}.{did_you_mean(str(unknown[0]), resource.by_column)}"
        )
    fields = [resource.by_column[name] for name in columns]
    # Lists are read with everything around them; other columns are removed afterwards.
    if any(field.kind is Kind.ITEMS or len(field.path) > 2 for field in fields):
        return None
    return frozenset(field.path for field in fields)


def select_columns(frame: pd.DataFrame, columns: Sequence[str] | None) -> pd.DataFrame:
    """Return a frame with the chosen columns and their ``_unreadable`` columns."""
    if columns is None:
        return frame
    return frame[[name for name in frame.columns if name.removesuffix("_unreadable") in columns]]


def with_id_column(columns: Sequence[str] | None, key: str = "id") -> list[str] | None:
    """Return the chosen columns preceded by the key, which the proof of completeness needs."""
    if columns is None:
        return None
    _refuse_text(columns)
    return list(dict.fromkeys([*([key] if key else []), *columns]))


def _refuse_text(columns: Sequence[str]) -> None:
    if isinstance(columns, str):  # its letters would be taken for names
        raise InvalidInputError(f"columns is {columns!r}; pass a list of names: [{columns!r}].")
