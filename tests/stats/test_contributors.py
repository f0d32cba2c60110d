"""Contributors over projects, recomputed by plain Python."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COLUMN = "analysis_twelve_month_contributor_count"
DTYPES = {
    stats.contributor_distribution: "Int64 Int64 Float64 Float64",
    stats.contributor_quantiles: "Float64 Float64",
    stats.contributor_concentration: "str Float64 Float64",
    stats.lorenz: "Float64 Float64 Int64",
    stats.team_size_classes: "str Int64 Int64 Int64 Float64 Int64",
    stats.users_against_contributors: "Int64 Int64 Int64",
}

counts = st.none() | st.integers(-3, 12) | st.integers(0, 2**40)
columns = st.lists(counts, max_size=30)


def frame(people: Sequence[int | None], users: Sequence[int | None] | None = None) -> pd.DataFrame:
    return pd.DataFrame(
        {
            COLUMN: pd.Series([*people], dtype="Int64"),
            "stack_count": pd.Series([*(users or [None] * len(people))], dtype="Int64"),
        }
    )


def rows(table: pd.DataFrame) -> list[tuple[Any, ...]]:
    return list(table.itertuples(index=False, name=None))


def known(people: Sequence[int | None]) -> list[int]:
    return sorted(value for value in people if value is not None and value >= 0)


@given(columns)
def test_the_distribution_is_what_plain_python_counts(people: list[int | None]) -> None:
    table = stats.contributor_distribution(frame(people))
    values = known(people)
    assert dict(zip(table["contributors"], table["projects"], strict=True)) == Counter(values)
    assert table["contributors"].is_monotonic_increasing
    assert table["share_at_most"].tolist() == pytest.approx(
        [sum(v <= n for v in values) / len(values) for n in table["contributors"]]
    )
    assert table.empty or table["share"].sum() == pytest.approx(1)
    assert provenance.get_provenance(table)["counted"] == {
        "projects": len(people),
        "with_contributors": len(values),
        "contributors_missing": people.count(None),
        "contributors_negative": sum(value is not None and value < 0 for value in people),
    }


@given(columns)
def test_quantiles_are_those_of_the_standard_library(people: list[int | None]) -> None:
    values = known(people)
    assume(len(values) > 1)
    table = stats.contributor_quantiles(frame(people), quantiles=[n / 20 for n in range(1, 20)])
    expected = statistics.quantiles(values, n=20, method="inclusive")
    assert table["contributors"].tolist() == pytest.approx(expected)


def test_quantiles_come_in_the_order_asked_for_with_both_ends() -> None:
    table = stats.contributor_quantiles(frame([7, 1, 3]), quantiles=[1, 0, 0.5])
    assert table["contributors"].tolist() == [7, 1, 3]


def plain_gini(values: list[int]) -> float:
    """Take the mean difference of all pairs, which is another way than the area."""
    differences = sum(abs(one - other) for one in values for other in values)
    return differences / (2 * len(values) * sum(values))


@given(columns)
def test_gini_is_half_the_relative_mean_difference(people: list[int | None]) -> None:
    values = known(people)
    assume(sum(values) > 0)
    table = stats.contributor_concentration(frame(people)).set_index("measure")["value"]
    assert table["gini"] == pytest.approx(plain_gini(values), abs=1e-9)
    assert table["top 1%"] <= table["top 10%"] <= table["top 20%"] <= table["top 50%"] <= 1 + 1e-12


@given(columns)
def test_gini_without_zeros_is_that_of_the_projects_with_a_contributor(
    people: list[int | None],
) -> None:
    values = known(people)
    assume(sum(values) > 0)
    table = stats.contributor_concentration(frame(people))
    some = [value for value in values if value]
    alone = stats.contributor_concentration(frame([*some]))
    assert table["value_without_zeros"].tolist() == pytest.approx(alone["value"].tolist())
    assert alone["value"].tolist() == pytest.approx(alone["value_without_zeros"].tolist())
    none = len(values) - len(some)
    assert table.attrs["dirframe"]["counted"]["projects_without_contributors"] == none
    share, gini = none / len(values), float(table["value_without_zeros"].iloc[0])
    assert float(table["value"].iloc[0]) == pytest.approx(share + (1 - share) * gini)


def test_the_shares_of_the_top_are_those_of_the_largest_projects() -> None:
    people = [*range(99), 1000]
    table = stats.contributor_concentration(frame(people)).set_index("measure")["value"]
    ranked = sorted(people, reverse=True)
    for percent in (1, 10, 20, 50):
        assert table[f"top {percent}%"] == pytest.approx(sum(ranked[:percent]) / sum(people))


@given(columns)
def test_the_lorenz_curve_passes_through_the_sums_of_the_poorest(
    people: list[int | None],
) -> None:
    values = known(people)
    table = stats.lorenz(frame(people))
    if not sum(values):
        assert table.empty
        return
    for projects_share, contributors_share, most in rows(table)[1:]:
        poorest = [value for value in values if value <= most]
        assert projects_share == pytest.approx(len(poorest) / len(values))
        assert contributors_share == pytest.approx(sum(poorest) / sum(values))
    assert table.iloc[0, :2].tolist() == [0, 0]
    assert table.iloc[-1, :2].tolist() == pytest.approx([1, 1])


@given(columns)
def test_each_project_is_in_the_class_with_its_number(people: list[int | None]) -> None:
    table = stats.team_size_classes(frame(people))
    for _, smallest, largest, projects, _, contributors in rows(table):
        most = float("inf") if largest is pd.NA else largest
        inside = [value for value in known(people) if smallest <= value <= most]
        assert (projects, contributors) == (len(inside), sum(inside))
    assert table["projects"].sum() == len(known(people))


def test_classes_are_named_by_their_bounds_and_stay_when_they_are_empty() -> None:
    names = ["0", "1", "2–4", "5–9", "10–19", "20–49", "50–99"]
    assert stats.team_size_classes(frame([]))["team_size"].tolist() == [*names, "100 or more"]
    own = stats.team_size_classes(frame([3]), bounds=[0, 1000])
    assert own["team_size"].tolist() == ["0–999", "1,000 or more"]


@given(st.lists(st.tuples(counts, counts), max_size=30))
def test_pairs_are_what_plain_python_counts(pairs: list[tuple[int | None, int | None]]) -> None:
    table = stats.users_against_contributors(frame([p for _, p in pairs], [u for u, _ in pairs]))
    both = [(u, p) for u, p in pairs if u is not None and p is not None and u >= 0 and p >= 0]
    expected = sorted((*pair, count) for pair, count in Counter(both).items())
    assert rows(table) == expected
    counted = provenance.get_provenance(table)["counted"]
    assert counted["with_both"] == len(both)
    assert counted["users_missing"] == sum(u is None for u, _ in pairs)
    assert counted["contributors_negative"] == sum(p is not None and p < 0 for _, p in pairs)


def test_users_are_those_of_either_dialect() -> None:
    projects = frame([1, 2], [5, None]).assign(user_count=[7, 9])
    assert stats.users_against_contributors(projects)["users"].tolist() == [5, 9]


@pytest.mark.parametrize("people", [[], [4], [None, None], [-1], [0, 0]])
@pytest.mark.parametrize("statistic", DTYPES)
def test_columns_and_dtypes_do_not_depend_on_what_comes(
    statistic: Callable[..., pd.DataFrame], people: list[int | None]
) -> None:
    table = statistic(frame(people, people))
    assert " ".join(map(str, table.dtypes)) == DTYPES[statistic]
    assert list(table.index) == list(range(len(table)))


@pytest.mark.parametrize("statistic", DTYPES)
class TestEveryStatistic:
    def test_the_frame_stays_and_its_provenance_is_carried_on(
        self, statistic: Callable[..., pd.DataFrame]
    ) -> None:
        projects = provenance.set_provenance(frame([3, None, -1], [1, 2, 3]), source="A directory")
        before, record = projects.copy(deep=True), provenance.get_provenance(projects)
        found = provenance.get_provenance(statistic(projects))
        assert (found["source"], found["steps"]) == ("A directory", [statistic.__name__])
        assert (found["resource"], found["counted"]["projects"]) == ("project", 3)
        pd.testing.assert_frame_equal(projects, before)
        assert provenance.get_provenance(projects) == record

    def test_the_rows_count_whatever_their_index(
        self, statistic: Callable[..., pd.DataFrame]
    ) -> None:
        projects = frame([3, 0, 9, 1], [1, 2, 3, 4])
        odd = projects.iloc[[2, 0, 3, 1]].set_axis([7, 7, "a", None])
        pd.testing.assert_frame_equal(statistic(odd), statistic(projects))

    def test_a_missing_column_is_named(self, statistic: Callable[..., pd.DataFrame]) -> None:
        with pytest.raises(InvalidInputError, match=f"{COLUMN}.*load_projects"):
            statistic(pd.DataFrame({"id": ["1"]}))

    def test_what_is_no_whole_number_is_refused(
        self, statistic: Callable[..., pd.DataFrame]
    ) -> None:
        with pytest.raises(InvalidInputError, match=f"{COLUMN} must hold whole numbers"):
            statistic(pd.DataFrame({COLUMN: ["many"], "stack_count": [1]}))


@pytest.mark.parametrize("bounds", [[], [1, 2], [0, 2, 2], [0, 5, 3]])
def test_classes_that_do_not_ascend_from_0_are_refused(bounds: list[int]) -> None:
    with pytest.raises(InvalidInputError, match="ascend from 0"):
        stats.team_size_classes(frame([1]), bounds=bounds)


@pytest.mark.parametrize("quantile", [-0.1, 1.1, float("nan")])
def test_a_quantile_that_is_no_share_is_refused(quantile: float) -> None:
    with pytest.raises(InvalidInputError, match="shares from 0 to 1"):
        stats.contributor_quantiles(frame([1]), quantiles=[quantile])
