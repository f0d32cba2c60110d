"""The charts over time, checked by what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.dates import num2date
from matplotlib.patches import Rectangle, StepPatch

from dirframe import plot, provenance, stats
from tests.plot.charts import bars, caption

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CREATED = pd.to_datetime(pd.Series(["2013-01-31", "2013-03-01", "2013-03-31", None]), utc=True)


def created(resource: str) -> pd.DataFrame:
    return provenance.set_provenance(pd.DataFrame({"created_at": CREATED}), resource=resource)


@pytest.mark.parametrize(("cumulative", "heights"), [(True, [1, 1, 3]), (False, [1, 0, 2])])
def test_each_period_is_a_step_of_its_own_length(cumulative: bool, heights: list[int]) -> None:
    ax = plot.growth(created("account"), cumulative=cumulative)
    step = ax.patches[0]
    assert isinstance(step, StepPatch)
    values, edges, _ = step.get_data()
    assert values.tolist() == heights
    days = [f"{num2date(edge):%m-%d}" for edge in edges]
    assert days == ["01-01", "02-01", "03-01", "04-01"]
    assert "Not shown: 1 account without a date." in caption(ax)


@pytest.mark.parametrize(
    ("freq", "unit"),
    [
        ("D", "by day"),
        ("W", "by week"),
        ("MS", "by month"),
        ("QS", "by quarter"),
        ("YS", "by year"),
        ("2W", "periods of 2W"),
    ],
)
def test_the_unit_of_the_periods_stands_on_the_axis(freq: str, unit: str) -> None:
    ax = plot.growth(created("project"), freq=freq)
    ax.figure.canvas.figure.draw_without_rendering()
    assert ax.get_xlabel() == f"Created at (UTC, 2013, {unit})"
    assert ax.get_ylabel() == "Projects in all"
    assert ax.get_title() == "Growth of projects"


def languages(*rows: tuple[str | None, int]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "analysis_main_language_name": pd.Series([row[0] for row in rows], dtype="str"),
            "analysis_min_month": pd.to_datetime([f"{row[1]}-05-01" for row in rows], utc=True),
        }
    )


FRAME = languages(
    *[("C", 2011)] * 9, ("Lua", 2011), ("C", 2013), ("Ada", 2013), ("Ada", 2013), (None, 2013)
)


def test_the_parts_of_a_year_are_its_shares_stacked_to_the_whole() -> None:
    ax = plot.languages_by_year(FRAME, min_projects=1)
    table = stats.languages_by_year(FRAME)
    drawn = [bar for bar in bars(ax) if bar.get_gid() != "unfinished"]
    assert len(drawn) == 3 * 3
    shares = {
        (round(bar.get_x() + bar.get_width() / 2), bar.get_y()): bar.get_height() for bar in drawn
    }
    assert sum(height for (year, _), height in shares.items() if year == 2011) == 1
    assert sum(height for (year, _), height in shares.items() if year == 2012) == 0
    expected = table["share"][table["language"] == "Ada"].fillna(0)
    middle = [bar.get_height() for bar in drawn[3:6]]
    assert middle == expected.tolist()


def test_the_key_names_the_parts_in_their_order_and_in_their_colours() -> None:
    ax = plot.languages_by_year(FRAME)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["Lua", "Ada", "C"]
    lua, ada, c = legend.get_patches()
    assert to_hex(c.get_facecolor()) == plot.language_colour("C").lower()
    assert to_hex(lua.get_facecolor()) == to_hex(ada.get_facecolor())  # both have the grey
    assert lua.get_hatch() != ada.get_hatch()


def test_years_of_few_projects_are_pale_and_the_caption_says_so() -> None:
    ax = plot.languages_by_year(FRAME, min_projects=1)
    alphas = {round(bar.get_x() + 0.46): bar.get_alpha() for bar in ax.containers[0]}
    assert alphas[2011] is None
    assert alphas[2013] == pytest.approx(0.3)
    assert "Pale: years with fewer than 10 projects." in caption(ax)
    full = languages(*[("C", 2011)] * 10)
    assert "Pale" not in caption(plot.languages_by_year(full))


def test_years_of_few_projects_share_a_bar_as_wide_as_they_are() -> None:
    years = [1990, 1993, *[1994] * 10, *[1995] * 10, 1997, *[1998] * 9, *[1999] * 10]
    ax = plot.languages_by_year(languages(*[("C", year) for year in years]))
    edges = [(round(bar.get_x() + 0.46), round(bar.get_width())) for bar in ax.containers[0]]
    assert edges == [(1994, 1), (1995, 1), (1996, 3), (1999, 1)]
    assert "First bar: 1990 to 1994." in caption(ax)
    assert "Wide bars: years with fewer than 10 projects, together." in caption(ax)
    assert ax.get_xlim()[0] == pytest.approx(1993.5)


def test_a_last_period_that_is_not_over_is_hatched_and_said() -> None:
    def hatched(ax: Axes) -> list[Rectangle]:
        return [bar for bar in bars(ax) if bar.get_gid() == "unfinished" and bar.get_hatch()]

    frame = created("project")
    for cumulative, height in ((True, 3), (False, 2)):
        ax = plot.growth(frame, cumulative=cumulative)
        (bar,) = hatched(ax)
        assert f"{num2date(bar.get_x()):%Y-%m-%d}" == "2013-03-01"
        assert bar.get_height() == height
        said = "Hatched: the period from 2013-03-01 is not over at the newest date in the data."
        assert said in caption(ax)
    over = plot.growth(frame.assign(updated_at=pd.Timestamp("2013-04-01", tz="UTC")))
    assert not hatched(over)
    assert "Hatched" not in caption(over)
    years = plot.languages_by_year(FRAME, min_projects=1)
    (bar,) = hatched(years)
    assert round(bar.get_center()[0]) == 2013
    assert "Hatched: 2013 is not over at the newest date in the data." in caption(years)
    later = FRAME.assign(updated_at=pd.Timestamp("2014-01-01", tz="UTC"))
    assert not hatched(plot.languages_by_year(later, min_projects=1))


def test_years_are_numbered_without_a_separator() -> None:
    ax = plot.languages_by_year(FRAME, min_projects=1)
    ax.figure.canvas.figure.draw_without_rendering()
    assert {"2011", "2013"} <= {label.get_text() for label in ax.get_xticklabels()}
    assert np.diff(ax.get_xticks()).min() >= 1


def test_a_single_year_is_numbered_once() -> None:
    ax = plot.languages_by_year(languages(("C", 2011)))
    assert ax.get_xticks().tolist() == [2011]


def test_dates_of_one_year_say_which_year() -> None:
    within = provenance.set_provenance(pd.DataFrame({"created_at": CREATED}), resource="project")
    assert plot.growth(within).get_xlabel() == "Created at (UTC, 2013, by month)"
    longer = pd.to_datetime(pd.Series(["2012-01-31", "2013-03-01"]), utc=True)
    ax = plot.growth(pd.DataFrame({"created_at": longer}))
    assert ax.get_xlabel() == "Created at (UTC, by month)"


def test_the_others_are_hatched_and_on_top() -> None:
    ax = plot.languages_by_year(FRAME, top=1)
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_texts()[0].get_text() == "other (2 languages)"
    assert legend.get_patches()[0].get_hatch()


def test_a_last_month_that_no_calendar_follows_is_drawn() -> None:
    days = pd.to_datetime(["9998-01-05", "9999-12-31"], utc=True)
    ax = plot.growth(pd.DataFrame({"id": ["1", "2"], "created_at": days}))
    ax.figure.canvas.figure.draw_without_rendering()
    assert ax.get_xlim()[1] == 2_932_896
