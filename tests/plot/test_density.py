"""The chart of contributors per thousand lines, checked by what is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from dirframe import plot, stats
from tests.plot.charts import bars, caption, names, projects


def test_a_bar_is_as_long_as_the_ratio_and_named_by_its_language() -> None:
    frame = projects()
    table = stats.contributors_per_thousand_lines(frame)
    ax = plot.contributors_per_thousand_lines(frame)
    ratios = list(table["contributors_per_thousand_lines"])
    assert [bar.get_width() for bar in bars(ax)] == pytest.approx(ratios)
    assert len(names(ax)) == len(table)
    assert "5 projects without a main language" in caption(ax)


def test_the_median_and_the_quartiles_of_the_projects_stand_at_the_foot_of_the_bar() -> None:
    frame = projects()
    table = stats.contributors_per_thousand_lines(frame)
    ax = plot.contributors_per_thousand_lines(frame)
    known = table[table["median"].notna()]
    (medians,) = (line for line in ax.lines if line.get_label() == "median")
    assert [*np.asarray(medians.get_xdata())] == pytest.approx(list(known["median"]))
    assert ax.get_xlim()[1] >= known["upper_quartile"].max()
    assert "one large project can decide it" in " ".join(caption(ax).split())
