"""What people try first works, or is answered with what was meant."""

import inspect
from operator import attrgetter

import pytest

import dirframe
from dirframe import stats
from dirframe.errors import ConfigurationError, InvalidInputError, UnknownValueWarning
from tests.rig.server import page_xml, record


@pytest.mark.parametrize(
    ("function", "tried", "advice"),
    [
        ("load_projects", "limit", "Did you mean 'max_items'?"),
        ("load_accounts", "n", "Did you mean 'max_items'?"),
        ("load_projects", "refrsh", "Did you mean 'refresh'?"),
        ("load_projects", "language", "dirframe.select(frame, languages=...)"),
        ("load_projects", "licence", "dirframe.select(frame, licenses=...)"),
        ("load_accounts", "country", "dirframe.select(frame, countries=...)"),
        ("stats.language_share", "limit", "Did you mean 'top'?"),
        ("stats.language_share", "years", "dirframe.select(frame, years=...)"),
        ("stats.survival", "windows", "Did you mean 'window'?"),
        ("select", "language", "Did you mean 'languages'?"),
        ("load_projects", "url", "directory=dirframe.Directory(base_url, key)"),
        ("load_account", "api_key", "directory=dirframe.Directory(base_url, key)"),
        ("Directory", "api_key", "Did you mean 'key'?"),
        ("Directory", "url", "Did you mean 'base_url'?"),
        ("Directory", "quota", "Did you mean 'daily_quota'?"),
        ("Directory", "cach", "Did you mean 'cache'?"),
    ],
)
def test_option_of_another_name_is_answered_with_ours(function, tried, advice):
    with pytest.raises(TypeError) as caught:
        attrgetter(function)(dirframe)("first", **{tried: 10})
    assert str(caught.value).startswith(f"{function.removeprefix('stats.')}(): ")
    assert repr(tried) in str(caught.value)
    assert str(caught.value).endswith(advice if advice[-1] == "?" else f"{advice}.")


def test_key_under_a_wrong_name_is_in_no_frame_of_the_error():
    secret = "0123456789abcdef" * 2
    with pytest.raises(TypeError) as caught:
        dirframe.Directory("https://directory.example", api_key=secret)
    ours = [entry.frame.f_locals for entry in caught.traceback[1:]]
    assert ours
    assert secret not in repr(ours)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("option", [*inspect.signature(dirframe.select).parameters][1:])
def test_filter_is_no_option_of_a_load_and_names_select(option):
    with pytest.raises(TypeError, match=rf"dirframe\.select\(frame, {option}=\.\.\.\)"):
        dirframe.load_accounts(**{option: "x"})


def test_options_are_named_and_values_are_answered_with_those_that_exist(sample, sample_projects):
    with pytest.raises(TypeError, match=r"write tags\(frame, top=top\)"):
        stats.tags(sample_projects, 5)
    with pytest.warns(UnknownValueWarning, match="Did you mean 'Java'"):
        dirframe.select(sample_projects, languages="jaava")
    with pytest.raises(
        InvalidInputError, match=r'dirframe\.plan\("projects", directory=directory\)'
    ):
        dirframe.plan(sample)


@pytest.mark.parametrize("load", [dirframe.load_project, dirframe.load_size])
def test_project_is_named_before_the_directory(load, sample):
    with pytest.raises(TypeError, match=r"write load_\w+\(project, directory=directory\)"):
        load(sample, 711)
    with pytest.raises(InvalidInputError, match="The project is a SampleDirectory"):
        load(sample)


def test_query_is_named_beside_the_directory(sample):
    with pytest.raises(TypeError, match=r"write load_projects\(directory, query=query\)"):
        dirframe.load_projects(sample, "firefox")


@pytest.mark.parametrize("load", [dirframe.load_project, dirframe.load_contributors])
def test_project_that_is_a_row_is_answered_with_its_id(load, sample, sample_projects):
    with pytest.raises(InvalidInputError, match=r"pass row\['id'\]") as caught:
        load(sample_projects.iloc[0], directory=sample)
    assert "Timestamp" not in str(caught.value)


def test_pages_are_named_by_a_pattern(tmp_path):
    for number in ("1", "2"):
        page = page_xml([record(number)], available=2, first=int(number) - 1)
        (tmp_path / f"page-{number}.xml").write_bytes(page)
    pages = dirframe.read_pages(tmp_path / "page-*.xml")
    assert pages["id"].tolist() == ["1", "2"]
    with pytest.raises(InvalidInputError, match="nothing-"):
        dirframe.read_pages(tmp_path / "nothing-*.xml")


def test_address_of_a_page_is_no_directory():
    with pytest.raises(ConfigurationError, match=r"without accounts\.xml"):
        dirframe.Directory("https://directory.example/accounts.xml", "key" * 10)
