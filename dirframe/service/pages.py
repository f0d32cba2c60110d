"""Public pages of the directory for people, without API key and JavaScript."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, url_for
from lxml import etree

from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT, Resource
from dirframe.service.context import asked, current_store
from dirframe.service.keys import APPLICATIONS_PER_DEVELOPER, DAILY_QUOTA
from dirframe.service.records import is_url

#: What the page of a record shows: the element or the path to it, and its label.
_FACTS = {
    "kudo_score/kudo_rank": "Kudo rank",
    "kudo_score/position": "Place among ranked members",
    "location": "Location",
    "country_code": "Country, as the geocoder gave it",
    "latitude": "Latitude",
    "longitude": "Longitude",
    "homepage_url": "Home page",
    "download_url": "Download",
    "irc_url": "Chat",
    "posts_count": "Forum posts",
    "stack_count": "Members who use it",
    "created_at": "Added",
    "updated_at": "Last changed",
    "id": "Number",
    "analysis/main_language_name": "Main language",
    "analysis/total_code_lines": "Lines of code",
    "analysis/twelve_month_contributor_count": "Contributors in the twelve months before",
    "analysis/min_month": "First month with activity",
    "analysis/max_month": "Last month with activity",
    "analysis/updated_at": "Analysed",
    "licenses/license/nice_name": "Licence",
}
#: Kudo rank shown for an account without a score (specification, Account).
_DEFAULT_KUDO_RANK = "1"

pages = Blueprint("pages", __name__)


@pages.get("/")
def home() -> str:
    """Render the home page."""
    return render_template("home.html", quota=DAILY_QUOTA, applications=APPLICATIONS_PER_DEVELOPER)


@pages.get("/accounts", endpoint="accounts", defaults={"resource": ACCOUNT})
@pages.get("/projects", endpoint="projects", defaults={"resource": PROJECT})
def listing(resource: Resource) -> str:
    """Render a page of a collection."""
    store, (query, requested_sort, number) = current_store(), asked()
    default = store.default_sort(resource, query)
    sort = requested_sort or default
    page = store.page(resource, query=query, sort=sort, page=number)

    def address(to: int) -> str:
        sorted_by = sort if sort != default else None
        return url_for(f".{resource.collection}", query=query or None, sort=sorted_by, page=to)

    return render_template(
        "list.html",
        resource=resource,
        records=[etree.fromstring(fragment) for fragment in page.fragments],
        available=page.available,
        first=page.first,
        number=number,
        last=max(1, -(-page.available // PAGE_SIZE)),
        address=address,
        query=query,
        sort=sort,
        automatic=not requested_sort,
        sorts=store.sorts[resource.collection],
        xml=url_for("xml.collection", resource=resource, query=query, sort=sort, page=number),
    )


@pages.get("/accounts/<segment>", endpoint="account", defaults={"resource": ACCOUNT})
@pages.get("/projects/<segment>", endpoint="project", defaults={"resource": PROJECT})
@pages.get("/p/<segment>", defaults={"resource": PROJECT})
def single(resource: Resource, segment: str) -> str:
    """Render the page of a record."""
    fragment = current_store().record(resource, segment)
    if fragment is None:
        abort(404, f"There is no {resource.name} {segment[:50]}.")
    record = etree.fromstring(fragment)
    kinds = {"/".join(field.path): field.kind.value for field in resource.fields}
    texts = {path: (record.findtext(path) or "").strip() for path in _FACTS}
    if resource is ACCOUNT:
        texts["kudo_score/kudo_rank"] = texts["kudo_score/kudo_rank"] or _DEFAULT_KUDO_RANK
    return render_template(
        "record.html",
        resource=resource,
        record=record,
        facts=[(_FACTS[path], text, kinds.get(path)) for path, text in texts.items() if text],
        tags=[tag.text for tag in record.iterfind("tags/tag") if tag.text],
        languages=record.findall("analysis/languages/language"),
        xml=url_for("xml.single", resource=resource, segment=record.findtext("id")),
    )


@pages.app_template_filter("link")
def link(url: str) -> str | None:
    """Return a URL if it is safe to link to, else None (``javascript:`` and the like)."""
    return url if is_url(url) else None


@pages.app_template_filter("thousands")
def thousands(value: object) -> str:
    """Format a number with thousands separators; other values are returned unchanged."""
    try:
        return f"{int(str(value)):,}"
    except ValueError:
        return str(value)
