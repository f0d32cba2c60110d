"""What is paid for is kept, on the live service as it is today, and over days."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

import dirframe
from dirframe.errors import IncompleteCollectionError, QuotaExceededError
from dirframe.provenance import get_provenance
from tests.rig.server import Rig, numbered
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


def test_load_of_a_collection_that_grows_daily_is_counted(tmp_path):
    rig = Rig(1000, size=10)
    frame = load_daily(rig, tmp_path, days=2, each_day=lambda ids: [*ids, "new"])
    assert frame["id"].tolist() == [*numbered(1000), "new"]
    assert len(rig.pages) <= 105
    facts = get_provenance(frame)
    assert (facts["completeness"], facts["complete"]) == ("counted", None)
    assert "2026-11-02" in facts["incomplete_reason"]
    assert "2026-11-03" in facts["incomplete_reason"]
    assert "not proven" in dirframe.cite(frame)


def test_load_of_a_collection_that_grows_in_front_keeps_what_it_paid_for(tmp_path):
    rig = Rig(1000, size=10)
    with pytest.raises(IncompleteCollectionError) as caught:
        load_daily(rig, tmp_path, days=2, each_day=lambda ids: ["new", *ids])
    assert caught.value.frame["id"].tolist() == numbered(1000)
    assert "1,001" in caught.value.missing
    assert len(rig.pages) <= 105


def test_load_of_a_few_pages_of_yesterday_asks_for_them_again_if_they_do_not_fit(tmp_path):
    with Rig(100, size=10).in_process() as rig:
        for day, change in enumerate([list, lambda ids: ["new", *ids]]):
            with time_machine.travel(START + timedelta(days=day)):
                rig.edit(change)
                with rig.directory(tmp_path) as directory:
                    frame = dirframe.load_projects(
                        directory, max_items=None if day else 20, progress=False
                    )
    assert frame["id"].tolist() == rig.ids
    assert len(rig.pages) == 2 + 9 + 2
    assert get_provenance(frame)["completeness"] == "proven"
