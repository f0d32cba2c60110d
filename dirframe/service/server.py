"""HTTP server of an application, in a background thread."""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import time
from contextlib import ExitStack
from operator import attrgetter
from typing import Any
from wsgiref.types import WSGIApplication

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer

from dirframe.errors import ConfigurationError

if sys.platform != "win32":
    import resource

_TIMEOUT = 10.0  # seconds in which a whole request arrives, and in which the service stops
_STALLED = 30.0  # seconds in which a client reads none of its response, then it is disconnected
_CONNECTIONS = 4096  # at most
_OTHER_FILES = 200  # open files of the rest of the process, such as stores and keys
_SEND_BUFFER = 2**17  # bytes of a response that the system takes, which count as read
_UNREAD = 2**20  # bytes of unread responses above which a client is disconnected
_MAX_REQUEST_BYTES = 16 * 1024  # of the headers, and of the body


def _connections() -> int:
    """Return the connections that this process can hold."""
    if sys.platform == "win32":
        return 500  # of which select() takes 512
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(1, min(_CONNECTIONS, files - _OTHER_FILES))


class _Parser(HTTPRequestParser):  # type: ignore[misc] # waitress ships no types
    """Parser of a request that has a path also if it cannot be parsed: waitress logs the path."""

    path = ""


class _Channel(HTTPChannel):  # type: ignore[misc] # waitress ships no types
    """Connection with time and buffer limits."""

    parser_class = _Parser
    last_activity: float

    def handle_read(self) -> None:
        since, is_partial = self.last_activity, self.request is not None
        super().handle_read()
        if is_partial and self.request is not None:
            self.last_activity = since  # further bytes of a request do not extend its time

    def write_soon(self, data: bytes) -> int:
        if self.total_outbufs_len > _UNREAD:  # a thread never waits for a client
            raise ClientDisconnected
        return super().write_soon(data)  # type: ignore[no-any-return]  # its length

    def is_overdue(self, now: float) -> bool:
        """Return whether nothing was sent or received for too long, and nothing is being computed."""
        if self.total_outbufs_len:
            return now - self.last_activity > _STALLED
        return not self.requests and now - self.last_activity > _TIMEOUT


class _WsgiServer(TcpWSGIServer):  # type: ignore[misc] # waitress ships no types
    """Server that accepts all connections that wait, and closes the idlest ones above a number."""

    channel_class = _Channel

    def handle_accept(self) -> None:
        """Accept the connections that wait, not one in each turn of the loop."""
        for _ in range(100):
            count = len(self.active_channels)
            super().handle_accept()
            if len(self.active_channels) == count:  # none waits
                return

    def make_room(self) -> None:
        """Close the connections that have waited longest, if there are too many.

        Between two turns of the loop: within one, the descriptor of a new connection could be that
        of a closed one, and get its events.
        """
        excess = len(self.active_channels) - _connections()
        if excess > 0:
            idle = [channel for channel in self.active_channels.values() if not channel.requests]
            for channel in sorted(idle, key=attrgetter("last_activity"))[:excess]:
                channel.handle_close()


def _ignore() -> None:
    """Do nothing in place of `pull_trigger`.

    A request that outlasts the server would write to a descriptor that another file may have now.
    """


class Server:
    """An application that is served by a thread of this process."""

    def __init__(
        self, application: WSGIApplication, listener: socket.socket, resources: ExitStack
    ) -> None:
        # waitress warns if requests queue for a thread, which is normal here.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        host, port = listener.getsockname()[:2]
        #: Base URL, without a trailing slash.
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self._pid = os.getpid()
        self._stopping, self._stop_lock = threading.Event(), threading.RLock()
        #: Closed with the server.
        self._resources = resources
        self._sockets: dict[int, Any] = {}
        adjustments = Adjustments(
            sockets=[listener],
            threads=8,
            ident="dirframe",
            max_request_header_size=_MAX_REQUEST_BYTES,
            max_request_body_size=_MAX_REQUEST_BYTES,
            connection_limit=2 * _CONNECTIONS,  # `make_room` enforces a lower one
            clear_untrusted_proxy_headers=False,  # `behind_proxy` handles them
        )
        self._server = _WsgiServer(
            application,
            map=self._sockets,
            _sock=listener,
            adj=adjustments,
            bind_socket=False,
            sockinfo=(listener.family, listener.type, listener.proto, listener.getsockname()),
        )
        self._thread = threading.Thread(target=self._loop, name="dirframe service", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop accepting connections, finish responses in progress, and close all resources.

        A call that Ctrl-C interrupts can be repeated; one from another thread waits.
        """
        if os.getpid() != self._pid:  # the server is that of the process that forked
            return
        with self._stop_lock:
            self._stopping.set()
            self._server.pull_trigger()
            self._thread.join()
            self._server.pull_trigger = _ignore
            self._server.trigger.close()
            for channel in self._channels():
                channel.handle_close()
            wasyncore.close_all(self._sockets)
            self._resources.close()

    def _loop(self) -> None:
        while not self._stopping.is_set():
            self._turn(1.0)
        wasyncore.dispatcher.close(self._server)  # only the listening socket
        end = time.monotonic() + _TIMEOUT
        while time.monotonic() < end and any(
            channel.requests or channel.total_outbufs_len for channel in self._channels()
        ):
            self._turn(0.05)
        self._server.task_dispatcher.shutdown(timeout=1)

    def _turn(self, seconds: float) -> None:
        wasyncore.loop(seconds, use_poll=sys.platform != "win32", map=self._sockets, count=1)
        now = time.time()
        for channel in self._channels():
            if channel.is_overdue(now):
                channel.handle_close()  # writable or not
        self._server.make_room()

    def _channels(self) -> list[Any]:
        return list(self._server.active_channels.values())


def raise_file_limit() -> None:
    """Let this process open as many files as the most connections need, as far as the system allows."""
    if sys.platform != "win32":
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        soft = min(_CONNECTIONS + _OTHER_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def check_address(host: object, port: object) -> None:
    """Raise if a service can be at no such address; no host would be every one of this machine."""
    is_whole = isinstance(port, int) and not isinstance(port, bool)
    if not is_whole or not 0 <= port <= 65_535:  # type: ignore[operator]  # it is a number
        raise ConfigurationError(f"There is no port {port!r:.120}: ports go from 0 to 65535.")
    if not _is_host(host):
        raise ConfigurationError(
            f"The service cannot listen at {host!r:.120}: name an address of this machine, such as "
            "127.0.0.1, or 0.0.0.0 for all of them."
        )


def _is_host(host: object) -> bool:
    if not isinstance(host, str) or not host.strip() or not host.isprintable():
        return False
    try:
        host.encode("idna")  # a part of a name may be too long
    except UnicodeError:
        return False
    return True


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that listens at an address."""
    try:
        listener = socket.create_server(
            (host, port),
            family=socket.AF_INET6 if ":" in host else socket.AF_INET,
            backlog=1024,
            dualstack_ipv6=host == "::" and socket.has_dualstack_ipv6(),
        )
    except OSError as error:
        raise ConfigurationError(
            f"The service cannot listen at {host}, port {port}: {error.strerror}. "
            "Choose another address or port; port 0 takes a free one."
        ) from error
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)  # of its connections
    return listener
