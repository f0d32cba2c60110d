"""A harvest by ids of a directory that changes for days: nothing is lost, nothing is paid twice."""

import pytest

import dirframe
from dirframe.errors import AnalysesNotSentWarning
from dirframe.provenance import get_provenance
from tests.cases import slow_except
from tests.rig.living import Living, harvest_over_days


@pytest.mark.parametrize("seed", slow_except([1, 2], [1]))
def test_harvest_by_ids_of_a_living_directory_is_proven_at_the_price_of_its_records(tmp_path, seed):
    """As `tests/benchmarks/months.py` with 100,000 projects: here each day has 80 changes in 20 requests."""
    count = 1_500
    rig = Living(count, seed)
    bound = rig.newest
    with rig.in_process():
        days, kills = harvest_over_days(rig, tmp_path, quota=20, kills_a_day=2)
        archive = dirframe.open_archive(tmp_path / "kept.archive")
        with pytest.warns(AnalysesNotSentWarning):
            frame = archive.frame()
    facts, ids = get_provenance(frame), set(map(int, frame["id"]))
    status = archive.status()
    assert (status.completeness, status.finished) == ("proven", True)
    assert not {number for number in rig.throughout if number <= bound} - ids
    assert not ids - rig.ever
    assert (days, kills) >= (4, 6)
    assert len(rig.requests) <= 1.01 * count / 25 + 5 + kills
    walk = facts["walk"]
    assert -4 <= walk["bound"] - bound <= 16  # of the first requests
    assert walk["items_available"][1] > walk["items_available"][0]
    assert len(walk["added_later"]) == 25  # the newest of them
    assert facts["retrieved_oldest"][:10] < facts["retrieved_newest"][:10]
