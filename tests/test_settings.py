"""Address, key and limits of a directory: where they come from and what is refused."""

import pickle
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dirframe
from dirframe import Directory
from dirframe.errors import ConfigurationError, InvalidInputError

ADDRESS = "https://directory.example"
SECRET = "a-key-that-nobody-may-see"


def directory(base_url=ADDRESS, api_key=SECRET, **options):
    """Make a directory that sends nothing."""
    return Directory(base_url, api_key, cache=False, **options)


def test_arguments_come_before_the_environment(monkeypatch):
    monkeypatch.setenv("DIRFRAME_BASE_URL", "https://other.example")
    monkeypatch.setenv("DIRFRAME_API_KEY", "other")
    for given_, url, key in (
        ((ADDRESS, SECRET), ADDRESS, SECRET),
        ((ADDRESS,), ADDRESS, "other"),
        ((), "https://other.example", "other"),
    ):
        settings = Directory(*given_).settings
        assert (settings.base_url, settings.api_key.reveal()) == (url, key)


def test_without_address_or_key_the_error_names_every_way_to_give_one():
    for given_, ways in (
        ((), ("base_url=", "DIRFRAME_BASE_URL", "sample_directory()")),
        ((ADDRESS,), ("api_key=", "DIRFRAME_API_KEY", "sample_directory()")),
    ):
        with pytest.raises(ConfigurationError) as caught:
            Directory(*given_)
        for way in ways:
            assert way in str(caught.value)


def test_addresses_that_cannot_be_meant_are_refused():
    for address in (
        "directory.example",
        "ftp://directory.example",
        "https://",
        "https://[directory",
        "https://directory.example:port",
        "https://directory.example?api_key=x",
        "https://directory.example/#top",
        "https://bücher.example",  # in another form on the wire: redirects would not be recognised
    ):
        with pytest.raises(ConfigurationError):
            directory(address)
    assert directory("https://xn--bcher-kva.example")


def test_a_refused_address_does_not_repeat_the_secret_in_it():
    with pytest.raises(ConfigurationError) as caught:
        directory(f"https://person:{SECRET}@directory.example")
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_directory_is_named_and_told_apart_by_its_address():
    assert directory(ADDRESS + "/").settings.base_url == ADDRESS
    assert directory().settings.name == "directory.example"
    assert directory(name="Example").settings.name == "Example"


def test_only_this_machine_is_asked_without_encryption_unless_told():
    for host in ("127.0.0.1", "127.1.2.3", "localhost", "a.localhost", "[::1]"):
        url = f"http://{host}:8080"
        assert directory(url).settings.base_url == url
    for host in ("directory.example", "10.0.0.1", "localhost.example", "127.0.0.1.example"):
        with pytest.raises(ConfigurationError):
            directory(f"http://{host}")
        assert directory(f"http://{host}", allow_http=True).settings.base_url == f"http://{host}"


@given(
    st.text(
        st.characters(categories=["L", "N", "P", "S"], exclude_characters="<>"),
        min_size=9,  # a fingerprint has eight characters, and may not hold the key by chance
    )
)
def test_a_key_shows_itself_to_nobody_who_does_not_ask(secret):
    others = directory(api_key="a-key-of-theirs")
    assume(secret not in repr(others) + repr(others.settings))  # a word that all settings show
    shown = directory(api_key=secret)
    key = shown.settings.api_key
    for text in (str(key), repr(key), f"{key}", f"{key!r:>40}", repr(shown), repr(shown.settings)):
        assert secret not in text
    assert secret not in shown._repr_html_()
    assert key.reveal() == secret
    with pytest.raises(TypeError) as caught:
        pickle.dumps(shown.settings)
    assert secret not in str(caught.value)


def test_a_key_that_was_copied_badly_is_refused_without_being_shown():
    for secret in (" ", "a ", "\na", "a\0b", "a\x7fb", 1234567890123456):
        with pytest.raises(ConfigurationError) as caught:
            directory(api_key=secret)
        assert str(secret).strip() in ("", "a") or str(secret) not in str(caught.value)


def test_keys_are_compared_by_their_text_and_told_apart_by_their_fingerprint():
    one, again, two = (directory(api_key=k).settings.api_key for k in ("one", "one", "two"))
    assert one == again != two
    assert hash(one) == hash(again)
    assert one != "one"
    assert one.fingerprint == again.fingerprint != two.fingerprint
    assert directory(api_key=one).settings.api_key is one


def test_a_key_is_unmistakable_if_no_record_holds_it_by_chance():
    for key, unmistakable in {
        "f3a9c1d07b5e4826": True,
        "k3y+M4RKED/s&cr=t~0123456789": True,
        "Ohloh": False,
        "internationalization": False,
        "1234567890123456": False,
        "a1a1a1a1a1a1a1a1": False,
    }.items():
        assert directory(api_key=key).settings.api_key.is_unmistakable is unmistakable, key


def test_options_that_cannot_be_meant_are_refused_by_name():
    for name, value in (
        ("daily_quota", "5"),
        ("daily_quota", float("nan")),
        ("max_workers", 1.5),
        ("max_workers", 0),
        ("expire_after", "1d"),
        ("expire_after", 86_400),
    ):
        with pytest.raises(InvalidInputError, match=name) as caught:
            directory(**{name: value})
        assert str(value) in str(caught.value)
    with pytest.raises(TypeError, match="max_worker"):
        directory(max_worker=8)


def test_folders_can_be_moved_and_begin_with_a_tilde(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", "~/cache")  # as systemd hands it over
    monkeypatch.setenv("DIRFRAME_DATA_DIR", "~/data")
    moved = Directory(ADDRESS, SECRET).settings
    assert (moved.cache_dir, moved.quota_dir) == (tmp_path / "cache", tmp_path / "data")
    own = Directory(ADDRESS, SECRET, cache_dir="~/own").settings
    assert own.cache_dir == tmp_path / "own"
    with dirframe.sample_directory(cache_dir=Path("~/sample")) as sample:
        assert sample.settings.cache_dir == tmp_path / "sample"


def test_folders_are_the_system_s_own_unless_moved(monkeypatch):
    monkeypatch.delenv("DIRFRAME_CACHE_DIR")
    monkeypatch.delenv("DIRFRAME_DATA_DIR")
    settings = Directory(ADDRESS, SECRET).settings
    assert settings.cache_dir.name == settings.quota_dir.name == "dirframe"
    assert settings.cache_dir != settings.quota_dir
