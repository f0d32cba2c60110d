"""Connections that take and do not give, with the limits of the command: they end, others are served."""

from contextlib import ExitStack, contextmanager, suppress
from statistics import median
from time import monotonic, sleep

import pytest

from dirframe.service.keys import KeyStore
from tests import processes
from tests.rig.server import page_xml, record
from tests.service import wire

resource = pytest.importorskip("resource", reason="this system knows no RLIMIT_NOFILE")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
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
            yield address(log), key
        finally:
            process.terminate()
            process.wait(processes.LIMIT)


def address(log):
    """Wait for the address in the log."""
    end = monotonic() + processes.LIMIT
    while monotonic() < end:
        _, found, rest = log.read_text().partition("http://")
        if found and ";" in rest:
            return found + rest.partition(";")[0]
        sleep(0.02)
    raise AssertionError(log.read_text())


@pytest.fixture
def many_files():
    """Allow this process thousands of connections, or skip."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 3000:
        pytest.skip("this process may open few files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 3000), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def request_large(url, key, *, times=1):
    """Ask for a large page, or for many at once, and read nothing of it."""
    connection = wire.connect(url, receive_buffer=65_536)
    version = "1.0" if times == 1 else "1.1"
    request = f"GET /projects.xml?api_key={key} HTTP/{version}\r\nHost: a\r\n\r\n".encode()
    connection.sendall(request * times)
    return connection


def test_who_sends_or_reads_nothing_keeps_nobody_out_and_is_ended(folder, tmp_path, many_files):
    with served(folder, tmp_path / "keys") as (url, key), ExitStack() as stack:
        silent = [stack.enter_context(wire.connect(url)) for _ in range(2000)]
        for client in silent[1000:]:
            client.sendall(wire.HALF)
        unread = [stack.enter_context(request_large(url, key)) for _ in range(20)]
        unread += [stack.enter_context(request_large(url, key, times=50)) for _ in range(20)]
        slow = stack.enter_context(request_large(url, key))
        trickled = dict(enumerate(stack.enter_context(wire.connect(url)) for _ in range(3)))
        trickled[1].sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n")
        content, begin, waits = b"", monotonic(), []
        slow.settimeout(0.001)
        while trickled and monotonic() < begin + 60:  # bytes that keep coming extend nothing
            for target in ("/healthz", f"/accounts.xml?api_key={key}", "/accounts"):
                asked = monotonic()
                assert wire.ask(url, target).status == 200
                waits.append(monotonic() - asked)
            for number in list(trickled):
                try:
                    trickled[number].sendall(b"G")
                except ConnectionError:
                    del trickled[number]
            with suppress(TimeoutError):
                content += slow.recv(16_384)
            sleep(0.05)
        assert not trickled
        print(f"median {median(waits) * 1000:.1f} ms, worst {max(waits) * 1000:.0f} ms")
        assert median(waits) < 0.05
        assert max(waits) < 1.5
        assert all(wire.is_closed(client) for client in silent)
        slow.settimeout(wire.LIMIT)
        content += wire.received(slow)  # who reads slowly gets all of it
        assert content.endswith(b"</response>\n")
        # Nothing is read until the service has given up: what it had sent is then all that comes.
        sleep(max(0, begin + 40 - monotonic()))
        for client in unread:
            assert len(wire.received(client)) < 25 * 100_000
        assert wire.ask(url, "/healthz").status == 200


def test_full_service_closes_who_waited_longest(folder, tmp_path):
    with served(folder, tmp_path / "keys", files=(300, 300)) as (url, _), ExitStack() as stack:
        number = 100  # of 300 files the service keeps 200 for itself
        clients = [stack.enter_context(wire.connect(url)) for _ in range(number)]
        assert wire.is_open(clients[0])  # so the second has waited longest
        assert wire.ask(url, "/healthz").status == 200
        assert wire.is_closed(clients[1])
        assert wire.is_open(clients[2])
        more = [stack.enter_context(wire.connect(url)) for _ in range(2 * number)]
        assert all(wire.is_closed(client) for client in more[:number])
        assert wire.is_open(more[-1])


def test_command_raises_its_limit_of_open_files(folder, tmp_path):
    with (
        served(folder, tmp_path / "keys", files=(300, 1000)) as (url, _),
        ExitStack() as stack,
    ):
        clients = [stack.enter_context(wire.connect(url)) for _ in range(150)]  # not 100
        assert all(wire.is_open(client) for client in clients)
