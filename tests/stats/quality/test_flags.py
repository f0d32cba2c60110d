"""Known bad data is flagged by rule, the same on every engine."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dirframe import flags, provenance, read_pages
from dirframe.errors import InvalidInputError, MissingColumnsError
from dirframe.stats._rules.first_appearance import FIRST_APPEARANCE
from dirframe.stats._rules.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
dask_frame = pytest.importorskip("dask.dataframe", reason="Dask is an extra")


def months(*values: str | None) -> pd.Series[Any]:
    return pd.Series(pd.to_datetime(pd.Series(values), utc=True, format="ISO8601").dt.as_unit("us"))


def projects() -> pd.DataFrame:
    """Make a sound project (1), one for each rule, and one of which nothing is known."""
    sound = {
        "id": "1",
        "name": "Sound",
        "analysis_main_language_name": "Java",
        "analysis_min_month": "2005-01-01",
        "analysis_max_month": "2013-06-01",
        "analysis_logged_at": "2013-06-20",
        "analysis_total_code_lines": 1000,
        "analysis_twelve_month_contributor_count": 3,
        "created_at": "2006-01-01",
        "updated_at": "2013-06-21",
    }
    rows: list[dict[str, Any]] = [
        sound,
        sound | {"id": "2", "analysis_min_month": "1969-12-01"},
        sound | {"id": "3", "analysis_min_month": "1994-12-01"},
        sound | {"id": "4", "analysis_max_month": "2004-12-01"},
        sound | {"id": "5", "analysis_max_month": "2013-07-01"},
        sound | {"id": "6", "analysis_total_code_lines": -1},
        sound | {"id": "7", "analysis_twelve_month_contributor_count": -1},
        sound | {"id": "8", "analysis_logged_at": "2012-06-19", "analysis_max_month": "2012-01-01"},
        sound | {"id": "9", "updated_at": "2005-12-31"},
        sound | {"id": "10"},
        sound | {"id": "10"},
        {"id": "11"},
    ]
    frame = pd.DataFrame(rows)
    for name in frame.columns:
        if "month" in name or name.endswith("_at"):
            frame[name] = pd.to_datetime(frame[name], utc=True).dt.as_unit("us")
    for name in ("analysis_total_code_lines", "analysis_twelve_month_contributor_count"):
        is_count = pd.api.types.is_datetime64_any_dtype(frame[name])
        frame[name] = (
            pd.Series([row.get(name) for row in rows], dtype="Int64")
            if is_count
            else (frame[name].astype("Int64"))
        )
    return frame


@pytest.fixture
def session() -> Iterator[Any]:
    with duckdb.connect() as connection:
        connection.sql("SET TimeZone = 'Asia/Tokyo'")
        yield connection


def on_engines(frame: pd.DataFrame, session: Any) -> list[Any]:
    relation = session.from_arrow(pa.Table.from_pandas(frame, preserve_index=False))
    return [frame, relation, dask_frame.from_pandas(frame, npartitions=3)]


def test_each_rule_tells_its_record_and_no_other_on_every_engine(session: Any) -> None:
    for frame in on_engines(projects(), session):
        found = flags(frame)
        assert list(zip(found["rule"], found["id"], strict=True)) == [
            ("began_before_1970", "2"),
            ("began_before_language", "2"),
            ("began_before_language", "3"),
            ("duplicate_id", "10"),
            ("duplicate_id", "10"),
            ("month_in_future", "5"),
            ("months_reversed", "4"),
            ("negative_contributors", "7"),
            ("negative_lines", "6"),
            ("stale_analysis", "8"),
            ("updated_before_created", "9"),
        ]
        assert (
            found["evidence"]
            .str.contains("2004-12|-1 |2013-07|1969-12|10|1995|2005|2012-06-19")
            .all()
        )


def test_an_outlier_is_beyond_the_modified_z_score_of_its_language(session: Any) -> None:
    lines = [10**power for power in (2, 3, 4)] * 10
    bound = int(10 ** (3 + 3.5 / 0.6745))  # median 3 and MAD 1 of the logarithm
    frame = pd.DataFrame(
        {
            "analysis_main_language_name": ["C"] * 31 + ["Java"] * 31 + ["Ada"],
            "analysis_total_code_lines": [*lines, bound + 1, *lines, bound, 10**9],
            "id": [str(number) for number in range(63)],
        }
    )
    for one in on_engines(frame, session):
        found = flags(one, rules=["lines_outlier"])
        assert found["id"].tolist() == ["30", "62"]  # Ada has too few of its own: all projects
        assert "the bound of C is" in found["evidence"][0]
        assert "the bound of all projects is" in found["evidence"][1]


def test_records_without_any_spread_have_no_outlier() -> None:
    frame = pd.DataFrame({"analysis_total_code_lines": [10] * 30 + [10**12]})
    assert flags(frame, rules=["lines_outlier"]).empty


def test_impossible_accounts_are_flagged_on_every_engine(session: Any) -> None:
    frame = pd.DataFrame(
        {
            "id": list("12345"),
            "login": ["a", "b", "c", "d", "e"],
            "email_sha1": list("vwxyz"),
            "posts_count": [0, -1, 1, 1, 1],
            "kudo_score_kudo_rank": [1, 10, 11, 0, None],
            "latitude": [90.0, -90, 91, np.nan, 0],
            "longitude": [180.0, -180, 0, -180.5, np.nan],
        }
    )
    for one in on_engines(frame, session):
        found = flags(one)
        assert list(zip(found["rule"], found["name"], strict=True)) == [
            ("impossible_kudo_rank", "c"),
            ("impossible_kudo_rank", "d"),
            ("impossible_latitude", "c"),
            ("impossible_longitude", "d"),
            ("negative_posts", "b"),
        ]
        assert found.attrs["dirframe"]["counted"]["accounts"] == 5


@pytest.mark.parametrize(
    ("max_age", "stale"),
    [
        ("365d", 1),
        (366, 0),
        (timedelta(days=365), 1),
        ("12mo", 1),
        ("1y", 1),
        ("53w", 0),
        ("2y", 0),
    ],
)
def test_an_analysis_is_stale_by_the_age_asked_for(max_age: Any, stale: int) -> None:
    frame = pd.DataFrame({"analysis_logged_at": months("2012-06-19", "2013-06-19T00:00:01", None)})
    assert len(flags(frame, rules=["stale_analysis"], max_age=max_age)) == stale


def test_the_age_is_counted_from_the_day_of_the_load_where_it_is_known() -> None:
    frame = pd.DataFrame({"analysis_logged_at": months("2012-06-19", "2013-06-19")})
    provenance.set_provenance(frame, retrieved_newest="2020-01-01T00:00:00Z")
    assert len(flags(frame, max_age="2y")) == 2
    provenance.set_provenance(frame, synthetic=True)
    assert len(flags(frame, max_age="2y")) == 0


@pytest.mark.parametrize("max_age", ["2 m", "y", "", "-1d", -1, True, 1.5])
def test_what_is_no_age_is_refused_and_says_what_one_is(max_age: Any) -> None:
    with pytest.raises(InvalidInputError, match="number of days, a timedelta, or text"):
        flags(projects(), max_age=max_age)


def test_an_unknown_rule_and_one_without_its_column_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"no rule negative_line\. The rules are began"):
        flags(projects(), rules=["negative_line"])
    with pytest.raises(InvalidInputError, match="negative_posts needs the column posts_count"):
        flags(projects(), rules=["negative_posts"])


def test_no_record_and_no_rule_give_the_same_columns() -> None:
    expected = flags(projects()).iloc[:0]
    for table in (flags(projects().iloc[:0]), flags(pd.DataFrame({"other": [1]}), rules=[])):
        pd.testing.assert_frame_equal(table, expected)


def test_a_frame_that_no_rule_can_be_applied_to_is_refused() -> None:
    for frame in (pd.DataFrame({"other": [1]}), pd.DataFrame()):
        with pytest.raises(MissingColumnsError, match="no column that a rule reads"):
            flags(frame)


def test_the_docstring_says_in_which_year_each_language_first_appeared() -> None:
    said = " ".join((flags.__doc__ or "").split())
    listed = said.partition("Wikipedia's: ")[2].partition(" - ``lines_outlier``")[0]
    assert listed == ", ".join(f"{name} {year}" for name, year in FIRST_APPEARANCE.items())


def test_where_sources_differ_the_earliest_year_of_a_language_counts() -> None:
    # Of PLDB and Wikipedia: 1998 and 1999, 1985 and 1983, 2009 and 2011, 1995 and 1994.
    years = {"ActionScript": 1998, "C++": 1983, "CoffeeScript": 2009, "PHP": 1994, "Elixir": 2011}
    assert {name: FIRST_APPEARANCE[name] for name in years} == years


def test_the_names_of_the_rules_stay() -> None:
    assert [str(rule) for rule in Rule] == sorted(rule.name.lower() for rule in Rule)


def test_the_real_projects_hold_what_is_known_of_them(shared: Path) -> None:
    found = flags(read_pages(shared / "real" / "pages"), max_age="2y")
    counts = found["rule"].value_counts().to_dict()
    assert counts["negative_lines"] == 2
    # Fetched more than two years before 11 July 2013, the day of the median one of 301.
    assert counts["stale_analysis"] == 20
    assert counts["month_in_future"] == 1
