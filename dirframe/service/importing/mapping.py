"""The map: which columns of a table are which fields of the schema, read from TOML."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from dirframe.errors import ConfigurationError
from dirframe.schema import ACCOUNT, RESOURCES, Field, Kind, Resource

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
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"The map {path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The map {path} is no TOML: {error}.") from None
    except RecursionError:
        raise ConfigurationError(f"The map {path} is nested too deeply.") from None
    collections = {r.collection: r for r in RESOURCES.values()}
    _check_names(path, "", content, collections)
    if not content:
        raise ConfigurationError(f"The map {path} is empty; it has [accounts.fields] or similar.")
    return {name: _section(path, collections[name], entry) for name, entry in content.items()}


def _section(path: Path, resource: Resource, content: Any) -> Section:
    name = resource.collection
    _check_names(path, f"{name}.", content, [f.name for f in fields(Section)])
    for key in ("data", "query"):
        if not isinstance(content.get(key, ""), str):
            raise ConfigurationError(f"{name}.{key} in {path} must be a text.")
    entries = content.get("fields", {})
    _check_names(path, f"{name}.fields.", entries, mappable(resource))
    mapped = {key: _field_map(path, f"{name}.fields.{key}", e) for key, e in entries.items()}
    return Section(mapped, content.get("data", ""), content.get("query", ""))


def _field_map(path: Path, place: str, entry: Any) -> FieldMap:
    if isinstance(entry, str):
        return FieldMap(column=entry)
    options = [f.name for f in fields(FieldMap)]
    _check_names(path, f"{place}.", entry, options)
    for name in ("column", "format", "separator", "decimal"):
        if not isinstance(entry.get(name, ""), str):
            raise ConfigurationError(f"{place}.{name} in {path} must be a text.")
    if entry.get("decimal", ".") not in {".", ","}:
        raise ConfigurationError(f'{place}.decimal in {path} must be "." or ",".')
    if reason := _format_error(entry.get("format", "")):
        raise ConfigurationError(
            f"{place}.format in {path} is {entry['format']!r}, which is no format of a timestamp "
            f'({reason}); one is "%d.%m.%Y".'
        )
    if ("column" in entry) == ("value" in entry):
        raise ConfigurationError(
            f"{place} in {path} must have either a column or a value, such as "
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
        return str(error).rstrip(".")
    return ""


def _check_names(path: Path, prefix: str, content: Any, known: Any) -> None:
    if not isinstance(content, dict):
        raise ConfigurationError(f"{prefix.rstrip('.')} in {path} must be a table of TOML.")
    for name in content:
        if name not in known:
            near = get_close_matches(name, known, n=3) or sorted(known)
            raise ConfigurationError(
                f"The map {path} has {prefix}{name}, which does not exist; "
                f"there is {', '.join(near)}."
            )
