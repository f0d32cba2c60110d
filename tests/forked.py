"""Processes that have the package loaded: copies of one that did nothing else.

To start Python and to import pandas anew takes longer than what most of them do.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from multiprocessing.context import ForkServerProcess
    from random import Random

    from tests.faults.service import FaultyService

_LOADED = multiprocessing.get_context("forkserver")
_LOADED.set_forkserver_preload(
    [
        *("dirframe.cli", "dirframe.client.loaders", "dirframe.sample", "pyarrow.parquet"),
        *("dirframe.archive.harvest", "dirframe.io.export", "dirframe.io.read", "dirframe.plot"),
        *("dirframe.stats.quality.summary", "tests.forked"),
    ]
)


def start(
    work: Callable[..., None], *arguments: Any, environment: Mapping[str, str] | None = None
) -> ForkServerProcess:
    """Begin a function of a module in such a process, in this folder and environment."""
    everything = {**os.environ, **(environment or {})}
    process = _LOADED.Process(target=_begin, args=(everything, Path.cwd(), work, arguments))
    process.start()
    return process


def start_program(program: str, *words: str) -> ForkServerProcess:
    """Begin the text of a program, as `python -c` would."""
    return start(_run, program, words)


def kill_after_requests(
    service: FaultyService, chance: Random, program: str, *words: str, most: int = 8
) -> None:
    """Begin a program, and kill it at a random instant after up to so many requests."""
    before, connections = len(service.asked), service.connections
    process = start_program(program, *words)
    while process.is_alive() and len(service.asked) <= before + chance.randrange(1, most):
        sleep(0.002)
    sleep(chance.random() * 0.02)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL  # in the middle
    service.settle(connections)


def _begin(
    environment: Mapping[str, str], folder: Path, work: Callable[..., None], arguments: Any
) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    work(*arguments)


def _run(program: str, words: tuple[str, ...]) -> None:
    sys.argv = ["-c", *words]
    exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
