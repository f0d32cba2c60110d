"""How an answer is sent: compressed or not, and not at all where the client has it already."""

from __future__ import annotations

import gzip
from hashlib import blake2b
from typing import TYPE_CHECKING

from flask import Response
from werkzeug.exceptions import PreconditionFailed

if TYPE_CHECKING:
    from flask import Request

__all__ = ["compress", "conditional"]

#: Bytes below which compression saves no packet.
_SMALLEST = 1_400

# Level 1 takes a third of the time of level 6 and leaves a few percent more to send.
_LEVEL = 1


def compress(response: Response, request: Request) -> Response:
    """Compress the body of `response` if that pays and the client accepts it.

    Parameters
    ----------
    response
        An answer with its whole body.
    request
        Whose Accept-Encoding is heard.

    Returns
    -------
    flask.Response
        `response`; its Vary says that it depends on Accept-Encoding.
    """
    response.vary.add("Accept-Encoding")
    if "Content-Encoding" not in response.headers and _prefers_gzip(request):
        body = response.get_data()
        if len(body) >= _SMALLEST:
            # Without a time, so that the same body gives the same bytes.
            response.set_data(gzip.compress(body, _LEVEL, mtime=0))
            response.headers["Content-Encoding"] = "gzip"
    return response


def conditional(body: bytes, request: Request, *, mimetype: str) -> Response:
    """Return the answer to a request that may have conditions (RFC 9110, section 13).

    Parameters
    ----------
    body
        The whole body, not compressed.
    request
        Whose If-Match and If-None-Match are heard. There are no times of change to compare,
        so If-Unmodified-Since and If-Modified-Since say nothing.
    mimetype
        Of the body.

    Returns
    -------
    flask.Response
        200 with the body, or 304 without. Each coding has an entity tag of its own.

    Raises
    ------
    PreconditionFailed
        If-Match names other tags only.
    """
    digest = blake2b(body, digest_size=16).hexdigest()
    coded = len(body) >= _SMALLEST and _prefers_gzip(request)
    tag = f"{digest}-gzip" if coded else digest
    wanted, known = request.if_match, request.if_none_match
    if wanted and not (wanted.star_tag or wanted.is_strong(tag)):
        raise PreconditionFailed("The answer is not one of those that If-Match names.")
    if known and (known.star_tag or known.contains_weak(tag)):
        response = Response(status=304)
        del response.headers["Content-Type"]
        response.vary.add("Accept-Encoding")
    else:
        response = compress(Response(body, mimetype=mimetype), request)
    response.set_etag(tag)
    return response


def _prefers_gzip(request: Request) -> bool:
    quality = {name.lower(): value for name, value in request.accept_encodings}
    gzip_quality = quality.get("gzip", quality.get("*", 0))
    return gzip_quality > 0 and gzip_quality >= quality.get("identity", 0)
