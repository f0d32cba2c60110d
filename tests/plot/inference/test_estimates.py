"""Charts of estimates show the figures of their statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection

from dirframe import plot, stats
from tests.plot.charts import CHARTS, caption, draw, names, projects

CASES: dict[str, tuple[str, str]] = {
    "intervals": ("group", "value"),
    "compare_groups": ("first", "effect"),
    "correlation": ("first", "correlation"),
    "compare_survival": ("group", "hazard_ratio"),
    "accounts_per_capita": ("country_name", "per_million"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_row_has_its_dot_and_its_interval(name: str) -> None:
    frame = CHARTS[name]()
    table = getattr(stats, name)(frame)
    key, value = CASES[name]
    rows = table[table[key].notna()].reset_index(drop=True)
    ax = draw(name, frame)
    (dots,) = (line for line in ax.lines if line.get_gid() == "estimate")
    np.testing.assert_array_equal(dots.get_xdata(), rows[value].to_numpy(float, na_value=np.nan))
    (lines,) = (part for part in ax.collections if part.get_gid() == "interval")
    assert isinstance(lines, LineCollection)
    ends = rows[["low", "high"]].dropna().to_numpy(float)
    drawn = [segment[:, 0] for segment in lines.get_segments() if len(segment)]
    np.testing.assert_array_equal([pair for pair in drawn if np.isfinite(pair).all()], ends)
    assert len(names(ax)) == len(rows)


def test_the_reference_is_marked_and_the_tests_are_told() -> None:
    ax = plot.compare_survival(projects(), groups="team_size")
    (line,) = (part for part in ax.lines if part.get_linestyle() == "--")
    assert [*line.get_xdata()] == [1, 1]  # type: ignore[misc]  # numbers
    assert ax.get_xlabel() == "Hazard ratio to 0, logarithmic"
    assert "Log-rank test: p" in caption(ax)
    ax = plot.compare_groups(projects())
    assert "corrected (holm)" in caption(ax)
    assert "Kruskal-Wallis test: p" in caption(ax)


def test_shares_are_percentages_and_units_name_the_columns() -> None:
    ax = plot.intervals(projects(), measure="share")
    ax.figure.canvas.draw()
    assert all(
        label.get_text().endswith("%") or label.get_text() == "0" for label in ax.get_xticklabels()
    )
    lines = "analysis_total_code_lines"
    ax = plot.intervals(projects(), measure="ratio", denominator=lines)
    unit = " ".join(ax.get_xlabel().split())
    assert unit == "Ratio: twelve month contributor count / total code lines"


def test_the_population_s_year_stands_in_the_chart() -> None:
    accounts: Any = CHARTS["accounts_per_capita"]()
    ax = plot.accounts_per_capita(accounts)
    assert ax.get_xlabel() == "Accounts per million inhabitants of 2019"
    assert "World Bank" in caption(ax)
    users = pd.DataFrame({"country_alpha_2": ["DE", "FR"], "value": 1e6, "year": [2012, 2013]})
    ax = plot.accounts_per_capita(accounts, per="internet_user", population=users)
    assert ax.get_xlabel() == "Accounts per million Internet users of 2012 to 2013"
    assert "World Bank" not in caption(ax)
