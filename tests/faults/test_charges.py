"""The way to the directory: certificates, proxies, and what never arrived, which costs nothing."""

import socket
import ssl
import struct
from contextlib import suppress

import pytest
import trustme

import dirframe
from tests.faults import error_of, load
from tests.open_files import open_files
from tests.rig import faults
from tests.rig.server import MARK, Proxy, Rig, Trap

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch):
    for name in (*PROXIES, *map(str.lower, PROXIES), *CERTIFICATES):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def certificates(authority, tmp_path):
    """Return a file with the certificate of the authority."""
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@pytest.fixture
def trusted(certificates, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", certificates)


@pytest.fixture
def nowhere():
    """Make directories of addresses where no rig is."""
    with Rig().in_process() as rig:
        yield rig


def context_for(authority, host="127.0.0.1"):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(context)
    return context


@pytest.fixture
def encrypted(authority):
    with Rig(55, tls=context_for(authority)) as rig:
        yield rig


def failure(directory):
    """Load what cannot be fetched; return the error, which does not hold the key."""
    error = error_of(directory)
    assert type(error) is dirframe.NetworkError
    assert MARK not in str(error)
    return error


# Certificates


def test_encrypted_directory_loads_complete(trusted, encrypted):
    with encrypted.directory(workers=4) as directory:
        assert load(directory) == encrypted.ids
        assert directory.quota().used == len(encrypted.requests) == 6


def test_certificates_that_the_environment_names_are_trusted(encrypted, certificates, monkeypatch):
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        with monkeypatch.context() as patch:
            patch.setenv(variable, certificates)
            assert load(encrypted.directory()) == encrypted.ids


def test_unknown_authority_is_refused_before_the_key_goes_out(authority, nowhere):
    received = []

    def shake(connection):
        received.append(b"")
        speaking = context_for(authority).wrap_socket(connection, server_side=True)
        received.append(speaking.recv(4096))

    with Trap(act=shake) as trap:
        directory = nowhere.directory(url=f"https://127.0.0.1:{trap.port}")
        failure(directory)
        assert directory.quota().used == 0
    assert b"".join(received) == b""
    assert trap.connections == 1


def test_certificate_of_another_host_costs_nothing_and_is_not_tried_again(trusted, authority):
    with Rig(5, tls=context_for(authority, "directory.example")) as rig:
        directory = rig.directory()
        failure(directory)
        assert (rig.requests, directory.quota().used) == ([], 0)


def test_wrong_path_of_certificates_is_advised_on_and_costs_nothing(nowhere, tmp_path, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "gone.pem"))
    directory = nowhere.directory(tmp_path, url="https://127.0.0.1:9")
    error = failure(directory)
    assert "REQUESTS_CA_BUNDLE" in str(error)
    assert "gone.pem" in str(error)
    assert directory.quota().used == 0
    directory.close()
    assert open_files(tmp_path) == set()


def test_port_without_tls_costs_nothing_and_is_not_tried_again(nowhere):
    def answer(connection):
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with Trap(act=answer) as trap:
        directory = nowhere.directory(url=f"https://127.0.0.1:{trap.port}")
        failure(directory)
        assert (trap.connections, directory.quota().used) == (1, 0)


def test_port_with_tls_that_is_asked_without_costs_nothing(authority, nowhere):
    def shake(connection):
        # In memory, so that the alert goes out before the connection is closed.
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        speaking = context_for(authority).wrap_bio(incoming, outgoing, server_side=True)
        incoming.write(connection.recv(4096))
        with suppress(ssl.SSLError):
            speaking.do_handshake()
        connection.sendall(outgoing.read() or b"\x15\x03\x01\x00\x02\x02\x46")

    with Trap(act=shake) as trap:
        directory = nowhere.directory(url=f"http://127.0.0.1:{trap.port}")
        failure(directory)
        assert (trap.connections, directory.quota().used) == (1, 0)


# Connections


def test_cut_handshake_is_tried_again_for_nothing(nowhere):
    with Trap() as trap:
        directory = nowhere.directory(url=f"https://127.0.0.1:{trap.port}")
        failure(directory)
        assert (trap.connections, directory.quota().used) == (3, 0)


def test_refused_connection_costs_nothing_however_often_it_is_tried(nowhere):
    with Trap() as trap:
        port = trap.port
    directory = nowhere.directory(url=f"http://127.0.0.1:{port}")
    assert str(port) in failure(directory).url
    assert directory.quota().used == 0


def test_host_without_an_address_costs_nothing(nowhere, monkeypatch):
    def unknown(*arguments, **options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)  # no test asks a name server
    directory = nowhere.directory(url="https://directory.example")
    assert "directory.example" in failure(directory).url
    assert directory.quota().used == 0


def test_reset_after_sending_is_charged_once_each_time(rig):
    rig.faults.append(faults.reset_before)
    directory = rig.directory()
    assert load(directory) == rig.ids
    assert directory.quota().used == len(rig.requests) == 7


def test_failures_before_and_after_sending_are_counted_apart(trusted, authority, nowhere):
    def act(connection):
        if trap.connections <= 2:
            connection.recv(4096)  # and no handshake
            return
        with context_for(authority).wrap_socket(connection, server_side=True) as speaking:
            speaking.recv(4096)
            linger = struct.pack("ii", 1, 0)
            speaking.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    with Trap(act=act) as trap:
        directory = nowhere.directory(url=f"https://127.0.0.1:{trap.port}")
        failure(directory)
        assert (trap.connections, directory.quota().used) == (3, 1)


def test_body_that_is_cut_is_asked_for_again_and_each_try_is_charged(rig):
    rig.on_page = {
        3: [faults.cut_short, faults.reset_in_body],
        4: [faults.chunks_that_stop],
    }
    directory = rig.directory()
    assert load(directory) == rig.ids
    assert rig.pages == [1, 2, 3, 3, 3, 4, 4, 5, 6]
    assert directory.quota().used == 9


def test_body_that_is_always_cut_ends_at_the_tries_allowed_or_the_quota(rig):
    rig.always = faults.cut_short
    failure(rig.directory(daily_quota=5))
    assert rig.pages == [1] * 3
    failure(rig.directory(daily_quota=5))
    assert rig.pages == [1] * 5


# Proxies


def test_proxy_of_the_environment_is_asked_unless_the_host_is_exempt(rig, monkeypatch):
    with Trap() as elsewhere:
        monkeypatch.setenv("http_proxy", rig.url)  # a rig as a proxy: a request names all
        url = f"http://127.0.0.1:{elsewhere.port}"
        assert load(rig.directory(url=url)) == rig.ids
        assert elsewhere.connections == 0
    assert rig.requests[0].target.startswith(f"{url}/projects.xml?")
    with Trap() as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert load(rig.directory()) == rig.ids
        assert proxy.connections == 0


def test_tunnel_carries_an_encrypted_directory_and_never_sees_the_key(
    trusted, encrypted, monkeypatch
):
    with Proxy() as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        with encrypted.directory(workers=4) as directory:
            assert load(directory) == encrypted.ids
    assert set(proxy.connected) == {f"127.0.0.1:{encrypted.port}"}
    assert len(proxy.received) > 1_000
    assert MARK.encode() not in proxy.received


def test_proxy_that_wants_a_password_costs_nothing_and_is_asked_once(encrypted, monkeypatch):
    with Proxy(refuses=True) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url.replace("http://", "http://ada:s3cret@"))
        directory = encrypted.directory()
        error = failure(directory)
        assert len(proxy.connected) == 1
    assert "s3cret" not in f"{error} {vars(error)}"
    assert (encrypted.requests, directory.quota().used) == ([], 0)


def test_proxy_that_wants_a_password_without_a_tunnel_costs_nothing(rig, monkeypatch):
    rig.always = faults.answers("<html>Who are you?</html>", 407, Proxy_Authenticate="Basic")
    monkeypatch.setenv("http_proxy", rig.url)
    directory = rig.directory(url="http://127.0.0.1:9")
    failure(directory)
    assert (len(rig.requests), directory.quota().used) == (1, 0)


def test_proxy_that_is_gone_costs_nothing(nowhere, monkeypatch):
    with Proxy() as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
    directory = nowhere.directory(url="https://127.0.0.1:9")
    assert proxy.url.removeprefix("http://") in str(failure(directory))
    assert directory.quota().used == 0
