"""Whole processes in turn with their floors: what a person waits for.

Goals: sample, load and chart 2.0 times `import pandas, matplotlib.pyplot`; a report 4.5 times; `projects
--demo -n 10` 1.7 times `import pandas`; `import dirframe` 30 ms and `dirframe --help` 0.1 s above bare
Python.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

ROUNDS = 7

_CHART = (
    "import matplotlib; matplotlib.use('Agg'); import dirframe; "
    "p = dirframe.load_projects(dirframe.sample_directory(), progress=False); "
    "dirframe.plot.language_share(p).figure.savefig('chart.png')"
)
#: Name, words of Python, and the floor in whose times it is stated.
PROCESSES = {
    "bare Python": (["-c", "pass"], ""),
    "import pandas": (["-c", "import pandas"], ""),
    "import pandas, pyplot": (["-c", "import pandas, matplotlib.pyplot"], ""),
    "import dirframe": (["-c", "import dirframe"], "bare Python"),
    "dirframe --help": (["-m", "dirframe", "--help"], "bare Python"),
    "projects --demo -n 10": (
        ["-m", "dirframe", "projects", "--demo", "-n", "10"],
        "import pandas",
    ),
    "sample, load, chart saved": (["-c", _CHART], "import pandas, pyplot"),
    "report --demo": (
        ["-m", "dirframe", "report", "--demo", "-o", "report.html", "--overwrite"],
        "import pandas, pyplot",
    ),
}


def main():
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    with tempfile.TemporaryDirectory() as folder:
        environment |= {"DIRFRAME_CACHE_DIR": folder, "DIRFRAME_DATA_DIR": folder}
        taken = {name: [] for name in PROCESSES}
        for _ in range(ROUNDS + 1):  # the first fills the cache
            for name, (words, _floor) in PROCESSES.items():
                began = perf_counter()
                subprocess.run(
                    [sys.executable, *words], cwd=folder, env=environment, check=True,
                    capture_output=True,
                )  # fmt: skip
                taken[name].append(perf_counter() - began)
    seconds = {name: median(values[1:]) for name, values in taken.items()}
    for name, (_words, floor) in PROCESSES.items():
        times = f"{seconds[name] / seconds[floor]:5.2f} times {floor}" if floor else ""
        more = f", {seconds[name] - seconds['bare Python']:.3f} s more" if floor else ""
        print(f"{name:<28} {seconds[name]:6.3f} s  {times}{more if floor == 'bare Python' else ''}")


if __name__ == "__main__":
    main()
