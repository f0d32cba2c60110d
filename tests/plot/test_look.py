"""Title, caption, width and colours of a chart, panels, the style sheet, and four pictures."""

from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.testing.compare import compare_images

from dirframe import plot
from dirframe.errors import InvalidInputError
from dirframe.plot.colours import language_colour
from tests.charts import CHARTS, caption, cut_off, draw, grey, key, labels, lay_out, names, words
from tests.frames import LANGUAGE, PEOPLE, accounts, projects

THREE = pytest.mark.parametrize("name", ["languages_by_year", "lorenz", "tags"])
#: Nine have a colour of their own.
LANGUAGES = [
    *("Java", "C", "C++", "Python", "PHP", "JavaScript", "C#", "Perl", "Ruby"),
    *("Lua", "Ada", "Scheme"),
]


def halved(name):
    return CHARTS[name]().assign(half=["left", "right"] * 20)


def divided(name, frame, **options):
    return plot.panels(getattr(plot, name), frame, "half", **options)


def captions(ax):
    return [text.get_text() for text in ax.texts if text.get_gid() == "caption"]


# Options


@THREE
def test_title_and_caption_are_those_given(name):
    frame = halved(name)
    own = caption(draw(name, frame))
    ax = draw(name, frame, title="Our $chart$", caption="All our records.")
    assert ax.get_title() == "Our $chart$"
    # Never without n and source.
    assert caption(ax) == "All our records. " + own[own.index("n = ") :]
    for none in ("", False):
        bare = draw(name, frame, title=none, caption=False)
        assert (bare.get_title(), captions(bare)) == ("", [])
    panels = divided(name, frame, title="Our chart", caption="Halves.")
    assert panels.get_suptitle() == "Our chart"
    assert words(panels.get_supxlabel()).startswith("Halves. n = ")
    assert not any(captions(ax) for ax in panels.axes)
    bare = divided(name, frame, title=False, caption=False)
    assert (bare.get_suptitle(), bare.get_supxlabel()) == ("", "")


@THREE
def test_last_line_of_a_caption_is_no_single_word(name):
    for width in ("column", "page", None):
        *_, last = captions(draw(name, width=width))[0].split("\n")
        assert len(last.split()) > 1


def test_captions_are_whole_where_the_axes_below_have_long_names(sample_projects):
    _, axes = plt.subplots(2, 2, figsize=(7.2, 6.4), dpi=110)
    plot.language_share(sample_projects, ax=axes[0, 0])
    plot.survival(sample_projects, ax=axes[0, 1])
    plot.contributors_by_language(sample_projects, ax=axes[1, 0], top=8)
    plot.life_span(sample_projects, ax=axes[1, 1], top=8)
    assert cut_off(lay_out(axes[0, 0])) == []


def test_language_has_one_colour_everywhere():
    for chart in (plot.language_share, plot.contributors_by_language):
        ax = chart(projects())
        drawn = dict(zip(names(ax), ax.patches, strict=True))
        for language in ("C", "Java"):
            colour = to_hex(drawn[language].get_facecolor())
            assert colour == language_colour(language).lower()
    frame = projects(240).assign(half=["left"] * 200 + ["right"] * 40)
    left, right = (
        {name: (patch.get_facecolor(), patch.get_hatch()) for name, patch in key(ax).items()}
        for ax in divided("languages_by_year", frame).axes
    )
    assert {"C", "Java", "Lua"} <= left.keys() & right.keys()
    assert all(left[name] == right[name] for name in left.keys() & right.keys())


def test_languages_are_told_apart_in_greyscale():
    frame = projects(120).assign(**{LANGUAGE: LANGUAGES * 10})
    for name, number in {"life_span": 10, "languages_by_year": 12}.items():
        patches = [*key(draw(name, frame, top=120)).values()]
        assert len(patches) == number
        looks = [(grey(patch.get_facecolor()[:3]), patch.get_hatch()) for patch in patches]
        for (one, hatch), (other, other_hatch) in combinations(looks, 2):
            assert abs(one - other) >= 0.1 or hatch != other_hatch
    colours = [language_colour(name) for name in LANGUAGES]
    assert len({*colours}) == 10
    assert max(map(grey, colours)) < 0.82  # the page is white


def test_wrong_options_are_refused_and_leave_no_figure():
    for option, value in [("width", "wide"), ("width", ["page"]), ("title", 3), ("caption", 3)]:
        with pytest.raises(InvalidInputError, match=option):
            plot.tags(projects(), **{option: value})
        with pytest.raises(InvalidInputError, match=option):
            plot.panels(plot.tags, projects(), LANGUAGE, **{option: value})
    for column in ("nothing", "tags"):
        with pytest.raises(InvalidInputError, match=column):
            plot.panels(plot.tags, projects(), column)
    assert plt.get_fignums() == []
    _, ax = plt.subplots()
    with pytest.raises(InvalidInputError, match="ax"):
        plot.tags(projects(), ax=ax, width="column")


def test_style_ends_with_its_block():
    before = dict(mpl.rcParams)
    with plot.style():
        assert (mpl.rcParams["pdf.fonttype"], mpl.rcParams["svg.fonttype"]) == (42, "none")
    assert dict(mpl.rcParams) == before


# Panels; that each has its own n is in test_every_chart


def test_rows_of_a_panel_are_those_of_its_own_records():
    frame = projects(40).assign(half=["left"] * 30 + ["right"] * 10)
    for name in ("language_share", "contributors_by_language", "life_span"):
        drawn = divided(name, frame)
        alone = [draw(name, frame[frame["half"] == part]) for part in ("left", "right")]
        assert [names(panel) for panel in drawn.axes] == [names(ax) for ax in alone]
        assert len({panel.get_xlim() for panel in drawn.axes}) == 1


def test_there_are_twelve_panels_and_the_last_one_says_how_many_it_holds():
    parts = [str(number % 16) for number in range(48)]
    frame = pd.DataFrame({PEOPLE: range(48), "part": parts})
    drawn = plot.panels(plot.contributor_distribution, frame, "part")
    assert len(drawn.axes) == 12
    assert drawn.axes[-1].get_title() == "other (5 strata) (n = 15)"
    assert "5 smaller groups" in caption(drawn.axes[0])


def test_panel_of_which_nothing_is_known_says_why():
    frame = halved("lorenz")
    frame[PEOPLE] = frame[PEOPLE].mask(frame["half"] == "left")
    left, right = divided("lorenz", frame).axes
    assert "Of 20 projects, none" in words(" ".join(labels(left)))
    assert (len(left.lines), len(right.lines)) == (0, 2)
    assert labels(divided("tags", halved("tags").iloc[:0]).axes[0]) == ["No projects"]


def test_note_that_holds_for_every_panel_is_said_once():
    frame = halved("tags")
    frame.loc[0, "tags"] = None
    drawn = divided("tags", frame)
    assert caption(drawn.axes[0]).count("A project can have several.") == 1
    left, right = ([*captions(panel)] for panel in drawn.axes)
    assert (left, right) == (["Not shown: 1 project without a tag."], [])


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
    with plt.style.context("default"), plot.style():
        PICTURES[name]().figure.savefig(drawn, dpi=70)
    difference = compare_images(Path(__file__).parent / "baseline" / drawn.name, drawn, tol=12)
    assert not difference, difference
