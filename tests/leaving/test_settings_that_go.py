"""The key from the keyring, and settings that become constants."""

import pytest

from dirframe import Directory

GOING = {
    "connect_timeout": 5.0, "total_timeout": 50.0, "min_bytes_per_second": 1.0, "slow_time": 3.0,
    "retries": 0, "backoff": 0.1, "max_backoff": 1.0, "max_response_bytes": 1_000,
}  # fmt: skip


def test_settings_are_taken_over_and_the_keyring_has_the_key(monkeypatch):
    settings = Directory("https://directory.example", "some-key", cache=False, **GOING).settings
    assert {name: getattr(settings, name) for name in GOING} == GOING
    keyring = pytest.importorskip("keyring", reason="keys in a keyring are an extra")
    kept = {("dirframe", "https://directory.example"): "a-key-that-is-kept"}
    monkeypatch.setattr(keyring, "get_password", lambda *where: kept.get(where))
    found = Directory("https://directory.example/").settings
    assert found.api_key.reveal() == "a-key-that-is-kept"
