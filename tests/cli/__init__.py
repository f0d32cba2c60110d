"""Each command as a person types it: a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    return subprocess.run(
        [sys.executable, "-m", "dirframe", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
        check=False,
    )
