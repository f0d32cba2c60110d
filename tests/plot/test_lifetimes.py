"""The charts of when projects were developed, checked by what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.colors import to_hex
from matplotlib.dates import num2date

from dirframe import plot
from tests.plot.charts import bars, caption, names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle


def projects(*rows: tuple[str, str | None, str | None, str | None]) -> pd.DataFrame:
    """Make projects of (name, main language, first month, last month)."""
    return pd.DataFrame(
        {
            "id": pd.Series(range(len(rows)), dtype="str"),
            "name": pd.Series([row[0] for row in rows], dtype="str"),
            "analysis_main_language_name": pd.Series([row[1] for row in rows], dtype="str"),
            "analysis_min_month": pd.to_datetime(pd.Series([row[2] for row in rows]), utc=True),
            "analysis_max_month": pd.to_datetime(pd.Series([row[3] for row in rows]), utc=True),
            "analysis_logged_at": pd.to_datetime(pd.Series(["2013-07-30"] * len(rows)), utc=True),
            "analysis_twelve_month_contributor_count": pd.Series([1] * len(rows), dtype="Int64"),
        }
    )


FRAME = projects(
    ("Ant", "C", "2013-07-01", "2013-07-01"),
    ("Bee", "Python", "2010-01-01", "2013-02-01"),
    ("Cat", None, "2011-01-01", "2011-12-01"),
    ("Dog", "C", "2013-01-01", "2012-01-01"),
    ("Eel", "C", None, None),
)


def in_rows(ax: Axes) -> list[Rectangle]:
    """Return the bars from top to bottom, as their names are."""
    ordered = sorted(bars(ax), key=lambda bar: bar.get_y())
    assert [round(bar.get_y() + bar.get_height() / 2) for bar in ordered] == [
        *range(len(names(ax)))
    ]
    return ordered


def test_a_life_goes_from_the_first_day_to_the_last_of_its_months() -> None:
    ax = plot.life_span(FRAME)
    assert names(ax) == ["Bee", "Cat", "Ant"]
    days = [
        # matplotlib.dates has no types.
        (f"{num2date(bar.get_x()):%Y-%m-%d}", f"{num2date(bar.get_x() + bar.get_width()):%Y-%m-%d}")
        for bar in in_rows(ax)
    ]
    assert days == [
        ("2010-01-01", "2013-03-01"),
        ("2011-01-01", "2012-01-01"),
        ("2013-07-01", "2013-08-01"),
    ]
    assert [text.get_text() for text in ax.texts[:4]] == ["months", "38+", "12", "1+"]


def test_a_life_has_the_colour_of_its_main_language_and_a_key() -> None:
    ax = plot.life_span(FRAME)
    colours = [to_hex(bar.get_facecolor()) for bar in in_rows(ax)]
    expected = [plot.language_colour(name).lower() for name in ("Python", "", "C")]
    assert colours == expected
    legend = ax.get_legend()
    assert legend is not None
    said = [text.get_text() for text in legend.get_texts()]
    assert said == ["Python", "C", "another or none"]


def test_projects_that_are_not_shown_are_counted_with_their_reasons() -> None:
    said = caption(plot.life_span(FRAME, top=1))
    assert "2 projects with a shorter life, 1 without both months, 1 that ended before" in said


def test_lives_that_have_not_ended_are_marked_and_the_caption_warns_of_their_median() -> None:
    said = caption(plot.life_span(FRAME))
    assert "+: not ended (12 months without activity)" in said
    assert "Such are 2 of all 3 lives, whose mean or median is too small" in said
    ended = FRAME.assign(analysis_logged_at=pd.Timestamp("2014-01-01", tz="UTC"))
    said = caption(plot.life_span(ended, window=1))
    assert "lives" not in said
    assert "+:" not in said
    ax = plot.life_span(FRAME, window=5)
    assert [text.get_text() for text in ax.texts[:4]] == ["months", "38", "12", "1+"]


def test_active_dormant_and_unknown_are_bars_and_the_caption_says_what_they_mean() -> None:
    ax = plot.activity(FRAME)
    assert names(ax) == ["active", "dormant", "unknown"]
    assert [bar.get_width() for bar in bars(ax)] == [2, 1, 2]
    labels = [text.get_text() for text in ax.texts[:3]]
    assert labels == ["2 (66.7%)", "1 (33.3%)", "2"]
    said = caption(ax)
    assert "Active: activity in the 12 months up to 2013-07, or before and after it." in said
    assert "Unknown: 1 project without both months, 1 that ended before they began." in said
    late = plot.activity(FRAME, as_of="2016-01-05", window=24)
    assert [bar.get_width() for bar in bars(late)] == [0, 0, 5]
    assert "Unknown: 3 projects not fetched since, 1 without both months" in caption(late)
    early = plot.activity(FRAME, as_of="2010-06", window=1)
    assert [bar.get_width() for bar in bars(early)] == [1, 0, 2]
    assert "Not shown: 2 projects begun later." in caption(early)
    nothing = FRAME.assign(analysis_logged_at=pd.Series(pd.NaT, index=FRAME.index))
    assert "Unknown: 3 projects without a date of the fetch" in caption(plot.activity(nothing))


def test_each_year_of_age_has_its_bar() -> None:
    ax = plot.project_age(FRAME)
    assert [(round(bar.get_center()[0]), bar.get_height()) for bar in bars(ax)] == [
        (0, 1),
        (1, 0),
        (2, 1),
        (3, 1),
    ]
    assert "1 project without a first month, 1 that ended before they began" in caption(ax)


def test_a_project_without_a_name_has_its_id_beside_its_bar() -> None:
    frame = FRAME.assign(name=FRAME["name"].mask(FRAME["id"] == "1"))
    assert names(plot.life_span(frame)) == ["id 1", "Cat", "Ant"]
