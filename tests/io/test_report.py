"""A report is one page that says what the frames hold, what to beware of, and how it was made."""

import base64
import re

import lxml.html
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure

import dirframe
from dirframe import read_pages, stats
from dirframe.errors import InvalidInputError
from tests.charts import write_empty
from tests.frames import with_provenance

CONTRIBUTORS = "analysis_twelve_month_contributor_count"
LANGUAGE, LINES = "analysis_main_language_name", "analysis_total_code_lines"
HOSTILE = "<script>alert(1)</script> {{ 7 * 7 }}"


@pytest.fixture(scope="module")
def tree(sample_frames, tmp_path_factory):
    """Return the elements of a report on projects and accounts, with pictures that are empty."""
    projects = sample_frames["projects"].copy()
    projects.loc[0, LANGUAGE] = HOSTILE
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", write_empty)
        file = dirframe.report([sample_frames["accounts"], projects], folder / "report.html")
    assert [entry.name for entry in folder.iterdir()] == ["report.html"]
    return lxml.html.fromstring(file.read_text(encoding="utf-8"))


@pytest.fixture
def make(tmp_path, empty_pictures):
    """Return the elements of the report on some frames: its words, with pictures that are empty."""

    def of(frames, **options):
        file = dirframe.report(frames, tmp_path / "made.html", overwrite=True, **options)
        return lxml.html.fromstring(file.read_text(encoding="utf-8"))

    return of


def text_of(element):
    return " ".join(element.text_content().split())


def items(tree, section):
    """Return the list items of a section."""
    return [text_of(item) for item in tree.xpath(f"//section[h2/@id='{section}']//li")]


def beware(tree):
    return [text_of(line) for line in tree.xpath("//*[@class='beware']")]


def facts(sentence):
    """Return the numbers and words of a sentence."""
    return set(re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?%?|\w+", sentence))


def records(rows=1, **known):
    frame = pd.DataFrame({"id": [str(number) for number in range(rows)]})
    return {"projects": with_provenance(frame, resource="project", **known)}


def projects(rows=4):
    month = pd.Timestamp("2013-07-01", tz="UTC")
    return pd.DataFrame(
        {
            "id": [str(n) for n in range(rows)],
            LANGUAGE: ["C", "Perl", "C", "Ada"][:rows],
            CONTRIBUTORS: pd.Series([3, 0, 1500, None][:rows], dtype="Int64"),
            LINES: [10] * rows,
            "stack_count": [1] * rows,
            "analysis_min_month": [month] * rows,
            "analysis_max_month": [month] * rows,
            "analysis_logged_at": [month] * rows,
            "licenses": [[{"name": "mit", "nice_name": "MIT License"}], None, None, None][:rows],
        }
    )


# The page


def test_page_fetches_nothing_and_runs_nothing(tree):
    addresses = tree.xpath("//@src | //@srcset | //@data | //@poster | //link/@href")
    assert addresses
    assert [text for text in addresses if not text.startswith("data:image/")] == []
    assert not tree.xpath("//script | //iframe | //object | //embed | //link | //@onload")
    assert not re.search(r"@import|url\(", tree.findtext(".//style"))
    (policy,) = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert HOSTILE in text_of(tree)


def numbered(noun, last):
    return [f"{noun} {number}" for number in range(1, last + 1)]


def test_figures_and_tables_are_numbered_described_and_say_their_source(tree):
    figures = tree.xpath("//figure")
    assert len(figures) >= 8
    words = [text_of(figure.find("figcaption")) for figure in figures]
    assert [text.split(".")[0] for text in words] == numbered("Figure", len(figures))
    source = r"plot\.\w+\. (All )?[\d,]+ .*(projects|accounts).* Source: "
    assert [text for text in words if not re.search(source, text)] == []
    described = [figure.find("img").get("alt") for figure in figures]
    assert [text for text in described if not text.startswith("Chart: ")] == []
    captions = [text_of(caption) for caption in tree.xpath("//table/caption")]
    assert [text.split(".")[0] for text in captions] == numbered("Table", len(captions))
    assert not plt.get_fignums()


def test_contents_lead_to_every_section(tree):
    headings = tree.xpath("//h2/@id")
    assert [link[1:] for link in tree.xpath("//nav//a/@href")] == headings
    assert len(set(headings)) == len(headings)
    assert {"findings", "method", "citation"} < {*headings}


def test_report_of_the_same_frames_has_the_same_bytes(sample_frames, tmp_path):
    frame = sample_frames["projects"][["id", "name", "licenses"]].head(10)
    one, two = (dirframe.report(frame, tmp_path / f"{name}.html") for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    pictures = lxml.html.fromstring(one.read_text("utf-8")).xpath("//img/@src | //source/@srcset")
    assert len(pictures) >= 2
    svgs = [base64.b64decode(picture.partition(",")[2]) for picture in pictures]
    assert [svg for svg in svgs if b"<path" not in svg] == []
    active = [re.search(rb"<script|<image|(?:href|src)=\"(?!#)", svg) for svg in svgs]
    assert active == [None] * len(svgs)


def test_text_of_others_is_no_markup(make):
    said = {"source": HOSTILE, "incomplete_reason": HOSTILE, "complete": False}
    frame = records(**said, query={"query": HOSTILE}, steps=[HOSTILE])
    tree = make(frame, title=HOSTILE + "\nline")
    assert tree.xpath("//script") == []
    assert text_of(tree).count(HOSTILE) >= 5
    assert text_of(tree.find(".//h1")) == f"{HOSTILE} line"


# Front, method, citation, provenance


WHOLE = {"source": "D", "complete": True, "items_loaded": 1}
BROKEN_OFF = {"complete": False, "items_available": 9, "incomplete_reason": "it broke off"}


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        (records(**WHOLE), []),
        (records(**WHOLE | BROKEN_OFF), ["1 of 9 loaded (it broke off)"]),
        (records(**WHOLE | {"synthetic": True}), ["generated"]),
        ({"projects": pd.DataFrame({"id": ["1"]})}, ["nobody can tell"]),
        (records(0, source="D", complete=False, synthetic=True), ["incomplete", "generated"]),
    ],
    ids=["complete", "incomplete", "generated", "without provenance", "incomplete and generated"],
)
def test_front_warns_of_what_applies_to_a_frame(frames, expected, make):
    warnings = beware(make(frames))
    assert len(warnings) == len(expected)
    pairs = zip(expected, warnings, strict=True)
    assert [(fact, text) for fact, text in pairs if fact not in text] == []


def test_records_taken_away_since_the_load_are_not_called_complete(make, sample_projects):
    columns = ["id", "name"]
    whole = make(sample_projects[columns])
    java = sample_projects.loc[sample_projects[LANGUAGE] == "Java", columns]
    part = make(java)
    left = f"{len(java):,} of {len(sample_projects):,} records loaded"
    assert left in " ".join(beware(part))
    assert left in " ".join(items(part, "method"))
    assert "records loaded" not in " ".join(beware(whole))
    assert "records loaded" not in " ".join(items(whole, "method"))
    assert "proven complete" in " ".join(items(whole, "method"))


def test_method_and_citation_say_what_was_requested_and_done(make):
    known = records(
        source="D",
        base_url="https://directory.example",
        query={"query": "xml", "sort": None, "ids": ["7"]},
        complete=True,
        requests_made=1,
        requests_cached=4,
        duplicates_removed=5,
        steps=["one", "two"],
    )
    tree = make(known)
    text = " ".join(items(tree, "method"))
    said = ["query xml", "1 request ", "4 pages", "5 duplicate", "one, two"]
    assert [fact for fact in said if fact not in text] == []
    assert f"pandas {pd.__version__}" in text
    assert "sort" not in text
    (section,) = tree.xpath("//section[h2/@id='citation']")
    assert " ".join(dirframe.cite(known["projects"]).split()) in text_of(section)
    assert "terms of D (https://directory.example)" in text_of(section)
    assert "@misc" in section.findtext(".//pre")
    unknown = make({"projects": pd.DataFrame({"id": ["1"]})})
    assert not unknown.xpath("//section[h2/@id='citation']//pre")


# Which frame is which


def test_frames_are_told_apart_in_any_order(make):
    one, other = (
        with_provenance(pd.DataFrame({"id": ["1"]}), source="A directory", resource=resource)
        for resource in ("project", "account")
    )
    titles = {
        text_of(make(frames).find(".//h1"))
        for frames in ([other, one], (one, other), {"accounts": other, "projects": one})
    }
    assert titles == {"A directory: projects and accounts"}
    assert "accounts" in text_of(make(pd.DataFrame({"email_sha1": ["x"]})).find(".//h1"))


ONE = records(source="A directory")["projects"].assign(
    created_at=pd.Timestamp("2020-01-01", tz="UTC"), stack_count=1
)
MEMBERS = with_provenance(pd.DataFrame({"analysis_id": ["1"]}), resource="contributor_fact")


@pytest.mark.parametrize(
    ("frames", "named"),
    [
        ([], "none"),
        ("projects", "str"),
        (3, "int"),
        pytest.param([ONE, ONE], "projects", id="projects twice"),
        pytest.param({"accounts": ONE}, "accounts", id="projects as accounts"),
        pytest.param({"people": ONE}, "people", id="another name"),
        pytest.param([ONE, 3], "int", id="a frame and a number"),
        pytest.param(pd.DataFrame({"id": ["1"]}), "name it", id="of an unknown kind"),
        pytest.param(MEMBERS, "contributors", id="contributors alone"),
        pytest.param(pd.DataFrame({3: ["1"]}), "name it", id="a column that is a number"),
    ],
)
def test_frames_that_cannot_be_meant_are_refused_before_anything_is_drawn(frames, named, tmp_path):
    with pytest.raises(InvalidInputError, match=named):
        dirframe.report(frames, tmp_path / "report.html")
    assert [*tmp_path.iterdir()] == []


def test_statistic_is_no_frame_of_a_report(tmp_path):
    with pytest.raises(InvalidInputError, match="growth"):
        dirframe.report(stats.growth(ONE), tmp_path / "report.html")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("name", "title", "named"),
    [
        ("report.docx", None, r"\.docx"),
        ("old.html", None, r"old\.html"),
        ("report.html", 3, "title is 3"),
    ],
)
def test_report_of_another_format_or_title_is_refused(name, title, named, tmp_path):
    (tmp_path / "old.html").touch()
    with pytest.raises(InvalidInputError, match=named):
        dirframe.report(ONE, tmp_path / name, title=title)
    assert [file.name for file in tmp_path.iterdir()] == ["old.html"]
    assert (tmp_path / "old.html").read_bytes() == b""


NAMES = with_provenance(pd.DataFrame({"name": ["One"]}), resource="portfolio_project")


@pytest.mark.parametrize("frames", [NAMES, {"projects": NAMES}], ids=["frame", "named frame"])
def test_portfolio_of_names_alone_is_refused_with_the_load_that_has_projects(frames, tmp_path):
    with pytest.raises(InvalidInputError) as caught:
        dirframe.report(frames, tmp_path / "report.html")
    assert "load_projects(organization=" in caught.value.hint
    assert '{"projects": frame}' not in caught.value.hint
    assert not [*tmp_path.iterdir()]


# Findings


def test_findings_have_the_counts_shares_and_medians_of_the_records(make, report_of_words):
    accounts = pd.DataFrame(
        {
            "id": ["1", "2", "3"],
            "country_code": ["DE", "Germany", None],
            "kudo_score_kudo_rank": pd.Series([1, 10, 1], dtype="Int64"),
            "posts_count": pd.Series([0, 1, 0], dtype="Int64"),
        }
    )
    sentences = items(make({"projects": projects(), "accounts": accounts}), "findings")
    expected = [
        {"4", "C", "2", "50.0%", "Ada", "Perl", "1", "25.0%"},
        {"3", "4", "1", "33.3%", "half", "90%", "1,500"},
        {"4", "100.0%", "0", "0.0%", "2013"},
        {"1", "4", "100.0%", "MIT"},
        {"2", "3", "100.0%", "Germany"},
        {"3", "2", "66.7%", "1", "33.3%", "10"},
        {"3", "2", "66.7%", "1"},
    ]
    pairs = zip(expected, sentences, strict=True)
    assert [said & facts(sentence) for said, sentence in pairs] == expected


def test_findings_of_a_random_sample_are_called_estimates_with_intervals_where_they_are_known(
    make, report_of_words
):
    design = {"size": 4, "population": 900, "seed": 1, "order": "id"}
    known = {"completeness": "sample", "sample": design, "items_loaded": 4, "source": "D"}
    sample = with_provenance(projects()[["id", LANGUAGE]], resource="project", **known)
    first = items(make(sample), "findings")[0]
    assert {"estimates", "random", "sample", "4", "900"} <= facts(first)
    others = items(make(records()), "findings")
    assert [line for line in others if "estimate" in line] == []


def test_findings_of_a_frame_from_which_all_was_taken_do_not_say_that_there_is_nothing(make):
    loaded = with_provenance(projects(), resource="project", source="D", items_loaded=4)
    (line,) = items(make(loaded[loaded[LANGUAGE] == "Cobol"]), "findings")
    assert {"None", "4", "loaded"} <= facts(line)


def test_finding_of_one_record_is_singular_and_one_without_a_value_is_said_once(
    make, report_of_words
):
    frame = projects(2)[["id", LANGUAGE, CONTRIBUTORS]]
    first, second, *_ = items(make(frame.head(1).assign(**{CONTRIBUTORS: 1})), "findings")
    assert "1 project " in first
    assert second.endswith("1 contributor.")
    columns = {LANGUAGE: "str", CONTRIBUTORS: "Int64"}
    nothing = {name: pd.Series([None], dtype=dtype) for name, dtype in columns.items()}
    lines = items(make(frame.head(1).assign(**nothing)), "findings")
    assert len(lines) == len(set(lines))
    none = items(make(frame.iloc[1:]), "findings")  # a language, and no contributor
    assert [line for line in none if "nan" in line.lower()] == []


def test_report_names_what_lacks_its_columns(make, sample_frames):
    tree = make(sample_frames["projects"][["id", "name"]])
    assert tree.xpath("//h2[@id='languages']") == []  # no empty section
    *_, last = findings = items(tree, "findings")
    assert [line for line in findings if "There are no" in line] == []
    assert "stats.language_share" in last
    assert "stats.contributor_concentration" in last
    assert "stats.activity" in last
    assert "stats.licenses" in last
    text = text_of(tree)
    assert text.count("is not shown: ") >= 6
    assert LANGUAGE in text
    unsent = with_provenance(
        projects(2)
        .assign(**{LANGUAGE: pd.Series([None] * 2, dtype="str")})
        .drop(columns=[CONTRIBUTORS, LINES, "licenses"]),
        resource="project",
        not_sent=[LANGUAGE],
    )
    last = items(make(unsent), "findings")[-1]
    assert "stats.language_share" in last
    assert "activity" not in last


def test_rules_are_in_words_and_those_that_match_nothing_are_in_one_line(make, report_of_words):
    frame = projects().drop(columns=[LANGUAGE, CONTRIBUTORS, "licenses"])
    late = frame.assign(analysis_max_month=pd.Timestamp("2013-09-01", tz="UTC"))
    tree = make({"projects": late})
    text = text_of(tree)
    assert "month_in_future" not in text
    (table,) = tree.xpath("//table[caption[contains(., 'Reasons to beware')]]")
    rows = [[text_of(cell) for cell in row] for row in table.xpath(".//tbody/tr")]
    assert ["month in the future", "4", "100.0%"] in rows
    assert [row for row in rows if row[1] == "0"] == []
    (note,) = table.xpath("../following-sibling::p[1]")
    assert "negative number of code lines" in text_of(note)


# One line a project


def portfolio():
    """Return two projects, their contributors, months and repositories."""
    frame = with_provenance(
        projects().assign(
            name=["Ada's <b>tool</b>", "Two", "Three", "Four"],
            homepage_url=["https://one.example/?a=1&b=2", "javascript:alert(1)", None, "ftp://x"],
            analysis_logged_at=pd.Timestamp("2013-10-05", tz="UTC"),
            licenses=[[{"name": "mit", "nice_name": "MIT License"}, {"name": "gpl3"}]] + [None] * 3,
        ),
        resource="project",
        source="D",
        retrieved_newest="2013-10-06T00:00:00+00:00",
    )
    people = pd.DataFrame(
        {
            "project_id": ["0", "0", "0", "1"],
            "contributor_id": ["1", "2", "3", "4"],
            "commits": pd.Series([60, 30, 10, 5], dtype="Int64"),
        }
    )
    months = pd.DataFrame(
        {
            "project_id": ["0"] * 14 + ["1"],
            "month": [
                *pd.date_range("2012-08-01", periods=14, freq="MS", tz="UTC"),
                pd.Timestamp("2013-01-01", tz="UTC"),
            ],
            "commits": pd.Series([100] * 2 + [1] * 12 + [7], dtype="Int64"),
            "contributors": pd.Series([1] * 15, dtype="Int64"),
        }
    )
    repositories = pd.DataFrame(
        {
            "project_id": ["0", "0"],
            "url": ["git://github.com/a/b.git", ":pserver:cvs.example/x"],
            "canonical_url": ["https://github.com/a/b", None],
            "commits": pd.Series([5, None], dtype="Int64"),
        }
    )
    facts = {"resource": "", "retrieved_newest": "2014-01-02T00:00:00+00:00", "source": "D"}
    people, months, repositories = (
        with_provenance(table, **facts | {"resource": name})
        for table, name in (
            (people, "contributor_fact"),
            (months, "activity_fact"),
            (repositories, "enlistment"),
        )
    )
    return frame, {"contributors": people, "activity": months, "repositories": repositories}


def lines_of(tree, section):
    """Return the rows of the first table of a section, by the titles of its columns."""
    (table,) = tree.xpath(f"//section[h2/@id='{section}']//table")[:1]
    heads = [text_of(head) for head in table.xpath(".//th")]
    rows = table.xpath(".//tbody/tr")
    return [dict(zip(heads, map(text_of, row), strict=True)) for row in rows]


def test_portfolio_begins_with_a_line_for_each_project(make, report_of_words):
    frame, others = portfolio()
    tree = make(frame, **others)
    sections = tree.xpath("//section/h2/@id")
    assert sections[:5] == ["projects", "months", "bus-factor", "repositories", "findings"]
    first, second, *_ = lines_of(tree, "projects")
    assert first == {
        "Project": "Ada's <b>tool</b>",
        "Main language": "C",
        "Lines of code": "10",
        "People in 12 months": "3",
        "Months since last activity": "3",
        "Licence": "MIT, GPL-3.0-only",
        "Family": "permissive, strong copyleft",
        "Bus factor": "1",
        "Commits in 12 months": "12",
        "Repositories": "2",
        "Flags": "",
    }
    assert (second["Project"], second["Bus factor"], second["Repositories"]) == ("Two", "1", "")
    links = tree.xpath("//section[h2/@id='projects']//td/a/@href")
    assert links == ["https://one.example/?a=1&b=2"]
    assert tree.xpath("//section[h2/@id='repositories']//td/a/@href") == ["https://github.com/a/b"]
    drawn = [text_of(caption) for caption in tree.xpath("//section[h2/@id='months']//figcaption")]
    assert "Ada's <b>tool</b>" in drawn[0]
    notes = [text_of(note) for note in tree.xpath("//section[h2/@id='bus-factor']/p")]
    assert {"Three", "Four"} <= facts(notes[0])
    assert "Loading the repositories" in text_of(tree)


def test_projects_that_are_many_have_a_line_for_the_largest_alone(
    make, report_of_words, sample_projects
):
    columns = ["id", "name", CONTRIBUTORS]
    lines = lines_of(make(sample_projects[columns]), "projects")
    assert len(lines) == 25
    most = sample_projects.sort_values(CONTRIBUTORS, ascending=False)["name"].iloc[0]
    assert lines[0]["Project"] == most


def test_portfolio_names_columns_that_were_not_sent(make):
    unsent = with_provenance(
        pd.DataFrame({"id": ["1", "2"], LANGUAGE: pd.Series([None] * 2, dtype="str")}),
        resource="project",
        not_sent=[LANGUAGE],
    )
    tree = make(unsent)
    assert "Main language" not in lines_of(tree, "projects")[0]
    assert "main language" in text_of(tree.xpath("//section[h2/@id='projects']/p")[0])
    hidden = [text_of(line) for line in tree.xpath("//section[h2/@id='not-shown']/*")]
    assert any("did not send" in line and LANGUAGE in line for line in hidden)
    assert any("details=True" in line for line in hidden)


PORTFOLIO, OTHERS = portfolio()
PEOPLE = OTHERS["contributors"]
ACCOUNTS = with_provenance(pd.DataFrame({"id": ["1"]}), resource="account")


@pytest.mark.parametrize(
    ("frame", "option", "table", "named"),
    [
        (PORTFOLIO, "contributors", PEOPLE.assign(project_id="99"), "99"),
        (PORTFOLIO, "contributors", PEOPLE.drop(columns="project_id"), "project_id"),
        (PORTFOLIO, "activity", PEOPLE, "month"),
        (PORTFOLIO, "repositories", PEOPLE, "url"),
        (PORTFOLIO, "contributors", "people.csv", "str"),
        (ACCOUNTS, "contributors", PEOPLE, "contributors"),
    ],
    ids=[
        "of another project",
        "of no project",
        "contributors as months",
        "contributors as repositories",
        "a path",
        "with accounts",
    ],
)
def test_portfolio_of_records_of_other_projects_is_refused(frame, option, table, named, tmp_path):
    with pytest.raises(InvalidInputError, match=named):
        dirframe.report(frame, tmp_path / "r.html", **{option: table})
    assert list(tmp_path.iterdir()) == []


def test_portfolio_of_one_project_needs_no_column_that_names_it(make):
    frame, others = portfolio()
    people = others["contributors"].iloc[:3].drop(columns="project_id")
    (line,) = lines_of(make(frame[["id", "name"]].head(1), contributors=people), "projects")
    assert line["Bus factor"] == "1"


def test_portfolio_in_the_shell(empty_pictures, report_of_words, tmp_path, run):
    frame, others = portfolio()
    others["activity"] = others["activity"].tail(1)  # of one project: its months are drawn
    columns = ["id", "name", "homepage_url"]
    words = ["report", dirframe.export(frame[columns], tmp_path / "ours.parquet")]
    for name, table in others.items():
        words += [f"--{name}", dirframe.export(table, tmp_path / f"{name}.parquet")]
    assert run(*words, "-o", tmp_path / "ours.html").code == 0
    page = lxml.html.fromstring((tmp_path / "ours.html").read_text("utf-8"))
    assert lines_of(page, "projects")[0]["Bus factor"] == "1"
    refused = run(*words, "-o", tmp_path / "activity.parquet", "--overwrite")
    assert refused.code == 2


def test_notebook_shows_a_link_to_the_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = records(source="D")["projects"]
    inside = dirframe.report(frame, "out/a & b.html")
    assert inside == tmp_path.joinpath("out/a & b.html").relative_to(tmp_path)
    link = lxml.html.fromstring(inside._repr_html_())
    assert (link.get("href"), text_of(link)) == ("out/a%20%26%20b.html", "out/a & b.html")
    monkeypatch.chdir("out")
    outside = dirframe.report(frame, tmp_path / "c.html")
    assert "href" not in outside._repr_html_()


def test_empty_frames_without_provenance_give_a_report(make):
    empty = pd.DataFrame({"id": pd.Series([], dtype="str")})
    tree = make({"projects": empty, "accounts": empty})
    assert text_of(tree).count("is not shown") > 5
    assert items(tree, "findings") == ["There are no projects.", "There are no accounts."]


def test_findings_on_real_projects_are_those_of_their_tables(make, report_of_words, shared):
    frame = read_pages(shared / "real" / "pages")[["id", LANGUAGE, CONTRIBUTORS]]
    lines = items(make(frame), "findings")
    leader = stats.language_share(frame).iloc[0]
    assert {leader["language"], f"{leader['projects']:,}"} <= facts(lines[0])
    top = stats.contributor_concentration(frame).loc[0, "top_10_percent_share"]
    assert f"{top:.1%}" in facts(lines[2])
