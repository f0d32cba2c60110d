"""The interface over HTTP: a WSGI application of five endpoints, with the pages beside them.

What the specification leaves open is decided here: a page past the end is an empty result; a
page that is no number from 1 on, an unknown sort and a query beyond its bounds are failures
(400); a spent allowance is 429 with Retry-After; other methods than GET and HEAD are 405 and
are answered before the key is looked at.

What stays out: HTML (`pages`), sockets and the access log (`server`).
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

from flask import Flask, Response, request
from werkzeug.exceptions import (
    BadRequest,
    Forbidden,
    HTTPException,
    MethodNotAllowed,
    NotFound,
    TooManyRequests,
)

from dirframe.errors import InvalidInputError
from dirframe.schema import ACCOUNT, PROJECT, RESOURCES, Resource
from dirframe.service.arguments import asked_page
from dirframe.service.pages import create_pages, error_page
from dirframe.service.writer import collection_xml, failed_xml, single_xml

if TYPE_CHECKING:
    from dirframe.service.keys import KeyStore
    from dirframe.service.store import Store

__all__ = ["create_app"]

#: The text that the specification gives for a request without a valid key.
KEY_REQUIRED = "A valid api_key is required to access this URL."

_MD5 = re.compile(r"[0-9a-fA-F]{32}")

_UNROUTED: dict[type[HTTPException], str] = {
    NotFound: "There is nothing at this address.",
    MethodNotAllowed: "The interface is read-only: it answers GET and HEAD.",
}

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
}


def create_app(store: Store, keys: KeyStore) -> Flask:
    """Return the application that serves `store` to the holders of `keys`.

    Parameters
    ----------
    store
        The directory's records.
    keys
        Who may ask, and how often.

    Returns
    -------
    flask.Flask
        A WSGI application for any server.
    """
    app = Flask(__name__)
    # A redirect to the tidy address would repeat the key in its Location.
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = False
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False

    @app.before_request
    def check_key() -> None:
        if _is_xml() and not isinstance(request.routing_exception, MethodNotAllowed):
            _check_key(keys)

    def collection(resource: Resource) -> Response:
        page = store.page(
            resource,
            query=request.args.get("query", ""),
            sort=request.args.get("sort"),
            page=asked_page(request.args),
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
        fragment = store.by_id(resource, segment)
        if fragment is None and resource is ACCOUNT and _MD5.fullmatch(segment):
            fragment = store.by_email_md5(segment)
        if fragment is None:
            raise NotFound(f"There is no such {resource.name}.")
        return _answer(single_xml(fragment, synthetic=store.synthetic))

    for resource in (ACCOUNT, PROJECT):
        path, facts = f"/{resource.collection}", {"resource": resource}
        app.add_url_rule(f"{path}.xml", f"{path}.xml", collection, defaults=facts)
        app.add_url_rule(f"{path}/<segment>.xml", f"{path}/*.xml", single, defaults=facts)

    @app.get("/healthz")
    def healthz() -> Response:
        counts = ", ".join(f"{store.count(r)} {r.collection}" for r in RESOURCES.values())
        return Response(f"ok: {counts}\n", mimetype="text/plain")

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.extend(_HEADERS)
        return response

    @app.errorhandler(InvalidInputError)
    def refuse(error: InvalidInputError) -> Response:
        return fail(BadRequest(str(error)))

    @app.errorhandler(HTTPException)
    def fail(error: HTTPException) -> Response:
        if error is request.routing_exception:
            error.description = _UNROUTED.get(type(error), error.description)
        response = Response(error.get_response().get_data(), status=error.code)
        for name, value in error.get_headers(request.environ):
            if name in {"Allow", "Retry-After", "Location"}:
                response.headers[name] = value
        if _is_xml():
            response.mimetype = "application/xml"
            response.set_data(failed_xml(error.description or error.name))
        else:
            response.mimetype = "text/html"
            response.set_data(error_page(store, error))
        return response

    app.register_blueprint(create_pages(store))
    return app


def _is_xml() -> bool:
    return request.path.endswith(".xml")


def _check_key(keys: KeyStore) -> None:
    decision = keys.count(request.args.get("api_key", ""))
    if not decision.known:
        raise Forbidden(KEY_REQUIRED)
    if not decision.allowed:
        raise TooManyRequests(
            "The daily limit of this api_key is used up. It is free again in "
            f"{decision.retry_after} seconds.",
            retry_after=decision.retry_after,
        )


def _answer(body: bytes) -> Response:
    response = Response(body, mimetype="application/xml")
    response.set_etag(blake2b(body, digest_size=16).hexdigest())
    # What a key may see is for its holder's cache alone, and is asked for again each time.
    response.headers["Cache-Control"] = "private, no-cache"
    return response.make_conditional(request)  # type: ignore[return-value]  # returns itself
