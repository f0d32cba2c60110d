"""Time from a click in the explorer to all that it shows, of 100,000 records.

Goal: a click within a second.
"""

from time import perf_counter, process_time

import pandas as pd

import dirframe

_RECORDS = 100_000


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
        "show all": lambda: setattr(opened[0].search, "value", ""),
    }
    print(f"{len(many):,} records; seconds until chart, table, counts, code and citation.")
    for name, act in acts.items():
        began, used = perf_counter(), process_time()
        act()
        print(
            f"{name:<12} {perf_counter() - began:6.2f}, {process_time() - used:6.2f} of processor"
        )


if __name__ == "__main__":
    main()
