"""The data dictionary: what each column of a frame means, from the vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dirframe.client.frames.dtypes import convert_column, to_pandas
from dirframe.errors import InvalidInputError
from dirframe.schema import Kind
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from dirframe.schema import Field

__all__ = ["fields"]

_COLUMNS = ["name", "type", "unit", "required", "meaning", "dialects"]


def fields(resource: str = "project") -> pd.DataFrame:
    """Say what each column of the accounts, the projects or other records is.

    Parameters
    ----------
    resource : str, default "project"
        The kind of record, ``"account"`` or ``"project"``; or one of the extension outside
        the specification, ``"language"``, ``"contributor_fact"``, ``"activity_fact"``,
        ``"size_fact"``, ``"analysis"``, ``"factoid"``, ``"enlistment"``, ``"stack"``,
        ``"kudo"`` or ``"org"``. The names of the collections will do as well.

    Returns
    -------
    pandas.DataFrame
        A row a column, those of the specification first, in its order:

        - ``name`` (str): the column
        - ``type`` (str): its dtype; ``object`` is a list of entries, see `child_table`
        - ``unit`` (str): what its numbers count, or the zone of its times; missing where it
          has neither
        - ``required`` (bool): whether every record has it by the specification
        - ``meaning`` (str): what it says; of a list also what an entry holds
        - ``dialects`` (str): where it is known from: the specification or the extension,
          whose columns every frame has, answers recorded from 2008 to 2013, or today's
          service

    Raises
    ------
    InvalidInputError
        If there is no such resource.

    Examples
    --------
    >>> fields("account").query("name == 'latitude'")[["type", "unit"]].values.tolist()
    [['Float64', 'degrees north']]
    """
    by_name = {one.name: one for one in ALL_RESOURCES.values()}
    by_name |= {one.collection: one for one in ALL_RESOURCES.values()}
    if resource not in by_name:
        raise InvalidInputError(
            f"There is no resource {resource!r}; choose one of {', '.join(ALL_RESOURCES)}."
        )
    found = by_name[resource]
    known = [*found.core, *(one for one in found.fields if one not in found.core)]
    rows = [
        {
            "name": one.column,
            "type": dtype_of(one.kind),
            "unit": one.unit or None,
            "required": one.required,
            "meaning": _meaning(one),
            "dialects": one.dialect.value,
        }
        for one in known
    ]
    table = pd.DataFrame(rows, columns=_COLUMNS)
    return table.astype({name: "bool" if name == "required" else "str" for name in _COLUMNS})


def dtype_of(kind: Kind) -> str:
    """Return the dtype that a column of this kind has in every frame."""
    return "object" if kind is Kind.ITEMS else str(to_pandas(convert_column([], kind).array).dtype)


def _meaning(field: Field) -> str:
    if field.items is None:
        return field.meaning
    parts = [
        f"{one.column} ({', '.join(filter(None, (one.meaning, one.unit)))})"
        for one in field.items.fields
    ]
    return f"{field.meaning}; an entry holds {', '.join(parts)}"
