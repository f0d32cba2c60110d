"""A directory tells everything but the key, ends what it began, and is checked in 15 requests."""

import copy
import math
import pickle
import traceback
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dirframe
from dirframe import Directory
from dirframe.client.directory import connection_of
from dirframe.errors import (
    ConfigurationError,
    DirframeError,
    InvalidInputError,
    InvalidKeyError,
    NetworkError,
)
from tests.rig import faults
from tests.rig.server import KEY, MARK, Rig, id_of, numbered, record
from tests.rig.today import Today, accounts

ADDRESS = "https://directory.example"
SECRET = "a-key-that-nobody-may-see"


def test_directory_of_the_environment(monkeypatch, connect):
    with Rig(3).in_process() as rig:
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
        frame = dirframe.load_projects(progress=False, refresh=True)
        assert frame["id"].tolist() == ["1", "2", "3"]
        assert dirframe.load_project("1", refresh=True)["id"].tolist() == ["1"]
        assert {asked.query["api_key"] for asked in rig.requests} == {KEY}
        assert rig.requests[0].headers["User-Agent"].startswith("dirframe/")
    made = [Directory(ADDRESS, SECRET), Directory(ADDRESS)]
    settings = [(one.base_url, connection_of(one).key.reveal()) for one in made]
    assert settings == [(ADDRESS, SECRET), (ADDRESS, KEY)]


def test_directory_is_used_again_after_it_was_closed_unless_its_service_has_stopped(connect):
    with Rig(3).in_process() as rig:
        directory = connect(rig)
        with directory:
            assert len(dirframe.load_projects(directory, progress=False)) == 3
        assert len(dirframe.load_projects(directory, progress=False, refresh=True)) == 3
    with dirframe.sample_directory() as directory:
        pass
    with pytest.raises(ConfigurationError, match="closed"):
        dirframe.load_projects(directory, progress=False)


def test_directory_closed_during_a_load_ends_it(connect):
    with Rig(100) as rig:
        directory = connect(rig)
        rig.before = lambda asked: directory.close() if asked.page == 2 else None
        with pytest.raises(DirframeError):
            dirframe.load_projects(directory, progress=False)
        assert rig.pages == [1, 2]
        assert directory.quota().used == 2  # the count is opened again


# Address, key and limits


def directory(url=ADDRESS, key=SECRET, **options):
    """Make a directory that sends nothing."""
    return Directory(url, key, cache=False, **options)


@pytest.mark.parametrize("load", [dirframe.load_projects, lambda: dirframe.load_account("1")])
def test_directory_that_is_nowhere_named_is_an_error(load):
    with pytest.raises(ConfigurationError):
        load()


@pytest.mark.parametrize(
    "address",
    [
        *("directory.example", "ftp://directory.example", "https://", "https://[directory"),
        *("https://.example", "https://directory.example:port", "https://directory.example?key=x"),
        *("https://directory.example/#top", f"https://person:{SECRET}@directory.example"),
        "https://directory.example/projects.xml",
        "https://directory.example/projects.XML",
        *("https://a b.example", "https://a;b.example", "https://a..b", "https://a.example.."),
        *(
            "https://a,b.example",
            "https://<a>.example",
            "https://-a.example",
            "https://a*b.example",
        ),
        *(
            "https://a\tb.example",
            "https://a\nb.example",
            "https://a\0b",
            "https://a\u202e.example",
        ),
        *(
            "https://directory.example/\x7f",
            "https://\ud800.example",
            "https://directory.example/\u200b",
        ),
        *("https://a%20b.example", "https://a%2eb.example", "https://%6c", "https://a%"),
        *("https://@directory.example", f"https://directory.example\\@{SECRET}", "https://a@b@c"),
        *("https://directory.example:0", "https://directory.example:65536", "https://[::1]:99999"),
        *(
            "https://directory.example:-1",
            "https://directory.example: 80",
            "https://directory.example:٣",
        ),
        *("https://::1", "https://[zz]", "https://[1.2.3.4]", "https://[::1", "https://[::1]a"),
        *(
            "https://" + "ä" * 70 + ".example",
            "https://" + "a" * 64,
            "https://" + "a." * 127 + "example",
        ),
        *(
            "https://xn--",
            "https://2130706433",
            "https://0x7f.1",
            "http://127.1",
            "https://1.2.3.4.5",
        ),
        *("https:/directory.example", "https:///directory.example", "https:\\\\directory.example"),
        *(
            "https://directory.example/" + "x" * 2_000,
            " ",
            5,
            b"https://directory.example",
            [ADDRESS],
        ),
    ],
)
def test_directory_address_that_cannot_be_meant_is_refused(address):
    with pytest.raises(ConfigurationError) as caught:
        directory(address)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert str(caught.value).isprintable()


def test_directory_address_is_as_it_is_sent():
    sent = {
        f" {ADDRESS}/\n": ADDRESS,
        "https://Bücher.example": "https://xn--bcher-kva.example",
        f"{ADDRESS}/ä": f"{ADDRESS}/%C3%A4",
        f"{ADDRESS}/a b/": f"{ADDRESS}/a%20b",
        f"{ADDRESS}/x/../y": f"{ADDRESS}/y",
        f"{ADDRESS}/%7Ex": f"{ADDRESS}/~x",
        f"{ADDRESS}/a//b": f"{ADDRESS}/a//b",
        "HTTPS://Directory.Example:443": "https://directory.example:443",
        "https://[2001:db8::1]:8443/x": "https://[2001:db8::1]:8443/x",
        "https://[fe80::1%25eth0]": "https://[fe80::1%25eth0]",
        "https://my_host": "https://my_host",
        "https://directory.example.": "https://directory.example.",
        "https://203.0.113.7": "https://203.0.113.7",
    }
    assert {address: directory(address).base_url for address in sent} == sent
    assert directory("https://Bücher.example").name == "xn--bcher-kva.example"
    assert directory(name="Example").name == "Example"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "a.localhost", "[::1]"])
def test_directory_asks_this_machine_without_encryption_and_limit(host):
    local = directory(f"http://{host}:8080")
    assert (local.base_url, local.rate) == (f"http://{host}:8080", math.inf)
    assert directory(f"http://{host}:8080", rate=10).rate == 10.0


@pytest.mark.parametrize(
    "host", ["directory.example", "10.0.0.1", "localhost.example", "127.0.0.1.example"]
)
def test_directory_asks_another_machine_with_encryption_and_limit_unless_told(host):
    with pytest.raises(ConfigurationError):
        directory(f"http://{host}")
    remote = directory(f"http://{host}", allow_http=True)
    assert (remote.base_url, remote.rate) == (f"http://{host}", 10.0)
    assert directory(f"https://{host}", rate=math.inf).rate == math.inf


def test_directory_tells_all_but_the_key():
    shown = directory(name="D")
    key = connection_of(shown).key
    texts = {
        "str of the key": str(key),
        "repr of the key": f"{key!r:>40}",
        "repr": repr(shown),
        "attributes": repr(vars(shown)),
    }
    assert [name for name, text in texts.items() if SECRET in text] == []
    assert all(told in repr(shown) for told in ("D", ADDRESS, key.fingerprint, "none"))
    with pytest.raises(TypeError):
        pickle.dumps(shown)
    with pytest.raises(TypeError):
        pickle.dumps(key)


@pytest.mark.parametrize("copy", [copy.copy, copy.deepcopy, pickle.dumps])
def test_directory_is_not_copied_and_shown_in_the_traceback_of_that(copy):
    with pytest.raises(TypeError) as caught:
        copy(directory())
    # Of a copy that is half made, a debugger could show nothing.
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert ADDRESS in "".join(shown.format())


@pytest.mark.parametrize("secret", [" ", "a ", "\na", "a\0b", "a\x7fb", 1234567890123456])
def test_directory_key_that_was_copied_badly_is_refused_without_being_shown(secret):
    with pytest.raises(ConfigurationError) as caught:
        directory(key=secret)
    assert str(secret).strip() in ("", "a") or str(secret) not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("daily_quota", "5"), ("daily_quota", float("nan")), ("workers", 1.5), ("workers", 0)),
        *(("rate", 0), ("rate", -1.0), ("rate", float("nan")), ("rate", "10"), ("timeout", 0.0)),
        *(("expire_after", "1d"), ("expire_after", 86_400)),
        *(("expire_after", timedelta.max), ("expire_after", timedelta(seconds=-1))),
        *(("timeout", 1e30), ("timeout", math.inf), ("timeout", math.nan), ("timeout", True)),
        *(("timeout", 1e-320), ("timeout", 10**20), ("timeout", 86_401), ("timeout", None)),
        *(("workers", 10**9), ("workers", 101), ("workers", True), ("workers", 2.0)),
        *(("rate", 1e-320), ("rate", 1e-9), ("rate", 10**20), ("rate", True), ("rate", -math.inf)),
        *(
            ("daily_quota", 10**30),
            ("daily_quota", True),
            ("daily_quota", 5.0),
            ("daily_quota", -1),
        ),
        *(("expire_after", None), ("expire_after", pd.NaT), ("expire_after", True)),
        *(("allow_http", "no"), ("allow_http", 1), ("allow_http", None), ("allow_http", "")),
        *(("name", 5), ("name", " "), ("name", "a\nb"), ("name", "\x1b[31m"), ("name", ["a"])),
        *(("cache", 5), ("cache", None), ("cache", ""), ("cache", b"x"), ("cache", 1.0)),
    ],
)
def test_directory_option_that_cannot_be_meant_is_refused_by_name(name, value):
    with pytest.raises(InvalidInputError, match=name) as caught:
        Directory(ADDRESS, SECRET, **{name: value})
    assert repr(value) in str(caught.value)
    with pytest.raises(TypeError, match=f"{name}s"):
        directory(**{f"{name}s": value})


@pytest.mark.parametrize("name", ["timeout", "workers", "rate", "daily_quota"])
def test_directory_option_of_very_many_digits_is_refused(name):
    with pytest.raises(InvalidInputError, match=name):
        directory(**{name: 10**5_000})


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        *(("timeout", 1, 1.0), ("timeout", 0.001, 0.001), ("timeout", Fraction(1, 2), 0.5)),
        *(
            ("rate", np.float32(2), 2.0),
            ("rate", 1 / 86_400, 1 / 86_400),
            ("rate", math.inf, math.inf),
        ),
        *(("workers", np.int64(3), 3), ("workers", 100, 100), ("daily_quota", np.int32(7), 7)),
        *(
            ("expire_after", pd.Timedelta(days=1), timedelta(days=1)),
            ("name", "", "directory.example"),
        ),
        ("name", "Свободные проекты", "Свободные проекты"),
    ],
)
def test_directory_option_at_its_bounds_and_of_other_numbers_is_kept(name, value, kept):
    assert getattr(directory(**{name: value}), name) == kept


@pytest.mark.parametrize("place", ["a\0b", "a\nb", "\ud800", Path("a\x1b")])
def test_directory_folder_with_control_characters_is_refused(place):
    with pytest.raises(InvalidInputError, match="cache") as caught:
        Directory(ADDRESS, SECRET, cache=place)
    assert str(caught.value).isprintable()


SETTINGS = {
    "base_url": ADDRESS,
    "name": "D",
    "cache_folder": None,
    "expire_after": timedelta(days=1),
    "workers": 2,
    "rate": 5.0,
    "daily_quota": 10,
    "timeout": 3.0,
    "allow_http": False,
}


def test_directory_shows_its_settings_and_none_can_be_changed():
    given = {
        name: value for name, value in SETTINGS.items() if name not in ("base_url", "cache_folder")
    }
    shown = directory(**given)
    assert {name: getattr(shown, name) for name in SETTINGS} == SETTINGS
    public = {name for name in dir(shown) if not name.startswith("_")}
    assert public == {*SETTINGS, "quota", "close"}


@pytest.mark.parametrize(
    "name", [*SETTINGS, "quota", "key", "api_key", "quota_folder", "session", "rates"]
)
def test_directory_settings_are_read_only(name):
    opened = directory()
    before = repr(opened), opened.base_url, opened.rate
    with pytest.raises(AttributeError, match=f"{name!r} of a Directory cannot be set") as caught:
        setattr(opened, name, "https://elsewhere.example")
    assert "dirframe.Directory(" in str(caught.value)
    with pytest.raises(AttributeError):
        delattr(opened, name)
    assert (repr(opened), opened.base_url, opened.rate) == before


def test_directory_folders_can_be_moved_and_begin_with_a_tilde(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", "~/cache")  # as systemd hands it over
    monkeypatch.setenv("DIRFRAME_DATA_DIR", "~/data")
    moved = Directory(ADDRESS, SECRET)
    assert (moved.cache_folder, connection_of(moved).quota_folder) == (
        tmp_path / "cache",
        tmp_path / "data",
    )
    monkeypatch.delenv("DIRFRAME_CACHE_DIR")
    monkeypatch.delenv("DIRFRAME_DATA_DIR")
    own = Directory(ADDRESS, SECRET)
    own_data = connection_of(own).quota_folder
    assert own.cache_folder.name == own_data.name == "dirframe"
    assert own.cache_folder != own_data


def test_directory_cache_folder_of_the_sample_begins_with_a_tilde(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    with dirframe.sample_directory(cache=Path("~/sample")) as sample:
        assert sample.cache_folder == tmp_path / "sample"


def test_directory_opens_nothing_before_it_is_needed(tmp_path):
    Directory(ADDRESS, SECRET, cache=tmp_path / "cache").close()
    assert not (tmp_path / "cache").exists()


# How it answers: `check`


def checked(rig, **options):
    """Check a rig in this process; return the report, and what was found by what was looked at."""
    with rig.in_process(), rig.directory(**options) as directory:
        report = dirframe.check(directory)
    return report, {finding.what: finding.found for finding in report.findings}


def differing(report):
    return {finding.what for finding in report.findings if finding.as_specified is False}


def test_check_of_the_sample_finds_the_specification():
    with dirframe.sample_directory(cache=False) as directory:
        report = dirframe.check(directory)
        assert report.requests == directory.quota().used + 1 <= 18
    assert differing(report) == set()
    seen = {finding.what: finding.found for finding in report.findings}
    assert (seen["page size"], seen["page past the end"]) == ("25", "empty")
    assert seen["projects by created_at"] == seen["accounts by id"] == "kept"
    assert "403" in seen["a wrong key"]
    assert "404" in seen["a record that is not there"]
    assert "codes" in seen["country forms"]
    assert "s from this machine's" in seen["clock"]
    assert len(str(report).splitlines()) == 1 + len(report.findings)


def test_check_of_todays_service_finds_how_it_differs():
    rig = Today(120)
    codes = enumerate(["US", "Germany", "", "DE"])
    rig.add("account", [record(n, "account", country_code=code) for n, code in codes])
    report, seen = checked(rig)
    assert report.requests == len(rig.requests) == 18
    assert {
        *("page size", "address", "analyses in collections", "projects by id", "a wrong key"),
    } <= differing(report)
    assert seen["page size"] == "10"
    assert seen["projects by project_name"] == "kept"
    assert seen["projects by id"] == seen["projects by name"] == "NOT kept"
    assert seen["analyses in collections"] == "0 of 10 projects"
    assert seen["analysis on own pages"] == "sent"
    assert "status 400" in seen["a wrong key"]
    assert seen["country forms"] == "2 codes, 1 name, 1 missing; 4 in all"
    assert seen["query without a match"] == "empty"
    assert MARK not in str(report) + repr(report)


@pytest.mark.parametrize(
    ("ignored", "expected"),
    [
        (set(), ["25 a page", "sent in the order of ids", "kept"]),
        ({"ids"}, ["25 a page", "ignored", "kept"]),
        ({"per_page"}, ["ignored", "sent in the order of ids", "kept"]),
        ({"kudo_position"}, ["25 a page", "sent in the order of ids", "NOT kept"]),
    ],
)
def test_check_of_todays_service_tries_what_makes_loads_cheaper(ignored, expected):
    rig = Today(120)
    rig.add("account", accounts(numbered(12), unranked={"3"}))
    rig.ignored = ignored
    report, seen = checked(rig)
    looked_at = ["projects with per_page=25", "projects with ids", "accounts by kudo_position"]
    assert [seen[what] for what in looked_at] == expected
    prices = {
        frozenset({"per_page"}): "13 requests with 10 a page",
        frozenset({"ids"}): "13 requests with 10 a page, 5 with 25 a page",
    }
    both = "13 requests with 10 a page, 5 with 25 a page, about 10 by ids"
    assert seen["a load of all projects"] == prices.get(frozenset(ignored), both)
    assert report.requests <= 18


def test_check_believes_no_ids_that_were_not_asked_for():
    rig = Today(120)
    rig.add("account", 3)
    rig.answers_unasked = True
    _, seen = checked(rig)
    assert seen["projects with ids"] == "ignored"
    assert seen["accounts by kudo_position"] == "cannot be seen"


def test_check_of_the_rehearsal_directory_finds_ids():
    with dirframe.sample_directory(cache=False, analyses=False) as directory:
        seen = {finding.what: finding.found for finding in dirframe.check(directory).findings}
    assert seen["projects with ids"] == "sent in the order of ids"
    assert "151 requests with 10 a page, 61 with 25 a page" in seen["a load of all projects"]


def test_check_counts_the_requests_for_an_answer_that_cannot_be_read():
    rig = Today(120)
    rig.add("account", 3)
    rig.faults.extend([None] * 8 + [faults.reset_before, faults.answers(faults.HTML)])
    report, seen = checked(rig)
    assert "UnreadableResponseError: an HTML page" in seen.values()
    assert report.requests == len(rig.requests)


def test_check_is_of_what_was_seen():
    rig = Rig(60, size=10)
    rig.past_end_is_first = True
    rig.sorts = {"id": lambda xml: -int(id_of(xml))}
    _, seen = checked(rig)
    assert seen["page past the end"] == "the first page again"
    assert seen["projects by id"] == "NOT kept"
    assert seen["projects by created_at"] == "cannot be seen"
    rig = Rig(60, size=10)
    rig.items_available = lambda _: None
    _, seen = checked(rig)
    assert seen["projects"] == "not counted"
    assert "page past the end" not in seen


def test_check_stays_within_its_requests_and_stores_nothing(tmp_path):
    rig = Rig(60)
    with rig.in_process(), rig.directory(tmp_path) as directory:
        first, again = dirframe.check(directory), dirframe.check(directory)
        assert len(rig.requests) == 2 * first.requests == 2 * again.requests <= 36
        rig.forget()
        rig.faults.extend([None] * 3 + [faults.fails("Out of order", 503)] * 20)
        report = dirframe.check(directory)
        assert len(rig.requests) <= 18 + 2  # a last one may be retried
    assert "not looked at" in str(report)
    assert dirframe.cache_info(tmp_path / "cache").pages == 0


def test_check_of_what_cannot_be_asked_is_an_error():
    with pytest.raises(InvalidKeyError):
        checked(Rig(60), key="another key 12345")
    rig = Rig(60)
    rig.always = faults.reset_before
    with pytest.raises(NetworkError):
        checked(rig)


@pytest.mark.parametrize("place", ["~no-such-user/x", "~no-such-user"])
@pytest.mark.parametrize("variable", ["DIRFRAME_CACHE_DIR", "DIRFRAME_DATA_DIR"])
def test_directory_of_a_user_without_a_home_names_the_variables(monkeypatch, variable, place):
    monkeypatch.setenv(variable, place)
    with pytest.raises(ConfigurationError, match="DIRFRAME_CACHE_DIR and DIRFRAME_DATA_DIR"):
        Directory("https://directory.example", KEY)


def test_directory_needs_no_home_for_folders_that_are_given(monkeypatch, tmp_path):
    monkeypatch.delenv("DIRFRAME_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "~no-such-user/cache")
    assert Directory("https://directory.example", KEY, cache=tmp_path).cache_folder == tmp_path
