"""A column is read alike from pandas, DuckDB and Dask, or refused by all three."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dirframe
from dirframe import stats
from dirframe.errors import InvalidInputError

duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
dask = pytest.importorskip("dask", reason="Dask is an extra")
dask_frame = pytest.importorskip("dask.dataframe", reason="Dask is an extra")

CONTRIBUTORS = "analysis_twelve_month_contributor_count"
LANGUAGE = "analysis_main_language_name"
EXACT = 2**53

whole = st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1) | st.integers(EXACT - 2, EXACT + 2)
#: Columns of numbers, as Arrow has them.
NUMBERS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "whole": (pa.int64(), whole),
    "short": (pa.int16(), st.integers(-3, 300)),
    "floating": (pa.float64(), whole.map(float) | st.floats(-9, 9).map(lambda n: round(n, 1))),
    "decimal": (pa.decimal128(22, 0), whole.map(Decimal)),
    "cents": (pa.decimal128(22, 2), st.integers(-900, 900).map(lambda n: Decimal(n) / 100)),
    "text": (pa.string(), st.integers(0, 9).map(str)),
    "truth": (pa.bool_(), st.booleans()),
    "days": (pa.date32(), st.dates(date(2000, 1, 1), date(2020, 1, 1))),
}
#: Columns of dates, and of what could be taken for some.
DATES: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "moments": (pa.timestamp("us", tz="UTC"), st.datetimes(datetime(1990, 1, 1)).map(  # noqa: DTZ001  # UTC is added
        lambda moment: moment.replace(tzinfo=UTC, year=min(moment.year, 2200)))),
    "without a zone": (pa.timestamp("us"), st.datetimes(datetime(1990, 1, 1), datetime(2200, 1, 1))),  # noqa: DTZ001  # dates without a zone are tested
    "days": (pa.date32(), st.dates(date(2000, 1, 1), date(2020, 1, 1))),
    "seconds": (pa.int64(), st.integers(0, 2**31)),
    "fractions": (pa.float64(), st.floats(0, 2**31)),
    "either day": (pa.string(), st.just("03/04/2013")),
    "ISO 8601": (pa.string(), st.just("2013-07-31T00:00:00Z")),
    "years": (pa.string(), st.just("2013")),
}  # fmt: skip


def outcome(statistic: Any, frame: Any, **options: Any) -> Any:
    """Compute, or say that the input was refused."""
    try:
        table = statistic(frame, **options)
    except InvalidInputError:
        return "refused"
    return table.to_dict("list"), table.attrs["dirframe"]["counted"]


def outcomes(statistic: Any, column: str, values: pa.Array, **options: Any) -> list[Any]:
    """Compute of a frame of pandas, a relation of DuckDB and a frame of Dask in parts."""
    table = pa.table({column: values})
    frame = table.to_pandas()
    parts = [frame.iloc[[row]] for row in range(len(frame))]
    # Dask would make text of decimals and days before anything of ours sees them.
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        delayed = [dask.delayed(part) for part in parts]
        parted = dask_frame.from_delayed(delayed, meta=frame.iloc[:0])
        return [
            outcome(statistic, each, **options)
            for each in (frame, duckdb.from_arrow(table), parted)
        ]


QUICK = settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.differing_executors]
)


def test_columns_of_one_name_are_refused_by_every_function_that_counts() -> None:
    frame = pd.DataFrame([["1", "C", "C"]], columns=["id", LANGUAGE, LANGUAGE])
    for count in (stats.language_share, stats.growth, stats.tags, dirframe.summary, dirframe.flags):
        with pytest.raises(InvalidInputError, match=rf"several columns of one name \({LANGUAGE}\)"):
            count(frame)


@pytest.mark.parametrize("kind", NUMBERS)
@QUICK
@given(st.data())
def test_numbers_are_read_alike_or_refused_by_every_engine(kind: str, data: st.DataObject) -> None:
    dtype, strategy = NUMBERS[kind]
    values = data.draw(st.lists(strategy, min_size=1, max_size=4))
    fits = [v for v in values if not isinstance(v, Decimal) or abs(v) < 10**18] or values[:1]
    found = outcomes(stats.contributor_distribution, CONTRIBUTORS, pa.array(fits, dtype))
    assert found[0] == found[1] == found[2]
    if kind in {"text", "truth", "days"}:
        assert found[0] == "refused"
    if kind in {"whole", "short", "decimal"}:
        assert found[0][0]["contributors"] == sorted({int(v) for v in fits if v >= 0})
    if kind in {"floating", "cents"}:
        exact = all(v % 1 == 0 and abs(v) <= EXACT for v in fits)
        assert (found[0] != "refused") == exact


@pytest.mark.parametrize("kind", DATES)
@QUICK
@given(st.data())
def test_dates_are_read_alike_or_refused_by_every_engine(kind: str, data: st.DataObject) -> None:
    dtype, strategy = DATES[kind]
    values = data.draw(st.lists(strategy, min_size=1, max_size=4))
    found = outcomes(stats.growth, "created_at", pa.array(values, dtype), freq="YS")
    assert found[0] == found[1] == found[2]
    dates = kind in {"moments", "without a zone", "days"}
    assert (found[0] != "refused") == dates
    if dates:
        years = [value.year for value in values]
        assert [start.year for start in found[0][0]["start"]] == [
            *range(min(years), max(years) + 1)
        ]


@pytest.mark.parametrize("dtype", [pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.date32()])
def test_a_column_without_a_value_is_missing_whatever_it_could_hold(dtype: pa.DataType) -> None:
    nothing = pa.array([None, None], dtype)
    for statistic, column, options in (
        (stats.growth, "created_at", {"freq": "YS"}),
        (stats.contributor_distribution, CONTRIBUTORS, {}),
    ):
        found = outcomes(statistic, column, nothing, **options)
        assert found[0] == found[1] == found[2] != "refused"
        assert sum(found[0][1].values()) == 4  # all records, and all of them missing


def test_what_is_refused_is_named_with_what_to_do() -> None:
    with pytest.raises(InvalidInputError, match=r"created_at must hold dates.*to_datetime"):
        stats.growth(pd.DataFrame({"created_at": [1374364800]}))
    with pytest.raises(InvalidInputError, match=r"count must hold whole numbers.*to_numeric"):
        stats.contributor_distribution(pd.DataFrame({CONTRIBUTORS: ["3"]}))


@pytest.mark.parametrize(
    ("number", "reason"), [(1.5, "it holds fractions"), (2.0**53 + 2, "it holds floating-point")]
)
def test_what_is_wrong_with_numbers_is_said_once(number: float, reason: str) -> None:
    with pytest.raises(InvalidInputError, match=rf"must hold whole numbers: {reason}") as caught:
        stats.contributor_distribution(pd.DataFrame({CONTRIBUTORS: [number]}))
    assert str(caught.value).count("must hold") == 1
