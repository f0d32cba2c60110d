"""Sums that 64 bits do not hold are refused on every engine, never wrapped."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dirframe import stats
from dirframe.errors import InvalidInputError

duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
dask = pytest.importorskip("dask", reason="Dask is an extra")
dask_frame = pytest.importorskip("dask.dataframe", reason="Dask is an extra")

LARGEST = 2**63 - 1
LANGUAGE, LINES = "analysis_main_language_name", "analysis_total_code_lines"
CONTRIBUTORS = "analysis_twelve_month_contributor_count"
#: The column of its result that is a sum, and the column of the projects that it sums up.
SUMS = {
    "language_share": ("code_lines", LINES),
    "contributors_per_thousand_lines": ("code_lines", LINES),
    "contributors_by_language": ("contributors", CONTRIBUTORS),
    "team_size_classes": ("contributors", CONTRIBUTORS),
}


def on(engine: str, projects: pd.DataFrame) -> Any:
    """Hand a frame to an engine; to Dask in parts of a record each."""
    if engine == "duckdb":
        return duckdb.from_arrow(pa.Table.from_pandas(projects, preserve_index=False))
    if engine == "dask":
        return in_dask([projects.iloc[[row]] for row in range(len(projects))])
    return projects


def in_dask(parts: list[pd.DataFrame]) -> Any:
    # Not `from_pandas`: Dask tells pandas frames apart by their blocks and the names of their
    # columns, but not by which column is in which block. As long as one frame is alive, another
    # one with the numbers of these two columns exchanged is taken for it.
    return dask_frame.from_delayed([dask.delayed(part) for part in parts], meta=parts[0].iloc[:0])


def with_numbers(column: str, numbers: list[Any]) -> pd.DataFrame:
    few = {LANGUAGE: "C", LINES: 1, CONTRIBUTORS: 1}
    projects = pd.DataFrame([few] * len(numbers))
    return projects.assign(**{column: pd.Series(numbers, dtype="Int64")})


@pytest.mark.parametrize("engine", ["pandas", "duckdb", "dask"])
@pytest.mark.parametrize("name", SUMS)
def test_the_largest_sum_of_64_bits_is_right_and_one_more_is_refused(
    name: str, engine: str
) -> None:
    given, column = SUMS[name]
    statistic = getattr(stats, name)
    # One that is negative or missing is in no sum, so that it saves none either.
    fits = with_numbers(column, [LARGEST - 7, 7, -(2**62), None])
    assert statistic(on(engine, fits))[given].sum() == LARGEST
    beyond = with_numbers(column, [LARGEST - 7, 8, -(2**62), None])
    with pytest.raises(InvalidInputError, match="beyond 64 bits"):
        statistic(on(engine, beyond))


NUMBERS = st.one_of(
    st.none(),
    st.integers(-(2**63), LARGEST),
    st.integers(LARGEST // 3 - 2, LARGEST // 3 + 2),
    st.integers(0, 9),
)


@pytest.mark.parametrize("name", SUMS)
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
@given(
    records=st.lists(st.tuples(NUMBERS, st.sampled_from(["C", "D"])), min_size=1, max_size=6),
    cuts=st.sets(st.integers(1, 5), max_size=2),
)
@example(records=[(LARGEST, "C"), (1, "D")], cuts=set())  # each language fits, their total not
def test_a_sum_is_right_or_refused_however_the_records_lie_in_parts(
    name: str, records: list[tuple[int | None, str]], cuts: set[int]
) -> None:
    sums_in, column = SUMS[name]
    numbers = [number for number, _ in records]
    projects = with_numbers(column, numbers).assign(**{LANGUAGE: [one for _, one in records]})
    total = sum(number for number in numbers if number is not None and number > 0)
    edges = [0, *sorted(cut for cut in cuts if cut < len(numbers)), len(numbers)]
    parts = [projects.iloc[begin:end] for begin, end in pairwise(edges)]
    for frame in (projects, on("duckdb", projects), in_dask(parts), in_dask(parts[::-1])):
        if total > LARGEST:
            with pytest.raises(InvalidInputError, match="beyond 64 bits"):
                getattr(stats, name)(frame)
        else:
            sums = getattr(stats, name)(frame)[sums_in].dropna()
            assert sum(map(int, sums)) == total


@pytest.mark.parametrize("engine", ["pandas", "duckdb", "dask"])
def test_what_is_pooled_is_refused_where_its_sum_does_not_fit(engine: str) -> None:
    projects = with_numbers(LINES, [2**62, 2**62, 1]).assign(**{LANGUAGE: ["B", "C", "A"]})
    with pytest.raises(InvalidInputError, match="beyond 64 bits"):
        stats.language_share(on(engine, projects), top=1)


def test_a_number_that_64_bits_do_not_hold_is_refused_on_duckdb() -> None:
    columns = f"'C' AS {LANGUAGE}, 1 AS {CONTRIBUTORS}, {2**64}::HUGEINT AS {LINES}"
    for name in ("language_share", "language_breakdown"):
        with pytest.raises(InvalidInputError, match=r"64 bits|INT64"):
            getattr(stats, name)(duckdb.sql(f"SELECT {columns}"))


def test_a_ratio_of_many_contributors_does_not_wrap() -> None:
    table = stats.contributors_per_thousand_lines(with_numbers(CONTRIBUTORS, [10**16]))
    assert table["contributors_per_thousand_lines"].tolist() == [1e19]


@pytest.mark.parametrize("top", [0, -1, 1.5, 2.0, True, False, "3", float("nan")])
@pytest.mark.parametrize(
    "name",
    [
        *("contributors_by_language", "contributors_per_thousand_lines", "language_share"),
        *("language_breakdown", "languages_by_year", "licenses", "life_span", "tags"),
        "accounts_by_country",
    ],
)
def test_a_number_of_rows_is_whole_and_at_least_one(name: str, top: Any) -> None:
    some: dict[str, Any] = {
        "created_at": pd.Timestamp("2013-07-01", tz="UTC"),
        "id": "1",
        "name": "Ant",
    }
    month = {f"analysis_{name}": some["created_at"] for name in ("min_month", "max_month")}
    codes = {"country_code": "DE", "country_alpha_2": "DE", "country_name": "Germany"}
    frame = with_numbers(LINES, [1, 2]).assign(
        **some, **month, **codes, analysis_logged_at=some["created_at"], stack_count=1
    )
    with pytest.raises(InvalidInputError, match=f"top is {top!r}; it must be a whole number"):
        getattr(stats, name)(frame, top=top)
