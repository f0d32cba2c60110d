"""Everything that was written down, shown or raised: where a key must not be found."""

import base64
import gzip
import importlib
import io
import json
import logging
import pickle
import sqlite3
import traceback
import warnings
from contextlib import closing, contextmanager, suppress

from hypothesis import strategies as st

import dirframe
from tests.rig.server import MARK

_LIBRARIES = ("urllib3", "requests", "requests_cache", "dirframe", "")


class Everything:
    """Collects texts and bytes, each by where it was found."""

    def __init__(self):
        self._found = []
        self.log = io.StringIO()

    def add(self, place, written):
        self._found.append((place, written if isinstance(written, bytes) else written.encode()))

    def add_shown(self, thing):
        name = type(thing).__name__
        self.add(f"repr of {name}", repr(thing))
        self.add(f"str of {name}", str(thing))
        with suppress(TypeError, AttributeError, pickle.PicklingError):  # not everything pickles
            self.add(f"pickle of {name}", pickle.dumps(thing))

    def add_error(self, error, *, shown=False):
        """Add an error with its chain; `shown` adds what rich and IPython make of it, slowly."""
        form = traceback.TracebackException.from_exception(error, capture_locals=True)
        self.add("traceback with locals", "".join(form.format()))
        seen, chain = set(), [error]
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

    def add_files(self, folder):
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                self.add(file.name, file.read_bytes())
            self.add("name of a file", file.name)
        for file in folder.rglob("http-cache*.sqlite"):
            with closing(sqlite3.connect(file)) as database:
                for (entry,) in database.execute("SELECT value FROM responses").fetchall():
                    text = gzip.decompress(entry)
                    self.add("a cached entry", text)
                    self.add("a cached page", base64.b64decode(json.loads(text)["_content"]))

    @contextmanager
    def logged(self):
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

    def places_of_the_key(self):
        """Name each place where the mark was found, with what stands around it."""
        self.add("the log", self.log.getvalue())
        marks = [MARK.encode(), MARK.lower().encode(), MARK.encode("utf-16-le")]
        return [
            f"{place}: …{written[max(written.find(mark) - 80, 0) : written.find(mark) + 40]!r}"
            for place, written in self._found
            for mark in marks
            if mark in written
        ]


def _peek(value):
    """Show what a debugger that unfolds a local variable shows: two levels of attributes."""
    inner = getattr(value, "__dict__", {})
    return repr(value) + "".join(
        f"{name}={one!r} {getattr(one, '__dict__', '')!r}" for name, one in inner.items()
    )


def _by_rich(error):
    from rich.console import Console
    from rich.traceback import Traceback

    out = io.StringIO()
    shown = Traceback.from_exception(
        type(error), error, error.__traceback__, show_locals=True, locals_max_string=10_000
    )
    Console(file=out, width=200).print(shown)
    return out.getvalue()


def _by_ipython(error):
    ultratb = importlib.import_module("IPython.core.ultratb")
    return ultratb.VerboseTB().text(type(error), error, error.__traceback__)


#: As a directory gives them, and with whatever addresses and XML spell in other ways.
KEYS = st.just(MARK + "0123456789abcdef") | st.text(
    st.sampled_from("ab0&<>\"'%+/=~;:#?[]{}\\ é漢"), max_size=8
).map(lambda text: f"{MARK}{text}{MARK}")

OPERATIONS = {
    "load": lambda d: dirframe.load_projects(directory=d, progress=False, incomplete="warn"),
    "one": lambda d: dirframe.load_project(7, directory=d),
    "address": lambda d: dirframe.load_account("ada@example.org", directory=d),
    "plan": lambda d: dirframe.plan("accounts", directory=d),
}


def _attempt(operation, directory):
    """Do it, and return what came of it; no variable here holds the key."""
    try:
        return operation(directory)
    except (dirframe.DirframeError, KeyboardInterrupt) as error:
        return error


def written(rig, folder, operation, fault, *, shown=False, **options):
    """Let a fault happen to every response after the first; collect everything."""
    everything = Everything()
    with everything.logged(), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        rig.faults.append(fault if operation != "load" else None)
        rig.always = fault
        with rig.directory(folder, **options) as place:
            outcome = _attempt(OPERATIONS[operation], place)
            again = _attempt(OPERATIONS[operation], place)
            everything.add_shown(place)
            everything.add("a local variable", _peek(place))
    assert rig.requests
    assert all(request.query["api_key"] == rig.key for request in rig.requests)  # it did go out
    for came in (outcome, again):
        if isinstance(came, BaseException):
            everything.add_error(came, shown=shown and came is outcome)
        else:
            everything.add_shown(came)
        if hasattr(came, "attrs"):
            everything.add("attrs", repr(came.attrs))
            everything.add("CSV", came.to_csv())
            for suffix in ("csv", "parquet"):
                dirframe.export(came, folder / f"export.{suffix}", overwrite=True)
    for warning in warned:
        everything.add("a warning", str(warning.message))
    everything.add_files(folder)
    return everything
