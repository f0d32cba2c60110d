"""WSGI application of the service: the endpoints as XML and JSON, and the web pages."""

# Where the specification is silent: a page past the end is an empty result; an invalid page, an
# unknown sort and a query beyond its limits are failures (400); an exhausted quota is 429 with
# Retry-After; methods other than GET, HEAD and OPTIONS are 405, before the key is checked.
#
# The view, not the spelling of the URL, determines whether a response is XML or JSON and needs a
# key: every such view is registered with the key check.

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, Response, g, request
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    NotFound,
)

from dirframe.errors import InvalidInputError
from dirframe.service.dialects.dialects import SPECIFICATION, Rules
from dirframe.service.dialects.json_writer import json_document
from dirframe.service.dialects.states import StatesFile
from dirframe.service.dialects.xml_writer import failed_xml
from dirframe.service.web.html_views import create_pages, error_page
from dirframe.service.web.metrics import VIEW
from dirframe.service.web.page_rate import PAGE_RATE, PageRate
from dirframe.service.web.representation import compress
from dirframe.service.web.validation import METHODS, check_request
from dirframe.service.web.xml_views import NOTHING, add_views

if TYPE_CHECKING:
    from dirframe.service.api_keys import KeyStore
    from dirframe.service.store.store import Store


#: Name of a site that has none.
SITE_NAME = "Open source directory"

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
}

# Any origin is allowed, for browser-based programs such as notebooks: authentication is by a key
# in the URL and never by cookies, so that other sites gain nothing.
_SHARED = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Retry-After",
}
_PREFLIGHT = {
    "Access-Control-Allow-Methods": ", ".join(METHODS),
    "Access-Control-Allow-Headers": "*",
    "Access-Control-Max-Age": "86400",
}


def create_app(
    store: Store,
    keys: KeyStore,
    *,
    page_rate: PageRate | None = None,
    rules: Rules = SPECIFICATION,
    states: StatesFile | None = None,
    name: str = SITE_NAME,
) -> Flask:
    """Create the application that serves `store` to clients with a key in `keys`.

    Parameters
    ----------
    store
        Records of the directory.
    keys
        API keys and quotas.
    page_rate
        Rate limit of HTML pages; None for a limit of `PAGE_RATE`.
    rules
        Dialect of the XML.
    states
        Maintenance, and deleted or disabled records; None for the default states.
    name
        Name of the site.

    Returns
    -------
    flask.Flask
        The WSGI application.
    """
    app = Flask(__name__)
    # A redirect to the canonical URL would repeat the key in its Location header.
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = False
    app.url_map.redirect_defaults = False
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.jinja_env.globals["site_name"] = name
    endpoints = add_views(app, store, keys, rules, states or StatesFile(None), name=name)

    def view() -> str:
        return request.endpoint or _answering_endpoint(app) or ""

    @app.before_request
    def check() -> Response | None:
        check_request(request.environ)
        if request.method != "OPTIONS":
            return None
        if request.environ["PATH_INFO"] != "*" and _answering_endpoint(app) is None:
            return None
        response = Response(status=204, headers={"Allow": ", ".join(METHODS)})
        del response.headers["Content-Type"]
        return response

    @app.get("/healthz")
    def healthz() -> Response:
        counts = ", ".join(f"{count} {name}" for name, count in store.counts().items())
        return Response(f"ok: {counts}\n", mimetype="text/plain")

    @app.after_request
    def finish(response: Response) -> Response:
        response.headers.extend(_HEADERS)
        request.environ[VIEW] = view()
        if view() in endpoints or view() == "healthz":
            response.headers.extend(_SHARED)
            if request.method == "OPTIONS":
                response.headers.extend(_PREFLIGHT)
        if response.mimetype == "text/html":
            compress(response, request)
        return response

    @app.errorhandler(InvalidInputError)
    def refuse(error: InvalidInputError) -> Response:
        return fail(BadRequest(str(error)))

    @app.errorhandler(HTTPException)
    def fail(error: HTTPException) -> Response:
        if isinstance(error, NotFound) and error is request.routing_exception:
            error.description = NOTHING
        response = Response(error.get_response().get_data(), status=error.code)
        for header, value in error.get_headers(request.environ):
            if header in {"Allow", "Retry-After", "Location"}:
                response.headers[header] = value
        if view() in endpoints:
            response.mimetype = "application/xml"
            if error.code == 404:
                response.mimetype = rules.not_found_mimetype
            if error.code == 404 and rules.not_found is not None:
                error.description = rules.not_found.text
            body = failed_xml(error.description or error.name, bare=rules.bare_errors)
            if endpoints[view()]:
                response.mimetype = "application/json"
                body = json_document(body)
            response.set_data(body)
        else:
            response.mimetype = "text/html"
            response.set_data(error_page(store, error))
        return response

    app.register_blueprint(create_pages(store, page_rate or PageRate(PAGE_RATE)))
    return app


def _answering_endpoint(app: Flask) -> str | None:
    """Return the endpoint of the URL, even if it does not support the method."""
    if "endpoint" not in g:
        try:
            adapter = app.create_url_adapter(request)
            rule = adapter.match(method="GET") if adapter else None
        except HTTPException:
            rule = None
        g.endpoint = rule[0] if rule else None
    endpoint: str | None = g.endpoint
    return endpoint
