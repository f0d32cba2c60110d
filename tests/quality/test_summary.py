"""The one-screen overview says what is there, what is missing and what cannot be."""

import html
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dirframe import load_projects, provenance, select, stats, summary
from tests.oracle import FETCHED, FIRST, LANGUAGE, LAST, LINES, PEOPLE


def beware(frame):
    table = summary(frame).bias
    return dict(zip(table["reason"], table["records"], strict=True))


def days(*texts):
    return pd.to_datetime(pd.Series(texts, dtype="str"), utc=True)


def number_of(frame, *words):
    """Give the records of the reason that names something, such as a date."""
    [number] = [n for reason, n in beware(frame).items() if all(word in reason for word in words)]
    return number


def test_summary_of_a_column_says_how_much_is_missing_and_what_it_holds():
    frame = pd.DataFrame(
        {
            "id": pd.Series(["1", "2", "3", "4"], dtype="str"),
            LINES: pd.Series([5, None, 1000, 7], dtype="Int64"),
            "created_at": days("2012-01-05", None, "2013-02-03", "2012-12-31"),
            "tags": pd.Series([["a", "b"], None, [], np.array(["c"])], dtype="object"),
            "irc_url": pd.Series([None] * 4, dtype="str"),
            "average_rating": [4.5, 1.25, None, 2.0],
            "seen": pd.array([True, None, True, False], dtype="boolean"),
        }
    )
    table = summary(frame).fields
    assert table["column"].tolist() == list(frame)
    assert table["present"].tolist() == [4, 3, 3, 2, 0, 3, 3]
    missing = [0, 0.25, 0.25, 0.5, 1, 0.25, 0.25]
    assert table["missing_share"].tolist() == pytest.approx(missing)
    assert table["values"].tolist() == [
        "4 different",
        "min 5, median 7, max 1,000",
        "2012-01-05 to 2013-02-03",
        "3 entries",
        "",
        "min 1.25, median 2, max 4.5",
        "2 true",
    ]


def test_columns_of_objects_are_described_by_what_they_hold():
    columns = {
        "dates": [date(2012, 1, 5), None, date(2013, 2, 3)],
        "decimals": [Decimal("1.5"), None, Decimal("2.5")],
        "texts": ["abc", None, "abc"],
        "numbers": [1, None, 3],
        "truths": [True, None, False],
        "mixed": ["a", 1, None],
        "records": [{"a": 1}, None, {}],
        "lists": [["a"], [], None],
    }
    frame = pd.DataFrame({name: pd.Series(v, dtype="object") for name, v in columns.items()})
    frame["day"] = pd.array(columns["dates"], dtype=pd.ArrowDtype(pa.date32()))
    table = summary(frame).fields.set_index("column")
    assert table["present"].to_dict() == dict.fromkeys([*columns, "day"], 2) | {
        "records": 1,
        "lists": 1,
    }
    assert table["values"].to_dict() == {
        "dates": "2012-01-05 to 2013-02-03",
        "decimals": "min 1.5, median 2, max 2.5",
        "texts": "1 different",
        "numbers": "min 1, median 2, max 3",
        "truths": "1 true",
        "mixed": "2 different",
        "records": "1 different",
        "lists": "1 entry",
        "day": "2012-01-05 to 2013-02-03",
    }


def test_summary_counts_stale_analyses_whatever_one_wrong_date_says():
    dates = days("2012-07-30", "2013-07-30", "2013-07-29", "2031-01-01", None)
    frame = pd.DataFrame({FETCHED[0]: dates})
    assert number_of(frame, "stale", "2013-07-30") == 0  # the day of the median one
    loaded = provenance.set_provenance(frame, retrieved_newest="2013-07-31T12:00:00Z")
    assert number_of(loaded, "stale", "2013-07-31") == 1
    assert number_of(loaded, "no date") == 1


def test_impossible_projects_are_counted_and_stay():
    frame = pd.DataFrame(
        {
            LINES: [-1, 5],
            PEOPLE: [-1, -2],
            FIRST: days("2013-01-01", "2012-01-01"),
            LAST: days("2012-01-01", "2013-01-01"),
            "created_at": days("2013-01-02", "2012-01-01"),
            "updated_at": days("2013-01-01", "2012-01-01"),
            LANGUAGE: ["C", None],
        }
    )
    before = frame.copy(deep=True)
    found = beware(frame)
    assert {
        name: number for name, number in found.items() if name.startswith("rule") and number
    } == {
        "rule negative_lines": 1,
        "rule negative_contributors": 2,
        "rule months_reversed": 1,
        "rule updated_before_created": 1,
    }
    assert (found["no analysis"], found["no main language"]) == (0, 1)
    assert found["rule began_before_1970 (in doubt)"] == 0
    doubts = [name.endswith("(in doubt)") for name in found]
    assert doubts == sorted(doubts)  # after what cannot be
    pd.testing.assert_frame_equal(frame, before)


def test_blank_text_is_missing_as_in_the_statistics_and_to_a_selection():
    projects = pd.DataFrame({"id": [*"123"], LANGUAGE: ["C", " ", None], LINES: [1, 2, 3]})
    counted = stats.language_share(projects).attrs["dirframe"]["counted"]
    without = select(projects, languages=[None])
    assert counted["without_language"] == len(without) == beware(projects)["no main language"] == 2
    accounts = pd.DataFrame({"id": [*"12"], "country_code": [" ", None], "email_sha1": "x"})
    accounts[["country_alpha_2", "country_name"]] = None
    found = beware(accounts)
    assert (found["no country"], found["country not resolved"]) == (2, 0)
    counted = stats.accounts_by_country(accounts).attrs["dirframe"]["counted"]
    assert counted["country_missing"] == 2


def test_impossible_and_unplaced_accounts_are_counted():
    frame = pd.DataFrame(
        {
            "email_sha1": ["x", "y", "z"],
            "country_code": [None, "DE", "Atlantis"],
            "country_alpha_2": [None, "DE", None],
            "posts_count": [-1, 0, 1],
            "kudo_score_kudo_rank": pd.Series([11, None, 1], dtype="Int64"),
            "latitude": [91.0, None, 90.0],
            "longitude": [0.0, -180.5, None],
        }
    )
    assert beware(frame) == {
        "no country": 1,
        "country not resolved": 1,
        "rule negative_posts": 1,
        "rule impossible_kudo_rank": 1,
        "rule impossible_latitude": 1,
        "rule impossible_longitude": 1,
    }
    assert summary(frame).bias["share"].tolist() == pytest.approx([1 / 3] * 6)


@pytest.mark.parametrize(("sort", "order"), [("stack_count", "stack_count"), (None, "created_at")])
def test_summary_of_a_capped_load_says_what_its_sort_left_out(sort, order, sample):
    overview = summary(load_projects(sort=sort, max_items=50, directory=sample, progress=False))
    first = overview.bias.iloc[0]
    assert (first["records"], first["share"]) == (1450, pytest.approx(1450 / 1500))
    assert order in first["reason"]
    assert overview.title.startswith("50 projects, incomplete")


def test_summary_says_that_nothing_was_left_out(sample, sample_projects):
    projects = load_projects(max_items=50, directory=sample, progress=False)
    provenance.set_provenance(projects, items_available=40)  # fewer than were loaded
    assert number_of(projects, "not loaded") == 0
    assert [reason for reason in beware(sample_projects) if "not loaded" in reason] == []


def test_text_and_html_show_the_same_and_nothing_is_markup():
    overview = summary(pd.DataFrame({"id": ["1"], "<script>x</script>": ["$x$"]}))
    page = overview._repr_html_()
    assert "<script" not in page
    parts = ["<script>x</script>", "1 record", "Columns", overview.source]
    assert [part for part in parts if html.escape(part) not in page] == []
    assert [part for part in parts if part not in str(overview)] == []


@pytest.mark.parametrize("rows", [0, 1])
def test_summary_of_a_small_frame(rows, sample_projects):
    overview = summary(sample_projects.head(rows))
    assert str(overview).startswith(f"{rows} project")
    assert overview.fields.dtypes.astype(str).tolist() == ["str", "Int64", "Float64", "str"]
    assert overview.bias.dtypes.astype(str).tolist() == ["str", "Int64", "Float64"]
    assert overview.bias["share"].notna().all() == bool(rows)  # none of no records


def test_summary_of_other_records_calls_them_what_they_are():
    frame = pd.DataFrame({"contributor_id": ["5"], "analysis_id": ["1"], "commits": [3]})
    overview = summary(provenance.set_provenance(frame, resource="contributor_fact", complete=True))
    assert overview.title == "1 contributor, complete"
    assert overview.bias.empty


def loaded(count=6):
    frame = pd.DataFrame({"id": [str(number) for number in range(count)], "name": "x"})
    return provenance.set_provenance(frame, resource="project", items_loaded=count, complete=True)


def test_summary_title_says_whether_the_records_are_those_that_were_loaded():
    assert summary(loaded()).title == "6 projects, complete"
    assert summary(loaded().sample(frac=1, random_state=1)).title == "6 projects, complete"
    some = summary(loaded().head(2)).title
    assert "2 projects" in some
    assert "2 of 6" in some
    assert not some.endswith("projects, complete")


def test_summary_title_counts_repeated_ids():
    twice = pd.concat([loaded(), loaded()])
    title = summary(twice).title
    assert "12 projects" in title
    assert "6 with a repeated id" in title
    assert not title.endswith("projects, complete")
    assert number_of(twice, " id") == 6


def test_summary_of_records_of_no_source_calls_them_records():
    nowhere = summary(pd.DataFrame({"id": ["1", "2"], "name": "x"}))
    assert nowhere.title == "2 records"
    assert nowhere.source.startswith("n = 2 records")


def test_recorded_projects_are_told_as_their_collector_did(recorded):
    found = beware(recorded)
    assert found["no analysis"] == 10
    assert found["no main language"] == 14
    assert found["rule negative_lines"] == 2


def test_summary_fits_a_terminal_and_names_every_column(sample_projects):
    overview = summary(sample_projects)
    text = repr(overview)
    lines = text.split("\n")
    tables = [line for line in lines if line.startswith("  ")]
    assert [line for line in tables if len(line) > 80] == []
    assert [name for name in sample_projects if f"  {name}" not in text] == []
    at = lines.index("  analysis_twelve_month_contributor_count")
    assert "max" in lines[at + 1]
