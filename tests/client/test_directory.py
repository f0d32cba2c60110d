"""A directory: by arguments or environment; it tells everything but the key, and ends what it began."""

import copy
import inspect
import pickle

import pytest

import dirframe
from dirframe.errors import ConfigurationError, DirframeError
from tests.rig.server import KEY, MARK, Rig


def test_directory_repr_tells_all_but_the_key(tmp_path):
    directory = dirframe.Directory("https://d.example/x/", KEY, name="D", cache_dir=tmp_path)
    text = repr(directory)
    for told in ("'D'", "https://d.example/x", str(tmp_path)):
        assert told in text
    for shown in (text, repr(vars(directory)), str(directory.settings), directory._repr_html_()):
        assert MARK not in shown
    assert str(tmp_path) not in repr(dirframe.Directory("https://d.example", KEY, cache=False))
    with pytest.raises(TypeError):
        pickle.dumps(directory)


def test_directory_options_are_checked(tmp_path):
    directory = dirframe.Directory(
        "https://d.example", KEY, quota_dir=tmp_path, max_per_second=2.0, retries=0, backoff=0.1
    )
    assert directory.settings.quota_dir == tmp_path
    assert (directory.settings.retries, directory.settings.max_per_second) == (0, 2.0)
    with pytest.raises(TypeError):
        dirframe.Directory("https://d.example", KEY, timeout=5)


def test_directory_rate_is_limited_unless_the_service_is_local():
    cases = [
        ("https://d.example", {}, 10.0),
        ("http://127.0.0.1:1", {}, None),
        ("http://127.0.0.1:1", {"max_per_second": 10.0}, 10.0),
        ("https://d.example", {"max_per_second": None}, None),
    ]
    for address, given, limit in cases:
        assert dirframe.Directory(address, KEY, **given).settings.max_per_second == limit


def test_directory_of_the_environment(monkeypatch, connect):
    with Rig(3).in_process() as rig:
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
        frame = dirframe.load_projects(progress=False, refresh=True)
        assert frame["id"].tolist() == ["1", "2", "3"]
        assert dirframe.load_project("1", refresh=True)["id"].tolist() == ["1"]
        assert {asked.query["api_key"] for asked in rig.requests} == {KEY}
        assert {asked.headers["User-Agent"].partition("/")[0] for asked in rig.requests} == {
            "dirframe"
        }
        settings = dirframe.Directory("https://d.example", "another").settings
    assert settings.base_url == "https://d.example"
    assert settings.api_key.reveal() == "another"


def test_directory_that_is_nowhere_named_is_an_error():
    for load in (dirframe.load_accounts, dirframe.load_projects):
        with pytest.raises(ConfigurationError):
            load()
    for load in (dirframe.load_account, dirframe.load_project):
        with pytest.raises(ConfigurationError):
            load("1")
    with pytest.raises(ConfigurationError, match="DIRFRAME_API_KEY"):
        dirframe.Directory("https://d.example")


def test_directory_opens_nothing_before_it_is_needed(tmp_path):
    dirframe.Directory("https://d.example", KEY, cache_dir=tmp_path / "cache").close()
    assert not (tmp_path / "cache").exists()


def test_directory_is_used_again_after_it_was_closed_and_beside_a_copy(connect):
    with Rig(3).in_process() as rig:
        directory = connect(rig)
        with directory:
            assert len(directory.projects(progress=False)) == 3
        assert len(directory.projects(progress=False, refresh=True)) == 3
        with copy.copy(directory) as other:
            assert other.settings == directory.settings
            assert len(other.projects(progress=False, refresh=True)) == 3
        assert len(directory.projects(progress=False, refresh=True)) == 3


def test_directory_closed_during_a_load_ends_it(connect):
    with Rig(100) as rig:
        directory = connect(rig)
        rig.before = lambda asked: directory.close() if asked.page == 2 else None
        with pytest.raises(DirframeError):
            directory.projects(progress=False)
        assert rig.pages == [1, 2]


def test_directory_methods_are_the_functions():
    assert dirframe.Directory.projects is dirframe.load_projects
    assert dirframe.Directory.accounts is dirframe.load_accounts
    # Tools and help see every option.
    parameters = inspect.signature(dirframe.Directory.plan).parameters
    of_function = [
        name for name in inspect.signature(dirframe.plan).parameters if name != "directory"
    ]
    assert list(parameters)[1:] == of_function
    with dirframe.Directory("https://d.example", KEY) as directory:
        for name, meant in (("projets", "projects"), ("load_accounts", "accounts")):
            with pytest.raises(AttributeError, match=meant):
                getattr(directory, name)
