"""Whatever write a process ends at, what it leaves is whole, and going on gives what is right.

A job is ended before its first write, before its second, and so on. What is a write does not depend
on what a job writes with: files, their names and statements to SQLite are seen as the interpreter
calls them. The processes are copies of one that has the modules loaded and has one thread.
"""

import multiprocessing
import os
import shutil
import sys
import threading
import warnings
from itertools import count

import pandas as pd
import pytest

import dirframe
from dirframe.service.keys import Counted, KeyStore
from dirframe.service.store import open_data
from tests.faults import load as load_all
from tests.rig.server import Rig, page_xml

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

ENDED = 77
_LOADED = multiprocessing.get_context("forkserver" if hasattr(os, "fork") else "spawn")
_LOADED.set_forkserver_preload(
    [
        "dirframe.archive.archive",
        "dirframe.client.loaders",
        "dirframe.io.export",
        "dirframe.quality.summary",
        "pyarrow.parquet",
        "tests.slow.test_crashes",
    ]
)

_FILES = frozenset({"write", "replace", "rename", "link", "unlink", "mkdir", "ftruncate"})
_STATEMENTS = frozenset({"execute", "executemany", "executescript", "commit", "__exit__"})


def end_at(step):
    """End this process, without a last word, at its n-th write.

    Of a transaction two instants count: when it is open, and when it is committed.
    """
    left, within = step, set()

    def watch(_, event, called):
        nonlocal left
        owner = getattr(called, "__self__", None)
        home = getattr(owner, "__name__", type(owner).__module__)
        if home == "sqlite3" and called.__name__ in _STATEMENTS:
            database = getattr(owner, "connection", owner)
            key = id(database)
            if event == "c_call" and database.in_transaction and key not in within:
                within.add(key)
            elif event == "c_return" and not database.in_transaction:
                within.discard(key)
            else:
                return
        elif event != "c_call" or not (
            (home == "posix" and called.__name__ in _FILES)
            or (home == "_io" and called.__name__ in {"flush", "close"})
        ):
            return
        left -= 1
        if not left:
            os._exit(ENDED)

    threading.setprofile(watch)
    sys.setprofile(watch)


def run_to(step, job, *arguments):
    end_at(step)
    job(*arguments)
    sys.setprofile(None)


def end_everywhere(base, job, check, *arguments):
    """End a job in a copy of a folder at each of its writes; return how many there are.

    Each time `check` is called with the copy: it looks at what is left, and goes on.
    """
    base.mkdir(exist_ok=True)
    failures = []
    for step in count(1):
        folder = base.with_name(f"step-{step}")
        shutil.copytree(base, folder)
        process = _LOADED.Process(target=run_to, args=(step, job, folder, *arguments))
        process.start()
        process.join()
        if process.exitcode not in {0, ENDED}:
            failures.append(f"write {step}: the job itself fails with {process.exitcode}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", dirframe.IncompleteWarning)
                check(folder)
        except Exception as error:  # noqa: BLE001  # all that is wrong is told at the end
            failures.append(f"write {step}: {error!r}")
        shutil.rmtree(folder)
        if process.exitcode != ENDED:
            assert not failures
            return step - 1
    raise AssertionError


@pytest.fixture
def small():
    """Serve 15 projects on two pages."""
    with Rig(15) as rig:
        yield rig


def open_directory(folder, url, key):
    os.environ["DIRFRAME_DATA_DIR"] = str(folder / "data")
    return dirframe.Directory(url, key, name="rig", cache=folder / "cache", workers=1)


# Loads


def load(folder, url, key):
    with open_directory(folder, url, key) as directory:
        return load_all(directory)


def test_load_ended_at_any_write_goes_on(small, tmp_path):
    def check(folder):
        assert load(folder, small.url, small.key) == small.ids

    assert end_everywhere(tmp_path / "base", load, check, small.url, small.key) >= 10


# Archives


def harvest(folder, url, key):
    with open_directory(folder, url, key) as directory:
        return dirframe.harvest("projects", folder / "a", directory=directory)


def test_harvest_ended_at_any_write_goes_on(small, tmp_path):
    def check(folder):
        try:
            archive = dirframe.open_archive(folder / "a")
            left = archive.frame()
        except dirframe.ArchiveError:
            left = None  # nothing was kept yet
        else:
            assert str(archive.status())
            complete = left.attrs["dirframe"]["complete"]
            assert complete or left.attrs["dirframe"]["incomplete_reason"]
            assert left["id"].is_unique
            assert set(left["id"]) <= set(small.ids)
            assert len(left) == len(small.ids) or (len(left) and not complete)
        archive = harvest(folder, small.url, small.key)
        assert sorted(archive.frame()["id"]) == sorted(small.ids)
        assert archive.status().complete
        archive.verify()

    assert end_everywhere(tmp_path / "base", harvest, check, small.url, small.key) >= 12


# Exports


def of(size):
    ids = pd.Series([str(number) for number in range(size)], dtype="str")
    return pd.DataFrame({"id": ids, "tags": [["a", f"b{size}"]] * size})


def export(folder, suffix, size=3):
    dirframe.export(of(size), folder / f"f{suffix}", overwrite=True)


@pytest.mark.parametrize("old", [False, True], ids=["new", "replacing"])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_export_ended_at_any_write_leaves_the_old_file_or_the_new_one(suffix, old, tmp_path):
    (tmp_path / "base").mkdir()
    if old:
        export(tmp_path / "base", suffix, 2)

    def size(folder):
        frame = dirframe.read_table(folder / f"f{suffix}")
        pd.testing.assert_frame_equal(frame, of(len(frame)))
        return len(frame)

    def check(folder):
        if old or (folder / f"f{suffix}").exists():
            assert size(folder) in ([2, 3] if old else [3])
        export(folder, suffix)
        assert size(folder) == 3

    assert end_everywhere(tmp_path / "base", export, check, suffix) >= 2


# The service


def add_key(folder):
    with KeyStore(folder / "keys.sqlite") as keys:
        key = keys.add("Ann", "App")
        keys.charge(key)
        keys.revoke(keys.records()[0]["id"])


def test_keys_are_whole_at_any_write(tmp_path):
    def check(folder):
        with KeyStore(folder / "keys.sqlite") as keys:
            before = len(keys.records())
            key = keys.add("Bob", "App")
            assert keys.charge(key) == Counted()
            assert len(keys.records()) == before + 1

    assert end_everywhere(tmp_path / "base", add_key, check) >= 4


def build(folder):
    os.environ["DIRFRAME_CACHE_DIR"] = str(folder / "cache")
    open_data(folder / "projects.xml")


def test_store_is_there_whole_or_not_at_all_at_any_write(tmp_path, monkeypatch):
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "projects.xml").write_bytes(page_xml(Rig(30).records))

    def check(folder):
        monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(folder / "cache"))
        with (
            dirframe.serve(folder / "projects.xml") as service,
            service.directory() as directory,
        ):
            assert len(dirframe.load_projects(directory, progress=False)) == 30
            assert len(dirframe.load_projects(directory, query="project", progress=False)) == 30

    assert end_everywhere(tmp_path / "base", build, check) >= 6
