"""The served directory, over real sockets and in real processes."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import requests

from dirframe.errors import ConfigurationError
from dirframe.schema import ACCOUNT
from dirframe.service import server as server_module
from dirframe.service.api_keys import KeyStore
from dirframe.service.server import Service, serve
from dirframe.service.store.store import Store
from dirframe.service.web.access_log import shown_target

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def service(store: Store) -> Iterator[Service]:
    service = serve(store)
    yield service
    service.stop()


def key(service: Service) -> str:
    assert service.api_key is not None
    return service.api_key.reveal()


def ask_for_accounts(service: Service) -> requests.Response:
    return requests.get(f"{service.url}/accounts.xml", params={"api_key": key(service)}, timeout=60)


def raw(url: str, request: bytes) -> bytes:
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as client:
        client.sendall(request)
        received = b""
        while block := client.recv(65536):
            received += block
    return received


def test_an_embedded_directory_answers_on_loopback_with_a_key_of_its_own(store: Store) -> None:
    service = serve(store)
    with service as url:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
        answer = requests.get(f"{url}/accounts.xml", params={"api_key": key(service)}, timeout=60)
        assert answer.status_code == 200
        assert requests.get(f"{url}/accounts.xml", timeout=60).status_code == 403
        assert key(service) not in repr(service)
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{url}/healthz", timeout=60)
    service.stop()  # a second time is no error


def test_a_service_stops_and_starts_again_on_the_same_port(store: Store) -> None:
    first = serve(store)
    port = urlsplit(first.url).port or 0
    first.stop()
    with serve(store, port=port) as url:
        assert requests.get(f"{url}/healthz", timeout=60).ok


def test_a_port_that_is_taken_is_a_clear_error(service: Service, store: Store) -> None:
    port = urlsplit(service.url).port or 0
    with pytest.raises(ConfigurationError, match=f"port {port}.*0 takes a free one"):
        serve(store, port=port)
    with pytest.raises(ConfigurationError):
        serve(store, port=70_000)
    with pytest.raises(ConfigurationError, match=r"nowhere\.invalid"):
        serve(store, host="nowhere.invalid")


def test_keys_of_an_operator_are_used_as_they_are(store: Store, tmp_path: Path) -> None:
    with KeyStore(tmp_path / "k") as keys:
        secret = keys.add("Ada", "charts")
    service = serve(store, keys=tmp_path / "k")
    with service as url:
        assert service.api_key is None
        answer = requests.get(f"{url}/accounts.xml", params={"api_key": secret}, timeout=60)
        assert answer.ok
    with KeyStore(tmp_path / "k") as keys:
        assert keys.list()[0].used == 1


def test_absolute_form_targets_of_old_clients_are_accepted(service: Service) -> None:
    target = f"http://directory.example/accounts/1.xml?v=1&api_key={key(service)}"
    answer = raw(
        service.url,
        f"GET {target} HTTP/1.0\r\nHost: directory.example\r\n\r\n".encode(),
    )
    assert answer.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"\r\nStatus: 200 OK\r\n" in answer
    assert b"<id>1</id>" in answer


def test_a_request_that_is_too_large_is_refused_and_the_service_goes_on(service: Service) -> None:
    try:
        answer = raw(service.url, b"GET /" + b"a" * 20_000 + b" HTTP/1.0\r\n\r\n")
    except ConnectionResetError:  # it was refused before it was sent to its end
        answer = b"HTTP/1.0 431"
    assert answer.startswith(b"HTTP/1.0 431")
    assert requests.get(f"{service.url}/healthz", timeout=60).ok


@pytest.mark.parametrize("length", [b"", b"Content-Length: 0\r\n"])
def test_a_request_that_announces_no_body_is_answered_at_once_and_leaves_nothing_to_the_next(
    service: Service, length: bytes
) -> None:
    address = service.url.removeprefix("http://").split(":")
    with socket.create_connection((address[0], int(address[1])), 15) as client:
        client.sendall(
            b"GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n" + length + b"\r\n"
        )
        first = HTTPResponse(client)
        first.begin()
        assert (first.status, first.read()[:3]) == (200, b"ok:")
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        second = HTTPResponse(client)
        second.begin()
        assert (second.status, second.read()[:3]) == (200, b"ok:")
        client.sendall(b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 400 ")  # it has no Host


def test_a_body_that_is_announced_is_waited_for(service: Service) -> None:
    address = service.url.removeprefix("http://").split(":")
    with socket.create_connection((address[0], int(address[1])), 15) as client:
        client.sendall(
            b"POST /healthz HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        )
        assert client.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"abc")
        assert client.recv(65536).startswith(b"HTTP/1.1 405 ")


def test_many_clients_at_once_get_their_own_answers(service: Service) -> None:
    def ask(number: int) -> bool:
        answer = requests.get(
            f"{service.url}/accounts/{number}.xml", params={"api_key": key(service)}, timeout=60
        )
        return f"<id>{number}</id>" in answer.text

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(1, 101)))


def test_an_answer_in_flight_is_finished_when_the_service_stops(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, page = threading.Event(), Store.page

    def slow_page(self: Store, *args: object, **options: object) -> object:
        asked.set()
        time.sleep(0.5)
        return page(self, *args, **options)  # type: ignore[arg-type]  # handed on as they came

    monkeypatch.setattr(Store, "page", slow_page)
    service = serve(store)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask_for_accounts, service)
        assert asked.wait(60)
        service.stop()
        assert answer.result().status_code == 200
        assert b"</response>" in answer.result().content


def test_a_service_whose_loop_ends_before_it_is_woken_stops(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = serve(store)
    server, loop = service._servers[0], service._thread
    wake = server.pull_trigger

    def wake_too_late() -> None:
        loop.join(timeout=3)  # its turns are at most one second long
        wake()

    monkeypatch.setattr(server, "pull_trigger", wake_too_late)
    service.stop()
    assert not loop.is_alive()


def test_a_request_that_outlasts_the_service_writes_into_no_other_file(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked, stopped = threading.Event(), threading.Event()

    def page_of_late(*_: object, **__: object) -> object:
        asked.set()
        stopped.wait(60)
        raise OSError("The store is closed.")

    monkeypatch.setattr(Store, "page", page_of_late)
    monkeypatch.setattr(server_module, "_GRACE", 0.1)
    before = set(threading.enumerate())
    service = serve(store)
    workers = set(threading.enumerate()) - before - {service._thread}
    trigger = service._servers[0].trigger.trigger
    with ThreadPoolExecutor(1) as pool, ExitStack() as files:
        answer = pool.submit(ask_for_accounts, service)
        assert asked.wait(60)
        service.stop()
        # Files of the user that get the descriptors of the service.
        others = {
            files.enter_context((tmp_path / str(number)).open("w")).fileno() for number in range(30)
        }
        assert trigger in others
        stopped.set()
        assert answer.exception() is not None
        for thread in workers:
            thread.join(60)
            assert not thread.is_alive()
    assert {path.stat().st_size for path in tmp_path.iterdir()} == {0}


def test_a_stop_that_was_interrupted_can_be_repeated(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = serve(store)
    keys = service._owned

    def interrupted() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(service._thread, "join", interrupted)
        with pytest.raises(KeyboardInterrupt):
            service.stop()
    released = threading.Event()
    keys.callback(released.set)
    service.stop()
    assert released.is_set()
    assert not service._thread.is_alive()


FORKED = """
import os, sys
import pandas as pd
import requests
import dirframe

projects = pd.DataFrame({"id": range(1, 4), "name": ["ant", "bee", "cat"]})
with dirframe.serve({"projects": projects}) as url:
    child = os.fork()
    if not child:
        sys.exit(0)  # leaves the block, and runs what is registered for the end of a process
    os.waitpid(child, 0)
    print(requests.get(f"{url}/projects/2", timeout=20).status_code)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_forked_process_that_ends_leaves_the_service_to_its_parent(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKED],
        env=os.environ | {"DIRFRAME_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["200"], "")


def test_the_access_log_tells_everything_but_keys(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    secret = key(service)
    with caplog.at_level(logging.INFO, logger="dirframe.service.access"):
        for target in ("/accounts.xml?query=ada&page=2&", "/accounts.xml?API_KEY=x&"):
            requests.get(f"{service.url}{target}api_key={secret}", timeout=60)
        requests.get(f"{service.url}/{secret}/api_key={secret}", timeout=60)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 3
    assert '"GET /accounts.xml?query=ada&page=2" 200' in lines[0]
    assert secret not in caplog.text


@pytest.mark.parametrize(
    ("path", "query_string", "shown"),
    [
        ("/accounts.xml", f"api_key={KEY}&query=a+b", "/accounts.xml?query=a+b"),
        ("/accounts.xml", f"apikey={KEY}", "/accounts.xml"),
        ("/accounts.xml", f"query={KEY}", "/accounts.xml?query=…"),
        (f"/accounts/{KEY[:32]}.xml", "", "/accounts/….xml"),
        (f"/accounts.xml&api_key={KEY}", "", "/accounts.xml%26api_key…"),
        ("/a\r\nb", "query=a%0Ab", "/a%0D%0Ab?query=a%0Ab"),
    ],
)
def test_a_target_is_logged_in_one_line_without_secrets(
    path: str, query_string: str, shown: str
) -> None:
    assert shown_target(path, query_string) == shown


RUN = """
import sys
from pathlib import Path
from dirframe.service.foreground import run
run(Path(sys.argv[1]), port=0, keys=Path(sys.argv[2]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_service_in_the_foreground_stops_on_a_signal(
    store: Store, tmp_path: Path, number: int
) -> None:
    with KeyStore(tmp_path / "k") as keys:
        secret = keys.add("Ada", "charts")
    command = [sys.executable, "-c", RUN, str(store.path), str(tmp_path / "k")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        begin = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", begin)
        assert found, begin
        answer = requests.get(f"{found[0]}/accounts.xml", params={"api_key": secret}, timeout=60)
        assert answer.ok
        process.send_signal(number)
        log = process.stderr.read()
        assert process.wait(timeout=60) == 0
    assert '"GET /accounts.xml" 200' in log
    assert secret not in log
    assert "Traceback" not in log


def test_xml_files_are_served_and_their_store_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
    page = Path(__file__).parent.parent / "xml" / "accounts-page.xml"
    for _ in range(2):
        with serve(page) as url:
            assert requests.get(f"{url}/healthz", timeout=60).text == "ok: 3 accounts, 0 projects\n"
    kept = list((tmp_path / "cache" / "stores").iterdir())
    assert len(kept) == 1
    kept[0].write_bytes(b"damaged")
    with serve(page) as url:
        assert requests.get(f"{url}/healthz", timeout=60).text.startswith("ok: 3 accounts")


def test_a_cache_folder_that_cannot_be_written_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "file" / "cache"))
    page = Path(__file__).parent.parent / "xml" / "accounts-page.xml"
    with serve(page) as url:
        assert requests.get(f"{url}/accounts/11", timeout=60).ok


def test_the_store_stays_open_when_it_was_given(store: Store) -> None:
    serve(store).stop()
    assert store.count(ACCOUNT) == 107
    assert store.by_id(ACCOUNT, "1")
