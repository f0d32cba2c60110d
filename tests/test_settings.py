from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, ClassVar

import keyring
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from keyring.backend import KeyringBackend

import dirframe
from dirframe.errors import ConfigurationError, InvalidInputError
from dirframe.settings import ApiKey, Settings, cache_folder, data_folder, is_loopback

ADDRESS = "https://directory.example"
SECRET = "a key that nobody may see".replace(" ", "-")


class Remembering(KeyringBackend):
    """A keyring in memory, for the one test that needs one."""

    priority = 1
    kept: ClassVar[dict[tuple[str, str], str]] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password


def settings(**changes: object) -> Settings:
    given_settings = Settings(base_url=ADDRESS, api_key=ApiKey(SECRET))
    return given_settings.with_options(**changes)


def test_arguments_come_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIRFRAME_BASE_URL", "https://other.example")
    monkeypatch.setenv("DIRFRAME_API_KEY", "other")
    found = Settings.from_env(ADDRESS, SECRET)
    assert found.base_url == ADDRESS
    assert found.api_key.reveal() == SECRET


def test_the_environment_gives_what_the_arguments_leave_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DIRFRAME_BASE_URL", ADDRESS)
    monkeypatch.setenv("DIRFRAME_API_KEY", SECRET)
    found = Settings.from_env()
    assert (found.base_url, found.api_key.reveal()) == (ADDRESS, SECRET)


def test_the_keyring_gives_the_key_of_that_address(monkeypatch: pytest.MonkeyPatch) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(Remembering())  # type: ignore[no-untyped-call]  # keyring's base class has no types
    try:
        keyring.set_password("dirframe", ADDRESS, SECRET)
        assert Settings.from_env(ADDRESS + "/").api_key.reveal() == SECRET
        with pytest.raises(ConfigurationError, match="No API key"):
            Settings.from_env("https://other.example")
    finally:
        keyring.set_keyring(before)


def test_without_an_address_the_error_names_the_sample() -> None:
    with pytest.raises(ConfigurationError, match=r"dirframe\.sample_directory\(\)"):
        Settings.from_env()


def test_without_a_key_the_error_names_every_way_to_give_one() -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.from_env(ADDRESS)
    for way in ("api_key=", "DIRFRAME_API_KEY", "keyring set dirframe", "sample_directory()"):
        assert way in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "directory.example",
        "ftp://directory.example",
        "https://",
        "https://[directory",
        "https://directory.example:port",
        "https://directory.example?api_key=x",
        "https://directory.example/#top",
    ],
)
def test_an_address_that_cannot_be_meant_is_refused(address: str) -> None:
    with pytest.raises(ConfigurationError):
        settings(base_url=address)


def test_a_refused_address_does_not_repeat_the_secret_in_it() -> None:
    with pytest.raises(ConfigurationError) as caught:
        settings(base_url=f"https://person:{SECRET}@directory.example")
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_slash_at_the_end_makes_no_other_directory() -> None:
    assert settings(base_url=ADDRESS + "/").base_url == ADDRESS


def test_another_machine_is_not_asked_in_the_clear_unless_told() -> None:
    with pytest.raises(ConfigurationError, match="encryption"):
        settings(base_url="http://directory.example")
    in_the_clear = settings(base_url="http://directory.example", allow_http=True)
    assert in_the_clear.base_url == "http://directory.example"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "a.localhost", "[::1]"])
def test_this_machine_may_be_asked_in_the_clear(host: str) -> None:
    assert settings(base_url=f"http://{host}:8080").base_url == f"http://{host}:8080"


@pytest.mark.parametrize("host", ["10.0.0.1", "localhost.example", "127.0.0.1.example", "::"])
def test_a_host_that_only_looks_like_this_machine_is_another(host: str) -> None:
    assert not is_loopback(host)


@given(
    st.text(
        st.characters(categories=["L", "N", "P", "S"], exclude_characters="<>"),
        min_size=9,  # a fingerprint has eight characters, and may not hold the key by chance
    )
)
def test_a_key_shows_itself_to_nobody_who_does_not_ask(secret: str) -> None:
    others = repr(settings(api_key=ApiKey("a-key-of-theirs")))
    assume(secret not in others)  # a word that all settings show
    key = ApiKey(secret)
    shown = settings(api_key=key)
    for text in (str(key), repr(key), f"{key}", repr(shown), str(shown), f"{key!r:>40}"):
        assert secret not in text
    assert key.reveal() == secret


def test_a_key_is_not_pickled() -> None:
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(settings())


@pytest.mark.parametrize("secret", ["", " ", "a ", "\na", "a\0b", "a\x7fb"])
def test_a_key_that_was_copied_badly_is_refused_without_being_shown(secret: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        ApiKey(secret)
    assert not secret.strip() or secret not in str(caught.value)


def test_equal_keys_are_equal_and_different_keys_tell_apart() -> None:
    assert ApiKey("one") == ApiKey("one")
    assert hash(ApiKey("one")) == hash(ApiKey("one"))
    assert ApiKey("one") != ApiKey("two")
    assert ApiKey("one") != "one"
    assert ApiKey("one").fingerprint != ApiKey("two").fingerprint


def test_a_key_of_a_service_is_taken_as_it_is() -> None:
    key = ApiKey("k3y")
    assert Settings.from_env("http://127.0.0.1:1", key).api_key is key


def test_settings_change_nothing_and_refuse_unknown_options() -> None:
    first = settings()
    assert first.with_options(max_workers=8).max_workers == 8
    assert first.max_workers == 4
    with pytest.raises(TypeError):
        first.with_options(max_worker=8)
    with pytest.raises(InvalidInputError, match="max_workers is 0"):
        first.with_options(max_workers=0)


def test_a_directory_without_a_name_is_called_by_its_host() -> None:
    assert settings().name == "directory.example"
    assert settings(name="Example").name == "Example"


def test_the_folders_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
    assert (cache_folder(), data_folder()) == (tmp_path / "cache", tmp_path / "data")


def test_a_folder_below_the_home_of_the_user_may_begin_with_a_tilde(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", "~/cache")  # as systemd hands it over
    monkeypatch.setenv("DIRFRAME_DATA_DIR", "~/data")
    assert (cache_folder(), data_folder()) == (tmp_path / "cache", tmp_path / "data")
    assert cache_folder("~/other") == tmp_path / "other"
    with dirframe.sample_directory(cache_dir=Path("~/sample")) as directory:
        assert directory.settings.cache_dir == tmp_path / "sample"


def test_the_folders_are_the_system_s_own_unless_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DIRFRAME_CACHE_DIR")
    monkeypatch.delenv("DIRFRAME_DATA_DIR")
    assert cache_folder().name == data_folder().name == "dirframe"
    assert cache_folder() != data_folder()


def test_a_host_that_is_spelt_in_other_letters_is_refused_with_what_to_write() -> None:
    # Its form on the wire is another one, so redirects and cached pages would not be recognized.
    with pytest.raises(ConfigurationError, match="xn--"):
        Settings(base_url="https://bücher.example", api_key=ApiKey("k"))
    assert Settings(base_url="https://xn--bcher-kva.example", api_key=ApiKey("k")).base_url


@pytest.mark.parametrize(
    ("key", "unmistakable"),
    [
        ("f3a9c1d07b5e4826", True),
        ("k3y+M4RKED/s&cr=t~0123456789", True),
        ("Ohloh", False),
        ("internationalization", False),
        ("1234567890123456", False),
        ("a1a1a1a1a1a1a1a1", False),
    ],
)
def test_a_key_is_unmistakable_if_no_record_holds_it_by_chance(
    key: str, unmistakable: bool
) -> None:
    assert ApiKey(key).is_unmistakable is unmistakable


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"daily_quota": "5"}, "daily_quota is '5'; it must be a whole number from 1"),
        ({"daily_quota": float("nan")}, "daily_quota is nan; it must be a whole number from 1"),
        ({"max_workers": 1.5}, r"max_workers is 1\.5; it must be a whole number from 1"),
        ({"expire_after": "1d"}, "expire_after is '1d'; it must be a timedelta"),
        ({"expire_after": 86_400}, "expire_after is 86400; it must be a timedelta"),
    ],
    ids=str,
)
def test_a_setting_of_a_wrong_type_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        dirframe.Directory("https://d.example", "some-key", cache=False, **options)


def test_a_key_that_is_no_text_is_named_by_its_type_alone() -> None:
    number: Any = 1234567890123456
    with pytest.raises(ConfigurationError, match="must be text; got a int") as caught:
        dirframe.Directory("https://d.example", number, cache=False)
    assert str(number) not in str(caught.value)
