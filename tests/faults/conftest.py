"""What the tests of faults share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dirframe.client.directory import Directory
from dirframe.settings import ApiKey, Settings
from tests.faults.service import KEY, FaultyService, Shelf, numbered
from tests.faults.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    #: Makes a directory on a service; options are those of `Settings`.
    Ask = Callable[..., Directory]


#: For services that do not answer: what is waited for else.
HASTY = {"connect_timeout": 1.0, "read_timeout": 0.8, "total_timeout": 1.5}

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    """Run what has to fork; started once, for its modules take seconds to load."""
    with Worker(ROOT) as worker:
        yield worker


@pytest.fixture
def service() -> Iterator[FaultyService]:
    """Serve 55 records on six pages of ten."""
    with FaultyService(Shelf(numbered(55), size=10)) as service:
        yield service


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    """Make directories on a service, with folders of the test's own."""
    made: list[Directory] = []

    def make(service: FaultyService | str, **options: Any) -> Directory:
        made.append(Directory.from_settings(settings_of(service, tmp_path, **options)))
        return made[-1]

    yield make
    for directory in made:
        directory.close()


def settings_of(service: FaultyService | str, folder: Path, **options: Any) -> Settings:
    """Settings with which a fault costs milliseconds, and a busy machine is no fault."""
    manners: dict[str, Any] = {
        "base_url": service if isinstance(service, str) else service.url,
        "name": "faulty",
        "cache_dir": folder / "cache",
        "quota_dir": folder / "data",
        "retries": 2,
        "backoff": 0.0,
        "max_backoff": 1.0,
        "connect_timeout": 30.0,
        "read_timeout": 30.0,
        "total_timeout": 60.0,
        "max_response_bytes": 2**20,
        "max_workers": 1,
        "daily_quota": 100_000,
    }
    key = ApiKey(options.pop("key", KEY))
    return Settings(api_key=key, **(manners | options))
