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


def directory(url=ADDRESS, key=SECRET, **options):
    """Make a directory that sends nothing."""
    return Directory(url, key, cache=False, **options)


def test_arguments_come_before_the_environment(monkeypatch):
    monkeypatch.setenv("DIRFRAME_BASE_URL", "https://other.example")
    monkeypatch.setenv("DIRFRAME_API_KEY", "other")
    for given_, url, key in (
        ((ADDRESS, SECRET), ADDRESS, SECRET),
        ((ADDRESS,), ADDRESS, "other"),
        ((), "https://other.example", "other"),
    ):
        made = Directory(*given_)
        assert (made.base_url, made.api_key.reveal()) == (url, key)


def test_without_address_or_key_the_error_names_every_way_to_give_one():
    for given_, ways in (
        ((), ("url=", "DIRFRAME_BASE_URL", "sample_directory()")),
        ((ADDRESS,), ("key=", "DIRFRAME_API_KEY", "sample_directory()")),
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
        "https://directory.example?key=x",
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
    assert directory(ADDRESS + "/").base_url == ADDRESS
    assert directory().name == "directory.example"
    assert directory(name="Example").name == "Example"


def test_only_this_machine_is_asked_without_encryption_unless_told():
    for host in ("127.0.0.1", "127.1.2.3", "localhost", "a.localhost", "[::1]"):
        url = f"http://{host}:8080"
        assert directory(url).base_url == url
    for host in ("directory.example", "10.0.0.1", "localhost.example", "127.0.0.1.example"):
        with pytest.raises(ConfigurationError):
            directory(f"http://{host}")
        assert directory(f"http://{host}", allow_http=True).base_url == f"http://{host}"


@given(
    st.text(
        st.characters(categories=["L", "N", "P", "S"], exclude_characters="<>"),
        min_size=9,  # a fingerprint has eight characters, and may not hold the key by chance
    )
)
def test_a_key_shows_itself_to_nobody_who_does_not_ask(secret):
    others = directory(key="a-key-of-theirs")
    assume(secret not in repr(others) + repr(vars(others)))  # a word that all settings show
    shown = directory(key=secret)
    key = shown.api_key
    for text in (str(key), repr(key), f"{key}", f"{key!r:>40}", repr(shown), repr(vars(shown))):
        assert secret not in text
    assert secret not in shown._repr_html_()
    assert key.reveal() == secret
    with pytest.raises(TypeError) as caught:
        pickle.dumps(shown)
    assert secret not in str(caught.value)


def test_a_key_that_was_copied_badly_is_refused_without_being_shown():
    for secret in (" ", "a ", "\na", "a\0b", "a\x7fb", 1234567890123456):
        with pytest.raises(ConfigurationError) as caught:
            directory(key=secret)
        assert str(secret).strip() in ("", "a") or str(secret) not in str(caught.value)


def test_keys_are_compared_by_their_text_and_told_apart_by_their_fingerprint():
    one, again, two = (directory(key=k).api_key for k in ("one", "one", "two"))
    assert one == again != two
    assert hash(one) == hash(again)
    assert one != "one"
    assert one.fingerprint == again.fingerprint != two.fingerprint
    assert directory(key=one).api_key is one


def test_options_that_cannot_be_meant_are_refused_by_name():
    for name, value in (
        ("daily_quota", "5"),
        ("daily_quota", float("nan")),
        ("workers", 1.5),
        ("workers", 0),
        ("rate", 0),
        ("rate", -1.0),
        ("rate", float("nan")),
        ("rate", "10"),
        ("timeout", 0.0),
        ("expire_after", "1d"),
        ("expire_after", 86_400),
    ):
        with pytest.raises(InvalidInputError, match=name) as caught:
            directory(**{name: value})
        assert str(value) in str(caught.value)
    with pytest.raises(TypeError, match="worker"):
        directory(worker=8)


def test_folders_can_be_moved_and_begin_with_a_tilde(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", "~/cache")  # as systemd hands it over
    monkeypatch.setenv("DIRFRAME_DATA_DIR", "~/data")
    moved = Directory(ADDRESS, SECRET)
    assert (moved.cache_folder, moved.quota_folder) == (tmp_path / "cache", tmp_path / "data")
    own = Directory(ADDRESS, SECRET, cache="~/own")
    assert own.cache_folder == tmp_path / "own"
    with dirframe.sample_directory(cache=Path("~/sample")) as sample:
        assert sample.cache_folder == tmp_path / "sample"


def test_folders_are_the_system_s_own_unless_moved(monkeypatch):
    monkeypatch.delenv("DIRFRAME_CACHE_DIR")
    monkeypatch.delenv("DIRFRAME_DATA_DIR")
    made = Directory(ADDRESS, SECRET)
    assert made.cache_folder.name == made.quota_folder.name == "dirframe"
    assert made.cache_folder != made.quota_folder
