"""Serve a directory in a background thread."""

# The server is waitress: pure Python, it runs in any thread, accepts absolute-form request
# targets, bounds the size of requests, and its loop can be stopped between two responses.

from __future__ import annotations

import logging
import socket
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from errno import EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from waitress import create_server, wasyncore
from waitress.server import TcpWSGIServer

from dirframe._sqlite import call_after_fork
from dirframe.errors import ConfigurationError, InvalidInputError, StoreError
from dirframe.service.api_keys import KeyStore
from dirframe.service.connections import (
    Connection,
    Connections,
    Limits,
    bounded_by_open_files,
)
from dirframe.service.dialects.dialects import SPECIFICATION, rules_of
from dirframe.service.dialects.states import StatesFile
from dirframe.service.live import LiveApplication
from dirframe.service.store.sample import discard_store, open_data
from dirframe.service.store.store import Store
from dirframe.service.web.access_log import logged
from dirframe.service.web.app import SITE_NAME, create_app
from dirframe.service.web.metrics import with_metrics
from dirframe.service.web.page_rate import PAGE_RATE, PageRate
from dirframe.service.web.proxy import behind_proxy
from dirframe.settings import ApiKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from wsgiref.types import WSGIApplication

    from dirframe.service.importing.progress import OnFile
    from dirframe.service.importing.sources import Data
    from dirframe.service.store.build import Changes


_THREADS = 8
_GRACE = 10.0


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
        self,
        application: WSGIApplication,
        listeners: list[socket.socket],
        limits: Limits,
        api_key: ApiKey | None,
        *,
        live: LiveApplication,
        reload: Callable[[Data | None], Changes | None],
    ) -> None:
        # waitress warns if requests queue for a thread, which is normal here.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self.api_key = api_key
        self._live = live
        self._reload = reload
        self.url = _url(listeners[0])
        self._stopping = threading.Event()
        self._stop_lock = threading.RLock()
        self._is_stopped = False
        #: Resources opened by `serve`, closed with the service.
        self._owned = ExitStack()
        self._sockets = Connections(limits)
        self._dispatcher = create_server(
            application,
            map=self._sockets,
            sockets=listeners,
            threads=_THREADS,
            ident="dirframe",
            max_request_header_size=16 * 1024,
            max_request_body_size=16 * 1024,
            # `Connections` enforces both limits.
            connection_limit=limits.connections + 1000,
            channel_timeout=2**31,
            clear_untrusted_proxy_headers=False,  # `behind_proxy` handles them
        ).task_dispatcher
        self._servers = [s for s in self._sockets.values() if isinstance(s, TcpWSGIServer)]
        for server in self._servers:
            server.channel_class = Connection
        self._thread = threading.Thread(target=self._loop, name="dirframe service", daemon=True)
        self._thread.start()
        call_after_fork(self._leave_to_parent)

    def _leave_to_parent(self) -> object:
        """Count as stopped in a forked process, which has none of the threads."""
        self._is_stopped, self._stop_lock = True, threading.RLock()
        self._stopping = threading.Event()
        self._stopping.set()
        self._sockets.abandon()
        return self

    def __enter__(self) -> str:
        return self.url

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = "stopped" if self._stopping.is_set() else "serving"
        return f"<dirframe service, {state} at {self.url}>"

    @property
    def import_report(self) -> str:
        """Report of the imported tables: invalid values, unused columns and missing fields."""
        return self._live.store.import_report

    def reload(self, data: Data | None = None) -> Changes | None:
        """Import the data again while the service answers from what it has.

        Requests that have begun are answered from the previous records, all others from the new
        ones. If the data cannot be imported, the previous records stay.

        Parameters
        ----------
        data
            Other data, as of `serve`. Default: the same data, read again.

        Returns
        -------
        Changes or None
            Numbers of records added, changed, removed and unchanged; None if the files are the
            same as before.

        Raises
        ------
        StoreError
            The data is missing or invalid, or the service was started with an open store.
        """
        return self._reload(data)

    def stop(self) -> None:
        """Stop accepting connections, finish responses in progress, and release all resources.

        A call that is interrupted, by Ctrl-C, can be repeated; one from another thread waits.
        """
        with self._stop_lock:
            if self._is_stopped:
                return
            self._stopping.set()
            self._servers[0].pull_trigger()
            self._thread.join()
            # Only now: until the loop has ended, this thread may be writing to the trigger.
            for server in self._servers:
                server.pull_trigger = _ignore  # a request that outlasts the grace would call it
                server.trigger.close()
            self._sockets.close()
            self._owned.close()
            self._is_stopped = True

    def _loop(self) -> None:
        while not self._stopping.is_set():
            self._sockets.turn(1.0)
        for server in self._servers:
            wasyncore.dispatcher.close(server)  # only the listening socket
        end = time.monotonic() + _GRACE
        while self._sockets.answers_in_flight() and time.monotonic() < end:
            self._sockets.turn(0.05)
        self._dispatcher.shutdown(timeout=1)


def serve(
    data: Data | Store | None = None,
    *,
    mapping: str | PathLike[str] | None = None,
    skip_invalid: bool = False,
    name: str = SITE_NAME,
    metrics: str | None = None,
    on_file: OnFile | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    keys: str | PathLike[str] | KeyStore | None = None,
    limits: Limits | None = None,
    page_rate: int = PAGE_RATE,
    trusted_proxy: str | None = None,
    dialect: str = SPECIFICATION.name,
    states: str | PathLike[str] | None = None,
) -> Service:
    """Serve a directory from a background thread of this process.

    Parameters
    ----------
    data
        A store; an XML file or a folder of XML files; a table: a CSV, JSON lines or Parquet file,
        a pandas, polars or Arrow frame, or the address of a database as SQLAlchemy reads it; a
        sequence of these, or a mapping from ``accounts`` and ``projects`` to them. Default: the
        bundled sample.
    mapping
        A TOML file that says which columns of tables are which fields. Columns with the names of
        fields need none.
    skip_invalid
        Whether to leave out rows of tables that do not fit; else they are refused.
    name
        Name of the site.
    metrics
        Where to publish metrics for Prometheus: a path such as ``/metrics``, or ``HOST:PORT``.
        Default: nowhere.
    on_file
        Called for each file that is imported.
    host
        Address to listen on. Default: loopback only. A host name stands for all its addresses;
        ``::`` for every address of this machine, including IPv4.
    port
        Port to listen on; 0 selects a free port.
    keys
        File of the API keys. Default: a temporary file with one key for this process.
    limits
        Limits on connections. Default: `Limits()`. The number of connections is also bounded
        by the files that this process may open.
    page_rate
        HTML pages per minute and client address; 0 for no limit.
    trusted_proxy
        Address or network of the proxy whose X-Forwarded headers are trusted.
    dialect
        Dialect of the XML: ``specification``, ``recorded`` (responses of 2008 to 2013) or
        ``today`` (the live service).
    states
        A TOML file, reloaded when it changes: ``maintenance = true``, and ids in lists
        ``deleted_projects`` and ``disabled_accounts``. Only for the dialect ``today``.

    Returns
    -------
    Service
        The running service. ``with`` returns its URL and stops it at the end; `api_key` is the
        key that was created.

    Raises
    ------
    StoreError
        The data cannot be served.
    ConfigurationError
        The address cannot be listened on, or the page rate or the proxy is invalid.
    InvalidInputError
        The dialect is unknown or does not support states.

    Examples
    --------
    >>> import dirframe, requests
    >>> with dirframe.serve() as url:
    ...     print(requests.get(f"{url}/healthz", timeout=10).text)
    ok: 2000 accounts, 1500 projects
    <BLANKLINE>
    """
    rules, limits = rules_of(dialect), limits or Limits()
    if states is not None and not rules.states:
        raise InvalidInputError(
            f"The dialect {dialect!r} knows no states; states= is for dialect='today'."
        )
    limits = replace(
        limits,
        connections=bounded_by_open_files(limits.connections),
        exempt_addresses=(*limits.exempt_addresses, *([trusted_proxy] if trusted_proxy else [])),
    )

    def opened(source: Data | None, base: Path | None = None) -> Store:
        return open_data(
            source,
            mapping=None if mapping is None else Path(mapping),
            skip_invalid=skip_invalid,
            base=base,
            on_file=on_file,
        )

    with ExitStack() as stack:
        store = data if isinstance(data, Store) else opened(data)
        api_key = None
        if isinstance(keys, KeyStore):
            key_store = keys
        elif keys is not None:
            key_store = stack.enter_context(KeyStore(Path(keys)))
        else:
            folder = stack.enter_context(TemporaryDirectory(prefix="dirframe-keys-"))
            key_store = stack.enter_context(KeyStore(Path(folder) / "keys.sqlite"))
            api_key = ApiKey(key_store.add("this process", "embedded service"))
        create = partial(
            create_app,
            keys=key_store,
            page_rate=PageRate(page_rate),
            rules=rules,
            states=StatesFile(None if states is None else Path(states)),
            name=name,
        )
        live = LiveApplication(create, store, discard=discard_store)
        if store is not data:
            stack.callback(live.close)
        reloading = threading.Lock()

        def reload(other: Data | None) -> Changes | None:
            if isinstance(data, Store):
                raise StoreError("An open store is not read again; serve its path or its data.")
            with reloading:
                current = live.store
                store = opened(data if other is None else other, current.path)
                if store.identity == current.identity:
                    store.close()
                    return None
                live.replace(store)
                return store.changes

        if metrics is None:
            application = logged(live)
        else:
            counts = lambda: live.store.counts()  # noqa: PLW0108  # the store is replaced
            application, stop = with_metrics(live, metrics, counts)
            stack.callback(stop)
        application = behind_proxy(application, trusted_proxy)
        service = Service(
            application, _listeners(host, port), limits, api_key, live=live, reload=reload
        )
        service._owned.push(stack.pop_all())
    return service


def _ignore() -> None:
    """Wake no loop: it has ended."""


def _listeners(host: str, port: int) -> list[socket.socket]:
    """Return a listening socket for each address of `host`, all on the same port."""
    if not 0 <= port <= 65_535:
        raise ConfigurationError(f"There is no port {port}: ports go from 0 to 65535.")
    try:
        candidates = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys((int(family), str(a[0])) for family, *_, a in candidates))
        if addresses == [(socket.AF_INET6, "::")]:
            # A dual-stack socket would report IPv4 clients as ::ffff:…, so there are two sockets.
            addresses.append((socket.AF_INET, "0.0.0.0"))  # noqa: S104 # requested by the caller
        return _bound(addresses, port)
    except OSError as error:
        raise ConfigurationError(
            f"The service cannot listen at {host}, port {port}: {error.strerror}. "
            "Choose another port; 0 takes a free one."
        ) from error


def _bound(addresses: list[tuple[int, str]], port: int) -> list[socket.socket]:
    attempts = 10 if port == 0 else 1
    while True:
        attempts -= 1
        with ExitStack() as stack:
            listeners: list[socket.socket] = []
            absent: OSError | None = None
            try:
                for family, address in addresses:
                    bound_port = listeners[0].getsockname()[1] if listeners else port
                    try:
                        listener = socket.create_server((address, bound_port), family=family)
                    except OSError as error:
                        # A host name may have an address of a family that is disabled on this machine.
                        if error.errno not in {EADDRNOTAVAIL, EAFNOSUPPORT}:
                            raise
                        absent = error
                    else:
                        listeners.append(stack.enter_context(listener))
            except OSError as error:
                # A port that is free on the first address may be in use on the second.
                if error.errno == EADDRINUSE and attempts:
                    continue
                raise
            if absent and not listeners:
                raise absent
            stack.pop_all()
            return listeners


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
