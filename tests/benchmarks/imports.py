"""What starting costs: ``import dirframe`` and ``dirframe --help`` over bare Python.

Then the summary of a file in a shell, the whole process, against Python that reads the same file with
pandas and describes it. The commands take turns, so that a machine that is busy for a while is busy for
all of them.
"""

import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import dirframe
from tests.benchmarks._report import Cell, Measure, Table

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

COLUMNS = ["id", "name", "created_at", "analysis_total_code_lines"]
DESCRIBE = "import sys, pandas; print(pandas.read_parquet(sys.argv[1]).describe())"
GOAL = 1.3  # times pandas


def seconds(arguments):
    begin = perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - begin


def measured(commands):
    """Return the median time of each command, in seconds."""
    for arguments in commands.values():  # byte code and the disk's cache are not what is measured
        seconds(arguments)
    times = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, arguments in commands.items():
            times[name].append(seconds(arguments))
    return {name: median(values) for name, values in times.items()}


def report_starts():
    times = measured(COMMANDS)
    print(f"Median of {ROUNDS} starts.")
    # What is over bare Python may be next to nothing, or less: its ratio says nothing.
    over = Measure("over bare Python", "ms", None, ".1f")
    table = Table(
        "start", Measure("total", "ms", "lower", ".0f"), over, Measure("times bare", better="lower")
    )
    for name, total in times.items():
        table.row(name, total * 1000, (total - times[BARE]) * 1000, total / times[BARE])


def report_summary(folder):
    file = folder / "records.parquet"
    with dirframe.sample_directory() as directory:
        records = directory.projects(progress=False)[COLUMNS]
    dirframe.export(records, file)
    pandas = "python: pandas.read_parquet(FILE).describe()"
    times = measured(
        {
            pandas: ["-c", DESCRIBE, str(file)],
            "dirframe summary FILE": ["-m", "dirframe", "summary", str(file)],
        }
    )
    print(f"\n{len(records):,} records of {len(COLUMNS)} columns, median of {ROUNDS} processes.")
    ratio = Measure("times pandas", better="lower")
    table = Table("process", Measure("total", "ms", "lower", ".0f"), ratio)
    for name, total in times.items():
        table.row(name, total * 1000, Cell(total / times[pandas], None if name == pandas else GOAL))


def main():
    report_starts()
    with TemporaryDirectory() as folder:
        report_summary(Path(folder))


if __name__ == "__main__":
    main()
