"""Serve a directory, from a thread of this process or as a command."""

from __future__ import annotations

import logging
import shlex
import signal
import time
from contextlib import ExitStack
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from wsgiref.types import WSGIApplication

from dirframe._display import suggests_options
from dirframe._files import data_folder
from dirframe._printable import escaped
from dirframe.errors import ConfigurationError
from dirframe.service.app import ACCESS_LOG, behind_proxy, create_app
from dirframe.service.keys import KeyStore, default_key_file
from dirframe.service.server import Server, check_address, listen, raise_file_limit
from dirframe.service.site import SITE_NAME, Site
from dirframe.service.store import Data, open_data
from dirframe.settings import ApiKey, check_path, check_switches

if TYPE_CHECKING:
    from dirframe.client.directory import Directory


class Service:
    """A directory that a thread of this process serves; `with` stops it at the end of the block.

    Attributes
    ----------
    url : str
        Base URL, without a trailing slash.
    api_key : ApiKey or None
        API key for this process, if the service created one.
    """

    def __init__(self, server: Server, *, name: str, api_key: ApiKey | None) -> None:
        self.url = server.url
        self.api_key = api_key
        self._server, self._name = server, name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<dirframe service at {self.url}>"

    def directory(self, *, key: str | ApiKey | None = None) -> Directory:
        """Open the directory of this service, to load from it.

        Pages are not cached, and requests are counted in memory, because the address and the key
        are those of this service alone.

        Parameters
        ----------
        key
            API key. Default: `api_key`, which a service with a file of keys (``keys=``) has not.

        Returns
        -------
        Directory
            To be closed, or used in a ``with`` block.

        Raises
        ------
        ConfigurationError
            There is no key.

        Examples
        --------
        >>> import dirframe
        >>> with dirframe.serve() as service, service.directory() as directory:
        ...     projects = dirframe.load_projects(directory, max_items=10)
        >>> len(projects)
        10
        """
        from dirframe.client.directory import Directory, connection_of

        if key is None:
            key = self.api_key
        if key is None:
            raise ConfigurationError(
                "The keys of this service are in a file, and only their hashes are known. Pass key=, "
                "or create one with dirframe keys add."
            )
        settings = Directory(self.url, key, name=self._name, cache=False)
        return Directory._from(replace(connection_of(settings), quota_folder=None))

    def stop(self) -> None:
        """Stop accepting connections, finish responses in progress, and release all resources.

        A call that Ctrl-C interrupts can be repeated; one from another thread waits.
        """
        self._server.stop()


@suggests_options
def serve(
    data: Data = None,
    *,
    name: str = SITE_NAME,
    description: str | None = None,
    contact: str | None = None,
    terms: str | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    keys: str | PathLike[str] | None = None,
    trusted_proxy: str | None = None,
    analyses: bool = True,
    accounts_csv: bool = False,
) -> Service:
    """Serve a directory from a background thread of this process.

    Parameters
    ----------
    data
        An XML file or a folder of XML files; a table whose columns have the names of `fields`: a
        CSV, JSON lines or Parquet file, or a pandas, polars or Arrow frame; a sequence of these, or
        a mapping from ``accounts`` and ``projects`` to them. Default: the bundled sample; without
        `analyses` with its organizations and repositories.
    name, description
        Name of the site, and a sentence about it for the home page.
    contact
        Whom developers ask for a key: a URL, an e-mail address, or text. The home page shows it.
    terms
        Further terms of use, or their URL. The home page shows them.
    host, port
        Address to listen on (``::`` is every one of this machine, including IPv4), and port, by
        default a free one.
    keys
        File of the API keys. Default: one key for this process.
    trusted_proxy
        Address or network of the proxy whose X-Forwarded headers are trusted.
    analyses
        Whether collections have the analyses of projects. If not, only each project's own page has
        its analysis, and a page of a collection has ten records, as in today's directories;
        projects also take ``per_page`` (up to 25) and ``ids``.
    accounts_csv
        Whether all accounts can be downloaded at once, as ``/accounts.csv``.

    Returns
    -------
    Service
        ``with`` returns it, and stops it at the end; `url` is its address, `api_key` the key that
        was created, and `directory()` opens it.

    Raises
    ------
    InvalidInputError, StoreError, ConfigurationError
        If there is no such file, data or keys cannot be used, the service cannot listen on the
        address, the proxy is invalid, or it is not clear whether a table holds accounts or
        projects.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.serve() as service, service.directory() as directory:
    ...     projects = dirframe.load_projects(directory, max_items=10)
    >>> len(projects)
    10
    """
    site = Site(
        name=name,
        description=description,
        contact=contact,
        terms=terms,
        accounts_csv=accounts_csv,
    )
    check_switches(analyses=analyses)
    check_address(host, port)
    if keys is not None:
        check_path("keys", keys)
    with ExitStack() as stack:
        if data is None and not analyses:
            data = [data_folder(), data_folder("rehearsal")]
        store, api_key = open_data(data), None
        stack.callback(store.close)
        key_store = stack.enter_context(KeyStore(None if keys is None else Path(keys)))
        if keys is None:
            api_key = ApiKey(key_store.add("this process", "embedded service"))
        app: WSGIApplication = create_app(store, key_store, site=site, analyses=analyses)
        if trusted_proxy is not None:
            app = behind_proxy(app, trusted_proxy)
        listener = stack.enter_context(listen(host, port))
        server = Server(app, listener, stack.pop_all())
    return Service(server, name=name, api_key=api_key)


def run(data: Data = None, *, keys: Path, **options: Any) -> None:
    """Serve a directory, as `serve` does, until SIGINT or SIGTERM, in a process of its own.

    Responses in progress are finished, an import in progress is not. The access log, without API
    keys, goes to standard error.
    """
    raise_file_limit()
    logging.basicConfig(format="%(message)s")
    logging.getLogger("dirframe.service").setLevel(logging.INFO)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with serve(data, keys=keys, **options) as service:
            ACCESS_LOG.info("Serving at %s; stop with Ctrl-C.", service.url)
            _log_missing_keys(keys)
            while True:  # a signal that another thread receives does not interrupt a wait
                time.sleep(1.0)
    except KeyboardInterrupt:
        ACCESS_LOG.info("Stopped.")


def _log_missing_keys(path: Path) -> None:
    """Say how to create a key, if there is none."""
    with KeyStore(path) as keys:
        if keys.has_active_keys():
            return
    option = "" if path == default_key_file() else f" --key-file {shlex.quote(str(path))}"
    ACCESS_LOG.info(
        "Pages need no API key; XML does, and there is none yet. Create one: "
        'dirframe keys add --developer "Ada L." --application thesis%s',
        escaped(option),
    )
