"""The service under load, signals and full disks."""

import re
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic, sleep

import pytest
import requests

import dirframe
from dirframe.service.keys import Counted, KeyStore, LimitReached
from tests import processes
from tests.processes import open_files
from tests.rig.server import page_xml, record
from tests.service import wire
from tests.service.conftest import Held, records_folder
from tests.service.test_app import (  # with more examples
    door,
    test_key_is_needed_however_an_address_is_spelt,
)

__all__ = ["door", "records_folder", "test_key_is_needed_however_an_address_is_spelt"]

resource = pytest.importorskip("resource", reason="this system has neither limits nor signals")


@pytest.fixture(scope="module")
def large_records_folder(tmp_path_factory):
    """Return a folder of an account, and of projects whose page is larger than what systems buffer."""
    folder = tmp_path_factory.mktemp("large")
    text = "text " * 20_000
    page = page_xml([record(n, name=f"Project {n}", description=text) for n in range(1, 26)])
    (folder / "projects.xml").write_bytes(page)
    (folder / "accounts.xml").write_bytes(page_xml([record("1", "account", name="Ada")]))
    return folder


@contextmanager
def served(folder, path, *, files=None):
    """Serve the folder by the command; give its address and a key."""
    with KeyStore(path) as keys:
        key = keys.add("a tester", "connections")
    limit = files and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, files))
    words = ("serve", folder, "--port", 0, "--key-file", path)
    log = path.with_suffix(".log")
    with (
        log.open("w") as stream,
        processes.start(*words, stderr=stream, preexec_fn=limit) as process,
    ):
        try:
            while not (found := re.search(r"http://[^;\s]+;", log.read_text())):
                assert process.poll() is None
                sleep(0.02)
            yield found[0].removesuffix(";"), key
        finally:
            process.terminate()
            process.wait(processes.LIMIT)


# Connections that take and do not give, with the limits of the command


def request_large(url, key, *, times=1):
    """Ask for a large page, or for many at once, and read nothing of it."""
    connection = wire.connect(url, receive_buffer=65_536)
    version = "1.0" if times == 1 else "1.1"
    request = f"GET /projects.xml?api_key={key} HTTP/{version}\r\nHost: a\r\n\r\n".encode()
    connection.sendall(request * times)
    return connection


def test_slow_clients_keep_nobody_out_and_are_disconnected(large_records_folder, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 3000:
        pytest.skip("this process may open few files")
    with served(large_records_folder, tmp_path / "keys") as (url, key), ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 3000), hard))
        silent = [stack.enter_context(wire.connect(url)) for _ in range(2000)]
        for client in silent[1000:]:
            client.sendall(wire.HALF)
        unread = [stack.enter_context(request_large(url, key)) for _ in range(20)]
        unread += [stack.enter_context(request_large(url, key, times=50)) for _ in range(20)]
        slow = stack.enter_context(request_large(url, key))
        trickled = dict(enumerate(stack.enter_context(wire.connect(url)) for _ in range(3)))
        trickled[1].sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n")
        content, begin = b"", monotonic()
        rounds_beside_all = 0  # of requests that were answered while none of the others had ended
        slow.settimeout(0.001)
        targets = ("/healthz", f"/accounts.xml?api_key={key}", "/accounts")
        while trickled and monotonic() < begin + 60:  # bytes that keep coming extend nothing
            statuses = [wire.ask(url, target).status for target in targets]
            assert statuses == [200, 200, 200]
            for number in list(trickled):
                try:
                    trickled[number].sendall(b"G")
                except ConnectionError:
                    del trickled[number]
            rounds_beside_all += len(trickled) == 3
            with suppress(TimeoutError):
                content += slow.recv(16_384)
            sleep(0.05)
        assert not trickled
        # Who had to wait for one of them would be answered after its end, not before.
        assert rounds_beside_all >= 3
        assert all(wire.is_closed(client) for client in silent)
        slow.settimeout(wire.LIMIT)
        content += wire.received(slow)  # who reads slowly gets all of it
        assert content.endswith(b"</response>\n")
        # Nothing is read until the service has given up: what it had sent is then all that comes.
        sleep(max(0, begin + 40 - monotonic()))
        sizes = [len(wire.received(client)) for client in unread]
        assert max(sizes) < 25 * 100_000
        assert wire.ask(url, "/healthz").status == 200


def test_full_service_closes_who_waited_longest(large_records_folder, tmp_path):
    with (
        served(large_records_folder, tmp_path / "keys", files=(300, 300)) as (url, _),
        ExitStack() as stack,
    ):
        number = 100  # of 300 files the service keeps 200 for itself
        clients = [stack.enter_context(wire.connect(url)) for _ in range(number)]
        assert wire.is_open(clients[0])  # so the second has waited longest
        assert wire.ask(url, "/healthz").status == 200
        assert wire.is_closed(clients[1])
        assert wire.is_open(clients[2])
        more = [stack.enter_context(wire.connect(url)) for _ in range(2 * number)]
        assert all(wire.is_closed(client) for client in more[:number])
        assert wire.is_open(more[-1])


def test_command_raises_its_limit_of_open_files(large_records_folder, tmp_path):
    with (
        served(large_records_folder, tmp_path / "keys", files=(300, 1000)) as (url, _),
        ExitStack() as stack,
    ):
        clients = [stack.enter_context(wire.connect(url)) for _ in range(150)]  # not 100
        assert all(wire.is_open(client) for client in clients)


def test_answer_that_is_being_read_is_finished_when_the_service_stops(large_records_folder):
    service = dirframe.serve(large_records_folder)
    key = service.api_key.reveal()
    url = service.url
    with ThreadPoolExecutor(1) as pool, service, request_large(url, key) as client:
        begin = client.recv(4096)
        stopped = pool.submit(service.stop)
        wire.wait_until_refused(url)
        with pytest.raises(TimeoutError):
            stopped.result(0.1)
        assert (begin + wire.received(client)).endswith(b"</response>\n")
        stopped.result()


# Signals that come at any time


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_command_that_is_to_stop_ends_its_import(tmp_path, number):
    for part in range(30):
        page = page_xml([record(f"{part}-{n}", name=f"Project {n}") for n in range(2_000)])
        (tmp_path / "data" / str(part)).mkdir(parents=True)
        (tmp_path / "data" / str(part) / "projects.xml").write_bytes(page)
    words = ("serve", tmp_path / "data", "--port", 0, "--key-file", tmp_path / "keys")
    cache = {"DIRFRAME_CACHE_DIR": str(tmp_path / "cache")}
    with processes.interruptible(), processes.start(*words, env=cache) as process:
        while not list((tmp_path / "cache").glob("stores/.*")):  # the import has not begun
            sleep(0.01)
        process.send_signal(number)
        _, rest = process.communicate(timeout=processes.LIMIT)
    assert process.returncode == 0
    assert "http://" not in rest
    assert "Traceback" not in rest
    assert not list((tmp_path / "cache" / "stores").iterdir())  # nor half of a store


def test_request_that_outlasts_the_service_writes_into_no_other_file(
    large_records_folder, tmp_path, monkeypatch
):
    """Files of the user get the numbers of the descriptors that the service had."""
    before, held = open_files(tmp_path), Held(monkeypatch)
    with ExitStack() as files:
        service = dirframe.serve(large_records_folder)
        target = f"{service.url}/accounts.xml?api_key={service.api_key.reveal()}"
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(requests.get, target, timeout=60)
            assert held.asked.wait(wire.LIMIT)
            service.stop()  # it waits for some seconds
            others = tmp_path / "others"
            others.mkdir()
            for number in range(60):
                files.enter_context((others / str(number)).open("w"))
            held.go_on.set()
            assert answer.exception() is not None
        assert {path.stat().st_size for path in others.iterdir()} == {0}
    assert open_files(tmp_path) == before


# Keys that processes and threads share, and a disk that is full

SPEND = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from dirframe.service.keys import Counted, KeyStore

with KeyStore(Path(sys.argv[1])) as keys, ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(lambda _: keys.charge(sys.argv[2]) == Counted(), range(400))))
"""

REGISTER = """
import sys
from contextlib import suppress
from pathlib import Path
from dirframe.errors import InvalidInputError
from dirframe.service.keys import KeyStore

added = 0
with KeyStore(Path(sys.argv[1])) as keys, suppress(InvalidInputError):
    for number in range(3):
        keys.add("Ada", f"application {sys.argv[2]}.{number}")
        added += 1
print(added)
"""


def printed(program, *arguments):
    """Run the program in processes at the same time, and add up what they print."""
    started = [processes.start(*words, program=program) for words in arguments]
    numbers = [int(process.communicate(timeout=processes.LIMIT)[0]) for process in started]
    assert [process.returncode for process in started] == [0] * len(started)
    return sum(numbers)


def test_quota_is_exact_over_threads_processes_and_restarts(tmp_path):
    path = tmp_path / "k"
    with KeyStore(path) as keys:
        key = keys.add("Ada", "charts")
        assert [keys.charge(key) for _ in range(100)] == [Counted()] * 100
    assert 100 + printed(SPEND, *[(path, key)] * 3) == 1000
    with KeyStore(path) as keys:
        assert keys.records()[0]["used"] == 1000
        assert isinstance(keys.charge(key), LimitReached)


def test_processes_that_register_at_once_get_five_keys_together(tmp_path):
    # The file does not exist yet: making it is part of the race.
    assert printed(REGISTER, *[(tmp_path / "k", n) for n in range(3)]) == 5


#: No file can be written to, as on a full disk; pipes and sockets can.
FULL = """
import resource, sys
import requests
import dirframe

sys.dont_write_bytecode = True  # no module is compiled into a cut file
with dirframe.serve(sys.argv[1], keys=sys.argv[2]) as service:
    for limit in (0, resource.RLIM_INFINITY):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        for _ in range(3):
            print(requests.get(f"{service.url}/accounts.xml?api_key={sys.argv[3]}", timeout=60).status_code)
"""


def test_full_disk_under_the_keys_is_503_and_logged(large_records_folder, tmp_path):
    with KeyStore(tmp_path / "k") as keys:
        key = keys.add("Ada", "charts")
        done = processes.run(large_records_folder, keys.path, key, program=FULL)
        assert (done.code, done.out.split()) == (0, ["503"] * 3 + ["200"] * 3)
        assert len(done.err.splitlines()) == 3
        assert key not in done.err
        assert keys.records()[0]["used"] == 3
