"""Options of loaders and what belongs to them: one test each, that the main thing works."""

from datetime import UTC, datetime, timedelta

import pytest
import requests
import time_machine

import dirframe
from dirframe.errors import (
    InvalidInputError,
    StaleWarning,
)
from dirframe.provenance import get_provenance
from tests.rig import faults
from tests.rig.server import Rig, numbered
from tests.rig.today import Today


@pytest.fixture
def rig():
    with Rig(55).in_process() as opened:
        yield opened


def test_stale_takes_pages_of_any_age_with_a_warning(rig, tmp_path):
    past = datetime.now(UTC) - timedelta(days=90)
    with time_machine.travel(past), rig.directory(tmp_path) as directory:
        dirframe.load_projects(directory, progress=False)
    rig.forget()
    with rig.directory(tmp_path) as directory:
        for offline in (True, False):
            with pytest.warns(StaleWarning):
                frame = dirframe.load_projects(
                    directory, offline=offline, stale=True, progress=False
                )
            assert get_provenance(frame)["requests_cached"] == 6
    assert rig.requests == []


def test_wait_sleeps_until_the_quota_is_back(rig, tmp_path, monkeypatch):
    slept = []
    rig.on_page[3] = [faults.fails("slow down", 429, Retry_After="7")]
    with (
        time_machine.travel(datetime(2026, 3, 1, tzinfo=UTC), tick=False) as clock,
        rig.directory(tmp_path) as directory,
    ):
        monkeypatch.setattr("time.monotonic", lambda: sum(slept))
        monkeypatch.setattr("time.sleep", lambda pause: [slept.append(pause), clock.shift(pause)])
        frame = dirframe.load_projects(directory, wait=10, progress=False)
        assert frame["id"].tolist() == numbered(55)
        assert 7 <= sum(slept) <= 10
        assert rig.pages == [1, 2, 3, 3, 4, 5, 6]
        for wrong in (-1, "1h", float("nan")):
            with pytest.raises(InvalidInputError):
                dirframe.load_projects(directory, wait=wrong, progress=False)


def test_auth_signs_each_request_and_nothing_is_stored(rig, tmp_path):
    class Grant(requests.auth.AuthBase):
        def __call__(self, request):
            request.headers["Authorization"] = "Bearer token"
            return request

    with rig.directory(tmp_path, auth=Grant()) as directory:
        for _ in range(2):
            assert len(dirframe.load_projects(directory, max_items=10, progress=False)) == 10
    assert [asked.headers["Authorization"] for asked in rig.requests] == ["Bearer token"] * 2


def test_plan_exact_reads_the_pages_and_knows_the_price(tmp_path):
    question = {"sort": "project_name", "details": True}
    with Today(24).in_process() as today, today.directory(tmp_path) as directory:
        today.bare = {"4", "9"}
        price = dirframe.plan("projects", directory=directory, exact=True, **question)
        assert price.requests_used == len(today.requests) == 4
        assert price.requests_needed == price.requests_at_least == price.details == 22
        dirframe.load_projects(directory, progress=False, **question)
        assert len(today.requests) == 4 + 22
        with pytest.raises(InvalidInputError):
            dirframe.plan("projects", directory=directory, exact=True, refresh=True, **question)
