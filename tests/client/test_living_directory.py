"""What is paid for is kept, on the live service as it is today, and over days."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

import dirframe
from dirframe.errors import QuotaExceededError
from dirframe.provenance import get_provenance
from tests.rig.today import Today

START = datetime(2026, 11, 2, 9, tzinfo=UTC)


def load_daily(rig, folder, *, days, each_day=None, **options):
    """Load projects at 60 requests a day, as a person repeats a line; only the last day ends."""
    with rig.in_process():
        for day in range(days):
            # A little later each day, when the quota has returned.
            with time_machine.travel(START + timedelta(days=day, minutes=day)):
                if each_day and day:
                    rig.edit(each_day)
                with rig.directory(folder, daily_quota=60) as directory:
                    if day < days - 1:
                        with pytest.raises(QuotaExceededError):
                            dirframe.load_projects(directory, progress=False, **options)
                    else:
                        return dirframe.load_projects(directory, progress=False, **options)


def test_load_of_own_pages_beyond_the_quota_asks_for_each_once(tmp_path):
    rig = Today(160)
    frame = load_daily(rig, tmp_path, days=3, sort="project_name", details=True)
    assert set(frame["id"]) == set(rig.ids)
    assert frame["analysis__id"].notna().all()
    own = [request for request in rig.requests if request.path.startswith("/p/")]
    assert len(own) == 160
    assert get_provenance(frame)["completeness"] == "proven"  # the collection is of one day
