"""A directory of the interface on loopback: records by hand, edits between pages, faults, TLS."""

import os
import re
import socket
import struct
import threading
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from time import sleep
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape

import pytest
import requests
import urllib3
from requests.adapters import HTTPAdapter

from dirframe import Directory

#: Part of every key of the tests: letters and digits that no encoding changes.
MARK = "M4RKx7Qz9"
#: A key with characters that addresses and XML spell in other ways.
KEY = f"{MARK}&D <key>/+=~%"
XML = "application/xml; charset=utf-8"

ID = re.compile(r"<id>([^<]*)</id>")
_NAME = re.compile(r"<(?:name|login|url_name|vanity_url)>([^<]*)</")


def numbered(count):
    """Return the ids 1 to `count`."""
    return [str(number) for number in range(1, count + 1)]


def record(identifier, kind="project", inner="", **fields):
    """Write a record; `inner` is XML that is put behind the fields."""
    texts = "".join(f"<{name}>{escape(str(text))}</{name}>" for name, text in fields.items())
    return f"<{kind}><id>{escape(str(identifier))}</id>{texts}{inner}</{kind}>"


def page_xml(records, *, available=None, first=None, result=True):
    """Write a page of a collection; counts that are None are left out."""
    records = list(records)
    counts = {
        "items_returned": None if available is None else len(records),
        "items_available": available,
        "first_item_position": first,
    }
    numbers = "".join(f"<{name}>{n}</{name}>" for name, n in counts.items() if n is not None)
    body = f"<result>{''.join(records)}</result>" if result else ""
    return f"<response><status>success</status>{numbers}{body}</response>".encode()


def failed(text):
    """Write the failure of the specification."""
    return f"<response><status>failed</status><error>{escape(text)}</error></response>".encode()


def id_of(xml):
    """Return the id of a record."""
    return ID.search(xml)[1]


@dataclass(frozen=True)
class Request:
    """One request as it arrived."""

    path: str
    query: dict[str, str]
    target: str
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, target, headers=()):
        parts = urlsplit(target)
        query = parse_qsl(parts.query, keep_blank_values=True)
        return cls(parts.path, dict(query), target, dict(headers))

    @property
    def page(self):
        number = self.query.get("page", "1")
        return int(number) if number.isdecimal() else 1


@dataclass
class Reply:
    """A response."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Exchange:
    """One request, the right response to it, and the connection; a fault sends something else."""

    request: Request
    status: int
    headers: dict[str, str]
    body: bytes
    closing: threading.Event
    _connection: "socket.socket | _Buffer" = field(repr=False)

    def head(self, **more):
        headers = self.headers | {name.replace("_", "-"): text for name, text in more.items()}
        lines = [f"HTTP/1.1 {self.status} Status", *(f"{n}: {t}" for n, t in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def send(self, content):
        self._connection.sendall(content)

    def answer(self, **headers):
        """Send the response with its length."""
        self.send(self.head(**{"Content_Length": str(len(self.body))} | headers) + self.body)

    def end(self):
        """Close the connection in order."""
        self._connection.shutdown(socket.SHUT_RDWR)

    def reset(self):
        """Close the connection with RST."""
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self._connection.detach())


class Rig:
    """A directory with one collection or several.

    Parameters
    ----------
    records
        Records of the main collection: their number, or ids, or XML.
    kind
        Element of a record; its collection is `/{kind}s.xml`.
    size
        Records a page.
    daily_limit
        Number of requests that the key may send; the next is 429.
    tls
        Context of a server with TLS.
    answer
        Function from a request to a `Reply`, bytes of XML, or None for the usual response.

    Attributes
    ----------
    requests
        All requests, in order.
    faults, on_page, always
        Faults of the next responses, of the next responses to a page, and of all others; None is
        the right response.
    before
        Function that is called with each request before its response is made.
    edits
        Functions from ids to ids, by the number of the page before which they are called once.
    items_available
        Function from the number of records to the number that pages state.
    past_end_is_first
        Whether a page past the end is the first page.
    sorts
        Keys by which records (XML) are sorted, by sort value; another value keeps the order.
    """

    def __init__(
        self, records=(), *, kind="project", size=10, key=KEY, daily_limit=None, tls=None,
        answer=None,
    ):  # fmt: skip
        self.kind, self.size, self.key, self.daily_limit = kind, size, key, daily_limit
        self.collections = {}
        self.add(kind, records)
        self.requests = []
        self.faults, self.on_page, self.always = deque(), {}, None
        self.before, self.edits = None, {}
        self.items_available = lambda count: count
        self.past_end_is_first = False
        self.sorts = {}
        self._answer, self._tls = answer, tls
        self._lock, self._closing = threading.Lock(), threading.Event()
        self._server = None
        self.url = "http://127.0.0.1:1"  # answered in this process alone

    def add(self, kind, records, *, path=None):
        """Add a collection of records: their number, or ids, or XML."""
        given = numbered(records) if isinstance(records, int) else records
        self.collections[path or f"/{kind}s.xml"] = [
            one if one.startswith("<") else record(one, kind, name=f"{kind} {one}") for one in given
        ]

    @property
    def records(self):
        """Return the records of the main collection."""
        return self.collections[f"/{self.kind}s.xml"]

    @property
    def ids(self):
        """Return the ids of the main collection, in its order."""
        return [id_of(xml) for xml in self.records]

    def edit(self, change):
        """Change the main collection by a function from ids to ids; a new id gets a new record."""
        with self._lock:
            known = {id_of(xml): xml for xml in self.records}
            self.records[:] = [
                known.get(one) or record(one, self.kind, name=f"{self.kind} {one}")
                for one in change(list(known))
            ]

    @property
    def pages(self):
        """Return the pages of collections that were requested, in order."""
        return [r.page for r in self.requests if r.path in self.collections]

    def forget(self):
        """Start with no requests and no faults."""
        with self._lock:
            self.requests.clear()
            self.faults.clear()
            self.on_page.clear()
            self.edits.clear()
            self.always = self.before = None

    def directory(self, folder=None, **options):
        """Connect to this directory; faults cost no time. `folder` holds cache and quota."""
        usual = {
            "name": "rig",
            "cache": folder is not None,
            "cache_dir": folder and folder / "cache",
            "quota_dir": folder and folder / "data",
            "daily_quota": 100_000,
            "max_workers": 1,
            "max_per_second": None,
            "retries": 2,
            "backoff": 0.0,
            "connect_timeout": 30.0,
            "read_timeout": 30.0,
        }
        return Directory(
            options.pop("url", self.url), options.pop("key", self.key), **usual | options
        )

    # What it answers

    def reply(self, request):
        """Return the right response."""
        given = self._answer(request) if self._answer else None
        if given is not None:
            return given if isinstance(given, Reply) else Reply(given)
        if request.query.get("api_key") != self.key:
            return self.refusal("key")
        if self.daily_limit is not None and len(self.requests) > self.daily_limit:
            return self.refusal("limit")
        if request.path in self.collections:
            return self.page(request)
        return self.own_page(request)

    def refusal(self, reason):
        """Return the failure for a wrong key, for too many requests, or for an unknown address."""
        status, text = {
            "key": (403, "A valid api_key is required to access this URL."),
            "limit": (429, "Over the daily limit."),
            "missing": (404, "Not found."),
        }[reason]
        return Reply(failed(text), status)

    def page(self, request):
        """Return a page of a collection."""
        records = self.sorted(request, self.collections[request.path])
        first = (request.page - 1) * self.size
        if self.past_end_is_first and first >= len(records):
            first = 0
        shown = records[first : first + self.size]
        return Reply(page_xml(shown, available=self.items_available(len(records)), first=first))

    def sorted(self, request, records):
        """Return the records in the order that was requested."""
        key = self.sorts.get(request.query.get("sort"))
        return sorted(records, key=key) if key else list(records)

    def own_page(self, request):
        """Return the page of a single record, by id or name."""
        collection, _, last = request.path.rpartition("/")
        wanted = last.removesuffix(".xml")
        for xml in self.collections.get(f"{collection}.xml", ()):
            if wanted in {id_of(xml), *_NAME.findall(xml)}:
                return Reply(page_xml([xml]))
        return self.refusal("missing")

    def exchange(self, target, headers, connection):
        """Answer a request on a connection, with the fault whose turn it is."""
        request = Request.of(target, headers)
        with self._lock:
            self.requests.append(request)
            edit = self.edits.pop(request.page, None) if request.path in self.collections else None
            if self.on_page.get(request.page):
                fault = self.on_page[request.page].pop(0)
            else:
                fault = self.faults.popleft() if self.faults else self.always
        if edit:
            self.edit(edit)
        if self.before:
            self.before(request)
        reply = self.reply(request)
        sent = {"Content-Type": XML} | reply.headers
        exchange = Exchange(request, reply.status, sent, reply.body, self._closing, connection)
        (fault or Exchange.answer)(exchange)

    # How it is reached: over a socket, or in this process

    def __enter__(self):
        self._server = _Server(self)
        self.port = self._server.server_port
        self.url = f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}"
        if self._tls:
            self._server.socket = self._tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.005,))
        self._thread.start()
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        """Stop the server."""
        if not self._closing.is_set():
            self._closing.set()
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    @property
    def connections(self):
        """Return how many connections are open."""
        return self._server.connections

    def settle(self, connections=0):
        """Wait for what a process that has ended left on its way, until so many remain open."""
        with socket.create_connection(
            ("127.0.0.1", self.port)
        ) as last:  # accepted after all others
            last.sendall(b"\r\n")
            last.recv(1)
        while self.connections > connections:
            sleep(0.002)

    @contextmanager
    def in_process(self):
        """Answer below requests' adapter, without a socket: for properties with many examples."""
        send = HTTPAdapter.send

        def answer(adapter, request, *arguments, **options):
            if not request.url.startswith(self.url):
                return send(adapter, request, *arguments, **options)
            connection = _Buffer()
            try:
                self.exchange(request.url.removeprefix(self.url), request.headers, connection)
            except ConnectionResetError as error:
                raise requests.ConnectionError(error, request=request) from error
            raw = HTTPResponse(connection, method="GET")
            raw.begin()
            return adapter.build_response(
                request,
                urllib3.HTTPResponse(
                    raw, raw.headers.items(), raw.status, preload_content=False, original_response=raw,
                    request_method="GET",
                ),
            )  # fmt: skip

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(HTTPAdapter, "send", answer)
            yield self


class _Buffer:
    """A connection within the process."""

    def __init__(self):
        self._content = b""

    def sendall(self, content):
        self._content += content

    def shutdown(self, how):
        pass

    def setsockopt(self, *option):
        raise ConnectionResetError("Connection reset by peer")

    def makefile(self, *mode):
        return BytesIO(self._content)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, rig):
        self.connections = 0
        self._lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                with suppress(OSError):  # the client gave up
                    rig.exchange(self.path, self.headers.items(), self.connection)

            def log_message(self, *args):
                pass

        super().__init__(("127.0.0.1", 0), Handler)

    def process_request(self, *arguments):
        with self._lock:
            self.connections += 1
        super().process_request(*arguments)

    def process_request_thread(self, *arguments):
        try:
            super().process_request_thread(*arguments)
        finally:
            with self._lock:
                self.connections -= 1

    def handle_error(self, request, client_address):
        pass  # a client that gives up closes the connection


class Trap:
    """Another host: it keeps every byte that arrives and answers nothing."""

    def __init__(self, host="127.0.0.1"):
        self._listener = socket.create_server((host, 0))
        self._listener.settimeout(0.02)
        self.host, self.port = host, self._listener.getsockname()[1]
        self.connections, self.received = 0, b""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self):
        while not self._closing.is_set():
            with suppress(OSError):
                connection, _ = self._listener.accept()
                self.connections += 1
                with connection:
                    connection.settimeout(0.2)
                    self.received += connection.recv(65_536)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._closing.set()
        self._thread.join()
        self._listener.close()


class Proxy:
    """A proxy for HTTPS: CONNECT, then bytes both ways; `refuses` answers 407 instead."""

    def __init__(self, *, refuses=False):
        self.connected, self.received, self.refuses = [], b"", refuses
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_CONNECT(self):
                proxy.connected.append(self.path)
                if proxy.refuses:
                    self.send_error(407)
                    return
                host, _, port = self.path.rpartition(":")
                with socket.create_connection((host, int(port))) as there:
                    self.send_response(200)
                    self.end_headers()
                    back = threading.Thread(target=proxy._carry, args=(there, self.connection))
                    back.start()
                    proxy._carry(self.connection, there, keep=True)
                    back.join()

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def _carry(self, source, target, *, keep=False):
        with suppress(OSError):
            while content := source.recv(65_536):
                if keep:
                    self.received += content
                target.sendall(content)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
