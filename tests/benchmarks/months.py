"""A harvest by ids of a directory that changes for days, killed twice a day, within this process.

::

    python -m tests.benchmarks.months [PROJECTS]

100,000 projects, 1,000 requests a day, 80 changes a day, a replica behind. `tests/archive/test_months.py` is
the same with 1,500.
"""

import sys
import tempfile
import warnings
from pathlib import Path
from time import perf_counter

import dirframe
from dirframe.provenance import get_provenance
from tests.rig.living import Living, harvest_over_days

PROJECTS = 100_000


def main(count):
    rig = Living(count, seed=1)
    bound = rig.newest
    begin = perf_counter()
    with tempfile.TemporaryDirectory() as name, rig.in_process():
        days, kills = harvest_over_days(rig, Path(name), quota=1_000, kills_a_day=2)
        seconds = perf_counter() - begin
        archive = dirframe.open_archive(Path(name) / "kept.archive")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dirframe.AnalysesNotSentWarning)
            ids = set()
            for chunk in archive.chunks():
                ids |= set(map(int, chunk["id"]))
                walk = get_provenance(chunk)["walk"]
        print(archive)
    requests, floor = len(rig.requests), count / 25
    print(f"{requests:,} requests in {days} days with {kills} kills, {seconds:,.0f} s")
    print(f"at most {1.01 * floor + 5 + kills:,.0f}; floor {floor:,.0f}")
    lost = {number for number in rig.throughout if number <= bound} - ids
    print(f"lost: {len(lost)}, that never existed: {len(ids - rig.ever)}")
    print(f"bound {walk['bound']:,}, totals {walk['items_available']}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PROJECTS)
