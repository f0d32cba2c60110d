"""Public pages of the directory for people, without API key and JavaScript."""

from __future__ import annotations

import re

from flask import Blueprint, abort, current_app, render_template, url_for
from lxml import etree

from dirframe.schema import ACCOUNT, PROJECT, Resource
from dirframe.service.keys import APPLICATIONS_PER_DEVELOPER, DAILY_QUOTA
from dirframe.service.records import URL
from dirframe.service.site import link_of
from dirframe.service.xml import current_store, list_request

#: Labels of what the page of a record lists, by column, in this order.
_LABELS = {
    "id": "ID",
    "created_at": "Created",
    "updated_at": "Last modified",
    "homepage_url": "Home page",
    "download_url": "Download",
    "irc_url": "Chat",
    "location": "Location",
    "country_code": "Country",
    "latitude": "Latitude",
    "longitude": "Longitude",
    "posts_count": "Forum posts",
    "kudo_score_kudo_rank": "Kudo rank",
    "kudo_score_position": "Place by kudo score",
    "stack_count": "Users",
    "analysis_main_language_name": "Main language",
    "analysis_total_code_lines": "Lines of code",
    "analysis_twelve_month_contributor_count": "Contributors in a year",
    "analysis_min_month": "First month with activity",
    "analysis_max_month": "Last month with activity",
    "analysis_logged_at": "Source code fetched",
    "analysis_updated_at": "Analysed",
}

#: Labels of sorts whose names are no words for them.
_SORT_LABELS = {
    "created_at": "oldest first",
    "created_at_reverse": "newest first",
    "updated_at": "longest unchanged first",
    "updated_at_reverse": "last modified first",
    "id": "ID",
    "id_reverse": "ID, descending",
    "name": "name",
    "name_reverse": "name, descending",
    "stack_count": "fewest users first",
    "stack_count_reverse": "most users first",
    "relevance": "best match",
    "rating": "best rating first",
    "active_committers": "most contributors first",
    "activity_level": "most active first",
    "description": "description",
}
#: Synonyms of other sorts in today's dialect, which the pages do not repeat.
_SYNONYMS = {"new", "users", "popularity", "project_name"}

pages = Blueprint("pages", __name__, static_folder="static")
pages.add_app_template_test(lambda text: bool(re.match(URL, text)), "url")


@pages.get("/")
def home() -> str:
    """Render the home page."""
    return render_template(
        "home.html",
        quota=DAILY_QUOTA,
        applications=APPLICATIONS_PER_DEVELOPER,
        collections=current_store().collections,
        link_of=link_of,
    )


@pages.get("/accounts", endpoint="accounts", defaults={"resource": ACCOUNT})
@pages.get("/projects", endpoint="projects", defaults={"resource": PROJECT})
def listing(resource: Resource) -> str:
    """Render a page of a collection."""
    store = current_store()
    if resource.collection not in store.collections:
        abort(404, f"This directory has no {resource.collection}.")
    query, requested, number = list_request()
    sort = requested or store.default_sort(resource, query)
    page_size = current_app.config["PAGE_SIZE"]
    page = store.page(resource, query, sort, number, page_size)

    def address(to: int) -> str:
        name, given = f".{resource.collection}", requested or None
        return url_for(name, query=query or None, sort=given, page=to)

    return render_template(
        "list.html",
        resource=resource,
        records=[etree.fromstring(fragment) for fragment in page.fragments],
        available=page.available,
        first=page.first,
        number=number,
        last=max(1, -(-page.available // page_size)),
        address=address,
        query=query,
        sort_options=_sort_options(resource, requested, sort),
        xml=url_for("xml.collection", resource=resource, query=query, sort=sort, page=number),
    )


def _sort_options(resource: Resource, requested: str, sort: str) -> list[tuple[str, str, bool]]:
    """Return value, label and selection of the sorts that a form offers."""
    options: list[tuple[str, str, bool]] = []
    if resource.query_sort:  # which is used for queries alone
        options.append(("", "best match, or newest first", not requested))
        sort = requested
    offered = current_store().sorts[resource.collection]
    options += [
        (value, _SORT_LABELS.get(value, value), value == sort)
        for value in offered
        if value not in _SYNONYMS or value == requested
    ]
    return options


@pages.get("/accounts/<segment>", endpoint="account", defaults={"resource": ACCOUNT})
@pages.get("/projects/<segment>", endpoint="project", defaults={"resource": PROJECT})
@pages.get("/p/<segment>", defaults={"resource": PROJECT})
def single(resource: Resource, segment: str) -> str:
    """Render the page of a record."""
    fragment = current_store().record(resource, segment)
    if fragment is None:
        abort(404, f"There is no {resource.name} {segment[:50]}.")
    record = etree.fromstring(fragment)
    facts = []
    for column, label in _LABELS.items():
        if (field := resource.by_column.get(column)) is None:
            continue
        text = (record.findtext("/".join(field.path)) or "").strip()
        if not text and column == "kudo_score_kudo_rank" and current_store().has_kudo_ranks:
            text = "1"  # of an account without a score (specification, Account)
        if text:
            facts.append((label, text, field.kind.value))
    return render_template(
        "record.html",
        resource=resource,
        record=record,
        facts=facts,
        licences=[
            title  # which is the name in today's dialect
            for licence in record.iterfind("licenses/license")
            if (title := licence.findtext("nice_name") or licence.findtext("name"))
        ],
        tags=[tag.text for tag in record.iterfind("tags/tag") if tag.text],
        languages=record.findall("analysis/languages/language"),
        xml=url_for("xml.single", resource=resource, segment=record.findtext("id")),
    )


@pages.app_template_filter("thousands")
def thousands(value: object) -> str:
    """Format a number with thousands separators; other values are returned unchanged."""
    try:
        return f"{int(str(value)):,}"
    except ValueError:
        return str(value)
