"""`make bench` with a script of two rows: the file of a run, two runs compared, their chart."""

from __future__ import annotations

import getpass
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.benchmarks._report import Figure
from tests.benchmarks._runs import runs_of

HERE = Path(__file__).parent / "benchmarks"

TINY = """
import os
from tests.benchmarks._report import Cell, Listing, Measure, Table

scale = float(os.environ["SCALE"])
table = Table(("size", "way"), Measure("took", "ms", "lower"), Measure("rate", "1/s", "higher"))
table.row((1000, "slow"), Cell(2 * scale, 3), 50 / scale)
table.row((1000, "peer"), Cell(9 * scale, directed=False), "not installed")
pair = Measure("ratio", better="lower", parts=("clock", "processor"))
Table("way", pair).row("both", (float("nan"), 0))
Listing().row(f"records of {os.environ['SCALE']}", 7, "", form="d")
"""
STEADY = """
from tests.benchmarks._report import Listing
Listing().row("steady", 0.5, "s", "lower")
"""
BROKEN = """
from tests.benchmarks._report import Listing
listing = Listing()
listing.row("one name", 1)
listing.row("one name", 2)
"""


class Checkout:
    """A git checkout that has the real command and small scripts to measure."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.results = root / "benchmark-results"
        scripts = root / "tests" / "benchmarks"
        scripts.mkdir(parents=True)
        for file in HERE.glob("_*.py"):
            shutil.copy(file, scripts)
        for name, source in (("tiny", TINY), ("steady", STEADY)):
            (scripts / f"{name}.py").write_text(source, encoding="utf-8")
        for package in (scripts, scripts.parent):
            (package / "__init__.py").touch()
        (root / ".gitignore").write_text("benchmark-results/\n__pycache__/\n", encoding="utf-8")
        self.git("init", "--quiet")
        self.git("add", ".")

    def git(self, *arguments: str) -> str:
        person = ["-c", "user.name=a", "-c", "user.email=a@directory.example"]
        command = ["git", *person, *arguments]
        return subprocess.run(
            command, cwd=self.root, check=True, capture_output=True, text=True
        ).stdout.strip()

    def bench(self, *arguments: object, scale: str = "1") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tests.benchmarks", *map(str, arguments)],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "SCALE": scale},
        )

    def commit_and_measure(self, *names: str, scale: str, day: int) -> Path:
        """Commit and measure; return the new file."""
        moment = f"2026-01-{day:02}T12:00:00+00:00"
        before = {*self.results.glob("run-*.json")}
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GIT_COMMITTER_DATE", moment)
            self.git("commit", "--quiet", "--allow-empty", "--message", f"day {day}")
        done = self.bench(*names, scale=scale)
        assert done.returncode == 0, done.stderr
        (new,) = {*self.results.glob("run-*.json")} - before
        return new


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def runs(checkout: Checkout) -> tuple[Path, Path]:
    """The later commit is measured first, and only in part."""
    later = checkout.commit_and_measure("tiny", scale="2", day=20)
    earlier = checkout.commit_and_measure(scale="1", day=10)
    return earlier, later


def content(path: Path) -> dict[str, Any]:
    loaded = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def edited(run: Path, file: Path, **changes: object) -> Path:
    """Write a run anew with some of its fields changed."""
    file.write_text(json.dumps({**content(run), **changes}), encoding="utf-8")
    return file


def test_a_run_leaves_a_file_named_after_date_and_commit(
    checkout: Checkout, runs: tuple[Path, Path]
) -> None:
    run = content(runs[0])
    commit = checkout.git("rev-parse", "HEAD")
    assert run["commit"] == commit
    assert run["modified"] is False
    assert runs[0].name == f"run-{run['date'][:19].replace(':', '')}Z-{commit[:8]}.json"
    assert run["versions"]["pandas"] == pd.__version__
    assert run["versions"]["Python"].endswith(platform.python_version())
    assert {"dirframe", "lxml", "pyarrow", "requests-cache"} <= run["versions"].keys()
    assert run["machine"]["cores"] == str(os.cpu_count())
    assert run["machine"].keys() == {"platform", "processor", "cores"}


def test_a_file_says_nothing_about_who_measured_and_where(
    checkout: Checkout, runs: tuple[Path, Path]
) -> None:
    text = runs[0].read_text(encoding="utf-8")
    assert str(checkout.root) not in text
    assert sys.prefix not in text
    words = {str(value) for value in (content(runs[0])["machine"]).values()}
    assert not words & {platform.node(), getpass.getuser()}


def test_each_figure_has_its_name_unit_direction_and_goal(runs: tuple[Path, Path]) -> None:
    assert [Figure(**figure) for figure in content(runs[0])["figures"]["tiny"]] == [
        Figure("1,000, slow: took", 2, "ms", "lower", goal=3),
        Figure("1,000, slow: rate", 50, "1/s", "higher"),
        Figure("1,000, peer: took", 9, "ms"),
        Figure("both: ratio, processor", 0, "times", "lower"),
        Figure("records of 1", 7, ""),
    ]


def test_the_tables_are_kept_as_markdown(checkout: Checkout, runs: tuple[Path, Path]) -> None:
    lines = (checkout.results / "tiny.md").read_text(encoding="utf-8").splitlines()
    assert lines[1:5] == [
        "| size | way | took, ms | rate, 1/s |",
        "| --- | --- | --: | --: |",
        "| 1,000 | slow | 2.00 (<= 3) | 50.00 |",
        "| 1,000 | peer | 9.00 | not installed |",
    ]
    assert "| both | nan / 0.00 |" in lines


def test_a_comparison_shows_both_values_and_what_is_worse_by_its_own_direction(
    checkout: Checkout, runs: tuple[Path, Path]
) -> None:
    done = checkout.bench("--compare", *runs)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert "| 1,000, slow: took | ms | 2 | 4 | 2.00 | 3, missed | worse |" in lines
    assert "| 1,000, slow: rate | 1/s | 50 | 25 | 0.50 |  | worse |" in lines
    assert "| 1,000, peer: took | ms | 9 | 18 | 2.00 |  |  |" in lines
    assert "| both: ratio, processor | times | 0 | 0 |  |  |  |" in lines
    assert "Notably worse or better is what changed by more than 1.25 times." in lines
    worse = lines.index("Worse: 2")
    assert lines[worse + 1 : worse + 3] == [
        "- tiny: 1,000, slow: took",
        "- tiny: 1,000, slow: rate",
    ]
    assert "Warning" not in done.stdout


def test_a_comparison_the_other_way_round_says_better(
    checkout: Checkout, runs: tuple[Path, Path]
) -> None:
    lines = checkout.bench("--compare", *reversed(runs)).stdout.splitlines()
    assert {"Worse: 0", "Better: 2"} <= {*lines}
    lines = checkout.bench("--compare", *reversed(runs), "--threshold", 2.5).stdout.splitlines()
    assert {"Worse: 0", "Better: 0"} <= {*lines}


def test_figures_that_only_one_run_has_are_named(
    checkout: Checkout, runs: tuple[Path, Path]
) -> None:
    lines = checkout.bench("--compare", *runs).stdout.splitlines()
    before, now = lines.index("Only before: 2"), lines.index("Only now: 1")
    assert lines[before + 1 : before + 3] == [
        "- steady: steady, s",
        "- tiny: records of 1",
    ]
    assert lines[now + 1] == "- tiny: records of 2"


def test_a_figure_of_another_unit_is_another_figure(
    checkout: Checkout, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    steady = [{"name": "steady", "value": 500, "unit": "ms", "better": "lower", "goal": None}]
    now = edited(runs[0], tmp_path / "now.json", figures={"steady": steady})
    lines = checkout.bench("--compare", runs[0], now).stdout.splitlines()
    assert {"- steady: steady, s", "- steady: steady, ms", "Worse: 0"} <= {*lines}


def test_another_machine_or_version_is_warned_of(
    checkout: Checkout, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    run = content(runs[0])
    before = edited(
        runs[0],
        tmp_path / "before.json",
        versions=run["versions"] | {"pandas": "2.0", "gone": "1"},
        machine=run["machine"] | {"cores": "96"},
    )
    done = checkout.bench("--compare", before, runs[1])
    assert done.returncode == 0
    warnings = [line for line in done.stdout.splitlines() if line.startswith("Warning")]
    assert warnings == [
        f"Warning: cores: 96 before, {os.cpu_count()} now.",
        f"Warning: pandas: 2.0 before, {pd.__version__} now.",
        "Warning: gone: 1 before, none now.",
    ]


def test_what_is_measured_now_is_compared_with_a_run_and_nothing_else_of_it(
    tmp_path: Path, runs: tuple[Path, Path]
) -> None:
    other = Checkout(tmp_path)
    done = other.bench("tiny", "--against", runs[0], scale="1")
    assert done.returncode == 0
    assert "| 1,000, slow: took | ms | 2 | 2 | 1.00 | 3 |  |" in done.stdout.splitlines()
    assert "Only before: 0" in done.stdout.splitlines()  # `steady` was not asked for
    assert content(next(other.results.glob("run-*.json")))["commit"] == "unknown"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "cannot be read"),
        ("{", "is not JSON"),
        ("[]", "is not the file of a run"),
        ('{"format": "another"}', "is not the file of a run"),
        ('{"format": "dirframe benchmarks, 1"}', "is not whole"),
        ('{"format": "dirframe benchmarks, 1", "figures": {"a": [{"value": 1}]}}', "is not whole"),
    ],
)
def test_a_bad_file_is_an_error_before_anything_is_measured(
    checkout: Checkout, tmp_path: Path, text: str | None, reason: str
) -> None:
    file = tmp_path / "some.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    done = checkout.bench("tiny", "--against", file)
    assert done.returncode == 2
    assert str(file) in done.stderr
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


@pytest.mark.parametrize("change", [{"value": "2"}, {"goal": "3"}, {"better": "larger"}])
def test_a_figure_that_is_none_makes_a_bad_file(
    checkout: Checkout, runs: tuple[Path, Path], tmp_path: Path, change: dict[str, str]
) -> None:
    figure = content(runs[0])["figures"]["tiny"][0] | change
    bad = edited(runs[0], tmp_path / "bad.json", figures={"tiny": [figure]})
    done = checkout.bench("--compare", bad, runs[1])
    assert done.returncode == 2
    assert "is not whole" in done.stderr
    assert "1,000, slow: took" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["nothing"], ["tiny", "--history"], ["--threshold", "0.5"], ["--against", "a", "--history"]],
)
def test_what_cannot_be_meant_is_refused(checkout: Checkout, arguments: list[str]) -> None:
    done = checkout.bench(*arguments)
    assert done.returncode == 2
    assert "error: " in done.stderr
    assert not done.stdout


def test_a_script_that_fails_leaves_no_figures_and_the_others_do(tmp_path: Path) -> None:
    other = Checkout(tmp_path)
    (tmp_path / "tests" / "benchmarks" / "broken.py").write_text(BROKEN, encoding="utf-8")
    done = other.bench("broken", "steady")
    assert done.returncode == 1
    assert "Two figures of one script are called 'one name'." in done.stderr
    assert "failed: broken" in done.stdout
    assert [*content(next(other.results.glob("run-*.json")))["figures"]] == ["steady"]


def test_the_chart_has_the_runs_in_the_order_of_their_commits(
    checkout: Checkout, runs: tuple[Path, Path]
) -> None:
    order = [run.title for run in runs_of(checkout.results)]
    assert order == [path.stem.rpartition("-")[2] for path in runs]
    (checkout.results / "history.svg").unlink()
    assert checkout.bench("--history").returncode == 0
    chart = (checkout.results / "history.svg").read_text(encoding="utf-8")
    places = [chart.index(f"<!-- {title} -->") for title in order]
    assert places == sorted(places)
    assert "<!-- tiny: 2 figures -->" in chart
    assert "steady" not in chart  # measured once
