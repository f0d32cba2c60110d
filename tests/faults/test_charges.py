"""What never reached the directory is never charged, and what cannot get better is not retried."""

from __future__ import annotations

import http.client
import socket
import ssl
import struct
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Self

import pytest
import trustme

from dirframe.errors import ConfigurationError, NetworkError
from tests.faults import faults
from tests.faults.service import KEY, FaultyService, Shelf, numbered
from tests.faults.test_outcomes import load
from tests.faults.tunnel import Tunnel
from tests.open_files import open_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dirframe.client.directory import Directory
    from tests.faults.conftest import Ask

VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def bundle(authority: trustme.CA, tmp_path: Path) -> Path:
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    return path


@contextmanager
def encrypted(authority: trustme.CA, host: str = "127.0.0.1") -> Iterator[FaultyService]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(context)
    with FaultyService(Shelf(numbered(5), size=10), tls=context) as service:
        yield service


class Door:
    """A listener that counts connections and does something to each."""

    def __init__(self, act: Any) -> None:
        self.connections = 0
        self._act = act
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._closing = False
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection:
                if self._closing:
                    return
                self.connections += 1
                with suppress(OSError):
                    self._act(connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._closing = True
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port)).close()
        self._thread.join()
        self._listener.close()


def failure(directory: Directory) -> str:
    """Load, and return the error's text; it never holds the key."""
    with pytest.raises(NetworkError) as caught:
        load(directory)
    assert KEY not in str(caught.value)
    return str(caught.value)


def charged(directory: Directory) -> int:
    return directory.settings.daily_quota - directory.session.quota.remaining()


def test_an_unknown_authority_costs_nothing_and_the_error_says_how_to_trust_it(
    authority: trustme.CA, ask: Ask
) -> None:
    handshakes: list[str] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    def shake(connection: socket.socket) -> None:
        handshakes.append("")
        context.wrap_socket(connection, server_side=True).recv(1)

    with Door(shake) as door:
        directory = ask(f"https://127.0.0.1:{door.port}", retries=3)
        text = failure(directory)
    assert "certificate" in text
    assert "REQUESTS_CA_BUNDLE" in text
    assert "not counted" in text
    assert charged(directory) == 0
    assert len(handshakes) == 1


def test_a_certificate_of_another_host_costs_nothing_and_is_not_tried_again(
    authority: trustme.CA, bundle: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    with encrypted(authority, "directory.example") as service:
        directory = ask(service, retries=3)
        text = failure(directory)
        assert service.asked == []
    assert "certificate of 127.0.0.1" in text
    assert "host name" in text
    assert charged(directory) == 0


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_certificates_that_the_environment_names_are_trusted(
    variable: str, authority: trustme.CA, bundle: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(bundle))
    with encrypted(authority) as service:
        directory = ask(service)
        assert load(directory) == numbered(5)
        assert charged(directory) == len(service.asked) == 1


def test_what_requests_reads_goes_before_what_openssl_reads(
    authority: trustme.CA,
    bundle: Path,
    ask: Ask,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(str(other))
    monkeypatch.setenv("SSL_CERT_FILE", str(other))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    with encrypted(authority) as service:
        assert load(ask(service)) == numbered(5)


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_path_of_certificates_that_does_not_exist_is_named(
    variable: str, ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "gone.pem"))
    with pytest.raises(ConfigurationError, match=rf"{variable} is .*gone\.pem.* does not exist"):
        load(ask("https://127.0.0.1:9"))


def test_a_session_that_cannot_begin_leaves_no_file_open(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
    with pytest.raises(ConfigurationError) as refused:
        load(ask("https://127.0.0.1:9"))
    assert open_files(tmp_path) == set()
    assert refused.tb is not None  # keeps what was made alive, as a notebook does


def test_a_file_without_certificates_is_named(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("no certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "notes.txt"))
    with pytest.raises(ConfigurationError, match=r"notes\.txt.*PEM"):
        load(ask("https://127.0.0.1:9"))


def test_a_port_without_tls_costs_nothing_and_is_not_tried_again(ask: Ask) -> None:
    def answer(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with Door(answer) as door:
        directory = ask(f"https://127.0.0.1:{door.port}", retries=3)
        text = failure(directory)
    assert "does not speak TLS" in text
    assert charged(directory) == 0
    assert door.connections == 1


def test_a_port_with_tls_that_is_asked_without_costs_nothing(
    authority: trustme.CA, ask: Ask
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    def shake(connection: socket.socket) -> None:
        # In memory, so that the alert goes out before the connection is closed.
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        speaking = context.wrap_bio(incoming, outgoing, server_side=True)
        incoming.write(connection.recv(4096))
        with suppress(ssl.SSLError):
            speaking.do_handshake()
        connection.sendall(outgoing.read() or b"\x15\x03\x01\x00\x02\x02\x46")

    with Door(shake) as door:
        directory = ask(f"http://127.0.0.1:{door.port}", retries=3)
        text = failure(directory)
    assert "https://" in text
    assert charged(directory) == 0
    assert door.connections == 1


def test_a_handshake_that_is_cut_is_tried_again_for_nothing(ask: Ask) -> None:
    with Door(lambda connection: connection.recv(4096)) as door:
        directory = ask(f"https://127.0.0.1:{door.port}", retries=2)
        failure(directory)
    assert charged(directory) == 0
    assert door.connections == 3


def test_a_refused_connection_costs_nothing_however_often_it_is_tried(ask: Ask) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    directory = ask(f"http://127.0.0.1:{port}", retries=3)
    assert f"no connection to 127.0.0.1:{port} (Connection refused)" in failure(directory)
    assert charged(directory) == 0


def test_a_host_that_has_no_address_costs_nothing(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*args: Any, **options: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    # No machine of a test asks a name server.
    monkeypatch.setattr("urllib3.util.connection.socket.getaddrinfo", unknown)
    directory = ask("https://directory.example", retries=1)
    text = failure(directory)
    assert "the host name of directory.example was not found" in text
    assert charged(directory) == 0


def test_a_connection_that_takes_too_long_costs_nothing(ask: Ask) -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = []
        for _ in range(4):  # the queue of those that nobody accepts
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
            waiting.append(one)
        directory = ask(f"http://127.0.0.1:{port}", retries=0, connect_timeout=0.3)
        text = failure(directory)
        for one in waiting:
            one.close()
    assert "within 0.3 seconds" in text
    assert "connect_timeout=" in text
    assert charged(directory) == 0


def test_a_reset_after_sending_is_charged_once_each_time(service: FaultyService, ask: Ask) -> None:
    service.faults.append(faults.reset_before)
    directory = ask(service, retries=3)
    assert load(directory) == numbered(55)
    assert charged(directory) == len(service.asked) == 7


def test_what_failed_before_and_what_failed_after_sending_are_counted_apart(
    authority: trustme.CA, bundle: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    def act(connection: socket.socket) -> None:
        if door.connections <= 2:
            connection.recv(4096)  # and no handshake
            return
        with context.wrap_socket(connection, server_side=True) as speaking:
            speaking.recv(4096)
            linger = struct.pack("ii", 1, 0)
            speaking.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    with Door(act) as door:
        directory = ask(f"https://127.0.0.1:{door.port}", retries=2)
        failure(directory)
    assert door.connections == 3
    assert charged(directory) == 1


def test_a_proxy_that_wants_a_password_costs_nothing_and_is_asked_once(
    authority: trustme.CA, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with encrypted(authority) as service, Tunnel(refuses=True) as tunnel:
        proxy = tunnel.url.replace("http://", "http://ada:s3cret@")
        monkeypatch.setenv("https_proxy", proxy)
        directory = ask(service, retries=3)
        text = failure(directory)
        assert service.asked == []
        assert len(tunnel.connected) == 1
    assert "407" in text
    assert "NO_PROXY" in text
    assert "s3cret" not in text
    assert charged(directory) == 0


def test_a_proxy_that_wants_a_password_without_a_tunnel_costs_nothing(
    service: FaultyService, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.always = faults.answers("<html>Who are you?</html>", 407, Proxy_Authenticate="Basic")
    monkeypatch.setenv("http_proxy", service.url)
    directory = ask(service, base_url="http://127.0.0.1:9", retries=3)
    text = failure(directory)
    assert f"the proxy 127.0.0.1:{service.port} refused it (407)" in text
    assert "NO_PROXY" in text
    assert len(service.asked) == 1
    assert charged(directory) == 0


def test_a_proxy_that_is_gone_costs_nothing(
    authority: trustme.CA, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Tunnel() as tunnel:
        gone = tunnel.url
    monkeypatch.setenv("https_proxy", gone)
    directory = ask("https://127.0.0.1:9", retries=2)
    assert f"no connection to the proxy {gone.removeprefix('http://')}" in failure(directory)
    assert charged(directory) == 0


def test_an_interrupted_connection_attempt_costs_nothing(
    service: FaultyService, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    directory = ask(service)
    monkeypatch.setattr(http.client.HTTPConnection, "putrequest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        load(directory)
    assert charged(directory) == 0


def test_an_answer_that_trickles_encrypted_is_ended_too(
    authority: trustme.CA, bundle: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    with encrypted(authority) as service:
        service.always = faults.drip_body
        directory = ask(service, total_timeout=60.0, min_bytes_per_second=1_000.0, slow_time=0.4)
        assert "was too slow" in failure(directory)
        assert charged(directory) == len(service.asked) == 1
