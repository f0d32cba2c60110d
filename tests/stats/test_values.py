"""Numbers, dates and texts are read exactly or refused, and sums of 64 bits are never wrapped."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dirframe import stats
from dirframe.errors import InvalidInputError
from tests import oracle
from tests.oracle import FIRST, LANGUAGE, LINES, PEOPLE

LARGEST, EXACT = 2**63 - 1, 2**53
#: The column of its result that is a sum, and the column of the projects that it sums up.
SUMS = {
    "language_share": ("code_lines", LINES),
    "contributors_by_language": ("contributors", PEOPLE),
    "team_size_classes": ("contributors", PEOPLE),
}


def arrow(values, type_):
    """Return a column as pandas has it of an array of Arrow."""
    return pa.array(values, type_).to_pandas()


def count(column):
    return stats.contributor_distribution(pd.DataFrame({PEOPLE: column}))


def test_whole_numbers_of_every_type_are_read_exactly():
    numbers = [LARGEST, EXACT + 1, 3, 3, 0, -1]
    for column, expected in (
        (arrow(numbers, pa.int64()), [0, 3, EXACT + 1, LARGEST]),
        (arrow([300, 3, None, -3], pa.int16()), [3, 300]),
        (pd.array([1, None], dtype="Int8"), [1]),
        (arrow([EXACT, 3.0, None, float("nan")], pa.float64()), [3, EXACT]),
    ):
        assert count(column)["contributors"].tolist() == expected


def test_what_is_no_whole_number_is_refused_and_not_rounded():
    for column in (
        [1.5, 2.0],
        [float("inf"), 2.0],
        [EXACT + 2.0],
        ["3"],
        [True, False],
        arrow([Decimal("1.50")], pa.decimal128(22, 2)),
        arrow([Decimal(2**64)], pa.decimal128(22, 0)),
        arrow([date(2013, 1, 1)], pa.date32()),
    ):
        with pytest.raises(InvalidInputError, match=PEOPLE):
            count(column)
    for name, column in (("language_share", LINES), ("contributors_by_language", PEOPLE)):
        for wrong in ("many", 0.5):
            frame = oracle.frame("projects", [{LANGUAGE: "C"}]).assign(**{column: wrong})
            with pytest.raises(InvalidInputError, match=column):
                getattr(stats, name)(frame)


def test_dates_of_every_type_are_read_in_utc():
    zoned = datetime(2013, 1, 1, tzinfo=UTC)
    for column in (
        arrow([zoned], pa.timestamp("us", tz="UTC")),
        arrow([zoned], pa.timestamp("ns", tz="Asia/Tokyo")),
        arrow([zoned.replace(tzinfo=None)], pa.timestamp("us")),
        arrow([zoned.date()], pa.date32()),
    ):
        frame = pd.DataFrame({"created_at": column})
        assert stats.growth(frame)["start"].tolist() == [pd.Timestamp(zoned)], column.dtype
    west = pd.DataFrame({"created_at": [pd.Timestamp("2012-12-31 23:00", tz="America/New_York")]})
    assert stats.growth(west, freq="YS")["start"].tolist() == [pd.Timestamp(zoned)]


def test_what_is_no_date_is_refused():
    for values in (
        [1374364800],
        [0.5],
        ["03/04/2013"],
        ["2013-07-31T00:00:00Z"],
        ["2013"],
        ["soon"],
        [True],
    ):
        with pytest.raises(InvalidInputError, match="created_at"):
            stats.growth(pd.DataFrame({"created_at": values}))
        with pytest.raises(InvalidInputError, match=FIRST):
            stats.languages_by_year(pd.DataFrame({LANGUAGE: ["C"], FIRST: values}))


def test_a_column_without_a_value_is_missing_whatever_it_could_hold():
    for type_ in (pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.date32(), pa.null()):
        nothing = arrow([None, None], type_)
        for statistic, column in (
            (stats.growth, "created_at"),
            (stats.contributor_distribution, PEOPLE),
        ):
            table = statistic(pd.DataFrame({column: nothing}))
            assert table.empty
            total, *others = table.attrs["dirframe"]["counted"].values()
            assert total == sum(others) == 2


def test_categories_and_floats_count_like_text_and_integers():
    projects = oracle.frame(
        "projects",
        [{LANGUAGE: "C", LINES: 1, PEOPLE: 2}, {LANGUAGE: "D", LINES: 4, PEOPLE: 5}, {LINES: 7}],
    )
    other = projects.astype({LANGUAGE: "category", LINES: "Float64", PEOPLE: "float64"})
    for statistic in (stats.language_share, stats.contributors_by_language):
        pd.testing.assert_frame_equal(statistic(projects), statistic(other))


def with_numbers(column, numbers, languages="C"):
    few = {LANGUAGE: languages, LINES: 1, PEOPLE: 1, "stack_count": 1, "user_count": 1}
    return pd.DataFrame(few, index=range(len(numbers))).assign(
        **{column: pd.Series(numbers, dtype="Int64")}
    )


def test_the_largest_sum_of_64_bits_is_right_and_one_more_is_refused():
    for name, (sums, column) in SUMS.items():
        # One that is negative or missing is in no sum, so that it saves none either.
        fits = with_numbers(column, [LARGEST - 7, 7, -(2**62), None])
        assert getattr(stats, name)(fits)[sums].sum() == LARGEST
        beyond = with_numbers(column, [LARGEST - 7, 8, -(2**62), None])
        with pytest.raises(InvalidInputError):
            getattr(stats, name)(beyond)
    pooled = with_numbers(LINES, [2**62, 2**62, 1]).assign(**{LANGUAGE: ["B", "C", "A"]})
    with pytest.raises(InvalidInputError):
        stats.language_share(pooled, top=1)
    contributors = pd.DataFrame({"contributor_id": ["1", "2"], "commits": [2**62, 2**62]})
    with pytest.raises(InvalidInputError):
        stats.commits_by_contributor(contributors)


NUMBERS = st.one_of(
    st.none(),
    st.integers(-(2**63), LARGEST),
    st.integers(LARGEST // 3 - 2, LARGEST // 3 + 2),
    st.integers(EXACT - 2, EXACT + 2),
    st.integers(0, 9),
)


@given(records=st.lists(st.tuples(NUMBERS, st.sampled_from("CD")), min_size=1, max_size=6))
@example(records=[(LARGEST, "C"), (1, "D")])  # each language fits, their total not
@example(records=[(LARGEST // 3, "C")] * 3)
@example(records=[(EXACT, "C"), (1, "C"), (1, "D")])
def test_a_sum_is_right_or_refused(records):
    numbers = [number for number, _ in records]
    total = sum(number for number in numbers if number is not None and number > 0)
    for name, (sums, column) in SUMS.items():
        projects = with_numbers(column, numbers, [language for _, language in records])
        if total > LARGEST:
            with pytest.raises(InvalidInputError):
                getattr(stats, name)(projects)
        else:
            assert sum(map(int, getattr(stats, name)(projects)[sums].dropna())) == total
