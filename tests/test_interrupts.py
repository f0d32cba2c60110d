"""Ctrl-C at any instant ends a command with 130, and with no traceback."""

import os
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
    """Return exit code, standard output and standard error; nothing shows a traceback."""
    with process:
        out, err = process.communicate(timeout=LIMIT)
    assert "Traceback" not in err
    return process.returncode, out, err


def test_a_command_that_waits_for_pages_is_stopped(tmp_path):
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
        process = begin("projects", env=environment)
        assert begun.wait(LIMIT)
        process.send_signal(signal.SIGINT)
        done.set()  # a request in flight is waited for
        code, out, _ = end(process)
        assert len(rig.requests) < 40  # the rest was not asked for
    assert (code, out) == (130, "")


def test_a_command_that_loads_its_modules_is_stopped(tmp_path):
    # sitecustomize runs before everything.
    (tmp_path / "sitecustomize.py").write_text(
        "import signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'pandas' and self in sys.meta_path:\n"
        "            sys.meta_path.remove(self)\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n",
        encoding="utf-8",
    )
    code, out, _ = end(begin("projects", "--sample", env={"PYTHONPATH": str(tmp_path)}))
    assert (code, out) == (130, "")


def test_an_export_that_is_stopped_leaves_no_file(tmp_path):
    # As the new file is about to get its name.
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "def stop(event, arguments):\n"
        "    if event in {'os.link', 'os.rename'} and 'made.parquet' in str(arguments[1]):\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "sys.addaudithook(stop)\n",
        encoding="utf-8",
    )
    (tmp_path / "projects.csv").write_text("id,name\n1,a\n", encoding="utf-8")
    words = ("export", tmp_path / "projects.csv", tmp_path / "made.parquet")
    code, out, _ = end(begin(*words, env={"PYTHONPATH": str(tmp_path)}))
    assert (code, out) == (130, "")
    left = {one.name for one in tmp_path.iterdir() if one.is_file()}
    assert left == {"sitecustomize.py", "projects.csv"}


def test_an_interrupt_that_becomes_another_error_still_is_one(root, tmp_path):
    # As where it comes while a lock is taken.
    (tmp_path / "sitecustomize.py").write_text(
        "import signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'pandas' and self in sys.meta_path:\n"
        "            sys.meta_path.remove(self)\n"
        "            try:\n"
        "                signal.raise_signal(signal.SIGINT)\n"
        "            except KeyboardInterrupt:\n"
        "                raise RuntimeError('release unlocked lock')\n"
        "sys.meta_path.insert(0, Finder())\n",
        encoding="utf-8",
    )
    environment = {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(root)))}
    code, out, err = end(begin("projects", "--sample", env=environment))
    assert (code, out, err) == (130, "", "dirframe: stopped.\n")
