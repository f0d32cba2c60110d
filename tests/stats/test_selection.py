"""Records are left out by rules and divided into strata before they are counted."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import stats
from dirframe.errors import InvalidInputError
from tests.oracle import FETCHED, FIRST, LANGUAGE, LINES, PEOPLE


def counted(table):
    return table.attrs["dirframe"]["counted"]


def test_what_is_left_out_are_the_records_that_a_rule_tells(sample_projects):
    bad = (sample_projects[LINES] < 0).fillna(value=False)
    found = stats.language_share(sample_projects, exclude=["negative_lines"])
    pd.testing.assert_frame_equal(found, stats.language_share(sample_projects[~bad]))
    assert counted(found)["excluded_negative_lines"] == counted(found)["excluded"] == bad.sum() > 0
    assert counted(found)["projects"] == len(sample_projects) - bad.sum()
    steps = found.attrs["dirframe"]["steps"]
    assert steps[-2:] == [f"exclude: negative_lines {bad.sum()}", "language_share"]
    aged = stats.tags(sample_projects, exclude="negative_lines", max_age="6mo")
    assert counted(aged)["excluded_stale_analysis"] > 0
    assert counted(aged)["excluded"] <= sum(
        n for name, n in counted(aged).items() if name.startswith("excluded_")
    )


def test_outliers_are_told_by_the_whole_frame_before_it_is_divided():
    lines = [10**power for power in (2, 3, 4)] * 10 + [10**12]
    frame = pd.DataFrame({LINES: lines, LANGUAGE: "C", "half": ["a"] * 30 + ["b"]})
    found = stats.language_share(frame, by="half", exclude=["lines_outlier"])
    assert found["half"].tolist() == ["a"]


def test_strata_give_what_the_records_of_each_give_alone(frames):
    for kind, name, by, label in (
        ("projects", "language_share", LANGUAGE, LANGUAGE),
        ("projects", "languages_by_year", "language", "by_language"),
        ("accounts", "growth", "country", "country"),
        ("accounts", "accounts_by_kudo_rank", "kudo_score_kudo_rank", "kudo_score_kudo_rank"),
    ):
        frame, statistic = frames[kind], getattr(stats, name)
        column = {"language": LANGUAGE, "country": "country_name"}.get(by, by)
        values = frame[column].astype("str")
        values = values.where(values.str.strip() != "")
        found = statistic(frame, by=by)
        assert found.columns[0] == label
        assert counted(found)[kind] == len(frame)
        assert counted(found)["strata"] == values.nunique(dropna=False)
        for value in values.unique():
            own, rows = (
                some[key.isna() if pd.isna(value) else key == value]
                for some, key in ((frame, values), (found, found[label]))
            )
            rows = rows.drop(columns=label).reset_index(drop=True)
            pd.testing.assert_frame_equal(rows, statistic(own))


@given(
    st.lists(
        st.tuples(st.sampled_from(["C", "Java", " ", None]), st.none() | st.integers(-5, 120)),
        max_size=30,
    ),
    st.integers(1, 5),
)
def test_strata_hold_each_record_once_and_small_ones_are_together(rows, least):
    frame = pd.DataFrame(
        {
            LANGUAGE: pd.Series([language for language, _ in rows], dtype="str"),
            PEOPLE: pd.Series([people for _, people in rows], dtype="Int64"),
        }
    )
    whole = stats.contributor_distribution(frame).set_index("contributors")["projects"]
    for by in ("language", "team_size", ["language", "team_size"]):
        found = stats.contributor_distribution(frame, by=by, min_records=least)
        together = found.groupby("contributors")["projects"].sum()
        assert together.to_dict() == whole.to_dict()
        assert counted(found)["projects"] == len(rows)
    table = stats.team_size_classes(frame, by="language", min_records=least)
    sizes = table.groupby("language", dropna=False, sort=False)["projects"].sum()
    names = pd.Series([name if name and name.strip() else None for name, _ in rows], dtype="str")
    for name, records in names.value_counts(dropna=False).items():
        shown = sizes.index.isna() if pd.isna(name) else sizes.index == name
        assert shown.any() == (records >= least)


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
    growth = stats.growth(frame, by="team_size")
    assert growth["team_size"].dropna().tolist() == list(dict.fromkeys(sizes.values()))
    assert growth["new"].tolist() == [1, 1, 2, 1, 1, 1, 2]
    years = stats.growth(frame, by="year")["year"]
    assert years.dropna().tolist() == [str(year) for year in range(2003, 2011)]
    assert years.isna().tolist() == [False] * 8 + [True]


def test_lives_are_those_of_the_projects_of_each_language(sample_projects):
    whole = stats.life_span(sample_projects)
    for top in (None, 2):
        found = stats.life_span(sample_projects, by="language", min_records=50, top=top)
        pooled = found["by_language"].str.startswith("other (").fillna(value=False)
        alone = found[~pooled]
        assert (alone["by_language"].dropna() == alone["language"].dropna()).all()
        assert len({*found["language"][pooled].dropna()}) > 1  # what it is, of each
        strata = found["by_language"].nunique(dropna=False)
        assert len(found) == (len(whole) if top is None else top * strata)


def test_a_statistic_of_one_project_takes_several_by_what_tells_them_apart(frames):
    for kind, name in (
        ("contributors", "commits_by_contributor"),
        ("contributors", "commit_concentration"),
        ("activity", "monthly_activity"),
    ):
        some = frames[kind].iloc[:10]
        both = [some.assign(project="a"), some.iloc[:4].assign(project="b")]
        frame, statistic = pd.concat(both, ignore_index=True), getattr(stats, name)
        with pytest.raises(InvalidInputError):
            statistic(frame)
        found = statistic(frame, by="project")
        for project, own in frame.groupby("project"):
            rows = found[found["project"] == project].drop(columns="project")
            pd.testing.assert_frame_equal(rows.reset_index(drop=True), statistic(own))


def test_a_column_of_the_frame_goes_before_a_derived_stratum_of_its_name(frames):
    frame = frames["projects"]
    years = frame["created_at"].dt.year.astype("Int64")
    table = stats.contributor_distribution(frame.assign(year=years), by="year")
    valid = years[frame[PEOPLE] >= 0].value_counts().sort_index()
    assert table.groupby("year")["projects"].sum().to_dict() == {
        str(year): count for year, count in valid.items()
    }
    with pytest.raises(InvalidInputError, match="year"):
        stats.tags(frame.assign(year=frame["created_at"]), by="year")
    pd.testing.assert_frame_equal(
        stats.tags(frame, by=pd.Index([LANGUAGE])), stats.tags(frame, by=[LANGUAGE])
    )


def test_what_cannot_be_divided_or_left_out_is_refused(frames):
    frame = frames["projects"].assign(by_language="C", many=range(60))
    thousand = pd.DataFrame({LANGUAGE: "C", LINES: 1, "many": range(1001)})
    for some, options, named in (
        (frame, {"by": ["language", "by_language"]}, "by_language"),
        (frame, {"by": "nothing"}, "nothing"),
        (frame, {"by": "tags"}, "tags"),
        (frame, {"by": "country"}, "country_name"),
        (frame, {"by": []}, None),
        (frame, {"by": ["language", "language"]}, "language"),
        (frame, {"by": 5}, None),
        (frame, {"by": [1]}, None),
        (frame, {"by": b"language"}, None),
        (frame, {"by": pd.Series([LANGUAGE])}, None),
        (frame, {"by": "year", "min_records": 0}, "0"),
        (frame, {"exclude": ["negative_posts"]}, "posts_count"),
        (frame, {"exclude": ["negative_line"]}, "negative_line"),
        (frame, {"max_age": "soon"}, "soon"),
        (frame.drop(columns=[*FETCHED]), {"max_age": "1y"}, FETCHED[0]),
        (thousand, {"by": "many"}, "1,001"),
    ):
        with pytest.raises(InvalidInputError, match=named):
            stats.language_share(some, **options)
    with pytest.raises(InvalidInputError, match="negative_lines"):
        stats.commits_by_contributor(frames["contributors"], exclude=["negative_lines"])
