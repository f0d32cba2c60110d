"""What the statistics and their charts cost beside the bare pandas group-by of the same columns.

Both run in turn, warmed, on the same frame: 500,000 projects or 1,000,000 accounts of
dirframe's generator, written as XML and read again. Times are medians, of the clock and of
the processor, which other programs disturb less. What a project has several of becomes a
table by `child_table` in both.

What a statistic does with its small table does not grow with the records: `fixed` is its time
for the first 2,000, which make nearly as many rows. Without it, each record's time is compared
with that in a tenth of the frame: 1 is linear. Of the bare work it is the same: where a table
of all entries of all projects (`tags`, `licenses`) outgrows the processor's caches, pandas
looks longer for each of them, up to a bound, whoever asks it to.

A chart computes its statistic, which is timed apart and compared with the bare work, and draws
it to pixels. Drawing does not grow with the records, which its time for the first 2,000 shows.

The chart of it all goes to benchmark-results/stats.svg.

ARGS: the number of projects, well above 20,000.
"""

from __future__ import annotations

import io
import sys
import time
from contextlib import ExitStack
from functools import partial
from itertools import islice
from math import nan
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from dirframe import child_table, plot, stats, unify_countries
from dirframe.client.page import parse
from dirframe.client.records import frame_of
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.xml import collection_xml, record_xml
from tests.benchmarks._report import TIMES, Cell, Measure, Table
from tools.synthetic.generate import generate_accounts, generate_projects

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    Work = Callable[[pd.DataFrame], object]

PROJECTS = 500_000
FEW = 2_000
SECONDS = 6  # for each statistic, three rounds at least
ROUNDS = 5  # of each chart
MOST = 2.0  # times the bare work
RESULTS = Path("benchmark-results")

LANGUAGE = "analysis_main_language_name"
LINES = "analysis_total_code_lines"
CONTRIBUTORS = "analysis_twelve_month_contributor_count"
MONTHS = ["analysis_min_month", "analysis_max_month"]
FETCHED = "analysis_logged_at"
COLUMNS = {
    "project": [
        *("id", "name", "tags", "licenses", "analysis_languages", "stack_count", "user_count"),
        *(LANGUAGE, LINES, CONTRIBUTORS, *MONTHS, FETCHED),
    ],
    "account": ["id", "country_code", "created_at", "posts_count", "kudo_score_kudo_rank"],
}


def page(resource, records):
    """Write records as one document."""
    fragments = [record_xml(resource, record) for record in records]
    return collection_xml(fragments, available=len(fragments), first=0, synthetic=True)


def make(resource, records):
    """Write generated records as pages and read the columns that the statistics take."""
    pages = (parse(page(resource, some)) for some in iter(lambda: list(islice(records, 1000)), []))
    return frame_of(pages, resource)[COLUMNS[resource.name]]


def bare_language_share(projects):
    """Count, and sum up what `language_share` sums up."""
    by = projects.groupby(LANGUAGE)
    return by.size(), by[[LINES, "stack_count"]].sum()


def bare_contributors(projects):
    """Compute what `contributors_by_language` computes."""
    by = projects.groupby(LANGUAGE)[CONTRIBUTORS]
    return by.agg(["size", "count", "sum", "max"]), by.quantile(np.array([0.25, 0.5, 0.75]))


def bare_countries(accounts):
    """Count by the two columns that `accounts_by_country` gives."""
    return accounts.groupby(["country_alpha_2", "country_name"]).size()


def bare_sizes(*columns):
    """Count by the columns that a statistic reads, missing values too, as all of them do."""
    return lambda frame: frame.groupby([*columns], dropna=False).size()


def bare_months(*columns):
    """Count by the numbers of months, and by other columns as they are."""

    def work(frame):
        dates = [frame[name].dt for name in (*MONTHS, FETCHED)]
        months = [12 * date.year + date.month for date in dates]
        return frame.groupby([*months, *(frame[name] for name in columns)], dropna=False).size()

    return work


def bare_growth(accounts):
    """Count by day."""
    return accounts.groupby(accounts["created_at"].dt.floor("D")).size()


def bare_years(projects):
    """Count by year and language."""
    return projects.groupby([projects[MONTHS[0]].dt.year, LANGUAGE], dropna=False).size()


def bare_spans(projects):
    """Count by the months between and whether the life has ended, and take the ten longest."""
    dates = (projects[name].dt for name in (*MONTHS, FETCHED))
    first, last, fetched = (12 * date.year + date.month for date in dates)
    months, ended = last - first, last <= fetched - 12
    return months.groupby([months, ended]).size(), projects.loc[months.nlargest(10).index]


def bare_tags(projects):
    """Count the distinct tags of each project."""
    tags = child_table(projects[["id", "tags"]], "tags")
    return tags.drop_duplicates().groupby("tag").size()


def bare_licenses(projects):
    """Count the distinct licences of each project."""
    licences = child_table(projects[["id", "licenses"]], "licenses")[["project_id", "name"]]
    return licences.drop_duplicates().groupby("name").size()


def bare_breakdown(projects):
    """Sum up each language's part of the lines."""
    rows = child_table(projects[["id", "analysis_languages"]], "languages")
    lines = rows["project_id"].map(projects.set_index("id")[LINES])
    return (rows["percentage"] * lines).groupby(rows["language"]).agg(["size", "sum"])


#: By statistic or chart: what it takes, and the bare work.
BARE = {
    "language_share": ("project", bare_language_share),
    "contributors_by_language": ("project", bare_contributors),
    "contributor_distribution": ("project", bare_sizes(CONTRIBUTORS)),
    "contributor_concentration": ("project", bare_sizes(CONTRIBUTORS)),
    "lorenz": ("project", bare_sizes(CONTRIBUTORS)),
    "team_size_classes": ("project", bare_sizes(CONTRIBUTORS)),
    "users_against_contributors": ("project", bare_sizes("stack_count", CONTRIBUTORS)),
    "activity": ("project", bare_months(CONTRIBUTORS)),
    "life_span": ("project", bare_spans),
    "languages_by_year": ("project", bare_years),
    "language_breakdown": ("project", bare_breakdown),
    "licenses": ("project", bare_licenses),
    "tags": ("project", bare_tags),
    "accounts_by_country": ("account", bare_countries),
    "accounts_map": ("account", bare_countries),
    "accounts_by_kudo_rank": ("account", bare_sizes("kudo_score_kudo_rank")),
    "posts_distribution": ("account", bare_sizes("posts_count")),
    "growth": ("account", bare_growth),
}


#: The bare work takes the ten longest as well, not a table of all projects.
OPTIONS = {"life_span": {"top": 10}}


def drawn(name):
    """Draw a chart on a figure of its own, to the last pixel."""

    def draw(frame):
        figure = Figure(layout="constrained")
        getattr(plot, name)(frame, ax=figure.subplots())
        figure.savefig(io.BytesIO())

    return draw


class Time(NamedTuple):
    """Milliseconds of the clock and of the processor."""

    clock: float
    processor: float


def milliseconds(work, frame):
    """Time one call."""
    clock, processor = time.perf_counter(), time.process_time()
    work(frame)
    return Time((time.perf_counter() - clock) * 1000, (time.process_time() - processor) * 1000)


def medians(work):
    """Time each in turn, more often where they are fast."""
    start = time.perf_counter()
    for one in work:
        one[0](one[1])
    rounds = min(max(int(SECONDS / (time.perf_counter() - start)), 3), 25)
    return [middle(column) for column in zip(*(timed(work) for _ in range(rounds)), strict=True)]


def timed(work):
    """Time each once."""
    return [milliseconds(*one) for one in work]


def middle(times):
    """Take the medians of the clock and of the processor."""
    return Time(*(median(values) for values in zip(*times, strict=True)))


def ratio(part, whole, goal=None):
    """Compare both times; the goal is for the processor's."""
    return part.clock / whole.clock, Cell(part.processor / whole.processor, goal)


def both(title, unit, better="lower", form=".0f"):
    """Return a column for the clock and the processor."""
    return Measure(title, unit, better, form, ("clock", "processor"))


class Cost(NamedTuple):
    """Processor time: times the bare work, and a record's to that in a tenth; of both."""

    ratio: float
    a_record: float = nan
    a_record_bare: float = nan


def measure(table, name, ours, bare, frame):
    """Time a statistic."""
    sizes = [frame, frame.iloc[: len(frame) // 10], frame.iloc[:FEW]]
    own, small, fixed, floor, *fewer = medians([(w, some) for w in (ours, bare) for some in sizes])
    a_record = growth([own, small, fixed], sizes)
    a_record_bare = growth([floor, *fewer], sizes)
    linear = (a_record, Cell(a_record_bare, directed=False))
    table.row(
        f"stats.{name}", f"{len(frame):,}", own, floor, ratio(own, floor, MOST), fixed, linear
    )
    return Cost(own.processor / floor.processor, a_record, a_record_bare)


def growth(times, sizes):
    """Compare the time of a record with that in a tenth, both without what is fixed."""
    grown, grown_in_tenth = (
        (time_.processor - times[-1].processor) / (len(frame) - FEW)
        for time_, frame in zip(times[:2], sizes, strict=False)
    )
    return grown / grown_in_tenth


def measure_chart(table, name, bare, frame):
    """Time a chart, and of that the statistics in it."""
    inside = []

    def watched(statistic):
        def run(*args, **options):
            found = []
            work = lambda _: found.append(statistic(*args, **options))
            inside.append(milliseconds(work, frame))
            return found[0]

        return run

    def draw(records):
        inside.clear()
        all_ = milliseconds(drawn(name), records)
        part = Time(*(sum(values) for values in zip(*inside, strict=True)))
        return part, Time(all_.clock - part.clock, all_.processor - part.processor)

    few = frame.iloc[:FEW]
    with ExitStack() as stack:
        for statistic in stats.__all__:
            stack.enter_context(patch.object(stats, statistic, watched(getattr(stats, statistic))))
        draw(few)
        bare(frame)
        rounds = [(*draw(frame), draw(few)[1], milliseconds(bare, frame)) for _ in range(ROUNDS)]
    part, drawing, of_few, floor = (middle(column) for column in zip(*rounds, strict=True))
    ratios = ratio(part, floor, MOST), drawing, ratio(drawing, of_few)
    table.row(f"plot.{name}", f"{len(frame):,}", part, floor, *ratios)
    return Cost(part.processor / floor.processor)


def draw(costs, file):
    """Draw what each costs beside the bare work, and how it grows."""
    figure = Figure(figsize=(10, 1 + 0.22 * len(costs)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    ratios = [cost.ratio for cost in costs.values()]
    colours = ["#1f6f8b" if name.startswith("stats.") else "#8fbfd0" for name in costs]
    bars = left.barh(list(costs), ratios, color=colours)
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    left.bar_label(bars, fmt="%.2f", padding=3, bbox=ground)
    left.axvline(1, color="black", linewidth=1)
    left.axvline(MOST, color="black", linewidth=1, linestyle="--")
    left.margins(x=0.1)
    left.set_ylim(len(costs) - 0.4, -0.6)
    left.set(xlabel="times the bare group-by", title="Processor time (dashed: the goal)")
    for label, of, marker in (("dirframe", "a_record", "o"), ("bare pandas", "a_record_bare", "|")):
        grown = [getattr(cost, of) for cost in costs.values()]
        right.plot(
            grown, list(costs), marker, color="#1f6f8b" if marker == "o" else "black", label=label
        )
    right.axvline(1, color="black", linewidth=1)
    right.set(
        xlim=(0, None), xlabel="times that in a tenth of the records", title="A record's time"
    )
    right.tick_params(axis="y", length=0)
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    file.parent.mkdir(exist_ok=True)
    figure.savefig(file)
    print(f"\nThe chart is in {file}.")


def main():
    """Print a Markdown table of both times, their ratio, and the growth with the records."""
    mpl.use("agg")
    projects = int(sys.argv[1]) if sys.argv[1:] else PROJECTS
    accounts = make(ACCOUNT, generate_accounts(2 * projects))
    frames = {
        "project": make(PROJECT, generate_projects(projects)),
        "account": unify_countries(accounts),
    }
    print("Medians of the clock / of the processor.")
    records, ratios = Measure("records"), both("ratio", TIMES, form=".2f")
    bare_times = both("bare", "ms", None)
    linear = Measure("a record, to a tenth", TIMES, "lower", parts=("dirframe", "bare"))
    fixed = both("fixed", "ms")
    table = Table("statistic", records, both("dirframe", "ms"), bare_times, ratios, fixed, linear)
    costs = {}
    for name, (resource, bare) in BARE.items():
        if name in stats.__all__:
            ours = partial(getattr(stats, name), **OPTIONS.get(name, {}))
            costs[f"stats.{name}"] = measure(table, name, ours, bare, frames[resource])
    drawing = both("drawing", "ms"), both(f"to that of {FEW:,} records", TIMES, form=".2f")
    table = Table("chart", records, both("statistic", "ms"), bare_times, ratios, *drawing)
    for name, (resource, bare) in BARE.items():
        if name in plot.__all__:
            costs[f"plot.{name}"] = measure_chart(table, name, bare, frames[resource])
    draw(costs, RESULTS / "stats.svg")


if __name__ == "__main__":
    main()
