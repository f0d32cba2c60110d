"""Access log: one line per request, without API keys and digests of e-mail addresses."""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from dirframe.service.web.params import parse_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


ACCESS_LOG = logging.getLogger("dirframe.service.access")

# Only known parameters are logged: a misspelt parameter name may carry a key.
_SHOWN = ("query", "sort", "page")
_SECRET = re.compile(r"[0-9a-f]{32,}", re.IGNORECASE)


def logged(
    app: WSGIApplication,
    *,
    on_response: Callable[[WSGIEnvironment, str, float], None] | None = None,
) -> WSGIApplication:
    """Wrap `app` to write the access log and to add a Status header to each response.

    `on_response` is called with the environment, the code of the status, and the seconds taken.
    """

    def wrapped(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        begin = time.perf_counter()

        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> object:
            seconds = time.perf_counter() - begin
            if on_response is not None:
                on_response(environ, status[:3], seconds)
            if ACCESS_LOG.isEnabledFor(logging.INFO):
                ACCESS_LOG.info(
                    '%s %s "%s %s" %s %s %.1f ms',
                    time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                    environ.get("REMOTE_ADDR", "-"),
                    quote(environ["REQUEST_METHOD"]),
                    shown_target(environ.get("PATH_INFO", ""), environ.get("QUERY_STRING", "")),
                    status[:3],
                    dict(headers).get("Content-Length", "-"),
                    seconds * 1000,
                )
            # An old client of this interface reads the status from a Status header.
            # PEP 3333 reserves that header for CGI gateways; waitress passes it on.
            return start_response(status, [*headers, ("Status", status)], *exc_info)

        return app(environ, start)  # type: ignore[arg-type]  # nobody uses the write callable

    return wrapped


def shown_target(path: str, query_string: str) -> str:
    """Return the target of a request for the log, on one line and without secrets."""
    arguments = parse_arguments(query_string)
    shown = {name: arguments[name] for name in _SHOWN if arguments.get(name)}
    text = quote(path, safe="/.", errors="replace", encoding="latin-1")
    target = re.sub(r"api_key.*", "api_key…", text, flags=re.IGNORECASE)
    return _SECRET.sub("…", target + (f"?{urlencode(shown)}" if shown else ""))
