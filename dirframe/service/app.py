"""WSGI application of a directory: its XML, each response with a key and a count, and its pages."""

# A request comes from `server.py`, through `behind_proxy` if there is a proxy. `_charge_key` refuses or
# counts it. A view reads records from the store (`store.py`), and writes them as XML (`xml.py`). `_finish`
# adds headers, and writes the log. `_fail` makes XML or a page of an error.
#
# Extensions of the specification are marked as such in docs/serving.md and on the home page. Where the
# specification is silent: a page past the end is an empty result; an invalid page, an unknown sort and a
# query beyond its limits are failures (400); an exhausted quota is 429 with Retry-After; methods other
# than GET and HEAD are 405.

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
    send_file,
    url_for,
)
from lxml import etree
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    InternalServerError,
    ServiceUnavailable,
    TooManyRequests,
)
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.wrappers import Response as BaseResponse

from dirframe._printable import escaped
from dirframe.errors import ConfigurationError, InvalidInputError, StoreError
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT, Resource
from dirframe.service.keys import KeyStore, LimitReached, UnknownKey
from dirframe.service.pages import pages
from dirframe.service.read_xml import document_resource
from dirframe.service.records import serialize
from dirframe.service.rehearsal import (
    NO_ANALYSIS,
    TODAYS_PAGE_SIZE,
    beside_records,
    is_empty_list,
    is_searched,
    organizations_by_title,
    page_size_of,
    rehearsal,
    requested_ids,
    requested_page_size,
    search,
    with_organization,
)
from dirframe.service.site import Site
from dirframe.service.store import Store
from dirframe.service.xml import (
    current_store,
    failure_xml,
    list_request,
    request_arguments,
    result_xml,
)

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
_DOCUMENT_OF_PROJECT = re.compile("projects/(?P<project>[^/]+)/(?P<collection>.+)")
#: Documents that a project has only with an analysis.
_NEEDS_ANALYSIS = re.compile("contributors|analyses/.+")
#: What may be a key or the digest of an address.
_SECRET = re.compile(r"api_key.*|[0-9a-f]{32,}", re.IGNORECASE)

_CSV = "text/csv"

#: The XML of the interface, and CSV as an extension.
xml = Blueprint("xml", __name__)


def create_app(
    store: Store, keys: KeyStore, *, site: Site | None = None, analyses: bool = True
) -> Flask:
    """Create the application that serves `store` to clients with a key in `keys`.

    Without `analyses` it sends them on the own page of each project alone, and ten records a page; then
    collections of projects take `per_page` and `ids`, as today's live service does.
    """
    site = site or Site()
    app = Flask(__name__, static_folder=None)
    app.extensions |= {"store": store, "keys": keys}
    app.jinja_env.globals.update(site=site, store=store)
    app.config.update(
        PROVIDE_AUTOMATIC_OPTIONS=False,
        REHEARSAL=not analyses,
        PAGE_SIZE=PAGE_SIZE if analyses else TODAYS_PAGE_SIZE,
        ACCOUNTS_CSV=site.accounts_csv,
    )
    # A redirect to the canonical URL would repeat the key in its Location header.
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = False
    app.url_map.redirect_defaults = False
    app.before_request(_charge_key)
    app.after_request(_finish)
    app.register_error_handler(HTTPException, _fail)
    app.register_error_handler(InvalidInputError, lambda error: _fail(BadRequest(str(error))))
    app.register_error_handler(StoreError, _fail_unreadable)
    app.register_error_handler(etree.XMLSyntaxError, _fail_damaged)
    app.register_blueprint(xml)
    app.register_blueprint(pages)
    if not analyses:
        app.register_blueprint(rehearsal)
        app.extensions["organizations"] = organizations_by_title(store)
    app.add_url_rule("/healthz", view_func=_healthz)
    return app


# Each request to the interface has a key, and is counted


def _is_to_interface() -> bool:
    """Return whether a request is to the interface: by the address, also if nothing is there."""
    return request.blueprint == xml.name or request.path.rstrip("/").endswith(".xml")


def _charge_key() -> None:
    """Count a request to the interface, or refuse it."""
    if not _is_to_interface():
        return
    keys: KeyStore = current_app.extensions["keys"]
    try:
        charge = keys.charge(request_arguments().get("api_key", ""))
    except StoreError as error:  # the cause is not disclosed to clients
        _LOG.error("A request is not counted and answered with 503: %s", escaped(str(error)))
        text = "Requests cannot be counted at the moment. Try again later."
        raise ServiceUnavailable(text, retry_after=5) from error
    if isinstance(charge, UnknownKey):
        abort(403, "A valid api_key is required to access this URL.")
    if isinstance(charge, LimitReached):
        text = (
            f"The daily limit of this api_key is used up. It is free again in {charge.seconds} s."
        )
        raise TooManyRequests(text, retry_after=charge.seconds)


# What the interface returns


def _is_rehearsal() -> bool:
    """Return whether the directory is like today's live service."""
    return bool(current_app.config["REHEARSAL"])


@xml.get("/accounts.xml", defaults={"resource": ACCOUNT})
@xml.get("/projects.xml", defaults={"resource": PROJECT})
def collection(resource: Resource) -> bytes:
    """Return a page of accounts or projects."""
    query, sort, number = list_request()
    if _is_rehearsal():
        return _todays_collection(resource, query, sort, number)
    store = current_store()
    page = store.page(resource, query, sort, number)
    return result_xml(page.fragments, page.available, page.first, synthetic=store.synthetic)


def _todays_collection(resource: Resource, query: str, sort: str, number: int) -> bytes:
    """Return a page of accounts or projects as today's live service has it, without analyses."""
    store = current_store()
    size = TODAYS_PAGE_SIZE
    ids: list[str] = []
    if resource is PROJECT:
        size = requested_page_size()
        ids = requested_ids()
    if ids:
        page = store.page_of_ids(resource, ids, number, size)
    else:
        page = store.page(resource, query, sort, number, size)
    fragments = [_without_analysis(fragment) for fragment in page.fragments]
    fragments = _with_organizations(resource, fragments)
    return result_xml(fragments, page.available, page.first, synthetic=store.synthetic)


@xml.get("/accounts/<segment>.xml", defaults={"resource": ACCOUNT})
@xml.get("/p/<segment>.xml", defaults={"resource": PROJECT})
@xml.get("/projects/<segment>.xml", defaults={"resource": PROJECT})
def single(resource: Resource, segment: str) -> bytes:
    """Return a record by its id or its name, or an account by the MD5 of its e-mail address."""
    store = current_store()
    fragment = store.record(resource, segment)
    if fragment is None and resource is ACCOUNT:
        fragment = store.account_with_email(segment)
    if fragment is None and resource is PROJECT and _is_rehearsal():
        fragment = store.record_titled(resource, segment)  # as most short names of today are
    if fragment is None:
        abort(404, f"There is no such {resource.name}.")
    return result_xml(_with_organizations(resource, [fragment]), synthetic=store.synthetic)


@xml.get("/accounts.csv", defaults={"resource": ACCOUNT})
@xml.get("/projects.csv", defaults={"resource": PROJECT})
def download(resource: Resource) -> Response:
    """Return a whole collection as CSV, an extension: accounts only if the operator offers them."""
    if _is_rehearsal():
        abort(404, "There is nothing at this address.")
    if resource is ACCOUNT and not current_app.config["ACCOUNTS_CSV"]:
        abort(404, "This directory does not offer its accounts as CSV.")
    path = current_store().csv_file(resource)
    if path is None:
        raise ServiceUnavailable("The file is being written. Try again.", retry_after=5)
    name = resource.collection
    if current_store().synthetic:
        name = f"synthetic-{name}"
    return send_file(
        path, _CSV, as_attachment=True, download_name=f"{name}.csv", conditional=False, etag=False
    )


@xml.get("/orgs/<segment>.xml")
def organization(segment: str) -> bytes | BaseResponse:
    """Return an organization, whose page for people has a similar address."""
    return document(f"orgs/{segment}")


@xml.get("/<path:name>.xml")
def document(name: str) -> bytes | BaseResponse:
    """Return a stored document, such as the languages, or a page of it if it has pages."""
    # What is below /projects/ is also below /p/, as today.
    address = re.sub("^p/", "projects/", name)
    if _is_rehearsal():
        return _todays_document(address)
    resource = document_resource(address)
    store = current_store()
    entries = store.document(address)
    if entries is None or resource is None:
        abort(404, _why_nothing_is_at(address))
    query, sort, page = list_request()
    _check_unsearched(resource, query, sort)
    size = PAGE_SIZE if resource.paged else len(entries)
    first = (page - 1) * size
    shown = entries[first : first + size]
    return result_xml(
        shown, len(entries), first, synthetic=store.synthetic, wrapper=resource.wrapper
    )


def _todays_document(address: str) -> bytes | BaseResponse:
    """Return a stored document as today's live service has it."""
    resource = document_resource(address)
    store = current_store()
    entries = store.document(address)
    if entries is None and is_empty_list(store, address, resource):
        entries = []
    if entries is None or resource is None:
        if _is_of_unanalysed_project(address):
            return failure_xml(NO_ANALYSIS, status="error", element="message")
        abort(404, _why_nothing_is_at(address))
    query, sort, page = list_request()
    if resource.collection == "orgs" and address != "orgs":  # a single organization
        return result_xml(entries, synthetic=store.synthetic)
    if is_searched(resource):
        entries = search(resource, entries, query, sort)
    else:
        _check_unsearched(resource, query, sort)
    size = page_size_of(resource) if resource.paged else len(entries)
    first = (page - 1) * size
    if resource.redirects and first >= len(entries):
        return redirect(url_for("rehearsal.organization", segment=address.split("/")[1]))
    return result_xml(
        entries[first : first + size],
        len(entries),
        first,
        synthetic=store.synthetic,
        wrapper=resource.wrapper,
        beside=beside_records(resource, address),
    )


def _check_unsearched(resource: Resource, query: str, sort: str) -> None:
    if query or sort not in {"", resource.default_sort}:
        raise InvalidInputError("This document is neither searched nor sorted.")


def _is_of_unanalysed_project(address: str) -> bool:
    """Return whether an address is that of a document that its project has not, for want of an analysis."""
    match = _DOCUMENT_OF_PROJECT.fullmatch(address)
    if match is None or not _NEEDS_ANALYSIS.fullmatch(match["collection"]):
        return False
    project = current_store().record(PROJECT, match["project"])
    return project is not None and etree.fromstring(project).find("analysis/*") is None


def _why_nothing_is_at(address: str) -> str:
    """Return why there is nothing at an address; of a project, which ones have such a document."""
    if _is_of_unanalysed_project(address):
        return f"{NO_ANALYSIS}: this project has not been analysed."
    if address.partition("/")[0] == "orgs":
        organizations = current_store().document("orgs")
        if organizations is None:
            return "This directory has no organizations."
        names = [etree.fromstring(xml).findtext("url_name") or "" for xml in organizations]
        if address.partition("/")[2].partition("/")[0] not in names:
            return (
                f"There is no such organization. Organizations: {', '.join(names[:_MOST_NAMED])}."
            )
    match = _DOCUMENT_OF_PROJECT.fullmatch(address)
    if match is None or current_store().record(PROJECT, match["project"]) is None:
        return "There is nothing at this address."
    others = current_store().projects_with(match["collection"])
    name = match["collection"].rpartition("/")[2]
    if not others:
        return f"This directory has no {name} of projects."
    shown = ", ".join(others[:_MOST_NAMED])
    if len(others) > _MOST_NAMED:
        shown += " and others"
    return f"The project is here, but without {name}. Projects that have these: {shown}."


def _with_organizations(resource: Resource, fragments: list[str]) -> list[str]:
    """Return projects of a rehearsal with their organizations, as today's live service sends them."""
    organizations = current_app.extensions.get("organizations")
    if organizations is None or resource is not PROJECT:
        return fragments
    return [with_organization(fragment, organizations) for fragment in fragments]


def _without_analysis(fragment: str) -> str:
    element = etree.fromstring(fragment)
    etree.strip_elements(element, "analysis", with_tail=False)
    return serialize(element)


# Errors, headers and the log


def _healthz() -> Response:
    """Say that records can be read, and how many there are."""
    current_store().check()
    counts = ", ".join(f"{count} {name}" for name, count in current_store().counts.items())
    return Response(f"ok: {counts}\n", mimetype="text/plain")


def _fail(error: HTTPException) -> Response:
    """Return an error as XML or as a page."""
    response = current_app.make_response(error.get_response(request.environ))
    if _is_to_interface():
        response.data = failure_xml(error.description or error.name)
    else:
        response.data = render_template("error.html", error=error)
    return response


def _fail_unreadable(error: Exception) -> Response:
    """Return a failure of the store, whose cause the log has."""
    _LOG.error("A request failed. %s", escaped(str(error)))
    text = "The directory could not answer this request; the log of the service says why."
    return _fail(InternalServerError(text))


def _fail_damaged(error: etree.XMLSyntaxError) -> Response:
    """Return a failure of a record that is no XML any more."""
    path = current_store().path
    return _fail_unreadable(StoreError(f"The store {path} holds a damaged record: {error}."))


def _finish(response: Response) -> Response:
    """Add the headers of each response, and write it to the log."""
    response.headers.extend(_HEADERS)
    if _is_to_interface():
        if response.mimetype != _CSV:
            response.mimetype = "application/xml"
        response.headers["Cache-Control"] = "private, no-cache"
        # For programs in a browser: a key in the URL and no cookie, so other sites gain nothing.
        response.headers["Access-Control-Allow-Origin"] = "*"
    # An old client of this interface reads the status from a header.
    response.headers["Status"] = response.status
    _log_access(response)
    return response


def _log_access(response: Response) -> None:
    """Write a request to the log, without parameters, keys and digests of e-mail addresses."""
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


def behind_proxy(app: WSGIApplication, trusted_proxy: str) -> WSGIApplication:
    """Apply X-Forwarded-For and -Prefix of a proxy, an address or a network, and of nobody else."""
    try:
        # A number would be an address, too.
        trusted = ipaddress.ip_network(str(trusted_proxy), strict=False)
    except ValueError:
        raise ConfigurationError(
            f"The trusted proxy is {trusted_proxy!r}; it must be an IP address or a network, "
            "such as 127.0.0.1 or 10.0.0.0/8."
        ) from None
    # Links are paths, so neither scheme nor host is needed.
    forwarded = ProxyFix(app, x_for=1, x_proto=0, x_host=0, x_prefix=1)

    def wrapped(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        peer = ipaddress.ip_address(environ["REMOTE_ADDR"])
        peer = getattr(peer, "ipv4_mapped", None) or peer
        return (forwarded if peer in trusted else app)(environ, start)

    return wrapped
