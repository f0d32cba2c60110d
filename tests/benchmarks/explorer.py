"""Time from a click in the explorer to all that it shows, of 100,000 records: figures of one run.

Run it with ``python -m tests.benchmarks explorer``.
"""

from time import perf_counter, process_time

import pandas as pd

import dirframe
from tests.benchmarks._report import Measure, Table

_RECORDS = 100_000


def run():
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
        "show all": lambda: setattr(opened[0].search, "value", ""),
    }
    print(f"{len(many):,} records; seconds until chart, table, counts, code and citation.")
    table = Table("act", *(Measure(head, "s", "lower") for head in ("shown", "of processor")))
    for name, act in acts.items():
        began, used = perf_counter(), process_time()
        act()
        table.row(name, perf_counter() - began, process_time() - used)


if __name__ == "__main__":
    run()
