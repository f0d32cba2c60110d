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

from dirframe import stats

if TYPE_CHECKING:
    from collections.abc import Callable

PROJECTS = 500_000
ACCOUNTS = 1_000_000
ROUNDS = 7

LANGUAGE = "analysis_main_language_name"
LINES = "analysis_total_code_lines"
CONTRIBUTORS = "analysis_twelve_month_contributor_count"


def make_projects(count: int) -> pd.DataFrame:
    """Draw projects of 100 languages, with about 5% missing values and a few negative ones."""
    draw = np.random.default_rng(2013)
    missing = draw.random(count) < 0.05
    language = np.char.add("Language ", draw.zipf(1.5, count).clip(max=100).astype(str))
    lines = pd.Series(draw.lognormal(10, 2, count).astype(int) - 20, dtype="Int64")
    people = pd.Series(draw.zipf(1.7, count).clip(max=3000) - 1, dtype="Int64")
    return pd.DataFrame(
        {
            LANGUAGE: pd.Series(language, dtype="str").mask(missing),
            LINES: lines.mask(missing),
            CONTRIBUTORS: people.mask(missing),
            "stack_count": people,
        }
    )


def make_accounts(count: int) -> pd.DataFrame:
    """Draw accounts of 200 countries, half of them without one."""
    draw = np.random.default_rng(2013)
    number = draw.zipf(1.4, count).clip(max=200)
    missing = draw.random(count) < 0.5
    code = pd.Series(np.char.add("C", number.astype(str)), dtype="str").mask(missing)
    name = pd.Series(np.char.add("Country no. ", number.astype(str)), dtype="str").mask(missing)
    return pd.DataFrame({"country_code": code, "country_alpha_2": code, "country_name": name})


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


def seconds(work: Callable[[pd.DataFrame], object], frame: pd.DataFrame) -> float:
    """Time one call."""
    start = time.perf_counter()
    work(frame)
    return time.perf_counter() - start


def main() -> None:
    """Print a Markdown table of both times and their ratio."""
    projects, accounts = make_projects(PROJECTS), make_accounts(ACCOUNTS)
    pairs = [
        (stats.language_share, bare_language_share, projects),
        (stats.contributors_by_language, bare_contributors, projects),
        (stats.accounts_by_country, bare_countries, accounts),
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
