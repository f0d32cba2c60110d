"""End a job at each of its writes in turn, go on, and say what is wrong afterwards.

Run in a process of its own (`tests.faults.worker`), which has one thread and so can be forked: the
modules are loaded once, and each job is a copy that ends at its n-th write. What is a write does not depend on what
a job writes with: files and their names, and statements to SQLite, are seen as the interpreter
calls them.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import threading
import traceback
import warnings
from contextlib import suppress
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

import dirframe
from dirframe.archive.store import Store
from dirframe.client.directory import Directory
from dirframe.errors import ArchiveError, StoreError
from dirframe.service.api_keys import KeyStore
from dirframe.service.store.build import build_store
from dirframe.service.store.store import Store as DirectoryStore
from dirframe.settings import ApiKey, Settings
from tests.faults.service import KEY

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    #: Does something in a folder; what it is told comes from the test.
    Step = Callable[[Path, dict[str, Any]], None]

ENDED = 77

_FILES = frozenset({"write", "replace", "rename", "link", "unlink", "mkdir", "ftruncate"})

#: By where they are from. What leaves the disk as it is (a write to a buffer, a sync) is none.
_WRITES = {
    "posix": _FILES,
    "_io": frozenset({"flush"}),
    "sqlite3": frozenset({"execute", "executemany", "executescript", "commit"}),
}
#: What an archive reads, and the rows of a transaction: its disk is what it was until the commit.
_ROWS = {one.__code__ for one in (Store.read, Store.insert, Store._add_page, Store._update)}


def end_at(step: int) -> None:
    """End this process, without a last word, before its n-th write."""
    left = step

    def watch(frame: FrameType, event: str, called: Any) -> None:
        nonlocal left
        if event != "c_call":
            return
        if frame.f_code in _ROWS:
            return
        owner = getattr(called, "__self__", None)
        home = getattr(owner, "__name__", type(owner).__module__)
        if called.__name__ in _WRITES.get(home, frozenset()):
            left -= 1
            if not left:
                os._exit(ENDED)

    threading.setprofile(watch)
    sys.setprofile(watch)


def in_fork(act: Callable[[], None]) -> tuple[int, str]:
    """Do something in a copy of this process; return its code, and what went wrong."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        code = 1
        try:
            act()
            code = 0
        except BaseException:  # noqa: BLE001  # the test tells it
            os.write(writing, traceback.format_exc()[-1_500:].encode())
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        said = stream.read().decode()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said


def load_what_is_needed(base: Path, act: Step, check: Step, told: dict[str, Any]) -> None:
    """Import here what the job imports on its way, so that not each copy has to."""

    def whole() -> None:
        folder = base.with_name("once")
        shutil.copytree(base, folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            act(folder, told)
            check(folder, told)
        (base.parent / "modules").write_text("\n".join(sys.modules), encoding="utf-8")

    code, said = in_fork(whole)
    assert not code, said
    for name in (base.parent / "modules").read_text(encoding="utf-8").split("\n"):
        with suppress(ImportError):
            import_module(name)


def crash_everywhere(job: str, folder: str, told: dict[str, Any]) -> dict[str, Any]:
    """Count the writes of a job, and list those after which something was wrong."""
    base, (act, check) = Path(folder), JOBS[job]
    load_what_is_needed(base, act, check, told)
    gc.freeze()
    wrong: list[str] = []
    for step in count(1):
        copy = base.with_name(f"step-{step}")
        shutil.copytree(base, copy)

        def crash(folder: Path = copy, step: int = step) -> None:
            end_at(step)
            act(folder, told)
            sys.setprofile(None)

        def look(folder: Path = copy) -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", dirframe.IncompleteWarning)
                check(folder, told)

        code, said = in_fork(crash)
        if code not in {0, ENDED}:
            wrong.append(f"write {step}: the job itself fails: {said or code}")
        after, said = in_fork(look)
        if after:
            wrong.append(f"write {step}: {said or after}")
        shutil.rmtree(copy)
        if code != ENDED:
            return {"writes": step - 1, "wrong": wrong}
    raise AssertionError


# -- archives ------------------------------------------------------------------------------


def _directory(told: dict[str, Any], folder: Path | None = None) -> Directory:
    return Directory.from_settings(
        Settings(
            base_url=told["url"],
            api_key=ApiKey(KEY),
            name="faulty",
            cache_dir=folder and folder / "cache",
            quota_dir=folder and folder / "data",
            max_workers=1,
        )
    )


def _harvest(folder: Path, told: dict[str, Any]) -> None:
    with _directory(told) as directory:
        dirframe.harvest("projects", folder / "a", directory=directory)


def _update(folder: Path, told: dict[str, Any]) -> None:
    with _directory(told) as directory:
        dirframe.update(folder / "a", directory=directory)


def _names(frame: pd.DataFrame) -> dict[str, str]:
    assert frame["id"].is_unique
    return dict(zip(frame["id"], frame["name"], strict=True))


def _look_between(folder: Path, told: dict[str, Any]) -> None:
    """An archive that was left gives a state that was, or says that it is not all."""
    before, now = told["before"], told["now"]
    try:
        archive = dirframe.open_archive(folder / "a")
        frame = archive.frame()
    except ArchiveError:
        assert not before, "what was kept cannot be opened"
        return
    found = _names(frame)
    assert str(archive.status())
    if frame.attrs["dirframe"]["complete"]:
        assert found in (before, now), f"complete, with {len(found)} records"
    else:
        assert frame.attrs["dirframe"]["incomplete_reason"]
        assert found, "no records"
        assert found.keys() >= before.keys() & now.keys(), f"{len(found)} records"
    if before:
        assert archive.status().records == len(found)


def _gone_on(folder: Path, told: dict[str, Any], go_on: Step) -> None:
    _look_between(folder, told)
    go_on(folder, told)
    archive = dirframe.open_archive(folder / "a")
    frame = archive.frame()
    assert (len(frame), frame.attrs["dirframe"]["incomplete_reason"]) == (len(told["now"]), None)
    assert _names(frame) == told["now"]
    assert archive.status().complete
    archive.verify()


def _harvested(folder: Path, told: dict[str, Any]) -> None:
    _gone_on(folder, told, _harvest)


def _updated(folder: Path, told: dict[str, Any]) -> None:
    _gone_on(folder, told, _update)


def _bundle(folder: Path, told: dict[str, Any]) -> None:
    dirframe.bundle(folder / "a", folder / "study.zip", overwrite=True)


def _bundled(folder: Path, told: dict[str, Any]) -> None:
    file = folder / "study.zip"
    if file.exists():
        assert _names(dirframe.open_bundle(file).frame()) == told["now"]
    _bundle(folder, told)
    assert _names(dirframe.open_bundle(file).frame()) == told["now"]


def _to_parquet(folder: Path, told: dict[str, Any]) -> None:
    dirframe.open_archive(folder / "a").to_parquet(folder / "parts")


def _parted(folder: Path, told: dict[str, Any]) -> None:
    if not (folder / "parts").exists():
        _to_parquet(folder, told)
    parts = [pd.read_parquet(one) for one in sorted((folder / "parts").glob("*.parquet"))]
    assert _names(pd.concat(parts)) == told["now"]


# -- loads and the page cache --------------------------------------------------------------


def _load(folder: Path, told: dict[str, Any]) -> None:
    with _directory(told, folder) as directory:
        assert _names(dirframe.load_projects(directory=directory, progress=False)) == told["now"]


# -- exports -------------------------------------------------------------------------------


def _frame(size: int) -> pd.DataFrame:
    ids = pd.Series([str(number) for number in range(size)], dtype="str")
    return pd.DataFrame({"id": ids, "tags": [["a", f"b{size}"]] * size})


def _export(folder: Path, told: dict[str, Any]) -> None:
    dirframe.export(_frame(3), folder / f"f{told['suffix']}", overwrite=True)


def _exported(folder: Path, told: dict[str, Any]) -> None:
    """What stands there is the old file or the new one, whole; the same line again is the new."""
    file = folder / f"f{told['suffix']}"
    if file.exists():
        assert _is_export(file) in told["sizes"]
    _export(folder, told)
    assert _is_export(file) == 3


def _is_export(file: Path) -> int:
    if file.suffix in {".html", ".md"}:
        text = file.read_text(encoding="utf-8")
        assert text.rstrip().endswith("</html>") or file.suffix == ".md"
        return 3 if "b3" in text else 2
    frame = dirframe.read_export(file)
    pd.testing.assert_frame_equal(frame, _frame(len(frame)))
    return len(frame)


# -- the service ---------------------------------------------------------------------------


def _add_key(folder: Path, told: dict[str, Any]) -> None:
    with KeyStore(folder / "keys.sqlite") as keys:
        key = keys.add("Ann", "App", daily_limit=5)
        keys.charge(key)
        keys.revoke(keys.list()[0].id)


def _key_added(folder: Path, told: dict[str, Any]) -> None:
    with KeyStore(folder / "keys.sqlite") as keys:
        before = len(keys.list())
        key = keys.add("Bob", "App", daily_limit=5)
        assert keys.charge(key).remaining == 4
        assert len(keys.list()) == before + 1


def _import(folder: Path, told: dict[str, Any]) -> None:
    build_store(folder / "store.sqlite", [folder / "projects.xml"])


def _imported(folder: Path, told: dict[str, Any]) -> None:
    from dirframe.schema import RESOURCES

    for _ in range(2):
        try:
            with DirectoryStore(folder / "store.sqlite") as store:
                assert store.count(RESOURCES["project"]) == 30
                assert store.page(RESOURCES["project"], query="name").fragments
        except StoreError:
            assert not (folder / "store.sqlite").exists()
        _import(folder, told)


JOBS: dict[str, tuple[Step, Step]] = {
    "harvest": (_harvest, _harvested),
    "update": (_update, _updated),
    "bundle": (_bundle, _bundled),
    "parquet": (_to_parquet, _parted),
    "load": (_load, _load),
    "export": (_export, _exported),
    "keys": (_add_key, _key_added),
    "import": (_import, _imported),
}
