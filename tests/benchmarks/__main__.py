"""Run the benchmarks by name, or all of them, and compare runs: python -m tests.benchmarks --help.

Each is a process of its own, so that no script pays for or profits from another's imports.
Its tables go to the terminal and to benchmark-results/NAME.md, and a chart, where it draws one, beside it.
The figures of a run are in one file, benchmark-results/run-DATE-COMMIT.json.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks._compare import THRESHOLD, compare_runs
from tests.benchmarks._report import FIGURES
from tests.benchmarks._runs import (
    BadRunError,
    begin_run,
    read_figure,
    read_run,
    runs_of,
    write_run,
)

FOLDER = Path(__file__).parent
RESULTS = Path("benchmark-results")
HISTORY = RESULTS / "history.svg"


def main(arguments=None):
    known = sorted(path.stem for path in FOLDER.glob("[!_]*.py"))
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}; or all")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with an earlier run")
    parser.add_argument(
        "--compare",
        type=Path,
        nargs=2,
        metavar=("OLD", "NEW"),
        help="compare two earlier runs and measure nothing",
    )
    parser.add_argument(
        "--history", action="store_true", help="draw the chart of all runs and measure nothing"
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=THRESHOLD,
        metavar="FACTOR",
        help="what changed by more is notably worse or better (%(default)s)",
    )
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(known):
        parser.error(
            f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(known)}"
        )
    if not options.threshold >= 1:
        parser.error(f"--threshold is a factor of 1 or more, not {options.threshold:g}")
    if (options.names or options.against) and (options.compare or options.history):
        parser.error("--compare and --history measure nothing: they take no NAME and no --against")
    try:
        return run(options, options.names or known)
    except BadRunError as error:
        parser.error(str(error))


def run(options, names):
    """Do what the options ask for; raise `BadRunError` for a bad file, before anything is measured."""
    if options.compare:
        old, new = map(read_run, options.compare)
        scripts = {*old.figures, *new.figures}
        compare_runs(old, new, scripts=scripts, threshold=options.threshold)
    if options.history:
        draw(options.threshold)
    if options.compare or options.history:
        return 0
    before = None if options.against is None else read_run(options.against)
    RESULTS.mkdir(exist_ok=True)
    now = begin_run()
    failed = [name for name in names if not measure(name, now.figures)]
    if now.figures:
        print(f"\nThe figures are in {write_run(now, RESULTS)}.")
    if before is not None:
        compare_runs(before, now, scripts=names, threshold=options.threshold)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    draw(options.threshold)
    return bool(failed)


def measure(name, figures):
    """Run a script and keep its figures; return whether it ended well."""
    print(f"\n## {name}\n", flush=True)
    command = [sys.executable, "-m", f"{__package__}.{name}"]
    with tempfile.TemporaryDirectory() as folder:
        recorded = Path(folder) / "figures"
        recorded.touch()
        environment = {**os.environ, FIGURES: str(recorded)}
        lines = []
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=environment
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                print(line, end="", flush=True)
                lines.append(line)
        if process.returncode:
            return False
        (RESULTS / f"{name}.md").write_text("".join(lines), encoding="utf-8")
        if found := recorded.read_text(encoding="utf-8").splitlines():
            figures[name] = [read_figure(json.loads(line)) for line in found]
    return True


def draw(threshold):
    """Draw the chart of all runs at hand and say where it is."""
    if len(runs := runs_of(RESULTS)) > 1:
        from tests.benchmarks._history import draw_history  # Matplotlib takes a while

        if draw_history(runs, HISTORY, threshold):
            print(f"\nThe chart of the runs is in {HISTORY}.")
            return
    print("\nA chart of the runs is drawn when two have measured the same.")


if __name__ == "__main__":
    sys.exit(main())
