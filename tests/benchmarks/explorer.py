"""Time from a click in the explorer to what it shows, of 100,000 records: figures of one run.

Run it with ``python -m tests.benchmarks explorer``.
"""

from time import perf_counter, process_time

import pandas as pd

import dirframe
from dirframe.explorer.state import State
from dirframe.explorer.widgets.view import View
from tests.benchmarks._report import Measure, Table

_RECORDS = 100_000
_LANGUAGE = "analysis_main_language_name"


def run():
    with dirframe.sample_directory() as directory:
        projects = dirframe.load_projects(directory=directory, progress=False)
    copies = -(-_RECORDS // len(projects))
    many = pd.concat([projects] * copies, ignore_index=True).iloc[:_RECORDS]
    waiting = []  # as in the event loop of a kernel
    state = State(many, waiting.append)
    acts = {
        "open": lambda: setattr(state, "message", repr(View(state))),
        "click on a language": lambda: state.toggle(_LANGUAGE, "C"),
        "click on a licence": lambda: state.toggle("licenses", "gpl"),
        "click on a tag": lambda: state.toggle("tags", "linux"),
        "brush years": lambda: state.choose("created_at", [(2007, 2007), (2009, 2009)]),
        "brush lines": lambda: state.choose(
            "analysis_total_code_lines", [(1_000, 10_000), (100_000, 1_000_000)]
        ),
        "search": lambda: setattr(state, "search", "network"),
        "order": lambda: state.order("name"),
        "show all": state.show_all,
        "click after that": lambda: state.toggle(_LANGUAGE, "C"),
        "click that undoes it": lambda: state.toggle(_LANGUAGE, "C"),
    }
    shown = []
    state.observe(lambda _: shown.append(perf_counter()), ["code"])
    print(f"{len(many):,} records; seconds until table, facets, code and citation, and the chart.")
    heads = ("shown", "chart", "of processor")
    table = Table("act", *(Measure(head, "s", "lower") for head in heads))
    for name, act in acts.items():
        waiting.clear()
        shown.clear()
        began, used = perf_counter(), process_time()
        act()
        told = (shown or [perf_counter()])[-1]
        while waiting:
            waiting.pop(0)()
        ended = perf_counter()
        table.row(name, told - began, ended - began, process_time() - used)


if __name__ == "__main__":
    run()
