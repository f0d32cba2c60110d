"""A directory tells everything but the key, ends what it began, and is checked in 15 requests."""

import math
import pickle

import pytest

import dirframe
from dirframe.errors import ConfigurationError, DirframeError, InvalidKeyError, NetworkError
from tests.rig import faults
from tests.rig.server import KEY, MARK, Rig, id_of, numbered, record
from tests.rig.today import Today


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


def test_directory_that_is_nowhere_named_is_an_error(tmp_path):
    for load in (dirframe.load_accounts, dirframe.load_projects):
        with pytest.raises(ConfigurationError):
            load()
    for load in (dirframe.load_account, dirframe.load_size):
        with pytest.raises(ConfigurationError):
            load("1")
    dirframe.Directory("https://d.example", KEY, cache=tmp_path / "cache").close()
    assert not (tmp_path / "cache").exists()  # nothing is opened before it is needed


def test_directory_is_used_again_after_it_was_closed_unless_its_service_has_stopped(connect):
    with Rig(3).in_process() as rig:
        directory = connect(rig)
        with directory:
            assert len(directory.projects(progress=False)) == 3
        assert len(directory.projects(progress=False, refresh=True)) == 3
    with dirframe.sample_directory() as directory:
        pass
    with pytest.raises(ConfigurationError, match="closed"):
        dirframe.load_projects(directory, progress=False)


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


# How it answers: `check`


def found(report):
    return {finding.what: finding.found for finding in report.findings}


def differing(report):
    return {finding.what for finding in report.findings if finding.as_specified is False}


def test_check_of_the_sample_finds_the_specification():
    with dirframe.sample_directory(cache=False) as directory:
        report = dirframe.check(directory)
        assert report.requests == directory.quota().used + 1 <= 15
    assert differing(report) == set()
    seen = found(report)
    assert (seen["page size"], seen["page past the end"]) == ("25", "empty")
    assert seen["projects by created_at"] == seen["accounts by id"] == "kept"
    assert "403" in seen["a wrong key"]
    assert "404" in seen["a record that is not there"]
    assert "codes" in seen["country forms"]
    assert len(str(report).splitlines()) == 2 + len(report.findings)


def test_check_of_todays_service_finds_how_it_differs():
    rig = Today(120)
    rig.add("account", [record(n, "account", country_code=c) for n, c in
                        enumerate(["US", "Germany", "", "DE"])])  # fmt: skip
    with rig.in_process(), rig.directory() as directory:
        report = dirframe.check(directory)
    assert report.requests == len(rig.requests) == 15
    assert {
        *("page size", "address", "analyses in collections", "projects by id", "a wrong key"),
    } <= differing(report)
    seen = found(report)
    assert seen["page size"] == "10"
    assert seen["projects by project_name"] == "kept"
    assert seen["projects by id"] == seen["projects by name"] == "NOT kept"
    assert seen["analyses in collections"] == "0 of 10 projects"
    assert seen["analysis on own pages"] == "sent"
    assert "status 400" in seen["a wrong key"]
    assert seen["country forms"] == "2 codes (US), 1 names (Germany), 1 missing"
    assert "records" in seen["query without a match"]
    assert MARK not in str(report) + repr(report)


def test_check_is_of_what_was_seen():
    rig = Rig(60, size=10)
    rig.past_end_is_first = True
    rig.sorts = {"id": lambda xml: -int(id_of(xml))}
    with rig.in_process(), rig.directory() as directory:
        seen = found(dirframe.check(directory))
    assert seen["page past the end"] == "the first page again"
    assert seen["projects by id"] == "NOT kept"
    assert seen["projects by created_at"] == "cannot be seen"
    rig = Rig(60, size=10)
    rig.items_available = lambda _: None
    with rig.in_process(), rig.directory() as directory:
        report = dirframe.check(directory)
    assert found(report)["projects"] == "not counted"
    assert "page past the end" not in found(report)


def test_check_stays_within_its_requests_and_stores_nothing(tmp_path):
    rig = Rig(60)
    with rig.in_process(), rig.directory(tmp_path) as directory:
        first = dirframe.check(directory)
        before = len(rig.requests)
        again = dirframe.check(directory)
        assert len(rig.requests) - before == again.requests == first.requests <= 15
        assert found(first).keys() == found(again).keys()
        rig.faults.extend([None] * 3 + [faults.fails("Out of order", 503)] * 20)
        before = len(rig.requests)
        report = dirframe.check(directory)
        assert len(rig.requests) - before <= 15 + 2  # a last one may be retried
    assert "not looked at" in str(report)


def test_check_of_what_cannot_be_asked_is_an_error():
    rig = Rig(60)
    with rig.in_process(), pytest.raises(InvalidKeyError):
        dirframe.check(rig.directory(key="another key 12345"))
    rig = Rig(60)
    rig.always = faults.reset_before
    with rig.in_process(), pytest.raises(NetworkError):
        dirframe.check(rig.directory())
