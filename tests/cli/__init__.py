"""Two names that tests elsewhere still import; `tests.processes` has both."""

import subprocess

from tests import processes
from tests.processes import interruptible

__all__ = ["dirframe", "interruptible"]


def dirframe(*words, **environment):
    """Run the command line in a process."""
    done = processes.run(*words, env=environment)
    return subprocess.CompletedProcess(words, done.code, done.out, done.err)
