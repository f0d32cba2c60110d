"""Signals at further instants: Ctrl-C in a harvest, in imports, in a report; SIGTERM."""

import signal
import sys
import threading

import pytest

from tests.processes import LIMIT, interruptible, start
from tests.rig.server import Rig

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")


def begin(*words, **options):
    with interruptible():
        return start(*words, **options)


def end(process):
    with process:
        out, err = process.communicate(timeout=LIMIT)
    assert "Traceback" not in err
    return process.returncode, out


@pytest.fixture
def waiting(tmp_path):
    """Serve a collection whose third page waits; give the events of its request and of its end."""
    begun, done = threading.Event(), threading.Event()

    def wait(request):
        if request.page > 2:
            begun.set()
            done.wait(LIMIT)

    with Rig(1000, size=25) as rig:
        rig.before = wait
        yield (
            begun,
            done,
            {
                "DIRFRAME_BASE_URL": rig.url,
                "DIRFRAME_API_KEY": rig.key,
                "DIRFRAME_CACHE_DIR": str(tmp_path / "cache"),
                "DIRFRAME_DATA_DIR": str(tmp_path / "data"),
            },
        )
        done.set()


def test_a_harvest_that_waits_for_pages_is_stopped(waiting, tmp_path):
    begun, done, environment = waiting
    process = begin("harvest", "projects", "--to", tmp_path / "kept.archive", env=environment)
    assert begun.wait(LIMIT)
    process.send_signal(signal.SIGINT)
    done.set()  # a request in flight is waited for
    assert end(process) == (130, "")


def test_sigterm_ends_a_command_as_the_shell_expects(waiting):
    begun, _, environment = waiting
    process = begin("projects", env=environment)
    assert begun.wait(LIMIT)
    process.terminate()
    assert end(process) == (-signal.SIGTERM, "")  # 143 to a shell


@pytest.mark.parametrize("module", ["click", "dirframe.cli.load", "requests"])
def test_a_command_that_loads_its_modules_is_stopped(module, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r} and self in sys.meta_path:\n"
        "            sys.meta_path.remove(self)\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n",
        encoding="utf-8",
    )
    process = begin("projects", "--sample", env={"PYTHONPATH": str(tmp_path)})
    assert end(process) == (130, "")
