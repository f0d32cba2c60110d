"""What is known of the columns of a frame: their kinds, units and meanings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dirframe.schema import ALL_RESOURCES, Field, Kind, Resource, columns_of_statistic

#: Columns that functions of this package add to records.
_ADDED = {
    "id": "ID of the record",
    "account_id": "ID of the account, as it was asked for",
    "project_id": "ID or short name of the project, as it was asked for",
    "project_id_sent": "ID of the project, as the directory sends it",
    "organization": "short name of the organization",
    "country_alpha_2": "code of ISO 3166-1 of the country, by dirframe.unify_countries",
    "country_alpha_3": "three-letter code of ISO 3166-1 of the country",
    "country_name": "name of the country",
    "license_family": "family of the licences of the project, by dirframe.with_license_family",
    "age": "age of the project in whole years, by dirframe.with_age",
}
#: Strata that `dirframe.stats.by` derives from other columns.
STRATA = {
    "language": "main language of the projects of the group",
    "country": "country of the accounts of the group",
    "year": "year of the first month with activity of the records of the group; where the table of the "
    "records has no such column, the year in which they were created",
    "age": "age of the projects of the group in years",
    "team_size": "number of contributors in twelve months of the projects of the group",
    "license": "licence of the projects of the group; a project is in each of its groups",
    "license_family": "family of licences of the group; a project is in each of its groups",
    "tag": "tag of the projects of the group; a project is in each of its groups",
}


def _field(name: str, meaning: str, *, personal: bool = False) -> Field:
    kind = Kind.IDENTIFIER if name.endswith(("id", "id_sent")) else Kind.TEXT
    return Field((name,), kind, meaning, personal=personal)


_ADDED_FIELDS = {name: _field(name, meaning) for name, meaning in _ADDED.items()}


def known_fields(resource: Resource | None, record: Mapping[str, Any]) -> dict[str, Field]:
    """Return the fields of the columns that the schema knows, or a statistic made."""
    statistic = record["statistic"]
    if statistic:
        return _fields_of_statistic(resource, statistic)
    fields = dict(resource.by_column) if resource else {}
    list_name = record["list"]
    if not list_name:
        return _ADDED_FIELDS | fields
    parent, noun = "id", "record"
    if resource:
        parent, noun = resource.key, resource.name
        if parent == "id":
            parent = f"{resource.name}_id"
    of_parent = Field((parent,), Kind.IDENTIFIER, f"ID of the {noun} that has the entry")
    parts: dict[str, Field] = {}
    if list_name in fields:
        parts = {part.column: part for part in fields[list_name].fields}
    return _ADDED_FIELDS | {parent: of_parent} | parts


def _fields_of_statistic(
    resource: Resource | None, statistic: Mapping[str, Any]
) -> dict[str, Field]:
    fields = columns_of_statistic(statistic.get("name", ""))
    schema = _ADDED_FIELDS | (resource.by_column if resource else {})
    for column, field in fields.items():
        if column in schema and schema[column].personal:
            fields[column] = replace(field, personal=True)
    is_known = resource is not None and resource.name in ALL_RESOURCES
    if statistic.get("name") == "flags" and not (is_known and "name" in schema):
        fields["name"] = replace(fields["name"], personal=True)  # the record may be an account
    if stratum := statistic.get("by"):
        of_stratum = _stratum(stratum, schema)
        if of_stratum is not None:
            name = f"by_{stratum}" if stratum in fields else stratum
            fields[name] = replace(of_stratum, path=(name,))
    raw = schema.get(statistic.get("column", ""))
    if raw is None or raw.personal:  # the values of another column are in the table
        fields.pop("raw", None)
    return fields


def _stratum(name: str, schema: Mapping[str, Field]) -> Field | None:
    """Return the field of a stratum, whose values are texts, whatever they were; None if unknown."""
    if name in STRATA:
        return Field((name,), Kind.TEXT, STRATA[name])
    if name in schema:
        field = schema[name]
        return Field((name,), Kind.TEXT, f"group: {field.meaning}", personal=field.personal)
    return None
