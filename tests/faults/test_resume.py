"""Whatever ends a load, the same line again pays only for the missing pages.

And whatever is wrong with the files of the cache and of the count of requests, a warning says
so, the load goes on, and the frame is whole.
"""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import warnings
from contextlib import closing
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest

import dirframe
from dirframe.client.http.cache import CACHE_FILE
from dirframe.client.http.quota import QUOTA_FILE
from dirframe.errors import CacheWarning, QuotaWarning
from tests.faults import faults
from tests.faults.conftest import ROOT
from tests.faults.service import KEY, FaultyService, Shelf, numbered
from tests.faults.test_outcomes import load, stored
from tests.forked import start_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dirframe.client.http.client import FetchedPage
    from tests.faults.conftest import Ask

#: What a person runs in a process of its own: base URL, folder, number of workers.
LINE = f"""
import sys, warnings
from pathlib import Path
import dirframe
from dirframe.client.directory import Directory
from dirframe.settings import ApiKey, Settings
url, folder, workers = sys.argv[1:]
settings = Settings(
    base_url=url, api_key=ApiKey({KEY!r}), cache_dir=Path(folder) / "cache",
    quota_dir=Path(folder) / "data", max_workers=int(workers),
)
with warnings.catch_warnings(record=True) as warned, Directory.from_settings(settings) as place:
    warnings.simplefilter("always")
    frame = dirframe.load_projects(directory=place, progress=False)
for warning in warned:
    print(warning.category.__name__, warning.message)
print("complete:", frame.attrs["dirframe"]["complete"], len(frame))
"""


def run(
    service: FaultyService, folder: Path, *, workers: int = 1, before: str = "", shell: str = ""
) -> str:
    """Run the line in another process and return what it says; `shell` prepares its folder."""
    command = [sys.executable, "-c", before + LINE, service.url, str(folder), str(workers)]
    if shell:
        command = ["unshare", "--mount", "sh", "-ec", f'{shell}\nexec "$@"', "sh", *command]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def mounts() -> None:
    """Skip where a process may not mount a file system for itself alone."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    tried = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
        capture_output=True,
        check=False,
    )
    if tried.returncode:
        pytest.skip("this user may not mount a file system, so no disk can be full or read-only")


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("after", [1, 7, 20])
def test_after_a_kill_the_same_line_pays_only_for_the_missing_pages(
    after: int, workers: int, tmp_path: Path, ask: Ask
) -> None:
    with FaultyService(Shelf(numbered(305), size=10)) as service:  # 31 pages
        service.always = faults.late(0.01)
        process = start_program(LINE, service.url, str(tmp_path), str(workers))
        while process.is_alive() and len(service.asked) <= after:
            sleep(0.002)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        service.settle()
        asked = len(service.asked)
        service.forget()
        directory = ask(service)
        kept = stored(directory)
        # Lost is at most what was on its way, one request a worker.
        assert asked - workers - 1 <= kept <= asked
        assert load(directory) == numbered(305)
        assert len(service.asked) == 31 - kept
        # Both processes count together; what was on its way may be counted and not have come.
        spent = directory.settings.daily_quota - directory.session.quota.remaining()
        assert 0 <= spent - asked - len(service.asked) <= workers


def test_after_an_interruption_by_the_person_nothing_is_paid_twice(
    service: FaultyService, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = ask(service)

    real = directory.session.get

    def get(*asked: Any) -> FetchedPage:
        if len(service.asked) == 4:
            raise KeyboardInterrupt
        return real(*asked)

    with monkeypatch.context() as patch:
        patch.setattr(directory.session, "get", get)
        with pytest.raises(KeyboardInterrupt):
            load(directory)
    assert load(directory) == numbered(55)
    assert service.pages == [1, 2, 3, 4, 5, 6]


def test_a_full_disk_is_warned_of_and_the_load_goes_on(mounts: None, tmp_path: Path) -> None:
    with FaultyService(Shelf(numbered(3_000), size=100)) as service:
        shell = f"mount -t tmpfs -o size=128k tmpfs {tmp_path}"
        said = run(service, tmp_path, shell=shell)
        assert "complete: True 3000" in said
        assert "CacheWarning" in said
        assert len(service.asked) == 31


def test_a_disk_that_fills_up_under_the_count_does_not_end_the_load(
    mounts: None, tmp_path: Path, service: FaultyService
) -> None:
    data = tmp_path / "data"
    shell = (
        f"mkdir {data}; mount -t tmpfs -o size=48k tmpfs {data}; "
        f"head -c 40k /dev/zero > {data}/other || true"
    )
    said = run(service, tmp_path, shell=shell)
    assert "complete: True 55" in said
    assert "QuotaWarning" in said


def test_a_read_only_folder_is_warned_of_and_the_load_goes_on(
    mounts: None, tmp_path: Path, service: FaultyService, ask: Ask
) -> None:
    load(ask(service))  # both files are there
    service.forget()
    said = run(service, tmp_path, shell=f"mount -t tmpfs -o ro tmpfs {tmp_path}")
    assert "complete: True 55" in said
    assert "CacheWarning" in said
    assert "QuotaWarning" in said
    assert len(service.asked) == 6


def test_files_beyond_the_allowed_size_are_warned_of_and_the_load_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="this system knows no RLIMIT_FSIZE")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))\n"
    with FaultyService(Shelf(numbered(3_000), size=100)) as service:
        said = run(service, tmp_path, before=limit)
        assert "complete: True 3000" in said
        assert "CacheWarning" in said
        assert len(service.asked) == 31


def garbage(file: Path) -> None:
    file.write_bytes(b"this is not a database " * 500)


def damaged_in_the_middle(file: Path) -> None:
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle - 6_000 : middle + 6_000] = b"\xa5" * 12_000
    file.write_bytes(content)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def folder_in_its_place(file: Path) -> None:
    file.unlink()
    file.mkdir()


def other_tables(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE responses (something TEXT)")


def wrong_entries(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE responses SET value = x'00ff' WHERE rowid % 2")


def cut_entries(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE responses SET value = substr(value, 1, length(value) - 20)")


DAMAGES = [
    garbage,
    damaged_in_the_middle,
    cut,
    empty,
    folder_in_its_place,
    other_tables,
    wrong_entries,
    cut_entries,
]


def checkpointed(file: Path) -> Path:
    """Put what stands in the write-ahead log into the file itself."""
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA journal_mode = DELETE")
    return file


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_gives_no_wrong_record_and_stops_nothing(
    damage: Callable[[Path], None], service: FaultyService, ask: Ask
) -> None:
    first = ask(service)
    load(first)
    folder = first.settings.cache_dir
    assert folder is not None
    first.close()
    service.forget()
    damage(checkpointed(folder / CACHE_FILE))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert load(ask(service)) == numbered(55)
    assert len(service.asked) <= 7
    assert {warning.category for warning in warned} <= {CacheWarning}
    # Either it is warned of, or it was mended by the way.
    service.forget()
    if not warned:
        assert load(ask(service)) == numbered(55)
        assert service.asked == []


@pytest.mark.parametrize("damage", [garbage, cut, empty, folder_in_its_place])
def test_a_damaged_count_of_requests_stops_nothing(
    damage: Callable[[Path], None], service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    ask(service).session.close()
    damage(checkpointed(tmp_path / "data" / QUOTA_FILE))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert load(ask(service)) == numbered(55)
    assert {warning.category for warning in warned} <= {QuotaWarning}
    assert warned or damage is empty


def test_the_count_may_break_while_it_is_used(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    directory = ask(service, max_workers=4)
    dirframe.plan("projects", directory=directory)
    with closing(sqlite3.connect(tmp_path / "data" / QUOTA_FILE)) as database, database:
        [(table,)] = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        database.execute(f"DROP TABLE {table}")
    with pytest.warns(QuotaWarning) as warned:
        assert load(directory) == numbered(55)
    assert len(warned) == 1


@pytest.fixture
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dirframe.client.http.cache._TIMEOUT", 0.2)
    monkeypatch.setattr("dirframe.client.http.quota._TIMEOUT", 0.2)


@pytest.fixture
def locked(tmp_path: Path, service: FaultyService, ask: Ask) -> Iterator[Path]:
    """Let another process hold both files, for as long as the test takes."""
    ask(service).session.close()
    with (
        closing(sqlite3.connect(tmp_path / "cache" / CACHE_FILE)) as cache,
        closing(sqlite3.connect(tmp_path / "data" / QUOTA_FILE)) as count,
    ):
        cache.execute("BEGIN EXCLUSIVE")
        count.execute("BEGIN EXCLUSIVE")
        yield tmp_path


def test_locked_files_are_warned_of_and_the_load_goes_on(
    short_patience: None, locked: Path, service: FaultyService, ask: Ask
) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert load(ask(service)) == numbered(55)
    assert {warning.category for warning in warned} == {CacheWarning, QuotaWarning}
    assert len(service.asked) == 6


def test_a_cache_of_another_version_is_left_alone(service: FaultyService, ask: Ask) -> None:
    directory = ask(service)
    folder = directory.settings.cache_dir
    assert folder is not None
    folder.mkdir()
    other = folder / CACHE_FILE.replace("1", "7")
    garbage(other)
    before = other.read_bytes()
    assert load(directory) == numbered(55)
    assert other.read_bytes() == before
    assert stored(directory) == 6
