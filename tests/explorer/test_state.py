"""Filters act on all that is shown; the table is ordered and turned; files are written."""

import pandas as pd
import pytest
import traitlets

import dirframe
from dirframe import provenance, stats
from dirframe.errors import InvalidInputError
from dirframe.explorer.state import State

LANGUAGE, LINES = "analysis_main_language_name", "analysis_total_code_lines"


def shown(state):
    return state.shown.frame


# What is shown


def test_filter_acts_on_table_citation_code_and_file(projects, tmp_path):
    state = State(projects)
    assert len(shown(state)) == 1500
    state.languages, state.search = ("Python",), "  network "
    state.order("stack_count")
    frame = shown(state)
    assert 0 < len(frame) < 100
    assert set(frame[LANGUAGE]) == {"Python"}
    state.columns = ("id", "name")
    assert list(state.rows["id"]) == list(frame["id"][:10])
    assert "Python" in state.citation
    assert "network" in state.citation
    assert 'languages=["Python"]' in state.code
    assert 'search="network"' in state.code
    state.path = str(tmp_path / "python.parquet")
    state.export()
    assert state.severity == "success", state.message
    back = dirframe.read_export(tmp_path / "python.parquet")
    assert list(back["id"]) == list(frame["id"])
    steps = provenance.get_provenance(back)["steps"]
    assert steps == provenance.get_provenance(frame)["steps"]
    assert any("Python" in step for step in steps)
    state.show_all()
    assert (state.languages, state.search, state.order_by) == ((), "", "stack_count")
    assert len(shown(state)) == 1500


def test_change_is_told_once_when_all_of_it_fits(projects):
    state = State(projects)
    state.page = 7
    told = []
    state.observe(lambda _: told.append((len(shown(state)), state.page)), "shown")
    state.activity = "active"
    state.show_all()
    assert told == [(told[0][0], 1), (1500, 1)]
    assert 0 < told[0][0] < 1500


def test_years_that_are_all_are_no_filter(projects):
    state = State(projects)
    state.years = (2006, 2013)
    assert state.filters.years is None
    state.years = (2006, 2007)
    assert set(shown(state)["created_at"].dt.year) == {2006, 2007}


def test_counts_are_those_of_the_records_that_other_filters_let_pass(projects):
    filters = {"languages": ("C", None), "licenses": ("gpl",)}
    state = State(projects)
    state.languages, state.licenses = filters["languages"], filters["licenses"]
    state.ranges = {LINES: (1_000, 1_000_000)}
    failures = []
    for column, name in ((LANGUAGE, "languages"), ("licenses", "licenses"), ("tags", "tags")):
        bars = state.bars(column)
        assert len(bars) > 5
        for bar in [*bars[:4], bars[-1]]:
            wanted = filters | {"ranges": state.ranges} | {name: [bar.value]}
            if len(dirframe.select(projects, **wanted)) != bar.count:
                failures.append(bar)
    assert not failures
    state.show_all()
    table = stats.tags(projects)
    counts = {bar.value: bar.count for bar in state.bars("tags") if bar.value is not None}
    assert counts == dict(zip(table["tag"], table["projects"], strict=True))


def test_empty_result_is_shown_as_one(directory):
    state = State(directory)
    state.query = "nothing has this in it"
    state.load()
    assert (state.severity, len(shown(state)), len(state.rows), state.pages) == ("success", 0, 0, 1)
    state.activity = "active"
    assert len(shown(state)) == 0


def test_chart_options_are_in_the_code_and_in_the_statistic(projects, accounts, tmp_path):
    wrong = projects.copy()
    wrong.loc[[3, 5], LINES] = -1
    negative = int((wrong[LINES] < 0).sum())
    state = State(wrong)
    assert {"negative_lines", "duplicate_id"} <= set(state.rules)
    assert "negative_posts" not in state.rules
    state.exclude = ("negative_lines",)
    assert 'language_share(shown, exclude=["negative_lines"])' in state.code
    state.exported, state.path = "statistic", str(tmp_path / "table.parquet")
    state.export()
    assert state.severity == "success", state.message
    record = provenance.get_provenance(dirframe.read_export(tmp_path / "table.parquet"))
    assert record["counted"]["excluded"] == negative
    state.exclude, state.by = (), "team_size"
    assert state.chart_options == {"by": "team_size"}
    assert 'by="team_size"' in state.code
    assert State(accounts).strata == ("country", "year")


# The table


def test_table_has_one_page_in_the_order_of_all_records(projects):
    state = State(pd.concat([projects] * 67, ignore_index=True))
    assert state.pages == 10_050
    state.order_by, state.descending = "stack_count", True
    assert len(state.rows) == 10
    assert state.rows["stack_count"].iloc[0] == projects["stack_count"].max()
    state.page = 10_050
    assert len(state.rows) == 10
    state.page_size = 100
    assert (state.page, len(state.rows)) == (1, 100)
    state.page = 99_999
    assert len(state.rows) == 100  # the last page, not an empty one


def test_order_is_turned_then_taken_back(projects):
    state = State(projects)
    for expected in (("stack_count", False), ("stack_count", True), ("", False)):
        state.order("stack_count")
        assert (state.order_by, state.descending) == expected
    assert list(shown(state).index) == list(projects.index)


def test_order_of_ids_is_numeric_and_of_text_ignores_case(projects):
    state = State(projects)
    state.order_by = "id"
    assert shown(state)["id"].dtype == "str"
    assert shown(state)["id"].astype(int).is_monotonic_increasing
    state.order_by = "name"
    assert list(shown(state)["name"]) == sorted(projects["name"], key=str.casefold)


def test_order_is_by_no_list_and_no_name_of_the_index(projects, tmp_path):
    projects.to_parquet(tmp_path / "projects.parquet")
    arrow = pd.read_parquet(tmp_path / "projects.parquet", dtype_backend="pyarrow")
    for frame in (projects, arrow):
        state = State(frame)
        with pytest.raises(InvalidInputError, match="tags"):
            state.order_by = "tags"
        state.columns = ("name", "tags")
        assert list(state.rows) == ["name", "tags"]
    state = State(projects.set_index("id", drop=False))
    with pytest.raises(InvalidInputError, match="id"):
        state.order_by = "id"


def test_columns_are_the_usual_ones_that_have_values(projects):
    counted = projects.assign(user_count=projects["stack_count"])
    assert {"name", "stack_count"} <= set(State(counted).columns)
    assert "user_count" not in State(counted).columns
    empty = counted.assign(stack_count=pd.Series(pd.NA, index=counted.index, dtype="Int64"))
    assert "user_count" in State(empty).columns
    assert State(projects[["id", "name", "irc_url"]]).columns


# What can be chosen


def test_another_collection_has_its_own_columns_charts_and_filters(directory):
    state = State(directory)
    state.max_items = 50
    state.load()
    state.languages, state.by = ("Java",), "language"
    state.exclude = ("negative_lines", "duplicate_id")
    state.order("stack_count")
    state.sort, state.collection = "stack_count", "accounts"
    assert (state.sort, state.shown, state.charts) == ("", None, {})
    assert (state.code, state.citation) == ("", "")
    state.load()
    values = state.trait_values()
    assert {name: values[name] for name in ("languages", "order_by", "by", "exclude", "path")} == {
        "languages": (),
        "order_by": "",
        "by": "",
        "exclude": ("duplicate_id",),
        "path": "accounts.csv",
    }
    assert "country_name" in state.columns
    assert state.chart == "accounts_by_country"
    state.chart, state.columns = "growth", ("id", "name")
    state.order("name")
    state.load()
    assert (state.chart, state.columns, state.order_by) == ("growth", ("id", "name"), "name")


def test_choices_before_a_load_hold_after_it(directory):
    state = State(directory)
    state.max_items = 30
    state.chart, state.columns, state.path = "tags", ("id", "name"), "mine.parquet"
    state.load()
    assert (state.chart, state.columns, state.path) == ("tags", ("id", "name"), "mine.parquet")


def test_refused_choice_changes_nothing(projects):
    state, few = State(projects), State(projects[["id", "name", "created_at", "stack_count"]])
    failures = []
    for tried, trait, value, named in (
        (state, "columns", ("id", "nope"), "nope"),
        (state, "order_by", "nope", "nope"),
        (state, "chart", "nope", "nope"),
        (state, "years", (2010,), "2010"),
        (state, "years", ("a", "b"), "a"),
        (state, "exclude", ("negative_posts",), "negative_posts"),
        (state, "by", "country", "country"),
        (few, "languages", ("C",), LANGUAGE),
    ):
        before = getattr(tried, trait)
        try:
            tried.set_trait(trait, value)
        except InvalidInputError as error:
            if named in str(error) and getattr(tried, trait) == before:
                continue
        failures.append((trait, value))
    assert not failures
    for trait, value in (("activity", "busy"), ("page_size", 7)):
        with pytest.raises(traitlets.TraitError):
            state.set_trait(trait, value)
    few.years = (2008, 2009)
    assert 0 < len(shown(few)) < len(projects)


def test_frame_is_known_by_provenance_or_columns(projects, accounts):
    assert State(pd.DataFrame(projects.to_dict("list"))).path == "projects.csv"
    assert State(pd.DataFrame(accounts.to_dict("list"))).path == "accounts.csv"
    other = pd.DataFrame({"contributor_id": ["5"], "analysis_id": ["1"]})
    refused = {
        "no records": pd.DataFrame({"weight": [1]}),
        "other records": provenance.set_provenance(other, resource="contributor_fact"),
        "a statistic": stats.tags(projects),
        "a column twice": pd.concat([projects, projects[["name"]]], axis=1),
        "a number for a name": projects.rename(columns={"name": 7}),
        "names in two levels": pd.concat({"a": projects}, axis=1),
    }
    for frame in refused.values():
        with pytest.raises(InvalidInputError):
            State(frame)


def test_frame_without_provenance_is_shown_and_cites_nothing(projects):
    plain = pd.DataFrame(projects.to_dict("list"))
    state = State(plain)
    assert len(state.rows) == 10
    assert state.citation
    assert "1,500" not in state.citation
    assert "cite(" not in state.code


# Files


def test_statistic_behind_the_chart_is_written(projects, accounts, tmp_path):
    for frame, chart, column in (
        (projects, "activity", "projects"),
        (accounts, "accounts_map", "accounts"),
    ):
        state = State(frame)
        state.chart, state.exported = chart, "statistic"
        state.path = str(tmp_path / f"{chart}.csv")
        state.export()
        assert state.severity == "success", state.message
        written = pd.read_csv(state.path, keep_default_na=False)
        assert 0 < written[column].sum() <= len(frame)
    assert {"country_alpha_2", "share"} <= set(written)


def test_file_is_replaced_only_if_asked(projects, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    state = State(projects)
    state.path = "~/mine.csv"
    (tmp_path / "mine.csv").write_text("mine", encoding="utf-8")
    state.export()
    assert state.severity == "error"
    assert (tmp_path / "mine.csv").read_text(encoding="utf-8") == "mine"
    state.overwrite = True
    state.export()
    assert state.severity in {"success", "warning"}
    assert len(pd.read_csv(tmp_path / "mine.csv")) == 1500


def test_file_that_cannot_be_written_is_said_and_none_is_left(projects, directory, tmp_path):
    state = State(projects)
    (tmp_path / "file").touch()
    failures = []
    for name, named in (
        ("file/p.csv", "file"),
        ("p.xyz", "xyz"),
        (".", ""),
        ("a\0b.csv", ""),
    ):
        state.message = ""
        state.path = f"{tmp_path}/{name}"
        state.export()
        if state.severity != "error" or named not in state.message or not state.error:
            failures.append(name)
    assert not failures
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    nothing = State(directory)
    nothing.export()
    assert nothing.severity == "error"
