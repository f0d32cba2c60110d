"""What takes processes, users or real time: forks, locks, files of others, rates, finalizers."""

import gc
import os
import sqlite3
import sys
import warnings
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest

import dirframe
from dirframe import Directory
from dirframe.errors import CacheWarning
from tests.processes import run
from tests.rig.server import KEY, Rig

FORKS = """
import os, sys, warnings
import dirframe
from dirframe.errors import QuotaWarning

warnings.simplefilter("error", QuotaWarning)  # a count that is lost
warnings.simplefilter("ignore", DeprecationWarning)
os.environ["DIRFRAME_DATA_DIR"] = sys.argv[2]
service = dirframe.serve()
directory = dirframe.Directory(
    service.url, service.api_key, cache=sys.argv[1], workers=1
)
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
    done = run(tmp_path / "cache", tmp_path / "data", program=FORKS)
    assert (done.err, done.out.split()) == ("", [str(3 * 3 + 3 * 5 * 3 + 3)])


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="looks into Linux's /proc")
def test_directory_that_nobody_closes_leaves_no_file_open(tmp_path, monkeypatch):
    def open_files():
        links = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
        return [name for name in links if name.startswith(str(tmp_path))]

    with Rig(3) as rig:
        monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
        directory = Directory(rig.url, KEY, cache=tmp_path / "cache")  # the rig would keep its own
        for _ in range(2):  # it may be closed, and is opened again
            assert len(directory.projects(progress=False)) == 3
            assert open_files()
            directory.close()
            assert not open_files()
        directory.projects(progress=False)
        assert open_files()
        del directory
        gc.collect()
        assert not open_files()


@pytest.mark.parametrize(("mode", "when"), [("IMMEDIATE", "during"), ("EXCLUSIVE", "before")])
def test_cache_file_that_another_program_locks_holds_nobody_up(mode, when, tmp_path):
    with Rig(250) as rig:
        with rig.directory(tmp_path) as directory:
            dirframe.load_projects(directory, max_items=1, progress=False)
        file = dirframe.cache_info(tmp_path / "cache").file
        with closing(sqlite3.connect(file, check_same_thread=False)) as locker:
            if when == "before":
                locker.execute(f"BEGIN {mode}")
            else:
                rig.edits[2] = lambda ids: (locker.execute(f"BEGIN {mode}"), ids)[1]
            with rig.directory(tmp_path, workers=4) as directory:
                begin = monotonic()
                with pytest.warns(CacheWarning) as caught:
                    frame = dirframe.load_projects(directory, progress=False)
        assert len(frame) == 250
        assert len([one for one in caught if one.category is CacheWarning]) == 1
        assert monotonic() - begin < 60


@pytest.mark.skipif(sys.platform != "linux", reason="root may write everything but this")
def test_cache_file_that_may_not_be_written_holds_nobody_up(tmp_path):
    """requests-cache itself would try for ever; a process of another user proves that we do not."""
    program = """
import os, sys, warnings
import dirframe
from dirframe.errors import CacheWarning
os.environ["DIRFRAME_DATA_DIR"] = sys.argv[4]
with dirframe.Directory(sys.argv[1], sys.argv[2], cache=False) as one:
    dirframe.load_projects(one, progress=False)  # what is imported may be for its owner alone
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with dirframe.Directory(sys.argv[1], sys.argv[2], cache=sys.argv[3]) as one:
        assert len(dirframe.load_projects(one, progress=False)) == 5
assert CacheWarning in {w.category for w in caught}, caught
"""
    folder = tmp_path / "cache"
    with Rig(5) as rig:
        with rig.directory(tmp_path) as directory:
            dirframe.load_projects(directory, progress=False)
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
            done = run(rig.url, KEY, folder, tmp_path / "data", program=program)
        finally:
            folder.chmod(0o755)
    if "Permission" in done.err and "import" in done.err:
        pytest.skip("another user may not read this installation")
    assert (done.code, done.err) == (0, "")


def test_directory_keeps_the_rate():
    with Rig(5, size=1).in_process() as rig, rig.directory(rate=2.0) as directory:
        begin = monotonic()
        dirframe.load_projects(directory, progress=False)
        assert len(rig.pages) == 6
        assert monotonic() - begin >= 1.5


def test_directory_keeps_a_rate_below_one_a_second():
    with Rig(2, size=1).in_process() as rig, rig.directory(rate=0.2) as directory:
        begin = monotonic()
        dirframe.load_projects(directory, progress=False)
        assert monotonic() - begin >= 4.5


def test_polars_frame_is_taken_as_the_frame_it_was(sample):
    polars = pytest.importorskip("polars", reason="polars is an extra")
    projects = dirframe.load_projects(sample, max_items=50, progress=False)
    frame = polars.from_pandas(projects)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("tags", "licenses"):
            found, expected = (dirframe.child_table(one, name) for one in (frame, projects))
            assert found.equals(expected)
    with pytest.raises(dirframe.InvalidInputError):  # it has no source
        dirframe.cite(frame)
