"""Marginals are compared with the measured ones, on 6,000 projects of a fixed seed."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.schema import PROJECT
from dirframe.service.synthetic.generate import generate_projects
from dirframe.service.synthetic.projects import project

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 6_000
QUANTILES = np.array([0.25, 0.5, 0.75, 0.9])
TOLERANCE = 0.03
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
Project = dict[str, Any]


@cache
def projects() -> list[Project]:
    return list(generate_projects(SIZE, seed=7))


@cache
def analyses() -> list[Project]:
    return [each["analysis"] for each in projects() if each["analysis"]]


def share(condition: Callable[[Project], object]) -> float:
    return sum(bool(condition(each)) for each in projects()) / SIZE


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        (lambda p: not p["analysis"], 425 / 12_360),
        (lambda p: not p["analysis"] or not p["analysis"]["main_language_name"], 592 / 12_360),
        (lambda p: "tags" not in p, 2_524 / 12_360),
        (lambda p: not p["description"], 0.0239),
        (lambda p: not p["homepage_url"], 0.0137),
        (lambda p: not p["download_url"], 0.3104),
        (lambda p: not p["average_rating"], 0.2967),
        (lambda p: not p["licenses"], 0.142),
        (lambda p: p["analysis"] and not p["analysis"]["min_month"], 27 / 12_360),
        (lambda p: p["analysis"] and not p["analysis"]["logged_at"], 62 / 12_360),
        (lambda p: p["analysis"] and int(p["analysis"]["total_code_lines"]) < 0, 20 / 12_360),
    ],
)
def test_as_many_values_are_missing_as_were_measured(
    missing: Callable[[Project], object], expected: float
) -> None:
    # Four standard deviations of a share among so many records.
    assert share(missing) == pytest.approx(expected, abs=4 * (expected / SIZE) ** 0.5)


@pytest.mark.parametrize(
    ("language", "expected"),
    [("Java", 0.175), ("C", 0.154), ("C++", 0.118), ("Python", 0.106), ("PHP", 0.098),
     ("JavaScript", 0.072), ("C#", 0.053), ("Perl", 0.034), ("Ruby", 0.028)],
)  # fmt: skip
def test_languages_have_the_measured_shares(language: str, expected: float) -> None:
    found = share(lambda p: p["analysis"] and p["analysis"]["main_language_name"] == language)
    assert found == pytest.approx(expected, abs=4 * (expected / SIZE) ** 0.5)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (lambda: [int(a["total_code_lines"]) for a in analyses()], (5_789, 27_870, 129_271, 464_088)),
        (lambda: [int(a["twelve_month_contributor_count"]) for a in analyses()], (0, 1, 6, 21)),
        (lambda: [int(p["stack_count"]) for p in projects()], (2, 3, 7, 26)),
        (lambda: [int(p["rating_count"]) for p in projects()], (0, 1, 3, 10)),
        (lambda: [len(p.get("tags", ())) for p in projects()], (2, 6, 11, 18)),
        (lambda: [len(p["description"]) for p in projects() if p["description"]], (113, 236, 406, 658)),
        (lambda: [len(p["name"]) for p in projects()], (7, 9, 15, 24)),
    ],
    ids=["lines", "contributors", "users", "ratings", "tags", "description", "name"],
)  # fmt: skip
def test_sizes_have_the_measured_quantiles(
    numbers: Callable[[], list[int]], expected: tuple[float, ...]
) -> None:
    found = np.sort(numbers())
    below, up_to = (np.searchsorted(found, expected, side) / len(found) for side in SIDES)
    assert (below - TOLERANCE <= QUANTILES).all()
    assert (up_to + TOLERANCE >= QUANTILES).all()


def test_sizes_go_together_as_they_were_measured_to() -> None:
    frame = pd.DataFrame(
        [
            (
                int(each["analysis"]["total_code_lines"]),
                int(each["analysis"]["twelve_month_contributor_count"]),
                int(each["stack_count"]),
            )
            for each in projects()
            if each["analysis"]
        ],
        columns=["lines", "contributors", "users"],
    )
    found = frame.rank().corr()
    assert found.loc["lines", "contributors"] == pytest.approx(0.42, abs=0.05)
    assert found.loc["lines", "users"] == pytest.approx(0.44, abs=0.05)
    assert found.loc["contributors", "users"] == pytest.approx(0.36, abs=0.05)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("created_at", {"2006": 0.078, "2007": 0.181, "2008": 0.282, "2010": 0.091, "2012": 0.06}),
        ("updated_at", {"2011": 0.029, "2012": 0.079, "2013": 0.88}),
    ],
)
def test_years_have_the_measured_shares(column: str, expected: dict[str, float]) -> None:
    years = Counter(each[column][:4] for each in projects())
    found = {year: years[year] / SIZE for year in expected}
    assert found == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("min_month", {"2004": 0.040, "2006": 0.087, "2008": 0.172, "2010": 0.098}),
        ("max_month", {"2008": 0.051, "2010": 0.099, "2011": 0.112, "2012": 0.145, "2013": 0.465}),
    ],
)
def test_months_have_the_measured_shares(column: str, expected: dict[str, float]) -> None:
    years = Counter(each[column][:4] for each in analyses() if each[column])
    found = {year: years[year] / len(analyses()) for year in expected}
    assert found == pytest.approx(expected, abs=0.04)


@given(st.integers(0, 2**63), st.integers(0, 2**40))
def test_a_project_agrees_with_itself(seed: int, index: int) -> None:
    found: Project = project(Random(), seed, index)
    assert found["id"] == str(index + 1)
    assert {field.path[0] for field in PROJECT.specified} <= found.keys()
    assert "2006-01-01" <= found["created_at"] <= found["updated_at"] < "2013-08-01"
    if found["analysis"]:
        assert found["analysis"].keys() >= {f.path[1] for f in PROJECT.specified if f.path[1:]}
        assert found["analysis_id"] == found["analysis"]["id"]
        assert found["analysis"]["project_id"] == found["id"]
        assert found["analysis"]["updated_at"] > found["created_at"]
        assert (found["analysis"]["logged_at"] or "9") >= found["created_at"]
    else:
        assert found["analysis_id"] is None
    assert (found["average_rating"] is None) is (found["rating_count"] == "0")
    assert found["average_rating"] is None or 1 <= float(found["average_rating"]) <= 5
    codes = [each["name"] for each in found["licenses"]]
    assert len(codes) == len(set(codes))


@given(st.integers(0, 2**63), st.integers(0, 2**40))
def test_addresses_lead_nowhere(seed: int, index: int) -> None:
    found = project(Random(), seed, index)
    for column in ("homepage_url", "download_url", "irc_url"):
        if address := found[column]:
            host = str(address).split("/")[2]
            assert host.endswith(("example.org", "example.net", ".invalid"))
