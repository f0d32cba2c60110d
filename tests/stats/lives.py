"""Projects with a first and a last month and a day of their fetch, for tests."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

import pandas as pd
from hypothesis import strategies as st


class Project(NamedTuple):
    """Months since January 2000."""

    first: int | None = None
    last: int | None = None
    people: int | None = None
    fetched: int | None = 60

    @property
    def problem(self) -> str:
        """Say why it cannot be placed in time; blank where it can."""
        if self.first is None or self.last is None:
            return "month_missing"
        if self.last < self.first:
            return "months_reversed"
        if self.fetched is not None and self.last > self.fetched:
            return "months_after_fetch"
        return ""


months = st.none() | st.integers(0, 60)
lists = st.lists(
    st.builds(Project, months, months, st.none() | st.integers(-2, 3), months), max_size=20
)


def month(number: int) -> str:
    return date(2000 + number // 12, number % 12 + 1, 1).isoformat()


def frame(projects: list[Project]) -> pd.DataFrame:
    def moments(numbers: list[int | None], day: str = "01") -> pd.Series[pd.Timestamp]:
        texts = [None if number is None else month(number)[:8] + day for number in numbers]
        return pd.to_datetime(pd.Series(texts, dtype="str"), utc=True)

    return pd.DataFrame(
        {
            "id": pd.Series(map(str, range(len(projects))), dtype="str"),
            "name": pd.Series(["Same name"] * len(projects), dtype="str"),
            "analysis_main_language_name": pd.Series([None] * len(projects), dtype="str"),
            "analysis_min_month": moments([p.first for p in projects]),
            "analysis_max_month": moments([p.last for p in projects]),
            "analysis_logged_at": moments([p.fetched for p in projects], day="17"),
            "analysis_twelve_month_contributor_count": pd.Series(
                [p.people for p in projects], dtype="Int64"
            ),
        }
    )


def usual_month(projects: list[Project]) -> int | None:
    """Give the month in which the median project was fetched, the later one of two."""
    fetched = sorted(p.fetched for p in projects if p.fetched is not None)
    return fetched[len(fetched) // 2] if fetched else None
