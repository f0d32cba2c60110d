"""Serve a directory in the foreground until a signal, and read changed data again."""

from __future__ import annotations

import logging
import signal
import sys
from contextlib import ExitStack, suppress
from math import inf
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any

from dirframe.errors import DirframeError
from dirframe.service.api_keys import KeyStore
from dirframe.service.connections import Limits, bounded_by_open_files
from dirframe.service.importing.progress import ImportProgress
from dirframe.service.importing.sources import data_files
from dirframe.service.server import serve
from dirframe.service.web.access_log import ACCESS_LOG
from dirframe.service.web.app import SITE_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from dirframe.service.importing.sources import Data

#: Seconds. A signal that comes in the instant before a wait, or to another thread, does not end it,
#: and Python runs the handler only afterwards.
_LONGEST_WAIT = 1.0


def run(
    data: Data | None = None,
    *,
    mapping: str | PathLike[str] | None = None,
    keys: str | PathLike[str] | KeyStore | None = None,
    watch: float | None = None,
    name: str = SITE_NAME,
    **options: Any,
) -> None:
    """Serve a directory in the foreground until SIGINT or SIGTERM.

    Responses in progress are finished. The access log, without API keys, goes to standard
    error.

    Parameters
    ----------
    data, mapping, name
        As in `serve`.
    keys
        File of the API keys. Default: the one in the user's data folder.
    watch
        Seconds between two looks at the data; changed data is imported while the service answers.
        Default: only at SIGHUP.
    **options
        Further ones of `serve`.

    Raises
    ------
    InvalidInputError
        There is no such file or folder.
    StoreError
        The data or the keys cannot be used.
    ConfigurationError
        The address cannot be listened on, or the page rate or the proxy is invalid.
    """
    connections = bounded_by_open_files(Limits().connections, raise_soft_limit=True)
    commands: SimpleQueue[str] = SimpleQueue()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    level = ACCESS_LOG.level
    ACCESS_LOG.addHandler(handler)
    ACCESS_LOG.setLevel(logging.INFO)
    handlers: dict[int, str] = {signal.SIGINT: "stop", signal.SIGTERM: "stop"}
    if hasattr(signal, "SIGHUP"):
        handlers[signal.SIGHUP] = "reload"
    previous_handlers: dict[int, Any] = {}
    try:
        with ExitStack() as stack:
            key_store = stack.enter_context(KeyStore()) if keys is None else keys
            with ImportProgress() as progress:
                # Before the signal handlers: Ctrl-C aborts an import.
                service = serve(
                    data,
                    mapping=mapping,
                    keys=key_store,
                    name=name,
                    on_file=progress,
                    **options,
                )
            url = stack.enter_context(service)
            for number, command in handlers.items():
                previous_handlers[number] = signal.signal(
                    number, lambda *_, command=command: commands.put(command)
                )
            ACCESS_LOG.info("Serving %s at %s; stop with Ctrl-C.", name, url)
            if connections < Limits().connections:
                ACCESS_LOG.info(
                    "At most %d connections: this process may open no more files.", connections
                )
            for line in service.import_report.splitlines():
                ACCESS_LOG.info("%s", line)
            for _ in _reload_requests(commands, watch, lambda: _state(data, mapping)):
                try:
                    changes = service.reload()
                    ACCESS_LOG.info("Data read again: %s.", changes or "it is the same as before")
                except DirframeError as error:
                    ACCESS_LOG.error("The records stay as they were. %s", error.shell_text)
                except Exception:  # noqa: BLE001  # the service goes on, whatever it is
                    ACCESS_LOG.exception("The records stay as they were: an unexpected error.")
            ACCESS_LOG.info("Stopping.")
    finally:
        for number, previous in previous_handlers.items():
            signal.signal(number, previous)
        ACCESS_LOG.removeHandler(handler)
        ACCESS_LOG.setLevel(level)


def _state(data: Data | None, mapping: str | PathLike[str] | None) -> object:
    """Return a value that changes with the files of the data; None if they cannot tell."""
    try:
        files = data_files(
            () if data is None else data, mapping=None if mapping is None else Path(mapping)
        )
        return files and [(f, (s := f.stat()).st_mtime_ns, s.st_size) for f in files]
    except (OSError, DirframeError):
        return "missing"  # while a file is replaced


def _reload_requests(
    commands: SimpleQueue[str], watch: float | None, state: Callable[[], object]
) -> Iterator[None]:
    """Yield whenever the data is to be read again, until the command to stop."""
    seen = previous = state()
    while (command := _next_command(commands, inf if watch is None else watch)) != "stop":
        if command is None:
            # A file is read when it has stopped changing.
            current = state()
            if current is None or current == previous != seen:
                seen = current
                yield
            previous = current
        else:
            yield


def _next_command(commands: SimpleQueue[str], seconds: float) -> str | None:
    """Return the next command, or None after some seconds."""
    end = monotonic() + seconds
    while (left := end - monotonic()) > 0:
        with suppress(Empty):
            return commands.get(timeout=min(left, _LONGEST_WAIT))
    return None
