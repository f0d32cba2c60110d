"""Filters act on all that is shown; the table is ordered and turned; files are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd
import pytest
import traitlets

import dirframe
from dirframe.errors import InvalidInputError
from dirframe.explorer.state import State
from dirframe.provenance import get_provenance

if TYPE_CHECKING:
    from pathlib import Path


def shown(state: State) -> pd.DataFrame:
    assert state.shown is not None
    return state.shown.frame


def rows(state: State) -> pd.DataFrame:
    assert state.rows is not None
    return state.rows


def test_a_filter_acts_on_table_citation_and_code_alike(projects: pd.DataFrame) -> None:
    state = State(projects)
    assert len(shown(state)) == 1500
    state.languages = ("Java",)
    assert set(shown(state)["analysis_main_language_name"]) == {"Java"}
    assert set(rows(state)["analysis_main_language_name"]) == {"Java"}
    assert "only main language Java" in state.citation
    assert '"Java"' in state.code
    state.show_all()
    assert len(shown(state)) == 1500


def test_what_follows_is_told_once_and_when_all_of_it_fits(projects: pd.DataFrame) -> None:
    state = State(projects)
    state.page = 7
    told: list[tuple[int, int]] = []
    state.observe(lambda _: told.append((len(shown(state)), state.page)), "shown")
    state.activity = "active"
    state.show_all()
    active = told[0][0]
    assert told == [(active, 1), (1500, 1)]


def test_all_years_are_no_filter(projects: pd.DataFrame) -> None:
    state = State(projects)
    state.years = (2006, 2013)
    assert state.filters.years is None
    state.years = (2006, 2007)
    assert state.filters.years == (2006, 2007)


def test_the_table_is_turned_and_ordered_and_never_longer_than_a_page(
    projects: pd.DataFrame,
) -> None:
    state = State(pd.concat([projects] * 67, ignore_index=True))
    assert state.pages == 10_050
    state.order_by, state.descending = "stack_count", True
    assert len(rows(state)) == 10
    assert rows(state)["stack_count"].iloc[0] == projects["stack_count"].max()
    state.page = 10_050
    assert rows(state)["stack_count"].isna().all() or rows(state)["stack_count"].iloc[-1] == 0
    state.page_size = 100
    assert (state.page, len(rows(state))) == (1, 100)
    state.page = 99_999
    assert len(rows(state)) == 100  # the last page, not an empty one


def test_the_order_is_that_of_the_moment(projects: pd.DataFrame) -> None:
    state = State(projects)
    state.order_by = "stack_count"
    least = rows(state)["stack_count"].tolist()
    state.descending = True
    most = rows(state)["stack_count"].tolist()
    assert most[0] == projects["stack_count"].max() > least[0]
    state.languages = ("C",)
    assert set(rows(state)["analysis_main_language_name"]) == {"C"}
    state.order("stack_count")
    assert (state.order_by, state.descending) == ("", False)
    assert rows(state).index.tolist() == shown(state).index[:10].tolist()


def test_ids_are_ordered_as_numbers(projects: pd.DataFrame) -> None:
    state = State(projects)
    state.order_by = "id"
    assert shown(state)["id"].dtype == "str"
    assert shown(state)["id"].astype(int).is_monotonic_increasing


def test_text_is_ordered_without_regard_to_case(projects: pd.DataFrame) -> None:
    state = State(projects)
    state.order("name")
    assert list(shown(state)["name"]) == sorted(projects["name"], key=str.casefold)


def test_another_collection_brings_its_own_columns_charts_and_filters(
    directory: dirframe.Directory,
) -> None:
    state = State(directory)
    state.max_items = 100
    state.load()
    state.languages, state.order_by = ("Java",), "stack_count"
    state.collection = "accounts"
    assert (state.shown, state.charts, state.code, state.citation) == (None, {}, "", "")
    state.load()
    values = state.trait_values()
    assert (values["languages"], values["order_by"]) == ((), "")
    assert "country_name" in state.columns
    assert state.chart == "accounts_by_country"
    assert state.path == "accounts.csv"
    state.chart, state.columns = "growth", ("id", "name")
    state.load()
    assert (state.chart, state.columns) == ("growth", ("id", "name"))  # as the person left it


def test_an_empty_answer_is_shown_as_one(directory: dirframe.Directory) -> None:
    state = State(directory)
    state.query = "nothing has this in it"
    state.load()
    assert len(shown(state)) == len(rows(state)) == 0
    assert state.pages == 1
    assert state.message == "0 projects loaded."
    state.activity = "active"
    assert len(shown(state)) == 0


def test_what_cannot_be_chosen_is_refused(projects: pd.DataFrame) -> None:
    state = State(projects)
    with pytest.raises(traitlets.TraitError):
        state.set_trait("activity", "busy")
    with pytest.raises(traitlets.TraitError):
        state.set_trait("page_size", 7)
    for trait, value, said in (
        ("columns", ("id", "nope"), "columns has 'nope'; choose from 'id'"),
        ("order_by", "nope", "order_by has 'nope'"),
        ("chart", "nope", "chart has 'nope'; choose from 'language_share'"),
        ("years", (2010,), "give the first and the last"),
        ("years", ("a", "b"), "give the first and the last"),
    ):
        before = getattr(state, trait)
        with pytest.raises(InvalidInputError, match=re.escape(said)):
            state.set_trait(trait, value)
        assert getattr(state, trait) == before


def test_a_filter_that_the_records_cannot_have_is_refused_and_changes_nothing(
    projects: pd.DataFrame,
) -> None:
    state = State(projects[["id", "name", "created_at", "stack_count"]])
    with pytest.raises(InvalidInputError, match="no column analysis_main_language_name"):
        state.languages = ("C",)
    assert state.trait_values()["languages"] == ()
    state.years = (2008, 2009)
    assert 0 < len(shown(state)) < len(projects)


def test_what_is_chosen_before_a_load_holds_after_it(directory: dirframe.Directory) -> None:
    state = State(directory)
    state.max_items = 30
    state.chart, state.columns, state.path = "tags", ("id", "name"), "mine.parquet"
    state.load()
    assert (state.chart, state.columns) == ("tags", ("id", "name"))
    assert state.path == "mine.parquet"


def test_a_file_in_a_person_s_own_folder_is_written_there(
    projects: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    state = State(projects)
    state.path = "~/mine.csv"
    state.export()
    assert state.severity == "success"
    assert (tmp_path / "mine.csv").is_file()


def test_a_name_that_no_file_can_have_is_said(projects: pd.DataFrame) -> None:
    state = State(projects)
    state.path = "a\0b.csv"
    state.export()
    assert state.severity == "error"
    assert "null byte" in state.message
    with pytest.raises(InvalidInputError, match="neither accounts nor projects"):
        State(pd.DataFrame({"x": [1]}))


def test_a_frame_without_provenance_says_that_it_cannot_be_cited(projects: pd.DataFrame) -> None:
    plain = projects.copy()
    plain.attrs = {}
    assert "has no provenance" in State(plain).citation


def test_the_records_shown_are_written_with_their_provenance(
    projects: pd.DataFrame, tmp_path: Path
) -> None:
    state = State(projects)
    state.languages = ("Python",)
    state.path = str(tmp_path / "python.parquet")
    state.export()
    assert state.severity == "success", state.message
    back = dirframe.read_export(tmp_path / "python.parquet")
    assert list(back["id"]) == list(shown(state)["id"])
    assert get_provenance(back)["steps"] == ["only main language Python"]


@pytest.mark.parametrize("chart", ["language_share", "activity"])
def test_the_statistic_behind_the_chart_is_written(
    chart: str, projects: pd.DataFrame, tmp_path: Path
) -> None:
    state = State(projects)
    state.chart, state.exported, state.path = chart, "statistic", str(tmp_path / "table.csv")
    state.export()
    assert "rows written to" in state.message
    written = pd.read_csv(tmp_path / "table.csv")
    assert written["projects"].sum() == getattr(dirframe.stats, chart)(projects)["projects"].sum()


def test_a_map_is_written_as_the_countries_that_it_shows(
    accounts: pd.DataFrame, tmp_path: Path
) -> None:
    state = State(accounts)
    state.chart, state.exported, state.path = "accounts_map", "statistic", str(tmp_path / "x.csv")
    state.export()
    assert "country_alpha_2" in (tmp_path / "x.csv").read_text(encoding="utf-8")


def test_a_file_that_exists_is_kept_unless_it_may_be_replaced(
    projects: pd.DataFrame, tmp_path: Path
) -> None:
    state = State(projects)
    state.path = str(tmp_path / "p.csv")
    (tmp_path / "p.csv").write_text("mine", encoding="utf-8")
    state.export()
    assert state.severity == "error"
    assert "already exists" in state.message
    assert (tmp_path / "p.csv").read_text(encoding="utf-8") == "mine"
    state.overwrite = True
    state.export()
    assert state.severity in {"success", "warning"}


def test_a_file_that_cannot_be_written_is_a_sentence(
    projects: pd.DataFrame, directory: dirframe.Directory, tmp_path: Path
) -> None:
    state = State(projects)
    (tmp_path / "file").touch()
    state.path = str(tmp_path / "file" / "p.csv")
    state.export()
    assert state.severity == "error"
    state.path = "p.xyz"
    state.export()
    assert "xyz" in state.message
    nothing = State(directory)
    nothing.export()
    assert nothing.message == "There is nothing to export yet."


def test_what_is_left_out_of_the_chart_is_in_the_code_and_in_the_statistic_s_record(
    projects: pd.DataFrame, tmp_path: Path
) -> None:
    wrong = projects.copy()
    wrong.loc[[3, 5], "analysis_total_code_lines"] = -1
    negative = int((wrong["analysis_total_code_lines"] < 0).sum())
    state = State(wrong)
    assert {"negative_lines", "lines_outlier", "stale_analysis"} <= set(state.rules)
    assert "negative_posts" not in state.rules
    state.exclude = ("negative_lines",)
    assert state.chart_options == {"exclude": ["negative_lines"]}
    assert 'language_share(shown, exclude=["negative_lines"])' in state.code
    state.exported, state.path = "statistic", str(tmp_path / "table.parquet")
    state.export()
    assert state.severity == "success", state.message
    record = get_provenance(dirframe.read_export(tmp_path / "table.parquet"))
    assert record["steps"][-2:] == [f"exclude: negative_lines {negative}", "language_share"]
    assert record["counted"]["excluded"] == negative
    state.exclude = ()
    assert state.chart_options == {}


def test_a_chart_is_divided_by_what_the_records_have(
    projects: pd.DataFrame, accounts: pd.DataFrame
) -> None:
    state = State(projects)
    assert state.strata == ("language", "year", "team_size")
    state.by = "team_size"
    assert state.chart_options == {"by": "team_size"}
    assert 'by="team_size"' in state.code
    state.chart = "life_span"
    assert 'life_span(shown, by="team_size")' in state.code
    state.chart = "growth"
    assert 'growth(shown, by="team_size")' in state.code
    assert State(accounts).strata == ("country", "year")


def test_rules_and_strata_that_the_records_cannot_have_are_refused(
    projects: pd.DataFrame,
) -> None:
    state = State(projects)
    for trait, value in (("exclude", ("negative_posts",)), ("by", "country")):
        before = getattr(state, trait)
        with pytest.raises(InvalidInputError, match=f"{trait} has .*; choose from"):
            state.set_trait(trait, value)
        assert getattr(state, trait) == before


def test_another_collection_keeps_only_the_rules_that_it_has(
    directory: dirframe.Directory,
) -> None:
    state = State(directory)
    state.max_items = 50
    state.load()
    state.exclude, state.by = ("negative_lines", "duplicate_id"), "language"
    state.collection = "accounts"
    state.load()
    values = state.trait_values()
    assert (values["exclude"], values["by"]) == (("duplicate_id",), "")


def test_search_and_order_are_those_of_all_that_is_shown_and_of_the_file(
    projects: pd.DataFrame, tmp_path: Path
) -> None:
    state = State(projects)
    state.search = "  network "
    state.order("stack_count")
    state.order("stack_count")
    frame = shown(state)
    assert 0 < len(frame) < len(projects)
    assert frame["stack_count"].dropna().is_monotonic_decreasing
    assert "only matching network" in state.citation
    assert 'dirframe.select(projects, search="network")' in state.code
    state.path = str(tmp_path / "network.csv")
    state.export()
    written = pd.read_csv(state.path, dtype={"id": str})
    assert list(written["id"]) == list(frame["id"])
    state.show_all()
    assert state.search == ""
    assert len(shown(state)) == len(projects)
    assert state.order_by == "stack_count"


def test_a_load_of_the_same_collection_keeps_its_order(directory: dirframe.Directory) -> None:
    state = State(directory)
    state.max_items = 50
    state.load()
    state.order("name")
    state.load()
    assert state.order_by == "name"
    assert list(shown(state)["name"]) == sorted(shown(state)["name"], key=str.casefold)
