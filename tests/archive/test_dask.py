"""A cluster that somebody has writes what one process writes, whatever happens to its workers."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow.parquet as pq
import pytest

import dirframe
from dirframe.archive import dask as dask_module
from dirframe.errors import ArchiveError, InvalidInputError, MissingExtraError
from tests.benchmarks.archives import write
from tests.faults.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGE = "analysis_main_language_name"

PROGRAM = """
import os, signal, sys, threading, time
from pathlib import Path
import dirframe
from dirframe.archive import archive as module
from distributed import Client, LocalCluster

if __name__ == "__main__":
    folder, to = sys.argv[1], Path(sys.argv[2])
    module._SHORT_TASK = 16
    archive = dirframe.open_archive(folder)
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        for workers, kill in [(1, "none"), (2, "gathered"), (2, "settled")]:
            cluster.scale(workers)
            client.wait_for_workers(workers)  # one that was killed is started again
            target = to / kill / "tables"
            target.parent.mkdir()
            pids = client.run(os.getpid)
            assert len(pids) == workers
            done = threading.Event()

            def killing():
                # As soon as there is something of this step, a worker is in the middle of it.
                unfinished = f".tables-*/{kill}-*/*"
                while not done.is_set() and not list(target.parent.glob(unfinished)):
                    time.sleep(0.002)
                os.kill(next(iter(pids.values())), signal.SIGKILL)

            killer = threading.Thread(target=killing)
            if kill != "none":
                killer.start()
            archive.to_parquet(
                target, partition_on="analysis_main_language_name", client=cluster.scheduler_address
            )
            assert kill == "none" or not killer.is_alive(), "nobody was killed in the middle"
            done.set()
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> dirframe.Archive:
    """Hold 2,500 projects on 100 pages: as many tasks as 10,000 are of 64 pages each."""
    folder = tmp_path_factory.mktemp("archive") / "kept"
    write(folder, 2_500)
    return dirframe.open_archive(folder)


@pytest.fixture(scope="module")
def alone(archive: dirframe.Archive) -> Path:
    return archive.to_parquet(archive.path.parent / "alone", partition_on=LANGUAGE)


@pytest.fixture(scope="module")
def written(archive: dirframe.Archive) -> Path:
    """Write the archive on one cluster: undisturbed, then each time with a worker killed."""
    pytest.importorskip("distributed", reason="Dask's scheduler is an extra")
    folder = archive.path.parent / "to"
    folder.mkdir()
    program = archive.path.parent / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, str(program), str(archive.path), str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, check=False, timeout=300, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("kill", ["none", "gathered", "settled"])
def test_the_rows_are_those_of_one_process_even_if_a_worker_is_killed(
    kill: str, written: Path, alone: Path
) -> None:
    target = written / kill / "tables"
    assert list(target.parent.iterdir()) == [target]  # nothing unfinished is left
    languages = sorted(path.name for path in alone.iterdir() if path.is_dir())
    assert sorted(path.name for path in target.iterdir() if path.is_dir()) == languages
    schemas = {
        str(pq.read_schema(file))
        for file in [*target.rglob("*"), *alone.rglob("*")]
        if file.is_file()
    }
    assert len(schemas) == 1
    for language in languages:  # in the same order, too
        assert pq.read_table(target / language).equals(pq.read_table(alone / language)), language
    assert len(pd.read_parquet(target, columns=["id"])) == 2_500


def test_workers_that_do_not_see_the_folders_are_named(
    archive: dirframe.Archive, tmp_path: Path
) -> None:
    from dirframe.archive.parquet import _gather
    from dirframe.archive.snapshot import ReadTask

    elsewhere = tmp_path / "elsewhere"
    with pytest.raises(ArchiveError, match=r"does not see .*choose one that all of them share"):
        _gather(elsewhere / ".x.part", None, list)
    task = ReadTask(
        path=elsewhere, bundle=False, resource="project", columns=None, facts={}, pages=[]
    )
    with pytest.raises(ArchiveError, match=r"does not see .*folder that all of them share"):
        next(task.frames())


def test_an_error_on_a_worker_is_that_of_one_process_and_leaves_nothing(
    archive: dirframe.Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask's scheduler is an extra")
    with (
        distributed.LocalCluster(
            processes=False, n_workers=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        with pytest.raises(InvalidInputError, match="no column of text 'stack_count'"):
            archive.to_parquet(tmp_path / "x", partition_on="stack_count", client=client)
        with pytest.raises(InvalidInputError, match="already exists"):
            archive.to_parquet(tmp_path, client=client)
        monkeypatch.setattr(dask_module, "__version__", "9.9")
        with pytest.raises(ArchiveError, match=r"has dirframe .*, and here is 9\.9"):
            archive.to_parquet(tmp_path / "x", client=client)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_cluster_is_refused(
    archive: dirframe.Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask's scheduler is an extra")
    with pytest.raises(InvalidInputError, match=r"client must be a distributed\.Client"):
        archive.to_parquet(tmp_path / "x", client=8786)  # type: ignore[arg-type]  # what must be refused
    import dask

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "0.1s"}),
        pytest.raises(ArchiveError, match=r"responds at tcp://127\.0\.0\.1:1 "),
    ):
        archive.to_parquet(tmp_path / "x", client="tcp://127.0.0.1:1")
    with pytest.raises(ArchiveError, match="No scheduler of Dask responds at nowhere"):
        archive.to_parquet(tmp_path / "x", client="nowhere")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"dirframe\[distributed\]"):
        archive.to_parquet(tmp_path / "x", client="tcp://127.0.0.1:1")
    assert list(tmp_path.iterdir()) == []
    assert distributed is not None
