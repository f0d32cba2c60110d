"""Serve a directory, in a background thread or as a command."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from contextlib import ExitStack
from functools import partial
from operator import attrgetter
from os import PathLike
from pathlib import Path
from typing import Any
from wsgiref.types import WSGIApplication

from waitress import create_server, wasyncore
from waitress.channel import ClientDisconnected, HTTPChannel

from dirframe._files import data_folder
from dirframe.errors import ConfigurationError
from dirframe.service.app import ACCESS_LOG, SITE_NAME, behind_proxy, create_app
from dirframe.service.keys import KeyStore
from dirframe.service.store import Data, open_data
from dirframe.settings import ApiKey, check_name, check_path, check_switches

if sys.platform != "win32":
    import resource

_TIMEOUT = 10.0  # seconds in which a whole request arrives, and in which the service stops
_STALLED = 30.0  # seconds in which a client reads none of its response, then it is disconnected
_CONNECTIONS = 4096  # at most
_OTHER_FILES = 200  # open files of the rest of the process, such as stores and keys
_SEND_BUFFER = 2**17  # bytes of a response that the system takes, which count as read
_UNREAD = 2**20  # bytes of unread responses above which a client is disconnected


def _connections() -> int:
    """Return the connections that this process can hold."""
    if sys.platform == "win32":
        return 500  # of which select() takes 512
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(1, min(_CONNECTIONS, files - _OTHER_FILES))


class _Channel(HTTPChannel):  # type: ignore[misc] # waitress ships no types
    """A connection that is closed before it keeps other clients out."""

    last_activity: float

    def __init__(self, server: Any, sock: socket.socket, addr: Any, adj: Any, map: Any) -> None:  # noqa: A002 # waitress' name
        super().__init__(server, sock, addr, adj, map=map)
        if len(server.active_channels) > _connections():  # who waited longest makes room
            others = [c for c in server.active_channels.values() if not c.requests]
            min(others, key=attrgetter("last_activity")).handle_close()

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


def _accept(server: Any) -> None:
    """Accept the connections that wait, not one in each turn of the loop."""
    for _ in range(100):
        before = len(server.active_channels)
        type(server).handle_accept(server)
        if len(server.active_channels) <= before:
            break


class Service:
    """A directory served by a thread of this process.

    As a context manager it returns its URL and stops at the end of the block.

    Attributes
    ----------
    url : str
        Base URL, without a trailing slash.
    api_key : ApiKey or None
        API key for this process, if the service created one.
    """

    def __init__(
        self, application: WSGIApplication, listener: socket.socket, api_key: ApiKey | None
    ) -> None:
        # waitress warns if requests queue for a thread, which is normal here.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        host, port = listener.getsockname()[:2]
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self.api_key = api_key
        self._pid = os.getpid()
        self._stopping, self._stop_lock = threading.Event(), threading.RLock()
        #: Resources opened by `serve`, closed with the service.
        self._owned = ExitStack()
        self._sockets: dict[int, Any] = {}
        self._server = create_server(
            application,
            map=self._sockets,
            sockets=[listener],
            threads=8,
            ident="dirframe",
            max_request_header_size=16 * 1024,
            max_request_body_size=16 * 1024,
            connection_limit=2 * _CONNECTIONS,  # the channel enforces a lower one
            clear_untrusted_proxy_headers=False,  # `behind_proxy` handles them
        )
        self._server.channel_class = _Channel
        self._server.handle_accept = partial(_accept, self._server)
        self._thread = threading.Thread(target=self._loop, name="dirframe service", daemon=True)
        self._thread.start()

    def __enter__(self) -> str:
        return self.url

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<dirframe service at {self.url}>"

    def stop(self) -> None:
        """Stop accepting connections, finish responses in progress, and release all resources.

        A call that Ctrl-C interrupts can be repeated; one from another thread waits.
        """
        if os.getpid() != self._pid:  # the service is that of the process that forked
            return
        with self._stop_lock:
            self._stopping.set()
            self._server.pull_trigger()
            self._thread.join()
            # A request that outlasts the time would write to the trigger.
            self._server.pull_trigger = lambda: None
            self._server.trigger.close()
            for channel in self._channels():
                channel.handle_close()
            wasyncore.close_all(self._sockets)
            self._owned.close()

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

    def _channels(self) -> list[Any]:
        return list(self._server.active_channels.values())


def serve(
    data: Data = None,
    *,
    name: str = SITE_NAME,
    host: str = "127.0.0.1",
    port: int = 0,
    keys: str | PathLike[str] | None = None,
    trusted_proxy: str | None = None,
    analyses: bool = True,
) -> Service:
    """Serve a directory from a background thread of this process.

    Parameters
    ----------
    data
        An XML file or a folder of XML files; a table, whose columns are named as the fields: a CSV,
        JSON lines or Parquet file, or a pandas, polars or Arrow frame; a sequence of these, or a
        mapping from ``accounts`` and ``projects`` to them. Default: the bundled sample; without
        `analyses` with its organizations and repositories.
    name
        Name of the site.
    host, port
        Address to listen on (``::`` is every one of this machine, including IPv4), and port, by
        default a free one.
    keys
        File of the API keys. Default: one key for this process.
    trusted_proxy
        Address or network of the proxy whose X-Forwarded headers are trusted.
    analyses
        Whether collections have the analyses of projects. Without, they are on own pages alone, and
        a page of a collection has ten records, as in today's directories; of projects up to 25 by
        ``per_page``, and those among ``ids``.

    Returns
    -------
    Service
        ``with`` returns its URL and stops it at the end; `api_key` is the key that was created.

    Raises
    ------
    InvalidInputError, StoreError, ConfigurationError
        There is no such file, or data or keys cannot be used; the address cannot be listened on, the
        proxy is invalid, or what a table holds is not clear.

    Examples
    --------
    >>> import dirframe, requests
    >>> with dirframe.serve() as url:
    ...     print(requests.get(f"{url}/healthz", timeout=10).text)
    ok: 2000 accounts, 1500 projects
    <BLANKLINE>
    """
    check_name("name", name)
    check_switches(analyses=analyses)
    _check_address(host, port)
    if keys is not None:
        check_path("keys", keys)
    with ExitStack() as stack:
        if data is None and not analyses:
            data = [data_folder(), data_folder("rehearsal")]
        store, api_key = open_data(data), None
        key_store = stack.enter_context(KeyStore(None if keys is None else Path(keys)))
        if keys is None:
            api_key = ApiKey(key_store.add("this process", "embedded service"))
        app: WSGIApplication = create_app(store, key_store, name=name, analyses=analyses)
        if trusted_proxy is not None:
            app = behind_proxy(app, trusted_proxy)
        listener = stack.enter_context(_listener(host, port))
        service = Service(app, listener, api_key)
        service._owned = stack.pop_all()
    return service


def run(data: Data = None, **options: Any) -> None:
    """Serve a directory, as `serve` does, until SIGINT or SIGTERM, in a process of its own.

    Responses in progress are finished, an import in progress is not. The access log, without API
    keys, goes to standard error.
    """
    if sys.platform != "win32":
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        soft = min(_CONNECTIONS + _OTHER_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    logging.basicConfig(format="%(message)s")
    logging.getLogger("dirframe.service").setLevel(logging.INFO)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with serve(data, **options) as url:
            ACCESS_LOG.info("Serving at %s; stop with Ctrl-C.", url)
            while True:  # a signal that another thread receives does not interrupt a wait
                time.sleep(1.0)
    except KeyboardInterrupt:
        ACCESS_LOG.info("Stopped.")


def _check_address(host: object, port: object) -> None:
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


def _listener(host: str, port: int) -> socket.socket:
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
