"""A process of one thread that forks: it loads the modules once, for the jobs of many tests.

A job is a line of JSON, `[module, function, arguments]`; the answer is one as well.
"""

from __future__ import annotations

import json
import subprocess
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self


class Worker:
    """The process, as tests use it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.worker"],
            cwd=self._root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate(timeout=60)

    def run(self, module: str, function: str, **arguments: Any) -> Any:
        """Call a function there; what it raises is an AssertionError here."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([module, function, arguments]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["result"]


def _work() -> None:
    for line in sys.stdin:
        module, function, arguments = json.loads(line)
        try:
            answer = {"result": getattr(import_module(module), function)(**arguments)}
        except Exception:  # noqa: BLE001  # the test tells it
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _work()
