"""Contributors a thousand lines, recomputed by plain Python."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError

Project = tuple[str | None, int | None, int | None]
DTYPES = ["str", "Int64", "Int64", "Int64", *["Float64"] * 6]

counts = st.none() | st.integers(-2, 5) | st.integers(0, 2**40)
languages = st.none() | st.sampled_from(["C", "Java", "$x$", "", " "])
lists = st.lists(st.tuples(languages, counts, counts), max_size=20)


def frame(projects: list[Project]) -> pd.DataFrame:
    names, people, lines = zip(*projects, strict=True) if projects else ((), (), ())
    return pd.DataFrame(
        {
            "analysis_main_language_name": pd.Series([*names], dtype="str"),
            "analysis_twelve_month_contributor_count": pd.Series([*people], dtype="Int64"),
            "analysis_total_code_lines": pd.Series([*lines], dtype="Int64"),
        }
    )


@given(lists)
def test_the_ratio_is_that_of_the_sums(projects: list[Project]) -> None:
    table = stats.contributors_per_thousand_lines(frame(projects))
    groups: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for name, people, lines in projects:
        valid = people is not None and lines is not None and people >= 0 and lines >= 0
        if name and name.strip() and valid:
            groups[name].append((people or 0, lines or 0))
    ranked = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    assert table["language"].tolist() == [name for name, _ in ranked]
    for row, (_, group) in enumerate(ranked):
        people, lines = (sum(column) for column in zip(*group, strict=True))
        numbers = [table[name].iloc[row] for name in table.columns[1:4]]
        assert numbers == [len(group), people, lines]
        ratio = table["contributors_per_thousand_lines"].iloc[row]
        assert ratio == pytest.approx(1000 * people / lines) if lines else ratio is pd.NA
        single = [1000 * of / lines for of, lines in group if lines]
        names = ("lower_quartile", "median", "upper_quartile")
        quartiles = [table[name].iloc[row] for name in names]
        if single:
            assert quartiles == pytest.approx(np.quantile(single, [0.25, 0.5, 0.75]).tolist())
        else:
            assert all(quartile is pd.NA for quartile in quartiles)
    counted = provenance.get_provenance(table)["counted"]
    in_rows = [pair for group in groups.values() for pair in group]
    assert counted["without_lines"] == sum(not lines for _, lines in in_rows)
    parts = ("with_both", "without_language", "numbers_missing_or_negative")
    assert sum(counted[part] for part in parts) == counted["projects"] == len(projects)


def test_the_others_are_taken_together() -> None:
    projects: list[Project] = [("C", 1, 1000), ("C", 1, 1000), ("D", 3, 1000), ("E", 1, 3000)]
    table = stats.contributors_per_thousand_lines(frame(projects), top=1)
    assert table["language"].tolist() == ["C", "other (2 languages)"]
    assert table["contributors_per_thousand_lines"].tolist() == [1, 1]
    assert table["median"].tolist() == pytest.approx([1, (3 + 1 / 3) / 2])


def test_one_project_moves_the_ratio_of_the_sums_but_not_the_median() -> None:
    usual: list[Project] = [("C", people, 10_000) for people in (1, 2, 3, 4, 5)]
    one: list[Project] = [("C", 3, 10_000_000)]
    before, after = (
        stats.contributors_per_thousand_lines(frame(rows)).iloc[0] for rows in (usual, usual + one)
    )
    name = "contributors_per_thousand_lines"
    assert after[name] < before[name] / 100
    assert after["median"] == pytest.approx(before["median"], rel=0.2)


@pytest.mark.parametrize("projects", [[], [("C", 1, 1)], [(None, None, None)], [("C", 1, 0)]])
def test_columns_and_dtypes_do_not_depend_on_what_comes(projects: list[Project]) -> None:
    table = stats.contributors_per_thousand_lines(frame(projects))
    assert [str(dtype) for dtype in table.dtypes] == DTYPES


def test_the_provenance_is_carried_on_and_bad_input_refused() -> None:
    projects = provenance.set_provenance(frame([("C", 1, 1)]), source="A directory")
    record = provenance.get_provenance(stats.contributors_per_thousand_lines(projects))
    assert record["source"] == "A directory"
    assert record["steps"] == ["contributors_per_thousand_lines"]
    with pytest.raises(InvalidInputError, match="top is 0"):
        stats.contributors_per_thousand_lines(projects, top=0)
    with pytest.raises(InvalidInputError, match=r"analysis_main_language_name.*load_projects"):
        stats.contributors_per_thousand_lines(pd.DataFrame())
