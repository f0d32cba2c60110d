"""Everything that was written down, shown or raised: where a key must not be found."""

from __future__ import annotations

import importlib
import io
import json
import logging
import pickle
import sqlite3
import traceback
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: In every key of these tests; letters and digits that no encoding of a character changes.
MARK = "M4RKx7Qz9"

_LIBRARIES = ("urllib3", "requests", "requests_cache", "dirframe", "pyrate_limiter", "")


class Everything:
    """Collects texts and bytes, each by where it was found."""

    def __init__(self) -> None:
        self._found: list[tuple[str, bytes]] = []
        self.log = io.StringIO()

    def add(self, place: str, written: str | bytes) -> None:
        self._found.append((place, written if isinstance(written, bytes) else written.encode()))

    def add_shown(self, thing: object) -> None:
        name = type(thing).__name__
        self.add(f"repr of {name}", repr(thing))
        self.add(f"str of {name}", str(thing))
        with suppress(TypeError, AttributeError, pickle.PicklingError):  # not everything pickles
            self.add(f"pickle of {name}", pickle.dumps(thing))

    def add_error(self, error: BaseException, *, shown: bool = False) -> None:
        """Add an error with its chain; `shown` adds what rich and IPython make of it, slowly."""
        form = traceback.TracebackException.from_exception(error, capture_locals=True)
        self.add("traceback with locals", "".join(form.format()))
        seen: set[int] = set()
        chain: list[BaseException | None] = [error]
        while chain:
            one = chain.pop()
            if one is None or id(one) in seen:
                continue
            seen.add(id(one))
            self.add_shown(one)
            self.add("facts of an error", repr(vars(one)) + repr(getattr(one, "__notes__", "")))
            for frame, _ in traceback.walk_tb(one.__traceback__):
                for value in frame.f_locals.values():
                    self.add("a local variable", _peek(value))
            chain += [one.__cause__, one.__context__]
        if shown:
            self.add("rich", _by_rich(error))
            self.add("IPython", _by_ipython(error))

    def add_files(self, folder: Path) -> None:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                self.add(file.name, file.read_bytes())
            self.add("name of a file", file.name)
        for file in folder.rglob("http-cache*.sqlite"):
            with closing(sqlite3.connect(file)) as database:
                for (entry,) in database.execute("SELECT value FROM responses").fetchall():
                    line, _, packed = entry.partition(b"\n")
                    size = json.loads(line)["size"]
                    self.add("a cached page", pa.decompress(packed, size, "lz4", asbytes=True))

    @contextmanager
    def logged(self) -> Iterator[None]:
        """Let all libraries log at DEBUG, and keep it."""
        handler = logging.StreamHandler(self.log)
        handler.setFormatter(logging.Formatter("%(name)s %(message)s %(args)s"))
        loggers = [logging.getLogger(name) for name in _LIBRARIES]
        levels = [logger.level for logger in loggers]
        for logger in loggers:
            logger.setLevel(logging.DEBUG)
        logging.getLogger().addHandler(handler)
        try:
            yield
        finally:
            logging.getLogger().removeHandler(handler)
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)

    def places_of_the_key(self) -> list[str]:
        """Name each place where the mark was found, with what stands around it."""
        self.add("the log", self.log.getvalue())
        marks = [MARK.encode(), MARK.lower().encode(), MARK.encode("utf-16-le")]
        return [
            f"{place}: …{written[max(written.find(mark) - 80, 0) : written.find(mark) + 40]!r}"
            for place, written in self._found
            for mark in marks
            if mark in written
        ]


def _peek(value: object) -> str:
    """Show what a debugger that unfolds a local variable shows: two levels of attributes."""
    inner = getattr(value, "__dict__", {})
    return repr(value) + "".join(
        f"{name}={one!r} {getattr(one, '__dict__', '')!r}" for name, one in inner.items()
    )


def _by_rich(error: BaseException) -> str:
    from rich.console import Console
    from rich.traceback import Traceback

    out = io.StringIO()
    shown = Traceback.from_exception(
        type(error), error, error.__traceback__, show_locals=True, locals_max_string=10_000
    )
    Console(file=out, width=200).print(shown)
    return out.getvalue()


def _by_ipython(error: BaseException) -> str:
    ultratb = importlib.import_module("IPython.core.ultratb")  # not part of the dev extra
    shown: str = ultratb.VerboseTB().text(type(error), error, error.__traceback__)
    return shown
