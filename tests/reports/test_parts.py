"""A report says what to beware of, what was left out, how it was made, and what it cannot show."""

import html
from datetime import timedelta

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import dirframe
from dirframe import plot, provenance, reports, stats
from dirframe.errors import InvalidInputError
from dirframe.reports.inputs import collect_inputs
from dirframe.reports.passages import Block, Passage

LANGUAGE, LINES = "analysis_main_language_name", "analysis_total_code_lines"
HOSTILE = "<script>alert(1)</script> [x](y) *z*\n# w"


def records(rows=1, **facts):
    frame = pd.DataFrame({"id": [str(number) for number in range(rows)]})
    return {"projects": provenance.set_provenance(frame, resource="project", **facts)}


def warnings(lines):
    return [text for kind, text in lines if kind == "warning"]


def whole(lines):
    return "\n".join(text for _, text in lines)


# Front, method, citation, provenance


def test_front_warns_of_what_applies_to_a_frame(part):
    known = {"source": "D", "complete": True}
    assert warnings(part("front", records(**known))) == []
    incomplete = {"complete": False, "items_loaded": 1, "items_available": 9}
    (warning,) = warnings(
        part("front", records(**known | incomplete, incomplete_reason="it broke off"))
    )
    assert all(fact in warning for fact in ("1 of 9", "it broke off"))
    for facts, rows in (({"synthetic": True}, 1), ({"complete": False}, 1), ({}, 0)):
        assert len(warnings(part("front", records(rows, **known | facts)))) == 1
    assert len(warnings(part("front", {"projects": pd.DataFrame({"id": ["1"]})}))) == 1
    assert len(warnings(part("front", records(0, source="D", complete=False, synthetic=True)))) == 3


def test_method_says_what_was_requested_and_done(part):
    facts = {
        "source": "D",
        "query": {"query": "xml", "sort": None},
        "requests_made": 1,
        "requests_cached": 4,
        "duplicates_removed": 5,
        "steps": ["one", "two"],
    }
    text = whole(part("method", records(complete=True, **facts)))
    for fact in ("query xml", "1 request ", "4 pages", "5 duplicate", "one, two"):
        assert fact in text
    assert f"pandas {pd.__version__}" in text
    assert "sort" not in text
    assert text != whole(part("method", records(complete=False, **facts)))


def test_citation_has_a_link_unless_the_directory_is_this_machine(part):
    public = dict(part("citation", records(source="D", base_url="https://directory.example")))
    assert public["link"] == "https://directory.example"
    assert "@misc" in public["code"]
    local = dict(part("citation", records(source="D", base_url="http://127.0.0.1:80")))
    assert "link" not in local
    assert "code" not in dict(part("citation", {"projects": pd.DataFrame({"id": ["1"]})}))


def test_provenance_has_known_facts_alone():
    frame = provenance.set_provenance(pd.DataFrame(), source="D", complete=False)
    frame.attrs["dirframe"]["secret"] = "hidden"
    text = str(reports.build_provenance(frame))
    assert "hidden" not in text
    assert "D" in text.split()


def test_text_of_others_is_no_markup(part):
    facts = {"source": HOSTILE, "incomplete_reason": HOSTILE, "complete": False}
    frame = records(**facts, query={"query": HOSTILE}, steps=[HOSTILE])["projects"]
    data = collect_inputs(frame, HOSTILE)
    for build in (reports.build_front, reports.build_method):
        text = build(data)._repr_markdown_()
        assert r"\<script\>alert(1)\</script\> \[x\](y) \*z\* \# w" in text
        assert "<script" not in text.replace(r"\<", "")
    for text in ("```\n<b>", "a\n\n````\n\n<b>"):  # nothing ends a listing
        made = Passage(((Block.CODE, text),))._repr_markdown_()
        first, *middle, last = made.split("\n")
        assert first == last
        assert first not in middle


# Which frame is which


def test_frames_are_told_apart_in_any_order(part):
    projects = provenance.set_provenance(
        pd.DataFrame({"id": ["1"], "stack_count": [1]}), source="A directory", resource="project"
    )
    accounts = provenance.set_provenance(
        pd.DataFrame({"id": ["1"]}), source="A directory", resource="account"
    )
    fronts = [
        part("front", frames)
        for frames in (
            [accounts, projects],
            (projects, accounts),
            {"account": accounts, "projects": projects},
        )
    ]
    assert fronts[0] == fronts[1] == fronts[2]
    assert all(word in fronts[0][0][1] for word in ("A directory", "projects", "accounts"))
    assert "accounts" in whole(part("front", pd.DataFrame({"email_sha1": ["x"]})))
    assert part("front", projects, "Two\nlines\x1b[0m")[0] == ("title", "Two lines [0m")


def test_frames_and_selections_that_cannot_be_meant_are_refused_before_anything_runs(tmp_path):
    projects = records(source="A directory")["projects"].assign(
        created_at=pd.Timestamp("2020-01-01", tz="UTC"), stack_count=1
    )
    facts = provenance.set_provenance(
        pd.DataFrame({"analysis_id": ["1"]}), resource="contributor_fact"
    )
    failures = []
    for frames, selection, named in (
        ([], {}, ""),
        ("projects", {}, "str"),
        ([projects, projects], {}, "projects"),
        ({"accounts": projects}, {}, "accounts"),
        ({"people": projects}, {}, "people"),
        ([projects, 3], {}, "int"),
        (pd.DataFrame({"id": ["1"]}), {}, ""),
        (facts, {}, "contributor_fact"),
        (pd.DataFrame({3: ["1"]}), {}, ""),
        (stats.growth(projects), {}, "growth"),
        (projects, {"exclude": ["nonsense"]}, "nonsense"),
        (projects, {"exclude": ["negative_posts"]}, "negative_posts"),
        (projects, {"max_age": "soon"}, "soon"),
        (projects, {"max_age": timedelta(hours=5)}, "max_age"),
        (projects, {"by": "country"}, "country"),
        (projects, {"min_records": 0}, "0"),
    ):
        try:
            dirframe.report(frames, tmp_path / "report.html", **selection)
        except InvalidInputError as error:
            if named in str(error):
                continue
        failures.append((frames, selection))
    assert not failures
    with pytest.raises(InvalidInputError, match=r"\.docx"):
        dirframe.report(projects, tmp_path / "report.docx")
    (tmp_path / "old.html").touch()
    with pytest.raises(InvalidInputError, match=r"old\.html"):
        dirframe.report(projects, tmp_path / "old.html")
    assert [file.name for file in tmp_path.iterdir()] == ["old.html"]


# What was left out


def test_method_says_which_rules_left_out_how_many_records(part):
    frame = pd.DataFrame(
        {
            "id": [str(number) for number in range(40)],
            LANGUAGE: "C",
            LINES: [1, -5, -5, -5, *[1] * 36],
            "analysis_twelve_month_contributor_count": [*[1] * 3, -1, 1, -1, *[1] * 34],
        }
    )
    accounts = pd.DataFrame({"id": ["1"], "country_code": ["Germany"], "posts_count": [1]})
    rules = ["negative_lines", "negative_contributors", "duplicate_id", "negative_posts"]
    frames = {"projects": frame, "accounts": accounts}
    lines = part("method", frames, exclude=rules, by="team_size")
    (projects,) = [text for _, text in lines if "negative_lines" in text]
    for fact in ("4 of 40", "duplicate_id 0", "negative_contributors 2", "negative_lines 3"):
        assert fact in projects
    assert "negative_posts" not in projects  # projects have none
    (of_accounts,) = [text for _, text in lines if "negative_posts" in text]
    assert "0 of 1 " in of_accounts
    assert sum("team_size" in text for _, text in lines) == 1  # accounts have no teams
    aged = frame.assign(analysis_logged_at=pd.Timestamp("2013-01-01", tz="UTC"))
    assert "max_age 90" in whole(part("method", aged, max_age=timedelta(days=90)))


# Tables and figures


PROJECTS = pd.DataFrame({"id": ["1", "2"], LANGUAGE: ["C", "<b>"], LINES: [10, 20]})


def test_figure_is_the_same_bytes_each_time_and_its_text_is_its_caption():
    once, again = (reports.show(plot.language_share, PROJECTS) for _ in range(2))
    assert once.svg == again.svg
    assert "<dc:date>" not in once.svg
    assert "<text" not in once.svg
    assert once.caption
    assert "n = 2" in once.note
    assert "plot.language_share" in once.note
    assert plt.get_fignums() == []


def test_table_escapes_what_is_in_it_and_names_its_source():
    table = reports.show(stats.language_share, PROJECTS)
    assert "&lt;b&gt;" in table._repr_html_()
    assert "<b>" not in table._repr_html_()
    for fact in ("stats.language_share", "n = 2", "50.0%"):
        assert fact in html.unescape(table._repr_html_())
    summary = reports.show(dirframe.summary, PROJECTS)
    assert len(summary.captions) == 2


def test_what_cannot_be_shown_is_a_line_that_names_the_reason():
    empty = pd.DataFrame(
        {
            "id": ["1"],
            LANGUAGE: pd.Series([None], dtype="str"),
            "analysis_twelve_month_contributor_count": pd.Series([None], dtype="Int64"),
        }
    )
    unsent = provenance.set_provenance(empty.copy(), resource="project", not_sent=[LANGUAGE])
    failures = []
    for make, frame, named in (
        (stats.language_share, PROJECTS[["id"]], LANGUAGE),
        (plot.language_share, PROJECTS[["id"]], LANGUAGE),
        (stats.language_share, unsent, LANGUAGE),
        (plot.language_share, unsent, LANGUAGE),
        (stats.language_share, empty, ""),
        (plot.language_share, empty, ""),
        (stats.contributor_distribution, empty, ""),
    ):
        line = reports.show(make, frame)
        if len(getattr(line, "blocks", ())) != 1 or make.__name__ not in str(line):
            failures.append((make, line))
        if named not in str(line):
            failures.append((make, str(line)))
    assert not failures
    assert plt.get_fignums() == []
    with pytest.raises(InvalidInputError, match="top"):
        reports.show(stats.language_share, PROJECTS, top=-1)


@pytest.mark.filterwarnings("default")
def test_warning_is_shown_without_the_folder_of_the_package(capsys):
    reports.show(plot.language_share, PROJECTS.assign(**{LANGUAGE: "𒀀"}))  # no font has it
    said = capsys.readouterr().err
    assert "MissingGlyphsWarning" in said
    assert said.count("\n") == 1
    assert ".py" not in said
