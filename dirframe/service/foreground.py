"""Serve a directory in the foreground until a signal, and read changed data again."""

from __future__ import annotations

import logging
import signal
import sys
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from math import inf
from operator import attrgetter
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
    from dirframe.service.server import Service

#: Seconds. A signal that arrives just before a wait, or in another thread, does not interrupt the
#: wait, and Python runs its handler only afterwards.
_LONGEST_WAIT = 1.0
#: Fields of a file's status that change with its content or its permissions.
_FILE_STATE = attrgetter("st_ino", "st_mtime_ns", "st_ctime_ns", "st_size")


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

    Responses in progress are finished, an import in progress is not. The access log, without API
    keys, goes to standard error. At SIGHUP the data is read again; one that comes during the first
    import is obeyed after it.

    Parameters
    ----------
    data, mapping, name
        As in `serve`.
    keys
        File of the API keys. Default: the one in the user's data folder.
    watch
        Seconds between two checks of the data; changed data is imported while the service
        responds. Default: only at SIGHUP.
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
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    level = ACCESS_LOG.level
    ACCESS_LOG.addHandler(handler)
    ACCESS_LOG.setLevel(logging.INFO)
    signals = _Signals()
    try:
        with ExitStack() as stack:
            signals.install(signal.SIGTERM, "stop")
            if hasattr(signal, "SIGHUP"):
                signals.install(signal.SIGHUP, "reload")
            key_store = stack.enter_context(KeyStore()) if keys is None else keys
            state = partial(_state, data, mapping)
            # Before the import: what changes while it reads is read again.
            imported = None if watch is None else state()
            with signals.interrupting(), ImportProgress() as progress:
                service = serve(
                    data,
                    mapping=mapping,
                    keys=key_store,
                    name=name,
                    on_file=progress,
                    **options,
                )
                url = stack.enter_context(service)
            # Only now: Ctrl-C aborts the first import with the exit code of an interrupt.
            signals.install(signal.SIGINT, "stop")
            ACCESS_LOG.info("Serving %s at %s; stop with Ctrl-C.", name, url)
            if connections < Limits().connections:
                ACCESS_LOG.info(
                    "At most %d connections: this process may open no more files.", connections
                )
            for line in service.import_report.splitlines():
                ACCESS_LOG.info("%s", line)
            for _ in _reload_requests(signals, watch, state, imported):
                _reload(service, signals)
            ACCESS_LOG.info("Stopping.")
    except KeyboardInterrupt:
        if not signals.is_stopping:
            raise
        ACCESS_LOG.info("Stopping.")
    finally:
        signals.restore()
        ACCESS_LOG.removeHandler(handler)
        ACCESS_LOG.setLevel(level)


class _Signals:
    """Signals to this process as commands: ``stop`` and ``reload``."""

    def __init__(self) -> None:
        self._commands: SimpleQueue[str] = SimpleQueue()
        self._previous: dict[int, Any] = {}
        self._interrupts = False
        #: Whether the command to stop has come.
        self.is_stopping = False

    def install(self, number: int, command: str) -> None:
        """Put a command into the queue at each signal of this number."""
        self._previous[number] = signal.signal(number, lambda *_: self._receive(command))

    def _receive(self, command: str) -> None:
        self._commands.put(command)
        if command == "stop":
            self.is_stopping = True
            if self._interrupts:
                raise KeyboardInterrupt

    def restore(self) -> None:
        """Install the previous handlers."""
        for number, previous in self._previous.items():
            signal.signal(number, previous)

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Raise KeyboardInterrupt in the block at the command to stop."""
        try:
            self._interrupts = True
            if self.is_stopping:
                raise KeyboardInterrupt
            yield
        finally:
            self._interrupts = False

    def next_command(self, seconds: float) -> str | None:
        """Return the next command, or None after some seconds; several reloads are one."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            with suppress(Empty):
                command = self._commands.get(timeout=min(left, _LONGEST_WAIT))
                with suppress(Empty):
                    while command == "reload":
                        command = self._commands.get_nowait()
                return command
        return None


def _reload(service: Service, signals: _Signals) -> None:
    """Import the data again and log the result; the command to stop aborts it."""
    try:
        with signals.interrupting():
            changes = service.reload()
        ACCESS_LOG.info("Data read again: %s.", changes or "it is the same as before")
    except KeyboardInterrupt:
        if not signals.is_stopping:
            raise
    except DirframeError as error:
        ACCESS_LOG.error("The records stay as they were. %s", error)
    except Exception:  # noqa: BLE001  # the service goes on, whatever it is
        ACCESS_LOG.exception("The records stay as they were: an unexpected error.")


def _state(data: Data | None, mapping: str | PathLike[str] | None) -> object:
    """Return a value that changes with the files of the data; None if they cannot tell."""
    try:
        files = data_files(
            () if data is None else data, mapping=None if mapping is None else Path(mapping)
        )
        return files and [(f, *_FILE_STATE(f.stat())) for f in files]
    except Exception:  # noqa: BLE001  # the reload says what is wrong
        return "missing"  # while a file is replaced


def _reload_requests(
    signals: _Signals, watch: float | None, state: Callable[[], object], imported: object
) -> Iterator[None]:
    """Yield whenever the data is to be read again, until the command to stop.

    Parameters
    ----------
    signals
        The source of commands.
    watch
        Seconds between two checks of the data.
    state
        Returns what changes with the data.
    imported
        Its value before the first import.
    """
    seen = previous = imported
    while (command := signals.next_command(inf if watch is None else watch)) != "stop":
        if command is None:
            # A file is read when it has stopped changing.
            current = state()
            if current is None or current == previous != seen:
                seen = current
                yield
            previous = current
        else:
            if watch is not None:
                seen = previous = state()
            yield
