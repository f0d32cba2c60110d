"""Charts of estimates, comparisons, fits, ages and ratios show the figures of their statistics."""

import re

import matplotlib.pyplot as plt
import pytest

from dirframe import stats
from tests.charts import caption, cut_off, draw, lay_out, points, widths
from tests.frames import accounts, activity_facts, projects

#: For each chart, what makes its frame, and the column and kind of what is drawn.
CASES = {
    "accounts_per_capita": (accounts, "per_million", "estimate"),
    "compare_groups": (projects, "effect", "estimate"),
    "compare_survival": (projects, "hazard_ratio", "estimate"),
    "contributors_per_thousand_lines": (projects, "contributors_per_thousand_lines", "bars"),
    "correlation": (projects, "correlation", "estimate"),
    "distribution_tail": (projects, "value", "line"),
    "growth_curve": (activity_facts, "observed", "line"),
    "intervals": (projects, "value", "estimate"),
    "project_age": (projects, "projects", "heights"),
}


def drawn(ax, kind):
    if kind == "bars":
        return widths(ax)
    if kind == "heights":
        return [bar.get_height() for bar in ax.patches]
    if kind == "line":
        return [number for point in points(ax.lines[0]) for number in point]
    (dots,) = (line for line in ax.lines if line.get_gid() == "estimate")
    return [x for x, _ in points(dots)]


def test_charts_of_inference_show_their_tables():
    for library in ("scipy", "statsmodels", "powerlaw", "pypopulation"):
        pytest.importorskip(library, reason="libraries of statistics are extras")
    failures = []
    for name, (make, column, kind) in CASES.items():
        frame = make()
        table = getattr(stats, name)(frame)
        if name == "compare_groups":  # the test of all groups is in the caption
            table = table[table["second"].notna()]
        ax = lay_out(draw(name, frame, width="column"))
        expected = set(table[column].dropna().astype(float).round(9))
        if not expected <= {round(float(number), 9) for number in drawn(ax, kind)}:
            failures.append((name, expected, drawn(ax, kind)))
        if not re.search(r"n = (\d+ of )?40 .*Source", caption(ax)):
            failures.append((name, caption(ax)))
        failures += [(name, text) for text in cut_off(ax)]
        plt.close()
    assert not failures
