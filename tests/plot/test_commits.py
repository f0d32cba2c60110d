"""The chart of a project's contributors: shares over ranks, and the bus factor."""

from __future__ import annotations

import numpy as np
import pytest

from dirframe import plot
from tests.plot.charts import caption, contributors


def test_the_line_shows_the_shares_of_the_first_ones_together() -> None:
    ax = plot.commits_by_contributor(contributors(4).assign(commits=[10, 60, 30, 0]))
    line = ax.lines[0]
    assert np.asarray(line.get_xdata()).tolist() == [1, 2, 3, 4]
    assert np.asarray(line.get_ydata()).tolist() == pytest.approx([0.6, 0.9, 1.0, 1.0])
    assert ax.get_xscale() == "symlog"


def test_the_bus_factor_stands_where_half_of_the_commits_is_reached() -> None:
    ax = plot.commits_by_contributor(contributors(4).assign(commits=[30, 25, 25, 20]))
    assert next(text.get_text() for text in ax.texts if "Bus" in text.get_text()) == "Bus factor 2"
    (half,) = (line for line in ax.lines if line.get_linestyle() == "--")
    assert np.asarray(half.get_xydata()).tolist() == [[0, 0.5], [2, 0.5], [2, 0]]


def test_the_caption_says_what_the_first_and_the_first_five_have() -> None:
    said = caption(plot.commits_by_contributor(contributors(7).assign(commits=[4] + [1] * 6)))
    assert "The first has 40.0% of the commits, the first five have 80.0%." in said
    few = caption(plot.commits_by_contributor(contributors(3).assign(commits=[2, 1, 1])))
    assert "The first has 50.0% of the commits." in few


def test_who_has_no_number_is_said_not_to_be_shown() -> None:
    frame = contributors(4)
    frame["commits"] = frame["commits"].mask(frame.index == 2)
    assert "Not shown: 1 contributor without a number of commits." in caption(
        plot.commits_by_contributor(frame)
    )
