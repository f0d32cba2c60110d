"""What a load without a directory opens is closed after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.client.connection import Connection, client_or_default
from tests.client import KEY

if TYPE_CHECKING:
    import pytest


def test_what_was_opened_for_one_load_is_closed_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIRFRAME_BASE_URL", "https://d.example")
    monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
    closed: list[object] = []

    def close(self: Connection) -> None:
        closed.append(self)

    monkeypatch.setattr(Connection, "close", close)
    with client_or_default(None) as directory:
        assert directory.settings.base_url == "https://d.example"
        assert closed == []
    assert closed == [directory]
    with client_or_default(directory) as same:
        assert same is directory
    assert closed == [directory]
