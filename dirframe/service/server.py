"""Serves a directory: in a thread for notebooks and tests, in the foreground for an operator.

The server is waitress: pure Python, it runs in any thread, accepts absolute-form request
targets, bounds what it reads, and its loop can be ended between two answers.

What stays out: what is answered (`app`), the command line.
"""

from __future__ import annotations

import logging
import signal
import socket
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from waitress import create_server, wasyncore
from waitress.channel import HTTPChannel

from dirframe.errors import ConfigurationError
from dirframe.service.access_log import ACCESS_LOG, logged
from dirframe.service.app import create_app
from dirframe.service.keys import KeyStore
from dirframe.service.page_rate import PAGE_RATE
from dirframe.service.progress import ImportProgress
from dirframe.service.proxy import behind_proxy
from dirframe.service.sample_data import open_data
from dirframe.service.store import Store
from dirframe.service.tasks import PersistentTask
from dirframe.settings import ApiKey

if TYPE_CHECKING:
    from os import PathLike

    from dirframe.service.progress import OnFile

__all__ = ["Service", "run", "serve"]

_THREADS = 8
_GRACE = 10.0


class _Channel(HTTPChannel):  # type: ignore[misc]  # waitress ships no types
    task_class = PersistentTask


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
        page_rate: int = PAGE_RATE,
        trusted_proxy: str | None = None,
    ) -> None:
        app = create_app(store, keys, page_rate=page_rate)
        application = behind_proxy(logged(app), trusted_proxy)
        # More clients than threads is no cause for alarm: they wait their turn.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        listener = _listener(host, port)
        self.api_key = api_key
        self.url = _url(listener)
        self._stopping = threading.Event()
        #: What ends with the service, because `serve` opened it.
        self._owned = ExitStack()
        self._sockets: dict[int, Any] = {}
        self._server = create_server(
            application,
            map=self._sockets,
            sockets=[listener],
            threads=_THREADS,
            ident="dirframe",
            max_request_header_size=16 * 1024,
            max_request_body_size=16 * 1024,
            channel_timeout=60,
            clear_untrusted_proxy_headers=False,  # `behind_proxy` decides whom to believe
        )
        self._server.channel_class = _Channel
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
        self._server.pull_trigger()
        self._thread.join()
        self._owned.close()

    def _loop(self) -> None:
        while not self._stopping.is_set():
            wasyncore.loop(timeout=1.0, map=self._sockets, count=1)
        wasyncore.dispatcher.close(self._server)  # the listening socket alone
        end = time.monotonic() + _GRACE
        while self._answering() and time.monotonic() < end:
            wasyncore.loop(timeout=0.05, map=self._sockets, count=1)
        self._server.task_dispatcher.shutdown(timeout=1)
        self._server.trigger.close()
        wasyncore.close_all(self._sockets)

    def _answering(self) -> bool:
        return any(
            channel.requests or channel.total_outbufs_len
            for channel in self._sockets.values()
            if isinstance(channel, HTTPChannel)
        )


def serve(
    data: str | PathLike[str] | Store | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    keys: str | PathLike[str] | KeyStore | None = None,
    page_rate: int = PAGE_RATE,
    trusted_proxy: str | None = None,
) -> Service:
    """Serve a directory from this process, beside whatever else it does.

    Parameters
    ----------
    data
        A store, an XML file or a folder of XML files; left out: the bundled sample.
    host
        The address to listen at; left out: this machine alone.
    port
        The port to listen at; 0 takes a free one.
    keys
        The file of the keys; left out: one key is made, for this process and its time.
    page_rate
        HTML pages a minute for one client address; 0 is no limit.
    trusted_proxy
        Address or network of the proxy whose X-Forwarded headers are believed.

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
) -> None:
    """Serve a directory in the foreground until SIGINT or SIGTERM; answers in flight finish.

    The access log goes to standard error, without keys.

    Parameters
    ----------
    data
        A store, an XML file or a folder of XML files; left out: the bundled sample.
    host
        The address to listen at; left out: this machine alone.
    port
        The port to listen at; 0 takes a free one.
    keys
        The file of the keys; left out: the one in the person's data folder.
    page_rate
        HTML pages a minute for one client address; 0 is no limit.
    trusted_proxy
        Address or network of the proxy whose X-Forwarded headers are believed.

    Raises
    ------
    StoreError
        The data or the keys cannot be used.
    ConfigurationError
        It cannot listen there, or the rate or the proxy is none.
    """
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
            ) as url,
        ):
            ACCESS_LOG.info("Serving at %s; stop with Ctrl-C.", url)
            asked_to_stop.wait()
            ACCESS_LOG.info("Stopping.")
    finally:
        for number, previous in zip(signals, before, strict=True):
            signal.signal(number, previous)
        ACCESS_LOG.removeHandler(handler)
        ACCESS_LOG.setLevel(level)


def _opened(data: str | PathLike[str] | None, *, on_file: OnFile | None = None) -> Store:
    return open_data(None if data is None else Path(data), on_file=on_file)


def _listener(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65_535:
        raise ConfigurationError(f"There is no port {port}: ports go from 0 to 65535.")
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        raise ConfigurationError(
            f"The service cannot listen at {host}, port {port}: {error.strerror}. "
            "Choose another port; 0 takes a free one."
        ) from error


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
