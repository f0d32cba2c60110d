"""A statistic is computed for each stratum, from its records alone, as far as they were sent."""

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
    frame, statistic = kind_frames[kind], getattr(stats, name)
    values = frame[column].astype("str").str.strip()
    values = values.where(values != "")
    found = stats.by(statistic, frame, by)
    assert found.columns[0] == label
    assert counted(found)[kind] == len(frame)
    assert counted(found)["strata"] == values.nunique(dropna=False)
    for value, own in frame.groupby(values, dropna=False):
        is_own = found[label].isna() if pd.isna(value) else found[label] == value
        rows = found[is_own].drop(columns=label).reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, statistic(own))


@given(
    st.lists(
        st.tuples(st.sampled_from(["C", "Java", " ", None]), st.none() | st.integers(-5, 120)),
        max_size=30,
    ),
    st.integers(1, 5),
)
def test_strata_hold_each_record_once_and_small_ones_are_together(rows, least):
    frame = pd.DataFrame(rows, columns=[LANGUAGE, PEOPLE]).astype(
        {LANGUAGE: "str", PEOPLE: "Int64"}
    )
    whole = stats.contributor_distribution(frame).set_index("contributors")["projects"]
    for by in ("language", "team_size"):
        found = stats.by(stats.contributor_distribution, frame, by, min_records=least)
        together = found.groupby("contributors")["projects"].sum()
        assert together.to_dict() == whole.to_dict()
        assert counted(found)["projects"] == len(rows)
    found = stats.by(stats.team_size_classes, frame, "language", min_records=least)["language"]
    names = frame[LANGUAGE].where(frame[LANGUAGE] != " ")
    for name, records in names.value_counts(dropna=False).items():
        is_shown = found.isna() if pd.isna(name) else found == name
        assert is_shown.any() == (records >= least)


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
    both = [some.assign(project_id="7"), some.iloc[:4].assign(project_id="9")]
    frame, statistic = pd.concat(both, ignore_index=True), getattr(stats, name)
    with pytest.raises(InvalidInputError, match=r"stats\.by or plot\.panels"):
        statistic(frame)
    found = stats.by(statistic, frame, "project_id")
    for project, own in frame.groupby("project_id"):
        rows = found[found["project_id"] == project].drop(columns="project_id")
        pd.testing.assert_frame_equal(rows.reset_index(drop=True), statistic(own))
    if name in plot.__all__:
        first, second = plot.panels(getattr(plot, name), frame, "project_id").axes
        assert [ax.get_title("left").split()[0] for ax in (first, second)] == ["7", "9"]
        for one, other in zip(first.child_axes, second.child_axes, strict=True):
            assert one.get_ylim() == other.get_ylim()


@pytest.mark.parametrize(
    ("load", "names"),
    [
        (dirframe.load_contributors, ("commits_by_contributor", "commit_concentration")),
        (dirframe.load_activity, ("monthly_activity",)),
    ],
)
def test_records_of_two_projects_are_never_counted_as_those_of_one(load, names, sample):
    """Ids of contributors differ, and so may months: what tells is the column, or the load."""
    both = load(["633", "714"], directory=sample, progress=False)
    first = both[both["project_id"] == "633"]
    for name in names:
        statistic = getattr(stats, name)
        with pytest.raises(InvalidInputError, match="2 projects"):
            statistic(both)
        with pytest.raises(MissingColumnsError) as caught:
            statistic(both.drop(columns="project_id"))
        assert list(caught.value.columns) == ["project_id"]
        assert len(statistic(first)) == len(statistic(load("633", directory=sample)))


def test_strata_are_judged_at_the_day_of_the_whole(sample_projects):
    for frame in (sample_projects.head(300), sample_projects.head(100)):
        whole = stats.activity(frame)
        for column in ("language", "year", "age"):
            table = stats.by(stats.activity, frame, column)
            assert set(table["as_of"]) == set(whole["as_of"])
            numbers = table.groupby("activity")["projects"].sum()
            assert numbers.to_dict() == dict(zip(whole["activity"], whole["projects"], strict=True))
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


def test_strata_by_licence_or_tag_hold_a_project_in_each():
    gpl, mit = {"name": "gpl3"}, {"name": "mit"}
    frame = pd.DataFrame(
        {
            "licenses": [[gpl, mit], [mit], None],
            "tags": [["xml"], ["web", "xml"], []],
            PEOPLE: pd.array([1, 2, 3], dtype="Int64"),
        }
    )
    for column, expected in {
        "license": {"mit": 2, "gpl3": 1, None: 1},
        "license_family": {"permissive": 2, "strong copyleft": 1, "none": 1},
        "tag": {"xml": 2, "web": 1, None: 1},
    }.items():
        table = stats.by(stats.contributor_distribution, frame, column)
        sums = table.groupby(column, dropna=False, sort=False)["projects"].sum()
        found = {None if pd.isna(name) else name: number for name, number in sums.items()}
        assert found == expected
        assert list(found) == list(expected)
        assert counted(table)["in_several_strata"] == 1
        assert provenance.get_provenance(table)["base"]["records"] == 3
    for lists, name in (("licenses", "'license'"), ("tags", "'tag'")):
        with pytest.raises(InvalidInputError, match=name):
            stats.by(stats.growth, frame, lists)


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

    for function, columns in (
        (most, ["value"]),
        (ends, ["min", "max"]),
        (table, ["id"]),
        (lambda records: stats.growth(records, freq="Y"), ["start", "new", "total", "finished"]),
    ):
        result = stats.by(function, known, "language")
        assert list(result) == ["language", *columns]
        assert provenance.caption(result)
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


def test_strata_refuse_what_cannot_be_divided(kind_frames):
    frame = kind_frames["projects"].assign(by_year="C", language="D")
    names = [(name, 1, name) for name in ("nothing", "tags", "country")]
    for column, least, named in (*names, ([LANGUAGE], 1, None), ("year", 0, "min_records")):
        with pytest.raises(InvalidInputError, match=named):
            stats.by(stats.language_share, frame, column, min_records=least)
    with pytest.raises(TypeError, match="tpo"):
        stats.by(stats.language_share, frame, LANGUAGE, tpo=3)
    for function, other in ((stats.by, plot.tags), (plot.panels, stats.tags)):
        for wrong in (other, function, "tags", None):
            with pytest.raises(InvalidInputError, match=function.__module__.split(".")[1]):
                function(wrong, frame, LANGUAGE)
    assert plt.get_fignums() == []
    taken = frame.assign(year=1, by_year=2)
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


def test_strata_refuse_columns_that_were_not_sent(unsent):
    for function in (stats.language_share, stats.survival, plot.lorenz):
        with pytest.raises(ColumnsNotSentError) as caught:
            function(unsent)
        assert all(column.startswith("analysis_") for column in caught.value.columns)
    for column in ("language", "team_size", LANGUAGE):
        with pytest.raises(ColumnsNotSentError):
            stats.by(stats.growth, unsent, column)
    assert stats.growth(unsent)["total"].max() == 30
    filled = unsent.assign(**{LANGUAGE: "C", LINES: 10})  # put in later
    assert list(stats.language_share(filled)["language"]) == ["C"]
    years = stats.by(stats.growth, unsent, "year")["year"]  # those of the creation, then
    assert set(years) == set(unsent["created_at"].dt.strftime("%Y"))
    reasons = " ".join(dirframe.summary(unsent).bias["reason"])
    for words, is_said in (("not sent", True), ("no main language", False), ("no analysis", False)):
        assert (words in reasons) is is_said
