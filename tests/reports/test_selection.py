"""A report leaves out what it was told to, divides what can be divided, and says both."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe import plot, stats
from dirframe.errors import InvalidInputError
from dirframe.reports.selection import options_for, validate_selection
from tests.plot.charts import accounts, projects

if TYPE_CHECKING:
    from pathlib import Path

    from dirframe.stats._options.selection import Selection


def test_a_report_says_which_rules_left_out_how_many_records(tmp_path: Path) -> None:
    frame = projects()
    frame.loc[[1, 2, 3], "analysis_total_code_lines"] = -5
    frame.loc[[3, 5], "analysis_twelve_month_contributor_count"] = -1
    rules = ["negative_lines", "negative_contributors", "duplicate_id", "negative_posts"]
    path = dirframe.report(
        [frame, accounts()], tmp_path / "report.md", exclude=rules, by="team_size"
    )
    text = " ".join(path.read_text(encoding="utf-8").replace("\\", "").split())
    assert "4 of 40 projects, by the rules of dirframe.flags: duplicate_id 0; " in text
    assert "negative_contributors 2; negative_lines 3." in text
    assert (
        "0 of 40 accounts, by the rules of dirframe.flags: duplicate_id 0; negative_posts 0."
        in (text)
    )
    assert "Stratified by team_size, except for charts without panels" in text
    assert "Projects by main language, by team size" in text
    assert "Excluded: 4 projects (negative_contributors 2, negative_lines 3; none by" in text
    assert re.search(r"Figure \d+\. Accounts by kudo rank\*\*", text)  # accounts have no teams
    # The summary is of all records.
    assert "40 projects" in text


def test_a_rule_is_for_the_frames_that_have_its_columns() -> None:
    selection: Selection = {"exclude": ["negative_lines", "negative_posts"], "max_age": "2y"}
    of_projects = options_for(plot.language_share, projects(), selection, {"top": 3})
    assert of_projects == {"exclude": ["negative_lines"], "max_age": "2y", "top": 3}
    assert options_for(plot.accounts_map, accounts(), selection, {}) == {
        "exclude": ["negative_posts"]
    }


def test_a_chart_is_divided_and_a_table_that_has_no_such_column() -> None:
    selection: Selection = {"by": ["language"], "min_records": 5}
    frame = projects()
    divided = {"by": ["language"], "min_records": 5}
    assert options_for(plot.growth, frame, selection, {}) == divided
    assert options_for(stats.team_size_classes, frame, selection, {}) == divided
    assert options_for(stats.language_share, frame, selection, {"top": 2}) == {"top": 2}
    assert options_for(plot.life_span, frame, selection, {}) == divided
    assert options_for(plot.growth, accounts(), selection, {}) == {}
    assert options_for(plot.growth, frame, selection, {"by": "year"})["by"] == "year"


def test_an_age_of_days_comes_through() -> None:
    frames = {"projects": projects()}
    assert validate_selection(frames, {"max_age": timedelta(days=90)}) == {"max_age": 90}
    assert validate_selection(frames, {}) == {}


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        ({"exclude": ["nonsense"]}, "There is no rule nonsense"),
        ({"exclude": ["negative_posts"]}, "needs columns that the projects do not have"),
        ({"max_age": "soon"}, "max_age is 'soon'"),
        ({"max_age": timedelta(hours=5)}, "whole days"),
        ({"by": "country"}, "'country': no columns and no strata of the projects"),
        ({"min_records": 0}, "min_records is 0"),
    ],
)
def test_what_no_frame_can_follow_is_refused_before_anything_runs(
    selection: Any, said: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        dirframe.report(projects(), tmp_path / "report.md", **selection)
    assert not [*tmp_path.iterdir()]


def test_the_country_of_accounts_is_there_once_the_template_has_unified_it() -> None:
    raw = pd.DataFrame({"id": ["1"], "country_code": ["Germany"], "posts_count": [1]})
    assert validate_selection({"accounts": raw}, {"by": "country"}) == {"by": ["country"]}
    assert options_for(stats.posts_distribution, raw, {"by": ["country"]}, {}) == {}
