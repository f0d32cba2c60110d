"""The map: which columns of a table are which fields of the schema, read from TOML."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from dirframe.errors import ConfigurationError
from dirframe.schema import ACCOUNT, RESOURCES, Field, Kind, Resource
from dirframe.service.toml_file import check_names, read_toml

if TYPE_CHECKING:
    from pathlib import Path


#: Fields that are not served: the digests of the e-mail address are made from it.
_EMAIL = tuple(Field((name,), Kind.TEXT, "") for name in ("email", "email_md5"))


@dataclass(frozen=True)
class FieldMap:
    """The source of a field.

    A column or a constant `value`; `format` is that of its timestamps (as `datetime.strptime`),
    `separator` divides a text into the entries of a list, `decimal` is the sign before the
    fraction of its numbers: a point or a comma.
    """

    column: str = ""
    value: Any = None
    format: str = ""
    separator: str = ""
    decimal: str = ""


@dataclass(frozen=True)
class Section:
    """The map of a collection: its fields, and where its rows are if the map says so."""

    fields: dict[str, FieldMap] = field(default_factory=dict)
    data: str = ""
    query: str = ""


def mappable(resource: Resource) -> dict[str, Field]:
    """Return the fields that a column can be mapped to, by name."""
    return {
        **resource.by_column,
        **({f.column: f for f in _EMAIL} if resource is ACCOUNT else {}),
    }


def read_map(path: Path) -> dict[str, Section]:
    """Read a map.

    Parameters
    ----------
    path
        The file: a table ``accounts`` or ``projects``, or both, each with a table ``fields``,
        and optionally ``data`` and ``query``.

    Returns
    -------
    dict of str to Section
        Sections by name of the collection.

    Raises
    ------
    ConfigurationError
        The file cannot be read, or is no map; the message names the entry.
    """
    content = read_toml(path, "map")
    collections = {r.collection: r for r in RESOURCES.values()}
    check_names(content, collections, path, "map")
    if not content:
        raise ConfigurationError(f"The map {path} is empty; it has [accounts.fields] or similar.")
    return {name: _section(path, collections[name], entry) for name, entry in content.items()}


def _section(path: Path, resource: Resource, content: Any) -> Section:
    name = resource.collection
    check_names(content, [f.name for f in fields(Section)], path, "map", name)
    for key in ("data", "query"):
        if not isinstance(content.get(key, ""), str):
            raise ConfigurationError(f"{name}.{key} in {path} must be a text.")
    entries = content.get("fields", {})
    check_names(entries, mappable(resource), path, "map", f"{name}.fields")
    mapped = {key: _field_map(path, f"{name}.fields.{key}", e) for key, e in entries.items()}
    return Section(mapped, content.get("data", ""), content.get("query", ""))


def _field_map(path: Path, table: str, entry: Any) -> FieldMap:
    if isinstance(entry, str):
        return FieldMap(column=entry)
    check_names(entry, [f.name for f in fields(FieldMap)], path, "map", table)
    for name in ("column", "format", "separator", "decimal"):
        if not isinstance(entry.get(name, ""), str):
            raise ConfigurationError(f"{table}.{name} in {path} must be a text.")
    if entry.get("decimal", ".") not in {".", ","}:
        raise ConfigurationError(f'{table}.decimal in {path} must be "." or ",".')
    if reason := _format_error(entry.get("format", "")):
        raise ConfigurationError(
            f"{table}.format in {path} is {entry['format']!r}, which is not a format of a timestamp "
            f'({reason}); one is "%d.%m.%Y".'
        )
    if ("column" in entry) == ("value" in entry):
        raise ConfigurationError(
            f"{table} in {path} must have either a column or a value, such as "
            f'{{ column = "joined", format = "%d.%m.%Y" }}.'
        )
    return FieldMap(**entry)


def _format_error(text: str) -> str:
    """Return why no timestamp has this format; empty if it can be used."""
    try:
        datetime.strptime(datetime(2001, 2, 3, tzinfo=UTC).strftime(text), text)  # noqa: DTZ007  # not used
    except re.error:
        return "it has a directive twice"
    except ValueError as error:
        return str(error)
    return ""
