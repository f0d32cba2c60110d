"""Which columns to read, by name."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dirframe
from dirframe.client.documents import parse_documents
from dirframe.client.frames.columns import column_paths, select_columns, with_id_column
from dirframe.schema import ACCOUNT, PROJECT

PAGE = (Path(__file__).parents[2] / "xml" / "projects-page.xml").read_bytes()


def test_nested_names_lead_to_nested_paths() -> None:
    paths = column_paths(PROJECT, ["id", "analysis_total_code_lines", "analysis__id"])
    assert paths == frozenset([("id",), ("analysis", "total_code_lines"), ("analysis", "id")])


def test_a_list_among_them_means_reading_everything() -> None:
    assert column_paths(PROJECT, ["id", "tags"]) is None
    assert column_paths(PROJECT, None) is None


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(dirframe.InvalidInputError, match="'stars'"):
        column_paths(PROJECT, ["stars"])


def test_unreadable_texts_stay_with_their_column() -> None:
    frame = pd.DataFrame({"id": ["1"], "stack_count": [1], "stack_count_unreadable": ["x"]})
    assert list(select_columns(frame, ["stack_count"])) == ["stack_count", "stack_count_unreadable"]
    assert select_columns(frame, None) is frame


def test_the_id_is_always_read() -> None:
    assert with_id_column(["name", "id"]) == ["id", "name"]
    assert with_id_column(None) is None


def test_a_load_of_chosen_columns_is_proven_like_any_other(tmp_path: Path) -> None:
    with dirframe.sample_directory(cache_dir=tmp_path) as directory:
        few = dirframe.load_projects(columns=["stack_count"], directory=directory, progress=False)
        every = dirframe.load_projects(directory=directory, progress=False)
    assert list(few) == ["id", "stack_count"]
    assert few.equals(every[["id", "stack_count"]])
    assert few.attrs["dirframe"]["complete"] is True


@given(st.lists(st.sampled_from(list(PROJECT.by_column)), min_size=1, unique=True))
def test_chosen_columns_are_those_of_reading_everything(columns: list[str]) -> None:
    chosen = parse_documents([("page", PAGE)], PROJECT, columns=columns).frame
    everything = parse_documents([("page", PAGE)], PROJECT).frame
    assert list(chosen) == columns
    for name in set(columns) & set(everything):
        assert chosen[name].equals(everything[name])
        assert chosen[name].dtype == everything[name].dtype
    assert all(chosen[name].isna().all() for name in set(columns) - set(everything))


@pytest.mark.parametrize(
    "record",
    [
        "<account><name>a</name><id>1</id><id>2</id></account>",
        "<account><id>1</id><name>a<b>c</b></name></account>",
        '<account><id>1</id><name>a</name><kudo_score kudo_rank="3"/></account>',
        "<account><kudo_score><kudo_rank>3</kudo_rank></kudo_score><id>1</id></account>",
        "<account><strange><id>9</id></strange><id>1</id></account>",
    ],
)
def test_an_unusual_record_is_read_by_the_rule(record: str) -> None:
    content = (
        "<response><status>success</status><result>"
        f"<account><id>0</id></account>{record}</result></response>"
    ).encode()
    columns = ["id", "name", "kudo_score_kudo_rank"]
    chosen = parse_documents([("page", content)], ACCOUNT, columns=columns).frame
    everything = parse_documents([("page", content)], ACCOUNT).frame
    assert chosen.astype("str").equals(everything[columns].astype("str"))


def test_recorded_pages_hand_over_the_chosen_columns_and_the_id(tmp_path: Path) -> None:
    file = tmp_path / "page.xml"
    file.write_bytes(PAGE)
    frame = dirframe.read_pages(file, resource="project", columns=["name", "tags"])
    assert list(frame) == ["id", "name", "tags"]
    with pytest.raises(dirframe.InvalidInputError, match="resource"):
        dirframe.read_pages(file, columns=["name"])
