"""Languages, recomputed by plain Python."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

LANGUAGE_SHARE = {
    "language": "str",
    "projects": "Int64",
    "share": "Float64",
    "code_lines": "Int64",
    "users": "Int64",
}
CONTRIBUTORS = {
    "language": "str",
    "projects": "Int64",
    "projects_counted": "Int64",
    "contributors": "Int64",
    "lower_quartile": "Float64",
    "median": "Float64",
    **dict.fromkeys(("upper_quartile", "median_low", "median_high"), "Float64"),
    "maximum": "Int64",
}


class Project(NamedTuple):
    language: str | None
    lines: int | None = None
    people: int | None = None
    users: int | None = None


def frame(projects: list[Project]) -> pd.DataFrame:
    def column(values: list[int | None]) -> pd.Series[int]:
        return pd.Series(values, dtype="Int64")

    return pd.DataFrame(
        {
            "analysis_main_language_name": pd.Series([p.language for p in projects], dtype="str"),
            "analysis_total_code_lines": column([p.lines for p in projects]),
            "analysis_twelve_month_contributor_count": column([p.people for p in projects]),
            "stack_count": column([p.users for p in projects]),
        }
    )


def real_projects(folder: Path) -> list[Project]:
    """Read recorded answers in another way than dirframe does."""
    projects = []
    for page in sorted(folder.glob("*.xml")):
        for element in ET.parse(page).getroot().iterfind("result/project"):
            texts = [
                (element.findtext(path) or "").strip()
                for path in (
                    "analysis/main_language_name",
                    "analysis/total_code_lines",
                    "analysis/twelve_month_contributor_count",
                    "user_count",
                )
            ]
            numbers = [int(text.replace(",", "")) if text else None for text in texts[1:]]
            projects.append(Project(texts[0] or None, *numbers))
    return projects


def known(values: list[int | None]) -> list[int]:
    return [value for value in values if value is not None and value >= 0]


def negative(values: list[int | None]) -> int:
    return sum(value is not None and value < 0 for value in values)


def quartiles(values: list[int]) -> list[float]:
    if len(values) == 1:
        return [float(values[0])] * 3
    return statistics.quantiles(values, n=4, method="inclusive")


def interval(values: list[int]) -> list[float | None]:
    """Give the innermost pair of values outside which the median is with 5% at most."""
    ascending, n = [float(value) for value in sorted(values)], len(values)
    outside = [2 * sum(math.comb(n, k) for k in range(low + 1)) / 2**n for low in range(n // 2)]
    lows = [low for low, chance in enumerate(outside) if chance <= 0.05]
    return [ascending[lows[-1]], ascending[-1 - lows[-1]]] if lows else [None, None]


def by_language(projects: list[Project]) -> dict[str, list[Project]]:
    groups: dict[str, list[Project]] = defaultdict(list)
    for project in projects:
        if project.language and project.language.strip():
            groups[project.language].append(project)
    return groups


def rows(table: pd.DataFrame) -> list[list[Any]]:
    return [[None if pd.isna(v) else v for v in row] for row in table.astype(object).to_numpy()]


def same(found: list[list[Any]], expected: list[list[Any]]) -> bool:
    return found == [[pytest.approx(v) if type(v) is float else v for v in r] for r in expected]


def check_language_share(projects: list[Project], table: pd.DataFrame) -> None:
    groups = by_language(projects)
    named = [project for group in groups.values() for project in group]
    expected: list[list[Any]] = []
    for language, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        lines, users = known([p.lines for p in group]), known([p.users for p in group])
        sums = [sum(values) if values else None for values in (lines, users)]
        expected.append([language, len(group), len(group) / len(named), *sums])
    assert same(rows(table), expected)
    assert provenance.get_provenance(table)["counted"] == {
        "projects": len(projects),
        "with_language": len(named),
        "without_language": len(projects) - len(named),
        "languages": len(groups),
        "languages_in_other": 0,
        "code_lines_missing": sum(p.lines is None for p in named),
        "code_lines_negative": negative([p.lines for p in named]),
        "users_missing": sum(p.users is None for p in named),
        "users_negative": negative([p.users for p in named]),
    }


def check_contributors(projects: list[Project], table: pd.DataFrame) -> None:
    groups = by_language(projects)
    expected: list[list[Any]] = []
    for language, group in groups.items():
        people = known([p.people for p in group])
        spread: list[Any] = [sum(people), *quartiles(people), max(people)] if people else [None] * 5
        spread[4:4] = interval(people)
        expected.append([language, len(group), len(people), *spread])
    expected.sort(key=lambda row: (1 if row[3] is None else -row[3], -row[1], row[0]))
    assert same(rows(table), expected)
    everyone = [project.people for group in groups.values() for project in group]
    counted = provenance.get_provenance(table)["counted"]
    assert counted["contributors_missing"] == everyone.count(None)
    assert counted["contributors_negative"] == negative(everyone)


texts = st.sampled_from(["C", "C++", "Java", "java", "日本語", "<script>", "$x$", "NA", "", " "])
counts = st.none() | st.integers(-5, 2**40) | st.integers(-2, 5)
projects_of_any_kind = st.lists(st.builds(Project, st.none() | texts, counts, counts, counts))


@given(projects_of_any_kind)
def test_language_share_is_what_plain_python_counts(projects: list[Project]) -> None:
    table = stats.language_share(frame(projects))
    check_language_share(projects, table)
    assert table.empty or table["share"].sum() == pytest.approx(1)


@given(projects_of_any_kind)
def test_contributors_are_what_plain_python_counts(projects: list[Project]) -> None:
    check_contributors(projects, stats.contributors_by_language(frame(projects)))


@given(projects_of_any_kind, st.randoms())
def test_the_order_of_the_projects_makes_no_difference(
    projects: list[Project], random: Random
) -> None:
    mixed = list(projects)
    random.shuffle(mixed)
    records, others = frame(projects), frame(mixed)
    for statistic in (stats.language_share, stats.contributors_by_language):
        pd.testing.assert_frame_equal(statistic(records, top=2), statistic(others, top=2))


@given(projects_of_any_kind, st.integers(1, 8))
def test_the_last_row_sums_up_all_others(projects: list[Project], top: int) -> None:
    records = frame(projects)
    whole, table = stats.language_share(records), stats.language_share(records, top=top)
    pooled = provenance.get_provenance(table)["counted"]["languages_in_other"]
    if len(whole) <= top + 1:
        pd.testing.assert_frame_equal(table, whole)
        assert pooled == 0
        return
    pd.testing.assert_frame_equal(table.head(top), whole.head(top))
    assert table["language"].iloc[-1] == f"other ({len(whole) - top} languages)"
    assert pooled == len(whole) - top
    rest = whole.iloc[top:, 1:].sum(min_count=1).to_frame().T
    assert same(rows(table.iloc[[-1], 1:]), rows(rest))


def test_quartiles_of_the_others_are_those_of_all_their_projects() -> None:
    projects = [Project("C", people=100)] + [
        Project(name, people=n) for name, n in zip("abcdef", [0, 1, 2, 3, 50, 7], strict=True)
    ]
    last = stats.contributors_by_language(frame(projects), top=1).iloc[-1]
    assert last["language"] == "other (6 languages)"
    assert last[["lower_quartile", "median", "upper_quartile"]].tolist() == pytest.approx(
        quartiles([0, 1, 2, 3, 50, 7])
    )


@pytest.mark.parametrize("top", [None, 1, 20])
@pytest.mark.parametrize(
    "projects",
    [[], [Project("C", 5, 1, 2)], [Project(None)], [Project("C")], [Project("C"), Project("D")]],
    ids=["none", "one", "no language", "no numbers", "two without numbers"],
)
@pytest.mark.parametrize(
    ("statistic", "dtypes"),
    [(stats.language_share, LANGUAGE_SHARE), (stats.contributors_by_language, CONTRIBUTORS)],
)
def test_columns_and_dtypes_do_not_depend_on_what_comes(
    statistic: Callable[..., pd.DataFrame],
    dtypes: dict[str, str],
    projects: list[Project],
    top: int | None,
) -> None:
    table = statistic(frame(projects), top=top)
    assert {column: str(dtype) for column, dtype in table.dtypes.items()} == dtypes
    assert list(table.index) == list(range(len(table)))


def test_the_real_projects_are_counted_as_plain_python_counts_them(shared: Path) -> None:
    projects = real_projects(shared / "real" / "pages")
    assert len(projects) == 313
    table = stats.language_share(frame(projects))
    check_language_share(projects, table)
    counted = provenance.get_provenance(table)["counted"]
    assert (counted["without_language"], counted["code_lines_negative"]) == (14, 2)
    check_contributors(projects, stats.contributors_by_language(frame(projects)))


def test_users_come_from_either_dialect_row_by_row() -> None:
    projects = frame([Project("C", users=7), Project("C"), Project("C")])
    projects["user_count"] = pd.Series([100, 5, None], dtype="Int64")
    assert stats.language_share(projects)["users"].tolist() == [12]
    assert stats.language_share(projects.drop(columns="stack_count"))["users"].tolist() == [105]
    neither = stats.language_share(projects.drop(columns=["stack_count", "user_count"]))
    assert neither["users"].isna().tolist() == [True]


def test_sums_beyond_the_precision_of_floats_are_exact() -> None:
    table = stats.language_share(frame([Project("C", 2**53), Project("C", 1)]))
    assert table["code_lines"].tolist() == [2**53 + 1]


def test_a_filtered_frame_with_any_index_is_counted_by_its_rows() -> None:
    projects = frame([Project("C", 1, 1), Project("D", 2, 2), Project("C", 3, 3)])
    part = projects.iloc[[2, 0]].set_axis([7, 7])
    assert rows(stats.language_share(part)) == [["C", 2, 1.0, 4, None]]
    assert stats.contributors_by_language(part)["maximum"].tolist() == [3]


def test_categories_and_floats_count_like_text_and_integers() -> None:
    projects = frame([Project("C", 1, 2, 3), Project("D", 4, 5, 6), Project(None)])
    other = projects.astype(
        {
            "analysis_main_language_name": "category",
            "analysis_total_code_lines": "Float64",
            "analysis_twelve_month_contributor_count": "float64",
        }
    )
    for statistic in (stats.language_share, stats.contributors_by_language):
        pd.testing.assert_frame_equal(statistic(projects), statistic(other))


def test_the_frame_that_comes_in_is_not_changed() -> None:
    projects = provenance.set_provenance(frame([Project("C", -1, 2, 3), Project(None)]), source="A")
    before, attrs = projects.copy(deep=True), provenance.get_provenance(projects)
    stats.language_share(projects)
    stats.contributors_by_language(projects)
    pd.testing.assert_frame_equal(projects, before)
    assert provenance.get_provenance(projects) == attrs


def test_the_provenance_is_carried_on() -> None:
    projects = provenance.set_provenance(
        frame([Project("C")]), source="A directory", synthetic=True
    )
    table = stats.contributors_by_language(projects)
    record = provenance.get_provenance(table)
    assert (record["source"], record["steps"]) == ("A directory", ["contributors_by_language"])
    assert provenance.caption(table).startswith(
        "n = 0 of 1 project with a main language and a valid number of contributors ·"
    )


@pytest.mark.parametrize("statistic", [stats.language_share, stats.contributors_by_language])
class TestBadInput:
    def test_a_missing_column_is_named(self, statistic: Callable[..., pd.DataFrame]) -> None:
        with pytest.raises(InvalidInputError, match=r"analysis_main_language_name.*load_projects"):
            statistic(pd.DataFrame({"id": ["1"]}))

    def test_what_is_no_frame_is_refused(self, statistic: Callable[..., pd.DataFrame]) -> None:
        with pytest.raises(InvalidInputError, match="got a list"):
            statistic([1])

    def test_no_row_at_all_cannot_be_asked_for(
        self, statistic: Callable[..., pd.DataFrame]
    ) -> None:
        with pytest.raises(InvalidInputError, match="top is 0"):
            statistic(frame([Project("C")]), top=0)

    @pytest.mark.parametrize("value", ["many", 0.5])
    def test_what_is_no_whole_number_is_refused(
        self, statistic: Callable[..., pd.DataFrame], value: str | float
    ) -> None:
        column = {
            stats.language_share: "analysis_total_code_lines",
            stats.contributors_by_language: "analysis_twelve_month_contributor_count",
        }[statistic]
        projects = frame([Project("C")]).assign(**{column: value})
        with pytest.raises(InvalidInputError, match=f"{column} must hold whole numbers"):
            statistic(projects)
