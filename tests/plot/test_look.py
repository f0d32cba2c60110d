"""Title, caption, width and colours of a chart, panels, the style sheet, and four pictures."""

from inspect import signature
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.testing.compare import compare_images

import dirframe
from dirframe import plot, stats
from dirframe.errors import InvalidInputError
from tests.charts import (
    CHARTS,
    EIGHT,
    caption,
    draw,
    figure,
    grey,
    key,
    labels,
    lay_out,
    looks,
    names,
    points,
    told_apart,
    words,
)
from tests.frames import LANGUAGE, PEOPLE, accounts, projects

THREE = pytest.mark.parametrize("name", ["languages_by_year", "lorenz", "tags"])
LANGUAGES = ["Java", "C", "C++", "Python", "PHP", "JavaScript", "C#", "Perl", "Ruby", "Lua"]


def halved(name):
    return CHARTS[name]().assign(half=["left", "right"] * 20)


def colours_of(ax):
    """Collect the colours of all that is drawn."""
    panels = figure(ax).axes
    shapes = [shape for panel in panels for shape in (*panel.patches, *panel.collections)]
    lines = [line.get_color() for panel in panels for line in panel.lines]
    faces = [face for shape in shapes for face in mpl.colors.to_rgba_array(shape.get_facecolor())]
    return {to_hex(colour) for colour in (*faces, *lines)}


# Options


@THREE
def test_title_and_caption_are_those_given(name):
    frame = halved(name)
    own = caption(draw(name, frame))
    ax = draw(name, frame, title="Our $chart$", caption="All our records.")
    assert ax.get_title() == "Our $chart$"
    assert (
        caption(ax) == "All our records. " + own[own.index("n = ") :]
    )  # never without n and source
    bare = draw(name, frame, title="", caption=False)
    assert bare.get_title() == ""
    assert not [text for text in bare.texts if text.get_gid() == "caption"]
    panels = figure(draw(name, frame, title="Our chart", caption="Halves.", by="half"))
    assert panels.get_suptitle() == "Our chart"
    assert words(panels.get_supxlabel()).startswith("Halves. n = ")
    assert [ax.get_title()[:4] for ax in panels.axes] == ["left", "righ"]
    assert not [text for ax in panels.axes for text in ax.texts if text.get_gid() == "caption"]


@THREE
def test_colours_are_those_given(name):
    frame = halved(name)
    given = {"#112233", "#ddeeff", "#778899"}
    for options in ({}, {"by": "half"}):
        drawn = colours_of(draw(name, frame, palette=sorted(given), **options))
        assert drawn & given
        assert not drawn & {"#4477aa", plot.language_colour("C").lower()}


def test_colormap_gives_the_shades_of_classes():
    shades = mpl.colormaps["viridis"]
    drawn = [
        to_hex(patch.get_facecolor())
        for patch in key(plot.accounts_map(accounts(), palette="viridis")).values()
    ]
    classes = drawn[1:]  # the first is none
    expected = [to_hex(shades(0.25 + 0.7 * n / (len(classes) - 1))) for n in range(len(classes))]
    assert classes == expected


def test_language_has_one_colour_everywhere_and_a_mapping_changes_single_ones():
    for chart in (plot.language_share, plot.contributors_by_language):
        ax = chart(projects())
        drawn = dict(zip(names(ax), ax.patches, strict=True))
        for language in ("C", "Java"):
            expected = plot.language_colour(language).lower()
            assert to_hex(drawn[language].get_facecolor()) == expected
    ax = plot.language_share(projects(), palette={"c": "#123456"})
    drawn = {
        name: to_hex(bar.get_facecolor()) for name, bar in zip(names(ax), ax.patches, strict=True)
    }
    assert drawn["C"] == "#123456"
    assert drawn["Java"] == plot.language_colour("Java").lower()
    frame = projects(240).assign(half=["left"] * 200 + ["right"] * 40)
    for palette in (None, "tab10"):
        left, right = figure(plot.languages_by_year(frame, by="half", palette=palette)).axes
        looks_left, looks_right = (
            {name: (patch.get_facecolor(), patch.get_hatch()) for name, patch in key(ax).items()}
            for ax in (left, right)
        )
        assert {**looks_left, **looks_right} == {**looks_right, **looks_left}
        assert looks_left.keys() & looks_right.keys()


def test_languages_are_told_apart_in_greyscale():
    rows = 120
    frame = projects(rows).assign(**{LANGUAGE: [LANGUAGES[row % 10] for row in range(rows)]})
    palettes = (None, "viridis", "tab10", ["black"], {"Java": "#332288"})
    cases = [("life_span", None), *(("languages_by_year", palette) for palette in palettes)]
    failures = []
    for name, palette in cases:
        patches = [*key(draw(name, frame, top=rows, palette=palette)).values()]
        assert len(patches) == 10
        if not told_apart([(patch.get_facecolor()[:3], patch.get_hatch()) for patch in patches]):
            failures.append((name, palette))
    assert not failures
    colours = [plot.language_colour(name) for name in LANGUAGES]
    assert len({*colours}) == len(LANGUAGES)
    assert max(map(grey, colours)) < 0.82  # the page is white


def test_more_is_lighter_on_a_dark_background():
    def shades():
        patches = [*key(plot.accounts_map(accounts())).values()][1:]
        return [grey(patch.get_facecolor()[:3]) for patch in patches]

    assert (light := shades()) == sorted(light, reverse=True)
    with plt.style.context("dark_background"):
        assert (dark := shades()) == sorted(dark)
    assert len(light) == len(dark) > 2


def test_wrong_options_are_refused_and_leave_no_figure():
    failures = []
    for option, value in [
        ("width", "wide"), ("palette", "nothing"), ("palette", ["nothing"]), ("palette", []),
        ("palette", 3), ("title", 3), ("caption", 3),
    ]:  # fmt: skip
        try:
            plot.tags(projects(), **{option: value})
        except InvalidInputError as error:
            if option not in str(error):
                failures.append(error)
        else:
            failures.append((option, value))
    assert not failures
    assert plt.get_fignums() == []
    _, ax = plt.subplots()
    for options in ({"width": "column"}, {"by": "name"}):
        with pytest.raises(InvalidInputError, match="ax"):
            plot.tags(projects(), ax=ax, **options)


def test_style_ends_with_its_block():
    before = dict(mpl.rcParams)
    with plot.style():
        assert mpl.rcParams["pdf.fonttype"] == 42
        assert not mpl.rcParams["axes.spines.top"]
    assert dict(mpl.rcParams) == before
    with plt.style.context(plot.STYLE):
        assert mpl.rcParams["svg.fonttype"] == "none"


# Panels; that each has its own n is in test_captions


def test_panels_of_several_projects_are_their_charts():
    for name in ("commits_by_contributor", "monthly_activity"):
        alone = {"ant": CHARTS[name](40), "bee": CHARTS[name](5)}
        both = pd.concat([one.assign(project=key) for key, one in alone.items()], ignore_index=True)
        ax = lay_out(draw(name, both, by="project"))
        assert len({panel.get_xlabel() for panel in figure(ax).axes}) == 1  # no year of its own
        for panel, frame in zip(figure(ax).axes, alone.values(), strict=True):
            expected = draw(name, frame)
            assert len(panel.patches) == len(expected.patches)
            assert [*map(points, panel.lines)] == [*map(points, expected.lines)]


def test_there_are_nine_panels_and_the_last_one_says_how_many_it_holds():
    parts = [str(number % 12) for number in range(40)]
    ax = plot.contributor_distribution(pd.DataFrame({PEOPLE: range(40), "part": parts}), by="part")
    assert len(figure(ax).axes) == 9
    assert figure(ax).axes[-1].get_title() == "other (4 strata) (n = 12)"
    assert "4 smaller groups" in caption(ax)


def test_panel_of_which_nothing_is_known_says_why():
    frame = halved("lorenz")
    frame[PEOPLE] = frame[PEOPLE].mask(frame["half"] == "left")
    left, right = figure(lay_out(plot.lorenz(frame, by="half"))).axes
    assert not left.lines
    assert "None of 20 projects" in words(" ".join(labels(left)))
    assert right.lines


def test_note_that_holds_for_every_panel_is_said_once():
    ax = plot.tags(halved("tags"), by="half")
    note = caption(plot.tags(halved("tags"))).partition(". ")[0]
    assert caption(ax).count(note) == 1
    assert not [text for panel in figure(ax).axes for text in labels(panel) if note in text]


def test_shade_means_the_same_number_of_projects_in_every_panel():
    frame = pd.DataFrame(
        {
            "stack_count": [1] * 40 + [2, 2, 2, 5],
            PEOPLE: [1] * 44,
            "part": ["many"] * 40 + ["few"] * 4,
        }
    )
    shades = {}
    for ax in figure(plot.users_against_contributors(frame, by="part")).axes:
        for text, patch in key(ax).items():
            lowest = text.partition("–")[0]
            assert shades.setdefault(lowest, patch.get_facecolor()) == patch.get_facecolor()
    assert len(set(shades.values())) == len(shades) == 5


# The table of a statistic in place of records


def test_table_gives_the_chart_of_the_records(tmp_path):
    failures = []
    for name in EIGHT:
        statistic = getattr(stats, "accounts_by_country" if name == "accounts_map" else name)
        own = {"top", "min_projects"} & {*signature(statistic).parameters}
        parameters = signature(getattr(plot, name)).parameters
        options = {option: parameters[option].default for option in own & {*parameters}}
        frame = CHARTS[name]()
        if looks(draw(name, statistic(frame, **options))) != looks(draw(name, frame)):
            failures.append(name)
        plt.close("all")
    assert not failures
    table = stats.growth(projects(), freq="YE")
    again = dirframe.read_export(dirframe.export(table, tmp_path / "growth.parquet"))
    assert looks(plot.growth(again)) == looks(plot.growth(projects(), freq="YE"))


def test_tables_of_others_and_options_of_the_statistic_are_refused():
    tags = stats.tags(projects())
    for options in ({"top": 3}, {"exclude": ["negative_lines"]}, {"by": "year"}):
        with pytest.raises(InvalidInputError, match=next(iter(options))):
            plot.tags(tags, **options)
    for chart, table in (
        (plot.tags, stats.licenses(projects())),
        (plot.tags, stats.tags(projects(), by="year")),
        (plot.accounts_map, stats.accounts_by_country(accounts(), top=3)),
        (stats.tags, tags),
        (stats.growth, tags),
    ):
        with pytest.raises(InvalidInputError):
            chart(table)
    assert plt.get_fignums() == []


# Pictures: what a look at the artists would not notice

PICTURES = {
    "the_map": lambda: plot.accounts_map(accounts(200)),
    "the_languages_of_each_year": lambda: plot.languages_by_year(projects(200)),
    "users_against_contributors": lambda: plot.users_against_contributors(projects(200)),
    "the_life_spans_with_names_of_every_kind": lambda: plot.life_span(projects(), top=8),
}


@pytest.mark.parametrize("name", PICTURES)
def test_picture(name, tmp_path):
    """Compare with a picture in `baseline/`, which was looked at.

    After a change that was meant, look at the new picture, which the failure names, and copy it.
    Releases of Matplotlib differ a little in the edges of letters.
    """
    drawn = tmp_path / f"{name}.png"
    with plt.style.context(plot.STYLE, after_reset=True):
        PICTURES[name]().figure.savefig(drawn, dpi=70)
    difference = compare_images(Path(__file__).parent / "baseline" / drawn.name, drawn, tol=12)
    assert not difference, difference
