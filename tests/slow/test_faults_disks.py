"""Disks that are full or read-only, and damaged files: a warning says so, and the load goes on."""

import shutil
import sqlite3
import subprocess
import sys
import warnings
from contextlib import closing

import pytest

import dirframe
from tests import processes
from tests.faults import LINE, load, stored
from tests.rig.server import Rig


@pytest.fixture
def rig():
    with Rig(55) as rig:
        yield rig


@pytest.fixture(scope="module")
def _mounts():
    """Skip where a process may not mount a file system for itself alone."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    command = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a file system, so no disk can be full or read-only")


def run_mounted(rig, folder, shell):
    """Run the line in a process of its own, after a shell has prepared its folder."""
    line = [sys.executable, "-c", LINE, rig.url, rig.key, str(folder), "1"]
    command = ["unshare", "--mount", "sh", "-ec", f'{shell}\nexec "$@"', "sh", *line]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=processes.LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr
    *warned, last = done.stdout.splitlines()
    assert last == f"True {len(rig.records)}"
    return set(warned)


@pytest.mark.usefixtures("_mounts")
def test_full_disk_of_the_cache_is_warned_of_and_the_load_goes_on(tmp_path):
    with Rig(3_000, size=100) as rig:
        warned = run_mounted(rig, tmp_path, f"mount -t tmpfs -o size=128k tmpfs {tmp_path}")
        assert "CacheWarning" in warned
        assert len(rig.requests) == 31


@pytest.mark.usefixtures("_mounts")
def test_disk_that_fills_up_under_the_count_does_not_end_the_load(rig, tmp_path):
    data = tmp_path / "data"
    shell = (
        f"mkdir {data}; mount -t tmpfs -o size=48k tmpfs {data}; "
        f"head -c 40k /dev/zero > {data}/other || true"
    )
    assert "QuotaWarning" in run_mounted(rig, tmp_path, shell)


@pytest.mark.usefixtures("_mounts")
def test_read_only_folder_is_warned_of_and_the_load_goes_on(rig, tmp_path):
    with rig.directory(tmp_path) as directory:
        load(directory)  # both files are there
    rig.forget()
    warned = run_mounted(rig, tmp_path, f"mount -t tmpfs -o ro tmpfs {tmp_path}")
    assert warned == {"CacheWarning", "QuotaWarning"}
    assert len(rig.requests) == 6


def damaged_in_the_middle(file):
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle - 6_000 : middle + 6_000] = b"\xa5" * 12_000
    file.write_bytes(content)


def empty(file):
    file.write_bytes(b"")


def folder_in_its_place(file):
    file.unlink()
    file.mkdir()


def wrong_entries(file):
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE responses SET value = x'00ff' WHERE rowid % 2")


@pytest.mark.parametrize(
    "damage", [damaged_in_the_middle, empty, folder_in_its_place, wrong_entries]
)
def test_damaged_cache_gives_no_wrong_record_and_stops_nothing(damage, rig, tmp_path):
    with rig.directory(tmp_path) as directory:
        load(directory)
    rig.forget()
    file = dirframe.cache_info(tmp_path / "cache").file
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
    damage(file)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert load(rig.directory(tmp_path)) == rig.ids
    assert len(rig.requests) <= 7
    assert {one.category for one in warned} <= {dirframe.CacheWarning}


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
