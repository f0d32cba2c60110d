"""Single charts, checked by what is drawn."""

from importlib import import_module
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from lxml import etree
from matplotlib.colors import to_hex
from matplotlib.dates import num2date
from matplotlib.patches import StepPatch

import dirframe
from dirframe import plot, provenance, stats
from dirframe.charts import CHARTS as TITLES
from dirframe.plot.colours import ACCENT, OTHER
from dirframe.schema import STATISTIC_COLUMNS
from tests import frames
from tests.cases import slow_except
from tests.charts import (
    CHARTS,
    bars,
    caption,
    covered,
    cut_off,
    draw,
    labels,
    lay_out,
    names,
    points,
    title,
)
from tests.frames import FETCHED, FIRST, GPL, LANGUAGE, LAST, LINES, ODD, PEOPLE, with_provenance
from tests.stats.test_intervals import drawn, interval


def times(*values):
    return pd.to_datetime(pd.Series(values), utc=True)


def day(number):
    return f"{num2date(number):%Y-%m-%d}"


def line(ax, label):
    (found,) = (part for part in ax.lines if part.get_label() == label)
    return found


def ticks_in_view(ax):
    """Return the labels of an axis of dates, each with its month."""
    left, right = ax.get_xlim()
    pairs = zip(ax.get_xticklabels(), ax.get_xticks(), strict=True)
    return [(label.get_text(), day(x)[:7]) for label, x in pairs if left <= x <= right]


def hatched(ax):
    return [bool(bar.get_hatch()) for bar in bars(ax)]


# Bars


def speaking(*rows):
    """Make projects of (main language, contributors in twelve months)."""
    languages, people = zip(*rows, strict=True)
    return pd.DataFrame({LANGUAGE: languages, LINES: 100, PEOPLE: people})


FEW = (("C", 0), ("C", 4), ("C", 9), ("Java", 2), ("Java", 3), ("Lua", 1), (None, None))
PEOPLE_OF = pd.DataFrame({PEOPLE: [0, 0, 0, 0, 1, 1, 2, 900, None, -4]})
RANKS = pd.DataFrame({"kudo_score_kudo_rank": [1, 1, 1, 9, 10, None, 11]})
LICENSES = pd.DataFrame({"licenses": [[GPL], [GPL], [{"name": f"l{n}"} for n in "123"], None]})
COUNTRIES = pd.DataFrame(
    {
        "country_code": ["TD", "TD", "CU", "NA", None, "Atlantis"],
        "country_alpha_2": ["TD", "TD", "CU", "NA", None, None],
        "country_name": ["Chad", "Chad", "Cuba", "Namibia", None, None],
    }
)
TAGS = pd.DataFrame({"tags": [["xml", "web", "a"], ["xml", "b"], ["xml"]]})
ZEROS = {str(n): "0 (0.0%)" for n in range(2, 9)}
SEVERAL = "A project can have several"
#: Of a chart its records and options; what its rows say, and its caption.
BARS = {
    "accounts_by_country": [
        (COUNTRIES, {"top": 1}),
        {"Chad": "2 (50.0%)", "other (2 countries)": "2 (50.0%)"},
        "Not shown: 1 account without a country, 1 with one that was not identified.",
    ],
    "accounts_by_kudo_rank": [
        (RANKS, {}),
        {"1 (new)": "3 (60.0%)", **ZEROS, "9": "1 (20.0%)", "10 (highest)": "1 (20.0%)"},
        "Not shown: 1 account without a kudo rank, 1 with an impossible kudo rank.",
    ],
    "language_share": [
        (speaking(*FEW), {}),
        {"C": "3 (50.0%)", "Java": "2 (33.3%)", "Lua": "1 (16.7%)"},
        "Not shown: 1 project without a main language.",
    ],
    "licenses": [
        (LICENSES, {"top": 1}),
        {"GPL-3.0-only": "2 (66.7%)", "other (3 licences)": "1 (33.3%)"},
        f"{SEVERAL} licences. Not shown: 1 project without a licence.",
    ],
    "tags": [
        (TAGS, {"top": 1}),
        {"xml": "3 (100.0%)"},
        f"Not drawn: 2 projects with any of 3 other tags. {SEVERAL} tags.",
    ],
    "team_size_classes": [
        (PEOPLE_OF, {"bounds": [0, 1, 10]}),
        {"0": "4 (50.0%)", "1–9": "3 (37.5%)", "10 or more": "1 (12.5%)"},
        "Not shown: 1 project without a contributor count, 1 with a negative contributor count.",
    ],
}


@pytest.mark.parametrize("name", BARS)
def test_bars_have_the_rows_of_the_statistic_with_number_and_share_and_no_axis(name):
    (frame, options), rows, said = BARS[name]
    ax = draw(name, frame, **options)
    assert ax.yaxis_inverted()  # the first is at the top
    assert dict(zip(names(ax), labels(ax), strict=True)) == rows
    numbers = [int(label.partition(" ")[0].replace(",", "")) for label in rows.values()]
    assert [bar.get_width() for bar in bars(ax)] == numbers
    assert hatched(ax) == [row.startswith("other") for row in rows]
    assert said in caption(ax)
    assert {to_hex(bar.get_facecolor()) for bar in bars(ax)} <= {ACCENT.lower(), OTHER.lower()}
    assert (ax.get_xticks().tolist(), ax.get_xlabel()) == ([], "")


def test_numbers_have_separators_and_no_share_is_rounded_to_none_or_all():
    many = speaking(*[("C", 1)] * 2000, ("D", 1))
    assert labels(plot.language_share(many)) == ["2,000 (>99.9%)", "1 (<0.1%)"]


# Languages


def whiskers(ax):
    """Return the ends of the lines between quartiles, by their rows."""
    segments = [s.tolist() for part in ax.collections for s in part.get_segments()]
    return {round(y): [low, high] for (low, y), (high, _) in segments}


def test_contributors_by_language_shows_medians_and_quartiles():
    ax = plot.contributors_by_language(speaking(*FEW))
    table = stats.contributors_by_language(speaking(*FEW)).set_index("language")
    assert names(ax) == ["C", "Java", "Lua"]  # by their medians
    quartiles = table[["lower_quartile", "upper_quartile"]].loc[names(ax)].to_numpy().tolist()
    assert list(whiskers(ax).values()) == quartiles
    assert points(line(ax, "few")) == [[4, 0], [2.5, 1], [1, 2]]
    columns = [["median", "4", "2.5", "1"], ["projects", "3", "2", "1"]]
    assert labels(ax) == [*columns[0], *columns[1]]
    _, narrow = plt.subplots(figsize=(2, 3))
    assert labels(plot.contributors_by_language(speaking(*FEW), ax=narrow)) == columns[1]


def test_contributors_by_language_is_ordered_by_median_and_pale_for_few_projects():
    rows = [("C", number) for number in range(12)] + [("Lua", 3)] * 6 + [("Ada", 9)] * 5
    rows += [("Go", 8)] * 10
    ax = plot.contributors_by_language(speaking(*rows, ("D", None)))
    assert names(ax) == ["Go", "C", "Ada", "Lua", "D"]  # those with fewer than ten come last
    assert points(line(ax, "median")) == [[8, 0], [5.5, 1]]
    assert points(line(ax, "few")) == [[9, 2], [3, 3]]  # nothing is known of D
    assert line(ax, "few").get_alpha() < 0.5
    assert labels(ax)[5:] == ["–", "projects", "10", "12", "5", "6", "0"]
    assert "fewer than 10 projects" in caption(ax)
    pooled = names(plot.contributors_by_language(speaking(*rows), top=1))
    assert pooled[-1] == "other (3 languages)"


@pytest.mark.parametrize(
    ("chart", "hatches"),
    slow_except(
        [
            (plot.language_share, [False] * 5 + [True]),
            (plot.contributors_by_language, []),  # it has no bars
        ],
        [(plot.language_share, [False] * 5 + [True])],
    ),
)
def test_languages_beyond_top_are_one_hatched_row_and_the_figure_grows(chart, hatches):
    rows = [(f"Language {n}", n) for n in range(30) for _ in range(31 - n if n else 500)]
    ax = chart(speaking(*rows), top=5)
    assert [*names(ax)[-1:], len(names(ax))] == ["other (25 languages)", 6]
    assert hatched(ax) == hatches
    assert len(names(chart(speaking(*rows)))) == 21  # the usual number
    everything = chart(speaking(*rows), top=None)
    assert len(names(everything)) == 30
    assert everything.figure.bbox.height > 1.4 * ax.figure.bbox.height


def test_names_with_control_characters_make_an_image_that_can_be_read(tmp_path):
    frame = pd.DataFrame({"tags": [["a\0b\x1b[31m", "a\u202eb"]] * 3})
    figure = plot.tags(frame).get_figure()
    figure.savefig(tmp_path / "tags.svg")
    etree.parse(tmp_path / "tags.svg")
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["a b [31m", "a b"]


def test_names_of_rows_take_two_lines_of_one_size_at_most():
    shown = {
        **{name: name for name in ODD[:3]},
        "  spread \n over\tlines ": "spread over lines",
        "Korea, Democratic People's Republic of": "Korea, Democratic People's\nRepublic of",
        "x" * 31: "x" * 30 + "\nx",
        "x" * 61: "x" * 30 + "\n" + "x" * 29 + "…",
    }
    ax = plot.language_share(speaking(*((name, 1) for name in shown)), top=None)
    assert {*names(ax)} == {*shown.values()}
    assert len({label.get_fontsize() for label in ax.get_yticklabels()}) == 1


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ([None], "0 of 1 project has a tag."),
        ([["xml"]], "1 project has a tag."),
        ([["xml"], None], "1 of 2 projects has a tag."),
        ([None, None], "0 of 2 projects have a tag."),
    ],
)
def test_caption_counts_one_record_in_the_singular(lists, expected):
    assert caption(plot.tags(pd.DataFrame({"tags": lists}))).startswith(expected)


def test_bar_of_others_that_would_be_the_longest_is_told_in_the_caption():
    rows = [(f"Language {n}", 1) for n in range(9)]
    ax = plot.language_share(speaking(("C", 1), ("C", 1), *rows), top=1)
    assert names(ax) == ["C"]
    assert "Not drawn: 9 projects in 9 other languages." in caption(ax)


def test_lines_of_code_have_three_digits_and_a_bar_for_those_not_broken_down():
    breakdown = [
        {"language": "C", "percentage": "66", "id": "1"},
        {"language": "Perl", "percentage": "<1", "id": "8"},
        {"language": "7 Other", "percentage": "33", "id": ""},
    ]
    frame = pd.DataFrame({"analysis_languages": [breakdown, None], LINES: [123_456_789, 5]})
    ax = plot.language_breakdown(frame, width="column")
    assert names(ax) == ["C", "Perl", "not broken down"]
    assert labels(ax) == ["81.5M (99.2%)", "617k (0.8%)", "40.7M"]
    ax = plot.language_breakdown(frame.assign(**{LINES: [15_000_000, 5]}))
    assert labels(ax) == ["9.90M (99.2%)", "75.0k (0.8%)", "4.95M"]
    assert len({to_hex(bar.get_facecolor()) for bar in bars(ax)[:2]}) == 1


@pytest.mark.parametrize(
    ("frame", "low", "high", "expected"),
    [
        # Of 6 projects; `low` and `high` bound the share.
        ("language_share", [0.2, 0.1, 0.0], [0.8, 0.6, 0.5], [[1.2, 4.8], [0.6, 3.6], [0, 3]]),
        ("team_size_classes", [0.1] * 8, [0.5] * 8, [[0.6, 3.0]] * 8),
    ],
)
def test_intervals_of_shares_are_thin_lines_at_the_ends_of_bars(frame, low, high, expected):
    table = getattr(stats, frame)(speaking(*FEW)).assign(low=low, high=high)
    _, ax = plt.subplots()
    notes = getattr(import_module(MODULES[frame]), f"draw_{frame}")(ax, table)
    (lines,) = (part for part in ax.collections if part.get_gid() == "interval")
    drawn = [segment[:, 0].tolist() for segment in lines.get_segments()]
    assert drawn == [pytest.approx(ends) for ends in expected]
    assert "Thin lines: the interval of each share." in notes
    ends = [text.get_position()[0] for text in ax.texts]  # each number is beyond its line
    assert ends == pytest.approx([right for _, right in expected])
    assert ax.get_xlim()[1] >= max(right for _, right in expected)


MODULES = {
    "language_share": "dirframe.plot.languages",
    "team_size_classes": "dirframe.plot.contributors",
}


def test_intervals_of_active_projects_are_lines_at_the_ends_of_their_bars():
    draw_by = import_module("dirframe.plot.activity").draw_activity_by
    tables = {
        name: stats.activity(LIVES).assign(low=low, high=high)
        for name, low, high in (("A", 0.2, 0.9), ("B", 0.3, 0.8))
    }
    _, ax = plt.subplots()
    notes = draw_by(ax, tables)
    (lines,) = (part for part in ax.collections if part.get_gid() == "interval")
    assert [segment[:, 0].tolist() for segment in lines.get_segments()] == [[0.2, 0.9], [0.3, 0.8]]
    assert "Thin lines: the interval of each share." in notes


#: Charts of shares that have no room for intervals.
WITHOUT_ROOM = {"languages_by_year", "accounts_map"}
WITH_INTERVALS = [
    name
    for name, chart in TITLES.items()
    if "share" in STATISTIC_COLUMNS.get(name, ())
    and chart.collection in {"projects", "accounts"}
    and name != "language_breakdown"  # its shares are of lines
] + ["accounts_map"]


@pytest.fixture(scope="module")
def samples(sample_frames):
    """Return random samples of half of the records of each collection."""
    return {
        name: drawn(sample_frames[name], seed=2, size=25, population=1500)
        for name in ("projects", "accounts")
    }


def lengths(ax):
    """Return how long the lines of intervals are."""
    found = [part for part in ax.collections if part.get_gid() == "interval"]
    ends = [np.diff(s, axis=0).sum() for part in found for s in part.get_segments()]
    return [length for length in ends if length > 0]  # what has no share has no line


@pytest.mark.parametrize(
    "name", slow_except(WITH_INTERVALS, ["language_share", "life_span", *WITHOUT_ROOM])
)
def test_intervals_of_a_sample_are_drawn_at_their_level_or_said_to_be_in_the_table(name, samples):
    frame, chart = samples[TITLES[name].collection], getattr(plot, name)
    ax = chart(frame)
    assert "estimate from a random sample of 25 of 1,500" in caption(ax)
    if name in WITHOUT_ROOM:
        assert "Intervals are not drawn: they are in the table of dirframe.stats." in caption(ax)
        assert lengths(ax) == []
        return
    assert "Thin lines: the interval of each share." in caption(ax)
    narrow = chart(frame, confidence=0.5)
    assert "50% interval" in caption(narrow)
    pairs = list(zip(lengths(narrow), lengths(ax), strict=True))
    assert pairs
    assert [(short, long) for short, long in pairs if short >= long] == []


def test_intervals_of_a_distribution_are_those_of_the_shares_at_its_marks(samples):
    ax = plot.contributor_distribution(samples["projects"])
    counts = stats.contributor_distribution(samples["projects"])
    (lines,) = (part for part in ax.collections if part.get_gid() == "interval")
    whole = int(counts["projects"].sum())
    expected = {}
    for number in (1, 10, 100):
        having = int(counts.loc[counts["contributors"] >= number, "projects"].sum())
        if having:
            expected[number] = interval(having, whole, 25, 1500)
    found = {int(s[0, 0]): pytest.approx(tuple(s[:, 1])) for s in lines.get_segments()}
    assert expected == found
    assert len(expected) > 1
    none = counts.loc[counts["contributors"] == 0, ["low", "high"]].iloc[0].astype(float)
    low, high = (f"{share:.0%}" if share >= 0.1 else f"{100 * share:.2g}%" for share in none)
    assert f"(interval {low} to {high}) that have none" in caption(ax)


@pytest.mark.parametrize("name", ["lorenz", "language_breakdown"])
def test_shares_of_other_things_than_records_are_said_to_have_no_interval(name, samples):
    said = caption(getattr(plot, name)(samples["projects"]))
    assert "(no interval: the shares are not of records)" in said


def begun(*rows):
    """Make projects of (main language, first year)."""
    languages, years = zip(*rows, strict=True)
    return pd.DataFrame({LANGUAGE: languages, FIRST: times(*(f"{y}-05-01" for y in years))})


OLD = [("C", 2011)] * 9 + [("Lua", 2011)]
YEARS = begun(*OLD, ("C", 2013), ("Ada", 2013), ("Ada", 2013), (None, 2013))


def unfinished(ax):
    return [bar for bar in bars(ax) if bar.get_gid() == "unfinished"]


def ends(ax):
    """Return the names at the end of a chart, from the top."""
    texts = [text for text in ax.texts if text.get_gid() == "series"]
    return [text.get_text() for text in sorted(texts, key=lambda t: -t.get_position()[1])]


def test_languages_by_year_are_shares_stacked_to_the_whole():
    ax = plot.languages_by_year(YEARS)
    drawn = bars(ax)[:9]
    years = [round(bar.get_center()[0]) for bar in drawn]
    heights = pd.Series([bar.get_height() for bar in drawn]).groupby(years).sum()
    assert heights.to_dict() == pytest.approx({2011: 1, 2012: 0, 2013: 1})
    assert [bar.get_height() for bar in drawn[3:6]] == [0, 0, pytest.approx(2 / 3)]  # Ada
    assert [bar.get_alpha() for bar in drawn[:3:2]] == [None, 0.3]
    assert "Pale: years with fewer than 10 projects, and 2013 (possibly not over)." in caption(ax)
    assert ends(ax) == ["Lua", "Ada", "C"]
    marks = {(p.get_facecolor(), p.get_hatch()) for p in ax.patches if p.get_gid() == "key"}
    assert marks == {((*bar.get_facecolor()[:3], 1.0), bar.get_hatch()) for bar in drawn[::3]}
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        "2013\n3",
        "2012\n0",
        "2011\n10",
    ]
    later = YEARS.assign(updated_at=pd.Timestamp("2014-01-01", tz="UTC"))
    assert "possibly not over" in caption(
        plot.languages_by_year(later)
    )  # one late record tells nothing
    provenance.set_provenance(later, retrieved_oldest="2014-01-01T00:00:00+00:00")
    assert "not over" not in caption(plot.languages_by_year(later))
    provenance.set_provenance(later, retrieved_oldest="2013-06-01T00:00:00+00:00")
    assert "2013 (not yet over)" in caption(plot.languages_by_year(later))
    pooled = plot.languages_by_year(YEARS, top=1)
    assert ends(pooled)[0] == "other (2 languages)"
    assert bars(pooled)[-1].get_hatch()


def test_languages_by_year_has_five_languages_and_others():
    rows = [(f"L{n}", 2010) for n in range(9) for _ in range(10 - n)]
    assert ends(plot.languages_by_year(begun(*rows))) == [
        "other (4 languages)",
        *(f"L{n}" for n in range(4, -1, -1)),
    ]


def test_languages_by_year_has_room_for_all_names():
    rows = [(f"L{n}", 2010) for n in range(30)]
    ax = lay_out(plot.languages_by_year(begun(*rows), top=None))
    assert len(ends(ax)) == 30
    assert (covered(ax), cut_off(ax)) == ([], [])


def test_years_begin_with_the_first_of_enough_projects_and_have_whole_ticks():
    ax = plot.languages_by_year(begun(("C", 1985), ("C", 1990), *[("C", 1994)] * 10, ("C", 1996)))
    assert ax.get_xlim() == (1993.5, 1996.5)
    assert [bar.get_alpha() for bar in bars(ax)[:3]] == [None, 0.3, 0.3]
    assert "Left out: 2 projects of the years before 1994, each with fewer than 10." in caption(ax)
    assert plot.languages_by_year(begun(("C", 1990), ("C", 1992))).get_xlim() == (1989.5, 1992.5)
    assert [x for x in ax.get_xticks() if x != round(x)] == []
    single = plot.languages_by_year(begun(*[("C", 2011)] * 10))
    assert [x for x in single.get_xticks() if 2010.5 < x < 2011.5] == [2011]
    assert "fewer than 10" not in caption(single)


# Growth


def created(resource, *dates):
    frame = pd.DataFrame({"created_at": times(*dates)})
    return with_provenance(frame, resource=resource)


SPRING = ("2013-01-31", "2013-03-01", "2013-03-31", None)


@pytest.mark.parametrize(("cumulative", "heights"), [(True, [1, 1, 3]), (False, [1, 0, 2])])
def test_growth_has_a_step_for_each_period_and_one_that_is_not_over_is_pale(cumulative, heights):
    ax = plot.growth(created("account", *SPRING), cumulative=cumulative)
    values, edges, _ = ax.patches[0].get_data()
    assert values.tolist() == heights
    assert [day(edge) for edge in edges] == [f"2013-0{n}-01" for n in (1, 2, 3, 4)]
    (bar,) = unfinished(ax)
    assert (day(bar.get_x()), bar.get_height()) == ("2013-03-01", heights[-1])
    assert "Pale: 2013-03 (possibly not over)." in caption(ax)


def test_growth_has_no_pale_step_where_the_whole_load_came_later():
    over = created("project", *SPRING).assign(updated_at=pd.Timestamp("2013-04-01", tz="UTC"))
    assert unfinished(plot.growth(over))  # one late record tells nothing of the others
    provenance.set_provenance(over, retrieved_oldest="2013-04-01T00:00:00+00:00")
    assert not unfinished(plot.growth(over))


def test_growth_by_year_is_bars_and_the_unfinished_one_is_pale():
    dates = ("2011-05-01", "2011-06-01", "2012-01-01", "2013-03-01")
    ax = plot.growth(created("project", *dates), freq="YS", cumulative=False)
    assert [bar.get_height() for bar in bars(ax)] == [2, 1, 1]
    assert [bar.get_alpha() for bar in bars(ax)] == [1, 1, 0.3]
    assert title(ax) == "New projects"
    assert "Pale: 2013 (possibly not over)." in caption(ax)


def test_growth_by_year_has_ticks_in_the_middle_of_bars():
    frame = created("project", "2011-05-01", "2011-06-01", "2012-01-01", "2013-03-01")
    ax = lay_out(plot.growth(frame, freq="YS"))
    middles = [day(bar.get_x() + bar.get_width() / 2)[:7] for bar in bars(ax)]
    assert middles == ["2011-07", "2012-07", "2013-07"]
    assert dict(ticks_in_view(ax)) == dict(zip(["2011", "2012", "2013"], middles, strict=True))


@pytest.mark.parametrize(
    ("freq", "name"),
    [("D", "2013-03-31"), ("W", "the week of 2013-03-25"), ("QS", "2013 Q1"), ("YS", "2013")],
)
def test_growth_names_the_period_that_is_not_over(freq, name):
    ax = plot.growth(created("project", *SPRING), freq=freq)
    assert f"Pale: {name} (possibly not over)." in caption(ax)


@pytest.mark.parametrize(
    ("freq", "unit", "number"),
    slow_except(
        [
            ("D", "day", 60),
            ("W", "week", 9),
            ("MS", "month", 3),
            ("QS", "quarter", 1),
            ("YS", "year", 1),
        ],
        [("W", "week", 9), ("MS", "month", 3), ("QS", "quarter", 1)],
    ),
)
def test_growth_says_the_unit_of_its_periods_and_its_ticks_the_year(freq, unit, number):
    ax = lay_out(plot.growth(created("project", *SPRING), freq=freq))
    assert f"UTC, by {unit}" in ax.get_xlabel()
    drawn = bars(ax) if unit in {"quarter", "year"} else ax.patches[0].get_data()[0]
    assert len(drawn) == number
    assert any(label.get_text().startswith("2013") for label in ax.get_xticklabels())


# Contributors, users, accounts


def test_distribution_is_the_share_with_at_least_each_number():
    ax = plot.contributor_distribution(PEOPLE_OF)
    assert points(line(ax, "distribution")) == [[1, 0.5], [2, 0.25], [900, 0.125]]
    assert points(line(ax, "marked")) == [[1, 0.5], [10, 0.125], [100, 0.125]]
    assert labels(ax) == ["50% have 1 or more", "12% have 10 or more", "12% have 100 or more"]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert "Half of them have none, 90% have at most 900; the most is 900." in caption(ax)
    assert "The 50% that have none are not on the logarithmic scale." in caption(ax)
    ax = plot.posts_distribution(pd.DataFrame({"posts_count": [0, 5, 5, 12_000]}))
    assert points(line(ax, "distribution")) == [[5, 0.75], [12_000, 0.25]]
    numbered = {label.get_text() for label in ax.get_xticklabels()}
    assert {"1", "10", "100", "1k", "10k"} <= numbered
    everybody = plot.posts_distribution(pd.DataFrame({"posts_count": [1, 2]}))
    assert labels(everybody) == ["100% have 1 or more"]
    assert "have none" not in caption(everybody)
    nobody = plot.posts_distribution(pd.DataFrame({"posts_count": [0, 0]}))
    assert labels(nobody) == ["Of 2 accounts, none have a post"]


def test_distribution_of_a_handful_of_projects_has_a_bar_for_each():
    handful = PEOPLE_OF.assign(name=list("abcdefghij"))
    ax = plot.contributor_distribution(handful)
    assert (names(ax)[:3], labels(ax)[:3]) == (["h", "g", "e"], ["900", "2", "1"])
    ax = plot.users_against_contributors(users([5, 7, 0], [1, 0, 3]).assign(name=list("xyz")))
    assert names(ax) == ["y", "x", "z"]
    assert labels(ax)[1] == "5 users, 1 contributor"
    with_a_gap = handful.assign(name=[*"abcdefgh", None, None])  # of a valid number, all are named
    assert names(plot.contributor_distribution(with_a_gap))[0] == "h"


def test_lorenz_curve_is_that_of_the_statistic_below_the_diagonal():
    ax = plot.lorenz(PEOPLE_OF)
    table = stats.lorenz(PEOPLE_OF)
    expected = table[["projects_share", "contributors_share"]].to_numpy().tolist()
    assert points(line(ax, "lorenz")) == expected
    assert points(line(ax, "equality")) == [[0, 0], [1, 1]]
    measures = stats.contributor_concentration(PEOPLE_OF).iloc[0]
    assert f"{measures['gini']:.2f}" in labels(ax)[0]
    assert f"{measures['gini_without_zeros']:.2f}" in caption(ax)
    assert ax.get_aspect() == 1
    nobody = plot.lorenz(pd.DataFrame({PEOPLE: [0, 0]}))
    assert "Of 2 projects, none have a contributor" in labels(nobody)[0]
    assert not nobody.lines


@pytest.mark.parametrize(("number", "is_said"), [(9, False), (10, True)])
def test_lorenz_says_what_the_top_tenth_has_of_ten_projects_or_more(number, is_said):
    said = caption(plot.lorenz(pd.DataFrame({PEOPLE: range(number)})))
    assert ("The top 10% of projects" in said) == is_said


def committing(*commits):
    return plot.commits_by_contributor(frames.contributors(len(commits)).assign(commits=commits))


def test_commits_by_contributor_shows_shares_together_and_the_bus_factor():
    ax = committing(10, 60, 30, 0)
    assert points(ax.lines[0]) == [[1, 0.6], [2, pytest.approx(0.9)], [3, 1], [4, 1]]
    ax = committing(30, 25, 25, 20)
    assert "Bus factor 2" in labels(ax)
    (half,) = (part for part in ax.lines if part.get_linestyle() == "--")
    assert points(half) == [[0.1, 0.5], [2, 0.5], [2, 0]]
    assert "The most active contributor made 30.0% of the commits." in caption(ax)
    assert "five most active" not in caption(ax)
    assert "the five most active made 80.0%." in caption(committing(4, *[1] * 6))


def users(stacks, people):
    return pd.DataFrame({"stack_count": stacks, PEOPLE: people})


def test_users_against_contributors_are_cells_darker_the_more_projects():
    ax = plot.users_against_contributors(users([0] * 5 + [7, None, 1], [1] * 5 + [2, 1, -1]))
    (cells,) = ax.collections
    shades = np.asarray(cells.get_facecolor()).reshape(3, 4, 4)  # contributors, users, colour
    filled = [tuple(place) for place in np.argwhere(shades[:, :, 3] > 0).tolist()]
    assert filled == [(1, 0), (2, 3)]  # 1 with none; 2 to 3 with 4 to 7
    assert shades[1, 0, :3].sum() < shades[2, 3, :3].sum()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["5", "1"]
    assert "Not shown: 1 project without a user count, 1 with a negative" in caption(ax)
    lacking = plot.users_against_contributors(users([None, 1, 0], [None, None, 0]))
    said = "Not shown, some for two reasons: 1 project without a user count, 2 without"
    assert said in caption(lacking)


# Lives


#: Fetched in July 2013.
LIVES = pd.DataFrame(
    {
        "id": [*"01234"],
        "name": ["Ant", "Bee", "Cat", "Dog", "Eel"],
        LANGUAGE: ["C", "Python", None, "C", "C"],
        FIRST: times("2013-07-01", "2010-01-01", "2011-01-01", "2013-01-01", None),
        LAST: times("2013-07-01", "2013-02-01", "2011-12-01", "2012-01-01", None),
        FETCHED: pd.Timestamp("2013-07-30", tz="UTC"),
    }
)


def test_life_span_goes_from_the_first_day_to_the_last_of_its_months():
    ax = plot.life_span(LIVES)
    assert names(ax) == ["Bee", "Cat", "Ant"]
    rows = bars(ax)
    assert [round(bar.get_center()[1]) for bar in rows] == [0, 1, 2]
    assert [(day(bar.get_x()), day(bar.get_x() + bar.get_width())) for bar in rows] == [
        ("2010-01-01", "2013-03-01"),
        ("2011-01-01", "2012-01-01"),
        ("2013-07-01", "2013-08-01"),
    ]
    assert labels(ax) == ["language", "Python", "–", "C", "months", "38+", "12", "1+"]
    assert {to_hex(bar.get_facecolor()) for bar in rows} == {ACCENT.lower()}
    assert "2 of 3 projects may still be active" in caption(ax)
    said = caption(plot.life_span(LIVES, top=1))
    assert "2 projects with a shorter life, 1 without a month, 1 that ended before" in said
    unnamed = LIVES.assign(name=LIVES["name"].mask(LIVES["id"] == "1"))
    assert names(plot.life_span(unnamed)) == ["id 1", "Cat", "Ant"]
    assert names(plot.life_span(unnamed.drop(columns="id"))) == ["without a name", "Cat", "Ant"]
    assert labels(plot.life_span(LIVES, window=5))[4:] == ["months", "38", "12", "1+"]
    ended = LIVES.assign(**{FETCHED: pd.Timestamp("2014-01-01", tz="UTC")})
    assert "still be active" not in caption(plot.life_span(ended, window=1))
    unknown = caption(plot.life_span(LIVES.assign(**{FETCHED: times(*[None] * 5)})))
    assert "3 of 3 projects may still be active" in unknown
    assert "1 project without a month, 1 that ended before they began." in unknown
    assert unknown.startswith("3 of 5 projects have a valid life span.")


@pytest.mark.parametrize(
    ("years", "width"),
    slow_except([*product([1, 6, 25, 60], ["column", None])], [(1, "column"), (60, None)]),
)
def test_life_span_has_two_ticks_beside_long_names(years, width):
    frame = LIVES.assign(name=[f"Project {name} with a long name" for name in LIVES["name"]])
    frame[FIRST] = frame[FIRST] - pd.DateOffset(years=years)
    ax = lay_out(plot.life_span(frame, width=width))
    assert len([text for text, _ in ticks_in_view(ax) if text]) >= 2
    assert covered(ax) == []


def test_life_span_marks_first_months_that_flags_doubt():
    frame = LIVES.assign(**{LANGUAGE: ["Go", "C", None, "C", "C"]})
    frame[FIRST] = times("1999-01-01", "1969-12-01", "2011-01-01", "2013-01-01", None)
    ax = plot.life_span(frame)
    doubted = set(
        dirframe.flags(frame, rules=["began_before_1970", "began_before_language"])["name"]
    )
    assert doubted == {"Ant", "Bee"}
    marked = {
        name
        for name, bar, months in zip(names(ax), bars(ax), labels(ax)[-3:], strict=True)
        if bar.get_alpha() and months.endswith("?")
    }
    assert marked == doubted
    assert "Pale, ?: the first month is before 1970" in caption(ax)


def test_activity_counts_active_dormant_and_unknown():
    ax = plot.activity(LIVES)
    assert names(ax) == ["active", "dormant", "unknown"]
    assert labels(ax) == ["2 (66.7%)", "1 (33.3%)", "2"]
    assert "12 months up to 2013-07" in caption(ax)
    assert "Unknown: 1 project without a month, 1 that ended before they began." in caption(ax)
    later = plot.activity(LIVES, as_of="2016-01-05", window=24)
    assert [bar.get_width() for bar in bars(later)] == [0, 0, 5]
    assert "Unknown: 3 projects not fetched since, 1 without a month" in caption(later)
    begun_later = caption(plot.activity(LIVES, as_of="2010-06", window=1))
    assert "Not shown: 2 projects begun later." in begun_later


def test_survival_is_the_curve_of_its_statistic_in_years_with_the_numbers_at_risk():
    frame = frames.projects(60)
    table = stats.survival(frame)
    enough = table[table["at_risk"] >= 25]
    ax = plot.survival(frame)
    (curve,) = ax.lines
    assert [y for _, y in points(curve)] == enough["survival"].tolist()
    assert [12 * x for x, _ in points(curve)] == pytest.approx(enough["months"].tolist())
    assert curve.get_drawstyle() == "steps-post"
    at_risk = dict(label.get_text().split("\n") for label in ax.get_xticklabels())
    later = {year: table[table["months"] >= 12 * float(year)] for year in at_risk}
    assert {year: int(number) for year, number in at_risk.items()} == {
        year: rows["at_risk"].iloc[0] if len(rows) else 0 for year, rows in later.items()
    }
    assert "The curve ends where fewer than 25 projects are at risk." in caption(ax)
    ended = frame.assign(**{FETCHED: frame[LAST] + pd.DateOffset(months=12)})
    assert "Median life: 2.5 years (30 months)." in caption(plot.survival(ended))
    alive = caption(plot.survival(frame.assign(**{FETCHED: frame[LAST]})))
    assert "Median life: not reached." in alive


# Months of a project


def quarter(loaded):
    """Make January, February and April 2010."""
    frame = frames.activity_facts(4).drop(index=2)
    frame = frame.assign(commits=[40, 10, 5], contributors=[4, 2, 1])
    return with_provenance(frame, query={"project": "fire$fox"}, retrieved_newest=loaded)


def steps(lane):
    """Return the heights of the steps of a lane."""
    return np.asarray(next(p for p in lane.patches if isinstance(p, StepPatch)).get_data()[0])


def test_monthly_activity_has_two_lanes_and_a_gap_is_zero():
    ax = lay_out(plot.monthly_activity(quarter("2010-06-01T00:00:00+00:00")))
    commits, people = ax.child_axes
    assert steps(commits).tolist() == [40, 10, 0, 5]
    assert steps(people).tolist() == [4, 2, 0, 1]
    assert "1 month without a record, drawn as 0." in caption(ax)
    # Each has its own scale, over the months of all.
    assert commits.get_xlim() == people.get_xlim() == ax.get_xlim()
    assert commits.get_ylim()[0] == people.get_ylim()[0] == 0
    assert 40 < commits.get_ylim()[1] < 60
    assert 4 < people.get_ylim()[1] < 6
    assert commits.get_window_extent().y0 > people.get_window_extent().y1
    assert title(ax).endswith(": fire$fox")


@pytest.mark.parametrize(
    "name",
    slow_except(["commits_by_contributor", "monthly_activity"], ["commits_by_contributor"]),
)
def test_chart_of_one_project_names_it_however_it_was_loaded(name):
    frame = CHARTS[name](4)
    one = with_provenance(frame.copy(), query={"project": "1001"})
    assert title(draw(name, one)).endswith(": project 1001")
    several = with_provenance(frame, query={"projects": 12}).assign(project_id="fire$fox")
    assert title(draw(name, several)).endswith(": fire$fox")
    figure = plot.panels(getattr(plot, name), several, "project_id")
    assert figure.get_suptitle().endswith("by project id")
    assert "fire$fox" not in figure.get_suptitle()


def test_chart_of_the_code_of_one_project_is_titled_with_its_name():
    frame = frames.projects(3)
    assert title(plot.language_breakdown(frame.iloc[[1]])).endswith(f": {frame['name'].iloc[1]}")
    assert title(plot.language_breakdown(frame)) == "Lines of code by language"
    stream = pa.Table.from_pandas(frame.iloc[[1]], preserve_index=False).to_reader()
    assert title(plot.language_breakdown(stream)).endswith(f": {frame['name'].iloc[1]}")


@pytest.mark.parametrize(
    ("loaded", "heights"), [("2010-04-10", [5, 1]), ("2010-05-01", []), (None, [])]
)
def test_monthly_activity_is_pale_for_a_month_that_was_not_over(loaded, heights):
    ax = plot.monthly_activity(quarter(loaded and f"{loaded}T00:00:00+00:00"))
    drawn = [bar for lane in ax.child_axes for bar in unfinished(lane)]
    assert [bar.get_height() for bar in drawn] == heights
    assert ("Pale: 2010-04 (not yet over)." in caption(ax)) == bool(heights)
