"""What starting costs: ``import dirframe`` and ``dirframe --help`` over bare Python.

The commands take turns, so that a machine that is busy for a while is busy for all of them.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median
from time import perf_counter

from tests.benchmarks._report import Measure, Table

ROUNDS = 15

BARE = "bare Python"
COMMANDS = {
    BARE: ["-c", "pass"],
    "import dirframe": ["-c", "import dirframe"],
    "import dirframe, lxml.etree, requests": ["-c", "import dirframe, lxml.etree, requests"],
    "import lxml.etree, requests": ["-c", "import lxml.etree, requests"],
    "dirframe --help": ["-m", "dirframe", "--help"],
    "dirframe.load_projects": ["-c", "import dirframe; dirframe.load_projects"],
    "dirframe.plot": ["-c", "import dirframe; dirframe.plot"],
}


def seconds(arguments: list[str]) -> float:
    begin = perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - begin


def main() -> None:
    for arguments in COMMANDS.values():  # byte code and the disk's cache are not what is measured
        seconds(arguments)
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, arguments in COMMANDS.items():
            times[name].append(seconds(arguments))
    bare = median(times[BARE])
    print(f"Median of {ROUNDS} starts.")
    # What is over bare Python may be next to nothing, or less: its ratio says nothing.
    over = Measure("over bare Python", "ms", None, ".1f")
    table = Table(
        "start", Measure("total", "ms", "lower", ".0f"), over, Measure("times bare", better="lower")
    )
    for name, values in times.items():
        total = median(values)
        table.row(name, total * 1000, (total - bare) * 1000, total / bare)


if __name__ == "__main__":
    main()
