"""The schema of the interface: resources, fields and envelope."""

# Sources: the specification of the directory data service for every field whose dialect is
# `Dialect.SPECIFIED`; for the others responses recorded from 2008 to 2013 and the page templates of
# the live service, read in 2026. Client and service share only this package, which imports neither.

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dirframe._tables import read_rows

#: How services of this kind write a share below one percent.
LESS_THAN_ONE = "<1"
#: Elements of the envelope that count the records of a collection, in order.
COLLECTION_COUNTS = ("items_returned", "items_available", "first_item_position")
#: Records per page of the embedded service (the specification's sample collection has 25).
PAGE_SIZE = 25
#: Target of the XML processing instruction before the root that marks generated data.
SYNTHETIC_MARK = "dirframe-synthetic"
#: Lists that every frame of projects has, so that one that is absent was taken away.
COUNTED_LISTS = ("tags", "licenses", "analysis_languages")


class Kind(enum.Enum):
    """Data type of a field."""

    TEXT = "text"
    IDENTIFIER = "identifier"
    URL = "url"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"  # of statistics alone
    TIMESTAMP = "timestamp"
    ITEMS = "items"

    @property
    def dtype(self) -> str:
        """The dtype of columns of this kind."""
        return _DTYPES.get(self, "str")


_DTYPES = {
    Kind.INTEGER: "Int64",
    Kind.NUMBER: "Float64",
    Kind.BOOLEAN: "boolean",
    Kind.TIMESTAMP: "datetime64[us, UTC]",
    Kind.ITEMS: "object",
}


class Dialect(enum.Enum):
    """Source of a field."""

    SPECIFIED = "specification"
    RECORDED = "recorded 2008-2013"
    TODAY = "today's service"
    EXTENSION = "extension outside the specification"


@dataclass(frozen=True)
class Field:
    """One field of a record, at a path of elements below the record's own."""

    path: tuple[str, ...]
    kind: Kind
    meaning: str
    required: bool = False
    personal: bool = False  # tells who or where a person is
    unit: str = ""
    dialect: Dialect = Dialect.SPECIFIED
    tag: str = ""  # of the entries of a repeated element: it names their text
    fields: tuple[Field, ...] = ()  # of these entries
    missing: str = ""  # the text that stands for a missing value
    sign: tuple[str, ...] = ()  # the path of the field whose sign it has, which is not sent with it

    @cached_property
    def column(self) -> str:
        """Name of the column: the path, joined by underscores."""
        # A project has both an analysis_id and, inside its analysis, an id, which may differ.
        if self.path[-2:] in _WITH_ID_BESIDE:
            return f"{'_'.join(self.path[:-1])}__id"
        return "_".join(self.path)

    def below(self, *path: str) -> Field:
        """Return the field in a record that holds this field's record, of another dialect."""
        sign = (*path, *self.sign) if self.sign else ()
        dialect = Dialect.TODAY
        return replace(self, path=(*path, *self.path), sign=sign, required=False, dialect=dialect)


#: Ids in an element of a record beside an element with the name that their path would give.
_WITH_ID_BESIDE = {("analysis", "id"), ("account", "id")}


@dataclass(frozen=True)
class Resource:
    """A kind of record: its element, collection, fields and sort values."""

    name: str
    collection: str
    element: str = ""
    wrapper: str = ""  # the element between the result and the records, if there is one
    record: str = ""  # of a further collection, the name of the resource whose records it holds
    fields: tuple[Field, ...] = ()
    sorts: tuple[str, ...] = ()  # of the specification
    default_sort: str = ""  # of the embedded service
    other_sorts: tuple[str, ...] = ()  # of other dialects
    query_sort: str = ""  # of the embedded service, for a query
    paths: tuple[str, ...] = ()  # templates, that of the collection first
    paged: bool = True
    key: str = "id"  # the column that identifies a record within its collection, if there is one
    names: tuple[str, ...] = ()  # columns of a frame that name a record in addresses
    owner_column: str = ""  # of what belongs to several records of this kind
    redirects: bool = False  # whether a page past the end redirects to the page of the owner
    remote: bool = False  # whether records come from another service, which may be out of reach

    @cached_property
    def owner(self) -> str:
        """Name of the resource whose records own this collection; empty if the directory does."""
        if not self.paths or self.paths[0].endswith("}.xml"):  # that of one record
            return ""
        placeholder = _PLACEHOLDER.search(self.paths[0])
        return placeholder[1] if placeholder else ""

    @property
    def owner_word(self) -> str:
        """Noun for a record as the owner of collections."""
        return self.owner_column.removesuffix("_id")

    @property
    def words(self) -> tuple[str, str]:
        """Singular and plural noun for the records."""
        plural = self.collection.replace("_", " ")
        stem = plural.removesuffix("s")
        return stem if self.name.startswith(stem) else self.name.replace("_", " "), plural

    @cached_property
    def specified(self) -> tuple[Field, ...]:
        """The fields of the specification, in its order."""
        return tuple(f for f in self.fields if f.dialect is Dialect.SPECIFIED)

    @cached_property
    def core(self) -> tuple[Field, ...]:
        """The fields that every frame has: the specified ones, or those of an extension."""
        return tuple(f for f in self.fields if f.dialect in {Dialect.SPECIFIED, Dialect.EXTENSION})

    @cached_property
    def by_column(self) -> dict[str, Field]:
        """All fields by column name."""
        return {f.column: f for f in self.fields}


_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_ROWS = read_rows(Path(__file__).with_name("fields.csv"))
#: The kind of a row that stands for all fields of a record inside another one.
_RECORD = "record"


def _fields(resource: str, list_path: str = "") -> tuple[Field, ...]:
    """Return the fields of a resource, or of the entries of one of its lists."""
    if resource == "analysis":
        return tuple(_of_analysis(f) for f in PROJECT.fields if f.path[0] == resource)
    fields: list[Field] = []
    for row in _ROWS:
        if (row["resource"], row["list"]) != (resource, list_path):
            continue
        path = _path(row["path"])
        if row["kind"] == _RECORD:
            fields += [field.below(*path) for field in _fields(row["entry"])]
            continue
        field = Field(
            path=path,
            kind=Kind(row["kind"]),
            meaning=row["meaning"],
            required=row["required"] == "yes",
            personal=row["personal"] == "yes",
            unit=row["unit"],
            dialect=Dialect[row["source"].upper()],
            tag=row["entry"],
            fields=_fields(resource, row["path"]) if row["entry"] else (),
            missing=row["missing"],
            sign=_path(row["sign"]),
        )
        fields.append(field)
    return tuple(fields)


def _path(text: str) -> tuple[str, ...]:
    return tuple(text.split("/")) if text else ()


def _of_analysis(field: Field) -> Field:
    dialect = Dialect.EXTENSION if field.dialect is Dialect.SPECIFIED else field.dialect
    return replace(field, path=field.path[1:], required=False, dialect=dialect)


def _resource(row: dict[str, str]) -> Resource:
    lists = ("names", "sorts", "other_sorts", "paths")
    facts: dict[str, Any] = {name: tuple(row[name].split()) for name in lists}
    facts |= {name: row[name] == "yes" for name in ("paged", "redirects", "remote")}
    facts["fields"] = _fields(row["name"])
    return Resource(**row | facts)


def _of_collection(row: dict[str, str]) -> dict[str, Any]:
    """Return what a further collection has in place of the resource whose records it holds."""
    own = _resource(row)
    names = [
        *("collection", "record", "paged", "key", "default_sort", "query_sort"),
        *("sorts", "other_sorts", "paths"),
    ]
    return {name: getattr(own, name) for name in names}


_ACCOUNT, _PROJECT, *_OTHERS = read_rows(Path(__file__).with_name("resources.csv"))
ACCOUNT, PROJECT = _resource(_ACCOUNT), _resource(_PROJECT)

#: Resources of the specification, and those of extensions outside it, by element name.
RESOURCES = {resource.name: resource for resource in (ACCOUNT, PROJECT)}
EXTENSIONS = {row["name"]: _resource(row) for row in _OTHERS if not row["record"]}
ALL_RESOURCES = RESOURCES | EXTENSIONS
#: What `load` takes by name: the collection of each resource, and further ones of records of another.
COLLECTIONS = {
    resource.collection: resource for resource in ALL_RESOURCES.values() if resource.paths
} | {
    row["collection"]: replace(ALL_RESOURCES[row["record"]], **_of_collection(row))
    for row in _OTHERS
    if row["record"]
}
CONTRIBUTOR_FACT = EXTENSIONS["contributor_fact"]


def _columns_of_statistics() -> dict[str, dict[str, Field]]:
    columns: dict[str, dict[str, Field]] = {}
    for row in read_rows(Path(__file__).with_name("statistics.csv")):
        field = Field(
            (row["column"],),
            Kind(row["kind"]),
            row["meaning"],
            personal=row["personal"] == "yes",
            unit=row["unit"],
        )
        columns.setdefault(row["statistic"], {})[row["column"]] = field
    return columns


#: The columns of each table of `dirframe.stats`, of `flags` and of `country_audit`, and those that
#: each statistic of shares may have.
STATISTIC_COLUMNS = _columns_of_statistics()
SHARE_COLUMNS = STATISTIC_COLUMNS.pop("")


def columns_of_statistic(name: str) -> dict[str, Field]:
    """Return the columns of the table of a statistic; none if it is not known."""
    columns = STATISTIC_COLUMNS.get(name, {})
    return SHARE_COLUMNS | columns if "share" in columns else dict(columns)


#: For records of a kind that is not known.
UNKNOWN = Resource("record", "records", key="")


#: The resources of records in a further element, by its name: of an address, or of a collection.
WRAPPED = {
    resource.collection: resource for resource in ALL_RESOURCES.values() if resource.element
} | {resource.wrapper: resource for resource in ALL_RESOURCES.values() if resource.wrapper}


def is_page_of_owner(path: str, resource: Resource) -> bool:
    """Return whether a path is that of the page for people of a record that owns a collection."""
    templates = ALL_RESOURCES[resource.owner].paths if resource.owner else ()
    for template in templates:
        before, placeholder, _ = template.partition("{")
        if placeholder and re.fullmatch(f"{before}[^/]+", path):
            return True
    return False


def resource_named(name: str) -> Resource:
    """Return the resource of an element name; one without fields if the schema has none."""
    return ALL_RESOURCES.get(name) or (Resource(name, f"{name}s", name) if name else UNKNOWN)


def detect_resource(columns: Iterable[object]) -> Resource | None:
    """Detect the resource of a table from its column names, if these tell."""
    names = {name for name in columns if isinstance(name, str)}
    for extension in EXTENSIONS.values():
        if {field.column for field in extension.core} <= names:
            return extension
    # Accounts or projects, whichever has more of the columns that the other has not.
    account, project = (names & resource.by_column.keys() for resource in (ACCOUNT, PROJECT))
    accounts, projects = len(account - project), len(project - account)
    return None if accounts == projects else ACCOUNT if accounts > projects else PROJECT
