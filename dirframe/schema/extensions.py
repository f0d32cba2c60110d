"""Resources of an extension outside the specification."""

# Sources: the page templates and the public reference of the live service, read in 2026, and
# recorded responses.

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dirframe.schema import ACCOUNT, PROJECT, RESOURCES, Dialect, Field, Resource, read_fields

if TYPE_CHECKING:
    from collections.abc import Iterable


_ANALYSES = "/projects/{project}/analyses/{analysis}"


def _of_analysis(field: Field) -> Field:
    """Return a field of a project's analysis as one of the analysis itself."""
    specified = field.dialect is Dialect.SPECIFIED
    dialect = Dialect.EXTENSION if specified else field.dialect
    return replace(field, path=field.path[1:], required=False, dialect=dialect)


LANGUAGE = Resource(
    name="language",
    collection="languages",
    paths=("/languages.xml", "/languages/{id}.xml"),
    default_sort="name",
    other_sorts=("name", "total", "code", "projects", "comment_ratio", "contributors", "commits"),
    fields=read_fields("language"),
)
CONTRIBUTOR_FACT = Resource(
    name="contributor_fact",
    collection="contributors",
    paths=("/projects/{project}/contributors.xml", "/projects/{project}/contributors/{id}.xml"),
    key="contributor_id",
    default_sort="commits_12_mo",
    other_sorts=(
        "commits_12_mo",
        "commits",
        "name",
        "kudo_position",
        "language",
        "latest_commit",
        "newest",
        "oldest",
    ),
    fields=read_fields("contributor_fact"),
)
ACTIVITY_FACT = Resource(
    name="activity_fact",
    collection="activity_facts",
    paths=(f"{_ANALYSES}/activity_facts.xml",),
    paged=False,
    key="month",
    fields=read_fields("activity_fact"),
)
SIZE_FACT = Resource(
    name="size_fact",
    collection="size_facts",
    paths=(f"{_ANALYSES}/size_facts.xml",),
    paged=False,
    key="month",
    fields=read_fields("size_fact"),
)
_OTHERS = (
    Resource(
        name="analysis",
        collection="analyses",
        paths=(f"{_ANALYSES}.xml",),
        paged=False,
        fields=tuple(_of_analysis(f) for f in PROJECT.fields if f.path[0] == "analysis"),
    ),
    Resource(
        name="factoid",
        collection="factoids",
        paths=("/projects/{project}/factoids.xml",),
        paged=False,
        fields=read_fields("factoid"),
    ),
    Resource(
        name="enlistment",
        collection="enlistments",
        paths=("/projects/{project}/enlistments.xml", "/projects/{project}/enlistments/{id}.xml"),
        fields=read_fields("enlistment"),
    ),
    Resource(
        name="stack",
        collection="stacks",
        paths=("/projects/{project}/stacks.xml",),
        fields=read_fields("stack"),
    ),
    Resource(
        name="kudo",
        collection="kudos",
        paths=("/accounts/{account}/kudos.xml", "/accounts/{account}/kudos/sent.xml"),
        paged=False,
        key="",
        fields=read_fields("kudo"),
    ),
    Resource(
        name="org",
        collection="orgs",
        paths=("/orgs.xml", "/orgs/{name}.xml"),
        key="url",
        fields=read_fields("org"),
    ),
)

#: Resources of the extension by element name.
EXTENSIONS = {
    resource.name: resource
    for resource in (LANGUAGE, CONTRIBUTOR_FACT, ACTIVITY_FACT, SIZE_FACT, *_OTHERS)
}
#: All resources by element name.
ALL_RESOURCES = RESOURCES | EXTENSIONS


def resource_named(name: str) -> Resource:
    """Return the resource of an element name; one without fields if the schema has none."""
    return ALL_RESOURCES.get(name) or Resource(name, f"{name}s")


def detect_resource(columns: Iterable[object]) -> Resource | None:
    """Detect the resource of a table from its column names.

    Parameters
    ----------
    columns : iterable
        Column names.

    Returns
    -------
    Resource or None
        An extension, if all of its core columns are present; else accounts or projects,
        whichever has more of its exclusive columns; None if both have the same number.

    Examples
    --------
    >>> detect_resource(["id", "name", "stack_count"]).collection
    'projects'
    >>> detect_resource(["id", "name"]) is None
    True
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
