"""Frames of polars and tables of Arrow in the public functions that take a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pytest

import dirframe
from dirframe.errors import InvalidInputError
from dirframe.reports.inputs import collect_inputs

if TYPE_CHECKING:
    from pathlib import Path

polars = pytest.importorskip("polars", reason="polars is for those who have it")


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    with dirframe.sample_directory() as directory:
        return {
            "accounts": directory.accounts(max_items=50),
            "projects": directory.projects(max_items=25),
        }


def test_a_table_of_arrow_is_exported_cited_cleaned_and_taken_by_a_report_as_the_frame_is(
    frames: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    projects, accounts = frames["projects"], frames["accounts"]
    table, people = (pa.Table.from_pandas(frame) for frame in (projects, accounts))
    assert dirframe.cite(table) == dirframe.cite(projects)
    cleaned = dirframe.unify_countries(people)
    pd.testing.assert_frame_equal(cleaned, dirframe.unify_countries(accounts))
    assert dirframe.country_note(pa.Table.from_pandas(cleaned)) == dirframe.country_note(cleaned)
    pd.testing.assert_frame_equal(dirframe.country_audit(people), dirframe.country_audit(accounts))
    pd.testing.assert_frame_equal(
        dirframe.child_table(table, "licenses"), dirframe.child_table(projects, "licenses")
    )
    pd.testing.assert_frame_equal(
        dirframe.sensitivity(dirframe.stats.activity, table),
        dirframe.sensitivity(dirframe.stats.activity, projects),
    )
    for name, source in (("arrow", table), ("pandas", projects)):
        dirframe.export(source, tmp_path / f"{name}.csv")
    assert (tmp_path / "arrow.csv").read_bytes() == (tmp_path / "pandas.csv").read_bytes()
    pd.testing.assert_frame_equal(collect_inputs(table, None).frames["projects"], projects)


def test_a_frame_of_polars_gives_the_records_and_says_that_it_has_no_source(
    frames: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    projects = frames["projects"]
    frame = polars.from_arrow(pa.Table.from_pandas(projects))
    file = dirframe.export(frame, tmp_path / "projects.parquet")
    columns = list(projects.columns)
    pd.testing.assert_frame_equal(
        dirframe.child_table(dirframe.read_export(file), "licenses"),
        dirframe.child_table(projects, "licenses"),
    )
    assert list(dirframe.read_export(file)) == columns
    assert len(dirframe.unify_countries(polars.DataFrame({"country_code": ["DE"]}))) == 1
    with pytest.raises(InvalidInputError, match="derived with Polars"):
        dirframe.cite(frame)


def test_the_explorer_names_the_way_for_a_frame_of_another_library() -> None:
    for frame in (polars.DataFrame({"id": ["1"]}), pa.table({"id": ["1"]})):
        with pytest.raises(InvalidInputError, match=r"frame\.to_pandas\(\)"):
            dirframe.Explorer(frame)
