"""A directory of the interface on loopback: records by hand, edits between pages, faults, TLS."""

import os
import re
import socket
import struct
import threading
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.client import HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from socketserver import BaseRequestHandler, ThreadingTCPServer
from time import sleep
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest
import requests
import urllib3
from requests.adapters import HTTPAdapter

from dirframe import Directory
from dirframe.client.directory import connection_of

#: Part of every key of the tests: letters and digits that no encoding changes.
MARK = "M4RKx7Qz9"
#: A key with characters that addresses and XML spell in other ways.
KEY = f"{MARK}&D <key>/+=~%"
XML = "application/xml; charset=utf-8"
_BEGIN = '<?xml version="1.0" encoding="UTF-8"?>\n<response>'

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
    return f"{_BEGIN}<status>success</status>{numbers}{body}</response>".encode()


def failed(text):
    """Write the failure of the specification."""
    return f"{_BEGIN}<status>failed</status><error>{escape(text)}</error></response>".encode()


def id_of(xml):
    """Return the id of a record; None if it has none."""
    found = ID.search(xml)
    return found and found[1]


class Request:
    """One request as it arrived."""

    def __init__(self, target, headers=()):
        parts = urlsplit(target)
        self.target, self.path, self.headers = target, parts.path, dict(headers)
        self.query = dict(parse_qsl(parts.query, keep_blank_values=True))

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

    `records` are the number, the ids or the XML of those of the main collection, `/{kind}s.xml`,
    with `size` on a page. The key may send `daily_limit` requests. `tls` is the context of a server
    with TLS. `answer` gives for a request a `Reply`, bytes of XML, or None for the usual response.
    """

    def __init__(
        self,
        records=(),
        *,
        kind="project",
        size=10,
        key=KEY,
        daily_limit=None,
        tls=None,
        answer=None,
    ):
        self.kind, self.size, self.key, self.daily_limit = kind, size, key, daily_limit
        self.collections = {}
        self.add(kind, records)
        self.requests = []  # all, in order
        # Faults of the next responses, of those to a page, of all others; None is no fault.
        self.faults, self.on_page, self.always = deque(), {}, None
        self.before = None  # called with each request before its response is made
        self.edits = {}  # by page: functions from ids to ids, called once before it is served
        self.items_available = lambda count: count  # what pages state of a number of records
        self.past_end_is_first = False  # what a page past the end is; else it is empty
        self.empty_has_result = True  # whether a page without records has a result element
        self.sorts = {}  # keys of records (XML) by sort value; another value keeps their order
        self.url = "http://127.0.0.1:1"  # answered in this process alone
        self._answer, self._tls = answer, tls
        self._lock, self._closing = threading.Lock(), threading.Event()
        self._directories = []

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
        """Connect to this directory until it is closed; `folder` holds cache and quota."""
        usual = {
            "name": "rig",
            "cache": folder / "cache" if folder else False,
            "daily_quota": 100_000,
            "workers": 1,
        }
        address = options.pop("url", self.url), options.pop("key", self.key)
        data = options.pop("data", folder and folder / "data")
        connection = connection_of(Directory(*address, **usual | options))
        directory = Directory._from(replace(connection, quota_folder=data))  # None: in memory
        self._directories.append(directory)
        return directory

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
        shown = [self.listed(xml) for xml in records[first : first + self.size]]
        available = self.items_available(len(records))
        result = bool(shown) or self.empty_has_result
        return Reply(page_xml(shown, available=available, first=first, result=result))

    def listed(self, xml):
        """Return a record as collections have it."""
        return xml

    def sorted(self, request, records):
        """Return the records in the order that was requested."""
        key = self.sorts.get(request.query.get("sort"))
        return sorted(records, key=key) if key else list(records)

    def own_page(self, request):
        """Return the page of a single record, by id or name."""
        collection, _, last = request.path.rpartition("/")
        wanted = escape(unquote(last.removesuffix(".xml")))
        for xml in self.collections.get(f"{collection}.xml", ()):
            if wanted in {id_of(xml), *_NAME.findall(xml)}:
                return Reply(page_xml([xml]))
        return self.refusal("missing")

    def exchange(self, target, headers, connection):
        """Answer a request on a connection, with the fault whose turn it is."""
        request = Request(target, headers)
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
        rig = self

        class Handler(_Handler):
            def do_GET(self):
                with suppress(OSError):  # the client gave up
                    rig.exchange(self.path, self.headers.items(), self.connection)

        self._server = _Server(Handler, tls=self._tls)
        self.port = self._server.port
        self.url = f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}"
        return self

    def __exit__(self, *exc):
        self._closing.set()
        self._server.__exit__()
        self._clear()

    def _clear(self):
        for directory in self._directories:
            directory.close()

    @property
    def connections(self):
        """Return how many connections are open."""
        return self._server.open

    def settle(self, connections=0):
        """Wait for requests of a process that has ended, until `connections` remain open."""
        with socket.create_connection(("127.0.0.1", self.port)) as last:
            last.sendall(b"\r\n")
            last.recv(1)  # accepted after all others
        while self.connections > connections:
            sleep(0.002)

    @contextmanager
    def in_process(self):
        """Answer below requests' adapter, without a socket: for properties with many examples."""
        send = HTTPAdapter.send

        def answer(adapter, request, *arguments, **options):
            if not request.url.startswith(f"{self.url}/"):
                return send(adapter, request, *arguments, **options)
            connection = _Buffer()
            try:
                with suppress(BrokenPipeError):
                    self.exchange(request.url.removeprefix(self.url), request.headers, connection)
                raw = HTTPResponse(connection, method="GET")
                raw.begin()
            except (ConnectionResetError, HTTPException) as error:
                raise requests.ConnectionError(error, request=request) from error
            facts = {"headers": raw.headers.items(), "status": raw.status, "original_response": raw}
            response = urllib3.HTTPResponse(raw, preload_content=False, **facts)
            return adapter.build_response(request, response)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(HTTPAdapter, "send", answer)
            yield self
        self._clear()


class _Buffer:
    """A connection within the process; nobody reads more than 4 MiB."""

    def __init__(self):
        self._content = bytearray()

    def sendall(self, content):
        self._content += content
        if len(self._content) > 2**22:
            raise BrokenPipeError

    def shutdown(self, how):
        pass

    def setsockopt(self, *option):  # for RST
        raise ConnectionResetError("Connection reset by peer")

    def makefile(self, *mode):
        return BytesIO(self._content)


class _Server(ThreadingTCPServer):
    """Serves in threads, and counts connections; at its end it `waits` for what they do, or not."""

    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, handler, *, host="127.0.0.1", tls=None, waits=False):
        self.daemon_threads = not waits
        self.connections = self.open = 0
        self._counting = threading.Lock()
        super().__init__((host, 0), handler)
        self.port = self.server_address[1]
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.005,))
        self._thread.start()

    def __exit__(self, *exc):
        self.shutdown()
        self.server_close()
        self._thread.join()

    def process_request(self, *arguments):
        with self._counting:
            self.connections += 1
            self.open += 1
        super().process_request(*arguments)

    def process_request_thread(self, *arguments):
        try:
            super().process_request_thread(*arguments)
        finally:
            with self._counting:
                self.open -= 1

    def handle_error(self, request, client_address):
        pass  # a client that gives up closes the connection


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass


class Trap(_Server):
    """Another host: it keeps the bytes that arrive and answers nothing.

    `act` does something else with each connection.
    """

    def __init__(self, host="127.0.0.1", *, act=None):
        self.host, self.received = host, b""
        trap = self

        class Handler(BaseRequestHandler):
            def handle(self):
                self.request.settimeout(10)
                with suppress(OSError):
                    (act or trap._keep)(self.request)

        super().__init__(Handler, host=host, waits=True)

    def _keep(self, connection):
        self.received += connection.recv(65_536)


class Proxy(_Server):
    """A proxy: CONNECT, then bytes both ways; requests in clear are kept and answered with 502.

    `refuses` answers 407 to CONNECT, and `act` does something else with the connection. Hosts that
    `knows` has are reached at its addresses.
    """

    def __init__(self, *, refuses=False, act=None, knows=()):
        self.connected, self.received, self.in_clear, self.headers = [], b"", [], []
        proxy = self

        class Handler(_Handler):
            def do_GET(self):
                proxy.in_clear.append(self.path)
                self.send_error(502)

            def do_CONNECT(self):
                proxy.connected.append(self.path)
                proxy.headers.append(dict(self.headers))
                if refuses:
                    self.send_error(407)
                    return
                if act:
                    act(self)
                    return
                host, _, port = self.path.rpartition(":")
                host = dict(knows).get(host, host)
                with socket.create_connection((host, int(port))) as there:
                    self.send_response(200)
                    self.end_headers()
                    back = threading.Thread(target=proxy._carry, args=(there, self.connection))
                    back.start()
                    proxy._carry(self.connection, there, keep=True)
                    back.join()

        super().__init__(Handler)
        self.url = f"http://127.0.0.1:{self.port}"

    def _carry(self, source, target, *, keep=False):
        with suppress(OSError):
            while content := source.recv(65_536):
                if keep:
                    self.received += content
                target.sendall(content)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)
