"""Frames reach the kernel as they were, through files that run nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

import dirframe
from dirframe import provenance
from dirframe.errors import InvalidInputError
from dirframe.reports.inputs import collect_inputs
from dirframe.reports.kernel_inputs import VARIABLE, report_data, write_inputs

if TYPE_CHECKING:
    from pathlib import Path


def test_a_loaded_frame_arrives_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with dirframe.sample_directory() as directory:
        projects = dirframe.load_projects(max_items=100, directory=directory)
    write_inputs(collect_inputs(projects, "Mine"), tmp_path)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    got = report_data()
    assert got.title == "Mine"
    assert got.accounts is None
    assert got.projects is not None
    pd.testing.assert_frame_equal(got.projects, projects)
    assert provenance.get_provenance(got.projects) == provenance.get_provenance(projects)


def test_what_a_person_keeps_in_attrs_stays_with_the_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame({"stack_count": [1], "tags": [np.array(["a"])]})
    frame.attrs = {"note": object()}
    write_inputs(collect_inputs(frame, None), tmp_path)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    got = report_data().projects
    assert got is not None
    assert got.attrs == {}
    assert got["tags"].tolist() == [["a"]]
    assert "note" in frame.attrs


def test_a_column_that_no_file_can_hold_is_named(tmp_path: Path) -> None:
    frame = pd.DataFrame({"stack_count": [1], "odd": [object()]})
    with pytest.raises(InvalidInputError, match="'odd'"):
        write_inputs(collect_inputs(frame, None), tmp_path)
