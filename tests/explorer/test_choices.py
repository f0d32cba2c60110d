"""What there is to choose exists, and is called what people call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

from dirframe import provenance, stats
from dirframe.charts import CHARTS
from dirframe.errors import InvalidInputError
from dirframe.explorer import choices
from dirframe.explorer.state import State
from dirframe.schema import ACCOUNT, PROJECT

if TYPE_CHECKING:
    from pathlib import Path


def test_every_chart_of_accounts_or_projects_is_offered() -> None:
    offered = choices.charts(PROJECT) | choices.charts(ACCOUNT)
    # The explorer loads no months or contributors of one project.
    missing = {CHARTS[name].collection for name in set(CHARTS) - set(offered)}
    assert missing == {"activity", "contributors"}
    assert {"growth"} == set(choices.charts(PROJECT)) & set(choices.charts(ACCOUNT))
    assert all(offered.values())


def test_a_frame_tells_what_it_holds_by_its_provenance_or_by_its_columns(
    projects: pd.DataFrame, accounts: pd.DataFrame
) -> None:
    assert choices.resource_of(projects) is PROJECT
    assert choices.resource_of(pd.DataFrame(projects.to_dict("list"))) is PROJECT
    assert choices.resource_of(pd.DataFrame(accounts.to_dict("list"))) is ACCOUNT
    with pytest.raises(InvalidInputError, match="neither accounts nor projects"):
        choices.resource_of(pd.DataFrame({"weight": [1]}))


def test_columns_that_no_name_tells_apart_are_refused(projects: pd.DataFrame) -> None:
    twice = pd.concat([projects, projects[["name"]]], axis=1)
    for frame in (twice, projects.rename(columns={"name": 7}), pd.concat({"a": projects}, axis=1)):
        with pytest.raises(InvalidInputError, match="Rename or drop them"):
            choices.resource_of(frame)


def test_a_table_offers_all_columns_and_is_ordered_by_all_but_lists(
    projects: pd.DataFrame,
) -> None:
    there = choices.columns(projects)
    assert set(there) == set(projects)
    assert "tags" not in choices.sortable(projects)
    assert {"id", "name", "stack_count"} <= set(choices.sortable(projects))
    assert set(choices.usual_columns(projects, PROJECT)) <= set(there)
    assert choices.usual_columns(projects[["id", "irc_url"]], PROJECT) == ("id", "irc_url")


def test_a_table_is_not_ordered_by_lists_of_arrow_nor_by_what_the_index_is_called(
    projects: pd.DataFrame, tmp_path: Path
) -> None:
    projects.to_parquet(tmp_path / "projects.parquet")
    of_arrow = pd.read_parquet(tmp_path / "projects.parquet", dtype_backend="pyarrow")
    assert set(choices.sortable(of_arrow)) == set(choices.sortable(projects))
    by_id = projects.set_index("id", drop=False)
    assert set(choices.columns(by_id)) == set(projects)
    state = State(by_id)
    for column in choices.sortable(by_id):
        state.order(column)
    with pytest.raises(InvalidInputError, match="order_by has 'id'"):
        state.order_by = "id"


def test_a_heading_is_in_words_with_its_unit() -> None:
    assert choices.heading("analysis_total_code_lines", PROJECT) == "analysis total code lines"
    assert choices.heading("stack_count", PROJECT) == "stack count (members)"
    assert choices.heading("kudo_score_kudo_rank", ACCOUNT) == "kudo score kudo rank"
    assert choices.heading("made_up", PROJECT) == "made up"


def test_a_frame_that_says_it_holds_other_records_is_refused() -> None:
    frame = pd.DataFrame({"contributor_id": ["5"], "analysis_id": ["1"]})
    with pytest.raises(InvalidInputError, match="neither accounts nor projects"):
        choices.resource_of(provenance.set_provenance(frame, resource="contributor_fact"))


def test_the_result_of_a_statistic_is_no_records(projects: pd.DataFrame) -> None:
    with pytest.raises(InvalidInputError, match=r"the result of stats\.tags"):
        choices.resource_of(stats.tags(projects))


def test_no_two_columns_have_one_heading(projects: pd.DataFrame, accounts: pd.DataFrame) -> None:
    for frame, resource in ((projects, PROJECT), (accounts, ACCOUNT)):
        headings = {choices.heading(str(name), resource) for name in frame}
        headings |= {choices.heading(name, resource) for name in resource.by_column}
        assert len(headings) == len({*frame, *resource.by_column})


def test_of_two_counts_of_users_the_one_with_values_is_shown(projects: pd.DataFrame) -> None:
    counted = projects.assign(user_count=projects["stack_count"])
    assert "user_count" not in choices.usual_columns(counted, PROJECT)
    empty = counted.assign(stack_count=pd.Series(pd.NA, index=counted.index, dtype="Int64"))
    assert choices.usual_columns(empty, PROJECT)[2] == "user_count"
    assert choices.usual_columns(empty.drop(columns="stack_count"), PROJECT)[2] == "user_count"
