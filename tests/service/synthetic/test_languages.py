"""The languages of generated projects add up to what the projects have."""

from __future__ import annotations

from dirframe.service.records import text_of
from dirframe.service.synthetic.generate import generate_projects
from dirframe.service.synthetic.history import History
from dirframe.service.synthetic.languages import languages

PROJECTS = [project for project in generate_projects(200) if project["analysis"]]


def test_languages_are_named_once_and_in_order() -> None:
    records = languages(PROJECTS)
    names = [str(record["nice_name"]) for record in records]
    assert names == sorted(names)
    assert len({record["id"] for record in records}) == len(records) > 5
    assert {record["category"] for record in records} == {"code", "markup", "build"}


def test_commits_and_people_count_for_the_main_language() -> None:
    records = languages(PROJECTS)
    with_main = [
        history.totals()
        for history in map(History, PROJECTS)
        if text_of(history.analysis, "main_language_id")
    ]
    for name in ("commits", "contributors"):
        assert sum(int(str(r[name])) for r in records) == sum(total[name] for total in with_main)


def test_lines_of_a_language_are_no_more_than_those_of_the_projects() -> None:
    records = languages(PROJECTS)
    whole = sum(max(History(project).totals()["code"], 0) for project in PROJECTS)
    assert 0.9 * whole < sum(int(str(record["code"])) for record in records) <= whole
