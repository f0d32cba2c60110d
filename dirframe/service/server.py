"""Serves a directory: in a thread for notebooks and tests, in the foreground for an operator.

The server is waitress: pure Python, it runs in any thread, accepts absolute-form request
targets, bounds what it reads, and its loop can be ended between two answers.
"""

from __future__ import annotations

import logging
import signal
import socket
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from errno import EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from waitress import create_server, wasyncore
from waitress.server import TcpWSGIServer

from dirframe.errors import ConfigurationError, InvalidInputError
from dirframe.service.api_keys import KeyStore
from dirframe.service.connections import (
    Connection,
    Connections,
    Limits,
    bounded_by_open_files,
)
from dirframe.service.dialects.dialects import SPECIFICATION, rules_of
from dirframe.service.dialects.states import StatesFile
from dirframe.service.store.import_progress import ImportProgress
from dirframe.service.store.sample import open_data
from dirframe.service.store.store import Store
from dirframe.service.web.access_log import ACCESS_LOG, logged
from dirframe.service.web.app import create_app
from dirframe.service.web.page_rate import PAGE_RATE
from dirframe.service.web.proxy import behind_proxy
from dirframe.settings import ApiKey

if TYPE_CHECKING:
    from os import PathLike

    from dirframe.service.store.import_progress import OnFile

__all__ = ["Service", "run", "serve"]

_THREADS = 8
_GRACE = 10.0


class Service:
    """A directory that is being served by a thread of this process.

    As a context manager it gives its address and stops at the end of the block.

    Attributes
    ----------
    url : str
        Where it answers, without a trailing slash.
    api_key : ApiKey or None
        A key for this process, if the service made one.
    """

    def __init__(
        self,
        store: Store,
        keys: KeyStore,
        *,
        host: str,
        port: int,
        api_key: ApiKey | None = None,
        limits: Limits | None = None,
        page_rate: int = PAGE_RATE,
        trusted_proxy: str | None = None,
        dialect: str = SPECIFICATION.name,
        states: StatesFile | None = None,
    ) -> None:
        rules = rules_of(dialect)
        if states is not None and not rules.states:
            raise InvalidInputError(
                f"The dialect {dialect!r} knows no states; states= is for dialect='today'."
            )
        app = create_app(store, keys, page_rate=page_rate, rules=rules, states=states)
        application = behind_proxy(logged(app), trusted_proxy)
        # More clients than threads is no cause for alarm: they wait their turn.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        limits = limits or Limits()
        proxies = () if trusted_proxy is None else (trusted_proxy,)
        limits = replace(
            limits,
            connections=bounded_by_open_files(limits.connections),
            exempt_addresses=limits.exempt_addresses + proxies,
        )
        listeners = _listeners(host, port)
        self.api_key = api_key
        self.url = _url(listeners[0])
        self._stopping = threading.Event()
        #: What ends with the service, because `serve` opened it.
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
            # `Connections` decides about both.
            connection_limit=limits.connections + 1000,
            channel_timeout=2**31,
            clear_untrusted_proxy_headers=False,  # `behind_proxy` decides whom to believe
        ).task_dispatcher
        self._servers = [s for s in self._sockets.values() if isinstance(s, TcpWSGIServer)]
        for server in self._servers:
            server.channel_class = Connection
        self._thread = threading.Thread(target=self._loop, name="dirframe service", daemon=True)
        self._thread.start()

    def __enter__(self) -> str:
        return self.url

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = "stopped" if self._stopping.is_set() else "serving"
        return f"<dirframe service, {state} at {self.url}>"

    def stop(self) -> None:
        """Accept nothing more, let the answers in flight finish, and free everything."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._servers[0].pull_trigger()
        self._thread.join()
        self._owned.close()

    def _loop(self) -> None:
        while not self._stopping.is_set():
            self._sockets.turn(1.0)
        for server in self._servers:
            wasyncore.dispatcher.close(server)  # the listening socket alone
        end = time.monotonic() + _GRACE
        while self._sockets.answers_in_flight() and time.monotonic() < end:
            self._sockets.turn(0.05)
        self._dispatcher.shutdown(timeout=1)
        for server in self._servers:
            server.trigger.close()
        self._sockets.close()


def serve(
    data: str | PathLike[str] | Store | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    keys: str | PathLike[str] | KeyStore | None = None,
    limits: Limits | None = None,
    page_rate: int = PAGE_RATE,
    trusted_proxy: str | None = None,
    dialect: str = SPECIFICATION.name,
    states: str | PathLike[str] | None = None,
) -> Service:
    """Serve a directory from this process, beside whatever else it does.

    Parameters
    ----------
    data
        A store, an XML file or a folder of XML files; left out: the bundled sample.
    host
        The address to listen at; left out: this machine alone. A name is listened at under
        all its addresses; ``::`` is every address of this machine, IPv4 too.
    port
        The port to listen at; 0 takes a free one.
    keys
        The file of the keys; left out: one key is made, for this process and its time.
    limits
        What one client may occupy, and for how long; left out: `Limits()`. The number of
        connections is bounded by the files that this process may open.
    page_rate
        HTML pages a minute for one client address; 0 is no limit.
    trusted_proxy
        Address or network of the proxy whose X-Forwarded headers are believed.
    dialect
        What the XML is like: ``specification``, ``recorded`` (answers of 2008 to 2013) or
        ``today`` (the live service).
    states
        A TOML file, read again when it changes: ``maintenance = true``, and ids in lists
        ``deleted_projects`` and ``disabled_accounts``. Of the dialect ``today`` alone.

    Returns
    -------
    Service
        It is serving already. ``with`` gives its address and stops it at the end; its
        `api_key` is the key that was made.

    Raises
    ------
    StoreError
        The data cannot be served.
    ConfigurationError
        It cannot listen there, or the rate or the proxy is none.
    InvalidInputError
        There is no such dialect, or it knows no states.

    Examples
    --------
    >>> import dirframe, requests
    >>> with dirframe.serve() as url:
    ...     print(requests.get(f"{url}/healthz", timeout=10).text)
    ok: 2000 accounts, 1500 projects
    <BLANKLINE>
    """
    with ExitStack() as stack:
        store = data if isinstance(data, Store) else stack.enter_context(_opened(data))
        api_key = None
        if isinstance(keys, KeyStore):
            key_store = keys
        elif keys is not None:
            key_store = stack.enter_context(KeyStore(Path(keys)))
        else:
            folder = stack.enter_context(TemporaryDirectory(prefix="dirframe-keys-"))
            key_store = stack.enter_context(KeyStore(Path(folder) / "keys.sqlite"))
            api_key = ApiKey(key_store.add("this process", "embedded service"))
        service = Service(
            store,
            key_store,
            host=host,
            port=port,
            api_key=api_key,
            page_rate=page_rate,
            trusted_proxy=trusted_proxy,
            limits=limits,
            dialect=dialect,
            states=None if states is None else StatesFile(Path(states)),
        )
        service._owned.push(stack.pop_all())
    return service


def run(
    data: str | PathLike[str] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    keys: str | PathLike[str] | KeyStore | None = None,
    page_rate: int = PAGE_RATE,
    trusted_proxy: str | None = None,
    dialect: str = SPECIFICATION.name,
    states: str | PathLike[str] | None = None,
) -> None:
    """Serve a directory in the foreground until SIGINT or SIGTERM; answers in flight finish.

    The access log goes to standard error, without keys.

    Parameters
    ----------
    data
        A store, an XML file or a folder of XML files; left out: the bundled sample.
    host
        The address to listen at; left out: this machine alone. A name is listened at under
        all its addresses; ``::`` is every address of this machine, IPv4 too.
    port
        The port to listen at; 0 takes a free one.
    keys
        The file of the keys; left out: the one in the person's data folder.
    page_rate
        HTML pages a minute for one client address; 0 is no limit.
    trusted_proxy
        Address or network of the proxy whose X-Forwarded headers are believed.
    dialect
        What the XML is like: ``specification``, ``recorded`` (answers of 2008 to 2013) or
        ``today`` (the live service).
    states
        A TOML file, read again when it changes: ``maintenance = true``, and ids in lists
        ``deleted_projects`` and ``disabled_accounts``. Of the dialect ``today`` alone.

    Raises
    ------
    StoreError
        The data or the keys cannot be used.
    ConfigurationError
        It cannot listen there, or the rate or the proxy is none.
    """
    connections = bounded_by_open_files(Limits().connections, raise_soft_limit=True)
    asked_to_stop = threading.Event()
    signals = (signal.SIGINT, signal.SIGTERM)
    with ImportProgress() as progress:
        opened = _opened(data, on_file=progress)  # before signals wait: Ctrl-C ends an import
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    level = ACCESS_LOG.level
    ACCESS_LOG.addHandler(handler)
    ACCESS_LOG.setLevel(logging.INFO)
    before = [signal.signal(number, lambda *_: asked_to_stop.set()) for number in signals]
    try:
        with (
            opened as store,
            serve(
                store,
                host=host,
                port=port,
                keys=KeyStore() if keys is None else keys,
                page_rate=page_rate,
                trusted_proxy=trusted_proxy,
                dialect=dialect,
                states=states,
            ) as url,
        ):
            ACCESS_LOG.info("Serving at %s; stop with Ctrl-C.", url)
            if connections < Limits().connections:
                ACCESS_LOG.info(
                    "At most %d connections: this process may open no more files.", connections
                )
            asked_to_stop.wait()
            ACCESS_LOG.info("Stopping.")
    finally:
        for number, previous in zip(signals, before, strict=True):
            signal.signal(number, previous)
        ACCESS_LOG.removeHandler(handler)
        ACCESS_LOG.setLevel(level)


def _opened(data: str | PathLike[str] | None, *, on_file: OnFile | None = None) -> Store:
    return open_data(None if data is None else Path(data), on_file=on_file)


def _listeners(host: str, port: int) -> list[socket.socket]:
    """Return a listening socket for each address of `host`, all at one port."""
    if not 0 <= port <= 65_535:
        raise ConfigurationError(f"There is no port {port}: ports go from 0 to 65535.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys((int(family), str(a[0])) for family, *_, a in found))
        if addresses == [(socket.AF_INET6, "::")]:
            # Two sockets, not one for both families: it would write IPv4 clients as ::ffff:…
            addresses.append((socket.AF_INET, "0.0.0.0"))  # noqa: S104 # was asked for
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
                    own = listeners[0].getsockname()[1] if listeners else port
                    try:
                        listener = socket.create_server((address, own), family=family)
                    except OSError as error:
                        # A name may have an address of a family that is switched off here.
                        if error.errno not in {EADDRNOTAVAIL, EAFNOSUPPORT}:
                            raise
                        absent = error
                    else:
                        listeners.append(stack.enter_context(listener))
            except OSError as error:
                # What is free for the first address may be taken for the second.
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
