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
    assert [bar.get_width() for bar in bars(ax)] == pytest.approx(sorted(ratios, reverse=True))
    assert len(names(ax)) == len(table)
    assert "5 projects without a main language" in caption(ax)


def test_the_median_and_the_quartiles_of_the_projects_stand_at_the_foot_of_the_bar() -> None:
    frame = projects()
    table = stats.contributors_per_thousand_lines(frame)
    ax = plot.contributors_per_thousand_lines(frame)
    known = table[table["median"].notna()]
    (medians,) = (line for line in ax.lines if line.get_label() == "median")
    assert sorted(np.asarray(medians.get_xdata())) == pytest.approx(sorted(known["median"]))
    assert ax.get_xlim()[1] >= known["upper_quartile"].max()
    assert "one large project can decide it" in " ".join(caption(ax).split())


def test_languages_stand_in_the_order_of_their_ratio_and_the_others_last() -> None:
    frame = projects(400)
    ax = plot.contributors_per_thousand_lines(frame, top=4)
    table = stats.contributors_per_thousand_lines(frame, top=4)
    ratio = table.set_index("language")["contributors_per_thousand_lines"]
    by_ratio = ratio.iloc[:-1].sort_values(ascending=False)
    assert list(by_ratio.index) != list(ratio.index[:-1])  # the table has the most projects first
    assert [bar.get_width() for bar in bars(ax)] == [*by_ratio, ratio.iloc[-1]]
    assert names(ax)[-1] == ratio.index[-1] == "other (3 languages)"
