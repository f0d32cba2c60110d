"""The interface over HTTP: a WSGI application of five endpoints, with the pages beside them.

What the specification leaves open is decided here: a page past the end is an empty result; a
page that is no number from 1 on, an unknown sort and a query beyond its bounds are failures
(400); a spent allowance is 429 with Retry-After; other methods than GET, HEAD and OPTIONS are 405
and are answered before the key is looked at.

Whether an answer is XML, and needs a key, is a matter of the view that answers, never of how the
address is spelt: every view of XML is registered with its check of the key.

What stays out: HTML (`pages`), sockets and the access log (`server`).
"""

from __future__ import annotations

import re
from functools import wraps
from typing import TYPE_CHECKING

from flask import Flask, Response, g, request
from werkzeug.exceptions import (
    BadRequest,
    Forbidden,
    HTTPException,
    NotFound,
    TooManyRequests,
)

from dirframe.errors import InvalidInputError
from dirframe.schema import ACCOUNT, PROJECT, RESOURCES, Resource
from dirframe.service.arguments import parse_arguments, requested_page, requested_query
from dirframe.service.page_rate import PAGE_RATE, PageRate
from dirframe.service.pages import create_pages, error_page
from dirframe.service.representation import compress, conditional
from dirframe.service.validation import METHODS, check_request
from dirframe.service.writer import collection_xml, failed_xml, single_xml

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.service.keys import KeyStore
    from dirframe.service.store import Store

__all__ = ["create_app"]

#: The text that the specification gives for a request without a valid key.
KEY_REQUIRED = "A valid api_key is required to access this URL."

_NOTHING = "There is nothing at this address."

_MD5 = re.compile(r"[0-9a-fA-F]{32}")

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


def create_app(store: Store, keys: KeyStore, *, page_rate: int = PAGE_RATE) -> Flask:
    """Return the application that serves `store` to the holders of `keys`.

    Parameters
    ----------
    store
        The directory's records.
    keys
        Who may ask, and how often.
    page_rate
        HTML pages a minute for one client address; 0 is no limit.

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
    xml_endpoints = _add_xml(app, store, keys)

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
            error.description = _NOTHING
        response = Response(error.get_response().get_data(), status=error.code)
        for name, value in error.get_headers(request.environ):
            if name in {"Allow", "Retry-After", "Location"}:
                response.headers[name] = value
        if is_xml():
            response.mimetype = "application/xml"
            response.set_data(failed_xml(error.description or error.name))
        else:
            response.mimetype = "text/html"
            response.set_data(error_page(store, error))
        return response

    app.register_blueprint(create_pages(store, PageRate(page_rate)))
    return app


def _add_xml(app: Flask, store: Store, keys: KeyStore) -> set[str]:
    """Add the views of XML, each behind the check of the key, and return their endpoints."""
    xml_endpoints: set[str] = set()

    def add_xml(
        rule: str, endpoint: str, view: Callable[..., Response], **defaults: object
    ) -> None:
        @wraps(view)
        def with_key(**arguments: object) -> Response:
            _check_key(keys)
            return view(**arguments)

        app.add_url_rule(rule, endpoint, with_key, defaults=defaults)
        xml_endpoints.add(endpoint)

    def collection(resource: Resource) -> Response:
        arguments = _arguments()
        page = store.page(
            resource,
            query=requested_query(arguments),
            sort=arguments.get("sort"),
            page=requested_page(arguments),
        )
        return _answer(
            collection_xml(
                page.fragments,
                available=page.available,
                first=page.first,
                synthetic=store.synthetic,
            )
        )

    def single(resource: Resource, segment: str) -> Response:
        fragment = store.by_segment(resource, segment)
        if fragment is None and resource is ACCOUNT and _MD5.fullmatch(segment):
            fragment = store.by_email_md5(segment)
        if fragment is None:
            raise NotFound(f"There is no such {resource.name}.")
        return _answer(single_xml(fragment, synthetic=store.synthetic))

    for resource in (ACCOUNT, PROJECT):
        path, endpoint = f"/{resource.collection}", f"{resource.name}_xml"
        add_xml(f"{path}.xml", f"{resource.collection}_xml", collection, resource=resource)
        add_xml(f"{path}/<segment>.xml", endpoint, single, resource=resource)
        add_xml(f"{path}/.xml", f"no_{endpoint}", single, resource=resource, segment="")
    # Today's services call a project so.
    add_xml("/p/<segment>.xml", "p_xml", single, resource=PROJECT)
    add_xml("/p/.xml", "no_p_xml", single, resource=PROJECT, segment="")
    # The least specific of the rules: whatever else is asked for as XML.
    add_xml("/<path:address>.xml", "no_xml", _nothing)
    return xml_endpoints


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


def _arguments() -> dict[str, str]:
    return parse_arguments(request.environ.get("QUERY_STRING", ""))


def _nothing(address: str) -> Response:  # noqa: ARG001  # Flask names it
    raise NotFound(_NOTHING)


def _check_key(keys: KeyStore) -> None:
    decision = keys.count(_arguments().get("api_key", ""))
    if not decision.known:
        raise Forbidden(KEY_REQUIRED)
    if not decision.allowed:
        raise TooManyRequests(
            "The daily limit of this api_key is used up. It is free again in "
            f"{decision.retry_after} seconds.",
            retry_after=decision.retry_after,
        )


def _answer(body: bytes) -> Response:
    response = conditional(body, request, mimetype="application/xml")
    # What a key may see is for its holder's cache alone, and is asked for again each time.
    response.headers["Cache-Control"] = "private, no-cache"
    return response
