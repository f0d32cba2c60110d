"""Charts of groups compared tell what the tests found."""

from __future__ import annotations

from dirframe import plot
from tests.plot.charts import caption, projects


def test_the_reference_is_marked_and_the_tests_are_told() -> None:
    ax = plot.compare_survival(projects(), groups="team_size")
    (line,) = (part for part in ax.lines if part.get_linestyle() == "--")
    assert [*line.get_xdata()] == [1, 1]  # type: ignore[misc]  # numbers
    assert ax.get_xlabel() == "Hazard ratio to the reference, logarithmic"
    assert "Reference: 0." in caption(ax)
    assert "Logrank test: p" in caption(ax)
    ax = plot.compare_groups(projects())
    assert "corrected (holm)" in caption(ax)
    assert "Kruskal-Wallis test: p" in caption(ax)
