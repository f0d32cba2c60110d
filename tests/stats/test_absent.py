"""A column that was taken away is named, or done without: nothing else is said than with it."""

from collections import Counter
from functools import partial

import pandas as pd
import pytest

import dirframe
from dirframe import plot, provenance, stats
from dirframe.charts import CHARTS, STATISTICS
from dirframe.errors import AnalysesNotSentWarning, InvalidInputError, MissingColumnsError
from tests import charts
from tests.oracle import LANGUAGE, PEOPLE, USERS
from tests.rig.today import Today

LISTS = {"projects": ["tags", "licenses", "languages", "factoids"], "accounts": ["badges"]}


@pytest.fixture(scope="module")
def loaded(sample, sample_frames, tmp_path_factory):
    """Load frames of every kind and source: a directory, its own pages, one without analyses."""
    sources = {
        "sample projects": ("projects", sample_frames["projects"]),
        "sample accounts": ("accounts", sample_frames["accounts"]),
        "one project": ("projects", dirframe.load_project("633", directory=sample)),
        "contributors": ("contributors", dirframe.load_contributors("633", directory=sample)),
        "activity": ("activity", dirframe.load_activity("633", directory=sample)),
    }
    with (
        Today(30) as today,
        today.directory(tmp_path_factory.mktemp("today")) as directory,
        pytest.warns(AnalysesNotSentWarning),
    ):
        unsent = dirframe.load_projects(sort="project_name", directory=directory, progress=False)
    sources["today's projects"] = ("projects", unsent)
    return sources


def functions_of(kind):
    """Return the statistics, tables and overviews of a kind of records by name."""
    functions = {
        name: getattr(stats, name)
        for name, chart in STATISTICS.items()
        if chart.collection in {"", kind}
    }
    for name in LISTS.get(kind, []):
        functions[f"child_table {name}"] = partial(dirframe.child_table, name=name)
    functions["flags"] = dirframe.flags
    functions["summary"] = lambda frame: dirframe.summary(frame).bias
    return functions


def said(result):
    """Return the rows of a table without what is missing, and its counts: each with its number."""
    counts = provenance.get_provenance(result)["counted"].items()
    rows = result.astype("object").where(result.notna(), None).to_dict("records")
    cells = [(name, str(value)) for row in rows for name, value in row.items() if value is not None]
    return Counter([*cells, *counts])


def answer(function, frame):
    """Return what a function says of a frame, or the columns that it misses."""
    try:
        return said(function(frame))
    except MissingColumnsError as error:
        return tuple(error.columns)


def is_less(part, whole, column):
    """Return whether an answer without a column names it, or says nothing that is not in the whole."""
    if isinstance(part, tuple) or isinstance(whole, tuple):
        return column in part
    return part <= whole


#: What the fast tests compare of each source; tests/slow has all sources with all functions.
COMPARED = {
    "sample projects": [
        "language_share",
        "contributor_distribution",
        "life_span",
        "licenses",
        "child_table tags",
    ],
    "sample accounts": ["growth"],
    "contributors": ["commit_concentration"],
    "activity": ["monthly_activity"],
    "today's projects": [
        "languages_by_year",
        "activity",
        "users_against_contributors",
        "contributor_concentration",
        "child_table factoids",
    ],
}
CHART_SOURCES = ["sample projects", "sample accounts", "contributors", "activity"]
SOURCES = [*COMPARED, "one project"]


def answers_without(function, frame, whole):
    """Return each column without which a function says something else, and what it says then."""
    answers = {}
    waiting = [list(frame)]
    while waiting:
        columns = waiting.pop()
        part = answer(function, frame.drop(columns=columns))
        if part == whole:  # it reads none of them
            continue
        if len(columns) > 1:
            middle = len(columns) // 2
            waiting += [columns[:middle], columns[middle:]]
        else:
            answers[columns[0]] = part
    return answers


def differences(frame, functions):
    """Return the functions that say something else without a column, and do not name it."""
    failures = []
    for name, function in functions.items():
        whole = answer(function, frame)
        for column, part in answers_without(function, frame, whole).items():
            if not is_less(part, whole, column):
                failures.append((name, column, part))
    return failures


@pytest.mark.parametrize("source", COMPARED)
def test_absent_column_is_named_or_done_without(source, loaded):
    kind, frame = loaded[source]
    functions = functions_of(kind)
    assert not differences(frame, {name: functions[name] for name in COMPARED[source]})


def test_absent_column_leaves_its_rules_unchecked(loaded):
    """The slow tests take each column away."""
    _, frame = loaded["sample accounts"]
    flags = dirframe.flags(frame.assign(posts_count=-1, latitude=91.0))
    part = dirframe.flags(frame.assign(latitude=91.0).drop(columns="posts_count"))
    assert said(part) <= said(flags)
    rules = [set(table["rule"]) for table in (flags, part)]
    assert rules[0] - rules[1] == {"negative_posts"}
    unchecked = "flags, not checked: negative_posts"
    steps = [provenance.get_provenance(table)["steps"][-1] for table in (flags, part)]
    assert steps == ["flags", unchecked]


@pytest.mark.parametrize("name", ["accounts_map", "growth", "language_share"])
def test_absent_column_changes_no_chart_that_does_without(name, loaded):
    """The slow tests have every chart."""
    check_chart_without_a_column(name, loaded)


def check_chart_without_a_column(name, loaded):
    """Check that a chart without a column names it, or draws what it draws with it."""
    statistic = getattr(stats, "accounts_by_country" if name == "accounts_map" else name)
    pictures = {}
    for kind, frame in (loaded[source] for source in CHART_SOURCES):
        if CHARTS[name].collection not in {"", kind}:
            continue
        chart, whole = getattr(plot, name), answer(statistic, frame)
        if isinstance(whole, tuple):
            continue
        picture = charts.looks(chart(frame))[:3]  # no texts: a caption may give fewer reasons
        for column, part in answers_without(statistic, frame, whole).items():
            without = frame.drop(columns=column)
            if isinstance(part, tuple):
                with pytest.raises(MissingColumnsError, match=column):
                    chart(without)
            else:
                pictures[kind, column] = (charts.looks(chart(without))[:3], picture)
    different = [key for key, (part, whole) in pictures.items() if part != whole]
    assert not different


LOADS = {
    "collection": partial(dirframe.load_projects, max_items=5),
    "named projects": partial(dirframe.load_projects, projects=["633", "714"]),
    "one project": partial(dirframe.load_project, "633"),
    "contributors": partial(dirframe.load_contributors, "633"),
    "contributors of two": partial(dirframe.load_contributors, ["633", "714"], progress=False),
}


@pytest.mark.parametrize("name", LOADS)
def test_columns_that_were_sent_are_in_the_provenance_of_every_load(name, sample):
    frame = LOADS[name](directory=sample)
    with_values = [column for column in frame if frame[column].notna().any()]
    assert list(provenance.get_provenance(frame)["sent"]) == with_values


@pytest.mark.parametrize(
    ("name", "column"), [("tags", "tags"), ("languages", "analysis_languages")]
)
def test_absent_list_is_named(name, column, loaded):
    _, frame = loaded["sample projects"]
    with pytest.raises(MissingColumnsError) as caught:
        dirframe.child_table(frame[["id", "name"]], name)
    assert list(caught.value.columns) == [column]


def test_absent_list_of_a_frame_without_provenance_is_named():
    with pytest.raises(MissingColumnsError):
        dirframe.child_table(pd.DataFrame({"id": ["1"]}), "tags")


def test_absent_column_of_two_names_is_named_as_it_was_sent(loaded):
    _, frame = loaded["sample projects"]
    [column] = {*USERS} & {*frame}
    with pytest.raises(MissingColumnsError) as caught:
        stats.users_against_contributors(frame.drop(columns=column))
    assert list(caught.value.columns) == [column]


@pytest.mark.parametrize("column", [LANGUAGE, PEOPLE])
def test_absent_column_is_named_by_a_report(column, loaded, tmp_path, empty_pictures):
    frame = loaded["sample projects"][1][["id", "name", LANGUAGE, PEOPLE]]
    path = dirframe.report(frame.drop(columns=column), tmp_path / "report.html")
    assert column in path.read_text(encoding="utf-8")


HALVES = {
    "language_share": (LANGUAGE, stats.language_share),
    "languages": (LANGUAGE, lambda frame: dirframe.select(frame, languages="C")),
    "search": ("name", lambda frame: dirframe.select(frame, search="x")),
    "tags": ("tags", stats.tags),
    "licenses": ("licenses", stats.licenses),
    "summary": ("id", dirframe.summary),
    "child_table": ("tags", lambda frame: dirframe.child_table(frame, "tags")),
    "child_table of ids": (
        "id",
        lambda frame: dirframe.child_table(frame.assign(tags=pd.Series([["x"], ["y"]])), "tags"),
    ),
    "by": ("group", lambda frame: stats.by(stats.tags, frame.assign(tags=None), "group")),
    "compare": ("name", lambda frame: dirframe.compare(frame.assign(name="x"), frame)),
    "country_audit": ("country_code", dirframe.country_audit),
    "country_audit of a series": (
        "country_code",
        lambda frame: dirframe.country_audit(frame["country_code"]),
    ),
    "accounts_by_country": (
        "country_code",
        lambda frame: stats.accounts_by_country(dirframe.unify_countries(frame)),
    ),
    "counts": ("id", lambda frame: stats.tags(frame.assign(tags=None))),
}


@pytest.mark.parametrize("name", HALVES)
def test_lone_surrogate_is_named_by_its_column_and_row(name):
    column, function = HALVES[name]
    half = "a\ud83d"
    is_list = column in {"tags", "licenses"}
    values = [["C"], [half]] if is_list else ["C", half]
    frame = pd.DataFrame({"id": ["1", "2"], "name": ["x", "y"]}, dtype="object")
    frame[column] = pd.Series(values, dtype="object")
    with pytest.raises(InvalidInputError, match=f"{column}.*row 1"):
        function(frame)
