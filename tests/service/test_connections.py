"""Connections that take and do not give, over real sockets: they are ended, others are served."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import requests

from dirframe.schema import RESOURCES
from dirframe.service.connections import Limits, bounded_by_open_files
from dirframe.service.server import Service, serve
from dirframe.service.store.build import build_store
from dirframe.service.store.store import Store
from tests.service.conftest import write_collection

if TYPE_CHECKING:
    from collections.abc import Iterator

HALF = b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Half: "
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
PATIENCE = 60.0


def connect(service: Service, **options: int) -> socket.socket:
    parts = urlsplit(service.url)
    return socket.create_connection((parts.hostname or "", parts.port or 0), timeout=PATIENCE)


def is_closed(client: socket.socket) -> bool:
    """Wait for the service's end of the connection."""
    try:
        while client.recv(65536):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def is_open(client: socket.socket) -> bool:
    """Tell whether a request on it is answered."""
    try:
        client.sendall(WHOLE)
        answer = b""
        while not answer.endswith(b" projects\n"):
            if not (block := client.recv(65536)):
                return False
            answer += block
    except ConnectionError:
        return False
    return answer.startswith(b"HTTP/1.1 200 OK")


def ask(service: Service, path: str = "/healthz") -> requests.Response:
    return requests.get(f"{service.url}{path}", timeout=PATIENCE)


def test_thousands_of_connections_without_a_whole_request_keep_nobody_out(store: Store) -> None:
    count = (bounded_by_open_files(4400) - 200) // 2  # both ends are this process'
    count = min(2000, count)
    with ExitStack() as stack:
        service = serve(store, limits=Limits(request_seconds=6.0))
        stack.callback(service.stop)
        clients = [stack.enter_context(connect(service)) for _ in range(count)]
        for client in clients[count // 2 :]:
            client.sendall(HALF)
        assert ask(service).text == "ok: 107 accounts, 63 projects\n"
        assert service.api_key is not None
        page = ask(service, f"/projects.xml?api_key={service.api_key.reveal()}")
        assert page.status_code == 200
        assert all(is_closed(client) for client in clients)
        assert ask(service).ok


def test_a_request_that_comes_byte_by_byte_is_ended_though_its_bytes_keep_coming(
    store: Store,
) -> None:
    service = serve(store, limits=Limits(request_seconds=0.5))
    with service, ExitStack() as stack:
        body = b"GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n"
        clients = [stack.enter_context(connect(service)) for _ in range(3)]
        clients[1].sendall(body)
        assert is_open(clients[2])  # whose clock begins anew with the next request's first byte
        ended: set[int] = set()
        end = time.monotonic() + PATIENCE
        while len(ended) < 3 and time.monotonic() < end:
            for number, client in enumerate(clients):
                try:
                    client.sendall(b"G")
                except ConnectionError:
                    ended.add(number)
            time.sleep(0.05)
        assert ended == {0, 1, 2}


def test_a_connection_is_kept_between_requests_for_its_time_and_not_longer(store: Store) -> None:
    service = serve(store, limits=Limits(request_seconds=PATIENCE, idle_seconds=0.5))
    with service, connect(service) as client:
        assert is_open(client)
        assert is_open(client)
        assert is_closed(client)
    service = serve(store, limits=Limits(request_seconds=0.5, idle_seconds=2 * PATIENCE))
    with service, connect(service) as client, connect(service) as silent:
        assert is_open(client)
        assert is_closed(silent)  # the time for a request is over, it is not what counts here
        assert is_open(client)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return a store whose page is larger than what systems buffer."""
    folder = tmp_path_factory.mktemp("large")
    stamp = "2010-01-01T00:00:00Z"
    write_collection(
        folder,
        "project",
        [
            {
                "id": str(number),
                "name": f"Project {number}",
                "created_at": stamp,
                "updated_at": stamp,
                "description": "text " * 20_000,
                "stack_count": 1,
            }
            for number in range(1, 26)
        ],
    )
    with Store(build_store(folder / "store.sqlite", [folder])) as store:
        assert store.count(RESOURCES["project"]) == 25
        yield store


def request_large(service: Service, client: socket.socket) -> None:
    assert service.api_key is not None
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
    target = f"/projects.xml?api_key={service.api_key.reveal()}"
    client.sendall(f"GET {target} HTTP/1.0\r\nHost: a\r\n\r\n".encode())


def test_who_does_not_read_an_answer_is_ended_and_threads_stay_free(large: Store) -> None:
    with ExitStack() as stack:
        service = serve(large, limits=Limits(stall_seconds=1.0))
        stack.callback(service.stop)
        clients = [stack.enter_context(connect(service)) for _ in range(20)]  # threads are 8
        for client in clients:
            request_large(service, client)
        assert ask(service).ok
        begin = clients[0].recv(4096)
        assert begin.startswith(b"HTTP/1.0 200 OK")
        # Nothing is read until the service has given up: it has let go of all but `ask`'s.
        end = time.monotonic() + PATIENCE
        while service._sockets.answers_in_flight() and time.monotonic() < end:
            time.sleep(0.05)
        received = len(begin)
        try:
            while block := clients[0].recv(1 << 20):
                received += len(block)
        except ConnectionError:
            pass
        assert received < 25 * 100_000


def test_who_reads_an_answer_slowly_gets_all_of_it(large: Store) -> None:
    service = serve(large, limits=Limits(stall_seconds=3.0))
    with service, connect(service) as client:
        request_large(service, client)
        received, begin = b"", time.monotonic()
        while block := client.recv(16_384):
            received += block
            if time.monotonic() - begin < 4:
                time.sleep(0.05)
        assert received.rstrip().endswith(b"</response>")
        assert len(received) > 25 * 100_000


def test_a_full_service_closes_the_connection_that_waited_longest(store: Store) -> None:
    with ExitStack() as stack:
        service = serve(store, limits=Limits(connections=5, request_seconds=PATIENCE))
        stack.callback(service.stop)
        clients = [stack.enter_context(connect(service)) for _ in range(5)]
        assert is_open(clients[0])  # so the second has waited longest
        assert ask(service).ok
        assert is_closed(clients[1])
        assert all(is_open(client) for client in (*clients[:1], *clients[2:]))


def test_a_full_service_closes_no_connection_that_is_being_answered(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, go_on, page = threading.Event(), threading.Event(), Store.page

    def held_page(self: Store, *args: object, **options: object) -> object:
        asked.set()
        assert go_on.wait(PATIENCE)
        return page(self, *args, **options)  # type: ignore[arg-type]  # handed on as they came

    monkeypatch.setattr(Store, "page", held_page)
    service = serve(store, limits=Limits(connections=10))
    assert service.api_key is not None
    target = f"/accounts.xml?api_key={service.api_key.reveal()}"
    with service, ThreadPoolExecutor(1) as pool, ExitStack() as stack:
        stack.callback(go_on.set)
        answer = pool.submit(ask, service, target)
        assert asked.wait(PATIENCE)
        clients = [stack.enter_context(connect(service)) for _ in range(30)]
        assert all(is_closed(client) for client in clients[:21])
        assert is_open(clients[-1])
        go_on.set()
        assert answer.result().status_code == 200


def test_one_address_cannot_take_all_connections(store: Store) -> None:
    limits = Limits(connections_per_address=3, exempt_addresses=("::1/128",))
    with ExitStack() as stack:
        service = serve(store, limits=limits)
        stack.callback(service.stop)
        clients = [stack.enter_context(connect(service)) for _ in range(3)]
        assert is_closed(stack.enter_context(connect(service)))
        address = ("127.0.0.1", urlsplit(service.url).port or 0)
        try:
            other = socket.create_connection(address, source_address=("127.0.0.2", 0))
        except OSError:
            pytest.skip("this system has one IPv4 loopback address")
        with other:
            assert is_open(other)
        assert is_open(clients[0])
        clients[0].close()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with connect(service) as client:
                if is_open(client):
                    return
        pytest.fail("a connection that ended is still counted")


def test_requests_sent_at_once_are_answered_in_order_up_to_their_number(store: Store) -> None:
    service = serve(store)
    with service, connect(service) as client, connect(service) as greedy:
        missing = b"GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        client.sendall(WHOLE * 3 + missing)
        answers = b""
        while block := client.recv(65536):
            answers += block
        found = [part[:3] for part in answers.split(b"HTTP/1.1 ")[1:]]
        assert found == [b"200", b"200", b"200", b"404"]
        greedy.sendall(WHOLE * 100)
        assert is_closed(greedy)
        assert ask(service).ok


def test_a_service_with_open_connections_stops_and_closes_them(store: Store) -> None:
    with ExitStack() as stack:
        service = serve(store)
        clients = [stack.enter_context(connect(service)) for _ in range(50)]
        for client in clients[25:]:
            client.sendall(HALF)
        assert ask(service).ok
        service.stop()
        assert all(is_closed(client) for client in clients)
        assert not service._sockets


def answers_at(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=PATIENCE) as client:
            return is_open(client)
    except ConnectionRefusedError:
        return False


@pytest.mark.parametrize(
    ("host", "v4", "v6"), [("::", True, True), ("localhost", True, None), ("::1", False, True)]
)
def test_all_addresses_of_a_host_are_listened_at(
    store: Store, host: str, v4: bool, v6: bool | None
) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this system has no IPv6")
    if v6 is None:  # a name has the addresses that the system's files say
        v6 = any(f == socket.AF_INET6 for f, *_ in socket.getaddrinfo(host, 0))
    service = serve(store, host=host)
    with service as url:
        port = urlsplit(url).port or 0
        assert answers_at("127.0.0.1", port) is v4
        assert answers_at("::1", port) is v6
    assert not answers_at("127.0.0.1", port)
    assert not answers_at("::1", port)


FILES = """
import resource, sys
from dirframe.service.connections import bounded_by_open_files
resource.setrlimit(resource.RLIMIT_NOFILE, (300, 1000))
print(bounded_by_open_files(4096), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
print(bounded_by_open_files(50, raise_soft_limit=True), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
print(bounded_by_open_files(4096, raise_soft_limit=True), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no files")
def test_connections_are_bounded_by_the_files_that_a_process_may_open() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", FILES], capture_output=True, text=True, check=True
    ).stdout
    assert shown.split() == ["100", "300", "50", "300", "800", "1000"]


BAD = {
    "two lengths": (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        400,
    ),
    "a length that is not a number": (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc",
        400,
    ),
    "an encoding that is unknown": (
        b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
        501,
    ),
    "an encoding in disguise": (
        b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0bchunked\r\n\r\n",
        400,
    ),
    "bare line feeds": (b"GET / HTTP/1.1\nHost: a\n\n\r\n\r\n", 400),
    "a bare line feed in a header": (b"GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 400),
    "a blank before the colon": (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    "large headers": (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 16_384 + b"\r\n\r\n", 431),
    "a large body": (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n", 413),
    "a large body that is announced": (
        b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 99999\r\n\r\n",
        413,
    ),
    "length and encoding, announced": (
        (
            b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        ),
        400,
    ),
    "length and encoding": (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + WHOLE,
        400,
    ),
    "an encoding in the version that has none": (
        b"POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"0\r\n\r\n" + WHOLE,
        400,
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_could_be_read_as_two_different_requests_is_refused_once(
    store: Store, name: str
) -> None:
    request, status = BAD[name]
    service = serve(store)
    with service, connect(service) as client:
        client.sendall(request)
        answer = b""
        try:
            while block := client.recv(65536):
                answer += block
        except ConnectionError:  # it was refused before it was read to its end
            pass
        assert answer.count(b"HTTP/1.") == 1
        assert f" {status} ".encode() in answer.split(b"\r\n")[0]
