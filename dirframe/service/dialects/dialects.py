"""Dialects of the interface, read from `dialects.toml`: that of the specification and two others."""

# Sources: the specification; responses recorded from 2008 to 2013; the page templates of the live
# service, read in 2026.

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dirframe.errors import InvalidInputError
from dirframe.schema import PAGE_SIZE

if TYPE_CHECKING:
    from collections.abc import Mapping


#: Error text of the specification for a request without a valid key.
KEY_REQUIRED = "A valid api_key is required to access this URL."
_REFUSALS = ("missing_key", "unknown_key", "over_limit", "not_found")


@dataclass(frozen=True)
class Refusal:
    """Status and text of an error; the text may use `limit` and `wait`, in seconds."""

    status: int
    text: str


@dataclass(frozen=True)
class Shape:
    """The child elements of an element.

    `order` lists the children; further ones of a record follow. Those in `sometimes` are sent only
    with a value, the others also empty, and those in `dropped` never. `names` renames elements
    first. Timestamps in `midnight` are truncated to the day.
    """

    order: tuple[str, ...] = ()
    sometimes: frozenset[str] = frozenset()
    names: Mapping[str, str] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    midnight: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Rules:
    """Behaviour of the service in one dialect.

    Attributes
    ----------
    name : str
        Name of the dialect.
    page_size : mapping of str to int
        Records per page, by element of the resource.
    shapes : mapping of str to Shape
        Child elements by tag of the parent; empty: records are sent as stored.
    not_in_collections : mapping of str to frozenset of str
        Elements that only the page of a single record has, by tag of the record.
    missing_key, unknown_key, over_limit : Refusal
        Responses to requests without a key, with an unknown key, and over the quota.
    not_found : Refusal or None
        Response if nothing is found; None: 404 with a specific text.
    not_found_mimetype : str
        Content type of that response.
    bare_errors : bool
        Whether errors are ``<error><message>`` without the envelope.
    empty_result : bool
        Whether a page without records has a result element.
    lenient : bool
        Whether an invalid page is page 1, and an unknown sort the default sort.
    sorted_resources : frozenset of str
        Resources that support the sort parameter.
    project_path : str
        Path of projects; ``/projects`` redirects there if it differs.
    analysis_required : bool
        Whether a project without an analysis has no page.
    md5_prefix : bool
        Whether an unknown MD5 that begins with digits is treated as the account with that id.
    tie_break : bool
        Whether records with equal sort keys have a fixed order; else it differs by page.
    states : bool
        Whether maintenance and deleted or disabled records are supported
        (`dirframe.service.dialects.states`).
    """

    name: str
    page_size: Mapping[str, int] = field(
        default_factory=lambda: {"account": PAGE_SIZE, "project": PAGE_SIZE}
    )
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    not_in_collections: Mapping[str, frozenset[str]] = field(default_factory=dict)
    missing_key: Refusal = Refusal(403, KEY_REQUIRED)
    unknown_key: Refusal = Refusal(403, KEY_REQUIRED)
    over_limit: Refusal = Refusal(
        429, "The daily limit of this api_key is used up. It is free again in {wait} seconds."
    )
    not_found: Refusal | None = None
    not_found_mimetype: str = "application/xml"
    bare_errors: bool = False
    empty_result: bool = True
    lenient: bool = False
    sorted_resources: frozenset[str] = frozenset({"account", "project"})
    project_path: str = "/projects"
    analysis_required: bool = False
    md5_prefix: bool = False
    tie_break: bool = True
    states: bool = False


def _rules(name: str, table: dict[str, Any]) -> Rules:
    """Return the rules in a table of the file: lists are sets, except for an order."""
    shapes = {
        tag: Shape(tuple(shape.pop("order", ())), **_sets(shape))
        for tag, shape in table.pop("shapes", {}).items()
    }
    refusals: dict[str, Any] = {n: Refusal(**table.pop(n)) for n in _REFUSALS if n in table}
    hidden = _sets(table.pop("not_in_collections", {}))
    return Rules(name, shapes=shapes, not_in_collections=hidden, **refusals, **_sets(table))


def _sets(table: dict[str, Any]) -> dict[str, Any]:
    return {name: frozenset(v) if isinstance(v, list) else v for name, v in table.items()}


#: Supported dialects by name.
DIALECTS = {
    name: _rules(name, table)
    for name, table in tomllib.loads(
        Path(__file__).with_name("dialects.toml").read_text("utf-8")
    ).items()
}
SPECIFICATION, RECORDED, TODAY = DIALECTS.values()


def rules_of(dialect: str) -> Rules:
    """Return the rules of a dialect.

    Raises
    ------
    InvalidInputError
        The dialect is unknown.

    Examples
    --------
    >>> rules_of("today").page_size["project"]
    10
    """
    if dialect not in DIALECTS:
        raise InvalidInputError(
            f"There is no dialect {dialect!r}; there are {', '.join(DIALECTS)}."
        )
    return DIALECTS[dialect]
