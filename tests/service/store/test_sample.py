"""The bundled sample, found where it is and built once."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import requests
from lxml import etree

from dirframe.errors import InvalidInputError, StoreError
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.server import serve
from dirframe.service.store import sample
from dirframe.service.store.build import VERSION
from dirframe.service.store.sample import open_data, sample_files
from dirframe.service.store.store import Store
from dirframe.service.synthetic.generate import generate

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.service.importing.progress import OnFile


def test_the_sample_is_served_as_synthetic_and_whole() -> None:
    with open_data() as store:
        assert store.synthetic
        assert (store.count(ACCOUNT), store.count(PROJECT)) == (2_000, 1_500)
        for resource in (ACCOUNT, PROJECT):
            for fragment in store.page(resource).fragments:
                element = etree.fromstring(fragment)
                assert element.find("email_md5") is None
                required = [field.path[0] for field in resource.fields if field.required]
                assert all(element.findtext(name) for name in required)


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package whose sample is small: to build that of the real one takes seconds."""
    folder = tmp_path_factory.mktemp("small") / "dirframe"
    generate(folder / "data", accounts=30, projects=30)
    return folder


@pytest.fixture
def small(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "_PACKAGE", package)
    # One that is built removes that of another package from the cache.
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(package.parent / "cache"))


def test_the_sample_is_built_once(
    small: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path))
    with open_data() as store:
        path, made = store.path, store.path.stat().st_mtime_ns
    with open_data() as store:
        assert (store.path, store.path.stat().st_mtime_ns) == (path, made)
    with open_data(path) as store:  # a store is opened as it is
        assert store.path == path


def test_the_sample_lies_beside_the_package_or_in_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "dirframe"
    monkeypatch.setattr(sample, "_PACKAGE", package)
    with pytest.raises(StoreError, match="broken installation"):
        sample_files()
    for folder in (tmp_path / "data", package / "data"):
        folder.mkdir(parents=True)
        for name in ("accounts.xml.gz", "projects.xml.gz"):
            (folder / name).touch()
        assert sample_files()[0] == folder / "accounts.xml.gz"


def test_data_that_is_nowhere_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="nowhere"):
        open_data(tmp_path / "nowhere")


def set_version(store: Path, version: int) -> None:
    with closing(sqlite3.connect(store)) as database:
        database.execute(f"PRAGMA user_version = {version}")


def left_behind(folder: Path, name: str, version: int = VERSION) -> Path:
    """Put a store there as another dirframe made it."""
    with open_data() as store:
        other = folder / name
        other.write_bytes(store.path.read_bytes())
    set_version(other, version)
    return other


@pytest.fixture
def stores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where stores are kept, with that of the sample: a copy, for to build it takes seconds."""
    folder = tmp_path / "stores"
    folder.mkdir()
    with open_data() as store:
        shutil.copy(store.path, folder)
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path))
    return folder


def test_a_new_store_removes_what_older_versions_left(small: None, stores: Path) -> None:
    left_behind(stores, "store-old.sqlite", VERSION - 1)
    newer = left_behind(stores, "store-newer.sqlite", VERSION + 1)
    same = left_behind(stores, "store-same.sqlite")
    stranger, note = stores / "store-x.sqlite", stores / "note.txt"
    for file in (stranger, note):
        file.write_text("of somebody else")
    killed, building = stores / ".sample-1.sqlite.a", stores / ".sample-1.sqlite.b"
    for file in (killed, building):
        file.touch()
    os.utime(killed, (0, 0))
    next(stores.glob("sample-*.sqlite")).rename(stores / "sample-0.sqlite")
    open_data().close()
    left = set(stores.iterdir())
    assert {newer, same, stranger, note, building} <= left
    assert not {file.name for file in left} & {"store-old.sqlite", "sample-0.sqlite", killed.name}
    assert len(list(stores.glob("sample-*.sqlite"))) == 1


HOLDER = """
import sys
from pathlib import Path
from dirframe.schema import ACCOUNT
from dirframe.service.store.sample import open_data

with open_data() as store:
    print(store.path, flush=True)
    sys.stdin.readline()
    print(store.count(ACCOUNT), store.path.is_file())
"""


def test_a_store_that_a_process_has_open_stays(stores: Path) -> None:
    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        held = Path(holder.stdout.readline().strip())
        before = {*stores.iterdir()}
        sample._prune(stores / "sample-newer.sqlite")
        assert {*stores.iterdir()} == before == {held}
        assert holder.communicate("\n")[0].split() == ["2000", "True"]
    sample._prune(stores / "sample-newer.sqlite")
    assert not held.exists()


def test_a_store_that_is_removed_at_the_last_instant_is_built_again(
    small: None, package: Path, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = Store.lock_shared

    def after_it_was_removed(store: Store) -> None:
        monkeypatch.undo()
        monkeypatch.setattr(sample, "_PACKAGE", package)
        monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(stores.parent))
        store.path.unlink()
        hold(store)

    monkeypatch.setattr(Store, "lock_shared", after_it_was_removed)
    with open_data() as store:
        assert store.path.is_file()
        assert store.count(ACCOUNT) == 30


def test_a_disk_without_locks_is_served_from_all_the_same(
    stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def without_locks(database: Any, **options: Any) -> sqlite3.Connection:
        if str(database).endswith("mode=ro"):
            raise sqlite3.OperationalError("disk I/O error")
        return connect(database, **options)

    monkeypatch.setattr(sqlite3, "connect", without_locks)
    with open_data() as store:
        assert store.count(ACCOUNT) == 2_000
    assert len(list(stores.iterdir())) == 1


def served(path: Path, on_file: OnFile | None = None) -> str:
    with serve(path, on_file=on_file) as url:
        return requests.get(f"{url}/healthz", timeout=60).text


OLD, NEW = "id,name\n1,a\n", "id,name\n1,a\n2,b\n"


def test_a_file_that_is_replaced_while_it_is_imported_is_imported_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "accounts.csv"
    replacements = iter([NEW])

    def replace(done: int, total: int, records: int) -> None:
        if done == 0:
            path.write_text(next(replacements, path.read_text()))

    path.write_text(OLD)
    assert "2 accounts" in served(path, replace)
    path.write_text(OLD)
    assert "1 accounts" in served(path)
    # A row that does not fit is refused only if it is still there.
    path.write_text("id,name\n/,a\n")
    replacements = iter([OLD])
    assert "1 accounts" in served(path, replace)


def test_files_that_never_stop_changing_are_refused_and_not_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "data"
    folder.mkdir()

    def add(done: int, total: int, records: int) -> None:
        if done == total:
            (folder / f"{total}.xml").write_text("<response><result></result></response>")

    add(0, 0, 0)
    with pytest.raises(StoreError, match="The files changed while they were imported, 3 times"):
        served(folder, add)
    assert len(list(folder.iterdir())) == 4
    assert not list((tmp_path / "cache" / "stores").iterdir())
