"""`make bench`: a run leaves a file of figures, and two runs are compared."""

import json
import os
import shutil
import subprocess
import sys

SCRIPT = """
import os
from tests.benchmarks._report import Cell, Measure, Table

table = Table(("way",), Measure("took", "ms", "lower"))
table.row(("slow",), Cell(2 * float(os.environ["SCALE"]), 3))
"""


def test_a_run_leaves_its_figures_and_is_compared_with_another(root, tmp_path):
    scripts = tmp_path / "tests" / "benchmarks"
    scripts.mkdir(parents=True)
    for file in (root / "tests" / "benchmarks").glob("_*.py"):
        shutil.copy(file, scripts)
    (scripts / "tiny.py").write_text(SCRIPT, encoding="utf-8")
    for package in (scripts, scripts.parent):
        (package / "__init__.py").touch()

    def bench(scale, *words):
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks", "tiny", *words],
            cwd=tmp_path, env={**os.environ, "SCALE": scale}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    bench("1")
    (first,) = (tmp_path / "benchmark-results").glob("run-*.json")
    (figure,) = json.loads(first.read_text(encoding="utf-8"))["figures"]["tiny"]
    assert (figure["value"], figure["unit"], figure["goal"]) == (2, "ms", 3)
    assert "Worse: 1" in bench("2", "--against", str(first))
