"""Resources of an extension outside the specification."""

# Sources: the page templates and the public reference of the live service, read in 2026, and
# recorded responses.

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dirframe.schema import (
    ACCOUNT,
    PROJECT,
    RESOURCE_ROWS,
    RESOURCES,
    Dialect,
    Field,
    Resource,
    read_fields,
    read_resource,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


def _of_analysis(field: Field) -> Field:
    """Return a field of a project's analysis as one of the analysis itself."""
    specified = field.dialect is Dialect.SPECIFIED
    dialect = Dialect.EXTENSION if specified else field.dialect
    return replace(field, path=field.path[1:], required=False, dialect=dialect)


def _fields(name: str) -> tuple[Field, ...]:
    if name == "analysis":
        return tuple(_of_analysis(f) for f in PROJECT.fields if f.path[0] == name)
    return read_fields(name)


#: Resources of the extension by element name.
EXTENSIONS = {
    name: read_resource(row, _fields(name))
    for name, row in RESOURCE_ROWS.items()
    if name not in RESOURCES
}
LANGUAGE = EXTENSIONS["language"]
CONTRIBUTOR_FACT = EXTENSIONS["contributor_fact"]
ACTIVITY_FACT = EXTENSIONS["activity_fact"]
SIZE_FACT = EXTENSIONS["size_fact"]

#: All resources by element name.
ALL_RESOURCES = RESOURCES | EXTENSIONS

#: For records of a kind that is not known.
UNKNOWN = Resource("record", "records", key="")


def resource_named(name: str) -> Resource:
    """Return the resource of an element name; one without fields if the schema has none."""
    return ALL_RESOURCES.get(name) or Resource(name, f"{name}s")


def detect_resource(columns: Iterable[object]) -> Resource | None:
    """Detect the resource of a table from its column names.

    It is an extension, if all of its core columns are present; else accounts or projects,
    whichever has more of its exclusive columns; None if both have the same number.
    """
    names = {name for name in columns if isinstance(name, str)}
    for extension in EXTENSIONS.values():
        if {field.column for field in extension.core} <= names:
            return extension
    exclusive = {
        resource.name: len(names & (resource.by_column.keys() - other.by_column.keys()))
        for resource, other in ((ACCOUNT, PROJECT), (PROJECT, ACCOUNT))
    }
    if exclusive[ACCOUNT.name] == exclusive[PROJECT.name]:
        return None
    return ACCOUNT if exclusive[ACCOUNT.name] > exclusive[PROJECT.name] else PROJECT
