"""What the statistics and their charts cost beside the bare pandas group-by of the same columns.

Each round runs both, one after the other, on the same frame: 500,000 projects or 1,000,000
accounts of dirframe's generator, written as XML and read again. The ratio is that of the
medians, and each record's cost is compared with that in a tenth of the frame: 1 is linear. What
a project has several of becomes a table by `child_table` in both. A chart computes its
statistic and is drawn to pixels, which takes a time of its own. ARGS: the number of projects.
"""

from __future__ import annotations

import io
import sys
import time
from functools import partial
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from dirframe import child_table, plot, stats, unify_countries
from dirframe.client.documents import read_documents
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.generate import generate_accounts, generate_projects
from dirframe.service.writer import collection_xml, record_xml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from dirframe.schema import Resource
    from dirframe.service.records import Value

    Work = Callable[[pd.DataFrame], object]

PROJECTS = 500_000
ROUNDS = 3

LANGUAGE = "analysis_main_language_name"
LINES = "analysis_total_code_lines"
CONTRIBUTORS = "analysis_twelve_month_contributor_count"
MONTHS = ["analysis_min_month", "analysis_max_month"]
COLUMNS = {
    "project": [
        *("id", "name", "tags", "licenses", "analysis_languages", "stack_count", "user_count"),
        *(LANGUAGE, LINES, CONTRIBUTORS, *MONTHS),
    ],
    "account": ["id", "country_code", "created_at", "posts_count", "kudo_score_kudo_rank"],
}


def page(resource: Resource, records: list[dict[str, Value]]) -> bytes:
    """Write records as one document."""
    fragments = [record_xml(resource, record) for record in records]
    return collection_xml(fragments, available=len(fragments), first=0, synthetic=True)


def make(resource: Resource, records: Iterator[dict[str, Value]]) -> pd.DataFrame:
    """Write generated records as pages and read the columns that the statistics take."""
    pages = (
        ("generated", page(resource, some))
        for some in iter(lambda: list(islice(records, 1000)), [])
    )
    return read_documents(pages, resource, columns=COLUMNS[resource.name]).frame


def bare_language_share(projects: pd.DataFrame) -> object:
    """Count, and sum up what `language_share` sums up."""
    by = projects.groupby(LANGUAGE)
    return by.size(), by[[LINES, "stack_count"]].sum()


def bare_contributors(projects: pd.DataFrame) -> object:
    """Compute what `contributors_by_language` computes."""
    by = projects.groupby(LANGUAGE)[CONTRIBUTORS]
    return by.agg(["size", "count", "sum", "max"]), by.quantile(np.array([0.25, 0.5, 0.75]))


def bare_countries(accounts: pd.DataFrame) -> object:
    """Count by the two columns that `accounts_by_country` gives."""
    return accounts.groupby(["country_alpha_2", "country_name"]).size()


def bare_sizes(*columns: str) -> Callable[[pd.DataFrame], object]:
    """Count by the columns that a statistic reads, missing values too, as all of them do."""
    return lambda frame: frame.groupby([*columns], dropna=False).size()


def bare_lines(projects: pd.DataFrame) -> object:
    """Sum up what `contributors_per_thousand_lines` sums up."""
    by = projects.groupby(LANGUAGE)
    return by.size(), by[[LINES, CONTRIBUTORS]].sum()


def bare_growth(accounts: pd.DataFrame) -> object:
    """Count by day."""
    return accounts.groupby(accounts["created_at"].dt.floor("D")).size()


def bare_years(projects: pd.DataFrame) -> object:
    """Count by year and language."""
    return projects.groupby([projects[MONTHS[0]].dt.year, LANGUAGE], dropna=False).size()


def bare_spans(projects: pd.DataFrame) -> object:
    """Count by the months between, and take the ten longest."""
    first, last = (projects[month].dt for month in MONTHS)
    months = 12 * (last.year - first.year) + last.month - first.month
    return months.groupby(months).size(), projects.loc[months.nlargest(10).index]


def bare_tags(projects: pd.DataFrame) -> object:
    """Count the distinct tags of each project."""
    tags = child_table(projects[["id", "tags"]], "tags")
    return tags.drop_duplicates().groupby("tag").size()


def bare_licenses(projects: pd.DataFrame) -> object:
    """Count the distinct licences of each project."""
    licences = child_table(projects[["id", "licenses"]], "licenses")[["project_id", "name"]]
    return licences.drop_duplicates().groupby("name").size()


def bare_breakdown(projects: pd.DataFrame) -> object:
    """Sum up each language's part of the lines."""
    rows = child_table(projects[["id", "analysis_languages"]], "languages")
    lines = rows["project_id"].map(projects.set_index("id")[LINES])
    return (rows["percentage"] * lines).groupby(rows["language"]).agg(["size", "sum"])


#: By statistic or chart: what it takes, and the bare work.
BARE: dict[str, tuple[str, Work]] = {
    "language_share": ("project", bare_language_share),
    "contributors_by_language": ("project", bare_contributors),
    "contributors_per_thousand_lines": ("project", bare_lines),
    "contributor_distribution": ("project", bare_sizes(CONTRIBUTORS)),
    "contributor_concentration": ("project", bare_sizes(CONTRIBUTORS)),
    "contributor_quantiles": ("project", bare_sizes(CONTRIBUTORS)),
    "lorenz": ("project", bare_sizes(CONTRIBUTORS)),
    "team_size_classes": ("project", bare_sizes(CONTRIBUTORS)),
    "users_against_contributors": ("project", bare_sizes("stack_count", CONTRIBUTORS)),
    "activity": ("project", bare_sizes(*MONTHS, CONTRIBUTORS)),
    "project_age": ("project", bare_sizes(*MONTHS)),
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


def drawn(name: str) -> Work:
    """Draw a chart on a figure of its own, to the last pixel."""

    def draw(frame: pd.DataFrame) -> None:
        figure = Figure(layout="constrained")
        getattr(plot, name)(frame, ax=figure.subplots())
        figure.savefig(io.BytesIO())

    return draw


def seconds(work: Work, frame: pd.DataFrame) -> float:
    """Time one call."""
    start = time.perf_counter()
    work(frame)
    return time.perf_counter() - start


def measure(what: str, ours: Work, bare: Work, frame: pd.DataFrame) -> None:
    """Print one row."""
    tenth = frame.iloc[: len(frame) // 10]
    work = [(ours, frame), (bare, frame), (ours, tenth)]
    times = [[seconds(*one) for one in work] for _ in range(ROUNDS)]
    own, floor, small = (median(column) * 1000 for column in zip(*times, strict=True))
    a_record = own / len(frame) / (small / len(tenth))
    row = f"{len(frame):,} | {own:.0f} | {floor:.0f} | {own / floor:.2f} | {a_record:.2f}"
    print(f"| {what} | {row} |", flush=True)


def main() -> None:
    """Print a Markdown table of both times, their ratio, and the growth with the records."""
    mpl.use("agg")
    projects = int(sys.argv[1]) if sys.argv[1:] else PROJECTS
    accounts = make(ACCOUNT, generate_accounts(2 * projects))
    frames = {
        "project": make(PROJECT, generate_projects(projects)),
        "account": unify_countries(accounts),
    }
    print("| what | records | dirframe, ms | bare group-by, ms | ratio | a record, to a tenth |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, (resource, bare) in BARE.items():
        if name in stats.__all__:
            ours = partial(getattr(stats, name), **OPTIONS.get(name, {}))
            measure(f"stats.{name}", ours, bare, frames[resource])
        if name in plot.__all__:
            measure(f"plot.{name}", drawn(name), bare, frames[resource])


if __name__ == "__main__":
    main()
