"""Requests byte by byte, and connections that take and do not give."""

import socket
from contextlib import suppress
from http.client import HTTPResponse
from time import sleep
from types import SimpleNamespace
from urllib.parse import urlsplit

#: No test waits longer for a byte, on however busy a machine.
LIMIT = 60
HALF = b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Half: "
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"


def connect(url, *, receive_buffer=None, source="127.0.0.1"):
    """Open a connection; with a small receive buffer a large response does not fit into it."""
    parts = urlsplit(url)
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(LIMIT)
    try:
        connection.bind((source, 0))
        connection.connect((parts.hostname, parts.port))
    except OSError:
        connection.close()
        raise
    return connection


def received(connection):
    """Read to the end of the connection, in order or by RST."""
    content = b""
    with suppress(ConnectionError):
        while block := connection.recv(1 << 20):
            content += block
    return content


def answer(connection, *, method="GET"):
    """Read status, headers with names in lower case, and body of one response."""
    response = HTTPResponse(connection, method=method)
    response.begin()
    headers = {name.lower(): value for name, value in response.getheaders()}
    return SimpleNamespace(status=response.status, headers=headers, body=response.read())


def ask(url, target, *headers, method="GET", source="127.0.0.1"):
    """Send a request for a target exactly as it is written."""
    lines = "".join(f"{line}\r\n" for line in headers or ("Host: directory.example",))
    with connect(url, source=source) as connection:
        connection.sendall(f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode("latin-1"))
        return answer(connection, method=method)


def is_open(connection):
    """Return whether a request on the connection is answered."""
    try:
        connection.sendall(WHOLE)
        return answer(connection).status == 200
    except (ConnectionError, TimeoutError):
        return False


def is_closed(connection):
    """Wait for the other end of the connection."""
    try:
        received(connection)
    except TimeoutError:
        return False
    return True


def wait_until_refused(url):
    """Wait until the service accepts no more connections."""
    with suppress(ConnectionError):
        while True:
            connect(url).close()
            sleep(0.005)
