"""The one-screen overview says what is there, what is missing and what cannot be."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

from dirframe import load_projects, provenance, read_pages, sample_directory, summary
from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from pathlib import Path


def beware(frame: pd.DataFrame) -> dict[str, int]:
    table = summary(frame).bias
    return dict(zip(table["reason"], table["records"], strict=True))


def fields(frame: pd.DataFrame) -> pd.DataFrame:
    return summary(frame).fields.set_index("column")


def days(*texts: str | None) -> pd.Series[pd.Timestamp]:
    return pd.to_datetime(pd.Series(texts, dtype="str"), utc=True)


def test_each_column_says_how_much_is_missing_and_what_it_holds() -> None:
    frame = pd.DataFrame(
        {
            "id": pd.Series(["1", "2", "3", "4"], dtype="str"),
            "analysis_total_code_lines": pd.Series([5, None, 1000, 7], dtype="Int64"),
            "created_at": days("2012-01-05", None, "2013-02-03", "2012-12-31"),
            "tags": pd.Series([["a", "b"], None, [], np.array(["c"])], dtype="object"),
            "irc_url": pd.Series([None] * 4, dtype="str"),
        }
    )
    table = fields(frame)
    assert table["present"].tolist() == [4, 3, 3, 2, 0]
    assert table["missing_share"].tolist() == pytest.approx([0, 0.25, 0.25, 0.5, 1])
    assert table["values"].tolist() == [
        "4 different",
        "min 5, median 7, max 1,000",
        "2012-01-05 to 2013-02-03",
        "3 entries",
        "",
    ]


def test_the_real_projects_are_told_as_their_collector_did(shared: Path) -> None:
    found = beware(read_pages(shared / "real" / "pages"))
    assert found["no analysis"] == 10
    assert found["no main language"] == 14
    assert found["impossible: negative lines"] == 2


def test_an_analysis_is_stale_a_year_before_the_load() -> None:
    frame = pd.DataFrame({"analysis_logged_at": days("2012-07-30", "2012-08-01", None)})
    loaded = provenance.set_provenance(frame.copy(), retrieved_newest="2013-07-31T12:00:00Z")
    assert beware(loaded)["stale: code fetched over a year before 2013-07-31"] == 1
    assert beware(frame)["stale: code fetched over a year before 2012-08-01"] == 0


def test_one_wrong_date_of_a_fetch_makes_no_other_analysis_stale() -> None:
    frame = pd.DataFrame(
        {"analysis_logged_at": days("2013-07-30", "2013-07-29", "2011-01-01", "2031-01-01", None)}
    )
    assert beware(frame)["stale: code fetched over a year before 2013-07-30"] == 1
    assert beware(frame)["no date of the code's fetch"] == 1
    loaded = provenance.set_provenance(frame, retrieved_newest="2013-07-31T12:00:00Z")
    assert beware(loaded)["stale: code fetched over a year before 2013-07-31"] == 1
    assert beware(loaded)["impossible: code fetched after the load"] == 1


def test_today_s_name_of_the_fetch_counts_where_the_older_one_is_missing() -> None:
    frame = pd.DataFrame(
        {
            "analysis_logged_at": days(None, "2013-07-01"),
            "analysis_oldest_code_set_time": days("2010-01-01", "2010-01-01"),
        }
    )
    assert beware(frame)["stale: code fetched over a year before 2013-07-01"] == 1


def test_impossible_projects_are_counted_and_stay() -> None:
    frame = pd.DataFrame(
        {
            "analysis_total_code_lines": [-1, 5],
            "analysis_twelve_month_contributor_count": [-1, -2],
            "analysis_min_month": days("2013-01-01", "2012-01-01"),
            "analysis_max_month": days("2012-01-01", "2013-01-01"),
            "created_at": days("2013-01-02", "2012-01-01"),
            "updated_at": days("2013-01-01", "2012-01-01"),
        }
    )
    before = frame.copy(deep=True)
    found = beware(frame)
    assert {name: number for name, number in found.items() if name.startswith("impossible")} == {
        "impossible: negative lines": 1,
        "impossible: negative contributors": 2,
        "impossible: last month before the first": 1,
        "impossible: changed before it was created": 1,
    }
    pd.testing.assert_frame_equal(frame, before)


def test_impossible_and_unplaced_accounts_are_counted() -> None:
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
        "impossible: negative posts": 1,
        "no kudo rank": 1,
        "impossible: kudo rank": 1,
        "impossible: latitude": 1,
        "impossible: longitude": 1,
    }


def test_a_capped_load_says_what_its_sort_left_out() -> None:
    with sample_directory(cache=False) as directory:
        projects = load_projects(max_items=50, sort="stack_count", directory=directory)
    overview = summary(projects)
    first = overview.bias.iloc[0]
    assert first["reason"] == "not loaded: the last, sorted by stack_count"
    assert first["records"] == 1450
    assert first["share"] == pytest.approx(1450 / 1500)
    assert overview.title.startswith("50 projects, incomplete (")


class Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_text_and_html_show_the_same_and_nothing_is_markup() -> None:
    frame = pd.DataFrame({"id": ["1"], "<script>x</script>": ["$x$"]})
    overview = summary(frame)
    page = Cells()
    page.feed(overview._repr_html_())
    assert "script" not in page.tags
    assert "<script>x</script>" in page.text
    assert "<script>x</script>" in str(overview)
    for part in ("1 record", "Columns", "Reasons to beware", overview.source):
        assert part in page.text
        assert part in str(overview)


@pytest.mark.parametrize("rows", [0, 1])
def test_a_small_frame_is_shown_too(rows: int) -> None:
    with sample_directory(cache=False) as directory:
        projects = load_projects(max_items=1, directory=directory).head(rows)
    overview = summary(projects)
    assert str(overview).startswith(f"{rows} project")
    assert overview.fields.dtypes.astype(str).tolist() == ["str", "Int64", "Float64", "str"]
    assert overview.bias.dtypes.astype(str).tolist() == ["str", "Int64", "Float64"]


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="got a list"):
        summary([1])  # type: ignore[arg-type]  # that is the point


def test_the_overview_of_other_records_calls_them_what_they_are() -> None:
    frame = pd.DataFrame({"contributor_id": ["5"], "analysis_id": ["1"], "commits": [3]})
    said = summary(provenance.set_provenance(frame, resource="contributor_fact", complete=True))
    assert str(said).startswith("1 contributor, complete")
    assert said.bias.empty


def loaded(count: int = 6) -> pd.DataFrame:
    frame = pd.DataFrame({"id": [str(number) for number in range(count)], "name": "x"})
    return provenance.set_provenance(frame, resource="project", items_loaded=count, complete=True)


def repeated(frame: pd.DataFrame) -> int:
    bias = summary(frame).bias.set_index("reason")["records"]
    return int(bias["repeated id: counted more than once"])


def test_a_part_of_a_complete_load_is_not_complete() -> None:
    assert summary(loaded()).title == "6 projects, complete"
    assert summary(loaded().sample(frac=1, random_state=1)).title == "6 projects, complete"
    title = summary(loaded().head(2)).title
    assert title == "2 projects, 2 of 6 records loaded; the load was complete"


def test_records_that_are_there_twice_are_counted_as_such() -> None:
    twice = pd.concat([loaded(), loaded()])
    assert repeated(loaded()) == 0
    assert repeated(twice) == 6
    assert summary(twice).title == "12 projects, 6 with a repeated id; the load was complete"
    assert summary(twice).source.startswith("n = 12 projects, 6 with a repeated id ·")
    assert repeated(pd.DataFrame({"id": ["1", "1"]})) == 1


def test_a_repeated_id_is_said_once() -> None:
    bias = summary(pd.DataFrame({"id": ["1", "1"], "name": ["a", "b"]})).bias
    assert [reason for reason in bias["reason"] if " id" in reason] == [
        "repeated id: counted more than once"
    ]


def test_other_records_than_were_loaded_are_noticed_where_they_are_as_many() -> None:
    other = loaded()
    other["id"] = other["id"] + "0"
    assert "not the 6 that were loaded" in summary(other).title


def test_a_frame_from_nowhere_claims_nothing() -> None:
    overview = summary(pd.DataFrame({"id": ["1", "2"], "name": "x"}))
    assert overview.title == "2 records"
    assert overview.source == "n = 2 records · Source: not recorded"
