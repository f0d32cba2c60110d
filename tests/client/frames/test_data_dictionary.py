"""The data dictionary says of every column what the loaders give."""

from __future__ import annotations

from typing import Literal

import pandas as pd
import pytest

import dirframe
from dirframe.client.frames.data_dictionary import overview
from dirframe.schema import PROJECT, RESOURCES


@pytest.mark.parametrize("resource", ["account", "project"])
def test_the_loaders_give_the_dtypes_that_it_says(resource: Literal["account", "project"]) -> None:
    said = dirframe.fields(resource).set_index("name")
    with dirframe.sample_directory() as directory:
        load = dirframe.load_accounts if resource == "account" else dirframe.load_projects
        frame = load(directory=directory, max_items=50, progress=False)
    types = said["type"].to_dict()
    for name, dtype in frame.dtypes.items():
        assert str(dtype) == types[str(name)], name
    assert list(said.index) == [
        *(one.column for one in RESOURCES[resource].specified),
        *said.index[len(RESOURCES[resource].specified) :],
    ]
    numbers = said[said["type"].isin(["Int64", "Float64"])]
    assert numbers["unit"].notna().all()
    assert said["meaning"].str.len().gt(0).all()


def test_an_unknown_resource_is_refused() -> None:
    with pytest.raises(dirframe.InvalidInputError, match="account, project"):
        dirframe.fields("people")


def test_of_alternatives_without_a_value_the_first_is_shown() -> None:
    frame = pd.DataFrame({"user_count": [None], "stack_count": [None], "name": ["n"]})
    assert overview(frame, PROJECT) == ("name", "stack_count")
    assert overview(frame.assign(user_count=1), PROJECT) == ("name", "user_count")
    assert overview(frame[["name", "user_count"]], PROJECT) == ("name", "user_count")
