"""Time to a first explorer in a kernel, and from a click to all that it shows, of 100,000 records.

Goals: a first explorer within 0.4 s, a click within a second, of processor.
"""

import subprocess
import sys
from time import perf_counter, process_time

import pandas as pd

import dirframe

_RECORDS = 100_000
#: What a kernel has imported, and then an explorer of a directory.
_FIRST = """
from time import process_time
import ipykernel.ipkernel, matplotlib.pyplot, pandas
import dirframe
directory = dirframe.sample_directory()
used = process_time()
dirframe.Explorer(directory)._repr_mimebundle_()
print(f"{process_time() - used:.2f}")
"""


def main():
    with dirframe.sample_directory() as directory:
        projects = dirframe.load_projects(directory=directory, progress=False)
    copies = -(-_RECORDS // len(projects))
    many = pd.concat([projects] * copies, ignore_index=True).iloc[:_RECORDS]
    opened = []
    acts = {
        "open": lambda: opened.append(dirframe.Explorer(many)),
        "a language": lambda: setattr(opened[0].languages, "value", ("C",)),
        "a licence": lambda: setattr(opened[0].licenses, "value", ("gpl",)),
        "a tag": lambda: setattr(opened[0].tags, "value", ("linux",)),
        "a year": lambda: setattr(opened[0].first_year, "value", 2007),
        "a search": lambda: setattr(opened[0].search, "value", "network"),
        "an order": lambda: setattr(opened[0].order_by, "value", "name"),
        "a search more": lambda: setattr(opened[0].search, "value", "network library"),
        "activity": lambda: setattr(opened[0].activity, "value", "active"),
        "show all": lambda: setattr(opened[0].search, "value", ""),
    }
    first = [
        subprocess.run([sys.executable, "-c", _FIRST], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    print(f"first explorer {', '.join(run.stdout.strip() for run in first)} s of processor")
    print(f"{len(many):,} records; seconds until chart, table, counts, code and citation.")
    for name, act in acts.items():
        began, used = perf_counter(), process_time()
        act()
        print(
            f"{name:<14} {perf_counter() - began:6.2f}, {process_time() - used:6.2f} of processor"
        )


if __name__ == "__main__":
    main()
