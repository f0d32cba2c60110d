"""Invented contributors, months and sizes agree with one another and with the analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe.service.records import Record, text_of
from dirframe.service.synthetic.generate import generate_projects
from dirframe.service.synthetic.history import History, _month

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def rare(project: Record) -> bool:
    """Tell whether the project is of a kind that a few hundred may lack."""
    analysis = project.get("analysis")
    assert isinstance(analysis, dict)
    lines = text_of(analysis, "total_code_lines")
    return "total_commit_count" in analysis or not analysis["min_month"] or lines.startswith("-")


ANALYSED = [
    project
    for index, project in enumerate(generate_projects(1_500))
    if project["analysis"] and (index < 300 or rare(project))
]


def whole(records: Sequence[Mapping[str, object]], name: str) -> int:
    return sum(int(str(record[name])) for record in records)


def test_there_are_projects_of_every_kind() -> None:
    analyses = [History(project).analysis for project in ANALYSED]
    assert any(text_of(a, "total_commit_count") for a in analyses)
    assert any(text_of(a, "twelve_month_contributor_count") == "0" for a in analyses)
    assert any(text_of(a, "total_code_lines").startswith("-") for a in analyses)
    assert any(a["min_month"] is None for a in analyses)


@pytest.mark.parametrize("project", ANALYSED, ids=lambda p: str(p["id"]))
def test_a_history_says_what_the_analysis_sums_up(project: Record) -> None:
    history = History(project)
    analysis = history.analysis
    activity, sizes, people = history.activity(), history.sizes(), history.contributors()
    totals = history.totals()
    if not analysis.get("min_month"):
        assert (activity, sizes, people) == ([], [], [])
        return
    first, last = text_of(analysis, "min_month"), text_of(analysis, "max_month")
    assert [f["month"] for f in activity] == [f["month"] for f in sizes]
    assert len(activity) == _month(last) - _month(first) + 1
    assert (activity[0]["month"], activity[-1]["month"]) == (first, last)
    assert int(str(activity[0]["commits"])) > 0
    assert int(str(activity[-1]["commits"])) > 0
    commits = whole(activity, "commits")
    assert commits == whole(people, "commits") == int(str(sizes[-1]["commits"]))
    assert commits == totals["commits"]
    assert len(people) == totals["contributors"]
    assert whole(activity, "contributors") == whole(people, "man_months")
    assert whole(people, "man_months") == int(str(sizes[-1]["man_months"]))
    for name in ("code", "comments", "blanks"):
        net = whole(activity, f"{name}_added") - whole(activity, f"{name}_removed")
        assert net == int(str(sizes[-1][name])) == totals[name]
    assert sizes[-1]["code"] == text_of(analysis, "total_code_lines")
    since = _month(text_of(analysis, "logged_at") or text_of(analysis, "updated_at")) - 11
    recent = [p for p in people if _month(str(p["last_commit_time"])) >= since]
    assert len(recent) == int(text_of(analysis, "twelve_month_contributor_count"))
    assert len({p["contributor_id"] for p in people}) == len(people)
    assert all(str(p["first_commit_time"])[:7] <= str(p["last_commit_time"])[:7] for p in people)
    if text_of(analysis, "total_commit_count"):
        assert commits == int(text_of(analysis, "total_commit_count").replace(",", ""))
        assert len(people) == int(text_of(analysis, "total_contributor_count"))
        year = text_of(analysis, "twelve_month_commit_count").replace(",", "")
        late = [f for f in activity if _month(str(f["month"])) >= since]
        assert whole(late, "commits") == int(year)


def test_a_history_repeats_itself_and_differs_between_projects() -> None:
    one, again, other = History(ANALYSED[0]), History(ANALYSED[0]), History(ANALYSED[1])
    again.sizes()  # in another order
    assert one.contributors() == again.contributors()
    assert one.activity() == again.activity()
    assert one.contributors() != other.contributors()
