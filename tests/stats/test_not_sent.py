"""What did not come is not missing: statistics and charts say so."""

import pandas as pd
import pytest

import dirframe
from dirframe import plot, provenance, stats
from dirframe.errors import AnalysesNotSentWarning, ColumnsNotSentError, StrataOmittedWarning
from tests.oracle import LANGUAGE, LINES, PEOPLE
from tests.rig.today import Today

OF_ANALYSES = {
    *("activity", "contributor_concentration", "contributor_distribution"),
    *("contributors_by_language", "language_breakdown", "language_share", "languages_by_year"),
    *("life_span", "lorenz", "survival", "team_size_classes", "users_against_contributors"),
}


@pytest.fixture(scope="module")
def unsent(tmp_path_factory):
    """Load projects of a directory whose collections have no analysis."""
    with (
        Today(30) as today,
        today.directory(tmp_path_factory.mktemp("today")) as directory,
        pytest.warns(AnalysesNotSentWarning),
    ):
        return dirframe.load_projects(sort="project_name", directory=directory, progress=False)


@pytest.fixture
def partly(unsent):
    """Put in the numbers of contributors of 10 projects of 30 later."""
    frame = unsent.assign(half=["left"] * 10 + ["right"] * 20)
    frame.loc[frame["half"] == "left", PEOPLE] = range(10)
    return provenance.copy_provenance(unsent, frame)


def test_what_was_not_sent_is_refused_with_its_columns(unsent):
    for name in sorted(OF_ANALYSES):
        with pytest.raises(ColumnsNotSentError) as caught:
            getattr(stats, name)(unsent)
        columns = caught.value.columns
        assert columns, name
        assert all(column.startswith("analysis_") for column in columns), name
        assert len({*columns}) == len(columns), name
    for name in ("language_share", "lorenz", "activity"):
        with pytest.raises(ColumnsNotSentError):
            getattr(plot, name)(unsent)


def test_what_came_is_counted(unsent):
    assert stats.growth(unsent)["total"].max() == 30
    assert stats.tags(unsent).attrs["dirframe"]["counted"]["projects"] == 30


def test_values_that_were_put_in_later_count(unsent):
    filled = unsent.assign(**{LANGUAGE: "C", LINES: 10})
    provenance.copy_provenance(unsent, filled)
    assert list(stats.language_share(filled)["language"]) == ["C"]


def test_an_overview_says_what_was_not_sent(unsent):
    reasons = list(dirframe.summary(unsent).bias["reason"])
    assert any("not sent" in reason for reason in reasons)
    assert "no main language" not in reasons
    assert "no analysis" not in reasons


def test_the_other_strata_are_computed_and_the_record_names_what_is_not(partly):
    with pytest.warns(StrataOmittedWarning) as caught:
        found = stats.by(stats.contributor_distribution, partly, "half")
    [warning] = caught
    assert warning.filename == __file__
    assert warning.message.strata == ("right",)
    assert warning.message.columns == (PEOPLE,)
    assert set(found["half"]) == {"left"}
    alone = stats.contributor_distribution(partly[partly["half"] == "left"])
    pd.testing.assert_frame_equal(found.drop(columns="half"), alone)
    record = provenance.get_provenance(found)
    assert record["counted"]["stratum_not_sent"] == 20
    assert record["counted"]["projects"] == 30
    assert record["base"]["records"] == 10
    assert "right" in record["steps"][-1]


def test_strata_of_which_none_was_sent_are_refused(unsent):
    halves = provenance.copy_provenance(unsent, unsent.assign(half=["left", "right"] * 15))
    with pytest.raises(ColumnsNotSentError):
        stats.by(stats.lorenz, halves, "half")
    for column in ("language", "team_size", LANGUAGE):
        with pytest.raises(ColumnsNotSentError):
            stats.by(stats.growth, unsent, column)


def test_years_are_those_of_the_creation_where_no_activity_was_sent(unsent):
    tagged = provenance.copy_provenance(unsent, unsent.assign(tags=[["xml"]] * 30))
    years = stats.by(stats.tags, tagged, "year")["year"]
    assert set(years) == set(unsent["created_at"].dt.strftime("%Y"))
