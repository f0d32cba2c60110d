"""Each command as a person types it: a process of its own."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from dirframe.__main__ import main
from tests.forked import start

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@contextmanager
def interruptible() -> Iterator[None]:
    """Let processes that begin here hear SIGINT.

    A shell script starts what it puts into the background with SIGINT ignored, and its children
    inherit that: of tests that run so, no process could be interrupted.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def dirframe(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line and return what it wrote and its exit code.

    `test_processes` starts every command as it is installed; here it is about what they say.
    """
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("out", "err")]
        process = start(_command, arguments, files, environment=environment)
        process.join(timeout=120)
        if process.exitcode is None:
            process.kill()
            pytest.fail(f"dirframe {' '.join(arguments)} does not end")
        out, err = (file.read_text(encoding="utf-8") for file in files)
        return subprocess.CompletedProcess(arguments, process.exitcode, out, err)


def _command(arguments: Sequence[str], files: Sequence[Path]) -> None:
    """Be the command line: its words and two streams, and nothing to read."""
    streams = []
    for number, file in enumerate(files, start=1):
        with file.open("wb") as stream:
            os.dup2(stream.fileno(), number)
        streams.append(open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115  # until the process ends
    sys.stdout, sys.stderr = streams
    sys.argv = ["dirframe", *arguments]
    try:
        main()
    finally:
        # What multiprocessing starts ends without it.
        atexit._run_exitfuncs()
