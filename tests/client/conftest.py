"""What the tests of the client share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dirframe.client.directory import Directory
from dirframe.settings import ApiKey, Settings
from tests.client import KEY, Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Callable[..., Directory]]:
    """Make directories on addresses, settings_of and with a cache of the test's own."""
    opened: list[Directory] = []

    def make(server: Server | str, key: str = KEY, **options: Any) -> Directory:
        manners: dict[str, Any] = {
            "cache_dir": tmp_path / "cache",
            "quota_dir": None,
            "retries": 0,
            "backoff": 0.0,
            "connect_timeout": 2.0,
            "read_timeout": 2.0,
        }
        settings = Settings(
            base_url=server if isinstance(server, str) else server.url,
            api_key=ApiKey(key),
            **(manners | options),
        )
        opened.append(Directory.from_settings(settings))
        return opened[-1]

    yield make
    for directory in opened:
        directory.close()
