"""The examples in the help that `tests/cli` leaves out, typed in a shell."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import processes
from tests.cli.examples import desk, examples, failure_of


@pytest.fixture(scope="module")
def desk_folder(tmp_path_factory, root):
    folder = tmp_path_factory.mktemp("desk")
    with desk(folder, root):
        yield folder


@pytest.fixture
def shell(desk_folder, tmp_path, monkeypatch):
    """Run an example as it is typed, and return what is wrong."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def run_in_shell(line, number=0):
        def bash(*_words):
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True,
                timeout=processes.LIMIT, env={**os.environ, "PATH": path}, check=False,
            )  # fmt: skip
            return processes.Outcome(done.returncode, done.stdout, done.stderr)

        return failure_of(line, desk_folder, tmp_path / str(number), bash, monkeypatch)

    return run_in_shell


def test_examples_for_a_shell_run_there(run, shell):
    lines = [line for line in examples(run) if "|" in line or ">" in line]
    assert len(lines) > 1
    failures = [*filter(None, map(shell, lines, range(len(lines))))]
    assert not failures, "\n".join(failures)


def test_example_of_a_report_runs(run, shell):
    line = next(line for line in examples(run) if line.startswith("dirframe report"))
    assert not shell(line)
