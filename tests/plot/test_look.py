"""Title, caption, width and colours of a chart, panels, the style sheet, and four pictures."""

from functools import partial, wraps
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.testing.compare import compare_images

from dirframe import plot, stats
from dirframe.errors import InvalidInputError
from dirframe.plot.colours import ACCENT, NEUTRAL, OTHER
from tests.cases import slow_except
from tests.charts import (
    CHARTS,
    caption,
    cut_off,
    draw,
    grey,
    labels,
    lay_out,
    names,
    points,
    title,
    words,
)
from tests.frames import LANGUAGE, PEOPLE, accounts, projects

#: Bars, areas, and axes whose aspect is fixed.
THREE = pytest.mark.parametrize(
    "name", slow_except(["languages_by_year", "lorenz", "tags"], ["tags"])
)
#: Nine have a colour of their own.
LANGUAGES = [
    *("Java", "C", "C++", "Python", "PHP", "JavaScript", "C#", "Perl", "Ruby"),
    *("Lua", "Ada", "Scheme"),
]


def halved(name):
    return CHARTS[name]().assign(half=["left", "right"] * 20)


def divided(name, frame, **options):
    return plot.panels(getattr(plot, name), frame, "half", **options)


def size_of(ax):
    """Return the sentence of a caption on its number of records."""
    return caption(ax).partition(". ")[0] + "."


def captions(ax):
    return [text.get_text() for text in ax.texts if text.get_gid() == "caption"]


# Options


@THREE
def test_title_and_caption_are_those_given(name):
    frame = halved(name)
    own = caption(draw(name, frame))
    size = own[: own.index(". ") + 1]
    ax = draw(name, frame, title="Our $chart$", caption="All our records.")
    assert title(ax) == "Our $chart$"
    # Never without the number of records and the source.
    assert caption(ax) == f"All our records. {size} {own[own.index('Source') :]}"
    panels = divided(name, frame, title="Our chart", caption="Halves.")
    assert panels.get_suptitle() == "Our chart"
    assert words(panels.get_supxlabel()).startswith(f"Halves. {size}")
    assert [captions(ax) for ax in panels.axes] == [[], []]


@THREE
@pytest.mark.parametrize("none", slow_except(["", False], [False]))
def test_title_and_caption_of_a_chart_are_left_out(name, none):
    bare = draw(name, title=none, caption=False)
    assert (title(bare), bare.figure.get_supxlabel(), captions(bare)) == ("", "", [])


@THREE
def test_title_and_caption_of_panels_are_left_out(name):
    bare = divided(name, halved(name), title=False, caption=False)
    assert (bare.get_suptitle(), bare.get_supxlabel()) == ("", "")


@pytest.mark.parametrize("name", slow_except(["languages_by_year", "lorenz", "tags"], ["lorenz"]))
def test_title_and_caption_are_at_the_left_of_a_figure(name):
    own = draw(name)
    figure = lay_out(own).figure
    assert figure._suptitle.get_window_extent().x0 < 0.03 * figure.bbox.width
    assert figure._supxlabel.get_window_extent().x0 < 0.03 * figure.bbox.width
    _, ax = plt.subplots()
    assert draw(name, ax=ax).get_title("left") == title(own)


@THREE
@pytest.mark.parametrize("width", slow_except(["column", "page", None], ["column"]))
def test_last_line_of_a_caption_is_no_single_word(name, width):
    lines = draw(name, width=width).figure.get_supxlabel().split("\n")
    last = [line.split(" ")[-1] for line in lines]
    assert [word for word in last if "\u00a0" not in word] == []  # the last two stay together


@THREE
def test_last_line_of_a_caption_on_given_axes_is_no_single_word(name):
    _, ax = plt.subplots()
    *_, last = captions(draw(name, ax=ax))[0].split("\n")
    assert len(last.split()) > 1


def test_captions_are_whole_where_the_axes_below_have_long_names(sample_projects):
    _, axes = plt.subplots(2, 2, figsize=(7.2, 6.4), dpi=110)
    plot.language_share(sample_projects, ax=axes[0, 0])
    plot.survival(sample_projects, ax=axes[0, 1])
    plot.contributors_by_language(sample_projects, ax=axes[1, 0], top=8)
    plot.life_span(sample_projects, ax=axes[1, 1], top=8)
    assert cut_off(lay_out(axes[0, 0])) == []


def ends(ax):
    """Return the looks of the marks at the end of a chart, by the names beside them."""
    names = [text.get_text() for text in ax.texts if text.get_gid() == "series"]
    marks = [part for part in (*ax.patches, *ax.lines) if part.get_gid() == "key"]
    return dict(zip(names, marks, strict=True))


@pytest.mark.parametrize(
    "name",
    slow_except(
        ["language_share", "contributors_by_language", "life_span", "licenses", "tags"],
        ["language_share", "contributors_by_language", "life_span"],
    ),
)
def test_bars_of_one_variable_have_one_colour(name):
    ax = draw(name)
    bars = {to_hex(patch.get_facecolor()) for patch in ax.patches}
    assert bars <= {ACCENT.lower(), OTHER.lower()}


def test_language_has_one_colour_wherever_languages_are_compared():
    frame = projects(240).assign(half=["left"] * 200 + ["right"] * 40)
    left, right = (
        {name: (mark.get_facecolor(), mark.get_hatch()) for name, mark in ends(ax).items()}
        for ax in divided("languages_by_year", frame).axes
    )
    both = left.keys() & right.keys()
    assert {"C", "Java"} <= both
    assert {name: left[name] for name in both} == {name: right[name] for name in both}
    lines = ends(plot.panels(plot.survival, projects(120), "language").axes[0])
    assert to_hex(lines["C"].get_color()) == to_hex(left["C"][0])
    assert to_hex(lines["Java"].get_color()) == to_hex(left["Java"][0])


def similar(looks):
    """Return the pairs of looks of almost the same lightness that differ in nothing else."""
    return [
        (one, other)
        for one, other in combinations(looks, 2)
        if abs(one[0] - other[0]) < 0.1 and one[1:] == other[1:]
    ]


def test_languages_are_told_apart_in_greyscale():
    frame = projects(120).assign(**{LANGUAGE: LANGUAGES * 10})
    patches = [*ends(plot.languages_by_year(frame, top=120)).values()]
    assert len(patches) == 12
    looks = [(grey(patch.get_facecolor()[:3]), patch.get_hatch()) for patch in patches]
    assert similar(looks) == []
    lines = [*ends(plot.panels(plot.survival, frame, "language").axes[0]).values()]
    assert len(lines) == 7
    drawn = [(grey(mark.get_color()), mark.get_linestyle(), mark._dash_pattern) for mark in lines]
    assert similar(drawn) == []
    assert max(grey(patch.get_facecolor()[:3]) for patch in patches) < 0.82  # the page is white


@pytest.mark.parametrize(
    ("option", "value"), [("width", "wide"), ("width", ["page"]), ("title", 3), ("caption", 3)]
)
def test_options_of_a_chart_that_cannot_be_meant_leave_no_figure(option, value):
    with pytest.raises(InvalidInputError, match=option):
        plot.tags(projects(), **{option: value})
    with pytest.raises(InvalidInputError, match=option):
        plot.panels(plot.tags, projects(), LANGUAGE, **{option: value})
    assert plt.get_fignums() == []


@pytest.mark.parametrize("column", ["nothing", "tags"])
def test_panels_by_what_divides_no_records_leave_no_figure(column):
    with pytest.raises(InvalidInputError, match=column):
        plot.panels(plot.tags, projects(), column)
    assert plt.get_fignums() == []


def test_width_of_given_axes_is_refused():
    _, ax = plt.subplots()
    with pytest.raises(InvalidInputError, match="ax"):
        plot.tags(projects(), ax=ax, width="column")


def test_axes_of_another_projection_are_refused():
    ax = plt.figure().add_subplot(projection="polar")
    with pytest.raises(InvalidInputError, match="polar"):
        plot.growth(projects(), ax=ax)


def test_style_ends_with_its_block():
    before = dict(mpl.rcParams)
    with plot.style():
        assert (mpl.rcParams["pdf.fonttype"], mpl.rcParams["svg.fonttype"]) == (42, "none")
    assert dict(mpl.rcParams) == before


def test_style_of_the_house_is_that_of_a_new_figure():
    before = dict(mpl.rcParams)
    with plt.style.context("default"):
        usual = plot.tags(projects())
        with plot.style():
            styled = plot.tags(projects())
    assert dict(mpl.rcParams) == before
    assert usual.figure.dpi == styled.figure.dpi == 110
    assert usual.texts[0].get_color() == styled.texts[0].get_color() == "#22262A"


@pytest.mark.parametrize("setting", [{"figure.dpi": 70}, {"text.color": "red"}])
def test_style_of_a_person_stays(setting):
    with plt.style.context("default"), mpl.rc_context(setting):
        ax = plot.tags(projects())
    assert ax.figure.dpi == setting.get("figure.dpi", 100)
    assert ax.texts[0].get_color() == setting.get("text.color", "#22262A")


# Panels; that each has its own n is in test_every_chart


@pytest.mark.parametrize(
    "name",
    slow_except(["language_share", "contributors_by_language", "life_span"], ["language_share"]),
)
def test_rows_of_a_panel_are_those_of_its_own_records(name):
    frame = projects(40).assign(half=["left"] * 30 + ["right"] * 10)
    drawn = divided(name, frame)
    alone = [draw(name, frame[frame["half"] == part]) for part in ("left", "right")]
    assert [names(panel) for panel in drawn.axes] == [names(ax) for ax in alone]
    assert len({panel.get_xlim() for panel in drawn.axes}) == 1


def test_panels_are_twelve_at_most_and_the_last_one_says_how_many_it_holds():
    parts = [str(number % 16) for number in range(48)]
    frame = pd.DataFrame({"tags": [["xml"]] * 48, "part": parts})
    drawn = plot.panels(plot.tags, frame, "part")
    assert len(drawn.axes) == 12
    assert drawn.axes[-1].get_title("left") == "other (5 groups) (n = 15)"
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
    assert caption(drawn.axes[0]).count("A project can have several tags.") == 1
    left, right = ([*captions(panel)] for panel in drawn.axes)
    assert (left, right) == (["Not shown: 1 project without a tag."], [])


def test_panels_of_survival_are_labelled_lines_on_one_axes():
    frame = projects(120).assign(part=[str(number % 9) for number in range(120)])
    (ax,) = plot.panels(plot.survival, frame, "part").axes
    assert len(ends(ax)) == 7
    assert "other (3 groups)" in ends(ax)
    assert ends(ax)["other (3 groups)"].get_color() == NEUTRAL
    assert size_of(ax) == "All 120 projects are known to have ended or not."
    drawn = {part.get_label(): part for part in ax.lines if part.get_gid() != "key"}
    table = stats.survival(frame[frame["part"] == "0"])
    assert [y for _, y in points(drawn["0"])] == table["survival"].tolist()  # of 14 projects


def test_panels_of_activity_are_one_whole_bar_a_row():
    frame = projects(40).assign(part=["small"] * 10 + ["large"] * 30)
    (ax,) = plot.panels(plot.activity, frame, "part", as_of="2012-01").axes
    table = stats.by(stats.activity, frame, "part", as_of="2012-01")
    active = table[table["activity"] == "active"].set_index("part")["share"]
    active = active.sort_values(ascending=False)
    assert (names(ax), active.nunique()) == (list(active.index), 2)
    drawn, rest = ax.containers
    assert [bar.get_width() for bar in drawn] == active.tolist()
    widths = zip(drawn, rest, strict=True)
    assert [one.get_width() + other.get_width() for one, other in widths] == [1, 1]
    assert labels(ax)[:2] == [f"{share:.0%}" for share in active]


@pytest.mark.parametrize(
    "name", slow_except(["languages_by_year", "users_against_contributors"], ["languages_by_year"])
)
def test_panels_label_every_shared_tick(name):
    frame = CHARTS[name](60).assign(half=["left"] * 50 + ["right"] * 10)
    panels = divided(name, frame).axes
    lay_out(panels[0])
    ticks = [label for ax in panels for label in (*ax.get_xticklabels(), *ax.get_yticklabels())]
    assert [label.get_position() for label in ticks if not label.get_text()] == []


def test_panels_are_titled_with_the_words_of_their_column():
    figure = plot.panels(plot.tags, projects(), "license_family")
    assert figure.get_suptitle() == "Projects by tag, by licence family"


def test_caption_is_within_its_figure_where_matplotlib_wraps_by_itself():
    figure = plot.language_share(projects(), width="column").figure
    (label,) = (text for text in figure.texts if text.get_gid() == "caption")
    vars(label).pop("_get_wrap_line_width")  # as with a Matplotlib that has no such method
    figure.draw_without_rendering()
    extent = label.get_window_extent()
    assert extent.x1 < 1.02 * figure.bbox.x1
    assert extent.height > 2 * label.get_fontsize() * figure.dpi / 72  # in several lines


@pytest.mark.parametrize("name", ["activity", "survival"])
def test_panels_of_one_chart_tell_strata_of_similar_names_apart(name):
    groups = [f"Foundation of all {number} free projects" for number in ("one", "two")]
    groups += ["not known", "missing", None]
    frame = CHARTS[name]().assign(group=groups * 8)
    ax = plot.panels(getattr(plot, name), frame, "group").axes[0]
    shown = names(ax) if name == "activity" else labels(ax)
    assert len({words(text) for text in shown} & {*groups[:4], "(not known)"}) == 5


@pytest.mark.parametrize("option", ["title", "caption", "name"])
def test_words_with_half_a_utf_16_pair_are_refused(option):
    half = "a\ud83d"
    frame = projects().head(1)
    options = {option: half}
    if option == "name":  # of the only project: it would be in the title
        frame = frame.assign(name=pd.Series([half], dtype="object"))
        options = {}
    with pytest.raises(InvalidInputError, match=option):
        plot.language_breakdown(frame, **options)


def test_panels_draw_with_a_function_of_a_person():
    def steps(part, *, ax, colour="red"):
        ax.plot(part[PEOPLE].to_numpy(float), color=colour)
        ax.set_title("Contributors")

    frame = halved("lorenz")
    figure = plot.panels(steps, frame, "half", colour="blue", title="Our $steps$")
    assert [ax.get_title("left") for ax in figure.axes] == ["left (n = 20)", "right (n = 20)"]
    assert [ax.get_title() for ax in figure.axes] == ["", ""]
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in figure.axes}) == 1
    assert figure.axes[0].lines[0].get_color() == "blue"
    assert figure.get_suptitle() == "Our $steps$"
    assert words(figure.get_supxlabel()).startswith("40 projects. Source: ")


def test_panels_call_a_function_that_wraps_a_chart():
    @wraps(plot.lorenz)
    def steps(part, *, ax):
        ax.plot(part[PEOPLE].to_numpy(float), color="blue")

    figure = plot.panels(steps, halved("lorenz"), "half")
    assert [len(ax.lines) for ax in figure.axes] == [1, 1]
    assert figure.get_suptitle() == "By half"


@pytest.mark.parametrize("name", slow_except(["language_share", "life_span"], ["language_share"]))
def test_panels_of_a_function_that_draws_a_chart_have_one_caption(name):
    frame = halved(name)
    chart = getattr(plot, name)
    figure = plot.panels(lambda part, ax: chart(part, ax=ax), frame, "half")
    expected = plot.panels(chart, frame, "half")
    assert [captions(ax) for ax in figure.axes] == [captions(ax) for ax in expected.axes]
    notes = words(expected.get_supxlabel()).partition(". ")[2]  # behind the number of records
    assert words(figure.get_supxlabel()).endswith(notes)


def test_panels_keep_a_caption_that_a_function_of_a_person_writes():
    chart = partial(plot.language_share, caption="All our records.")
    figure = plot.panels(lambda part, ax: chart(part, ax=ax), halved("language_share"), "half")
    [[first], _] = [captions(ax) for ax in figure.axes]
    assert words(first).startswith("All our records.")
    without = partial(plot.language_share, caption=False)
    figure = plot.panels(lambda part, ax: without(part, ax=ax), halved("language_share"), "half")
    assert [captions(ax) for ax in figure.axes] == [[], []]


def test_panels_of_a_partial_function_are_those_of_its_chart():
    frame = halved("language_share")
    chart = partial(plot.language_share, top=3, title="Of $three$", width="page")
    figure = plot.panels(chart, frame, "half", top=2, width="column")
    expected = plot.panels(
        plot.language_share, frame, "half", top=2, title="Of $three$", width="column"
    )
    assert [names(ax) for ax in figure.axes] == [names(ax) for ax in expected.axes]
    assert [captions(ax) for ax in figure.axes] == [captions(ax) for ax in expected.axes]
    assert figure.get_suptitle() == "Of $three$"
    assert words(figure.get_supxlabel()) == words(expected.get_supxlabel())
    assert figure.get_figwidth() == expected.get_figwidth()


def test_panels_have_their_own_axes():
    ax = plt.figure().subplots()
    with pytest.raises(InvalidInputError, match="ax"):
        plot.panels(plot.language_share, halved("language_share"), "half", ax=ax)
    with pytest.raises(InvalidInputError, match="ax"):
        plot.panels(partial(plot.language_share, ax=ax), halved("language_share"), "half")


def test_panels_refuse_a_function_without_axes_and_leave_no_figure():
    with pytest.raises(InvalidInputError, match="ax"):
        plot.panels(len, projects(), LANGUAGE)

    def broken(part, ax):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        plot.panels(broken, projects(), LANGUAGE)
    assert plt.get_fignums() == []


# Pictures: what a look at the artists would not notice

PICTURES = {
    "the_map": lambda: plot.accounts_map(accounts(200)),
    "the_languages_of_each_year": lambda: plot.languages_by_year(projects(200)),
    "users_against_contributors": lambda: plot.users_against_contributors(projects(200)),
    "the_life_spans_with_names_of_every_kind": lambda: plot.life_span(projects(), top=8),
}


@pytest.mark.parametrize("name", slow_except(PICTURES, ["the_map", "users_against_contributors"]))
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
