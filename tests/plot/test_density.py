"""The chart of contributors per thousand lines, checked by what is drawn."""

from __future__ import annotations

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
