"""The list of statistics and charts and the functions themselves say the same."""

from __future__ import annotations

import inspect

import pytest

from dirframe import plot, stats
from dirframe.charts import APPEARANCE, CHARTS, SELECTION, STATISTICS, ChartSpec, base_of

EVERY = list((STATISTICS | CHARTS).values())
NO_CHARTS = {"FONTS", "STYLE", "language_colour", "style"}


def options(function: object) -> set[str]:
    assert callable(function)
    parameters = inspect.signature(function).parameters.values()
    return {one.name for one in parameters if one.kind is one.KEYWORD_ONLY} - {"ax", "backend"}


def test_every_statistic_and_every_chart_is_a_command() -> None:
    assert sorted(STATISTICS) == sorted(stats.__all__)
    assert set(CHARTS) == set(plot.__all__) - NO_CHARTS


@pytest.mark.parametrize("noun", STATISTICS.values(), ids=lambda noun: noun.name)
def test_a_statistic_has_the_options_of_its_function(noun: ChartSpec) -> None:
    assert {*noun.options, *SELECTION} == options(getattr(stats, noun.name))


@pytest.mark.parametrize("noun", CHARTS.values(), ids=lambda noun: noun.name)
def test_a_chart_has_the_options_of_its_function(noun: ChartSpec) -> None:
    given = noun.options if noun.chart_options is None else noun.chart_options
    assert {*given, *SELECTION, *APPEARANCE} == options(getattr(plot, noun.name))


@pytest.mark.parametrize("noun", EVERY, ids=lambda noun: noun.name)
def test_what_it_says_fits_beside_its_name_whole(noun: ChartSpec) -> None:
    assert len(noun.summary) <= 45


def test_every_statistic_names_the_records_that_its_figures_are_of() -> None:
    assert all(all(base_of(name)) for name in STATISTICS)
    assert base_of("accounts_map") == base_of("clean") == ("", "")
