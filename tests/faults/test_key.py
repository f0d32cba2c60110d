"""The key is in nothing that is written, shown or raised, whatever goes wrong."""

import base64
import gzip
import html
import io
import json
import logging
import pickle
import sqlite3
import traceback
import warnings
from collections import deque
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any
from urllib.parse import quote, quote_plus, unquote
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from IPython.core.ultratb import VerboseTB

import dirframe
from tests.processes import interruptible
from tests.rig import faults
from tests.rig.server import MARK, Reply, Rig, page_xml, record

ADDRESS = "https://directory.example"
KEY = f"{MARK}&<'key'>/+=~%"
#: As a directory gives them, and with whatever addresses and XML spell in other ways.
KEYS = st.just(MARK + "0123456789abcdef") | st.text(
    st.sampled_from("ab0&<>\"'%+/=~;:#?[]{}\\ é漢"), max_size=8
).map(lambda text: f"{MARK}{text}{MARK}")
#: Attributes of functions, methods, cells and partial functions that hold other values.
INSIDE = ("__closure__", "__self__", "__wrapped__", "cell_contents", "args", "keywords", "queue")
OPERATIONS = {
    "load": lambda d: dirframe.load_projects(directory=d, progress=False, incomplete="warn"),
    "one": lambda d: dirframe.load_project(7, directory=d),
    "address": lambda d: dirframe.load_account("ada@example.org", directory=d),
    "plan": lambda d: dirframe.plan("accounts", directory=d),
}


class Everything:
    """Everything that was written down, shown or raised, each by where it was found."""

    def __init__(self):
        self._found, self._log = [], io.StringIO()

    def add(self, place, written):
        self._found.append((place, written if isinstance(written, bytes) else written.encode()))

    def add_shown(self, thing):
        name = type(thing).__name__
        self.add(f"repr of {name}", repr(thing))
        self.add(f"str of {name}", str(thing))
        with suppress(TypeError, AttributeError, pickle.PicklingError):  # not everything pickles
            self.add(f"pickle of {name}", pickle.dumps(thing))

    def add_error(self, error):
        """Add an error with its chain, and what a traceback with local variables shows of it."""
        form = traceback.TracebackException.from_exception(error, capture_locals=True)
        self.add("traceback with locals", "".join(form.format()))
        chain, seen = [error], set()
        while chain:
            one = chain.pop()
            if one is None or id(one) in seen:
                continue
            seen.add(id(one))
            self.add_shown(one)
            self.add("facts of an error", repr(vars(one)) + repr(getattr(one, "__notes__", "")))
            variables = [frame.f_locals for frame, _ in traceback.walk_tb(one.__traceback__)]
            for text in _unfold(variables):
                self.add("a local variable", text)
            chain += [one.__cause__, one.__context__]

    def add_notebook(self, error):
        """Add what a notebook in its verbose mode shows of an error, and keeps."""
        shown = VerboseTB(include_vars=True).text(type(error), error, error.__traceback__)
        self.add("traceback of a notebook", shown)

    def add_files(self, folder):
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                self.add(file.name, file.read_bytes())
            self.add("name of a file", file.name)
        for file in folder.rglob("http-cache*.sqlite"):
            with closing(sqlite3.connect(file)) as database:
                for (entry,) in database.execute("SELECT content FROM responses").fetchall():
                    text = gzip.decompress(entry)
                    self.add("a cached entry", text)
                    self.add("a cached page", base64.b64decode(json.loads(text)["_content"]))

    @contextmanager
    def logged(self):
        """Let all libraries log at DEBUG, and keep it."""
        handler = logging.StreamHandler(self._log)
        handler.setFormatter(logging.Formatter("%(name)s %(message)s %(args)s"))
        root = logging.getLogger()  # no other has a level of its own
        level = root.level
        root.setLevel(logging.DEBUG)
        root.addHandler(handler)
        try:
            yield
        finally:
            root.removeHandler(handler)
            root.setLevel(level)

    def places_of_the_key(self):
        """Name each place where the mark was found, with what stands around it."""
        self.add("the log", self._log.getvalue())
        marks = [MARK.encode(), MARK.lower().encode(), MARK.encode("utf-16-le")]
        return [
            f"{place}: …{written[max(written.find(mark) - 80, 0) : written.find(mark) + 40]!r}"
            for place, written in self._found
            for mark in marks
            if mark in written
        ]


def _unfold(start):
    """Yield all that a debugger shows of a variable, however often one unfolds what is in it."""
    waiting, seen = [start], {}
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, (type, ModuleType)):
            continue
        seen[id(value)] = value
        if isinstance(value, (str, bytes, bytearray)):
            yield value if isinstance(value, str) else bytes(value)
            continue
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset, deque)):
            waiting += value
        else:
            yield repr(value)
        slots = {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
        named = {*getattr(value, "__dict__", {}), *slots, *INSIDE}
        waiting += [getattr(value, name, None) for name in named]


def _attempt(operation, directory):
    """Do it, and return what came of it; no variable here holds the key."""
    try:
        return operation(directory)
    except (dirframe.DirframeError, KeyboardInterrupt) as error:
        return error


def written(rig, folder, operation, name, **options):
    """Let a fault happen to every response after the first; collect everything."""
    everything = Everything()
    options |= {"timeout": 0.4} if name in faults.SLOW else {}
    with everything.logged(), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        rig.always = faults.FAULTS[name]
        rig.faults.append(rig.always if operation != "load" else None)
        with rig.directory(folder, **options) as place:
            outcomes = [_attempt(OPERATIONS[operation], place) for _ in range(2)]
            everything.add_shown(place)
            for text in _unfold(place):
                everything.add("a local variable", text)
    assert rig.requests
    assert all(request.query["api_key"] == rig.key for request in rig.requests)  # it did go out
    for came in outcomes:
        if isinstance(came, BaseException):
            everything.add_error(came)
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


@given(
    name=st.sampled_from(sorted({*faults.FAULTS} - {*faults.SLOW, "gzip bomb"})),
    key=KEYS,
    operation=st.sampled_from(sorted(OPERATIONS)),
    workers=st.sampled_from([1, 4]),
    in_process=st.booleans(),
)
@example(name="not HTTP", key=KEY, operation="one", workers=1, in_process=False)
@example(name="the key in the text", key=KEY, operation="one", workers=1, in_process=True)
@example(name="a broken header line", key=KEY, operation="one", workers=1, in_process=False)
@example(name="in a circle with the key", key=KEY, operation="one", workers=1, in_process=True)
def test_key_is_written_nowhere_whatever_goes_wrong(name, key, operation, workers, in_process):
    rig = Rig(25, key=key)
    with TemporaryDirectory() as folder, rig.in_process() if in_process else rig:
        everything = written(rig, Path(folder), operation, name, workers=workers)
    assert everything.places_of_the_key() == []


LONG_KEY = f"{MARK}&D <key>/+=~%"
#: How a directory may repeat the key in a page, and the encoding of the page.
SPELLINGS = {
    "UTF-16": (escape(LONG_KEY), "utf-16"),
    "UTF-32": (escape(LONG_KEY), "utf-32"),
    "CDATA": (f"<![CDATA[{LONG_KEY}]]>", "utf-8"),
    "CDATA in parts": (f"{MARK[:3]}<![CDATA[{LONG_KEY[3:]}]]>", "utf-8"),
    "references": ("".join(f"&#{ord(sign)};" for sign in LONG_KEY), "utf-8"),
    "references in part": (f"&#x{ord(MARK[0]):X};{escape(LONG_KEY[1:])}", "utf-8"),
    "references of references": ("".join(f"&amp;#{ord(sign)};" for sign in LONG_KEY), "utf-8"),
    "percent signs": ("".join(f"%{ord(sign):02x}" for sign in LONG_KEY), "utf-8"),
    "percent signs in part": (quote(LONG_KEY[:4]) + f"%{ord(LONG_KEY[4]):X}" + quote(LONG_KEY[5:], safe=""), "utf-8"),
    "percent signs twice": (quote(quote(LONG_KEY, safe=""), safe=""), "utf-16"),
    "a form in an address": (quote(quote_plus(LONG_KEY), safe=""), "utf-8"),
    "an attribute": (f"<a b={quoteattr(LONG_KEY)}/>", "utf-16"),
    "a comment": (f"<!--{LONG_KEY}-->", "utf-16"),
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_key_that_a_directory_repeats_is_removed_in_every_spelling(spelling, tmp_path):
    text, encoding = SPELLINGS[spelling]
    page = page_xml([record(n, inner=f"<x>{text}</x>") for n in range(3)], available=3, first=0)
    xml = page.decode().replace("UTF-8", encoding)
    reply = Reply(xml.encode(encoding))
    everything = Everything()
    with Rig(answer=lambda _: reply, key=LONG_KEY).in_process() as rig:
        directory = rig.directory(tmp_path)
        frame = dirframe.load_projects(directory, progress=False)
        archived = dirframe.harvest("projects", tmp_path / "kept", directory=directory).frame()
    assert frame["id"].tolist() == archived["id"].tolist() == ["0", "1", "2"]
    everything.add("a frame", frame.to_csv() + archived.to_csv())
    everything.add_files(tmp_path)
    assert everything.places_of_the_key() == []
    texts = [html.unescape(unquote(html.unescape(text))) for text in frame.to_csv().splitlines()]
    assert [text for text in texts if MARK in text] == []


@pytest.mark.parametrize("sign", ["&", "&amp;", "<", '"', "%", "%25"])
def test_key_of_many_equal_signs_is_removed_from_a_long_run_of_them(sign):
    key = sign * 40 + MARK  # 2**39 ways to read the run, if each sign could be read in two
    run = escape(sign * 39, {'"': "&quot;"})
    references = "".join(f"&#{ord(character)};" for character in key)
    inner = f"<x>{run} {references}</x>"
    reply = Reply(page_xml([record(1, inner=inner)], available=1, first=0))
    with Rig(answer=lambda _: reply, key=key).in_process() as rig:
        frame = dirframe.load_projects(rig.directory(), progress=False)
    assert frame["x"].tolist() == [f"{sign * 39} [api key removed]"]


@pytest.mark.filterwarnings("ignore::dirframe.ShortKeyWarning")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_key_that_may_be_a_word_is_removed_behind_its_parameter(encoding, tmp_path):
    inner = "<url>http://example.org/?api_key=short&amp;page=2</url><x>a short word</x>"
    page = page_xml([record(1, inner=inner)], available=1, first=0)
    reply = Reply(page.decode().replace("UTF-8", encoding).encode(encoding))
    with Rig(answer=lambda _: reply, key="short").in_process() as rig:
        frame = dirframe.load_projects(rig.directory(tmp_path), progress=False)
    assert frame["url"].tolist() == ["http://example.org/?api_key=[api key removed]&page=2"]
    assert frame["x"].tolist() == ["a short word"]


def test_interrupted_request_leaves_the_key_in_no_variable(tmp_path):
    everything = Everything()
    with Rig(55, key=KEY) as rig, everything.logged(), interruptible():
        rig.on_page[2] = [faults.interrupts]
        interruption = _attempt(OPERATIONS["load"], rig.directory(tmp_path, workers=4))
    assert isinstance(interruption, KeyboardInterrupt)
    everything.add_notebook(interruption)
    everything.add_error(interruption)
    everything.add_files(tmp_path)
    assert everything.places_of_the_key() == []


Directory: Any = dirframe.Directory  # what is wrong here, type checkers see
WITHOUT_A_SESSION = {
    "an option that is none": lambda key: Directory(ADDRESS, key, timeout=0),
    "an option of another name": lambda key: Directory(ADDRESS, key=key, tokens=1),
    "the key under another name": lambda key: Directory(ADDRESS, api_key=key),
    "too many arguments": lambda key: Directory(ADDRESS, key, 30),
    "an address without a host": lambda key: Directory("https://", key),
    "an address that is not encrypted": lambda key: Directory("http://d.example", key),
    "the key as the address": lambda key: Directory(key, ADDRESS),
    "the key as the password": lambda key: Directory(f"https://me:{key}@d.example", "x"),
    "the key in the query": lambda key: Directory(f"{ADDRESS}?api_key={key}", key),
    "a blank at its end": lambda key: Directory(ADDRESS, f"{key} "),
    "a line end": lambda key: Directory(ADDRESS, f"{key}\n{key}"),
    "bytes": lambda key: Directory(ADDRESS, key.encode()),
    "a list": lambda key: Directory(ADDRESS, [key]),
    "a folder without a home": lambda key: Directory(ADDRESS, key, cache="~nobody-at-all/x"),
    "a short key in a strict program": lambda key: Directory(ADDRESS, key[:12]),
}


def _fails(open_directory, key, variables):
    """Return the error of a directory that cannot be opened, with the frames of dirframe."""
    try:
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("error")
            for variable in variables:
                patch.setenv(variable, key)
            open_directory(key)
    except (dirframe.DirframeError, dirframe.DirframeWarning, TypeError) as error:
        ours = error.__traceback__.tb_next.tb_next  # behind the two frames of this file
        return error.with_traceback(ours)
    raise AssertionError


@pytest.mark.parametrize("case", WITHOUT_A_SESSION)
def test_key_is_in_no_frame_of_a_directory_that_cannot_be_opened(case):
    everything = Everything()
    error = _fails(WITHOUT_A_SESSION[case], f"{MARK}0123456789abcdef", ())
    everything.add_notebook(error)
    everything.add_error(error)
    assert everything.places_of_the_key() == []


@pytest.mark.parametrize(
    "options", [{"timeout": 0}, {"base_url": "d.example"}, {"cache": "~nobody-at-all/x"}]
)
def test_key_of_the_environment_is_in_no_frame_of_an_error(options):
    def open_directory(key):
        dirframe.Directory(**{"base_url": ADDRESS} | options)

    everything = Everything()
    error = _fails(open_directory, f"{MARK}0123456789abcdef", ["DIRFRAME_API_KEY"])
    everything.add_notebook(error)
    everything.add_error(error)
    assert everything.places_of_the_key() == []


def test_key_is_not_in_the_output_of_http_client(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(HTTPConnection, "debuglevel", 1)
    with Rig(3, key=KEY) as rig:
        OPERATIONS["load"](rig.directory(tmp_path))
    assert MARK not in "".join(capfd.readouterr())


def test_short_key_is_named_when_it_is_set_and_not_shown(capsys):
    with pytest.warns(dirframe.ShortKeyWarning, match="fewer than 16 characters") as caught:
        dirframe.Directory(ADDRESS, "fifteen-letters", cache=False)
    assert [warning.filename for warning in caught] != [__file__]  # whose line has the key
    assert "fifteen" not in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dirframe.Directory(ADDRESS, "sixteen-letters-", cache=False)


def test_search_finds_a_key_wherever_one_is(tmp_path):
    everything = Everything()
    (tmp_path / "some.txt").write_text(quote_plus(KEY))
    everything.add_files(tmp_path)
    with everything.logged():
        logging.getLogger("urllib3.other").debug("asking %s", KEY)
    held = KEY
    with pytest.raises(ValueError, match=r"^$") as caught:
        raise ValueError(held[:0])
    everything.add_error(caught.value)
    places = {place.partition(":")[0] for place in everything.places_of_the_key()}
    assert {"some.txt", "the log", "traceback with locals", "a local variable"} <= places


@pytest.mark.parametrize(
    "call",
    [
        lambda key, directory: dirframe.load_projects(directory, sort=key),
        lambda key, directory: dirframe.load_projects(directory, sample=key),
        lambda key, directory: dirframe.load_projects(directory, max_items=key),
        lambda key, directory: dirframe.load_projects(directory, sample=3, seed=key),
        lambda key, directory: dirframe.load_projects(directory, incomplete=key),
        lambda key, directory: dirframe.load_projects(directory, progress=key),
        lambda key, directory: dirframe.load_projects(directory, refresh=key),
        lambda key, directory: dirframe.load_projects(directory, query=f"{key}\0"),
        lambda key, directory: dirframe.load(key, of=3, directory=directory),
        lambda key, directory: dirframe.plan("projects", sort=key, directory=directory),
        lambda key, directory: dirframe.harvest(key, "kept.archive", directory=directory),
    ],
)
@pytest.mark.parametrize("key", [KEY, f"{MARK}0123456789abcdef"])
def test_key_that_is_passed_as_another_argument_is_not_repeated(call, key, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Rig(1, key=key).in_process() as rig, rig.directory(tmp_path) as directory:
        with pytest.raises(dirframe.InvalidInputError) as caught:
            call(key, directory)
        assert MARK not in str(caught.value)
        assert rig.requests == []
