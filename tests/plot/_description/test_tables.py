"""A chart draws the table that its statistic returned as it draws the records."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import dirframe
from dirframe import plot, stats
from dirframe.charts import CHARTS
from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from matplotlib.axes import Axes


def drawn(ax: Axes) -> tuple[object, ...]:
    """Return what a reader sees of a chart."""
    texts = [text.get_text() for text in ax.texts]
    bars = [np.asarray(bar.get_path().vertices).tolist() for bar in ax.patches]
    lines = [np.asarray(line.get_xydata()).tolist() for line in ax.lines]
    dots = [np.asarray(dots.get_offsets()).tolist() for dots in ax.collections]
    caption = [text.get_text() for text in ax.figure.texts]
    return ax.get_title(), texts, bars, lines, dots, caption


@pytest.mark.parametrize("name", list(CHARTS))
def test_the_table_gives_the_chart_of_the_records(
    sample_frames: dict[str, pd.DataFrame], name: str
) -> None:
    spec = CHARTS[name]
    parameters = inspect.signature(getattr(plot, name)).parameters
    own = {"top", "min_projects"} & {*spec.options} & {*parameters}
    options = {option: parameters[option].default for option in own}
    frame = sample_frames[spec.collection or "projects"]
    table = getattr(stats, spec.statistic or name)(frame, **options)
    assert drawn(getattr(plot, name)(table)) == drawn(getattr(plot, name)(frame))


def test_options_of_the_statistic_are_those_of_the_table(
    sample_frames: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    table = stats.growth(sample_frames["projects"], freq="YE")
    dirframe.export(table, tmp_path / "growth.parquet")
    again = dirframe.read_export(tmp_path / "growth.parquet")
    assert drawn(plot.growth(again)) == drawn(plot.growth(sample_frames["projects"], freq="YE"))


@pytest.mark.parametrize(
    ("options", "words"),
    [({"top": 3}, "top"), ({"exclude": ["negative_lines"]}, "exclude"), ({"by": "year"}, "by")],
)
def test_options_of_the_statistic_are_not_taken_again(
    sample_frames: dict[str, pd.DataFrame], options: dict[str, Any], words: str
) -> None:
    table = stats.tags(sample_frames["projects"])
    with pytest.raises(InvalidInputError, match=f"pass {words} to stats.tags"):
        plot.tags(table, **options)


def test_tables_that_a_chart_does_not_draw_are_refused(
    sample_frames: dict[str, pd.DataFrame],
) -> None:
    with pytest.raises(InvalidInputError, match=r"result of stats\.licenses; plot\.tags draws"):
        plot.tags(stats.licenses(sample_frames["projects"]))
    with pytest.raises(InvalidInputError, match="computed with by"):
        plot.tags(stats.tags(sample_frames["projects"], by="year"))
    with pytest.raises(InvalidInputError, match="computed with top"):
        plot.accounts_map(stats.accounts_by_country(sample_frames["accounts"], top=3))


@pytest.mark.parametrize("name", ["tags", "growth", "licenses", "language_share"])
def test_a_statistic_refuses_the_result_of_a_statistic(
    sample_frames: dict[str, pd.DataFrame], name: str
) -> None:
    with pytest.raises(InvalidInputError, match=r"result of stats\.tags"):
        getattr(stats, name)(stats.tags(sample_frames["projects"]))
