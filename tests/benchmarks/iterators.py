"""Memory of iterating over a collection, beside that of loading it, for N pages and for 10 N.

The service has a process of its own, as has each reading. Memory is the extra peak after the libraries
were loaded by one page (Linux). Of each page its ids and its place stay in memory, which prove at the end
that no record is missing: so the peak grows, but by a small part of what the records take.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import dirframe
from dirframe.service.keys import KeyStore
from tools.synthetic.generate import generate
from tests.benchmarks._report import Cell, Measure, Table
from tests.benchmarks.reading import highest

PAGES = 20
PAGE_SIZE = 25
GOAL = 1.5


def peak(url, key, way, pages):
    """Return the extra peak of one reading in MiB."""
    command = [sys.executable, "-m", __spec__.name, url, way, str(pages * PAGE_SIZE)]
    environment = {**os.environ, "DIRFRAME_API_KEY": key}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(done.stderr)
    return float(done.stdout)


def report_peak(url, way, records):
    read = getattr(dirframe, way)
    with dirframe.Directory(url, cache=False, daily_quota=1_000_000) as directory:
        for _ in read(directory, max_items=PAGE_SIZE, progress=False):
            pass  # libraries are loaded and have their buffers
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew (Linux)
        before = highest()
        result = read(directory, max_items=records, progress=False)
        found = len(result) if way.startswith("load") else sum(1 for _ in result)
    assert found == records, found
    print(highest() - before)


def main():
    if arguments := sys.argv[1:]:
        url, way, records = arguments
        report_peak(url, way, int(records))
        return
    most = 10 * PAGES * PAGE_SIZE
    print(f"Extra peak over {PAGES} and {10 * PAGES} pages of {PAGE_SIZE}.")
    sizes = (Measure(head, "MiB", "lower", ".1f") for head in ("N pages", "10 N pages"))
    table = Table("way", *sizes, Measure("ratio", better="lower"))
    with tempfile.TemporaryDirectory() as folder:
        generate(folder, accounts=most, projects=most)
        keys = Path(folder, "keys.sqlite")
        with KeyStore(keys) as store:
            key = store.add("benchmark", "iterators", daily_limit=1_000_000)
        with dirframe.serve(folder, keys=keys) as url:
            for way in ("iter_projects", "iter_accounts", "load_projects", "load_accounts"):
                few, many = (peak(url, key, way, number * PAGES) for number in (1, 10))
                goal = GOAL if way.startswith("iter") else None
                table.row(way, few, many, Cell(many / few, goal))


if __name__ == "__main__":
    main()
