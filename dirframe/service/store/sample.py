"""The bundled sample collection, and stores built from XML files and kept for the next time."""

from __future__ import annotations

import atexit
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from dirframe._sqlite import open_database
from dirframe.errors import StoreError
from dirframe.service.store.build import APPLICATION_ID, VERSION
from dirframe.service.store.importer import find_files
from dirframe.service.store.store import Store
from dirframe.settings import cache_folder

if TYPE_CHECKING:
    from dirframe.service.store.import_progress import OnFile

__all__ = ["open_data", "sample_files"]

_PACKAGE = Path(__file__).resolve().parents[2]
_NAMES = ("accounts.xml.gz", "projects.xml.gz")
_SQLITE = b"SQLite format 3\0"

_STORE, _SAMPLE = "store-", "sample-"
_LONGEST_BUILD = 86_400  # seconds


def sample_files() -> list[Path]:
    """Return the files of the sample collection: in the wheel, or beside the package.

    Raises
    ------
    StoreError
        They are in neither place.
    """
    for folder in (_PACKAGE / "data", _PACKAGE.parent / "data"):
        files = [folder / name for name in _NAMES]
        if all(file.is_file() for file in files):
            return files
    raise StoreError(
        f"The sample data ({' and '.join(_NAMES)}) is not beside the package: this is a broken "
        "installation. Install dirframe again, or name your own data."
    )


def open_data(data: Path | None = None, *, on_file: OnFile | None = None) -> Store:
    """Open a store, or XML files as one.

    Parameters
    ----------
    data
        A store that was built before, an XML file or a folder of XML files; left out: the
        bundled sample. A store built from XML is kept in the cache folder under the digest
        of the files, so that the same files are imported once. To build one removes those that
        an older version of dirframe has left there, unless a process has them open.
    on_file
        Is told of each file that is imported, if files have to be.

    Returns
    -------
    Store
        The open store.

    Raises
    ------
    StoreError
        There are no such files, or they are neither a store nor the interface's XML.
    """
    if data is not None and _is_database(data):
        return Store(data)
    files = sample_files() if data is None else find_files([data])
    name = f"{_SAMPLE if data is None else _STORE}{_digest(files)}.sqlite"
    try:
        folder = cache_folder() / "stores"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        # The person's cache cannot be written, which is no reason not to serve.
        folder = Path(tempfile.mkdtemp(prefix="dirframe-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    kept = folder / name
    if kept.exists():
        try:
            return _held(Store(kept))
        except StoreError:
            pass  # damaged: built anew
    store = _held(Store.build(kept, files, on_file=on_file))
    _prune(kept)
    return store


def _held(store: Store) -> Store:
    try:
        store.hold()
    except StoreError:
        store.close()
        raise
    return store


def _prune(kept: Path) -> None:
    """Remove what nothing will ask for again beside a new store, where nobody has it open.

    That is stores of an older version, other samples, and what a build left that was killed.
    """
    for file in kept.parent.iterdir():
        with suppress(OSError, sqlite3.Error):
            if file.name.startswith((f".{_STORE}", f".{_SAMPLE}")):
                if file.stat().st_mtime < time.time() - _LONGEST_BUILD:
                    file.unlink()
            elif file != kept and file.name.startswith((_STORE, _SAMPLE)):
                another = file.name.startswith(_SAMPLE) and kept.name.startswith(_SAMPLE)
                _remove(file, whatever_version=another)


def _remove(file: Path, *, whatever_version: bool) -> None:
    with closing(open_database(file, mode="rw", timeout=0)) as database:
        (application,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if application == APPLICATION_ID and (whatever_version or version < VERSION):
            database.execute("BEGIN EXCLUSIVE")  # fails where somebody holds the store
            file.unlink()


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(_SQLITE)) == _SQLITE


def _digest(files: list[Path]) -> str:
    digest = sha256(f"store version {VERSION}".encode())
    for file in files:
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
        digest.update(b"\0")
    return digest.hexdigest()[:24]
