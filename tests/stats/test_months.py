"""The months of one project: no gaps, nothing invented, and what was not over."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError


def months(*rows: tuple[str, int | None, int | None], loaded: str | None = None) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "month": pd.to_datetime([month for month, _, _ in rows], utc=True),
            "commits": pd.array([commits for _, commits, _ in rows], dtype="Int64"),
            "contributors": pd.array([people for _, _, people in rows], dtype="Int64"),
        }
    )
    return provenance.set_provenance(frame, resource="activity_fact", retrieved_newest=loaded)


def counted(table: pd.DataFrame) -> dict[str, int]:
    found: dict[str, int] = table.attrs["dirframe"]["counted"]
    return found


def test_a_month_without_a_row_is_zero_inside_the_span_only() -> None:
    table = stats.monthly_activity(months(("2012-11-01", 3, 2), ("2013-02-01", 1, 1)))
    assert [f"{month:%Y-%m}" for month in table["month"]] == [
        *("2012-11", "2012-12", "2013-01", "2013-02")
    ]
    assert table["commits"].tolist() == [3, 0, 0, 1]
    assert table["contributors"].tolist() == [2, 0, 0, 1]
    assert counted(table)["months_filled"] == 2


def test_rows_in_any_order_with_days_inside_the_month_give_the_same() -> None:
    sorted_rows = months(("2012-11-01", 3, 2), ("2012-12-01", 5, 1))
    mixed = months(("2012-12-24", 5, 1), ("2012-11-30", 3, 2))
    pd.testing.assert_frame_equal(
        stats.monthly_activity(mixed), stats.monthly_activity(sorted_rows)
    )


def test_a_number_that_is_missing_or_negative_is_missing_and_no_zero() -> None:
    table = stats.monthly_activity(months(("2012-11-01", None, 2), ("2012-12-01", -5, None)))
    assert table["commits"].tolist() == [pd.NA, pd.NA]
    assert table["contributors"].tolist() == [2, pd.NA]
    assert counted(table) == {
        "activity_facts": 2,
        "with_month": 2,
        "month_missing": 0,
        "months_filled": 0,
        "commits_invalid": 2,
        "contributors_invalid": 1,
    }


def test_lines_that_the_frame_does_not_have_are_missing_in_gaps_too() -> None:
    frame = months(("2012-11-01", 3, 2), ("2013-01-01", 1, 1))
    assert stats.monthly_activity(frame)["code_added"].isna().all()
    added = stats.monthly_activity(frame.assign(code_added=[10, 20]))
    assert added["code_added"].tolist() == [10, 0, 20]
    assert added["code_removed"].isna().all()


@pytest.mark.parametrize(
    ("loaded", "finished"),
    [
        ("2012-12-31T23:59:59+00:00", [True, False]),
        ("2013-01-01T00:00:00+00:00", [True, True]),
        ("2012-11-30T00:00:00+00:00", [False, False]),
        (None, [True, pd.NA]),
    ],
)
def test_a_month_is_finished_if_the_load_came_after_it(
    loaded: str | None, finished: list[Any]
) -> None:
    frame = months(("2012-11-01", 3, 2), ("2012-12-01", 5, 1), loaded=loaded)
    assert stats.monthly_activity(frame)["finished"].tolist() == finished


def test_months_of_several_projects_are_refused() -> None:
    frame = months(("2012-11-01", 3, 2), ("2012-11-01", 3, 2))
    with pytest.raises(InvalidInputError, match="2012-11 is in the frame more than once"):
        stats.monthly_activity(frame)
    with pytest.raises(InvalidInputError, match="more than once"):
        stats.monthly_activity(months(("2012-11-01", 3, 2), ("2012-11-09", 4, 2)))


def test_no_months_give_every_column_and_dtype() -> None:
    nothing, some = (stats.monthly_activity(months(*rows)) for rows in ([], [("2012-11-01", 3, 2)]))
    assert nothing.empty
    assert nothing.dtypes.equals(some.dtypes)


def test_a_frame_of_something_else_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"no column month, contributors.*load_activity"):
        stats.monthly_activity(pd.DataFrame({"commits": [1]}))
