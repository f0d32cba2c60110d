"""A directory: by arguments or environment; it tells everything but the key, and ends what it began."""

import math
import pickle

import pytest

import dirframe
from dirframe.errors import ConfigurationError, DirframeError
from tests.rig.server import KEY, MARK, Rig, numbered


def test_directory_repr_tells_all_but_the_key(tmp_path):
    directory = dirframe.Directory("https://d.example/x/", KEY, name="D", cache=tmp_path)
    text = repr(directory)
    for told in ("Directory: D", "https://d.example/x", str(tmp_path)):
        assert told in text
    for shown in (text, repr(vars(directory)), repr(directory), directory._repr_html_()):
        assert MARK not in shown
    assert str(tmp_path) not in repr(dirframe.Directory("https://d.example", KEY, cache=False))
    with pytest.raises(TypeError):
        pickle.dumps(directory)


def test_directory_options_are_checked():
    with pytest.raises(TypeError):
        dirframe.Directory("https://d.example", KEY, retries=5)


def test_directory_rate_is_limited_unless_the_service_is_local():
    cases = [
        ("https://d.example", {}, 10.0),
        ("http://127.0.0.1:1", {}, math.inf),
        ("http://127.0.0.1:1", {"rate": 10}, 10.0),
        ("https://d.example", {"rate": math.inf}, math.inf),
    ]
    for address, given, limit in cases:
        assert dirframe.Directory(address, KEY, **given).rate == limit


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
        made = dirframe.Directory("https://d.example", "another")
    assert made.base_url == "https://d.example"
    assert made.api_key.reveal() == "another"


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
    dirframe.Directory("https://d.example", KEY, cache=tmp_path / "cache").close()
    assert not (tmp_path / "cache").exists()


def test_directory_is_used_again_after_it_was_closed(connect):
    with Rig(3).in_process() as rig:
        directory = connect(rig)
        with directory:
            assert len(directory.projects(progress=False)) == 3
        assert len(directory.projects(progress=False, refresh=True)) == 3


def test_directory_closed_during_a_load_ends_it(connect):
    with Rig(100) as rig:
        directory = connect(rig)
        rig.before = lambda asked: directory.close() if asked.page == 2 else None
        with pytest.raises(DirframeError):
            directory.projects(progress=False)
        assert rig.pages == [1, 2]


def test_directory_methods_take_the_options_of_the_functions(connect):
    with Rig(30, kind="account").in_process() as rig:
        accounts = connect(rig).accounts(max_items=5, progress=False)
        assert accounts["id"].tolist() == numbered(5)
    with Rig(30).in_process() as rig:
        directory = connect(rig, cache=False)
        assert directory.plan("projects", max_items=20).pages == 2
        with pytest.raises(TypeError):
            directory.projects(max_item=5)
