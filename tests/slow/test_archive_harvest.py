"""Harvests: many histories, kills at any instant, a disk that fills up anywhere, one that lasts."""

import random
from datetime import timedelta

import pyarrow.parquet as pq
import pytest
import time_machine
from hypothesis import given

import dirframe
from tests import processes
from tests.archive.histories import BEGIN, HISTORIES, LINE, check_history, ids_of
from tests.rig import faults
from tests.rig.server import Rig


@given(**HISTORIES)
def test_harvest_calls_proven_only_what_there_is(**history):
    check_history(**history)


@pytest.mark.parametrize("seed", range(3))
def test_harvest_killed_again_and_again_loses_nothing_and_counts_nothing_twice(seed, tmp_path):
    chance = random.Random(seed)
    with Rig(305) as rig:
        rig.always = faults.late(0.01)
        for _ in range(3):
            number, pause = chance.randrange(2, 8), chance.random() * 0.02
            line = (LINE, rig.url, rig.key, tmp_path / "a", 2)
            processes.kill_after_requests(rig, number, *line, pause=pause)
        paid = len(rig.requests)
        kept = dirframe.open_archive(tmp_path / "a").status().pages
        # A new process reads the last page again, to compare; lost is what was on its way.
        assert paid - 3 * 3 <= kept <= paid
        archive = dirframe.harvest("projects", tmp_path / "a", directory=rig.directory())
        assert archive.status().complete
        assert ids_of(archive) == rig.ids
        assert len(rig.requests) <= paid + 31 - kept + 4


@pytest.mark.parametrize("room", [200, 20_000, 45_000])  # nothing at all, the tables, some pages
def test_full_disk_is_said_and_leaves_what_was_kept(room, tmp_path):
    pytest.importorskip("resource", reason="this system knows no RLIMIT_FSIZE")
    limit = (
        "import resource, signal, sys; sys.dont_write_bytecode = True; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
    )
    with Rig(3_000, size=300) as rig:
        outcome = processes.run(rig.url, rig.key, tmp_path / "a", 2, program=limit + LINE)
        rig.settle()
        paid, kept = len(rig.requests), 0
        if room > 30_000:
            kept = dirframe.open_archive(tmp_path / "a").status().pages
            assert kept
        archive = dirframe.harvest("projects", tmp_path / "a", directory=rig.directory())
        assert outcome.code == 1
        assert "ArchiveError" in outcome.err
        assert ids_of(archive) == rig.ids
        # A worker's page may have come before the one in front of it.
        assert len(rig.requests) - paid <= 10 - kept + 2 + 3
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["a"]


def test_harvest_over_days_and_kills_pays_for_little_twice(tmp_path):
    with Rig(1_005) as rig:
        rig.always = faults.late(0.005)
        for number in range(3):
            line = (LINE, rig.url, rig.key, tmp_path / "a", 2)
            processes.kill_after_requests(rig, 10 + number, *line)
        rig.always = None
        for day in range(1, 20):
            with time_machine.travel(BEGIN + timedelta(days=365 + day)):
                try:
                    directory = rig.directory(tmp_path / "folder", daily_quota=20)
                    archive = dirframe.harvest("projects", tmp_path / "a", directory=directory)
                except dirframe.QuotaExceededError:
                    continue
                break
        assert archive.status().completeness == "counted"
        assert ids_of(archive) == rig.ids
        assert len(rig.requests) <= 101 + 3 * 3 + day + 2


def test_parquet_of_many_records_has_row_groups(tmp_path):
    rig = Rig(12_000, size=25)
    with rig.in_process(), rig.directory() as directory:
        archive = dirframe.harvest("projects", tmp_path / "a", directory=directory)
    file = pq.ParquetFile(archive.to_parquet(tmp_path / "x.parquet"))
    assert (file.num_row_groups, file.metadata.num_rows) == (2, 12_000)
