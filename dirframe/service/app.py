"""WSGI application of a directory: its XML, each response with a key and a count, and its pages."""

# Where the specification is silent: a page past the end is an empty result; an invalid page, an
# unknown sort and a query beyond its limits are failures (400); an exhausted quota is 429 with
# Retry-After; methods other than GET and HEAD are 405.

from __future__ import annotations

import ipaddress
import logging
import re
import time
from collections.abc import Iterable
from urllib.parse import quote
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import (
    Blueprint,
    Flask,
    Response,
    abort,
    current_app,
    redirect,
    render_template,
    request,
    url_for,
)
from lxml import etree
from werkzeug.exceptions import BadRequest, HTTPException, ServiceUnavailable, TooManyRequests
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.wrappers import Response as BaseResponse

from dirframe._printable import escaped
from dirframe.errors import ConfigurationError, InvalidInputError, StoreError
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT, Resource
from dirframe.service.keys import KeyStore
from dirframe.service.pages import pages
from dirframe.service.read_xml import document_resource
from dirframe.service.records import email_slug, serialize
from dirframe.service.rehearsal import (
    TODAYS_PAGE_SIZE,
    beside_records,
    chosen_organizations,
    page_size_of,
    rehearsal,
    requested_ids,
    requested_page_size,
)
from dirframe.service.store import Store
from dirframe.service.xml import (
    current_store,
    failure_xml,
    list_request,
    request_arguments,
    result_xml,
)

#: Name of a site that has none.
SITE_NAME = "Open source directory"
ACCESS_LOG = logging.getLogger("dirframe.service.access")
_LOG = logging.getLogger("dirframe.service")
#: Projects that the text of a failure names.
_MOST_NAMED = 20

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
}
#: What may be a key or the digest of an address.
_SECRET = re.compile(r"api_key.*|[0-9a-f]{32,}", re.IGNORECASE)

#: The XML of the interface.
xml = Blueprint("xml", __name__)


def create_app(
    store: Store, keys: KeyStore, *, name: str = SITE_NAME, analyses: bool = True
) -> Flask:
    """Create the application that serves `store` to clients with a key in `keys`.

    Without `analyses` it sends them on the own page of each project alone, and ten records a page; then
    collections of projects take `per_page` and `ids`, as today's live service does.
    """
    app = Flask(__name__, static_folder=None)
    size = PAGE_SIZE if analyses else TODAYS_PAGE_SIZE
    app.config.update(PROVIDE_AUTOMATIC_OPTIONS=False, ANALYSES=analyses, PAGE_SIZE=size)
    app.extensions |= {"store": store, "keys": keys}
    # A redirect to the canonical URL would repeat the key in its Location header.
    app.url_map.merge_slashes = app.url_map.strict_slashes = app.url_map.redirect_defaults = False
    app.jinja_env.globals.update(site_name=name, store=store)
    app.before_request(_check_key)
    app.after_request(_finish)
    app.register_error_handler(HTTPException, _fail)
    app.register_error_handler(InvalidInputError, lambda error: _fail(BadRequest(str(error))))
    app.register_blueprint(xml)
    app.register_blueprint(pages)
    if not analyses:
        app.register_blueprint(rehearsal)
    app.add_url_rule("/healthz", view_func=_healthz)
    return app


def _is_xml() -> bool:
    """Return whether the response is XML: by the address, also if nothing is there."""
    return request.blueprint == xml.name or request.path.rstrip("/").endswith(".xml")


def _check_key() -> None:
    """Count a request for XML, or refuse it."""
    if not _is_xml():
        return
    keys: KeyStore = current_app.extensions["keys"]
    try:
        wait = keys.charge(request_arguments().get("api_key", ""))
    except StoreError as error:  # the cause is not disclosed to clients
        _LOG.error("A request is not counted and answered with 503: %s", escaped(str(error)))
        text = "Requests cannot be counted at the moment. Try again later."
        raise ServiceUnavailable(text, retry_after=5) from error
    if wait is None:
        abort(403, "A valid api_key is required to access this URL.")
    if wait:
        text = f"The daily limit of this api_key is used up. It is free again in {wait} seconds."
        raise TooManyRequests(text, retry_after=wait)


@xml.get("/accounts.xml", defaults={"resource": ACCOUNT})
@xml.get("/projects.xml", defaults={"resource": PROJECT})
def collection(resource: Resource) -> bytes:
    """Return a page of accounts or projects."""
    store = current_store()
    if current_app.config["ANALYSES"]:
        asked = list_request()
        return _result(*store.page(resource, asked.query, asked.sort, asked.page))
    query, sort, page = list_request()
    size = requested_page_size() if resource is PROJECT else TODAYS_PAGE_SIZE
    ids = requested_ids() if resource is PROJECT else []
    if ids:
        fragments, available, first = store.page_of_ids(resource, ids, page, size)
    else:
        fragments, available, first = store.page(resource, query, sort, page, size)
    return _result([_without_analysis(fragment) for fragment in fragments], available, first)


@xml.get("/accounts/<segment>.xml", defaults={"resource": ACCOUNT})
@xml.get("/p/<segment>.xml", defaults={"resource": PROJECT})
@xml.get("/projects/<segment>.xml", defaults={"resource": PROJECT})
def single(resource: Resource, segment: str) -> bytes:
    """Return a record by its id or its name, or an account by the MD5 of its e-mail address."""
    store = current_store()
    fragment = store.record(resource, segment) or store.record(resource, email_slug(segment))
    if fragment is None and resource is PROJECT and not current_app.config["ANALYSES"]:
        fragment = store.record_titled(resource, segment)  # as most short names of today are
    if fragment is None:
        abort(404, f"There is no such {resource.name}.")
    return _result([fragment])


@xml.get("/orgs/<segment>.xml")
def organization(segment: str) -> bytes | BaseResponse:
    """Return an organization, whose page for people has a similar address."""
    return document(f"orgs/{segment}")


@xml.get("/<path:name>.xml")
def document(name: str) -> bytes | BaseResponse:
    """Return a stored document, such as the languages, or a page of it if it has pages."""
    # What is below /projects/ is also below /p/, as today.
    address = re.sub("^p/", "projects/", name)
    is_rehearsal = not current_app.config["ANALYSES"]
    resource = document_resource(address)
    entries = current_store().document(address)
    if entries is None and is_rehearsal and _is_empty(address, resource):
        entries = []
    if entries is None or resource is None:
        of_project = re.fullmatch("projects/([^/]+)/(?:contributors|analyses/.+)", address)
        project = current_store().record(PROJECT, of_project[1]) if of_project else None
        if project is not None and etree.fromstring(project).find("analysis") is None:
            text = "Code analysis is not available"
            return failure_xml(text, status="error", element="message")
        abort(404, _nothing_at(address, is_of_project=project is not None))
    query, sort, page = list_request()
    if is_rehearsal and resource.collection == "orgs":
        if address != "orgs":
            return _result(entries)
        entries = chosen_organizations(entries, query, sort)
    elif query or sort not in {"", resource.default_sort}:
        raise InvalidInputError("This document is neither searched nor sorted.")
    size = len(entries)
    if resource.paged:
        size = page_size_of(resource) if is_rehearsal else PAGE_SIZE
    first = (page - 1) * size
    if is_rehearsal and resource.redirects and first >= len(entries):
        return redirect(url_for("rehearsal.organization", segment=address.split("/")[1]))
    shown = entries[first : first + size]
    return result_xml(
        shown,
        len(entries),
        first,
        synthetic=current_store().synthetic,
        wrapper=resource.wrapper,
        beside=beside_records(resource, address) if is_rehearsal else "",
    )


def _nothing_at(address: str, *, is_of_project: bool) -> str:
    """Return why there is nothing at an address; of a project, which ones have such a document."""
    is_of_organizations = address == "orgs" or address.startswith("orgs/")
    if is_of_organizations and current_store().document("orgs") is None:
        return "This directory has accounts, projects and languages, and no organizations."
    _, _, collection = address.removeprefix("projects/").partition("/")
    others = current_store().projects_with(collection) if is_of_project else []
    if not others:
        return "There is nothing at this address."
    name = collection.rpartition("/")[2]
    shown = ", ".join(others[:_MOST_NAMED]) + (" and others" if len(others) > _MOST_NAMED else "")
    return f"The project is here, but without {name}. Projects that have these: {shown}."


def _is_empty(address: str, resource: Resource | None) -> bool:
    """Return whether a list of a project has no entries, and the project is there."""
    if resource is None or resource.collection != "enlistments":
        return False
    return current_store().record(PROJECT, address.split("/")[1]) is not None


def _result(fragments: list[str], *place: int) -> bytes:
    return result_xml(fragments, *place, synthetic=current_store().synthetic)


def _without_analysis(fragment: str) -> str:
    element = etree.fromstring(fragment)
    etree.strip_elements(element, "analysis", with_tail=False)
    return serialize(element)


def _healthz() -> Response:
    counts = ", ".join(f"{count} {name}" for name, count in current_store().counts.items())
    return Response(f"ok: {counts}\n", mimetype="text/plain")


def _fail(error: HTTPException) -> Response:
    """Return an error as XML or as a page."""
    response = current_app.make_response(error.get_response(request.environ))
    if _is_xml():
        response.data = failure_xml(error.description or error.name)
    else:
        response.data = render_template("error.html", error=error)
    return response


def _finish(response: Response) -> Response:
    response.headers.extend(_HEADERS)
    if _is_xml():
        response.mimetype = "application/xml"
        response.headers["Cache-Control"] = "private, no-cache"
        # For programs in a browser: a key in the URL and no cookie, so other sites gain nothing.
        response.headers["Access-Control-Allow-Origin"] = "*"
    # An old client of this interface reads the status from a header.
    response.headers["Status"] = response.status
    # Without parameters, keys and digests of e-mail addresses.
    path = request.environ.get("PATH_INFO", "")
    ACCESS_LOG.info(
        '%s %s "%s %s" %s %s',
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        quote(request.remote_addr or "-", safe=":."),
        quote(request.method),
        _SECRET.sub("…", quote(path, safe="/.", errors="replace", encoding="latin-1")),
        response.status_code,
        response.headers.get("Content-Length", "-"),
    )
    return response


def behind_proxy(app: WSGIApplication, trusted_proxy: str) -> WSGIApplication:
    """Apply the X-Forwarded headers of a proxy, an address or a network, and of nobody else."""
    try:
        # A number would be an address, too.
        trusted = ipaddress.ip_network(str(trusted_proxy), strict=False)
    except ValueError:
        raise ConfigurationError(
            f"The trusted proxy is {trusted_proxy!r}; it must be an IP address or a network, "
            "such as 127.0.0.1 or 10.0.0.0/8."
        ) from None
    forwarded = ProxyFix(app, x_for=1, x_proto=1, x_host=1, x_prefix=1)

    def wrapped(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        peer = ipaddress.ip_address(environ["REMOTE_ADDR"])
        peer = getattr(peer, "ipv4_mapped", None) or peer
        return (forwarded if peer in trusted else app)(environ, start)

    return wrapped
