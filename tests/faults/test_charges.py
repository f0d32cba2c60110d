"""The way to the directory: certificates, proxies, and what never arrived, which costs nothing."""

import socket
import ssl

import pytest
import trustme

import dirframe
from tests.faults import error_of, load
from tests.processes import open_files
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
def trusted(authority, tmp_path, monkeypatch):
    path = str(tmp_path / "authority.pem")
    authority.cert_pem.write_to_path(path)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", path)


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


def is_free(directory):
    """See to it that a load fails, costs nothing and shows no key; return the error."""
    error = error_of(directory)
    assert type(error) is dirframe.NetworkError
    assert MARK not in f"{error} {vars(error)}"
    assert directory.quota().used == error.attempts == 0
    return error


# Certificates


def test_unknown_authority_is_refused_before_the_key_goes_out(authority, nowhere):
    received = []

    def shake(connection):
        received.append(b"")
        speaking = context_for(authority).wrap_socket(connection, server_side=True)
        received.append(speaking.recv(4096))

    with Trap(act=shake) as trap:
        is_free(nowhere.directory(url=f"https://127.0.0.1:{trap.port}"))
    assert b"".join(received) == b""
    assert trap.connections == 1


def test_certificate_of_another_host_is_not_tried_again(trusted, authority):
    with Rig(5, tls=context_for(authority, "directory.example")) as rig:
        is_free(rig.directory())
        assert rig.requests == []


def test_wrong_path_of_certificates_is_advised_on(nowhere, tmp_path, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "gone.pem"))
    directory = nowhere.directory(tmp_path, url="https://127.0.0.1:9")
    error = is_free(directory)
    assert "REQUESTS_CA_BUNDLE" in str(error)
    assert "gone.pem" in str(error)
    directory.close()
    assert open_files(tmp_path) == set()


@pytest.mark.parametrize(
    ("response", "connections"),
    [(b"HTTP/1.1 400 Bad Request\r\n\r\n", 1), (b"", 3)],
    ids=["no TLS", "cut handshake"],
)
def test_port_without_tls_is_tried_again_only_if_it_may_pass(response, connections, nowhere):
    def answer(connection):
        connection.recv(4096)
        connection.sendall(response)

    with Trap(act=answer) as trap:
        is_free(nowhere.directory(url=f"https://127.0.0.1:{trap.port}"))
        assert trap.connections == connections


# Connections


def test_address_where_nobody_listens_is_free_however_often_it_is_tried(nowhere, monkeypatch):
    with Trap() as trap:
        port = trap.port
    assert str(port) in is_free(nowhere.directory(url=f"http://127.0.0.1:{port}")).url

    def unknown(*arguments, **options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)  # no test asks a name server
    assert "directory.example" in str(is_free(nowhere.directory(url="https://directory.example")))


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
            assert directory.quota().used == len(encrypted.requests) == 6
    assert set(proxy.connected) == {f"127.0.0.1:{encrypted.port}"}
    assert len(proxy.received) > 1_000
    assert MARK.encode() not in proxy.received


def test_proxy_that_wants_a_password_is_asked_once(encrypted, monkeypatch):
    with Proxy(refuses=True) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url.replace("http://", "http://ada:s3cret@"))
        error = is_free(encrypted.directory())
        assert len(proxy.connected) == 1
    assert "s3cret" not in f"{error} {vars(error)}"
    assert encrypted.requests == []


def test_proxy_that_is_gone_is_named(nowhere, monkeypatch):
    with Proxy() as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
    error = is_free(nowhere.directory(url="https://127.0.0.1:9"))
    assert proxy.url.removeprefix("http://") in str(error)
