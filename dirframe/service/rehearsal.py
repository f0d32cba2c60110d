"""What today's live service has besides: `per_page` and `ids` of projects, and organizations."""

# They are no part of the specification: only a directory without analyses in collections, which is like
# the live service, knows them.

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from flask import Blueprint, abort
from lxml import etree

from dirframe.errors import InvalidInputError
from dirframe.schema import Resource
from dirframe.service.xml import current_store, request_arguments

#: What it answers about a project without an analysis, with code 200.
NO_ANALYSIS = "Code analysis is not available"

#: Records on a page, and the most that can be asked for.
TODAYS_PAGE_SIZE, MAX_PAGE_SIZE = 10, 25

#: Projects of organizations on a page.
_PORTFOLIO_PAGE_SIZE = 20

#: Sorts of organizations: their field, and whether it falls.
_ORGANIZATION_SORTS = {
    "": ("projects_count", True),
    "projects": ("projects_count", True),
    "name": ("name", False),
    "newest": ("created_at", True),
    "recent": ("updated_at", True),
}
_LONGEST_COUNT = 20

#: The page of an organization for people, to which the list of its projects redirects past its end.
rehearsal = Blueprint("rehearsal", __name__)

_NUMBER = re.compile(r"\s*([0-9]{1,18})")


def requested_page_size() -> int:
    """Return the number of projects on a page: up to 25, and none for 0 or a word."""
    text = request_arguments().get("per_page", "")
    if not text:
        return TODAYS_PAGE_SIZE
    if text.lstrip().startswith("-"):
        abort(404, "There is nothing at this address.")
    return min(_leading_number(text), MAX_PAGE_SIZE)


def requested_ids() -> list[str]:
    """Return the ids that are asked for; without any, all projects are."""
    text = request_arguments().get("ids", "")
    return [str(_leading_number(part)) for part in text.split(",")] if text else []


def _leading_number(text: str) -> int:
    found = _NUMBER.match(text)
    return int(found[1]) if found else 0


def page_size_of(resource: Resource) -> int:
    """Return the number of records on a page of an extension."""
    return _PORTFOLIO_PAGE_SIZE if resource.element == "project" else TODAYS_PAGE_SIZE


def beside_records(resource: Resource, address: str) -> str:
    """Return the XML behind the people of an organization: the address of their page."""
    if resource.wrapper and resource.element != "project":
        return f"<detailed_page_url>/{escape(address)}</detailed_page_url>\n"
    return ""


def chosen_organizations(entries: list[str], query: str, sort: str) -> list[str]:
    """Return the organizations that match a query, in the order of a sort."""
    if sort not in _ORGANIZATION_SORTS:
        known = ", ".join(filter(None, _ORGANIZATION_SORTS))
        raise InvalidInputError(f"There is no sort of orgs by {sort[:50]!r}; there are {known}.")
    field, is_falling = _ORGANIZATION_SORTS[sort]
    word = query.strip().casefold()
    chosen = []
    for entry in entries:
        organization = etree.fromstring(entry)
        if word in (organization.findtext("name") or "").casefold():
            text = (organization.findtext(field) or "").casefold()
            chosen.append((text.zfill(_LONGEST_COUNT) if text.isdigit() else text, entry))
    return [entry for _, entry in sorted(chosen, reverse=is_falling)]


@rehearsal.get("/orgs/<segment>")
def organization(segment: str) -> str:
    """Return the page of an organization for people."""
    entries = current_store().document(f"orgs/{segment}")
    if not entries:
        abort(404, f"There is no organization {segment[:50]}.")
    name = etree.fromstring(entries[0]).findtext("name") or segment
    return f"<!DOCTYPE html>\n<html lang=en><title>{escape(name)}</title><h1>{escape(name)}</h1></html>\n"
