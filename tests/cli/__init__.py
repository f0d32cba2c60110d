"""Each command as a person types it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys


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
