"""A service that is asked byte by byte."""

from __future__ import annotations

import socket
from http.client import HTTPResponse
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from dirframe.service.api_keys import KeyStore
    from dirframe.service.server import Service


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes
    #: Whether the connection answers a second request.
    kept: bool


class Door:
    """A service that is asked byte by byte, with a key and its count."""

    def __init__(self, service: Service, keys: KeyStore) -> None:
        self.url = service.url
        self._keys = keys
        self.key = keys.add("a tester", "the door", daily_limit=10**9)

    def used(self) -> int:
        return self._keys.list()[0].used

    def ask(self, target: bytes | str, *headers: str, method: str = "GET") -> Answer:
        path = target.encode("latin-1") if isinstance(target, str) else target
        lines = "".join(f"{line}\r\n" for line in (headers or ("Host: directory.example",)))
        return self.send(method.encode() + b" " + path + b" HTTP/1.1\r\n" + lines.encode(), method)

    def send(self, head: bytes, method: str = "GET") -> Answer:
        parts = urlsplit(self.url)
        with socket.create_connection((parts.hostname or "", parts.port or 0), 30) as client:
            client.sendall(head + b"\r\n")
            answer = HTTPResponse(client, method=method)
            answer.begin()
            body, headers = answer.read(), dict(answer.getheaders())
            return Answer(answer.status, headers, body, self._is_kept(client))

    def _is_kept(self, client: socket.socket) -> bool:
        try:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return client.recv(8) == b"HTTP/1.1"
        except ConnectionError:
            return False

    def keyed(self, target: str, *headers: str, method: str = "GET") -> Answer:
        glue = "&" if "?" in target else "?"
        return self.ask(f"{target}{glue}api_key={self.key}", *headers, method=method)
