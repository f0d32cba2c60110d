"""The command line and programs, in this process or as their own; the files that this one has open."""

import io
import os
import signal
import subprocess
import sys
import warnings
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

import pandas as pd
import pytest

#: No test waits longer for a process, on however busy a machine.
LIMIT = 120
_OPEN = Path("/proc/self/fd")


class Outcome:
    """What a run of the command line left: exit code, standard output, standard error."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def table(self):
        return pd.read_csv(
            io.StringIO(self.out), keep_default_na=False, na_values=[""], dtype={"id": "str"}
        )


def command(capsys, *words):
    """Run the command line in this process, through its own `main`; warnings go to its errors."""
    from dirframe.cli import main

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default")
        patch.setattr(sys, "argv", ["dirframe", *map(str, words)])
        patch.setattr(warnings, "formatwarning", warnings.formatwarning)
        with pytest.raises(SystemExit) as ended:
            main()
        lines = [
            warnings.formatwarning(warning.message, warning.category, "", 0) for warning in warned
        ]
    captured = capsys.readouterr()
    return Outcome(int(ended.value.code or 0), captured.out, captured.err + "".join(lines))


def start(*words, program=None, **options):
    """Start `dirframe` with words, or a program text with them as its arguments."""
    options = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    } | options
    environment = {**os.environ, **options.pop("env", {})}
    begin = ["-c", program] if program else ["-m", "dirframe"]
    return subprocess.Popen(
        [sys.executable, *begin, *map(str, words)], text=True, env=environment, **options
    )


def run(*words, program=None, **options):
    """Run `dirframe` with words, or a program text, to its end."""
    with start(*words, program=program, **options) as process:
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return Outcome(process.returncode, out, err)


@contextmanager
def interruptible():
    """Let processes that start here receive SIGINT, which a shell's background jobs ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def kill_after_requests(rig, number, program, *words, pause=0.0):
    """Start a program, and kill it after its next `number` requests to a rig."""
    before, connections = len(rig.requests), rig.connections
    with start(*words, program=program, stdout=None, stderr=None) as process:
        while process.poll() is None and len(rig.requests) < before + number:
            sleep(0.002)
        sleep(pause)
        process.kill()
    assert process.returncode == -signal.SIGKILL  # in the middle
    rig.settle(connections)


def open_files(folder):
    """Return the open files below a folder, or skip the test where the system does not list them."""
    if not _OPEN.is_dir():
        pytest.skip("this system does not list the open files of a process")
    files = set()
    for number in _OPEN.iterdir():
        with suppress(OSError):  # that of the listing itself is closed by now
            files.add(number.readlink())
    return {file for file in files if file.is_relative_to(folder)}
