"""A dot and an interval for each row of a statistic."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from dirframe import stats
from tests.plot.charts import CHARTS, draw, names

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
    np.testing.assert_array_equal(dots.get_xdata(), rows[value].dropna().to_numpy(float))
    (lines,) = (part for part in ax.collections if part.get_gid() == "interval")
    assert isinstance(lines, LineCollection)
    ends = rows[["low", "high"]].dropna().to_numpy(float)
    drawn = [segment[:, 0] for segment in lines.get_segments()]
    np.testing.assert_array_equal(drawn, ends)
    assert len(names(ax)) == len(rows)
