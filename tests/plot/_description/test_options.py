"""Title, caption, width and colours can be given to every chart."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex

from dirframe import plot
from dirframe.errors import InvalidInputError
from dirframe.plot._description.colours import Palette, grey
from tests.plot.charts import CHARTS, caption, draw, projects

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

EVERY = pytest.mark.parametrize("name", CHARTS)
LANGUAGES = ["Java", "C", "C++", "Python", "PHP", "JavaScript", "C#", "Perl", "Ruby"]


def colours_of(ax: Axes) -> set[str]:
    """Collect the colours of all that is drawn."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    shapes: list[Any] = [
        shape for panel in figure.axes for shape in (*panel.patches, *panel.collections)
    ]
    lines = [line.get_color() for panel in figure.axes for line in panel.lines]
    faces = [face for shape in shapes for face in mpl.colors.to_rgba_array(shape.get_facecolor())]
    return {to_hex(colour) for colour in (*faces, *lines)}


@EVERY
def test_the_title_is_that_given_and_none_if_empty(name: str) -> None:
    frame = CHARTS[name]()
    frame["half"] = ["left", "right"] * 20
    assert draw(name, frame, title="Our $chart$").get_title() == "Our $chart$"
    assert draw(name, frame, title="").get_title() == ""
    figure = draw(name, frame, title="Our chart", by="half").get_figure(root=True)
    assert figure is not None
    assert figure.get_suptitle() == "Our chart"
    assert [ax.get_title()[:4] for ax in figure.axes] == ["left", "righ"]


@EVERY
def test_a_caption_takes_the_place_of_the_notes_but_not_of_the_source(name: str) -> None:
    frame = CHARTS[name]()
    frame["half"] = ["left", "right"] * 20
    said = caption(draw(name, frame, caption="All our records."))
    own = caption(draw(name, frame))
    assert said == "All our records. " + own[own.index("n = ") :]
    bare = draw(name, frame, caption=False)
    assert not [text for text in bare.texts if text.get_gid() == "caption"]
    figure = draw(name, frame, caption="Halves.", by="half").get_figure(root=True)
    assert figure is not None
    assert figure.get_supxlabel().startswith("Halves.\nn = ")
    assert not [text for ax in figure.axes for text in ax.texts if text.get_gid() == "caption"]


@EVERY
def test_the_colours_are_those_given(name: str) -> None:
    frame = CHARTS[name]()
    frame["half"] = ["left", "right"] * 20
    given = ["#112233", "#ddeeff", "#778899"]
    for options in ({}, {"by": "half"}):
        drawn = colours_of(draw(name, frame, palette=given, **options))
        assert drawn & {*given} or name in {"accounts_map", "users_against_contributors"}
        assert not drawn & {"#4477aa", plot.language_colour("C").lower()}
        assert drawn != colours_of(draw(name, frame, **options))


def test_a_colormap_gives_the_shades_of_classes() -> None:
    shades = mpl.colormaps["viridis"]
    ax = draw("accounts_map", CHARTS["accounts_map"](), palette="viridis")
    legend = ax.get_legend()
    assert legend is not None
    drawn = [to_hex(patch.get_facecolor()) for patch in legend.get_patches()[1:]]
    assert drawn == [to_hex(shades(0.25 + 0.7 * n / (len(drawn) - 1))) for n in range(len(drawn))]


def test_a_mapping_gives_single_languages_their_colours() -> None:
    ax = plot.language_share(projects(), palette={"c": "#123456"})
    drawn = [to_hex(patch.get_facecolor()) for patch in ax.patches]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert drawn[names.index("C")] == "#123456"
    assert drawn[names.index("Java")] == plot.language_colour("Java").lower()


def test_a_language_has_the_same_colour_in_every_panel() -> None:
    frame = projects(240).assign(half=["left"] * 200 + ["right"] * 40)
    for palette in (None, "tab10"):
        figure = plot.languages_by_year(frame, by="half", palette=palette).get_figure(root=True)
        assert figure is not None
        looks: dict[str, Any] = {}
        for ax in figure.axes:
            legend = ax.get_legend()
            assert legend is not None
            for patch, text in zip(legend.get_patches(), legend.get_texts(), strict=True):
                look = (patch.get_facecolor(), patch.get_hatch())
                assert looks.setdefault(text.get_text(), look) == look


@pytest.mark.parametrize("palette", [None, "viridis", "tab10", ["black"], {"Java": "#332288"}])
def test_languages_are_told_apart_in_greyscale(palette: Any) -> None:
    looks = Palette(palette)
    for one, other in combinations([*LANGUAGES, "Lua"], 2):
        (colour, hatch), (other_colour, other_hatch) = looks.look(one), looks.look(other)
        assert abs(grey(colour) - grey(other_colour)) >= 0.1 or hatch != other_hatch


@pytest.mark.parametrize("name", ["languages_by_year", "life_span"])
def test_a_legend_of_languages_is_told_apart_in_greyscale(name: str) -> None:
    rows = 120
    frame = projects(rows).assign(
        analysis_main_language_name=[[*LANGUAGES, "Lua"][row % 10] for row in range(rows)]
    )
    legend = draw(name, frame, top=rows).get_legend()
    assert legend is not None
    patches = legend.get_patches()
    assert len(patches) == 10
    for one, other in combinations(patches, 2):
        greys = [grey(patch.get_facecolor()[:3]) for patch in (one, other)]
        assert abs(greys[0] - greys[1]) >= 0.1 or one.get_hatch() != other.get_hatch()


def test_more_is_lighter_on_a_dark_background() -> None:
    def shades() -> list[float]:
        ax = draw("accounts_map", CHARTS["accounts_map"]())
        legend = ax.get_legend()
        assert legend is not None
        patches: list[Patch] = legend.get_patches()[1:]
        return [grey(patch.get_facecolor()[:3]) for patch in patches]

    assert (light := shades()) == sorted(light, reverse=True)
    with plt.style.context("dark_background"):
        assert (dark := shades()) == sorted(dark)
    assert len(light) == len(dark) > 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"width": "wide"}, "width is 'wide'; it must be 'column' or 'page'"),
        ({"palette": "nothing"}, "palette is 'nothing'; it must be"),
        ({"palette": ["nothing"]}, "it must be the name of a colormap"),
        ({"palette": []}, "it must be the name of a colormap"),
        ({"palette": 3}, "it must be the name of a colormap"),
        ({"title": 3}, "title is 3; it must be text"),
        ({"caption": 3}, "caption is 3; it must be text"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: Any, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        plot.tags(projects(), **options)
    assert plt.get_fignums() == []


def test_a_width_is_that_of_a_new_figure() -> None:
    _, ax = plt.subplots()
    with pytest.raises(InvalidInputError, match="leave out ax"):
        plot.tags(projects(), ax=ax, width="column")
