"""What the statistics cost beside the bare pandas group-by of the same columns.

Each round runs both, one after the other, on the same frame of 500,000 projects or 1,000,000
accounts; the ratio is that of the medians.
"""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dirframe import child_table, stats

if TYPE_CHECKING:
    from collections.abc import Callable

    Statistic = Callable[[pd.DataFrame], object]

PROJECTS = 500_000
ACCOUNTS = 1_000_000
ROUNDS = 5

LANGUAGE = "analysis_main_language_name"
LINES = "analysis_total_code_lines"
CONTRIBUTORS = "analysis_twelve_month_contributor_count"
MONTHS = ["analysis_min_month", "analysis_max_month"]


def make_projects(count: int) -> pd.DataFrame:
    """Draw projects of 100 languages, with about 5% missing values and a few negative ones."""
    draw = np.random.default_rng(2013)
    missing = draw.random(count) < 0.05
    language = np.char.add("Language ", draw.zipf(1.5, count).clip(max=100).astype(str))
    lines = pd.Series(draw.lognormal(10, 2, count).astype(int) - 20, dtype="Int64")
    people = pd.Series(draw.zipf(1.7, count).clip(max=3000) - 1, dtype="Int64")
    began = draw.integers(0, 120, count)
    first, last = (
        pd.Series(np.datetime64("2003-01", "M") + months, dtype="datetime64[us]").dt.tz_localize(
            "UTC"
        )
        for months in (began, began + draw.integers(0, 100, count))
    )
    tag = np.array([f"tag {number}" for number in range(1000)], dtype=object)
    tags = [list(row) for row in tag[draw.zipf(1.3, (count, 3)).clip(max=1000) - 1]]
    return pd.DataFrame(
        {
            LANGUAGE: pd.Series(language, dtype="str").mask(missing),
            LINES: lines.mask(missing),
            CONTRIBUTORS: people.mask(missing),
            "stack_count": people,
            "id": pd.Series(np.arange(count), dtype="str"),
            "name": pd.Series(np.arange(count), dtype="str"),
            "analysis_min_month": first.mask(missing),
            "analysis_max_month": last.mask(missing),
            "tags": pd.Series(tags, dtype="object"),
        }
    )


def make_accounts(count: int) -> pd.DataFrame:
    """Draw accounts of 200 countries, half of them without one."""
    draw = np.random.default_rng(2013)
    number = draw.zipf(1.4, count).clip(max=200)
    missing = draw.random(count) < 0.5
    code = pd.Series(np.char.add("C", number.astype(str)), dtype="str").mask(missing)
    name = pd.Series(np.char.add("Country no. ", number.astype(str)), dtype="str").mask(missing)
    return pd.DataFrame(
        {
            "country_code": code,
            "country_alpha_2": code,
            "country_name": name,
            "created_at": pd.to_datetime(
                draw.integers(1136073600, 1375228800, count), unit="s", utc=True
            ),
            "posts_count": pd.Series(draw.zipf(1.5, count).clip(max=5000) - 1, dtype="Int64"),
            "kudo_score_kudo_rank": pd.Series(draw.integers(1, 11, count), dtype="Int64"),
        }
    )


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


def longest(projects: pd.DataFrame) -> object:
    """Give the ten longest life spans."""
    return stats.life_span(projects, top=10)


def seconds(work: Statistic, frame: pd.DataFrame) -> float:
    """Time one call."""
    start = time.perf_counter()
    work(frame)
    return time.perf_counter() - start


def main() -> None:
    """Print a Markdown table of both times and their ratio."""
    projects, accounts = make_projects(PROJECTS), make_accounts(ACCOUNTS)
    pairs: list[tuple[Statistic, Statistic, pd.DataFrame]] = [
        (stats.language_share, bare_language_share, projects),
        (stats.contributors_by_language, bare_contributors, projects),
        (stats.accounts_by_country, bare_countries, accounts),
        (stats.contributor_distribution, bare_sizes(CONTRIBUTORS), projects),
        (stats.contributor_concentration, bare_sizes(CONTRIBUTORS), projects),
        (stats.contributor_quantiles, bare_sizes(CONTRIBUTORS), projects),
        (stats.lorenz, bare_sizes(CONTRIBUTORS), projects),
        (stats.contributors_per_thousand_lines, bare_lines, projects),
        (stats.team_size_classes, bare_sizes(CONTRIBUTORS), projects),
        (stats.users_against_contributors, bare_sizes("stack_count", CONTRIBUTORS), projects),
        (stats.activity, bare_sizes(*MONTHS, CONTRIBUTORS), projects),
        (stats.project_age, bare_sizes(*MONTHS), projects),
        (longest, bare_spans, projects),
        (stats.languages_by_year, bare_years, projects),
        (stats.tags, bare_tags, projects),
        (stats.growth, bare_growth, accounts),
        (stats.accounts_by_kudo_rank, bare_sizes("kudo_score_kudo_rank"), accounts),
        (stats.posts_distribution, bare_sizes("posts_count"), accounts),
    ]
    print("| statistic | rows | dirframe, ms | bare group-by, ms | ratio |")
    print("|---|--:|--:|--:|--:|")
    for ours, bare, frame in pairs:
        times = [(seconds(ours, frame), seconds(bare, frame)) for _ in range(ROUNDS)]
        own, floor = (median(column) * 1000 for column in zip(*times, strict=True))
        row = f"{len(frame):,} | {own:.0f} | {floor:.0f} | {own / floor:.2f}"
        print(f"| {ours.__name__} | {row} |")


if __name__ == "__main__":
    main()
