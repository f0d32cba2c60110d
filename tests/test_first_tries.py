"""What people try first works, or is answered with what was meant."""

import shutil

import pytest

import dirframe
from dirframe import stats
from dirframe.errors import ConfigurationError, InvalidInputError, UnknownValueWarning


def test_options_of_other_libraries_are_answered_with_ours(sample, sample_projects):
    for call, first, tried, meant in (
        (dirframe.load_projects, sample, "limit", "max_items"),
        (dirframe.load_accounts, sample, "n", "max_items"),
        (dirframe.load_projects, sample, "refrsh", "refresh"),
        (dirframe.select, sample_projects, "language", "languages"),
        (stats.language_share, sample_projects, "limit", "top"),
        (stats.survival, sample_projects, "windows", "window"),
    ):
        with pytest.raises(TypeError, match=f"{tried!r}.*Did you mean '{meant}'"):
            call(first, **{tried: 10})
    with pytest.raises(TypeError, match=r"write tags\(projects, top=top\)"):
        stats.tags(sample_projects, 5)
    with pytest.warns(UnknownValueWarning, match="Did you mean 'C'"):
        dirframe.select(sample_projects, languages="c")
    with pytest.raises(
        InvalidInputError, match=r'dirframe\.plan\("projects", directory=directory\)'
    ):
        dirframe.plan(sample)


def test_project_is_named_by_its_id_and_the_directory_by_its_name(sample, sample_projects):
    for call in (dirframe.load_project, dirframe.load_size):
        with pytest.raises(TypeError, match=r"write load_\w+\(project, directory=directory\)"):
            call(sample, 711)
        with pytest.raises(InvalidInputError, match="The project is a SampleDirectory"):
            call(sample)
    with pytest.raises(TypeError, match=r"write load_projects\(directory, query=query\)"):
        dirframe.load_projects(sample, "firefox")
    for call in (dirframe.load_project, dirframe.load_contributors):
        with pytest.raises(InvalidInputError, match=r"pass row\['id'\]") as caught:
            call(sample_projects.iloc[0], directory=sample)
        assert "Timestamp" not in str(caught.value)


def test_pages_are_named_by_a_pattern(root, tmp_path):
    for number in (1, 2):
        shutil.copy(root / "data" / "projects.xml.gz", tmp_path / f"page-{number}.xml.gz")
    pages = dirframe.read_pages(tmp_path / "page-*.xml.gz")
    assert len(pages) == len(dirframe.read_pages(tmp_path))
    with pytest.raises(InvalidInputError, match="nothing-"):
        dirframe.read_pages(tmp_path / "nothing-*.xml")


def test_address_of_a_page_is_no_directory():
    with pytest.raises(ConfigurationError, match=r"without accounts\.xml"):
        dirframe.Directory("https://directory.example/accounts.xml", "key" * 10)
