"""What today's live service has besides: `per_page` and `ids` of projects, and organizations."""

# They are no part of the specification: only a directory without analyses in collections, which is like
# the live service, knows them.

from __future__ import annotations

import re
from typing import NamedTuple
from xml.sax.saxutils import escape

from flask import Blueprint, abort
from lxml import etree

from dirframe.errors import InvalidInputError
from dirframe.schema import ACCOUNT, PROJECT, Resource
from dirframe.service.records import serialize
from dirframe.service.store import Store
from dirframe.service.xml import current_store, request_arguments

#: What it answers about a project without an analysis, with code 200.
NO_ANALYSIS = "Code analysis is not available"

#: Records on a page, and the most that can be asked for.
TODAYS_PAGE_SIZE, MAX_PAGE_SIZE = 10, 25

#: Contributors, and projects and people of organizations, on a page.
_LONG_PAGE_SIZE = 20


class _Search(NamedTuple):
    """How a collection is searched and sorted."""

    searched: str  # path of the element
    sorts: dict[str, tuple[str, bool]]  # path of the element, and whether its values fall


_SEARCHES = {
    "orgs": _Search(
        "name",
        {
            "": ("projects_count", True),
            "projects": ("projects_count", True),
            "name": ("name", False),
            "newest": ("created_at", True),
            "recent": ("updated_at", True),
        },
    ),
    "enlistments": _Search(
        "code_location/url",
        {
            "": ("", False),  # as they are stored
            "url": ("code_location/url", False),
            "type": ("code_location/type", False),
            "module_name": ("code_location/module_name", False),
            "project": ("project_id", False),
        },
    ),
}
_LONGEST_COUNT = 20

#: Lists of which an owner without any has an empty one.
_MAY_BE_EMPTY = {
    "enlistments",
    "stacks",
    "positions",
    "kudos",
    "kudos_sent",
    "managed_projects",
}
_OWNERS = {"accounts": ACCOUNT, "projects": PROJECT}

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
    is_long = bool(resource.wrapper) or resource.collection == "contributors"
    return _LONG_PAGE_SIZE if is_long else TODAYS_PAGE_SIZE


def beside_records(resource: Resource, address: str) -> str:
    """Return the XML behind the people of an organization: the address of their page."""
    if resource.wrapper and resource.element != "project":
        return f"<detailed_page_url>/{escape(address)}</detailed_page_url>\n"
    return ""


def is_searched(resource: Resource) -> bool:
    """Return whether a collection of an extension is searched and sorted."""
    return resource.collection in _SEARCHES


def search(resource: Resource, entries: list[str], query: str, sort: str) -> list[str]:
    """Return the entries of a collection that match a query, in the order of a sort."""
    searched, sorts = _SEARCHES[resource.collection]
    if sort not in sorts:
        known = ", ".join(filter(None, sorts))
        raise InvalidInputError(
            f"There is no sort of {resource.collection} by {sort[:50]!r}; there are {known}."
        )
    field, is_falling = sorts[sort]
    word = query.strip().casefold()
    matches = [entry for entry in entries if word in _folded_text(entry, searched)]
    if not field:
        return matches

    def sort_key(entry: str) -> str:
        text = _folded_text(entry, field)
        return text.zfill(_LONGEST_COUNT) if text.isdigit() else text

    return sorted(matches, key=sort_key, reverse=is_falling)


def _folded_text(entry: str, path: str) -> str:
    return (etree.fromstring(entry).findtext(path) or "").casefold()


def is_empty_list(store: Store, address: str, resource: Resource | None) -> bool:
    """Return whether a list that is not stored belongs to an account or a project that is there."""
    if resource is None or resource.collection not in _MAY_BE_EMPTY:
        return False
    owners, _, rest = address.partition("/")
    owner = _OWNERS.get(owners)
    return owner is not None and store.record(owner, rest.partition("/")[0]) is not None


def organizations_by_title(store: Store) -> dict[str, dict[str, str]]:
    """Return the organization of each project that has one, by the title of the project."""
    organizations = {}
    for number, entry in enumerate(store.document("orgs") or (), start=1):
        record = etree.fromstring(entry)
        short_name = record.findtext("url_name") or ""
        organization = {
            "id": str(number),
            "name": record.findtext("name") or "",
            "vanity_url": short_name,
            "html_url": record.findtext("html_url") or "",
        }
        for project in store.document(f"orgs/{short_name}/projects") or ():
            organizations[etree.fromstring(project).findtext("name") or ""] = organization
    return organizations


def with_organization(fragment: str, organizations: dict[str, dict[str, str]]) -> str:
    """Return the XML of a project with its organization, if it has one."""
    project = etree.fromstring(fragment)
    organization = organizations.get(project.findtext("name") or "")
    if organization is None:
        return fragment
    element = etree.SubElement(project, "organization")
    for name, text in organization.items():
        child = etree.SubElement(element, name)
        child.text, child.tail = text, "\n"
    element.text = element.tail = "\n"
    return serialize(project)


@rehearsal.get("/orgs/<segment>")
def organization(segment: str) -> str:
    """Return the page of an organization for people."""
    entries = current_store().document(f"orgs/{segment}")
    if not entries:
        abort(404, f"There is no organization {segment[:50]}.")
    name = etree.fromstring(entries[0]).findtext("name") or segment
    return f"<!DOCTYPE html>\n<html lang=en><title>{escape(name)}</title><h1>{escape(name)}</h1></html>\n"
