"""A statistic is computed for each stratum, from its records alone, as far as they were sent."""

from collections import Counter

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dirframe
from dirframe import plot, provenance, stats
from dirframe.errors import (
    AnalysesNotSentWarning,
    ColumnsNotSentError,
    InvalidInputError,
    MissingColumnsError,
)
from tests.oracle import FETCHED, FIRST, LANGUAGE, LAST, LINES, PEOPLE
from tests.rig.today import Today


def counted(table):
    return table.attrs["dirframe"]["counted"]


@pytest.mark.parametrize(
    ("kind", "name", "by", "label", "column"),
    [
        ("projects", "language_share", LANGUAGE, LANGUAGE, LANGUAGE),
        ("projects", "languages_by_year", "language", "by_language", LANGUAGE),
        ("accounts", "growth", "country", "country", "country_name"),
        ("accounts", "accounts_by_kudo_rank", *["kudo_score_kudo_rank"] * 3),
    ],
)
def test_strata_give_what_the_records_of_each_give_alone(
    kind, name, by, label, column, kind_frames
):
    frame, statistic = kind_frames[kind].head(20), getattr(stats, name)
    values = frame[column].astype("str").str.strip()
    values = values.where(values != "")
    found = stats.by(statistic, frame, by)
    assert found.columns[0] == label
    assert counted(found)[kind] == len(frame)
    assert counted(found)["strata"] == values.nunique(dropna=False)
    for value, own in frame.groupby(values, dropna=False):
        is_own = found[label].isna() if pd.isna(value) else found[label] == value
        rows = found[is_own].drop(columns=label).reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, statistic(own), obj=f"stratum {value}")


def languages_and_people(rows):
    frame = pd.DataFrame(rows, columns=[LANGUAGE, PEOPLE])
    return frame.astype({LANGUAGE: "str", PEOPLE: "Int64"})


ROWS = st.lists(
    st.tuples(st.sampled_from(["C", "Java", " ", None]), st.none() | st.integers(-5, 120)),
    max_size=30,
)


@pytest.mark.parametrize("by", ["language", "team_size"])
@given(rows=ROWS, least=st.integers(1, 5))
def test_strata_hold_each_record_once(by, rows, least):
    frame = languages_and_people(rows)
    whole = stats.contributor_distribution(frame).set_index("contributors")["projects"]
    found = stats.by(stats.contributor_distribution, frame, by, min_records=least)
    together = found.groupby("contributors")["projects"].sum()
    assert together.to_dict() == whole.to_dict()
    assert counted(found)["projects"] == len(rows)


@given(rows=ROWS, least=st.integers(1, 5))
def test_strata_of_few_records_are_together(rows, least):
    frame = languages_and_people(rows)
    found = stats.by(stats.team_size_classes, frame, "language", min_records=least)
    shown = {None if pd.isna(name) else name for name in found["language"]}
    sizes = Counter(None if name == " " else name for name, _ in rows)
    assert shown & {*sizes} == {name for name, records in sizes.items() if records >= least}


def test_years_and_sizes_ascend_and_what_is_not_known_is_last():
    sizes = {0: "0", 1: "1", 2: "2–4", 4: "2–4", 5: "5–9", 99: "50–99", 100: "100 or more"}
    people = [100, 1, 99, None, 5, 0, -1, 4, 2]
    frame = pd.DataFrame(
        {
            "id": [str(number) for number in range(9)],
            PEOPLE: pd.array(people, dtype="Int64"),
            FIRST: pd.to_datetime([f"{2010 - n}-03-01" for n in range(8)] + [None], utc=True),
            "created_at": pd.Timestamp("2012-01-01", tz="UTC"),
        }
    )
    growth = stats.by(stats.growth, frame, "team_size")
    assert growth["team_size"].dropna().tolist() == list(dict.fromkeys(sizes.values()))
    assert growth["new"].tolist() == [1, 1, 2, 1, 1, 1, 2]
    years = stats.by(stats.growth, frame, "year")["year"]
    assert years.dropna().tolist() == [str(year) for year in range(2003, 2011)]
    assert years.isna().tolist() == [False] * 8 + [True]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("contributors", "commits_by_contributor"),
        ("contributors", "commit_concentration"),
        ("activity", "monthly_activity"),
    ],
)
def test_strata_of_a_statistic_of_one_project_are_projects(kind, name, kind_frames):
    some = kind_frames[kind].iloc[:10]
    large, small = some.assign(project_id="7"), some.iloc[:4].assign(project_id="9")
    frame, statistic = pd.concat([large, small], ignore_index=True), getattr(stats, name)
    with pytest.raises(InvalidInputError, match=r"stats\.by or plot\.panels"):
        statistic(frame)
    found = stats.by(statistic, frame, "project_id")
    first = found[found["project_id"] == "7"].reset_index(drop=True)
    second = found[found["project_id"] == "9"].reset_index(drop=True)
    assert len(first) + len(second) == len(found)
    pd.testing.assert_frame_equal(first.drop(columns="project_id"), statistic(large))
    pd.testing.assert_frame_equal(second.drop(columns="project_id"), statistic(small))


@pytest.mark.parametrize(
    ("kind", "name"), [("contributors", "commits_by_contributor"), ("activity", "monthly_activity")]
)
def test_panels_of_a_statistic_of_one_project_are_projects_of_one_scale(kind, name, kind_frames):
    some = kind_frames[kind].iloc[:10]
    both = [some.assign(project_id="7"), some.iloc[:4].assign(project_id="9")]
    frame = pd.concat(both, ignore_index=True)
    first, second = plot.panels(getattr(plot, name), frame, "project_id").axes
    assert [ax.get_title("left").split()[0] for ax in (first, second)] == ["7", "9"]
    limits = [[ax.get_ylim() for ax in (panel, *panel.child_axes)] for panel in (first, second)]
    assert limits[0] == limits[1]


LOADS = {
    "commits_by_contributor": dirframe.load_contributors,
    "commit_concentration": dirframe.load_contributors,
    "monthly_activity": dirframe.load_activity,
}


@pytest.mark.parametrize("name", LOADS)
def test_records_of_two_projects_are_never_counted_as_those_of_one(name, sample):
    """Ids of contributors differ, and so may months: what tells is the column, or the load."""
    statistic, load = getattr(stats, name), LOADS[name]
    both = load(["633", "714"], directory=sample, progress=False)
    first = both[both["project_id"] == "633"]
    with pytest.raises(InvalidInputError, match="2 projects"):
        statistic(both)
    with pytest.raises(MissingColumnsError) as caught:
        statistic(both.drop(columns="project_id"))
    assert list(caught.value.columns) == ["project_id"]
    assert len(statistic(first)) == len(statistic(load("633", directory=sample)))


@pytest.mark.parametrize("records", [100, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("column", ["language", "year", "age"])
def test_strata_are_judged_at_the_day_of_the_whole(column, records, sample_projects):
    frame = sample_projects.head(records)
    whole = stats.activity(frame)
    table = stats.by(stats.activity, frame, column)
    assert set(table["as_of"]) == set(whole["as_of"])
    numbers = table.groupby("activity")["projects"].sum()
    assert numbers.to_dict() == dict(zip(whole["activity"], whole["projects"], strict=True))


def test_strata_of_growth_are_finished_at_the_day_of_the_whole():
    years = pd.to_datetime(["2011-03-01", "2012-05-01", "2013-02-01"], utc=True)
    frame = pd.DataFrame({"created_at": years, LANGUAGE: ["C", "C", "Java"]})
    growth = stats.by(stats.growth, frame, "language", freq="Y")
    assert growth[growth["language"] == "C"]["finished"].tolist() == [True, True]


#: Statistics with a row for each class, also where no record is, and one that counts commits.
OF_CLASSES = {
    "activity": dict.fromkeys((FIRST, LAST, FETCHED[0]), pd.NaT),
    "team_size_classes": {PEOPLE: None},
    "accounts_by_kudo_rank": {"kudo_score_kudo_rank": None},
    "commits_by_contributor": {"contributor_id": "1", "commits": 0},
}


@pytest.mark.parametrize("name", OF_CLASSES)
def test_share_of_no_record_is_missing(name):
    unknown = OF_CLASSES[name]
    frame = pd.DataFrame([unknown | {"group": "of unknown ones"}])
    table = stats.by(getattr(stats, name), frame, "group")
    shares = table.filter(like="share")
    assert len(table)
    assert shares.isna().all(axis=None)


def test_share_of_no_project_is_missing_in_each_licence_family():
    table = stats.license_families(pd.DataFrame({"licenses": []}))
    assert table["share"].isna().all()


def test_strata_of_equal_size_are_cut_in_their_order(kind_frames):
    languages = [letter for letter in "ABCDEFGHIJKLMN" for _ in range(2)]
    frame = pd.DataFrame({LANGUAGE: languages, PEOPLE: pd.array([1] * 28, dtype="Int64")})
    panels = plot.panels(plot.team_size_classes, frame, "language").axes
    titles = [ax.get_title("left").split(" (n")[0] for ax in panels]
    assert titles == [*"ABCDEFGHIJK", "other (3 languages)"]


def licensed_and_tagged():
    gpl, mit = {"name": "gpl3"}, {"name": "mit"}
    return pd.DataFrame(
        {
            "licenses": [[gpl, mit], [mit], None],
            "tags": [["xml"], ["web", "xml"], []],
            PEOPLE: pd.array([1, 2, 3], dtype="Int64"),
        }
    )


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("license", {"mit": 2, "gpl3": 1, None: 1}),
        ("license_family", {"permissive": 2, "strong copyleft": 1, "none": 1}),
        ("tag", {"xml": 2, "web": 1, None: 1}),
    ],
)
def test_strata_by_licence_or_tag_hold_a_project_in_each(column, expected):
    table = stats.by(stats.contributor_distribution, licensed_and_tagged(), column)
    sums = table.groupby(column, dropna=False, sort=False)["projects"].sum()
    found = {None if pd.isna(name) else name: number for name, number in sums.items()}
    assert list(found.items()) == list(expected.items())
    assert counted(table)["in_several_strata"] == 1
    assert provenance.get_provenance(table)["base"]["records"] == 3


@pytest.mark.parametrize(("lists", "name"), [("licenses", "'license'"), ("tags", "'tag'")])
def test_strata_by_a_column_of_lists_are_refused_with_the_name_that_divides(lists, name):
    with pytest.raises(InvalidInputError, match=name):
        stats.by(stats.growth, licensed_and_tagged(), lists)


@pytest.mark.parametrize("dtype", ["float64", "Float64", "Int64", "object", "int64[pyarrow]"])
def test_whole_numbers_divide_also_where_one_is_missing(dtype):
    years = pd.Series([2010, None, 2008, 2010], dtype="Int64").astype(dtype)
    frame = pd.DataFrame({"founded": years, PEOPLE: pd.array([1] * 4, dtype="Int64")})
    table = stats.by(len, frame, "founded")
    assert dict(zip(table["founded"].fillna(""), table["value"], strict=True)) == {
        "2008": 1,
        "2010": 2,
        "": 1,
    }


def test_age_is_in_whole_years_up_to_the_retrieval():
    months = pd.to_datetime(["2010-03-01", "2012-02-01", "2014-01-01", None], utc=True)
    frame = pd.DataFrame({FIRST: months, PEOPLE: pd.array([1, 1, 1, 1], dtype="Int64")})
    provenance.set_provenance(frame, retrieved_newest="2013-02-05T00:00:00+00:00")
    assert dirframe.with_age(frame)["age"].tolist() == [2, 1, pd.NA, pd.NA]
    table = stats.by(stats.contributor_distribution, frame, "age")
    assert table["age"].fillna("").tolist() == ["1", "2", ""]
    with pytest.raises(MissingColumnsError, match="analysis_logged_at"):
        dirframe.with_age(provenance.set_provenance(frame, retrieved_newest=None))


def test_strata_of_a_statistic_of_ones_own(kind_frames):
    frame = kind_frames["projects"]
    known = frame.dropna(subset=[LANGUAGE])

    def most(records):
        return records[PEOPLE].max()

    def ends(records):
        return records[PEOPLE].agg(["min", "max"])

    def table(records):
        return records[["id"]].head(1)

    def growth(records):
        return stats.growth(records, freq="Y")

    functions = (most, ends, table, growth)
    results = {function.__name__: stats.by(function, known, "language") for function in functions}
    assert {name: list(result) for name, result in results.items()} == {
        "most": ["language", "value"],
        "ends": ["language", "min", "max"],
        "table": ["language", "id"],
        "growth": ["language", "start", "new", "total", "finished"],
    }
    assert [name for name, result in results.items() if not provenance.caption(result)] == []
    alone = known[known[LANGUAGE].str.strip() == "Java"]
    result = stats.by(most, known, "language").set_index("language")
    assert result.loc["Java", "value"] == alone[PEOPLE].max()
    with pytest.raises(InvalidInputError, match="list"):
        stats.by(lambda records: [len(records)], known, "language")


HALF_PAIR = "\ud83d"
#: Results of a person's own statistic: some are texts, and one of them is none.
HALF_PAIRS = {
    "value": lambda records: HALF_PAIR if len(records) == 1 else "text",
    "row": lambda _: pd.Series({"value": HALF_PAIR}, dtype="object"),
    "table": lambda records: pd.DataFrame(
        {"value": [HALF_PAIR if len(records) == 1 else "text"]},
        dtype="object" if len(records) == 1 else "str",
    ),
}


@pytest.mark.parametrize("statistic", HALF_PAIRS.values(), ids=HALF_PAIRS)
def test_strata_refuse_half_a_utf_16_pair_of_a_statistic_of_ones_own(statistic):
    frame = pd.DataFrame({"id": ["1", "2", "3"], LANGUAGE: ["C", "C", "Java"]})
    with pytest.raises(InvalidInputError, match="ud83d"):
        stats.by(statistic, frame, "language")


def test_strata_by_a_column_go_before_derived_ones_of_its_name(kind_frames):
    frame = kind_frames["projects"]
    years = frame["created_at"].dt.year.astype("Int64")
    table = stats.by(stats.contributor_distribution, frame.assign(year=years), "year")
    valid = years[frame[PEOPLE] >= 0].value_counts().sort_index()
    assert table.groupby("year")["projects"].sum().to_dict() == {
        str(year): count for year, count in valid.items()
    }
    with pytest.raises(InvalidInputError, match="year"):
        stats.by(stats.tags, frame.assign(year=frame["created_at"]), "year")


@pytest.mark.parametrize(
    ("column", "least", "named"),
    [
        ("nothing", 1, "nothing"),
        ("tags", 1, "tags"),
        ("country", 1, "country"),
        ([LANGUAGE], 1, None),
        ("year", 0, "min_records"),
    ],
)
def test_strata_refuse_what_cannot_be_divided(column, least, named, kind_frames):
    frame = kind_frames["projects"].assign(by_year="C", language="D")
    with pytest.raises(InvalidInputError, match=named):
        stats.by(stats.language_share, frame, column, min_records=least)


def test_strata_refuse_an_option_that_the_statistic_has_not(kind_frames):
    with pytest.raises(TypeError, match="tpo"):
        stats.by(stats.language_share, kind_frames["projects"], LANGUAGE, tpo=3)


@pytest.mark.parametrize(
    ("divide", "wrong"),
    [
        (stats.by, plot.tags),
        (stats.by, stats.by),
        (stats.by, "tags"),
        (stats.by, None),
        (plot.panels, stats.tags),
        (plot.panels, plot.panels),
        (plot.panels, "tags"),
        (plot.panels, None),
    ],
)
def test_strata_refuse_what_is_no_statistic_or_chart(divide, wrong, kind_frames):
    with pytest.raises(InvalidInputError, match=divide.__module__.split(".")[1]):
        divide(wrong, kind_frames["projects"], LANGUAGE)
    assert plt.get_fignums() == []


def test_strata_of_a_name_that_the_statistic_has_are_in_another_column(kind_frames):
    taken = kind_frames["projects"].assign(language="D", year=1, by_year=2)
    assert {"by_year", "year"} < {*stats.by(stats.languages_by_year, taken, "year")}


# A directory of today, whose collections have no analysis


@pytest.fixture(scope="module")
def unsent(tmp_path_factory):
    with (
        Today(30) as today,
        today.directory(tmp_path_factory.mktemp("today")) as directory,
        pytest.warns(AnalysesNotSentWarning),
    ):
        return dirframe.load_projects(sort="project_name", directory=directory, progress=False)


@pytest.mark.parametrize("function", [stats.language_share, stats.survival, plot.lorenz])
def test_statistics_and_charts_refuse_columns_that_were_not_sent(function, unsent):
    with pytest.raises(ColumnsNotSentError) as caught:
        function(unsent)
    own = [name for name in caught.value.columns if not name.startswith("analysis_")]
    assert own == []


@pytest.mark.parametrize("column", ["language", "team_size", LANGUAGE])
def test_strata_refuse_columns_that_were_not_sent(column, unsent):
    with pytest.raises(ColumnsNotSentError):
        stats.by(stats.growth, unsent, column)


def test_columns_that_were_sent_or_added_are_counted_where_analyses_were_not_sent(unsent):
    assert stats.growth(unsent)["total"].max() == 30
    filled = unsent.assign(**{LANGUAGE: "C", LINES: 10})  # put in later
    assert list(stats.language_share(filled)["language"]) == ["C"]
    years = stats.by(stats.growth, unsent, "year")["year"]  # those of the creation, then
    assert set(years) == set(unsent["created_at"].dt.strftime("%Y"))


def test_summary_says_what_was_not_sent_and_not_that_it_is_missing(unsent):
    reasons = " ".join(dirframe.summary(unsent).bias["reason"])
    assert "not sent" in reasons
    assert "no main language" not in reasons
    assert "no analysis" not in reasons
