"""A load or a harvest that is stopped at random moments goes on by the same line."""

import multiprocessing
import os
import signal
import time
from contextlib import suppress
from random import Random

import pandas as pd
import pytest

import dirframe
from tests.processes import LIMIT
from tests.rig.server import Rig

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

MOMENTS = 25
WORKERS = 4
_LOADED = multiprocessing.get_context("forkserver" if hasattr(os, "fork") else "spawn")
_LOADED.set_forkserver_preload(
    ["dirframe.archive.archive", "dirframe.client.loaders", "tests.slow.test_stops"]
)


def opened(folder, url, key):
    os.environ["DIRFRAME_DATA_DIR"] = str(folder / "data")
    return dirframe.Directory(url, key, name="rig", cache=folder / "cache", workers=WORKERS)


def load(directory, folder):
    return dirframe.load_projects(directory, progress=False)


def harvest(directory, folder):
    return dirframe.harvest("projects", folder / "kept.archive", directory=directory).frame()


def work(job, folder, url, key):
    """Do a job in a process of its own, which receives Ctrl-C as one in a terminal does."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        with opened(folder, url, key) as directory:
            job(directory, folder)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the job is done


def stop(job, number, rig, folder, after, pause):
    """Start a job, and send its process a signal after some requests and a pause."""
    connections = rig.connections
    process = _LOADED.Process(target=work, args=(job, folder, rig.url, rig.key))
    process.start()
    while process.is_alive() and len(rig.requests) < after:
        time.sleep(0.001)
    time.sleep(pause)
    with suppress(ProcessLookupError):  # it is done
        os.kill(process.pid, number)
    process.join(LIMIT)
    assert process.exitcode in {0, -number}
    rig.settle(connections)


#: Requests that are sent again at most: those in flight; a harvest reads the page before each gap, too,
#: from which records may have moved into it.
MOST_AGAIN = {load: WORKERS, harvest: 2 * WORKERS}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("job", [load, harvest])
def test_job_that_is_stopped_at_random_moments_goes_on_by_the_same_line(job, number, tmp_path):
    random = Random(f"{job.__name__} {number}")
    with Rig(295) as rig:
        with opened(tmp_path / "whole", rig.url, rig.key) as directory:
            expected = job(directory, tmp_path / "whole")
        paid = len(rig.requests)
        in_the_middle, faults = 0, {}
        for moment in range(MOMENTS):
            rig.forget()
            folder = tmp_path / str(moment)
            folder.mkdir()
            stop(job, number, rig, folder, random.randrange(1, paid), random.random() / 50)
            sent = len(rig.requests)
            in_the_middle += 0 < sent < paid
            with opened(folder, rig.url, rig.key) as directory:
                counted = directory.quota().used
                frame = job(directory, folder)
            again = len(rig.requests) - paid
            # A request is counted before it is sent: a process that ends at once may have counted what
            # all of its threads could not send any more, and with Ctrl-C what its main thread could not.
            most_counted = sent + (WORKERS if number == signal.SIGTERM else 1)
            if not sent <= counted <= most_counted or not 0 <= again <= MOST_AGAIN[job]:
                faults[moment] = {"sent": sent, "counted": counted, "again": again}
            pd.testing.assert_frame_equal(frame, expected)
    assert (faults, in_the_middle > MOMENTS / 2) == ({}, True)
