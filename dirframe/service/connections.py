"""Connections of the service: waitress channels with deadlines, on epoll or kqueue."""

# waitress polls every channel on every event and has a single timeout, which each byte resets. Here
# the cost of an event is independent of the number of connections, and deadlines are fixed.

from __future__ import annotations

import ipaddress
import selectors
import socket
import sys
import time
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass
from typing import Any

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError

from dirframe.service.addresses import client_of, parse_address
from dirframe.service.tasks import PersistentTask

if sys.platform != "win32":
    import resource


#: File descriptors reserved for the rest of the process: stores, key files, server sockets.
_OTHER_FILES = 200
_WINDOWS_SOCKETS = 500

#: Requests that a client may pipeline; each may hold a whole response in memory.
_PIPELINED = 8

#: Bytes that a client must accept within `Limits.stall_seconds`. Bytes buffered by the system
#: count as accepted, and a full buffer accepts more once a third of it is free. The send buffer is
#: therefore bounded, which also bounds the memory of unread responses.
_STEP = 64 * 1024
_SEND_BUFFER = 128 * 1024


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits on connections, in number and time.

    Parameters
    ----------
    connections
        Open connections in total. Above it, the one that has waited longest is closed.
    connections_per_address
        Open connections per IPv4 address or IPv6 /64 network. Above it, a new one is closed
        at once.
    exempt_addresses
        Networks to which `connections_per_address` does not apply: this machine, or a proxy.
    request_seconds
        Time from opening, or from the first byte of a request, to its last byte.
    idle_seconds
        Time between a response and the first byte of the next request.
    stall_seconds
        Time within which a client must accept 64 KiB of its response, or the rest of it.
    """

    connections: int = 4096
    connections_per_address: int = 512
    exempt_addresses: tuple[str, ...] = ("127.0.0.0/8", "::1/128")
    request_seconds: float = 10.0
    idle_seconds: float = 60.0
    stall_seconds: float = 30.0


def bounded_by_open_files(connections: int, *, raise_soft_limit: bool = False) -> int:
    """Return the number of connections that this process can hold, at most `connections`.

    Parameters
    ----------
    connections
        Requested number.
    raise_soft_limit
        Whether to raise the soft limit of open files as far as needed and allowed.

    Returns
    -------
    int
        At least one.
    """
    if sys.platform == "win32":
        return min(connections, _WINDOWS_SOCKETS)  # select() on Windows supports 512
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + _OTHER_FILES
    if raise_soft_limit and soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return connections
    return max(1, min(connections, soft - _OTHER_FILES))


class Connections(dict[int, Any]):
    """The socket map of waitress, by file descriptor, with an event loop."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.limits = limits
        self._exempt = [ipaddress.ip_network(text) for text in limits.exempt_addresses]
        self._selector = selectors.DefaultSelector()
        self._touched: deque[Connection] = deque()
        #: Connections without a request in progress, longest waiting first.
        self._waiting: OrderedDict[Connection, None] = OrderedDict()
        self._count = 0
        self._open: Counter[str] = Counter()
        self._sweep_every = min(
            1.0, limits.request_seconds / 5, limits.idle_seconds / 5, limits.stall_seconds / 5
        )
        self._next_sweep = 0.0

    def __setitem__(self, descriptor: int, dispatcher: Any) -> None:
        super().__setitem__(descriptor, dispatcher)
        self._count += isinstance(dispatcher, Connection)
        self._selector.register(descriptor, selectors.EVENT_READ, dispatcher)

    def __delitem__(self, descriptor: int) -> None:
        dispatcher = self.pop(descriptor)
        if descriptor in self._selector.get_map():
            self._selector.unregister(descriptor)
        if isinstance(dispatcher, Connection):
            self._count -= 1
            self._waiting.pop(dispatcher, None)
            if dispatcher.client is not None:
                self._open[dispatcher.client] -= 1
                if not self._open[dispatcher.client]:
                    del self._open[dispatcher.client]

    def admit(self, connection: Connection, address: str) -> None:
        """Register a new connection, and close one if there are too many."""
        host = parse_address(address)
        if host is None or not any(host in exempt for exempt in self._exempt):
            client = client_of(host)
            if self._open[client] >= self.limits.connections_per_address:
                connection.handle_close()
                return
            connection.client = client
            self._open[client] += 1
        self._waiting[connection] = None
        if self._count > self.limits.connections:
            # The new connection is last: it is closed itself if all others are in progress.
            next(iter(self._waiting)).handle_close()

    def answering(self, connection: Connection) -> None:
        """Exempt a connection from closing while its request is in progress."""
        self._waiting.pop(connection, None)

    def touch(self, connection: Connection) -> None:
        """Signal, from any thread, that a connection has output or has finished its request."""
        self._touched.append(connection)

    def turn(self, timeout: float) -> None:
        """Handle the events within `timeout` seconds and close overdue connections."""
        while self._touched:
            connection = self._touched.popleft()
            if self.get(connection.descriptor) is connection:
                if connection.finish_answer():
                    self._waiting[connection] = None
                    self._waiting.move_to_end(connection)
                self._update(connection.descriptor, connection)
        for key, events in self._selector.select(min(timeout, self._sweep_every)):
            if events & selectors.EVENT_READ and self.get(key.fd) is key.data:
                wasyncore.read(key.data)
            if events & selectors.EVENT_WRITE and self.get(key.fd) is key.data:
                wasyncore.write(key.data)
            if isinstance(dispatcher := self.get(key.fd), Connection):
                self._update(key.fd, dispatcher)
        now = time.monotonic()
        if now >= self._next_sweep:
            self._next_sweep = now + self._sweep_every
            for connection in self._connections():
                if connection.is_overdue(now):
                    connection.handle_close()

    def answers_in_flight(self) -> bool:
        """Return whether a request is in progress or a response is being sent."""
        return any(c.requests or c.total_outbufs_len for c in self._connections())

    def close(self) -> None:
        """Close every socket."""
        for connection in self._connections():
            connection.handle_close()
        wasyncore.close_all(self)
        self._selector.close()

    def abandon(self) -> None:
        """Close the descriptors of a forked process, and nothing of its parent.

        Both have one epoll object: whatever is unregistered is gone for the parent too.
        """
        for dispatcher in self.values():
            dispatcher.socket.close()
        self._selector.close()

    def _connections(self) -> list[Connection]:
        return [value for value in self.values() if isinstance(value, Connection)]

    def _update(self, descriptor: int, connection: Connection) -> None:
        mask = (selectors.EVENT_READ if connection.readable() else 0) | (
            selectors.EVENT_WRITE if connection.writable() else 0
        )
        key = self._selector.get_map().get(descriptor)
        if key is None:
            if mask:
                self._selector.register(descriptor, mask, connection)
        elif not mask:
            self._selector.unregister(descriptor)
        elif key.events != mask:
            self._selector.modify(descriptor, mask, connection)


class _Request(HTTPRequestParser):  # type: ignore[misc] # waitress ships no types
    """A request parser that refuses an ambiguous message length (request smuggling)."""

    def received(self, data: bytes) -> int:
        """Parse received data and return the number of bytes consumed."""
        consumed: int = super().received(data)
        # waitress would send 100 Continue and read the next request into this one.
        if self.completed:
            self.expect_continue = False
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        # waitress removes Transfer-Encoding from HTTP/1.1 headers and ignores it in HTTP/1.0.
        if "TRANSFER_ENCODING" in self.headers or (
            self.chunked and "CONTENT_LENGTH" in self.headers
        ):
            raise ParsingError(
                "A Transfer-Encoding beside a Content-Length or in version 1.0 is refused"
            )


class Connection(HTTPChannel):  # type: ignore[misc] # waitress ships no types
    """A client connection with deadlines."""

    parser_class = _Request
    task_class = PersistentTask
    #: Key under which the connection is counted; None if it is exempt.
    client: str | None = None

    def __init__(
        self,
        server: Any,
        sock: socket.socket,
        addr: Any,
        adj: Any,
        map: Connections,  # noqa: A002 # waitress' name
    ) -> None:
        self.descriptor = sock.fileno()
        self._since = time.monotonic()
        self._is_idle = False  # a new connection must send its request at once
        self._sent = 0
        self._mark: tuple[int, float] | None = None
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        super().__init__(server, sock, addr, adj, map=map)
        map.admit(self, addr[0])

    def received(self, data: bytes) -> bool:
        """Parse received data and start handling complete requests."""
        if self._is_idle:
            self._is_idle = False
            self._since = time.monotonic()
        accepted: bool = super().received(data)
        if len(self.requests) > _PIPELINED:
            self.handle_close()
        elif self.requests:
            self._map.answering(self)
        return accepted

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send data and count the bytes that the socket accepts."""
        sent: int = super().send(data, do_close=do_close)
        self._sent += sent
        return sent

    def write_soon(self, data: Any) -> int:
        """Buffer a part of a response; runs in the worker thread."""
        length: int = super().write_soon(data)
        if self.total_outbufs_len:
            self._map.touch(self)
        return length

    def service(self) -> None:
        """Handle one request; runs in a worker thread."""
        super().service()
        self._map.touch(self)
        self.server.pull_trigger()

    def finish_answer(self) -> bool:
        """Start the deadline of the next request, if no request is in progress."""
        if self.requests:
            return False
        self._since = time.monotonic()
        self._is_idle = self.request is None
        return True

    def is_overdue(self, now: float) -> bool:
        """Return whether a deadline has passed."""
        limits: Limits = self._map.limits
        if self.total_outbufs_len:
            self._since = now
            if self._mark is None or self._sent - self._mark[0] >= _STEP:
                self._mark = (self._sent, now)
            return now - self._mark[1] > limits.stall_seconds
        self._mark = None
        if self.requests:
            return False
        return now - self._since > (
            limits.idle_seconds if self._is_idle else limits.request_seconds
        )
