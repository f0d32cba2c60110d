"""The key is in nothing that is written, shown or raised, whatever goes wrong."""

import logging
import signal
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dirframe
from tests.faults import HASTY
from tests.faults.everything import KEYS, OPERATIONS, Everything, written
from tests.processes import interruptible
from tests.rig import faults
from tests.rig.server import MARK, Rig

KEY = f"{MARK}&<'key'>/+=~%"
#: One of each way in which an error comes up.
WAYS = [
    *("reset before", "cut short", "HTML with 200", "silence", "403"),
    *("the key in an HTML page", "to another host with the key", "the key in names"),
]


def test_no_fault_shows_the_key_in_python(tmp_path):
    failures = []
    for name in WAYS:
        folder = tmp_path / name
        folder.mkdir()
        with Rig(25, key=KEY) as rig:
            options = HASTY if name in faults.SLOW else {}
            everything = written(rig, folder, "load", faults.FAULTS[name], **options)
        failures += [f"{name}: {place}" for place in everything.places_of_the_key()]
    assert not failures


def test_no_fault_shows_the_key_on_the_command_line(run, tmp_path, monkeypatch):
    monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
    failures = []
    for name in ("403", "the key in an HTML page", "the key in names"):
        monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / name))
        monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / name))
        everything = Everything()
        with Rig(25, key=KEY) as rig, everything.logged():
            monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
            rig.faults.append(None)
            rig.always = faults.FAULTS[name]
            outcome = run("projects")
            assert rig.requests
        assert outcome.code == 0 or outcome.err
        everything.add("standard output", outcome.out)
        everything.add("standard error", outcome.err)
        everything.add_files(tmp_path / name)
        failures += [f"{name}: {place}" for place in everything.places_of_the_key()]
    assert not failures


@given(
    name=st.sampled_from(sorted({*faults.FAULTS} - {*faults.SLOW, "gzip bomb"})),
    key=KEYS,
    operation=st.sampled_from(sorted(OPERATIONS)),
    workers=st.sampled_from([1, 4]),
)
def test_no_key_is_written_anywhere_whatever_goes_wrong(name, key, operation, workers):
    with TemporaryDirectory() as folder, Rig(25, key=key).in_process() as rig:
        fault = faults.FAULTS[name]
        everything = written(rig, Path(folder), operation, fault, workers=workers)
    assert everything.places_of_the_key() == []


@pytest.mark.parametrize("name", ["the key in the text", "to another host with the key"])
def test_traceback_with_local_variables_does_not_show_the_key(name, tmp_path):
    pytest.importorskip("rich", reason="rich is not installed")
    pytest.importorskip("IPython", reason="IPython is not installed")
    with Rig(25, key=KEY) as rig:
        everything = written(rig, tmp_path, "one", faults.FAULTS[name], shown=True)
    assert everything.places_of_the_key() == []


def test_interrupted_request_leaves_the_key_in_no_variable(tmp_path):
    def fault(exchange):  # Ctrl-C while the response is awaited
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        exchange.closing.wait(0.3)
        exchange.answer()

    everything = Everything()
    with Rig(55, key=KEY) as rig, everything.logged(), interruptible():
        rig.on_page[2] = [fault]
        directory = rig.directory(tmp_path, workers=4)
        try:
            dirframe.load_projects(directory=directory, progress=False)
        except KeyboardInterrupt as error:
            interruption = error
    # This test's own frame holds the rig.
    interruption.__traceback__ = interruption.__traceback__.tb_next
    everything.add_error(interruption)
    everything.add_files(tmp_path)
    assert everything.places_of_the_key() == []


def test_search_finds_a_key_wherever_one_is(tmp_path):
    key = f"{MARK}&%"
    everything = Everything()
    (tmp_path / "some.txt").write_text(quote_plus(key))
    everything.add_files(tmp_path)
    with everything.logged():
        logging.getLogger("urllib3.other").debug("asking %s", key)

    def fail():
        held = key
        raise ValueError(held[:0])

    with pytest.raises(ValueError, match=r"^$") as caught:
        fail()
    everything.add_error(caught.value)
    places = {place.partition(":")[0] for place in everything.places_of_the_key()}
    assert {"some.txt", "the log", "traceback with locals", "a local variable"} <= places
