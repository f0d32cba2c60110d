"""The way to the directory: certificates, proxies, and what never arrived, which costs nothing."""

import gzip
import logging
import os
import socket
import sqlite3
import ssl
import struct
import traceback
from base64 import b64encode
from contextlib import closing

import pytest
import trustme

import dirframe
from tests.faults import error_of, load
from tests.processes import open_files
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


@pytest.mark.parametrize("place", ["127.0.0.1:{port}", "127.0.0.1", "127.0.0.1:80"])
def test_redirect_to_http_of_the_same_host_is_followed_over_tls(
    place, trusted, encrypted, monkeypatch
):
    """As behind a server that ends TLS: the directory writes http:// into its redirects."""

    def moved(exchange):
        target = exchange.request.target.replace(".xml?", ".xml?moved=1&")
        return f"http://{place.format(port=encrypted.port)}{target}"

    encrypted.on_page = {page: [faults.redirects(moved)] for page in range(1, 7)}
    assert load(encrypted.directory()) == encrypted.ids
    assert len(encrypted.requests) == 12
    assert all(request.target.count("api_key") == 1 for request in encrypted.requests)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_redirect_to_another_port_is_not_followed(scheme, trusted, encrypted):
    with Trap() as trap:
        address = f"{scheme}://127.0.0.1:{trap.port}"
        encrypted.always = faults.redirects(f"{address}/projects.xml")
        error = error_of(encrypted.directory())
        assert (type(error), error.moved_to) == (
            dirframe.ServiceError,
            f"https://127.0.0.1:{trap.port}",
        )
        assert (trap.connections, len(encrypted.requests)) == (0, 1)


# Connections


def test_address_where_nobody_listens_is_free_however_often_it_is_tried(nowhere, monkeypatch):
    with Trap() as trap:
        port = trap.port
    assert str(port) in is_free(nowhere.directory(url=f"http://127.0.0.1:{port}")).url

    def unknown(*arguments, **options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)  # no test asks a name server
    assert "directory.example" in str(is_free(nowhere.directory(url="https://directory.example")))


# Passwords of other programs

NETRC = """
machine 127.0.0.1 login ada password s3cret
default login ada password s3cret
"""


@pytest.mark.parametrize("name", [".netrc", "_netrc", "elsewhere"])
def test_netrc_is_neither_sent_nor_stored(name, rig, tmp_path, monkeypatch):
    (tmp_path / name).write_text(NETRC)
    (tmp_path / name).chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    if name == "elsewhere":
        monkeypatch.setenv("NETRC", str(tmp_path / name))
    moved = faults.redirects(lambda e: e.request.target.replace(".xml?", ".xml?moved=1&"))
    rig.on_page = {1: [moved]}
    assert load(rig.directory(tmp_path)) == rig.ids
    sent = {name.lower() for request in rig.requests for name in request.headers}
    assert "authorization" not in sent
    assert "user-agent" in sent
    stored = dirframe.cache_info(tmp_path / "cache").file
    with closing(sqlite3.connect(stored)) as database:
        entries = [
            gzip.decompress(row[0]) for row in database.execute("SELECT content FROM responses")
        ]
    assert len(entries) == 6
    assert [entry for entry in entries if b"Authorization" in entry or b"headers" in entry] == []


# Proxies


def proxied(monkeypatch, address, *names):
    for name in names or ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, address)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "dirframe.localhost"])
def test_proxy_is_not_asked_for_this_machine(host, rig, monkeypatch):
    looked_up = []
    look_up = socket.getaddrinfo

    def getaddrinfo(name, *arguments, **options):
        looked_up.append(name)
        return look_up(name, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with Trap() as proxy:
        proxied(monkeypatch, f"http://127.0.0.1:{proxy.port}")
        # The rig listens at 127.0.0.1 alone.
        if host == "127.1.2.3":
            error = is_free(rig.directory(url=f"http://{host}:{rig.port}"))
            assert "proxy" not in str(error).partition("Check")[0]
        else:
            assert load(rig.directory(url=f"http://{host}:{rig.port}")) == rig.ids
            assert {request.headers["Host"] for request in rig.requests} == {f"{host}:{rig.port}"}
        assert proxy.connections == 0
    assert "dirframe.localhost" not in looked_up


def test_proxy_is_not_asked_for_this_machine_over_tls(trusted, encrypted, monkeypatch):
    with Trap() as proxy:
        proxied(monkeypatch, f"http://127.0.0.1:{proxy.port}")
        assert load(encrypted.directory()) == encrypted.ids
        assert proxy.connections == 0


def test_proxy_is_not_asked_for_the_sample(monkeypatch, tmp_path):
    with Trap() as proxy, dirframe.sample_directory(cache=False) as directory:
        proxied(monkeypatch, f"http://127.0.0.1:{proxy.port}")
        assert len(dirframe.load_projects(directory, max_items=5, progress=False)) == 5
        assert proxy.connections == 0


@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
def test_proxy_gets_no_key_in_clear(scheme, nowhere, monkeypatch):
    with Proxy() as proxy:
        proxied(monkeypatch, f"{scheme}://ada:s3cret@127.0.0.1:{proxy.port}")
        directory = nowhere.directory(url="http://directory.example", allow_http=True)
        error = is_free(directory)
        assert f"127.0.0.1:{proxy.port}" in str(error)
        assert "s3cret" not in f"{error} {vars(error)}"
        assert (proxy.connections, proxy.in_clear) == (0, [])


def test_proxy_is_not_asked_where_the_host_is_exempt(nowhere, monkeypatch):
    def getaddrinfo(*arguments, **options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setenv("no_proxy", "directory.example")
    proxied(monkeypatch, "http://127.0.0.1:9")
    error = is_free(nowhere.directory(url="http://directory.example", allow_http=True))
    assert "connection to directory.example (" in str(error)


@pytest.fixture
def remote(authority):
    """Serve a directory by TLS that has a name; only a proxy knows where it is."""
    with Rig(55, tls=context_for(authority, "directory.example")) as rig:
        rig.address = f"https://directory.example:{rig.port}"
        yield rig


@pytest.mark.parametrize("names", [["https_proxy"], ["all_proxy"], ["HTTPS_PROXY", "http_proxy"]])
def test_proxy_tunnels_to_an_encrypted_directory_and_never_sees_the_key(
    names, trusted, remote, monkeypatch
):
    with Proxy(knows={"directory.example": "127.0.0.1"}) as proxy:
        proxied(monkeypatch, proxy.url.replace("http://", "http://ada:s%2Fcret@"), *names)
        with remote.directory(url=remote.address, workers=4, rate=1e9) as directory:
            assert load(directory) == remote.ids
            assert directory.quota().used == len(remote.requests) == 6
    assert set(proxy.connected) == {f"directory.example:{remote.port}"}
    assert proxy.headers[0]["Proxy-Authorization"] == f"Basic {b64encode(b'ada:s/cret').decode()}"
    assert not any("Proxy-Authorization" in request.headers for request in remote.requests)
    assert len(proxy.received) > 1_000
    assert MARK.encode() not in proxy.received
    assert proxy.in_clear == []


@pytest.mark.parametrize("is_reached", [True, False])
def test_proxy_password_is_in_no_log_file_or_repr(
    is_reached, trusted, remote, monkeypatch, tmp_path, caplog, recwarn
):
    caplog.set_level(logging.DEBUG)
    act = None if is_reached else answer("HTTP/1.1 407 Not ada:s3cret\r\n\r\n")
    with Proxy(act=act, knows={"directory.example": "127.0.0.1"}) as proxy:
        proxied(monkeypatch, proxy.url.replace("http://", "http://ada:s3cret@"))
        before = dict(os.environ)
        with remote.directory(tmp_path / "own", url=remote.address, rate=1e9) as directory:
            made = load(directory) if is_reached else is_free(directory)
            check = dirframe.check(directory) if is_reached else ""
            shown = (
                f"{directory!r} {made!r} {directory.quota()!r} {check!r} {dirframe.cache_info()!r}"
            )
        assert dict(os.environ) == before
    files = [path.read_bytes() for path in (tmp_path / "own").rglob("*") if path.is_file()]
    written = b"".join(files) + f"{shown} {caplog.text} {[*map(str, recwarn)]}".encode()
    assert len(files) >= 1
    assert proxy.connected
    secrets = (b"s3cret", b64encode(b"ada:s3cret"), MARK.encode())
    assert [secret for secret in secrets if secret in written] == []


def answer(text, *, then=""):
    """Answer CONNECT with a text, the next bytes with another, and close the connection."""

    def act(handler):
        handler.connection.sendall(text.encode())
        if then:
            handler.connection.recv(4096)
            handler.connection.sendall(then.encode())
        handler.close_connection = True

    return act


@pytest.mark.parametrize(
    ("act", "connections"),
    [
        (answer("HTTP/1.1 407 Not ada:s3cret YWRhOnMzY3JldA==\r\n\r\n"), 1),
        (answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"), 1),
        (answer("HTTP/1.1 502 Bad Gateway\r\n\r\n"), 1),
        (answer("SSH-2.0 s3cret\r\n"), 1),
        (answer(""), 3),
        (answer("HTTP/1.1 200 OK\r\n\r\n"), 3),
        (answer("HTTP/1.1 200 OK\r\n\r\n", then="no TLS at all"), 1),
    ],
    ids=["407", "403", "502", "no HTTP", "closed", "closed after 200", "no TLS"],
)
def test_proxy_that_does_not_connect_is_named_without_its_password(
    act, connections, remote, monkeypatch
):
    with Proxy(act=act) as proxy:
        proxied(monkeypatch, proxy.url.replace("http://", "http://ada:s3cret@"))
        error = is_free(remote.directory(url=remote.address))
        assert len(proxy.connected) == connections
    assert f"127.0.0.1:{proxy.port}" in str(error)
    shown = "".join(traceback.format_exception(error)) + repr(vars(error))
    assert "s3cret" not in shown
    assert "YWRhOnMzY3JldA" not in shown
    assert remote.requests == []


@pytest.mark.parametrize(
    ("address", "name"),
    [
        *[("http://ada:s3/cret@proxy.example:3128", "proxy.example:3128")],
        *[("http://ada:s3#cret@proxy.example:3128", "proxy.example:3128")],
        *[("http://ada:s3cret@proxy.example:99999", "proxy.example:99999")],
        *[("ftp://ada:s3cret@proxy.example", "proxy.example")],
        *[("socks5://ada:s3cret@proxy.example:1080", "proxy.example:1080")],
        *[("socks5://proxy.example:1080", "proxy.example:1080")],
        *[("proxy.example:99999/", "proxy.example:99999")],
        *[("socks9://ada:s3cret@proxy.example:1080", "proxy.example:1080")],
        *[("ada:s3cret@proxy.example:3128", "proxy.example:3128")],
        *[("http://ada:s3cret@", ""), ("http://ada:s3cret@[", ""), ("http://s3cret:[", "")],
        *[("http://ada:s3cret@pro xy", ""), ("http://", ""), ("http://ada:s3cret@:3128", "")],
    ],
)
def test_proxy_with_an_address_that_cannot_be_used_is_named_without_its_password(
    address, name, nowhere, monkeypatch
):
    proxied(monkeypatch, address)
    error = is_free(nowhere.directory(url="https://directory.example"))
    assert name in str(error)
    shown = "".join(traceback.format_exception(error)) + repr(vars(error))
    assert all(part not in shown for part in ("s3", "cret@", "ada:"))


def test_proxy_that_is_gone_is_named(nowhere, monkeypatch):
    with Proxy() as proxy:
        proxied(monkeypatch, proxy.url.replace("http://", "http://ada:s3cret@"))
    error = is_free(nowhere.directory(url="https://directory.example"))
    assert proxy.url.removeprefix("http://") in str(error)
    assert "s3cret" not in f"{error} {vars(error)}"


def test_connection_that_is_reset_before_the_request_is_not_counted(nowhere):
    def reset(connection):
        connection.recv(4096)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with Trap(act=reset) as trap:
        is_free(nowhere.directory(url=f"https://127.0.0.1:{trap.port}"))
        assert trap.connections == 3
