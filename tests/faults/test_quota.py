"""The daily quota over real HTTP: counted once, believed, shared, and never slept through."""

import time
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest

import dirframe
from tests import processes
from tests.faults import error_of, load
from tests.rig import faults
from tests.rig.server import Rig

DAY, SOON = timedelta(days=1), timedelta(minutes=1)

#: What a person runs in a process: URL, key, folder of the cache, folder of the count, quota.
LINE = """
import os, sys, dirframe
url, key, cache, data, quota = sys.argv[1:]
os.environ["DIRFRAME_DATA_DIR"] = data
options = {"cache": cache, "daily_quota": int(quota)}
with dirframe.Directory(url, key, **options) as directory:
    dirframe.load_projects(directory, progress=False)
"""


@pytest.fixture
def slept(monkeypatch):
    """Note what the client sleeps, and do not sleep it."""
    pauses, sleep = [], time.sleep
    monkeypatch.setattr(time, "sleep", lambda s: sleep(s) if s < 0.1 else pauses.append(s))
    return pauses


@pytest.mark.filterwarnings("ignore::dirframe.errors.QuotaWarning")
def test_own_quota_ends_a_load_before_the_directory_s_does(rig, slept, tmp_path):
    directory = rig.directory(tmp_path, daily_quota=4)
    error = error_of(directory)
    assert isinstance(error, dirframe.QuotaExceededError)
    assert abs(error.resets_at - datetime.now(UTC) - DAY) < SOON
    assert error.status is None
    assert len(rig.requests) == 4
    quota = directory.quota()
    assert (quota.limit, quota.used, quota.left) == (4, 4, 0)
    assert slept == []


def test_retry_is_counted_and_never_exceeds_the_quota(rig):
    rig.always = faults.reset_before
    directory = rig.directory(daily_quota=3)
    assert isinstance(error_of(directory), dirframe.NetworkError)
    assert len(rig.requests) == 3
    assert isinstance(error_of(directory), dirframe.QuotaExceededError)
    assert len(rig.requests) == 3


@pytest.mark.parametrize("workers", [1, 4])
def test_refusal_of_the_directory_is_believed_by_all_that_come_after(workers, slept, tmp_path):
    with Rig(55, daily_limit=3) as rig:
        error = error_of(rig.directory(tmp_path, workers=workers))
        assert isinstance(error, dirframe.QuotaExceededError)
        assert error.status == 429
        requests = len(rig.requests)
        other = rig.directory(tmp_path)
        assert other.quota().left == 0
        error = error_of(other)
        assert (type(error), error.status) == (dirframe.QuotaExceededError, None)
        assert len(rig.requests) == requests
        # Somebody else's count knows nothing of it, and pays only for what is missing.
        rig.daily_limit = None
        rig.forget()
        anew = rig.directory(tmp_path, data=tmp_path / "other")
        assert load(anew) == rig.ids
        assert len(rig.pages) == 3
    assert slept == []


def test_refusal_blocks_the_key_for_a_day_at_most(rig, slept, tmp_path):
    for name in [
        *("401 over the limit, today", "429", "429 with a date"),
        "429 for ten thousand years",
    ]:
        rig.on_page[3] = [faults.REFUSALS[name]]
        directory = rig.directory(tmp_path / name)
        error = error_of(directory)
        assert isinstance(error, dirframe.QuotaExceededError), name
        assert error.resets_at is not None
        assert directory.quota().resets_at <= datetime.now(UTC) + DAY + SOON
    assert slept == []


def test_time_of_the_reset_is_what_the_directory_says(rig, slept):
    rig.always = faults.REFUSALS["429 with seconds"]  # 3,600
    error = error_of(rig.directory())
    assert abs(error.resets_at - datetime.now(UTC) - timedelta(hours=1)) < SOON
    assert len(rig.requests) == 1
    assert slept == []


def test_refused_key_costs_nothing_and_is_not_taken_for_the_limit(rig):
    directory = rig.directory(key="unknown to the service")
    assert isinstance(error_of(directory), dirframe.InvalidKeyError)
    assert directory.quota().used == 0
    assert load(rig.directory()) == rig.ids


def test_two_keys_have_their_own_count_and_share_pages(rig, tmp_path):
    load(rig.directory(tmp_path))
    other = rig.directory(tmp_path, key="another")
    assert load(other) == rig.ids
    assert len(rig.requests) == 6
    assert other.quota().used == 0


def test_pages_from_the_cache_are_free(rig, tmp_path):
    directory = rig.directory(tmp_path, daily_quota=6)
    for _ in range(5):
        assert load(directory) == rig.ids
    assert len(rig.requests) == 6
    assert directory.quota().left == 0


@pytest.mark.filterwarnings("ignore::dirframe.errors.QuotaWarning")
def test_threads_share_a_quota_to_the_last_request(rig, tmp_path):
    rig.always = faults.late(0.005)
    directory = rig.directory(tmp_path, daily_quota=5, workers=16)
    assert isinstance(error_of(directory), dirframe.QuotaExceededError)
    assert len(rig.requests) == 5


def test_two_processes_at_once_never_exceed_the_quota_they_share(rig, tmp_path):
    rig.always = faults.late(0.01)
    with ExitStack() as both:
        lines = [
            both.enter_context(
                processes.start(
                    *(rig.url, rig.key, tmp_path / name, tmp_path / "data", 5), program=LINE
                )
            )
            for name in ("one", "two")
        ]
        errors = [line.communicate(timeout=processes.LIMIT)[1] for line in lines]
    assert all("QuotaExceededError" in text for text in errors)
    assert len(rig.requests) == 5
    assert rig.directory(tmp_path, daily_quota=5).quota().left == 0


def test_plan_says_the_price_that_is_then_paid(rig, tmp_path):
    directory = rig.directory(tmp_path)
    price = dirframe.plan("projects", directory=directory)
    assert (price.pages, price.pages_cached, price.requests_used) == (6, 1, 1)
    load(directory)
    assert len(rig.requests) == 1 + price.requests_needed == 6
