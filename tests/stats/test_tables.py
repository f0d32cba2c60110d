"""The statistics are stated once: another engine than pandas gives the same."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd
import pyarrow as pa
import pytest

from dirframe import load_accounts, load_projects, sample_directory, stats, unify_countries

if TYPE_CHECKING:
    from collections.abc import Callable

OF_ACCOUNTS = (
    stats.accounts_by_country,
    stats.accounts_by_kudo_rank,
    stats.growth,
    stats.posts_distribution,
)
OF_PROJECTS = (
    stats.activity,
    stats.contributor_concentration,
    stats.contributor_distribution,
    stats.contributor_quantiles,
    stats.contributors_by_language,
    stats.contributors_per_thousand_lines,
    stats.growth,
    stats.language_breakdown,
    stats.language_share,
    stats.languages_by_year,
    stats.licenses,
    stats.life_span,
    stats.lorenz,
    stats.project_age,
    stats.tags,
    stats.team_size_classes,
    stats.users_against_contributors,
)
MODULES = (
    "_frequencies",
    "accounts",
    "countries",
    "density",
    "entries",
    "growth",
    "languages",
    "lifetimes",
)


@pytest.fixture(scope="module")
def sample() -> tuple[pd.DataFrame, pd.DataFrame]:
    with sample_directory(cache=False) as directory:
        accounts = unify_countries(load_accounts(directory=directory))
        return accounts, load_projects(directory=directory)


def on_arrow(**columns: pd.Series[Any]) -> nw.LazyFrame[Any]:
    arrays = {name: pa.Array.from_pandas(column) for name, column in columns.items()}
    table: nw.LazyFrame[Any] = nw.from_native(pa.table(arrays)).lazy()
    return table


@pytest.mark.parametrize(
    ("place", "statistic"), [*((0, s) for s in OF_ACCOUNTS), *((1, s) for s in OF_PROJECTS)]
)
def test_arrow_gives_the_same_numbers_as_pandas(
    sample: tuple[pd.DataFrame, pd.DataFrame],
    place: int,
    statistic: Callable[[pd.DataFrame], pd.DataFrame],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = statistic(sample[place])
    for module in MODULES:
        monkeypatch.setattr(import_module(f"dirframe.stats.{module}"), "lazy", on_arrow)
    found = statistic(sample[place])
    pd.testing.assert_frame_equal(found, expected)
    assert found.attrs == expected.attrs
