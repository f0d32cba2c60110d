"""What a load without a directory opens is closed after it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import dirframe
from dirframe.client.connection import Connection, client_or_default
from tests.client import KEY, Server, page_xml, record
from tests.open_files import open_files

if TYPE_CHECKING:
    from pathlib import Path

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


def test_a_directory_that_nobody_closes_leaves_no_file_open(tmp_path: Path) -> None:
    with Server(lambda _: page_xml([record("1")], available=1, first=0)) as server:
        directory = dirframe.Directory(
            server.url, KEY, cache_dir=tmp_path / "cache", quota_dir=tmp_path / "data"
        )
        assert len(directory.projects(progress=False)) == 1
        directory.close()
        assert len(directory.projects(progress=False)) == 1  # it is opened again
        assert open_files(tmp_path)
        session = directory.session  # keeps alive what has to be closed
        del directory
        gc.collect()
        assert open_files(tmp_path) == set()
        assert session is not None
