"""Findings are sentences that say what the tables say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance, read_pages, stats
from dirframe.reports.findings import build_findings
from dirframe.reports.inputs import collect_inputs

if TYPE_CHECKING:
    from pathlib import Path


def sentences(frame: pd.DataFrame, collection: str = "projects", **selection: Any) -> list[str]:
    options: Any = selection
    passage = build_findings(collect_inputs({collection: frame}, None, options))
    return [text for _, text in passage.blocks]


def projects(rows: int) -> pd.DataFrame:
    month = pd.Timestamp("2013-07-01", tz="UTC")
    contributors = pd.Series([3, 0, 1500, None][:rows], dtype="Int64")
    return pd.DataFrame(
        {
            "id": [str(n) for n in range(rows)],
            "analysis_main_language_name": ["C", "Perl", "C", "Ada"][:rows],
            "analysis_twelve_month_contributor_count": contributors,
            "analysis_total_code_lines": [10] * rows,
            "stack_count": [1] * rows,
            "analysis_min_month": [month] * rows,
            "analysis_max_month": [month] * rows,
            "analysis_logged_at": [month] * rows,
            "licenses": [[{"name": "mit", "nice_name": "MIT License"}], None, None, None][:rows],
        }
    )


def test_findings_say_counts_shares_and_what_was_left_out() -> None:
    assert sentences(projects(4)) == [
        (
            "Of 4 projects with a main language, 2 (50.0%) are in C, 1 (25.0%) in Ada and 1 (25.0%) in "
            "Perl."
        ),
        (
            "C has 1,503 contributors in 2 projects (median 751.5 a project); who is in two projects "
            "counts twice."
        ),
        (
            "Of 3 projects with a valid number of contributors (of 4), 1 (33.3%) has none; the median "
            "is 3, the 90th percentile 1,200.6 and the maximum 1,500 contributors."
        ),
        (
            "Of 4 projects whose activity is known, 4 (100.0%) are active and 0 (0.0%) dormant, as of "
            "2013-07."
        ),
        (
            "Of 1 project with a licence (of 4), 1 (100.0%) is under MIT License; a project can have "
            "several."
        ),
    ]


def test_one_record_is_singular() -> None:
    first, second, third, *_ = sentences(projects(1))
    assert first == "Of 1 project with a main language, 1 (100.0%) is in C."
    assert second.startswith("C has 3 contributors in 1 project (median 3 a project)")
    assert third.endswith("the maximum 3 contributors.")
    alone = projects(1).assign(analysis_twelve_month_contributor_count=1)
    assert sentences(alone)[1].startswith("C has 1 contributor in 1 project")
    assert sentences(alone)[2].endswith("the maximum 1 contributor.")


def test_what_no_record_has_is_said_once() -> None:
    frame = projects(1).assign(
        analysis_main_language_name=pd.Series([None], dtype="str"),
        analysis_twelve_month_contributor_count=pd.Series([None], dtype="Int64"),
    )
    told = sentences(frame)
    assert told[0] == "There are no projects with a main language (of 1)."
    assert told.count("There are no projects with a valid number of contributors (of 1).") == 1


def test_projects_without_any_contributor_have_no_leader() -> None:
    told = sentences(projects(2).iloc[1:])
    assert (
        "Of 1 project with a main language and a valid number of contributors, none has a contributor."
        in told
    )


def test_topics_without_their_columns_are_named() -> None:
    frame = projects(2)[["id", "licenses"]]
    assert sentences(frame)[-1] == (
        "Not computed, since columns are missing: languages, contributors by language, "
        "contributors, activity."
    )
    unsent = provenance.set_provenance(
        projects(2).assign(analysis_main_language_name=pd.Series([None] * 2, dtype="str")),
        resource="project",
        not_sent=["analysis_main_language_name"],
    )
    assert sentences(unsent)[-1].startswith("Not computed, since columns are missing: languages")
    assert sentences(projects(4).iloc[:0]) == ["There are no records."]


def test_excluded_records_are_in_no_finding_and_strata_do_not_divide_them() -> None:
    impossible = projects(1).assign(analysis_twelve_month_contributor_count=-1)
    frame = pd.concat([projects(4), impossible], ignore_index=True)
    told = sentences(frame, exclude=["negative_contributors"], by="team_size")
    assert told == sentences(projects(4))


def test_accounts_have_findings_too() -> None:
    frame = pd.DataFrame(
        {
            "id": ["1", "2", "3"],
            "country_alpha_2": ["DE", "DE", None],
            "country_name": ["Germany", "Germany", None],
            "country_code": ["DE", "DE", None],
            "kudo_score_kudo_rank": pd.Series([1, 10, 1], dtype="Int64"),
            "posts_count": pd.Series([0, 1, 0], dtype="Int64"),
        }
    )
    assert sentences(frame, "accounts") == [
        "Of 2 accounts with a country (of 3), 2 (100.0%) name Germany.",
        (
            "Of 3 accounts with a kudo rank, 2 (66.7%) have rank 1 and 1 (33.3%) rank 10; 10 is the "
            "highest."
        ),
        "Of 3 accounts with a valid number of posts, 2 (66.7%) have none; the most is 1 post.",
    ]


def test_the_findings_on_real_projects_are_those_of_their_tables(shared: Path) -> None:
    frame = read_pages(shared / "real" / "pages")
    told = sentences(frame)
    leader = stats.contributors_by_language(frame).iloc[0]
    assert told[1].startswith(
        f"{leader['language']} has {leader['contributors']:,} contributors in "
        f"{leader['projects_counted']:,} projects"
    )
    top = stats.contributor_concentration(frame).set_index("measure")["value"]["top 10%"]
    assert f"the 10% with the most contributors have {top:.1%} of all contributors" in told[3]
