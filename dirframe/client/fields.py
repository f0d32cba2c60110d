"""The data dictionary: type, unit and meaning of each column, from the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dirframe.client.dtypes import dtype_of
from dirframe.errors import InvalidInputError
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from dirframe.schema import Field, Resource

#: What research needs first; of each group one is shown.
_OVERVIEW = {
    "project": (
        ("name",),
        ("analysis_main_language_name",),
        ("stack_count", "user_count"),
        ("analysis_twelve_month_contributor_count",),
        ("analysis_total_code_lines",),
        ("created_at",),
    ),
    "account": (
        ("name",),
        ("country_name", "country_code"),
        ("location",),
        ("posts_count",),
        ("kudo_score_kudo_rank",),
        ("created_at",),
    ),
}

_COLUMNS = ["name", "type", "unit", "required", "personal", "meaning", "dialects"]


def fields(resource: str = "project") -> pd.DataFrame:
    """Return the data dictionary of accounts, projects or other records.

    Parameters
    ----------
    resource : str, default "project"
        The kind of record, ``"account"`` or ``"project"``; or one of the extension outside
        the specification: ``"language"``, ``"contributor_fact"``, ``"activity_fact"``,
        ``"size_fact"``, ``"analysis"``, ``"factoid"``, ``"enlistment"``, ``"stack"``,
        ``"kudo"`` or ``"org"``. Names of collections are accepted too.

    Returns
    -------
    pandas.DataFrame
        One row per column, those of the specification first, in its order:

        - ``name`` (str): name of the column
        - ``type`` (str): dtype; ``object`` is a list of entries, see `child_table`
        - ``unit`` (str): unit of numbers, or time zone of timestamps; missing if neither applies
        - ``required`` (bool): whether the specification requires it in every record
        - ``personal`` (bool): whether it tells who or where a person is; left out of studies
        - ``meaning`` (str): description; of a list also the fields of an entry
        - ``dialects`` (str): source of the field: the specification or the extension, whose
          columns every frame has; responses recorded from 2008 to 2013; or today's service

    Raises
    ------
    InvalidInputError
        If there is no such resource.

    Examples
    --------
    >>> fields("account").query("name == 'latitude'")[["type", "unit"]].values.tolist()
    [['Float64', 'degrees north']]
    """
    by_name = ALL_RESOURCES | {known.collection: known for known in ALL_RESOURCES.values()}
    if resource not in by_name:
        raise InvalidInputError(
            f"There is no resource {resource!r}; choose one of {', '.join(ALL_RESOURCES)}."
        )
    selected = by_name[resource]
    ordered = [*selected.core, *(field for field in selected.fields if field not in selected.core)]
    rows = [
        {
            "name": field.column,
            "type": dtype_of(field.kind),
            "unit": field.unit or None,
            "required": field.required,
            "personal": field.personal,
            "meaning": _meaning(field),
            "dialects": field.dialect.value,
        }
        for field in ordered
    ]
    table = pd.DataFrame(rows, columns=_COLUMNS)
    return table.astype(
        {name: "bool" if name in {"required", "personal"} else "str" for name in _COLUMNS}
    )


def _meaning(field: Field) -> str:
    if field.items is None:
        return field.meaning
    parts = [
        f"{item.column} ({', '.join(filter(None, (item.meaning, item.unit)))})"
        for item in field.items.fields
    ]
    return f"{field.meaning}; an entry holds {', '.join(parts)}"


def overview(frame: pd.DataFrame, resource: Resource) -> tuple[str, ...]:
    """Return the columns that a table shows first; of alternatives, the first with values."""
    groups = (
        [name for name in names if name in frame] for names in _OVERVIEW.get(resource.name, ())
    )
    return tuple(
        next((name for name in names if frame[name].notna().any()), names[0])
        for names in groups
        if names
    )
