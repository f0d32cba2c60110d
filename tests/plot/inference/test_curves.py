"""Charts of survival, tails and growth show the curves of their statistics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dirframe import plot, stats
from tests.plot.charts import CHARTS, activity_facts, caption, draw, projects


def test_the_numbers_at_risk_stand_below_the_ticks() -> None:
    table = stats.survival(projects())
    ax = plot.survival(projects())
    ax.figure.canvas.figure.draw_without_rendering()
    for text in (label.get_text() for label in ax.get_xticklabels()):
        month, at_risk = (int(part) for part in text.split("\n"))
        later = table.loc[table["months"] >= month, "at_risk"]
        assert at_risk == (later.iloc[0] if len(later) else 0)
    (curve,) = ax.lines
    np.testing.assert_array_equal(curve.get_ydata(), table["survival"].to_numpy(float))
    assert curve.get_drawstyle() == "steps-post"


def test_the_caption_tells_the_median_life_or_that_there_is_none() -> None:
    frame = projects()
    fetched = frame["analysis_max_month"] + pd.DateOffset(months=12)
    ended = plot.survival(frame.assign(analysis_logged_at=fetched))
    assert "Median life: 20 months." in caption(ended)
    alive = plot.survival(frame.assign(analysis_logged_at=frame["analysis_max_month"]))
    assert "More than half live on" in caption(alive)


def test_a_part_of_a_table_is_said_to_be_one_and_claims_nothing_of_all() -> None:
    table = stats.survival(projects())
    for part in (table.head(2), table.tail(2)):
        said = caption(plot.survival(part))
        assert "live on as long" not in said
        assert "Median" not in said
        assert f"Drawn from 2 rows of {len(table)} of stats.survival." in said
    assert "Drawn from" not in caption(plot.survival(table))


@pytest.mark.parametrize(
    ("name", "fitted"),
    [
        ("distribution_tail", ["power law", "log-normal"]),
        ("growth_curve", ["linear", "exponential", "logistic"]),
    ],
)
def test_fitted_curves_differ_in_their_line_and_are_named(name: str, fitted: list[str]) -> None:
    frame = CHARTS[name]()
    table = getattr(stats, name)(frame)
    ax = draw(name, frame)
    observed, *curves = ax.lines
    assert [str(curve.get_label()) for curve in curves] == fitted
    for curve in curves:
        column = str(curve.get_label()).replace(" ", "_").replace("-", "_")
        np.testing.assert_array_equal(curve.get_ydata(), table[column].dropna().to_numpy(float))
    assert len({str(curve._dash_pattern) for curve in curves}) == len(fitted)  # type: ignore[attr-defined]  # has no getter
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["observed", *fitted]
    assert len(observed.get_xdata()) == len(table)  # type: ignore[arg-type]  # an array


def test_few_months_are_shown_without_a_curve() -> None:
    ax = plot.growth_curve(activity_facts(3), cumulative=False)
    assert len(ax.lines) == 1
    assert "Too few months to fit." in caption(ax)
    assert ax.get_ylabel() == "Commits in the month"
