"""Ctrl-C at any instant ends a command with 130, and with no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import nbformat
import pandas as pd
import pytest

from tests.cli import interruptible
from tests.client import Asked, Server, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")

#: Sends SIGINT to itself where Python ignores what a finalizer raises, and goes on.
IGNORED = """
import signal, time
from dirframe._interrupts import exit_with

class Finalized:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def run():
    Finalized()
    time.sleep(60)
    print("went on")

exit_with(run)
"""

#: Makes another error of the interrupt, as code with a bare `except` does.
TURNED = """
import signal, sys
from dirframe._interrupts import exit_with

def run():
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException:
        {end}

exit_with(run)
"""


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[tuple[Server, threading.Event, dict[str, str]]]:
    """Serve a collection whose third page takes its time; say when that was asked for."""
    begun, done = threading.Event(), threading.Event()

    def answer(asked: Asked) -> bytes:
        if asked.page > 2:
            begun.set()
            done.wait(2)
        ids = range(25 * (asked.page - 1), 25 * asked.page)
        return page_xml([record(str(n)) for n in ids], available=1000, first=ids[0])

    environment = os.environ | {
        "DIRFRAME_API_KEY": "a-key-0123456789",
        "DIRFRAME_CACHE_DIR": str(tmp_path / "cache"),
        "DIRFRAME_DATA_DIR": str(tmp_path / "data"),
    }
    with Server(answer) as server:
        environment["DIRFRAME_BASE_URL"] = server.url
        yield server, begun, environment
        done.set()


def stopped(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def begin(*words: str, **options: Any) -> subprocess.Popen[str]:
    with interruptible():
        return subprocess.Popen(
            [sys.executable, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )


@pytest.mark.parametrize("command", ["projects", "harvest"])
def test_a_command_that_waits_for_pages_is_stopped(
    command: str, slow: tuple[Server, threading.Event, dict[str, str]], tmp_path: Path
) -> None:
    _, begun, environment = slow
    words = (
        ["projects"] if command == "projects" else ["harvest", "projects", "--to", "kept.archive"]
    )
    with begin("-m", "dirframe", *words, env=environment, cwd=tmp_path) as process:
        assert begun.wait(60)
        process.send_signal(signal.SIGINT)
        code, out, err = stopped(process)
    assert (code, out) == (130, ""), err
    assert "stopped" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("module", ["click", "dirframe.cli.load", "pandas", "requests"])
def test_an_interrupt_while_modules_are_loaded_ends_a_command(
    module: str, slow: tuple[Server, threading.Event, dict[str, str]], tmp_path: Path
) -> None:
    _, _, environment = slow
    # As the command begins to load one of its modules: sitecustomize runs before everything.
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
    environment |= {"PYTHONPATH": str(tmp_path)}
    with begin("-m", "dirframe", "projects", env=environment, cwd=tmp_path) as process:
        code, out, err = stopped(process)
    assert (code, out) == (130, ""), err
    assert "Traceback" not in err


def test_sigterm_ends_a_command_as_the_shell_expects(
    slow: tuple[Server, threading.Event, dict[str, str]], tmp_path: Path
) -> None:
    _, begun, environment = slow
    with begin("-m", "dirframe", "projects", env=environment, cwd=tmp_path) as process:
        assert begun.wait(60)
        process.terminate()
        code, out, err = stopped(process)
    assert (code, out) == (-signal.SIGTERM, ""), err  # 143 to a shell
    assert "Traceback" not in err


def test_an_export_that_is_stopped_leaves_no_file(tmp_path: Path) -> None:
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
    words = ["export", "projects.csv", "made.parquet"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    with begin("-m", "dirframe", *words, env=environment, cwd=tmp_path) as process:
        code, out, err = stopped(process)
    assert (code, out) == (130, ""), err
    assert "Traceback" not in err
    assert {one.name for one in tmp_path.iterdir() if one.is_file()} == {
        "sitecustomize.py",
        "projects.csv",
    }


def test_an_interrupt_that_a_finalizer_swallows_is_repeated() -> None:
    started = time.monotonic()
    with begin("-c", IGNORED) as process:
        code, out, err = stopped(process)
    assert (code, out) == (130, ""), err
    assert time.monotonic() - started < 60  # it sleeps so long if nothing stops it


@pytest.mark.parametrize("end", ["raise ValueError", "sys.exit(7)", "pass"])
def test_an_interrupt_that_becomes_something_else_still_is_one(end: str) -> None:
    with begin("-c", TURNED.format(end=end)) as process:
        code, _, err = stopped(process)
    assert code == 130, err
    assert "Traceback" not in err


def test_a_report_is_stopped_while_its_notebook_runs(tmp_path: Path) -> None:
    pytest.importorskip("nbclient", reason="reports are an extra")
    pd.DataFrame({"id": ["1"], "name": ["a"], "analysis_main_language_name": ["C"]}).to_csv(
        tmp_path / "projects.csv", index=False
    )
    source = (
        "import pathlib, os, time\n"
        f"pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\n"
        "time.sleep(300)"
    )
    cell = nbformat.v4.new_code_cell(source)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    nbformat.write(notebook, tmp_path / "long.ipynb")
    words = ("report", "projects.csv", "-o", "made.html", "--template", "long.ipynb")
    with begin("-m", "dirframe", *words, cwd=tmp_path) as process:
        end = time.monotonic() + 300
        while not (tmp_path / "pid").exists() and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        code, out, err = stopped(process)
    assert (code, out) == (130, ""), err
    assert "Traceback" not in err
    assert not (tmp_path / "made.html").exists()
    kernel = int((tmp_path / "pid").read_text(encoding="utf-8"))
    with pytest.raises(ProcessLookupError):
        os.kill(kernel, 0)
