"""The data dictionary, as a frame."""

from __future__ import annotations

import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.schema import ALL_RESOURCES, Field, Resource


def fields(resource: str = "project") -> pd.DataFrame:
    """Return the data dictionary of accounts, projects or other records.

    Parameters
    ----------
    resource : str, default "project"
        The kind of record or its collection: ``"account"``, ``"project"``, or outside the
        specification such as ``"language"`` or ``"contributor_fact"``.

    Returns
    -------
    pandas.DataFrame
        One row a column, those of every frame first: ``name``, ``type`` (dtype; ``object`` is a
        list of entries, see `child_table`), ``unit`` (of a timestamp its time zone), ``required``
        (bool, whether the specification has it in every record), ``personal`` (bool, whether it
        tells who or where a person is; left out of studies), ``meaning`` (of a list also the fields
        of an entry) and ``dialects``, the source of the field: the specification or extension,
        whose columns every frame has; responses recorded from 2008 to 2013; or today's service.

    Raises
    ------
    InvalidInputError
        If there is no such resource; the message lists all.

    Examples
    --------
    >>> fields("account").query("name == 'latitude'")[["type", "unit"]].values.tolist()
    [['Float64', 'degrees north']]
    """
    table = pd.DataFrame(
        {
            "name": field.column,
            "type": field.kind.dtype,
            "unit": field.unit or None,
            "required": field.required,
            "personal": field.personal,
            "meaning": _meaning(field),
            "dialects": field.dialect.value,
        }
        for field in find_resource(resource).fields
    )
    return table.astype({"unit": "str"})


def find_resource(name: str) -> Resource:
    """Return the resource of a name, or of the name of its collection."""
    for resource in ALL_RESOURCES.values():
        if name in {resource.name, resource.collection}:
            return resource
    names = ", ".join(ALL_RESOURCES)
    raise InvalidInputError(f"There is no resource {name!r}; choose one of {names}.")


def _meaning(field: Field) -> str:
    if not field.tag:
        return field.meaning
    parts = [
        f"{item.column} ({', '.join(filter(None, (item.meaning, item.unit)))})"
        for item in field.fields
    ]
    return f"{field.meaning}; an entry holds {', '.join(parts)}"
