from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from dirframe.service.synthetic import calibration

if TYPE_CHECKING:
    from pathlib import Path

    from dirframe.service.synthetic.distributions import WeightedChoice


@pytest.fixture
def measured(shared: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared / "calibration" / "projects.json").read_text())
    return found


T = TypeVar("T")


def share_of(weighted: WeightedChoice[T], steps: int = 50_000) -> dict[T, float]:
    counts: dict[T, int] = {}
    for step in range(steps):
        value = weighted.at((step + 0.5) / steps)
        counts[value] = counts.get(value, 0) + 1
    return {value: count / steps for value, count in counts.items()}


def test_the_language_table_has_the_measured_shares(measured: dict[str, Any]) -> None:
    shares = {language.name: part for language, part in share_of(calibration.LANGUAGES).items()}
    expected = {row["language"]: row["share"] for row in measured["languages"]}
    whole = sum(expected.values())
    assert shares.keys() == expected.keys()
    assert shares == pytest.approx({n: s / whole for n, s in expected.items()}, abs=1e-4)


def test_the_language_table_has_the_measured_quantiles(measured: dict[str, Any]) -> None:
    rows = {row["language"]: row for row in measured["languages"] if row["code_lines_quantiles"]}
    for language in share_of(calibration.LANGUAGES):
        if row := rows.get(language.name):
            for share, lines, people in zip(
                measured["quantiles"][1:],
                row["code_lines_quantiles"][1:],
                row["contributors_quantiles"][1:],
                strict=True,
            ):
                assert language.lines.at(share) == pytest.approx(lines, rel=0.06, abs=1)
                assert language.contributors.at(share) == pytest.approx(people, rel=0.06, abs=1)


def test_the_licences_have_the_measured_shares(measured: dict[str, Any]) -> None:
    shares = {code: part for (code, _), part in share_of(calibration.LICENSES).items()}
    whole = sum(measured["licenses"].values())
    expected = {code: count / whole for code, count in measured["licenses"].items()}
    assert shares == pytest.approx(expected, abs=0.001)


def test_no_two_languages_share_a_number() -> None:
    numbers = [language.number for language in share_of(calibration.LANGUAGES)]
    assert len(set(numbers)) == len(numbers)
