"""Where one asks: settled by arguments, environment or keyring; tells everything but the key."""

from __future__ import annotations

import inspect
import pickle
from contextlib import ExitStack
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import jedi
import pytest

import dirframe
from dirframe.errors import ConfigurationError
from dirframe.settings import ApiKey, Settings
from tests.client import KEY, Server, page_xml, record

if TYPE_CHECKING:
    from pathlib import Path

ONE = page_xml([record("1")], available=1, first=0)


def test_its_repr_tells_all_but_the_key(tmp_path: Path) -> None:
    directory = dirframe.Directory("https://d.example/x/", KEY, name="D", cache_dir=tmp_path)
    text = repr(directory)
    assert KEY not in text
    for said in ("'D'", "https://d.example/x", str(tmp_path), ApiKey(KEY).fingerprint):
        assert said in text
    assert "no cache" in repr(dirframe.Directory("https://d.example", KEY, cache=False))
    assert KEY not in repr(vars(directory)) + str(directory.settings)


def test_every_setting_can_be_given(tmp_path: Path) -> None:
    given: dict[str, Any] = {
        "retries": 0,
        "backoff": 0.1,
        "max_backoff": 1.0,
        "max_response_bytes": 10_000,
    }
    directory = dirframe.Directory(
        "https://d.example", KEY, quota_dir=tmp_path, max_per_second=2.0, **given
    )
    settings = directory.settings
    assert {name: getattr(settings, name) for name in given} == given
    assert (settings.quota_dir, settings.max_per_second) == (tmp_path, 2.0)
    embedded_only = {"cache_namespace"}
    names = set(inspect.signature(dirframe.Directory).parameters) - {"cache"}
    assert names == {field.name for field in fields(Settings)} - embedded_only


@pytest.mark.parametrize(
    ("address", "given", "limit"),
    [
        ("https://d.example", {}, 10.0),
        ("http://127.0.0.1:1", {}, None),
        ("http://127.0.0.1:1", {"max_per_second": 10.0}, 10.0),
        ("https://d.example", {"max_per_second": None}, None),
    ],
)
def test_the_rate_is_limited_unless_the_service_is_local_or_the_caller_says_otherwise(
    address: str, given: dict[str, Any], limit: float | None
) -> None:
    assert dirframe.Directory(address, KEY, **given).settings.max_per_second == limit


def test_a_directory_cannot_be_pickled_with_its_key(tmp_path: Path) -> None:
    directory = dirframe.Directory("https://d.example", KEY, cache_dir=tmp_path)
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(directory)


def test_the_environment_names_a_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(lambda _: ONE) as server:
        monkeypatch.setenv("DIRFRAME_BASE_URL", server.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
        frame = dirframe.load_projects(progress=False)
        assert list(frame["id"]) == ["1"]
        assert server.asked[0].query["api_key"] == KEY
        assert list(dirframe.load_project("1")["id"]) == ["1"]


def test_arguments_go_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIRFRAME_BASE_URL", "https://elsewhere.example")
    monkeypatch.setenv("DIRFRAME_API_KEY", "another")
    settings = dirframe.Directory("https://d.example", KEY).settings
    assert settings.base_url == "https://d.example"
    assert settings.api_key == ApiKey(KEY)


def test_without_a_directory_the_sample_is_named_and_not_taken() -> None:
    for load in (dirframe.load_accounts, dirframe.load_projects):
        with pytest.raises(ConfigurationError, match="sample_directory"):
            load()
    for load_one in (dirframe.load_account, dirframe.load_project):
        with pytest.raises(ConfigurationError, match="sample_directory"):
            load_one("1")
    with pytest.raises(ConfigurationError, match="DIRFRAME_API_KEY"):
        dirframe.Directory("https://d.example")


def test_an_unknown_option_is_a_type_error() -> None:
    options: dict[str, Any] = {"timeout": 5}
    with pytest.raises(TypeError):
        dirframe.Directory("https://d.example", KEY, **options)


def test_what_belongs_to_a_directory_ends_with_it(tmp_path: Path) -> None:
    ended: list[str] = []
    stack = ExitStack()
    stack.callback(ended.append, "service")
    settings = Settings(base_url="https://d.example", api_key=ApiKey(KEY), cache_dir=tmp_path)
    with dirframe.Directory.from_settings(settings, closing=stack) as directory:
        assert directory.session is directory.session
    assert ended == ["service"]
    directory.close()
    assert ended == ["service"]


def test_nothing_is_opened_before_it_is_needed(tmp_path: Path) -> None:
    dirframe.Directory("https://d.example", KEY, cache_dir=tmp_path / "cache").close()
    assert not (tmp_path / "cache").exists()


def test_its_methods_are_the_functions_of_the_same_purpose() -> None:
    assert dirframe.Directory.projects is dirframe.load_projects
    assert dirframe.Directory.accounts is dirframe.load_accounts
    # Static tools and help see every option.
    parameters = inspect.signature(dirframe.Directory.plan).parameters
    assert list(parameters)[1:] == [
        name for name in inspect.signature(dirframe.plan).parameters if name != "directory"
    ]


def test_a_directory_is_asked_for_what_it_has() -> None:
    with dirframe.sample_directory(cache=False) as directory:
        projects = directory.projects(max_items=3, columns=["name"], progress=False)
        assert list(projects.columns) == ["id", "name"]
        assert len(directory.accounts(max_items=2, progress=False)) == 2
        price = directory.plan("projects", max_items=100)
        assert price == replace(
            dirframe.plan("projects", max_items=100, directory=directory),
            quota_left=price.quota_left,
        )


def test_its_quota_counts_what_was_asked() -> None:
    with dirframe.sample_directory(cache=False) as directory:
        assert (directory.quota().used, directory.quota().resets_at) == (0, None)
        directory.projects(max_items=30, progress=False)
        quota = directory.quota()
        assert (quota.used, quota.left) == (2, quota.limit - 2)
        assert quota.resets_at is not None
        assert "2" in repr(quota)
        assert quota.directory in quota._repr_html_()


@pytest.mark.parametrize("typed", ["projects(", "accounts(", "plan(", "quota("])
def test_a_static_tool_completes_its_methods_in_a_with_block(typed: str) -> None:
    source = (
        f"import dirframe\nwith dirframe.sample_directory() as directory:\n    directory.{typed}"
    )
    shown = jedi.Script(source).get_signatures()
    assert {signature.docstring(raw=True).splitlines()[0][-1] for signature in shown} == {"."}
    options = [parameter.name for parameter in shown[0].params]
    assert ("max_items" in options) is (typed != "quota(")


def test_a_method_that_does_not_exist_is_answered_with_the_one_that_is_meant() -> None:
    with dirframe.sample_directory() as directory:
        for name, meant in (("projets", "projects"), ("load_accounts", "accounts")):
            with pytest.raises(AttributeError, match=f"Did you mean '{meant}'"):
                getattr(directory, name)
