"""The interface over HTTP: a WSGI application of five endpoints, with the pages beside them.

What the specification leaves open is decided here: a page past the end is an empty result; a
page that is no number from 1 on, an unknown sort and a query beyond its bounds are failures
(400); a spent quota is 429 with Retry-After; other methods than GET, HEAD and OPTIONS are 405
and are answered before the key is looked at.

Whether an answer is XML, and needs a key, is a matter of the view that answers, never of how the
address is spelt: every view of XML is registered with its check of the key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, Response, g, request
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    NotFound,
)

from dirframe.errors import InvalidInputError
from dirframe.schema import RESOURCES
from dirframe.service.dialects.dialects import SPECIFICATION, Rules
from dirframe.service.dialects.states import StatesFile
from dirframe.service.dialects.xml_writer import error_xml, failed_xml
from dirframe.service.web.html_views import create_pages, error_page
from dirframe.service.web.page_rate import PAGE_RATE, PageRate
from dirframe.service.web.representation import compress
from dirframe.service.web.validation import METHODS, check_request
from dirframe.service.web.xml_views import NOTHING, add_views

if TYPE_CHECKING:
    from dirframe.service.api_keys import KeyStore
    from dirframe.service.store.store import Store

__all__ = ["create_app"]

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
}

# Programs in a browser (a notebook, say) may read what needs a key in the address or nothing:
# no cookie and no login says who asks, so that another site learns nothing it could not ask itself.
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
    page_rate: int = PAGE_RATE,
    rules: Rules = SPECIFICATION,
    states: StatesFile | None = None,
) -> Flask:
    """Return the application that serves `store` to the holders of `keys`.

    Parameters
    ----------
    store
        The directory's records.
    keys
        Who may ask, and how often.
    page_rate
        HTML pages a minute for one client address; 0 is no limit.
    rules
        The dialect that it speaks.
    states
        Maintenance, and records that were deleted or disabled; None: everything is as usual.

    Returns
    -------
    flask.Flask
        A WSGI application for any server.
    """
    app = Flask(__name__)
    # A redirect to the tidy address would repeat the key in its Location.
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = False
    app.url_map.redirect_defaults = False
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    xml_endpoints = add_views(app, store, keys, rules, states or StatesFile(None))

    def is_xml() -> bool:
        return (request.endpoint or _answering_endpoint(app)) in xml_endpoints

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
        counts = ", ".join(f"{store.count(r)} {r.collection}" for r in RESOURCES.values())
        return Response(f"ok: {counts}\n", mimetype="text/plain")

    @app.after_request
    def finish(response: Response) -> Response:
        response.headers.extend(_HEADERS)
        if is_xml() or _answering_endpoint(app) == "healthz":
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
        for name, value in error.get_headers(request.environ):
            if name in {"Allow", "Retry-After", "Location"}:
                response.headers[name] = value
        if is_xml():
            response.mimetype = "application/xml"
            if error.code == 404:
                response.mimetype = rules.not_found_mimetype
            if error.code == 404 and rules.not_found is not None:
                error.description = rules.not_found.text
            document = error_xml if rules.bare_errors else failed_xml
            response.set_data(document(error.description or error.name))
        else:
            response.mimetype = "text/html"
            response.set_data(error_page(store, error))
        return response

    app.register_blueprint(create_pages(store, PageRate(page_rate)))
    return app


def _answering_endpoint(app: Flask) -> str | None:
    """Return the endpoint at the address, also where it does not answer this method."""
    if "endpoint" not in g:
        try:
            adapter = app.create_url_adapter(request)
            rule = adapter.match(method="GET") if adapter else None
        except HTTPException:
            rule = None
        g.endpoint = rule[0] if rule else None
    endpoint: str | None = g.endpoint
    return endpoint
