"""Public pages of the directory for people, without API key and JavaScript."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from flask import Blueprint, render_template, request, url_for
from lxml import etree
from werkzeug.exceptions import HTTPException, NotFound

from dirframe.errors import InvalidInputError
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT, Resource
from dirframe.service.keys import APPLICATIONS_PER_DEVELOPER, DAILY_QUOTA
from dirframe.service.records import is_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dirframe.service.store import Store

#: What the page of a record shows: the label, and the element or the path to it.
_FACTS = {
    "account": (
        ("Kudo rank", "kudo_score/kudo_rank"),
        ("Place among ranked members", "kudo_score/position"),
        ("Location", "location"),
        ("Country, as the geocoder gave it", "country_code"),
        ("Latitude", "latitude"),
        ("Longitude", "longitude"),
        ("Home page", "homepage_url"),
        ("Forum posts", "posts_count"),
        ("Member since", "created_at"),
        ("Last changed", "updated_at"),
        ("Number", "id"),
    ),
    "project": (
        ("Home page", "homepage_url"),
        ("Download", "download_url"),
        ("Chat", "irc_url"),
        ("Members who use it", "stack_count"),
        ("Added", "created_at"),
        ("Last changed", "updated_at"),
        ("Number", "id"),
        ("Main language", "analysis/main_language_name"),
        ("Lines of code", "analysis/total_code_lines"),
        ("Contributors in the twelve months before", "analysis/twelve_month_contributor_count"),
        ("First month with activity", "analysis/min_month"),
        ("Last month with activity", "analysis/max_month"),
        ("Analysed", "analysis/updated_at"),
    ),
}
#: Kudo rank shown for an account without a score (specification, Account).
_DEFAULT_KUDO_RANK = "1"

_PAGE = re.compile(r"[0-9]{1,18}")
# Tabs and line breaks separate words; texts contain no other control characters.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def parse_arguments(query_string: str) -> dict[str, str]:
    """Parse a query string as in WSGI; of a repeated parameter the first value is used.

    Values are decoded as UTF-8, or else as Latin-1, which old clients send.
    """
    arguments: dict[str, str] = {}
    for name, value in parse_qsl(query_string, keep_blank_values=True, encoding="latin-1"):
        arguments.setdefault(_decoded(name), _decoded(value))
    return arguments


def _decoded(text: str) -> str:
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def request_arguments() -> dict[str, str]:
    """Return the parameters of the current request."""
    return parse_arguments(request.environ.get("QUERY_STRING", ""))


def requested_page(arguments: Mapping[str, str]) -> int:
    """Return the requested page number; 1 if missing or empty."""
    text = arguments.get("page") or "1"
    if _PAGE.fullmatch(text) and int(text) >= 1:
        return int(text)
    raise InvalidInputError(
        f"There is no page {text[:30]!r}: the first page is 1, and a page is a whole number."
    )


def requested_query(arguments: Mapping[str, str]) -> str:
    """Return the text of `query`, or of `q`, which old clients send; empty if missing."""
    text = arguments.get("query", arguments.get("q", ""))
    if match := _CONTROLS.search(text):
        raise InvalidInputError(
            f"The query has the control character U+{ord(match[0]):04X} at position "
            f"{match.start()}. Send text as UTF-8 or Latin-1, percent-encoded."
        )
    return text


def create_pages(store: Store) -> Blueprint:
    """Create the pages of `store`: home, lists, accounts and projects."""
    pages = Blueprint("pages", __name__)
    pages.add_app_template_filter(_link, "link")
    pages.add_app_template_filter(_thousands, "thousands")

    @pages.get("/")
    def home() -> str:
        return render_template(
            "home.html",
            synthetic=store.synthetic,
            counts=store.counts,
            page_size=PAGE_SIZE,
            quota=DAILY_QUOTA,
            applications=APPLICATIONS_PER_DEVELOPER,
        )

    def listing(resource: Resource) -> str:
        arguments = request_arguments()
        query = requested_query(arguments).strip()
        default = store.default_sort(resource, query)
        sort = arguments.get("sort") or default
        number = requested_page(arguments)
        page = store.page(resource, query=query, sort=sort, page=number)

        def address(to: int) -> str:
            sorted_by = sort if sort != default else None
            return url_for(f".{resource.collection}", query=query or None, sort=sorted_by, page=to)

        return render_template(
            "list.html",
            synthetic=store.synthetic,
            resource=resource,
            records=[etree.fromstring(fragment) for fragment in page.fragments],
            available=page.available,
            first=page.first,
            number=number,
            last=max(1, -(-page.available // PAGE_SIZE)),
            address=address,
            query=query,
            sort=sort,
            automatic=not arguments.get("sort"),
            sorts=store.sorts[resource.collection],
            xml=url_for(f"xml /{resource.collection}.xml", query=query, sort=sort, page=number),
        )

    def single(resource: Resource, segment: str) -> str:
        fragment = store.by_segment(resource, segment)
        if fragment is None:
            raise NotFound(f"There is no {resource.name} {segment[:50]}.")
        record = etree.fromstring(fragment)
        return render_template(
            "record.html",
            synthetic=store.synthetic,
            resource=resource,
            record=record,
            facts=_facts(resource, record),
            tags=[tag.text for tag in record.iterfind("tags/tag") if tag.text],
            languages=record.findall("analysis/languages/language"),
            xml=url_for(f"xml /{resource.collection}/<segment>.xml", segment=record.findtext("id")),
        )

    for resource in (ACCOUNT, PROJECT):
        path, facts = f"/{resource.collection}", {"resource": resource}
        pages.add_url_rule(path, resource.collection, listing, defaults=facts)
        pages.add_url_rule(f"{path}/<segment>", resource.name, single, defaults=facts)
    pages.add_url_rule("/p/<segment>", "p", single, defaults={"resource": PROJECT})
    return pages


def error_page(store: Store, error: HTTPException) -> str:
    """Render the page of an HTTP error."""
    return render_template("error.html", synthetic=store.synthetic, error=error)


def _facts(resource: Resource, record: etree._Element) -> list[tuple[str, str, str]]:
    """Return label, text and kind of the facts that a record has."""
    kinds = {"/".join(field.path): field.kind.value for field in resource.fields}
    facts: list[tuple[str, str, str]] = []
    for label, path in _FACTS[resource.name]:
        text = (record.findtext(path) or "").strip()
        if not text and path == "kudo_score/kudo_rank":
            text = _DEFAULT_KUDO_RANK
        if text:
            facts.append((label, text[:7] if path.endswith("_month") else text, kinds[path]))
    licences = [
        e.findtext("nice_name") or e.findtext("name") for e in record.iterfind("licenses/*")
    ]
    if any(licences):
        facts.append(("Licences", ", ".join(filter(None, licences)), "text"))
    return facts


def _link(url: object) -> str | None:
    """Return a URL if it is safe to link to, else None (``javascript:`` and the like)."""
    return url if isinstance(url, str) and is_url(url) else None


def _thousands(value: object) -> str:
    """Format a number with thousands separators; other values are returned unchanged."""
    try:
        return f"{int(str(value)):,}"
    except ValueError:
        return str(value)
