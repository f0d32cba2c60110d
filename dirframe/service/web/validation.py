"""Validate host, target and method of requests (RFC 9110, RFC 9112)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from werkzeug.exceptions import BadRequest, MethodNotAllowed

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment


#: Methods supported at every URL.
METHODS = ("GET", "HEAD", "OPTIONS")

# A name, an IPv4 address or an IPv6 address in brackets, and a port. Servers join repeated headers
# with commas, so that two hosts do not match.
_HOST = re.compile(r"([\w.~%!$&'()*+;=-]*|\[[0-9A-Fa-f:.]+\])(:\d{0,5})?", re.ASCII)


def check_request(environ: WSGIEnvironment) -> None:
    """Raise for a request without a valid host, target or method.

    Raises
    ------
    MethodNotAllowed
        The method is not one of `METHODS`.
    BadRequest
        Host is missing (in HTTP/1.1), repeated or invalid; or the target is not a path.
    """
    host = environ.get("HTTP_HOST")
    if host is None and environ.get("SERVER_PROTOCOL") == "HTTP/1.1":
        raise BadRequest("A request in HTTP/1.1 needs a Host header.")
    if host is not None and not _HOST.fullmatch(host):
        raise BadRequest("The Host header must hold one host, and be sent once.")
    if environ["REQUEST_METHOD"] not in METHODS:
        raise MethodNotAllowed(
            METHODS, f"The interface is read-only: it answers {', '.join(METHODS)}."
        )
    path = environ.get("PATH_INFO", "")
    if path and path[0] != "/" and (environ["REQUEST_METHOD"], path) != ("OPTIONS", "*"):
        raise BadRequest("The target of a request begins with a slash.")
