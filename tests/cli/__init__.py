"""Each command as a person types it: a process of its own."""

from __future__ import annotations

import atexit
import multiprocessing
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Its children have what commands import, and nothing that a command did: starting Python and
#: importing pandas anew costs more than most commands. `test_processes` starts every command
#: as it is installed; here it is about what commands say.
_WARM = multiprocessing.get_context("forkserver")
_WARM.set_forkserver_preload(
    [
        *("dirframe.cli", "dirframe.client.loaders", "dirframe.sample", "pyarrow.parquet"),
        *("dirframe.archive.update", "dirframe.io.export", "dirframe.io.read", "dirframe.plot"),
        *("dirframe.stats.quality.summary", "tests.cli"),
    ]
)


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
    """Run the command line and return what it wrote and its exit code."""
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("out", "err")]
        process = _WARM.Process(
            target=_command, args=(arguments, {**os.environ, **environment}, Path.cwd(), files)
        )
        process.start()
        process.join(timeout=120)
        if process.exitcode is None:
            process.kill()
            pytest.fail(f"dirframe {' '.join(arguments)} does not end")
        out, err = (file.read_text(encoding="utf-8") for file in files)
        return subprocess.CompletedProcess(arguments, process.exitcode, out, err)


def _command(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path, files: Sequence[Path]
) -> None:
    """Be the command line: its environment, folder, words and two streams, and nothing to read."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
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
