"""The chart of a project's months: two lanes, gaps, and a month that was not over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from matplotlib.patches import Rectangle, StepPatch

from dirframe import plot, provenance
from tests.plot.charts import activity_facts, caption

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def months(loaded: str = "2010-04-10T00:00:00+00:00") -> pd.DataFrame:
    """Make January, February and April 2010, April loaded on its tenth day."""
    frame = activity_facts(4).drop(index=2).assign(commits=[40, 10, 5], contributors=[4, 2, 1])
    facts = {"query": {"project": "fire$fox"}, "retrieved_newest": loaded}
    return provenance.set_provenance(frame, **facts)


def steps(ax: Axes) -> list[list[float]]:
    """Return the heights of each row of steps: those of commits, twice, then of contributors."""
    found = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    return [np.asarray(patch.get_data()[0]).tolist() for patch in found]


def test_a_step_is_as_high_as_the_commits_of_its_month_and_a_gap_is_zero() -> None:
    ax = plot.monthly_activity(months("2010-06-01T00:00:00+00:00"))
    assert steps(ax)[0] == [40, 10, 0, 5]
    assert "1 month without a row: 0." in caption(ax)


def test_a_month_that_was_not_over_is_hatched_and_named() -> None:
    ax = plot.monthly_activity(months())
    hatched = [bar for bar in ax.patches if isinstance(bar, Rectangle) and bar.get_hatch()]
    assert hatched[0].get_height() == pytest.approx(5)
    assert len(hatched) == 2  # in each lane
    assert "Hatched: not over when it was loaded (2010-04)." in caption(ax)


def test_nothing_is_hatched_where_the_month_was_over_or_the_time_is_not_known() -> None:
    for frame in (months("2010-05-01T00:00:00+00:00"), activity_facts(4)):
        ax = plot.monthly_activity(frame)
        assert not [patch for patch in ax.patches if patch.get_hatch()]
        assert "Hatched" not in caption(ax)


def test_the_contributors_have_a_lane_below_with_their_own_numbers() -> None:
    ax = plot.monthly_activity(months())
    ax.figure.canvas.figure.draw_without_rendering()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    places = ax.get_yticks()
    lower = [label for label, place in zip(labels, places, strict=True) if place < 0]
    assert lower[0] == "0"
    assert lower[-1] in {"4", "3", "2"}
    bottom = ax.get_ylim()[0]
    people = [place - bottom for place in steps(ax)[2]]
    assert people[0] == pytest.approx(2 * people[1])
    assert max(people) + bottom < 0  # never into the lane above


def test_the_title_names_the_project_as_it_is() -> None:
    assert plot.monthly_activity(months()).get_title().endswith(": fire$fox")
