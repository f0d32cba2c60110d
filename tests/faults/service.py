"""Our own service in a fault-injecting mode, over real sockets.

The application is the real one (`dirframe.service.web.app`) with real keys; its records stand on a
`Shelf`, which can be changed between two requests. In front of it is a server that lets a fault
(`tests.faults.faults`) have each answer before it goes out, as the schedule says.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import struct
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import TYPE_CHECKING, Any, Self, cast
from urllib.parse import parse_qsl, urlsplit

from dirframe.schema import PAGE_SIZE, Resource
from dirframe.service.api_keys import KeyStore
from dirframe.service.dialects.xml_writer import record_xml
from dirframe.service.store.store import Page, Store
from dirframe.service.web.app import create_app

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable

    #: Sends an answer, right or wrong; None sends the right one.
    Fault = Callable[["Exchange"], None]

__all__ = ["KEY", "Asked", "Exchange", "FaultyService", "Shelf", "Trap", "numbered"]

#: A key with characters that addresses and XML spell in other ways.
KEY = "M4RK&D <key>/+=~%"


def numbered(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


class Shelf:
    """Records that can change: what the application asks of a store, over a list of ids."""

    synthetic = False

    def __init__(self, ids: Iterable[str], *, size: int = PAGE_SIZE) -> None:
        self.size = size
        #: Whether a page past the end is the first one.
        self.past_is_first = False
        #: What is said of the number of records.
        self.told: Callable[[int], int] = lambda true: true
        self._ids = list(ids)
        self.states = [list(self._ids)]
        self._lock = threading.Lock()

    def change(self, edit: Callable[[list[str]], list[str]]) -> None:
        with self._lock:
            self._ids = edit(list(self._ids))
            self.states.append(list(self._ids))

    def count(self, resource: Resource) -> int:
        return len(self._ids)

    def sorts(self, resource: Resource) -> tuple[str, ...]:
        return resource.sorts

    def default_sort(self, resource: Resource, query: str = "") -> str:
        return resource.default_sort

    def page(
        self,
        resource: Resource,
        *,
        query: str = "",
        sort: str | None = None,
        page: int = 1,
        page_size: int = PAGE_SIZE,
    ) -> Page:
        with self._lock:
            ids = list(self._ids)
        first = (page - 1) * self.size
        if self.past_is_first and first >= len(ids):
            first = 0
        shown = [self._record(resource, one) for one in ids[first : first + self.size]]
        return Page(shown, self.told(len(ids)), first)

    def by_segment(self, resource: Resource, segment: str) -> str | None:
        return self.by_id(resource, segment)

    def by_id(self, resource: Resource, segment: str) -> str | None:
        return self._record(resource, segment) if segment in self._ids else None

    def by_email_md5(self, digest: str) -> str | None:
        return None

    @staticmethod
    def _record(resource: Resource, one: str) -> str:
        return record_xml(resource, {"id": one, "name": f"{resource.name} {one}"})


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    path: str
    query: dict[str, str]
    target: str
    headers: dict[str, str]

    @property
    def page(self) -> int:
        return int(self.query.get("page", "1"))


@dataclass
class Exchange:
    """One request, the right answer to it, and the socket."""

    asked: Asked
    status: int
    headers: dict[str, str]
    body: bytes
    closing: threading.Event
    _connection: socket.socket = field(repr=False)

    def head(self, **more: str) -> bytes:
        headers = self.headers | {name.replace("_", "-"): text for name, text in more.items()}
        lines = [f"HTTP/1.1 {self.status} As It Is", *(f"{n}: {t}" for n, t in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def send(self, content: bytes) -> None:
        self._connection.sendall(content)

    def answer(self, **headers: str) -> None:
        """Send the answer with the length that it has."""
        self.send(self.head(**{"Content_Length": str(len(self.body))} | headers) + self.body)

    def end(self) -> None:
        """Close the connection in order."""
        self._connection.shutdown(socket.SHUT_RDWR)

    def reset(self) -> None:
        """Close the connection with RST."""
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self._connection.detach())


class FaultyService:
    """The service, served with faults.

    Attributes
    ----------
    faults
        What happens to the next answers, one a request; None leaves an answer as it is.
    on_page
        What happens to the next answers to one page, before `faults` are looked at.
    always
        What happens to every other answer.
    before
        Is called before each answer is made, for instance to change the shelf.
    """

    def __init__(
        self,
        shelf: Shelf,
        *,
        key: str = KEY,
        daily_limit: int = 100_000,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.shelf = shelf
        self.asked: list[Asked] = []
        self.faults: deque[Fault | None] = deque()
        self.on_page: dict[int, list[Fault]] = {}
        self.always: Fault | None = None
        self.before: Callable[[Asked], None] | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._folder = TemporaryDirectory(prefix="dirframe-faults-")
        file = Path(self._folder.name) / "keys.sqlite"
        self.keys = KeyStore(file)
        self.keys.add("tests", "faults", daily_limit=daily_limit)
        with sqlite3.connect(file) as database:  # the key of the tests takes the made one's place
            database.execute("UPDATE keys SET hash = ?", [sha256(key.encode()).hexdigest()])
        database.close()
        self._application = create_app(cast("Store", shelf), self.keys)
        self._server = _Threads(("127.0.0.1", 0), self._handler())
        self.port = self._server.server_port
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def pages(self) -> list[int]:
        """Return which pages were asked for, in order."""
        return [asked.page for asked in self.asked]

    def forget(self) -> None:
        """Begin counting anew, without faults."""
        with self._lock:
            self.asked.clear()
            self.faults.clear()
            self.on_page.clear()
            self.always = self.before = None

    @property
    def connections(self) -> int:
        """Return how many connections are open."""
        return self._server.connections

    def settle(self, connections: int = 0) -> None:
        """Wait for what a program that has ended left on its way, until so many remain open."""
        # Accepted after all others.
        with socket.create_connection(("127.0.0.1", self.port)) as last:
            last.sendall(b"\r\n")
            last.recv(1)
        while self.connections > connections:
            sleep(0.002)

    def close(self) -> None:
        if self._closing.is_set():
            return
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self.keys.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _next(self, asked: Asked) -> Fault | None:
        with self._lock:
            self.asked.append(asked)
            if self.before is not None:
                self.before(asked)
            if self.on_page.get(asked.page):
                return self.on_page[asked.page].pop(0)
            return self.faults.popleft() if self.faults else self.always

    def answer(self, target: str) -> tuple[int, dict[str, str], bytes]:
        """Return what the application says: status, headers, body."""
        real = self._application.test_client().get(target)
        kept = {name: real.headers[name] for name in _KEPT if name in real.headers}
        return real.status_code, kept, real.get_data()

    def _exchange(self, target: str, headers: dict[str, str], connection: socket.socket) -> None:
        parts = urlsplit(target)
        asked = Asked(parts.path, dict(parse_qsl(parts.query)), target, headers)
        fault = self._next(asked)
        status, kept, body = self.answer(target)
        exchange = Exchange(asked, status, dict(kept), body, self._closing, connection)
        (fault or Exchange.answer)(exchange)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                with suppress(OSError):  # the client gave up
                    service._exchange(self.path, dict(self.headers.items()), self.connection)

            def log_message(self, *args: Any, **facts: Any) -> None:
                pass

        return Handler


_KEPT = ("Content-Type", "Retry-After")


class _Threads(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self.connections = 0
        self._lock = threading.Lock()
        super().__init__(*arguments)

    def process_request(self, *arguments: Any) -> None:
        with self._lock:
            self.connections += 1
        super().process_request(*arguments)

    def process_request_thread(self, *arguments: Any) -> None:
        try:
            super().process_request_thread(*arguments)
        finally:
            with self._lock:
                self.connections -= 1

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that gives up closes the connection."""


class Trap:
    """Another server: it notes every byte that comes, and answers with nothing."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._listener = socket.create_server((host, 0))
        self._listener.settimeout(0.02)
        self.host, self.port = host, self._listener.getsockname()[1]
        self.connections = 0
        self.heard = b""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        while not self._closing.is_set():
            with suppress(OSError):
                connection, _ = self._listener.accept()
                self.connections += 1
                with connection:
                    connection.settimeout(0.2)
                    self.heard += connection.recv(65_536)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._closing.set()
        self._thread.join()
        self._listener.close()
