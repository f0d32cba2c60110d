"""What takes its time: every fault, full and read-only disks, real time-outs, locks, forks."""

import gc
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from time import monotonic

import pytest

import dirframe
from tests import processes
from tests.faults import LINE, after_fault, error_of, load, stored
from tests.faults.test_charges import (  # noqa: F401  # fixtures
    authority,
    certificates,
    encrypted,
    trusted,
)
from tests.faults.test_faults import (  # with more examples
    test_load_is_a_whole_state_of_the_collection_or_is_said_not_to_be as test_schedules,
)
from tests.faults.test_key import (
    test_no_key_is_written_anywhere_whatever_goes_wrong as test_no_key_is_written,
)
from tests.processes import open_files
from tests.rig import faults
from tests.rig.server import KEY, Rig

__all__ = ["test_no_key_is_written", "test_schedules"]


@pytest.mark.parametrize("workers", [1, 4, 16])
def test_every_damaged_response_is_an_error_and_only_missing_pages_are_paid_for(
    workers, rig, tmp_path
):
    names = faults.DAMAGED | faults.MISLED | faults.SLOW
    failures = [after_fault(rig, tmp_path / name, name, workers=workers) for name in names]
    assert not any(failures), failures


# Disks


@pytest.fixture
def run_mounted(tmp_path):
    """Run the line in a process of its own, after a shell has mounted something for it alone."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    command = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a file system, so no disk can be full or read-only")

    def run(rig, shell):
        line = [sys.executable, "-c", LINE, rig.url, rig.key, str(tmp_path), "1", "1000"]
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-ec", f'{shell}\nexec "$@"', "sh", *line],
            capture_output=True,
            text=True,
            timeout=processes.LIMIT,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        *warned, last = done.stdout.splitlines()
        assert last == f"True {len(rig.records)}"
        return set(warned)

    return run


def test_disk_that_fills_up_under_the_count_does_not_end_the_load(run_mounted, rig, tmp_path):
    data = tmp_path / "data"
    mount = f"mkdir {data}; mount -t tmpfs -o size=48k tmpfs {data}"
    fill = f"head -c 40k /dev/zero > {data}/other || true"
    assert "QuotaWarning" in run_mounted(rig, f"{mount}; {fill}")


def test_read_only_folder_is_warned_of_and_the_load_goes_on(run_mounted, rig, tmp_path):
    with rig.directory(tmp_path) as directory:
        load(directory)  # both files are there
    rig.forget()
    warned = run_mounted(rig, f"mount -t tmpfs -o ro tmpfs {tmp_path}")
    assert warned == {"CacheWarning", "QuotaWarning"}
    assert len(rig.requests) == 6


def test_cache_of_another_version_is_left_alone(rig, tmp_path):
    with rig.directory(tmp_path) as directory:
        file = dirframe.cache_info(tmp_path / "cache").file
        other = file.with_name(file.name.replace("2", "7"))
        other.parent.mkdir(exist_ok=True)
        other.write_bytes(b"this is not a database " * 500)
        before = other.read_bytes()
        assert load(directory) == rig.ids
    assert other.read_bytes() == before
    assert stored(tmp_path) == 6


# Time-outs


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("kind", ["rig", "encrypted"])
def test_trickle_is_ended_after_four_time_outs_and_charged_once(kind, request):
    rig = request.getfixturevalue(kind)
    rig.always = faults.drip_body
    directory = rig.directory(timeout=0.2)
    begin = monotonic()
    assert type(error_of(directory)) is dirframe.NetworkError
    assert 0.8 <= monotonic() - begin < 5
    assert directory.quota().used == len(rig.requests) == 1


def test_response_that_is_whole_as_its_time_ends_is_kept(rig):
    def whole_at_last(exchange):
        exchange.send(exchange.head(Content_Length=str(len(exchange.body))))
        for part in (exchange.body[:-3], *(exchange.body[n : n + 1] for n in (-3, -2))):
            exchange.send(part)
            exchange.closing.wait(0.3)
        exchange.send(exchange.body[-1:])

    rig.faults.append(whole_at_last)
    assert load(rig.directory(timeout=0.4)) == rig.ids
    assert len(rig.requests) == 6


def test_pause_before_a_whole_response_or_body_is_no_trickle(rig):
    def pausing(exchange):
        exchange.send(exchange.head(Content_Length=str(len(exchange.body))))
        exchange.closing.wait(1.0)
        exchange.send(exchange.body)

    rig.faults.extend([faults.late(1.0), pausing])
    assert load(rig.directory(timeout=2.0)) == rig.ids


def test_connection_that_takes_too_long_costs_nothing(rig):
    with ExitStack() as stack:
        full = stack.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        for _ in range(4):  # the queue of those that nobody accepts
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", port))
        directory = rig.directory(url=f"http://127.0.0.1:{port}", timeout=0.3)
        assert type(error_of(directory)) is dirframe.NetworkError
    assert directory.quota().used == 0


@pytest.mark.parametrize("rate", [2.0, 0.3])
def test_directory_keeps_the_rate(rate):
    with Rig(3, size=1).in_process() as rig, rig.directory(rate=rate) as directory:
        begin = monotonic()
        load(directory)
        assert monotonic() - begin >= 0.9 * (len(rig.pages) - 1) / rate


# Locks, users, forks


def test_count_that_another_program_locks_is_warned_of_and_the_load_goes_on(rig, tmp_path):
    with rig.directory(tmp_path) as directory:
        load(directory, refresh=True)
    [file] = (tmp_path / "data").glob("*.sqlite")
    with closing(sqlite3.connect(file)) as database:
        database.execute("BEGIN EXCLUSIVE")
        begin = monotonic()
        with pytest.warns(dirframe.QuotaWarning) as caught:  # after some time
            assert load(rig.directory(tmp_path, workers=4), refresh=True) == rig.ids
    assert [one.category for one in caught] == [dirframe.QuotaWarning]
    assert monotonic() - begin < 60


@pytest.mark.skipif(sys.platform != "linux", reason="root may write everything but this")
def test_cache_file_that_may_not_be_written_holds_nobody_up(tmp_path):
    """requests-cache itself would try for ever; a process of another user proves that we do not."""
    other_user = """
import os, sys, dirframe
with dirframe.Directory(sys.argv[1], sys.argv[2], cache=False) as one:
    dirframe.load_projects(one, progress=False)  # what is imported may be for its owner alone
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
"""
    folder = tmp_path / "cache"
    with Rig(5) as rig:
        with rig.directory(tmp_path) as directory:
            load(directory)
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        for parent in tmp_path.parents:
            if parent.owner() == tmp_path.owner() and (
                "pytest" in parent.name or "dirframe" in parent.name
            ):
                parent.chmod(0o755)
        tmp_path.chmod(0o755)
        try:
            done = processes.run(rig.url, KEY, tmp_path, 1, 1000, program=other_user + LINE)
        finally:
            folder.chmod(0o755)
    if "Permission" in done.err and "import" in done.err:
        pytest.skip("another user may not read this installation")
    assert (done.code, done.err) == (0, "")
    assert "CacheWarning" in done.out


FORKS = """
import os, sys, warnings
import dirframe

warnings.simplefilter("error", dirframe.QuotaWarning)  # a count that is lost
warnings.simplefilter("ignore", DeprecationWarning)
os.environ["DIRFRAME_DATA_DIR"] = sys.argv[2]
service = dirframe.serve()
directory = dirframe.Directory(service.url, service.api_key, cache=sys.argv[1], workers=1)
sorts = ["id", "name", "created_at"]

def load(sort, **options):
    return directory.accounts(sort=sort, max_items=75, progress=False, **options)["id"].tolist()

expected = {sort: load(sort) for sort in sorts}
children = []
for sort in sorts:
    children.append(os.fork())
    if not children[-1]:
        for _ in range(5):
            assert load(sort, refresh=True) == expected[sort]
        sys.exit(0)
assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
load("id", refresh=True)
print(directory.quota().used)
directory.close()
service.stop()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_directory_in_a_forked_process_has_its_own_connections_and_the_same_count(tmp_path):
    done = processes.run(tmp_path / "cache", tmp_path / "data", program=FORKS)
    assert (done.err, done.out.split()) == ("", [str(3 * 3 + 3 * 5 * 3 + 3)])


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="looks into Linux's /proc")
def test_directory_that_nobody_closes_leaves_no_file_open(tmp_path, monkeypatch):
    with Rig(3) as rig:
        monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
        # The rig would keep its own.
        directory = dirframe.Directory(rig.url, KEY, cache=tmp_path / "cache")
        for _ in range(2):  # it may be closed, and is opened again
            assert len(load(directory)) == 3
            assert open_files(tmp_path)
            directory.close()
            assert not open_files(tmp_path)
        load(directory)
        assert open_files(tmp_path)
        del directory
        gc.collect()
        assert not open_files(tmp_path)
