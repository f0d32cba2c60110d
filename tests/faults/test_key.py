"""The key is in nothing that is written, shown or raised, whatever goes wrong."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dirframe
from dirframe.client.directory import Directory
from dirframe.errors import DirframeError
from dirframe.io.export import export
from tests.faults import faults
from tests.faults.conftest import HASTY, settings_of
from tests.faults.everything import MARK, Everything
from tests.faults.service import FaultyService, Shelf, numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.faults.service import Exchange, Fault

#: As a directory gives it, and with whatever addresses and XML spell in other ways.
KEYS = st.one_of(
    st.just(MARK + "0123456789abcdef"),
    st.text(st.sampled_from("ab0&<>\"'%+/=~;:#?[]{}\\ é漢"), max_size=8).map(
        lambda text: f"{MARK}{text}{MARK}"
    ),
)

OPERATIONS: dict[str, Callable[[Directory], Any]] = {
    "load": lambda d: dirframe.load_projects(directory=d, progress=False, incomplete="warn"),
    "one": lambda d: dirframe.load_project(7, directory=d),
    "address": lambda d: dirframe.load_account("ada@example.org", directory=d),
    "plan": lambda d: dirframe.plan("accounts", directory=d),
}

#: Those that end within the times and tries that the command line has.
QUICK = [
    name
    for name in faults.DAMAGED | faults.REFUSALS | faults.MISLED | faults.TALKATIVE
    if "headers" not in name
]


def attempt(operation: Callable[[Directory], Any], directory: Directory) -> Any:
    """Do it, and hand over what came of it; no variable here holds the key."""
    try:
        return operation(directory)
    except (DirframeError, KeyboardInterrupt) as error:
        return error


def written(
    fault: Fault, key: str, operation: str, *, folder: Path, shown: bool = False, **options: Any
) -> Everything:
    """Let a fault happen to every answer after the first; collect everything."""
    everything = Everything()
    options = (HASTY if fault in faults.SLOW.values() else {}) | options
    with (
        FaultyService(Shelf(numbered(25), size=10), key=key) as service,
        everything.logged(),
        warnings.catch_warnings(record=True) as warned,
    ):
        warnings.simplefilter("always")
        service.faults.append(fault if operation != "load" else None)
        service.always = fault
        directory = Directory.from_settings(
            settings_of(service, folder, key=key, retries=1, **options)
        )
        outcome = attempt(OPERATIONS[operation], directory)
        again = attempt(OPERATIONS[operation], directory)
        assert service.asked
        assert all(asked.query["api_key"] == key for asked in service.asked)  # it did go out
        session = directory.session
        adapter = session._adapter
        for thing in (directory, directory.settings, session, session._session, adapter):
            everything.add_shown(thing)
        everything.add_shown(directory.settings.api_key)
        everything.add_shown(adapter.max_retries)
        directory.close()
    for came in (outcome, again):
        if isinstance(came, BaseException):
            everything.add_error(came, shown=shown and came is outcome)
        else:
            everything.add_shown(came)
        if hasattr(came, "attrs"):
            everything.add("attrs", repr(came.attrs))
            export(came, folder / "export.csv", overwrite=True)
            export(came, folder / "export.parquet", overwrite=True)
            everything.add("CSV", came.to_csv())
    for warning in warned:
        everything.add("a warning", str(warning.message))
    everything.add_files(folder)
    return everything


@settings(max_examples=100)
@given(
    name=st.sampled_from(sorted(set(faults.FAULTS) - set(faults.SLOW) - {"gzip bomb"})),
    key=KEYS,
    operation=st.sampled_from(sorted(OPERATIONS)),
    workers=st.sampled_from([1, 4]),
)
def test_whatever_goes_wrong_the_key_is_written_nowhere(
    name: str, key: str, operation: str, workers: int
) -> None:
    with TemporaryDirectory() as folder:
        everything = written(
            faults.FAULTS[name], key, operation, folder=Path(folder), max_workers=workers
        )
    assert everything.places_of_the_key() == []


#: One of each way in which an error comes up.
WAYS = [
    "reset before",
    "not HTTP",
    "503 for hours",
    "cut short",
    "not gzip",
    "HTML with 200",
    "endless",
    "silence",
    "403",
    "429",
    "the key in the text",
    "the key in an HTML page",
    "to no address",
    "to another host with the key",
    "in a circle with the key",
]


@pytest.mark.parametrize("name", WAYS)
def test_no_traceback_with_local_variables_shows_the_key(name: str, tmp_path: Path) -> None:
    pytest.importorskip("rich", reason="rich is not installed")
    pytest.importorskip("IPython", reason="IPython is not installed")
    key = f"{MARK}&<'key'>/+=~%"
    everything = written(faults.FAULTS[name], key, "one", folder=tmp_path, shown=True)
    assert everything.places_of_the_key() == []


@pytest.mark.parametrize("name", QUICK)
def test_the_command_line_never_shows_the_key(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from dirframe.cli import main

    key = f"{MARK}&<'key'>/+=~%"
    everything = Everything()
    with FaultyService(Shelf(numbered(25), size=10), key=key) as service, everything.logged():
        service.faults.append(None)
        service.always = faults.FAULTS[name]
        if name.startswith(("503", "endless", "gzip bomb")):
            service.faults.append(faults.FAULTS["500"])
        monkeypatch.setenv("DIRFRAME_BASE_URL", service.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", key)
        monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
        monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)
        monkeypatch.setattr(sys, "argv", ["dirframe", "projects"])
        with pytest.raises(SystemExit):
            main()
        assert service.asked
    shown = capsys.readouterr()
    assert shown.out or "dirframe: " in shown.err
    everything.add("standard output", shown.out)
    everything.add("standard error", shown.err)
    everything.add_files(tmp_path)
    assert everything.places_of_the_key() == []


@pytest.fixture
def interrupted() -> Iterator[Fault]:
    """Press Ctrl-C while the answer is awaited."""

    def fault(exchange: Exchange) -> None:
        main = threading.main_thread().ident
        assert main is not None
        signal.pthread_kill(main, signal.SIGINT)
        exchange.closing.wait(0.3)
        exchange.answer()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield fault
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("workers", [1, 4])
def test_an_interrupted_request_leaves_the_key_in_no_variable(
    workers: int, interrupted: Fault, tmp_path: Path
) -> None:
    key = f"{MARK}&<'key'>/+=~%"
    everything = Everything()
    with FaultyService(Shelf(numbered(55), size=10), key=key) as service, everything.logged():
        service.on_page[2] = [interrupted]
        directory = Directory.from_settings(
            settings_of(service, tmp_path, key=key, max_workers=workers)
        )
        error = attempt(OPERATIONS["load"], directory)
        directory.close()
    assert isinstance(error, KeyboardInterrupt)
    everything.add_error(error, shown=True)
    everything.add_files(tmp_path)
    assert everything.places_of_the_key() == []


def test_the_search_itself_finds_a_key_wherever_one_is(tmp_path: Path) -> None:
    key = f"{MARK}&%"
    everything = Everything()
    (tmp_path / "some.txt").write_text(quote_plus(key))
    everything.add_files(tmp_path)
    with everything.logged():
        logging.getLogger("urllib3.other").debug("asking %s", key)

    def fail() -> None:
        held = key
        raise ValueError(held[:0])

    try:
        fail()
    except ValueError as error:
        everything.add_error(error, shown=True)
    places = {place.partition(":")[0] for place in everything.places_of_the_key()}
    assert {"some.txt", "the log", "traceback with locals", "rich", "IPython"} <= places
