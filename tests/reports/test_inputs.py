"""A report knows which frame is which, and refuses what it would only guess."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError
from dirframe.reports.inputs import collect_inputs

PROJECTS = provenance.set_provenance(
    pd.DataFrame(
        {"id": ["1"], "created_at": pd.to_datetime(["2020-01-01"], utc=True), "stack_count": [1]}
    ),
    source="A directory",
    resource="project",
)
ACCOUNTS = provenance.set_provenance(
    pd.DataFrame({"id": ["1"]}), source="A directory", resource="account"
)


@pytest.mark.parametrize(
    "frames",
    [
        [ACCOUNTS, PROJECTS],
        (PROJECTS, ACCOUNTS),
        {"account": ACCOUNTS, "projects": PROJECTS},
    ],
)
def test_frames_are_told_apart_in_whatever_order_they_come(frames: Any) -> None:
    material = collect_inputs(frames, None)
    assert list(material.frames) == ["projects", "accounts"]
    assert material.accounts is ACCOUNTS
    assert material.projects is PROJECTS
    assert material.title == "A directory: projects and accounts"


def test_a_frame_without_provenance_is_known_by_its_columns() -> None:
    assert collect_inputs(pd.DataFrame({"email_sha1": ["x"]}), None).projects is None
    assert collect_inputs(pd.DataFrame({"stack_count": [1]}), None).accounts is None


def test_a_title_is_one_line() -> None:
    assert collect_inputs(PROJECTS, "Two\nlines\x1b[0m").title == "Two lines [0m"


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ([], "got none"),
        ("projects", "got a str"),
        ([PROJECTS, PROJECTS], "got two"),
        ({"accounts": PROJECTS}, "'accounts' holds projects"),
        ({"people": PROJECTS}, "'people'"),
        ([PROJECTS, 3], "got a int"),
        (pd.DataFrame({"id": ["1"]}), "Name it"),
        (
            provenance.set_provenance(
                pd.DataFrame({"analysis_id": ["1"]}), resource="contributor_fact"
            ),
            "holds 'contributor_fact' records",
        ),
        (pd.DataFrame({3: ["1"]}), "different names"),
        (stats.growth(PROJECTS), "result of a statistic"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_words(frames: Any, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        collect_inputs(frames, None)
