"""Public web pages of the directory, without API key and JavaScript."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flask import Blueprint, render_template, request, url_for
from werkzeug.exceptions import HTTPException, NotFound, TooManyRequests

from dirframe._tables import read_rows
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT, Resource
from dirframe.service.records import entries_of, is_url, record_from_xml
from dirframe.service.web.params import request_arguments, requested_page, requested_query

if TYPE_CHECKING:
    from dirframe.service.store.store import Store
    from dirframe.service.web.page_rate import PageRate


SORT_LABELS = {
    row["sort"]: row["label"] for row in read_rows(Path(__file__).with_name("sort_labels.csv"))
}

#: Kudo rank shown for an account without a score (specification, Account).
DEFAULT_KUDO_RANK = "1"


def create_pages(store: Store, rate: PageRate) -> Blueprint:
    """Create the pages of `store`: home, lists, accounts and projects.

    Parameters
    ----------
    store
        Records of the directory.
    rate
        Rate limit per client address.

    Returns
    -------
    flask.Blueprint
        The blueprint; the application renders its errors.
    """
    pages = Blueprint("pages", __name__)
    pages.add_app_template_filter(link, "link")
    pages.add_app_template_filter(thousands, "thousands")
    pages.add_app_template_global(entries_of)

    @pages.before_request
    def count_page() -> None:
        if wait := rate.acquire(request.remote_addr or ""):
            raise TooManyRequests(
                f"Too many pages were read from your address. Try again in {wait} seconds; "
                "programs read the XML interface, with a key.",
                retry_after=wait,
            )

    @pages.get("/")
    def home() -> str:
        return render_template("home.html", synthetic=store.synthetic, counts=store.counts())

    def listing(resource: Resource) -> str:
        arguments = request_arguments()
        query = requested_query(arguments).strip()
        default = store.default_sort(resource, query)
        sort = arguments.get("sort") or default
        number = requested_page(arguments)
        page = store.page(resource, query=query, sort=sort, page=number)
        last = max(1, -(-page.available // PAGE_SIZE))

        def address(to: int) -> str:
            return url_for(
                f".{resource.collection}",
                query=query or None,
                sort=sort if sort != default else None,
                page=to,
            )

        return render_template(
            "list.html",
            synthetic=store.synthetic,
            resource=resource,
            records=[record_from_xml(fragment) for fragment in page.fragments],
            available=page.available,
            first=page.first,
            number=number,
            last=last,
            address=address,
            query=query,
            sort=sort,
            automatic=not arguments.get("sort"),
            sort_labels=[(s, SORT_LABELS[s]) for s in store.sorts(resource) if s in SORT_LABELS],
            xml=url_for(f"{resource.collection}_xml", query=query, sort=sort, page=number),
        )

    def single(resource: Resource, segment: str) -> str:
        fragment = store.by_segment(resource, segment)
        if fragment is None:
            raise NotFound(f"There is no {resource.name} {segment[:50]}.")
        return render_template(
            f"{resource.name}.html",
            synthetic=store.synthetic,
            record=(record := record_from_xml(fragment)),
            licenses=[
                entry.get("nice_name") or entry.get("name")
                for entry in entries_of(record, "licenses")
            ],
            default_kudo_rank=DEFAULT_KUDO_RANK,
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


def link(url: object) -> str | None:
    """Return a URL if it is safe to link to, else None (``javascript:`` and the like)."""
    return url if isinstance(url, str) and is_url(url) else None


def thousands(value: object) -> str:
    """Format a number with thousands separators; other values are returned unchanged."""
    try:
        return f"{int(str(value)):,}"
    except ValueError:
        return str(value)
