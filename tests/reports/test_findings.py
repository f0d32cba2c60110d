"""Findings are sentences that say what the tables say."""

import re

import pandas as pd
import pytest

from dirframe import provenance, read_pages, stats

CONTRIBUTORS = "analysis_twelve_month_contributor_count"
LANGUAGE = "analysis_main_language_name"


@pytest.fixture(scope="module")
def sentences(part):
    def of(frame, collection="projects", **selection):
        return [text for _, text in part("findings", {collection: frame}, **selection)]

    return of


def numbers(sentence):
    return set(re.findall(r"\d[\d,]*(?:\.\d+)?%?", sentence))


def projects(rows=4):
    month = pd.Timestamp("2013-07-01", tz="UTC")
    return pd.DataFrame(
        {
            "id": [str(n) for n in range(rows)],
            LANGUAGE: ["C", "Perl", "C", "Ada"][:rows],
            CONTRIBUTORS: pd.Series([3, 0, 1500, None][:rows], dtype="Int64"),
            "analysis_total_code_lines": [10] * rows,
            "stack_count": [1] * rows,
            "analysis_min_month": [month] * rows,
            "analysis_max_month": [month] * rows,
            "analysis_logged_at": [month] * rows,
            "licenses": [[{"name": "mit", "nice_name": "MIT License"}], None, None, None][:rows],
        }
    )


def test_findings_have_the_counts_shares_and_medians_of_the_projects(sentences):
    languages, leaders, quantiles, activity, licenses = sentences(projects())
    assert numbers(languages) == {"4", "2", "50.0%", "1", "25.0%"}
    assert all(re.search(rf"\b{name}\b", languages) for name in ("C", "Ada", "Perl"))
    assert {"1,503", "2", "751.5"} <= numbers(leaders)
    assert {"3", "4", "1", "33.3%", "1,200.6", "1,500"} <= numbers(quantiles)
    assert {"4", "100.0%", "0", "0.0%", "2013"} <= numbers(activity)
    assert {"1", "4", "100.0%"} <= numbers(licenses)
    assert "MIT License" in licenses


def test_findings_have_the_counts_of_the_accounts(sentences):
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
    countries, ranks, posts = sentences(frame, "accounts")
    assert numbers(countries) == {"2", "3", "100.0%"}
    assert "Germany" in countries
    assert {"3", "2", "66.7%", "1", "33.3%", "10"} <= numbers(ranks)
    assert {"3", "2", "66.7%", "1"} <= numbers(posts)


def test_finding_of_one_record_is_singular(sentences):
    first, second, third, *_ = sentences(projects(1).assign(**{CONTRIBUTORS: 1}))
    assert "1 project " in first
    for sentence in (second, third):
        assert re.search(r"1 contributor\b", sentence)
        assert "1 contributors" not in sentence


def test_finding_without_a_value_is_said_once(sentences):
    empty = projects(1).assign(
        **{
            LANGUAGE: pd.Series([None], dtype="str"),
            CONTRIBUTORS: pd.Series([None], dtype="Int64"),
        }
    )
    lines = sentences(empty)
    assert len(lines) == len(set(lines))
    assert numbers(lines[0]) == {"1"}
    none = sentences(projects(2).iloc[1:])  # a language, and no contributor
    assert not any("nan" in line.lower() for line in none)
    assert len(sentences(projects().iloc[:0])) == 1


def test_topic_without_its_columns_is_named(sentences):
    missing = sentences(projects(2)[["id", "licenses"]])
    assert len(missing) == 2
    assert all(topic in missing[-1] for topic in ("languages", "contributors", "activity"))
    unsent = provenance.set_provenance(
        projects(2).assign(**{LANGUAGE: pd.Series([None] * 2, dtype="str")}),
        resource="project",
        not_sent=[LANGUAGE],
    )
    assert "languages" in sentences(unsent)[-1]
    assert "activity" not in sentences(unsent)[-1]


def test_excluded_records_are_in_no_finding_and_strata_do_not_divide_them(sentences):
    impossible = projects(1).assign(**{CONTRIBUTORS: -1})
    frame = pd.concat([projects(), impossible], ignore_index=True)
    lines = sentences(frame, exclude=["negative_contributors"], by="team_size")
    assert lines == sentences(projects())


def test_findings_on_real_projects_are_those_of_their_tables(sentences, shared):
    frame = read_pages(shared / "real" / "pages")
    lines = sentences(frame)
    leader = stats.contributors_by_language(frame).iloc[0]
    assert lines[1].startswith(leader["language"])
    assert {f"{leader['contributors']:,}", f"{leader['projects_counted']:,}"} <= numbers(lines[1])
    top = stats.contributor_concentration(frame).set_index("measure")["value"]["top 10%"]
    assert f"{top:.1%}" in numbers(lines[3])
