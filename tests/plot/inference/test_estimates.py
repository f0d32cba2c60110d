"""Charts of estimates show the figures of their statistics."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dirframe import plot
from tests.plot.charts import CHARTS, caption, projects


def test_shares_are_percentages_and_units_name_the_columns() -> None:
    ax = plot.intervals(projects(), measure="share")
    ax.figure.canvas.figure.draw_without_rendering()
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
