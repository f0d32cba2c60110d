"""Values of a table become texts of the interface, or do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dirframe.client.directory import Directory
from dirframe.client.documents import read_pages
from dirframe.client.frames.interchange import convert_frame
from dirframe.client.loaders import load_projects
from dirframe.io.export import export
from dirframe.sample import sample_directory
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.importing.mapping import FieldMap
from dirframe.service.importing.values import convert_value
from dirframe.service.server import serve

if TYPE_CHECKING:
    from pathlib import Path


def served(frame: Any) -> pd.DataFrame:
    service = serve(frame)
    with service as url, Directory(url, api_key=service.api_key) as directory:
        return load_projects(directory, progress=False)


def test_what_a_loader_gave_is_served_and_loaded_as_it_was() -> None:
    with sample_directory() as directory:
        projects = load_projects(directory, progress=False)
    back = served(projects).set_index("id").loc[projects["id"]].reset_index()
    pd.testing.assert_frame_equal(back[list(projects)], projects)


def test_generated_records_stay_marked_as_such(tmp_path: Path) -> None:
    with sample_directory() as directory:
        projects = load_projects(directory, max_items=30, progress=False)
    file = export(projects, tmp_path / "projects.parquet")
    for data in (
        projects,
        convert_frame(projects, "polars"),
        convert_frame(projects, "arrow"),
        file,
    ):
        assert served(data).attrs["dirframe"]["synthetic"] is True
    own = pd.DataFrame({"id": ["1"], "name": ["a"], "user_count": [3]})
    assert served(own).attrs["dirframe"]["synthetic"] is False


def test_recorded_projects_are_served_and_loaded_as_they_were(shared: Path) -> None:
    files = sorted((shared / "real").glob("**/*.xml"))
    projects = read_pages(files, resource="project")
    back = served(projects).set_index("id").loc[projects["id"]].reset_index()
    # Beside the number of users is that of the specification, which has another name.
    columns = [name for name in projects if name != "stack_count"]
    pd.testing.assert_frame_equal(back[columns], projects[columns])


def test_a_share_below_one_percent_stays_what_the_interface_says() -> None:
    languages = PROJECT.by_column["analysis_languages"]
    [[(share, text)]] = convert_value([{"percentage": "<1"}], languages, FieldMap())
    assert (share.column, text) == ("percentage", "<1")
    with pytest.raises(ValueError, match="not a number"):
        convert_value([{"percentage": "<2"}], languages, FieldMap())
    # It would be read as 0.5 degrees.
    for column in (ACCOUNT.by_column["latitude"], PROJECT.by_column["user_count"]):
        with pytest.raises(ValueError, match="not a number"):
            convert_value("<1", column, FieldMap())


def test_the_logo_of_a_project_without_one_is_the_name_of_a_picture() -> None:
    logo, homepage = (PROJECT.by_column[name] for name in ("small_logo_url", "homepage_url"))
    assert convert_value("no_logo.png", logo, FieldMap()) == "no_logo.png"
    for wrong in ("javascript:alert(1)", "a b.png", "../x.png", "www.example.org"):
        with pytest.raises(ValueError, match="no URL"):
            convert_value(wrong, logo, FieldMap())
    with pytest.raises(ValueError, match="no URL"):
        convert_value("no_logo.png", homepage, FieldMap())


def test_an_empty_field_of_an_entry_stays_empty() -> None:
    languages = PROJECT.by_column["analysis_languages"]
    entry = {"id": "", "percentage": "4", "color": "000000", "language": "2 Other"}
    [pairs] = convert_value([entry], languages, FieldMap())
    assert {target.column: text for target, text in pairs} == entry
