"""Options that cannot be used are refused where they are given: nothing is requested or written."""

from functools import partial

import pytest

import dirframe
from dirframe.errors import ConfigurationError, InvalidInputError
from tests.rig.server import Rig

LARGE, HUGE = 2**63, 10**5_000
EVEN_LARGER = 10**30
TEXTS = ["", " ", "a\0b", "a\nb", "\x1b[31m", "\ud800", 5, True, b"a", ["a"]]
WRONG = {
    "max_items": [0, -1, 1.0, "5", True, float("nan"), EVEN_LARGER, HUGE],
    "sample": [0, -1, 1.0, "5", True, float("nan"), LARGE, HUGE],
    "seed": [-1, 1.0, "5", True, None, LARGE, HUGE],
    "query": TEXTS,
    "sort": TEXTS,
    "details": ["no", 1, None, ""],
    "refresh": ["no", 1, None, ""],
    "offline": ["no", 1, None, ""],
    "progress": ["no", 1, None, 5.0],
    "incomplete": ["no", True, None, ""],
}
OF_A_PLAN = {"max_items", "sample", "seed", "query", "sort", "details", "refresh"}
OF_A_HARVEST = {"sample", "seed", "query", "sort", "details"}


def cases(names):
    """Return names of options with the values that they cannot have."""
    found = []
    for name, values in WRONG.items():
        if name not in names:
            continue
        for value in values:
            shown = "huge" if value is HUGE else repr(value)
            found.append(pytest.param(name, value, id=f"{name}={shown}"))
    return found


@pytest.fixture
def rig():
    with Rig(55).in_process() as opened:
        yield opened


def is_refused(rig, call, error=InvalidInputError):
    """Assert that a call is refused without a request, in words that a terminal shows."""
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500
    assert rig.requests == []


@pytest.mark.parametrize(("name", "value"), cases(WRONG))
def test_option_of_a_load_is_refused(name, value, rig):
    options = {"sample": 3, "progress": False} if name == "seed" else {"progress": False}
    load = partial(dirframe.load_projects, rig.directory(), **options | {name: value})
    is_refused(rig, load)


@pytest.mark.parametrize(("name", "value"), cases(OF_A_PLAN))
def test_option_of_a_plan_is_refused(name, value, rig):
    options = {"sample": 3} if name == "seed" else {}
    plan = partial(dirframe.plan, "projects", directory=rig.directory())
    is_refused(rig, partial(plan, **options | {name: value}))


@pytest.mark.parametrize(("name", "value"), cases(OF_A_HARVEST))
def test_option_of_a_harvest_is_refused_before_a_file_exists(name, value, rig, tmp_path):
    options = {"sample": 3} if name == "seed" else {}
    file = tmp_path / "kept.archive"
    harvest = partial(dirframe.harvest, "projects", file, directory=rig.directory())
    is_refused(rig, partial(harvest, **options | {name: value}))
    assert not file.exists()


@pytest.mark.parametrize("path", ["", " ", "a\0b", "a\nb", 5, True, b"a", ["a"], None])
def test_path_of_a_harvest_is_refused(path, rig):
    is_refused(rig, partial(dirframe.harvest, "projects", path, directory=rig.directory()))


@pytest.mark.parametrize("name", ["a\0b", "a\nb", "\ud800", "a\x85b"])
@pytest.mark.parametrize(
    "load", [dirframe.load_project, dirframe.load_account, dirframe.load_activity]
)
def test_name_of_a_record_with_control_characters_is_refused(load, name, rig):
    is_refused(rig, partial(load, name, directory=rig.directory()))


@pytest.mark.parametrize("folder", ["", " ", "a\0b", 5, True, b"a"])
@pytest.mark.parametrize(
    "function", [dirframe.cache_info, dirframe.clear_cache, dirframe.prune_cache]
)
def test_cache_folder_without_a_name_is_not_that_of_the_user(function, folder, rig):
    is_refused(rig, partial(function, folder))


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        *[
            ("port", port, ConfigurationError)
            for port in (-1, 65_536, LARGE, "80", True, 80.5, None)
        ],
        # No host would be every address of this machine.
        *[("host", host, ConfigurationError) for host in ("", " ", "a\0b", "127.0.0.1\n", 5, None)],
        *[("host", host, ConfigurationError) for host in ("ä" * 70, "a" * 300, "u@h", "[::1]")],
        *[("name", name, InvalidInputError) for name in ("", " ", "a\nb", "\x1b[31m", 5, None)],
        *[("keys", keys, InvalidInputError) for keys in ("", "a\0b", 5, True)],
        *[("trusted_proxy", at, ConfigurationError) for at in ("", "x", "10.0.0.0/99", 5)],
        *[("analyses", value, InvalidInputError) for value in ("no", 1, None)],
        *[("accounts_csv", value, InvalidInputError) for value in ("no", 1, None)],
        *[("contact", text, InvalidInputError) for text in ("", " ", "a\nb", "\x1b[31m", 5)],
        ("description", "a\nb", InvalidInputError),
        ("terms", "", InvalidInputError),
    ],
)
def test_option_of_a_service_is_refused(name, value, error, rig):
    is_refused(rig, partial(dirframe.serve, **{name: value}), error)


@pytest.mark.parametrize("options", [{"analyses": "no"}, {"cache": ""}, {"cache": 5}])
def test_option_of_the_sample_is_refused(options, rig):
    is_refused(rig, partial(dirframe.sample_directory, **options))


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (["projects", "--demo", "-n", EVEN_LARGER], 2, "max_items"),
        (["projects", "--demo", "--sample", LARGE], 2, "sample"),
        (["projects", "--demo", "--sample", 3, "--seed", LARGE], 2, "seed"),
        (["projects", "--base-url", "https://a;b"], 3, "host"),
        (["serve", "--port", 70_000], 2, "port"),
        (["serve", "--host", "", "--port", 0], 3, "listen"),
        (["serve", "--name", ""], 2, "name"),
        (["keys", "limit", 1, LARGE], 2, "REQUESTS"),
        (["keys", "limit", LARGE, 5], 2, "ID"),
        (["keys", "revoke", LARGE], 2, "ID"),
    ],
)
def test_option_of_a_command_is_refused(words, code, named, run):
    ended = run(*words)
    assert (ended.code, ended.out) == (code, "")
    assert named in ended.err
    assert "Traceback" not in ended.err


def test_archive_of_a_refused_sample_is_not_begun(run, tmp_path):
    file = tmp_path / "kept.archive"
    words = ["harvest", "projects", "--to", file, "--demo", "--sample", LARGE]
    assert (run(*words).code, file.exists()) == (2, False)
