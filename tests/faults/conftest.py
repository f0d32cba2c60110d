"""What the tests of faults share."""

from pathlib import Path

import pytest

from dirframe.client.directory import Directory
from dirframe.settings import ApiKey, Settings
from tests.faults.service import KEY, FaultyService, Shelf, numbered
from tests.rig.server import Rig

#: Here until their last users have the rig: ROOT, HASTY, Ask, service, ask, settings_of.
ROOT = Path(__file__).resolve().parent.parent.parent
HASTY = {"connect_timeout": 1.0, "read_timeout": 0.8, "total_timeout": 1.5}


@pytest.fixture
def rig():
    """Serve 55 projects on six pages of ten."""
    with Rig(55) as rig:
        yield rig


@pytest.fixture
def service():
    with FaultyService(Shelf(numbered(55), size=10)) as service:
        yield service


@pytest.fixture
def ask(tmp_path):
    made = []

    def make(service, **options):
        made.append(Directory.from_settings(settings_of(service, tmp_path, **options)))
        return made[-1]

    yield make
    for directory in made:
        directory.close()


def settings_of(service, folder, **options):
    manners = {
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
