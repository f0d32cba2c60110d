"""WSGI application of a directory: its XML, each response with a key and a count, and its pages."""

# Where the specification is silent: a page past the end is an empty result; an invalid page, an
# unknown sort and a query beyond its limits are failures (400); an exhausted quota is 429 with
# Retry-After; methods other than GET and HEAD are 405, before the key is checked.

from __future__ import annotations

import ipaddress
import logging
import re
import time
from functools import partial
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote, urlencode

from flask import Flask, Response, g, request
from lxml import etree
from werkzeug.exceptions import (
    BadRequest,
    Forbidden,
    HTTPException,
    NotFound,
    ServiceUnavailable,
    TooManyRequests,
)
from werkzeug.middleware.proxy_fix import ProxyFix

from dirframe.errors import ConfigurationError, InvalidInputError, StoreError
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT, Resource
from dirframe.schema.extensions import CONTRIBUTOR_FACT, LANGUAGE
from dirframe.service.pages import (
    create_pages,
    error_page,
    parse_arguments,
    request_arguments,
    requested_page,
    requested_query,
)
from dirframe.service.records import fold
from dirframe.service.xml import collection_xml, message_xml, single_xml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from dirframe.service.keys import KeyStore
    from dirframe.service.store import Store

#: Name of a site that has none.
SITE_NAME = "Open source directory"
#: Error text of the specification for a request without a valid key.
KEY_REQUIRED = "A valid api_key is required to access this URL."
ACCESS_LOG = logging.getLogger("dirframe.service.access")
_LOG = logging.getLogger("dirframe.service")

_NOTHING = "There is nothing at this address."
#: Records in a page of a directory that sends analyses on own pages alone, as today's does.
_SHORT_PAGE = 10
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
}
_MD5 = re.compile(r"[0-9a-fA-F]{32}")
#: Only known parameters are logged: a misspelt parameter name may carry a key.
_LOGGED = ("query", "sort", "page")
_SECRET = re.compile(r"[0-9a-f]{32,}", re.IGNORECASE)

#: Documents that are sorted, searched and paged: their schema and the element with the name.
_NAMED = {
    LANGUAGE.collection: (LANGUAGE, "nice_name"),
    CONTRIBUTOR_FACT.collection: (CONTRIBUTOR_FACT, "contributor_name"),
}
#: Elements by which their entries are sorted, by sort; numbers from the largest.
_TIMES = {
    "oldest": "first_commit_time",
    "newest": "first_commit_time",
    "latest_commit": "last_commit_time",
}
_NUMBERS = ("code", "projects", "comment_ratio", "contributors", "commits")


def create_app(
    store: Store, keys: KeyStore, *, name: str = SITE_NAME, analyses: bool = True
) -> Flask:
    """Create the application that serves `store` to clients with a key in `keys`.

    Without `analyses` it sends them on the own page of each project alone, and ten records a page.
    """
    app = Flask(__name__)
    # A redirect to the canonical URL would repeat the key in its Location header.
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = False
    app.url_map.redirect_defaults = False
    app.jinja_env.globals["site_name"] = name
    views = _Views(store, analyses=analyses)

    def add_xml(rule: str, view: Callable[..., bytes], **defaults: object) -> None:
        def respond(**values: object) -> Response:
            _check_key(keys)
            response = Response(view(**values), mimetype="application/xml")
            response.headers["Cache-Control"] = "private, no-cache"
            return response

        app.add_url_rule(rule, f"xml {rule}", respond, defaults=defaults)

    for resource in (ACCOUNT, PROJECT):
        add_xml(f"/{resource.collection}.xml", views.collection, resource=resource)
        add_xml(f"/{resource.collection}/<segment>.xml", views.single, resource=resource)
    add_xml("/p/<segment>.xml", views.single, resource=PROJECT)
    for path in ("/projects", "/p"):  # the second is that of today's directories
        facts, analysis = "contributors", f"{path}/<segment>/analyses/<analysis>"
        add_xml(f"{path}/<segment>/{facts}.xml", views.entries, kind=facts)
        add_xml(f"{path}/<segment>/{facts}/<identifier>.xml", views.entry, kind=facts)
        add_xml(f"{analysis}.xml", views.analysis)
        for facts in ("activity_facts", "size_facts"):
            add_xml(f"{analysis}/{facts}.xml", views.entries, kind=facts)
    add_xml("/languages.xml", views.entries, kind=LANGUAGE.collection)
    add_xml("/languages/<identifier>.xml", views.entry, kind=LANGUAGE.collection)
    add_xml("/<path:address>.xml", _raise_not_found)  # least specific: all other addresses

    @app.before_request
    def begin() -> None:
        g.begin = time.perf_counter()
        host, version = (request.environ.get(n, "") for n in ("HTTP_HOST", "SERVER_PROTOCOL"))
        if "," in host or (not host and version != "HTTP/1.0"):  # several are joined by commas
            raise BadRequest("A request has one Host header.")

    @app.get("/healthz")
    def healthz() -> Response:
        counts = ", ".join(f"{count} {name}" for name, count in store.counts.items())
        return Response(f"ok: {counts}\n", mimetype="text/plain")

    @app.after_request
    def finish(response: Response) -> Response:
        response.headers.extend(_HEADERS)
        if _is_xml() or request.path == "/healthz":
            # For programs in a browser: a key in the URL and no cookie, so other sites gain nothing.
            response.headers["Access-Control-Allow-Origin"] = "*"
        # An old client of this interface reads the status from a header.
        response.headers["Status"] = response.status
        _log(response)
        return response

    @app.errorhandler(InvalidInputError)
    def refuse(error: InvalidInputError) -> Response:
        return fail(BadRequest(str(error)))

    @app.errorhandler(HTTPException)
    def fail(error: HTTPException) -> Response:
        if isinstance(error, NotFound) and error is request.routing_exception:
            error.description = _NOTHING
        kept = {"Allow", "Retry-After"}
        headers = [pair for pair in error.get_headers(request.environ) if pair[0] in kept]
        is_xml = _is_xml()
        text = error.description or error.name
        body = message_xml(status="failed", error=text) if is_xml else error_page(store, error)
        mimetype = "application/xml" if is_xml else "text/html"
        return Response(body, error.code, headers, mimetype=mimetype)

    app.register_blueprint(create_pages(store))
    return app


class _Views:
    """XML documents of a store."""

    def __init__(self, store: Store, *, analyses: bool) -> None:
        self.store = store
        self.analyses = analyses
        self.page_size = PAGE_SIZE if analyses else _SHORT_PAGE
        self.page = partial(collection_xml, synthetic=store.synthetic)
        self.record = partial(single_xml, synthetic=store.synthetic)

    def collection(self, resource: Resource) -> bytes:
        """Return a page of accounts or projects."""
        arguments = request_arguments()
        page = self.store.page(
            resource,
            query=requested_query(arguments),
            sort=arguments.get("sort"),
            page=requested_page(arguments),
            page_size=self.page_size,
        )
        fragments = page.fragments
        if not self.analyses:
            fragments = [_without_analysis(fragment) for fragment in fragments]
        return self.page(fragments, available=page.available, first=page.first)

    def single(self, resource: Resource, segment: str) -> bytes:
        """Return a record by its id or its name, or an account by the MD5 of its e-mail address."""
        fragment = self.store.by_segment(resource, segment)
        if fragment is None and resource is ACCOUNT and _MD5.fullmatch(segment):
            fragment = self.store.by_email_md5(segment)
        if fragment is None:
            raise NotFound(f"There is no such {resource.name}.")
        return self.record(fragment)

    def analysis(self, segment: str, analysis: str) -> bytes:
        """Return the analysis of a project; of one without, what today's directories send."""
        _, found = self._analysis(segment, analysis)
        if found is None:
            return message_xml(status="error", message="Code analysis is not available")
        xml = etree.tostring(found, encoding="unicode", with_tail=False)
        return self.record(f"{xml}\n")

    def entries(self, kind: str, segment: str = "", analysis: str = "latest") -> bytes:
        """Return a stored document: languages of the directory, or facts of a project."""
        entries = self._entries(kind, segment, analysis)
        if kind not in _NAMED:
            return self.page(entries, available=len(entries))  # all months
        resource, named = _NAMED[kind]
        arguments = request_arguments()
        sort = arguments.get("sort") or resource.default_sort
        known = {"name", *_TIMES, *_NUMBERS}.intersection(resource.other_sorts)
        if sort not in (known := known | {resource.default_sort}):
            raise InvalidInputError(
                f"There is no sort {sort[:50]!r} here; there are {', '.join(sorted(known))}."
            )
        words = fold(requested_query(arguments)).split()
        texts = [(etree.fromstring(entry).findtext, entry) for entry in entries]
        texts = [pair for pair in texts if all(w in fold(pair[0](named) or "") for w in words)]
        if sort in _NUMBERS:
            texts.sort(key=lambda pair: float(pair[0](sort) or 0), reverse=True)
        elif sort in _TIMES:
            texts.sort(key=lambda pair: pair[0](_TIMES[sort]) or "", reverse=sort != "oldest")
        elif sort == "name":
            texts.sort(key=lambda pair: fold(pair[0](named) or ""))
        first = (requested_page(arguments) - 1) * self.page_size
        selected = [entry for _, entry in texts[first : first + self.page_size]]
        return self.page(selected, available=len(texts), first=first)

    def entry(self, kind: str, identifier: str, segment: str = "") -> bytes:
        """Return one language, or one contributor of a project."""
        ids = ("id", "name", "contributor_id")
        for entry in self._entries(kind, segment, "latest"):
            element = etree.fromstring(entry)
            if any(element.findtext(name) == identifier for name in ids):
                return self.record(entry)
        raise NotFound(_NOTHING)

    def _entries(self, kind: str, segment: str, analysis: str) -> list[str]:
        owner = ""
        if segment:
            owner, _ = self._analysis(segment, analysis)
        if (entries := self.store.entries(kind, owner)) is None:
            raise NotFound(f"This directory does not hold these {kind.replace('_', ' ')}.")
        return entries

    def _analysis(self, segment: str, analysis: str) -> tuple[str, etree._Element | None]:
        """Return the id of a project and its analysis, which is the latest one."""
        fragment = self.store.by_segment(PROJECT, segment)
        if fragment is None:
            raise NotFound("There is no such project.")
        project = etree.fromstring(fragment)
        found = project.find("analysis")
        known = {"latest", None if found is None else found.findtext("id")}
        if found is not None and analysis not in known:
            raise NotFound("There is no such analysis of this project; the current one is latest.")
        return project.findtext("id") or "", found


def _raise_not_found(**_: object) -> NoReturn:
    raise NotFound(_NOTHING)


def _without_analysis(fragment: str) -> str:
    element = etree.fromstring(fragment)
    etree.strip_elements(element, "analysis", with_tail=False)
    return etree.tostring(element, encoding="unicode") + "\n"


def _is_xml() -> bool:
    """Return whether an error of this request is XML, by its address."""
    return request.path.rstrip("/").endswith(".xml")


def _check_key(keys: KeyStore) -> None:
    try:
        decision = keys.charge(request_arguments().get("api_key", ""))
    except StoreError as error:  # the cause is not disclosed to clients
        _LOG.error("A request is not counted and answered with 503: %s", error)
        text = "Requests cannot be counted at the moment. Try again later."
        raise ServiceUnavailable(text, retry_after=5) from error
    if not decision.known:
        raise Forbidden(KEY_REQUIRED)
    if not decision.allowed:
        wait = decision.retry_after
        text = f"The daily limit of this api_key is used up. It is free again in {wait} seconds."
        raise TooManyRequests(text, retry_after=wait)


def _log(response: Response) -> None:
    """Log the request on one line, without keys and digests of e-mail addresses."""
    if not ACCESS_LOG.isEnabledFor(logging.INFO):
        return
    path, query = (request.environ.get(name, "") for name in ("PATH_INFO", "QUERY_STRING"))
    arguments = parse_arguments(query)
    shown = {name: arguments[name] for name in _LOGGED if arguments.get(name)}
    target = quote(path, safe="/.", errors="replace", encoding="latin-1")
    target = re.sub(r"api_key.*", "api_key…", target, flags=re.IGNORECASE)
    ACCESS_LOG.info(
        '%s %s "%s %s" %s %s %.1f ms',
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        request.remote_addr or "-",
        quote(request.method),
        _SECRET.sub("…", target + (f"?{urlencode(shown)}" if shown else "")),
        response.status_code,
        response.headers.get("Content-Length", "-"),
        (time.perf_counter() - g.begin) * 1000,
    )


def behind_proxy(app: WSGIApplication, trusted_proxy: str | None) -> WSGIApplication:
    """Apply the X-Forwarded headers of a proxy, an address or a network, and of nobody else."""
    if trusted_proxy is None:
        return app
    try:
        trusted = ipaddress.ip_network(trusted_proxy, strict=False)
    except ValueError:
        raise ConfigurationError(
            f"The trusted proxy is {trusted_proxy!r}; it must be an IP address or a network, "
            "such as 127.0.0.1 or 10.0.0.0/8."
        ) from None

    def restored(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if _address(environ["REMOTE_ADDR"]) is None:  # the proxy sent no address
            environ["REMOTE_ADDR"] = environ["werkzeug.proxy_fix.orig"]["REMOTE_ADDR"]
        return app(environ, start)

    forwarded = ProxyFix(restored, x_for=1, x_proto=1, x_host=1, x_prefix=1)

    def wrapped(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        peer = _address(environ.get("REMOTE_ADDR", ""))
        return (forwarded if peer is not None and peer in trusted else app)(environ, start)

    return wrapped


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address, an IPv4 one also if it is written as IPv6, or None."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
