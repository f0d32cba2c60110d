"""Ctrl-C at any instant ends a command with 130, and with no traceback."""

import os
import signal
import sys
import threading
import time
from functools import partial

import pytest

import dirframe
from tests.cases import slow_except
from tests.processes import LIMIT, interruptible, start
from tests.rig import faults
from tests.rig.server import Rig

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")

#: Runs before everything else in a process, as sitecustomize.py: Ctrl-C while a module is loaded.
IN_IMPORTS = """
import signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r} and self in sys.meta_path:
            sys.meta_path.remove(self)
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                raise {error}
sys.meta_path.insert(0, Finder())
"""


def begin(*words, folder=None, before="", **environment):
    """Start a command; Python that is to run in it before everything else is put into a folder."""
    if folder:
        (folder / "sitecustomize.py").write_text(before, encoding="utf-8")
        here = os.environ.get("PYTHONPATH", "")
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), here)))
    with interruptible():
        return start(*words, env=environment)


def end(process):
    """Return exit code, standard output and standard error; nothing shows a traceback."""
    with process:
        out, err = process.communicate(timeout=LIMIT)
    assert "Traceback" not in err
    return process.returncode, out, err


@pytest.mark.parametrize(
    "words",
    [
        ["projects"],
        pytest.param(["harvest", "projects", "--to", "a.archive"], marks=pytest.mark.slow),
    ],
)
def test_interrupt_stops_a_command_that_waits_for_pages(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun, done = threading.Event(), threading.Event()

    def wait(request):
        if request.page > 2:
            begun.set()
            done.wait(LIMIT)

    with Rig(1000, size=25) as rig:
        rig.before = wait
        environment = {
            "DIRFRAME_BASE_URL": rig.url,
            "DIRFRAME_API_KEY": rig.key,
            "DIRFRAME_CACHE_DIR": str(tmp_path / "cache"),
            "DIRFRAME_DATA_DIR": str(tmp_path / "data"),
        }
        process = begin(*words, **environment)
        assert begun.wait(LIMIT)
        process.send_signal(signal.SIGINT)
        done.set()  # a request in flight is waited for
        assert end(process)[:2] == (130, "")
        assert len(rig.requests) < 40  # the rest was not asked for


#: What an interrupt becomes where it comes while a lock is taken.
IN_A_LOCK = "RuntimeError('release unlocked lock')"


@pytest.mark.parametrize(("module", "error"), [("pandas", ""), ("click", IN_A_LOCK)])
def test_interrupt_stops_a_command_that_loads_its_modules(module, error, tmp_path):
    """The slow tests have every module with every error."""
    check_interrupt_in_imports(module, error, tmp_path)


def check_interrupt_in_imports(module, error, tmp_path):
    """Interrupt a command while it loads a module, and check how it ends."""
    before = IN_IMPORTS.format(module=module, error=error)
    code, out, err = end(begin("projects", "--demo", folder=tmp_path, before=before))
    assert (code, out) == (130, "")
    assert not error or err == "dirframe: stopped.\n"


def drips_headers(exchange):
    """Send headers byte by byte, each within the time-out, until the client has gone."""
    exchange.send(exchange.head()[:30])
    while not exchange.closing.wait(0.05):
        exchange.send(b"x")


def is_busy(exchange):
    faults.fails("Busy.", 503, Retry_After="25")(exchange)


#: How a directory holds the requests that are in flight.
HOLDS = {
    "headers byte by byte": (drips_headers, {}),
    "a body byte by byte": (faults.drip_body, {}),
    "silence": (faults.silence, {}),
    "a pause that it asks for": (is_busy, {}),
    "a slow rate": (None, {"rate": 2}),
}
LOADS = {
    "a load": lambda directory, _: dirframe.load_projects(directory, progress=False)["id"].tolist(),
    "a harvest": lambda directory, folder: (
        dirframe.harvest("projects", folder / "kept", directory=directory).frame()["id"].tolist()
    ),
}


def interrupted(rig, call, *, after, presses=1):
    """Press Ctrl-C after a number of requests; return the numbers sent by then and in the end."""
    sent = []

    def press():
        for _ in range(presses):
            time.sleep(0.3)
            sent.append(len(rig.requests))
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def count(_):
        if len(rig.requests) == after:
            threading.Thread(target=press).start()

    rig.before = count
    with interruptible(), pytest.raises(KeyboardInterrupt):
        call()
    rig.before = None
    return sent[0], len(rig.requests)


@pytest.mark.parametrize("load", ["a load", "a harvest"])
@pytest.mark.parametrize("hold", slow_except(HOLDS, [*HOLDS][:2]))
def test_interrupt_ends_requests_in_flight_and_sends_no_more(hold, load, tmp_path):
    fault, options = HOLDS[hold]
    with Rig(100) as rig:
        rig.on_page = {number: [fault] * 4 for number in range(3, 11)}
        directory = rig.directory(tmp_path, workers=4, timeout=0.5, **options)
        before, sent = interrupted(rig, lambda: LOADS[load](directory, tmp_path), after=6)
        assert (sent, directory.quota().used) == (before, before)
        assert not [one.name for one in threading.enumerate() if one.name.startswith("dirframe_")]
        rig.on_page = {}
        again = rig.directory(tmp_path, workers=4)
        assert LOADS[load](again, tmp_path) == rig.ids
        # Of a whole load's 11; a harvest reads again each page behind which nothing was received.
        assert len(rig.requests) <= before + 10


def test_second_interrupt_does_not_wait_for_the_time_out(tmp_path):
    with Rig(200) as rig:
        rig.on_page = {number: [faults.silence] * 4 for number in range(3, 21)}
        directory = rig.directory(tmp_path, workers=4, timeout=3_600)
        load = partial(LOADS["a load"], directory, tmp_path)
        before, sent = interrupted(rig, load, after=6, presses=2)
        assert (sent, directory.quota().used) == (before, before)
