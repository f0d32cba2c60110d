"""Small multiples: a panel a stratum, on the same axes, and a caption that says what is missing."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure

from dirframe import plot
from dirframe.errors import InvalidInputError
from tests.plot.charts import CHARTS, caption, draw

WITHOUT_PANELS = {"accounts_map", "life_span"}
OF_ONE_PROJECT = {"commits_by_contributor", "monthly_activity"}


@pytest.mark.parametrize("name", sorted(set(CHARTS) - WITHOUT_PANELS - OF_ONE_PROJECT))
def test_each_chart_has_panels_for_the_strata(name: str) -> None:
    frame = CHARTS[name]()
    frame["half"] = ["left", "right"] * (len(frame) // 2)
    first = draw(name, frame, by="half")
    figure = first.get_figure(root=True)
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    panels = [ax for ax in figure.axes if ax.get_gid() == "panel"]
    assert [ax.get_title() for ax in panels] == ["left (n = 20)", "right (n = 20)"]
    assert first is panels[0]
    assert panels[0].get_xlim() == panels[1].get_xlim()
    assert "by half" in figure.get_suptitle()
    assert "n = 40" in figure.get_supxlabel()


@pytest.mark.parametrize("name", sorted(WITHOUT_PANELS))
def test_a_chart_without_sensible_panels_says_so(name: str) -> None:
    frame = CHARTS[name]()
    with pytest.raises(InvalidInputError, match=f"{name} has no panels by stratum"):
        draw(name, frame, by="id")
    assert plt.get_fignums() == []


def test_there_are_nine_panels_and_the_last_one_says_how_many_it_holds() -> None:
    frame = pd.DataFrame(
        {
            "analysis_twelve_month_contributor_count": range(40),
            "part": [str(number % 12) for number in range(40)],
        }
    )
    ax = plot.contributor_distribution(frame, by="part")
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    assert len(figure.axes) == 9
    assert figure.axes[-1].get_title() == "other (4 strata) (n = 12)"
    assert "The last panel holds 4 smaller groups together." in figure.get_supxlabel()


def test_panels_have_a_figure_of_their_own() -> None:
    _, ax = plt.subplots()
    frame = pd.DataFrame({"analysis_twelve_month_contributor_count": [1], "part": ["a"]})
    with pytest.raises(InvalidInputError, match="leave out ax"):
        plot.contributor_distribution(frame, by="part", ax=ax)


def test_the_caption_says_which_records_were_left_out() -> None:
    frame = pd.DataFrame(
        {
            "analysis_twelve_month_contributor_count": [1, -1, 4],
            "analysis_total_code_lines": [-1, -1, 4],
            "part": ["a", "a", "a"],
        }
    )
    rules = ["negative_lines", "negative_contributors"]
    said = "Excluded: 2 records (negative_contributors 1, negative_lines 2)."
    whole = caption(plot.contributor_distribution(frame, exclude=rules))
    assert said in " ".join(whole.split())
    figure = plot.contributor_distribution(frame, exclude=rules, by="part").get_figure(root=True)
    assert isinstance(figure, Figure)
    assert said in figure.get_supxlabel()
