"""The languages of all code, recomputed by plain Python."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from dirframe import provenance, read_pages, stats

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def frame(column: str, lists: Sequence[Sequence[object] | None]) -> pd.DataFrame:
    numbers = pd.Series([1000] * len(lists), dtype="Int64")
    return pd.DataFrame(
        {
            "id": pd.Series(map(str, range(len(lists))), dtype="str"),
            "analysis_total_code_lines": numbers,
            column: pd.Series([*lists], dtype="object"),
        }
    )


def part(language: str, percentage: str, number: str = "1") -> dict[str, str]:
    return {"language": language, "percentage": percentage, "id": number}


def test_the_breakdown_weighs_percentages_by_lines() -> None:
    projects = frame(
        "analysis_languages",
        [
            [part("C", "80"), part("Perl", "<1"), part("2 Other", "19", "")],
            [part("Perl", "100")],
            [part("C", "120"), part("Perl", "-20")],
            None,
            [part("C", "100")],
            [part("C", "100")],
        ],
    )
    projects["analysis_total_code_lines"] = pd.Series([1000, 100, 500, 10, -5, None], dtype="Int64")
    table = stats.language_breakdown(projects)
    assert table["language"].tolist() == ["C", "Perl"]
    assert table["projects"].tolist() == [1, 2]
    assert table["code_lines"].tolist() == pytest.approx([800, 105])
    assert table["share"].tolist() == pytest.approx([800 / 905, 105 / 905])
    assert provenance.get_provenance(table)["counted"] == {
        "projects": 6,
        "with_breakdown": 2,
        "breakdown_missing": 1,
        "code_lines_missing": 1,
        "code_lines_negative": 1,
        "percentages_impossible": 1,
        "languages": 2,
        "languages_in_other": 0,
        "code_lines_unnamed": 190,
    }


def test_a_language_that_is_called_like_the_rest_but_has_an_id_is_one() -> None:
    table = stats.language_breakdown(frame("analysis_languages", [[part("2 Other", "50", "9")]]))
    assert table["language"].tolist() == ["2 Other"]


def test_the_breakdown_of_the_real_projects_is_what_plain_python_adds_up(shared: Path) -> None:
    lines: dict[str, float] = defaultdict(float)
    for page in sorted((shared / "real" / "pages").glob("*.xml")):
        for analysis in ET.parse(page).getroot().iterfind("result/project/analysis"):
            total = int((analysis.findtext("total_code_lines") or "-1").replace(",", ""))
            parts = [
                (
                    (element.text or "").strip(),
                    float((element.get("percentage") or "").replace("<1", "0.5")),
                    element.get("id"),
                )
                for element in analysis.iterfind("languages/language")
            ]
            if total < 0 or any(not 0 <= percent <= 100 for _, percent, _ in parts):
                continue
            for name, percent, number in parts:
                if number or not re.fullmatch(r"\d+ Other", name):
                    lines[name] += total * percent / 100
    table = stats.language_breakdown(read_pages(shared / "real" / "pages"))
    found = dict(zip(table["language"], table["code_lines"], strict=True))
    assert found == pytest.approx(lines)
    assert table["code_lines"].is_monotonic_decreasing
    assert table["share"].sum() == pytest.approx(1)
