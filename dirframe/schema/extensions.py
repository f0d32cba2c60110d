"""Resources of an extension outside the specification.

Sources: the page templates and the public reference of the live service, read in 2026, and
recorded responses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.schema import (
    ACCOUNT,
    PROJECT,
    RESOURCES,
    Dialect,
    Field,
    Items,
    Kind,
    Resource,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ACTIVITY_FACT",
    "ALL_RESOURCES",
    "ANALYSIS",
    "CONTRIBUTOR_FACT",
    "ENLISTMENT",
    "EXTENSIONS",
    "FACTOID",
    "KUDO",
    "LANGUAGE",
    "ORG",
    "SIZE_FACT",
    "STACK",
    "detect_resource",
]

_T, _I, _U = Kind.TEXT, Kind.IDENTIFIER, Kind.URL
_N, _F, _D = Kind.INTEGER, Kind.NUMBER, Kind.TIMESTAMP
_EXTENSION, _OLD, _NEW = Dialect.EXTENSION, Dialect.RECORDED, Dialect.TODAY


def _field(
    path: str, kind: Kind, meaning: str, unit: str = "", dialect: Dialect = _EXTENSION
) -> Field:
    return Field(tuple(path.split("/")), kind, meaning, unit=unit, dialect=dialect)


def _items(path: str, tag: str, meaning: str, dialect: Dialect, *fields: Field) -> Field:
    return Field(
        tuple(path.split("/")), Kind.ITEMS, meaning, dialect=dialect, items=Items(tag, fields)
    )


LANGUAGE = Resource(
    name="language",
    collection="languages",
    paths=("/languages.xml", "/languages/{id}.xml"),
    sorts=(),
    default_sort="name",
    other_sorts=(
        "name",
        "total",
        "code",
        "projects",
        "comment_ratio",
        "contributors",
        "commits",
    ),
    fields=(
        _field("id", _I, "unique ID of the language"),
        _field("name", _T, "short name, unique"),
        _field("nice_name", _T, "name for people"),
        _field("category", _T, "code, markup or build"),
        _field("code", _N, "lines of code in all projects", "lines"),
        _field("comments", _N, "comment lines in all projects", "lines"),
        _field("blanks", _N, "blank lines in all projects", "lines"),
        _field("comment_ratio", _F, "comment lines in comment and code lines", "share, 0 to 1"),
        _field("projects", _N, "projects with a line in it", "projects"),
        _field("contributors", _N, "people who committed a line in it", "people"),
        _field("commits", _N, "commits with a line in it", "commits"),
    ),
)

CONTRIBUTOR_FACT = Resource(
    name="contributor_fact",
    collection="contributors",
    paths=("/projects/{project}/contributors.xml", "/projects/{project}/contributors/{id}.xml"),
    key="contributor_id",
    sorts=(),
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
    fields=(
        _field("contributor_id", _I, "ID of the contributor, unique within the project"),
        _field("account_id", _I, "ID of the account that claimed the contributions"),
        _field("account_name", _T, "name of that account"),
        _field("analysis_id", _I, "ID of the analysis that counted"),
        _field("contributor_name", _T, "name in the commits; e-mail addresses are obscured"),
        _field("primary_language_id", _I, "ID of the language with most lines of theirs"),
        _field("primary_language_nice_name", _T, "name of that language"),
        _field("comment_ratio", _F, "comment lines in the lines that they added", "share, 0 to 1"),
        _field("first_commit_time", _D, "when they first committed", "UTC"),
        _field("last_commit_time", _D, "when they last committed", "UTC"),
        _field("man_months", _N, "months in which they committed", "months"),
        _field("commits", _N, "commits of theirs in all", "commits"),
        _items(
            "contributor_language_facts",
            "contributor_language_fact",
            "languages that they committed in; only in the answer for a single contributor",
            _NEW,
            _field("analysis_id", _I, "ID of the analysis that counted"),
            _field("contributor_id", _I, "ID of the contributor"),
            _field("contributor_name", _T, "name in the commits"),
            _field("language_id", _I, "ID of the language"),
            _field("language_nice_name", _T, "name of the language"),
            _field(
                "comment_ratio", _F, "comment lines in the lines that they added", "share, 0 to 1"
            ),
            _field("man_months", _N, "months in which they committed in it", "months"),
            _field("commits", _N, "commits of theirs in it", "commits"),
        ),
    ),
)

ACTIVITY_FACT = Resource(
    name="activity_fact",
    collection="activity_facts",
    paths=("/projects/{project}/analyses/{analysis}/activity_facts.xml",),
    paged=False,
    key="month",
    sorts=(),
    default_sort="",
    fields=(
        _field("month", _D, "the month (its first day)", "UTC"),
        _field("code_added", _N, "lines of code added in the month", "lines"),
        _field("code_removed", _N, "lines of code removed in the month", "lines"),
        _field("comments_added", _N, "comment lines added in the month", "lines"),
        _field("comments_removed", _N, "comment lines removed in the month", "lines"),
        _field("blanks_added", _N, "blank lines added in the month", "lines"),
        _field("blanks_removed", _N, "blank lines removed in the month", "lines"),
        _field("commits", _N, "commits in the month", "commits"),
        _field("contributors", _N, "people who committed in the month", "people"),
    ),
)

SIZE_FACT = Resource(
    name="size_fact",
    collection="size_facts",
    paths=("/projects/{project}/analyses/{analysis}/size_facts.xml",),
    paged=False,
    key="month",
    sorts=(),
    default_sort="",
    fields=(
        _field("month", _D, "the month (its first day)", "UTC"),
        _field("code", _N, "lines of code at the end of the month", "lines"),
        _field("comments", _N, "comment lines at the end of the month", "lines"),
        _field("blanks", _N, "blank lines at the end of the month", "lines"),
        _field("comment_ratio", _F, "comment lines in comment and code lines", "share, 0 to 1"),
        _field("commits", _N, "commits up to the end of the month", "commits"),
        _field(
            "man_months",
            _N,
            "months in which each contributor committed, summed, up to the end of the month",
            "months",
        ),
    ),
)

ANALYSIS = Resource(
    name="analysis",
    collection="analyses",
    paths=("/projects/{project}/analyses/{analysis}.xml",),
    paged=False,
    sorts=(),
    default_sort="",
    fields=tuple(
        Field(
            field.path[1:],
            field.kind,
            field.meaning,
            unit=field.unit,
            dialect=_EXTENSION if field.dialect is Dialect.SPECIFIED else field.dialect,
            items=field.items,
        )
        for field in RESOURCES["project"].fields
        if field.path[0] == "analysis"
    ),
)

FACTOID = Resource(
    name="factoid",
    collection="factoids",
    paths=("/projects/{project}/factoids.xml",),
    paged=False,
    sorts=(),
    default_sort="",
    fields=(
        _field("id", _I, "unique ID of the statement"),
        _field("analysis_id", _I, "ID of the analysis that it is about"),
        _field("type", _T, "kind of statement"),
        _field("description", _T, "the statement"),
        _field("severity", _N, "from bad (-3) to good (3)", "grade"),
        _field("language_id", _I, "ID of the language that it is about"),
        _field("license_id", _I, "ID of the licence that it is about"),
    ),
)

ENLISTMENT = Resource(
    name="enlistment",
    collection="enlistments",
    paths=("/projects/{project}/enlistments.xml", "/projects/{project}/enlistments/{id}.xml"),
    sorts=(),
    default_sort="",
    fields=(
        _field("id", _I, "unique ID of the enlistment"),
        _field("project_id", _I, "ID of the project"),
        _field("code_location/id", _I, "ID of the place of the source code"),
        _field("code_location/type", _T, "system that keeps the source code"),
        _field("code_location/url", _U, "address of the source code"),
        _field("code_location/module_name", _T, "part of the place, where it has parts"),
        _field("code_location/logged_at", _D, "when it was last fetched", "UTC"),
        _field("code_location/commits", _N, "commits fetched from it", "commits"),
        _field("code_location/ohloh_job_status", _T, "success or failed"),
    ),
)

STACK = Resource(
    name="stack",
    collection="stacks",
    paths=("/projects/{project}/stacks.xml",),
    sorts=(),
    default_sort="",
    fields=(
        _field("id", _I, "unique ID of the stack"),
        _field("title", _T, "title of the stack"),
        _field("description", _T, "what it is for"),
        _field("updated_at", _D, "when it was last modified", "UTC"),
        _field("project_count", _N, "projects in it", "projects"),
        _field("account_id", _I, "ID of the account whose it is"),
        _items(
            "stack_entries",
            "stack_entry",
            "projects in the stack",
            _NEW,
            _field("id", _I, "ID of the entry"),
            _field("stack_id", _I, "ID of the stack"),
            _field("project_id", _I, "ID of the project"),
            _field("created_at", _D, "when it was put in", "UTC"),
        ),
    ),
)

KUDO = Resource(
    name="kudo",
    collection="kudos",
    paths=("/accounts/{account}/kudos.xml", "/accounts/{account}/kudos/sent.xml"),
    paged=False,
    key="",
    sorts=(),
    default_sort="",
    fields=(
        _field("sender_account_id", _I, "ID of the account that gave it"),
        _field("sender_account_name", _T, "name of that account"),
        _field("receiver_account_id", _I, "ID of the account that got it"),
        _field("receiver_account_name", _T, "name of that account"),
        _field("created_at", _D, "when it was given", "UTC"),
    ),
)

ORG = Resource(
    name="org",
    collection="orgs",
    paths=("/orgs.xml", "/orgs/{name}.xml"),
    key="url",
    sorts=(),
    default_sort="",
    fields=(
        _field("name", _T, "name of the organization"),
        _field("url", _U, "address of this record as XML"),
        _field("html_url", _U, "address of this record as a page"),
        _field("created_at", _D, "when it was added", "UTC"),
        _field("updated_at", _D, "when the record was last modified", "UTC"),
        _field("description", _T, "what it is"),
        _field("homepage_url", _U, "home page"),
        _field("url_name", _T, "short name used in addresses"),
        _field("vanity_url", _T, "short name used in addresses"),
        _field("type", _T, "kind of organization"),
        _field("medium_logo_url", _U, "logo of medium size", dialect=_NEW),
        _field("small_logo_url", _U, "logo of small size", dialect=_NEW),
        _field("projects_count", _N, "projects of it", "projects", _NEW),
        _field("affiliated_committers", _N, "committers who belong to it", "people", _NEW),
    ),
)

#: Resources of the extension by element name.
EXTENSIONS = {
    resource.name: resource
    for resource in (
        LANGUAGE,
        CONTRIBUTOR_FACT,
        ACTIVITY_FACT,
        SIZE_FACT,
        ANALYSIS,
        FACTOID,
        ENLISTMENT,
        STACK,
        KUDO,
        ORG,
    )
}

#: All resources by element name.
ALL_RESOURCES = RESOURCES | EXTENSIONS


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
