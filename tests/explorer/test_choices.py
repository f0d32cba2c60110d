"""One truth: filters, order and search act on count, table, chart, code, citation and file alike."""

import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import dirframe
from dirframe import provenance, stats
from dirframe.errors import InvalidInputError

LANGUAGE = "analysis_main_language_name"
EVIL = '<script>alert("1")</script> & <b>bold</b>'
_FIGURES = []  # figures of pyplot


def run(explorer, **names):
    """Run the code of an explorer as in a new notebook; return its variables."""
    names |= {"explorer": explorer} if isinstance(explorer.source, pd.DataFrame) else {}
    exec(explorer.code, names)
    return names


def assert_one_truth(explorer, shown, capsys):
    """Check that count, table, chart, code and citation tell of the same records."""
    capsys.readouterr()
    names = run(explorer)
    assert_frame_equal(names["shown"], explorer.frame)
    ours = provenance.get_provenance(explorer.frame)
    assert provenance.get_provenance(names["shown"])["steps"] == ours["steps"]
    assert capsys.readouterr().out.strip() == shown(explorer, "citation").text_content().strip()
    assert shown(explorer, "code").text_content() == explorer.code
    assert shown(explorer, "count").text_content().startswith(f"{len(explorer.frame):,} ")
    rows = shown(explorer, "table").xpath("//tbody/tr")
    assert len(rows) == min(20, len(explorer.frame))
    names_shown = [row.xpath("./td")[0].text_content() for row in rows]
    assert names_shown == [" ".join(name.split()) for name in explorer.frame["name"].head(20)]
    (picture,) = shown(explorer, "picture").xpath("//img")
    assert picture.get("alt").startswith(" ".join(names["ax"].get_title().split()))
    return picture.get("alt")


CHOICES = {
    "nothing": {},
    "every filter": {
        "languages": ("C", "Java", "Python"),
        "licenses": ("gpl", None),
        "tags": ("linux", "c", None),
        "first_year": 2006,
        "last_year": 2009,
        "activity": "active",
        "search": "  a ",
        "style": "bibtex",
        "chart": "activity",
    },
    "an order": {"search": "network", "order_by": "name", "descending": True, "chart": "growth"},
    "one year": {"first_year": 2012, "order_by": "stack_count"},
    "years turned": {"first_year": 2010, "last_year": 2008},
}


@pytest.mark.parametrize("name", CHOICES)
def test_code_of_a_frame_gives_what_is_shown(name, sample_projects, shown, capsys):
    explorer = dirframe.Explorer(sample_projects)
    for control, value in CHOICES[name].items():
        getattr(explorer, control).value = value
    assert 0 < len(explorer.frame) <= 1500
    alt = assert_one_truth(explorer, shown, capsys)
    assert "dirframe sample directory" in alt


def test_code_of_a_load_gives_what_is_shown_without_a_key(sample, shown, press, sent, capsys):
    explorer = dirframe.Explorer(sample)
    assert (explorer.frame, explorer.code) == (None, "")
    explorer.collection.value = "accounts"
    explorer.query.value, explorer.sort.value, explorer.max_items.value = "a", "name", 60
    press(explorer, "Load")
    most = explorer.countries.options[0][1]
    explorer.countries.value, explorer.chart.value = (most, None), "accounts_map"
    assert 0 < len(explorer.frame) < 60
    alt = assert_one_truth(explorer, shown, capsys)
    assert re.search(r"n = \d+ of .*60", alt)
    assert sample.api_key.reveal() not in sent(explorer)
    assert "explorer" not in explorer.code


def test_code_unifies_countries_where_the_explorer_did(sample, shown, capsys):
    raw = dirframe.load_accounts(sample, max_items=100, progress=False)
    explorer = dirframe.Explorer(raw)
    explorer.countries.value = (explorer.countries.options[0][1],)
    assert "unify_countries" in explorer.code
    assert_one_truth(explorer, shown, capsys)
    assert "unify_countries" not in dirframe.Explorer(dirframe.unify_countries(raw)).code


def test_counts_are_those_that_the_other_filters_let_pass(sample_projects):
    explorer = dirframe.Explorer(sample_projects)
    explorer.languages.value, explorer.licenses.value = ("C", None), ("gpl",)
    explorer.first_year.value, explorer.activity.value = 2007, "active"
    chosen = {"languages": ["C", None], "licenses": ["gpl"], "activity": "active"}
    chosen["years"] = (2007, None)
    failures = []
    for name in ("languages", "licenses", "tags", "activity"):
        options = dict(getattr(explorer, name).options)
        assert len(options) > 2
        for label, value in [*list(options.items())[:4], *list(options.items())[-1:]]:
            if value == "all":
                continue
            wanted = chosen | {name: value if name == "activity" else [value]}
            if not label.endswith(f" ({len(dirframe.select(sample_projects, **wanted)):,})"):
                failures.append(label)
    for label, year in explorer.last_year.options[1:]:
        wanted = chosen | {"years": (year, year)}
        if label != f"{year} ({len(dirframe.select(sample_projects, **wanted)):,})":
            failures.append(label)
    assert not failures
    assert explorer.languages.value == ("C", None)


def test_counts_of_all_records_are_those_of_the_statistics(sample_projects, sample_accounts):
    explorer = dirframe.Explorer(sample_projects)
    for name, statistic, column in (("tags", "tags", "tag"), ("licenses", "licenses", "license")):
        table = getattr(stats, statistic)(sample_projects)
        counts = dict(zip(table[column], table["projects"], strict=True))
        labels = {f"{value} ({count:,})" for value, count in counts.items()}
        offered = {label for label, value in getattr(explorer, name).options if value}
        assert len(labels & offered) > 5
    countries = dirframe.Explorer(sample_accounts).countries.options
    germany = int((sample_accounts["country_name"] == "Germany").sum())
    assert (f"Germany ({germany:,})", "Germany") in countries


def test_file_has_what_is_shown_and_is_replaced_only_if_asked(
    sample_projects, press, shown, tmp_path, monkeypatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    explorer = dirframe.Explorer(sample_projects)
    assert explorer.path.value == "projects.csv"
    explorer.languages.value, explorer.order_by.value = ("Python",), "name"
    explorer.path.value = "~/python.csv"
    press(explorer, "Export")
    assert "169" in shown(explorer, "message").text_content()
    written = pd.read_csv(tmp_path / "python.csv", dtype={"id": str})
    assert list(written["id"]) == list(explorer.frame["id"])
    (tmp_path / "python.csv").write_text("mine", encoding="utf-8")
    press(explorer, "Export")
    assert shown(explorer, "message").xpath("//*[@role='alert']")
    assert (tmp_path / "python.csv").read_text(encoding="utf-8") == "mine"
    explorer.overwrite.value = True
    press(explorer, "Export")
    assert explorer.error is None
    assert len(pd.read_csv(tmp_path / "python.csv")) == 169
    for name, named in (("p.xyz", "xyz"), ("python.csv/p.csv", "python.csv"), ("a\0b.csv", "")):
        explorer.path.value = f"{tmp_path}/{name}"
        press(explorer, "Export")
        assert explorer.error is not None
        assert named in shown(explorer, "message").text_content()
    assert not [file for file in tmp_path.iterdir() if not file.name.startswith("python.csv")]


def test_show_all_takes_the_filters_away_and_leaves_order_and_chart(sample_projects, press):
    explorer = dirframe.Explorer(sample_projects)
    explorer.languages.value, explorer.search.value, explorer.first_year.value = ("C",), "x", 2008
    explorer.order_by.value, explorer.chart.value = "stack_count", "tags"
    press(explorer, "Show all")
    assert (explorer.languages.value, explorer.search.value, explorer.first_year.value) == (
        (),
        "",
        0,
    )
    assert len(explorer.frame) == 1500
    assert explorer.frame["stack_count"].dropna().is_monotonic_increasing
    assert "plot.tags(shown)" in explorer.code


def test_order_ignores_case_and_is_by_no_list(sample_projects):
    explorer = dirframe.Explorer(sample_projects)
    explorer.order_by.value = "name"
    assert list(explorer.frame["name"]) == sorted(sample_projects["name"], key=str.casefold)
    columns = {value for _, value in explorer.order_by.options}
    assert {"name", "stack_count", "created_at"} <= columns
    assert not columns & {"tags", "licenses", "id"}


def test_every_chart_that_fits_is_drawn_and_pyplot_knows_none(
    sample_projects, sample_accounts, shown, subtests
):
    """A kernel shows pyplot's figures after each message, drawn or not."""
    _FIGURES.clear()
    with mpl.rc_context({"figure.hooks": [f"{__name__}:_FIGURES.append"]}):
        plt.close(plt.figure())
        for frame in (sample_projects.head(300), sample_accounts.head(300)):
            explorer = dirframe.Explorer(frame)
            assert len(explorer.chart.options) > 4
            for _, name in explorer.chart.options:
                with subtests.test(name):
                    explorer.chart.value = name
                    (picture,) = shown(explorer, "picture").xpath("//img")
                    assert picture.get("src").startswith("data:image/png;base64,iVBORw0KGgo")
                    assert picture.get("alt")[0] not in ". "
                    assert "n = " in picture.get("alt")
    assert len(_FIGURES) == 1


def test_chart_that_cannot_be_drawn_is_a_sentence_and_the_code_still_runs(sample_projects, shown):
    explorer = dirframe.Explorer(sample_projects[["id", "name", "stack_count"]])
    assert not shown(explorer, "picture").xpath("//img")
    assert LANGUAGE in shown(explorer, "picture").text_content()
    assert_frame_equal(run(explorer)["shown"], explorer.frame)
    for name in ("languages", "countries", "licenses", "tags", "first_year", "activity"):
        assert getattr(explorer, name).layout.display == "none"


def test_empty_result_is_shown_as_one(sample_projects, shown, capsys):
    explorer = dirframe.Explorer(sample_projects)
    explorer.search.value = "nothing has this in it"
    assert len(explorer.frame) == 0
    assert shown(explorer, "count").text_content() == "0 of 1,500 projects"
    assert_one_truth(explorer, shown, capsys)


def test_frame_without_provenance_is_shown_and_cites_nothing(sample_projects, shown):
    for frame in (
        pd.DataFrame(sample_projects.head(30).to_dict("list")),
        sample_projects.head(30).set_index("id", drop=False),
    ):
        explorer = dirframe.Explorer(frame)
        explorer.chart.value, explorer.order_by.value = "tags", "name"
        assert_frame_equal(run(explorer)["shown"], explorer.frame)
    explorer = dirframe.Explorer(pd.DataFrame(sample_projects.head(30).to_dict("list")))
    assert "cite(" not in explorer.code
    assert shown(explorer, "citation").text_content()


def test_other_source_is_refused(sample_projects):
    other = pd.DataFrame({"contributor_id": ["5"], "analysis_id": ["1"]})
    for wrong in (
        *("https://directory.example", 7, ["1"], pd.DataFrame({"x": [1]})),
        provenance.set_provenance(other, resource="contributor_fact"),
        stats.tags(sample_projects),
        pd.concat([sample_projects, sample_projects[["name"]]], axis=1),
        sample_projects.rename(columns={"name": 7}),
    ):
        with pytest.raises(InvalidInputError):
            dirframe.Explorer(wrong)


def test_text_of_records_is_never_markup_and_long_text_is_cut(shown, press):
    frame = pd.DataFrame(
        {
            "id": ["1", "2"],
            "name": [EVIL, None],
            LANGUAGE: [EVIL, "C"],
            "stack_count": pd.Series([1234567, None], dtype="Int64"),
            "created_at": pd.to_datetime(["2012-03-04T23:30Z", ""], utc=True),
            "tags": [[EVIL, "b"], None],
            "licenses": [[{"name": "mit", "nice_name": EVIL}, {"name": "x"}], []],
            "from_parquet": [np.array(["c", "d"]), {"name": "e"}],
            EVIL: ['with "quotes"\tand\nlines', "y" * 5000],
            "huge": ["x" * 5_000_000, ""],
        }
    )
    explorer = dirframe.Explorer(frame)
    explorer.languages.value, explorer.path.value = (EVIL, "C"), f"{EVIL}.nope"
    press(explorer, "Export")
    outputs = {name: shown(explorer, name) for name in ("table", "message", "code", "count")}
    assert not [tree for tree in outputs.values() if tree.xpath("//script | //b[.='bold']")]
    assert EVIL in outputs["message"].text_content()
    table = outputs["table"]
    heads = [head.text_content() for head in table.xpath("//th")]
    first, second = (
        dict(zip(heads, [cell.text_content() for cell in row.xpath("./td")], strict=True))
        for row in table.xpath("//tbody/tr")
    )
    assert first["name"] == EVIL
    assert (first["stack count"], first["created at"]) == ("1,234,567", "2012-03-04 23:30")
    assert {second[name] for name in ("name", "stack count", "created at", "tags")} == {""}
    assert (first["from parquet"], second["from parquet"]) == ("c, d", "e")
    assert max(map(len, [*first.values(), *second.values()])) <= 101
