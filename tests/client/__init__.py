"""Tests of the client, and the small real servers that they ask."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from dirframe.client.http.client import FetchedPage
from dirframe.client.xml.parser import PageParser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

#: A key with characters that addresses and XML spell in other ways.
KEY = "k3y+M4RKED/s&cr=t~0123456789"


@dataclass
class Reply:
    """What a server of the tests answers with."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: Callable[[Any], None] | None = None  # writes to the socket by itself


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    path: str
    query: dict[str, str]
    line: str

    @property
    def page(self) -> int:
        return int(self.query.get("page", "1"))


class Server:
    """A real HTTP server on this machine that answers as a function says."""

    def __init__(self, answer: Callable[[Asked], Reply | bytes]) -> None:
        self.asked: list[Asked] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
                asked = Asked(parts.path, query, self.path)
                outer.asked.append(asked)
                given = answer(asked)
                reply = given if isinstance(given, Reply) else Reply(given)
                if reply.raw is not None:
                    self.close_connection = True
                    reply.raw(self.wfile)
                    return
                self.send_response(reply.status)
                headers = {"Content-Type": "application/xml; charset=utf-8"} | reply.headers
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, *args: Any, **facts: Any) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                pass  # a client that gives up closes the connection

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def record(identifier: str, resource: str = "project", **fields: str) -> str:
    inner = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in fields.items())
    return f"<{resource}><id>{escape(identifier)}</id>{inner}</{resource}>"


def page_xml(
    records: Iterable[str], *, available: object = None, first: object = None, result: bool = True
) -> bytes:
    """Write a page of a collection; what is None is left out."""
    inside = list(records)
    counts = {
        "items_returned": None if available is None else len(inside),
        "items_available": available,
        "first_item_position": first,
    }
    said = "".join(f"<{name}>{n}</{name}>" for name, n in counts.items() if n is not None)
    body = f"<result>{''.join(inside)}</result>" if result else ""
    return f"<response><status>success</status>{said}{body}</response>".encode()


def fetched(content: bytes, url: str, moment: datetime, attempts: int) -> FetchedPage:
    """Make what a session hands over for a document."""
    return FetchedPage(content, url, moment, attempts, PageParser().parse(content, source=url))


def failed(text: str) -> bytes:
    return f"<response><status>failed</status><error>{escape(text)}</error></response>".encode()
