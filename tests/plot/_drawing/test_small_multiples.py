"""Small multiples: a panel a stratum, on the same axes, and a caption that says what is missing."""

from __future__ import annotations

import re
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from dirframe import plot
from dirframe.errors import InvalidInputError
from tests.plot.charts import CHARTS, caption, draw


@pytest.mark.parametrize("name", CHARTS)
def test_each_chart_has_panels_for_the_strata(name: str) -> None:
    frame = CHARTS[name]()
    frame["half"] = ["left", "right"] * (len(frame) // 2)
    first = draw(name, frame, by="half")
    figure = first.get_figure(root=True)
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    panels = [ax for ax in figure.axes if ax.get_gid() == "panel"]
    said = [re.sub(r"\d+ of ", "", " ".join(ax.get_title().split())) for ax in panels]
    assert said == ["left (n = 20)", "right (n = 20)"]
    assert first is panels[0]
    # A panel of which nothing is known says so, on axes that are not shown.
    drawn = [(ax.get_xlim(), *ax.get_xticks()) for ax in panels if ax.has_data()]
    assert len(drawn) == 2 or name in {"correlation", "distribution_tail", "lorenz"}
    assert drawn.count(drawn[0]) == len(drawn)
    assert "by half" in figure.get_suptitle()
    assert "40 " in figure.get_supxlabel()


@pytest.mark.parametrize("name", ["commits_by_contributor", "monthly_activity"])
def test_a_chart_of_one_project_draws_several_by_what_tells_them_apart(name: str) -> None:
    projects = {"ant": CHARTS[name](40), "bee": CHARTS[name](5)}
    both = pd.concat([one.assign(project=key) for key, one in projects.items()], ignore_index=True)
    figure = draw(name, both, by="project").get_figure(root=True)
    assert isinstance(figure, Figure)
    for panel, alone in zip(figure.axes, projects.values(), strict=True):
        expected = draw(name, alone)
        assert len(panel.patches) == len(expected.patches)
        for line, other in zip(panel.lines, expected.lines, strict=True):
            np.testing.assert_array_equal(line.get_xydata(), other.get_xydata())


def test_a_panel_names_no_year_of_its_own_since_the_dates_are_those_of_all() -> None:
    frame = CHARTS["monthly_activity"]()
    both = pd.concat([frame.assign(project="long"), frame.head(5).assign(project="short")])
    figure = plot.monthly_activity(both, by="project").get_figure(root=True)
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    assert {ax.get_xlabel() for ax in figure.axes} == {"Month (UTC)"}
    short = plot.monthly_activity(both[both["project"] == "short"], by="project")
    assert isinstance(short.figure, Figure)
    short.figure.canvas.figure.draw_without_rendering()
    shown = {label.get_text() for label in short.get_xticklabels()}
    assert "2010-03" in shown


def test_a_colour_of_the_map_means_the_same_number_of_accounts_in_every_panel() -> None:
    frame = pd.DataFrame(
        {
            "country_code": ["US"] * 400 + ["DE"] * 7 + ["US"] * 7 + ["FR"],
            "part": ["many"] * 407 + ["few"] * 8,
        }
    ).assign(
        country_alpha_2=lambda table: table["country_code"],
        country_name=lambda table: table["country_code"],
    )
    figure = plot.accounts_map(frame, by="part").get_figure(root=True)
    assert isinstance(figure, Figure)
    shades = [
        {patch.get_gid(): patch.get_facecolor() for patch in ax.patches if patch.get_gid()}
        for ax in figure.axes
    ]
    assert shades[0]["DE"] == shades[1]["US"]
    assert len({shades[0]["US"], shades[0]["DE"], shades[1]["FR"]}) == 3


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
    said = "Excluded: 2 projects (negative_contributors 1, negative_lines 2)."
    whole = caption(plot.contributor_distribution(frame, exclude=rules))
    assert said in " ".join(whole.split())
    figure = plot.contributor_distribution(frame, exclude=rules, by="part").get_figure(root=True)
    assert isinstance(figure, Figure)
    assert said in figure.get_supxlabel()


def test_a_note_that_holds_for_every_panel_is_said_once() -> None:
    frame = CHARTS["tags"]()
    frame["half"] = ["left", "right"] * (len(frame) // 2)
    figure = plot.tags(frame, by="half").get_figure(root=True)
    assert isinstance(figure, Figure)
    assert figure.get_supxlabel().count("A project can have several.") == 1
    notes = [text.get_text() for ax in figure.axes for text in ax.texts]
    assert not [note for note in notes if "A project can have several." in note]


def test_a_shade_means_the_same_number_of_projects_in_every_panel() -> None:
    frame = pd.DataFrame(
        {
            "stack_count": [1] * 40 + [2, 2, 2, 5],
            "analysis_twelve_month_contributor_count": [1] * 44,
            "part": ["many"] * 40 + ["few"] * 4,
        }
    )
    figure = plot.users_against_contributors(frame, by="part").get_figure(root=True)
    assert isinstance(figure, Figure)
    shades: dict[str, Any] = {}
    for ax in figure.axes:
        legend = ax.get_legend()
        assert legend is not None
        for patch, text in zip(legend.get_patches(), legend.get_texts(), strict=True):
            lowest = text.get_text().partition("–")[0]
            assert shades.setdefault(lowest, patch.get_facecolor()) == patch.get_facecolor()
    assert len(set(shades.values())) == len(shades) == 5
