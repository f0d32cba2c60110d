"""Which columns to read, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

import dirframe
from dirframe.client.choice import chosen_paths, only, with_id
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from pathlib import Path


def test_nested_names_lead_to_nested_paths() -> None:
    paths = chosen_paths(PROJECT, ["id", "analysis_total_code_lines", "analysis__id"])
    assert paths == frozenset([("id",), ("analysis", "total_code_lines"), ("analysis", "id")])


def test_a_list_among_them_means_reading_everything() -> None:
    assert chosen_paths(PROJECT, ["id", "tags"]) is None
    assert chosen_paths(PROJECT, None) is None


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(dirframe.InvalidInputError, match="'stars'"):
        chosen_paths(PROJECT, ["stars"])


def test_unreadable_texts_stay_with_their_column() -> None:
    frame = pd.DataFrame({"id": ["1"], "stack_count": [1], "stack_count_unreadable": ["x"]})
    assert list(only(frame, ["stack_count"])) == ["stack_count", "stack_count_unreadable"]
    assert only(frame, None) is frame


def test_the_id_is_always_read() -> None:
    assert with_id(["name", "id"]) == ["id", "name"]
    assert with_id(None) is None


def test_a_load_of_chosen_columns_is_proven_like_any_other(tmp_path: Path) -> None:
    with dirframe.sample_directory(cache_dir=tmp_path) as directory:
        few = dirframe.load_projects(columns=["stack_count"], directory=directory, progress=False)
        every = dirframe.load_projects(directory=directory, progress=False)
    assert list(few) == ["id", "stack_count"]
    assert few.equals(every[["id", "stack_count"]])
    assert few.attrs["dirframe"]["complete"] is True
