"""Ctrl-C at any instant ends a command with 130, and with no traceback."""

import os
import signal
import sys
import threading

import pytest

from tests.processes import LIMIT, interruptible, start
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


@pytest.mark.parametrize("words", [["projects"], ["harvest", "projects", "--to", "a.archive"]])
def test_a_command_that_waits_for_pages_is_stopped(words, tmp_path, monkeypatch):
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


@pytest.mark.parametrize("error", ["", "RuntimeError('release unlocked lock')"])
@pytest.mark.parametrize("module", ["pandas", "click", "requests"])
def test_a_command_that_loads_its_modules_is_stopped(module, error, tmp_path):
    """Also where the interrupt becomes another error, as where it comes while a lock is taken."""
    before = IN_IMPORTS.format(module=module, error=error)
    code, out, err = end(begin("projects", "--demo", folder=tmp_path, before=before))
    assert (code, out) == (130, "")
    assert not error or err == "dirframe: stopped.\n"
