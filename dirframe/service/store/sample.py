"""The bundled sample data, and a cache of stores built from XML files."""

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

from dirframe._sqlite import close_on_error, open_database
from dirframe.errors import StoreError
from dirframe.service.store.build import APPLICATION_ID, VERSION
from dirframe.service.store.store import Store
from dirframe.service.store.xml_files import find_files
from dirframe.settings import cache_folder

if TYPE_CHECKING:
    from dirframe.service.store.import_progress import OnFile


_PACKAGE = Path(__file__).resolve().parents[2]
_NAMES = ("accounts.xml.gz", "projects.xml.gz")
_SQLITE = b"SQLite format 3\0"

_STORE, _SAMPLE = "store-", "sample-"
_LONGEST_BUILD = 86_400  # seconds


def sample_files() -> list[Path]:
    """Return the sample files, from the wheel or the checkout.

    Raises
    ------
    StoreError
        The files are missing.
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
        A store, an XML file or a folder of XML files. Default: the bundled sample. A store
        built from XML is cached under the digest of the files, so that they are imported once.
        Building a store removes those of older versions of dirframe from the cache, unless a
        process has them open.
    on_file
        Called for each file that is imported.

    Returns
    -------
    Store
        The open store.

    Raises
    ------
    StoreError
        The files are missing, or neither a store nor the interface's XML.
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
        # The service works without a writable cache folder too.
        folder = Path(tempfile.mkdtemp(prefix="dirframe-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    store_path = folder / name
    if store_path.exists():
        try:
            return _hold(Store(store_path))
        except StoreError:
            pass  # damaged: rebuild it
    store = _hold(Store.build(store_path, files, on_file=on_file))
    _prune(store_path)
    return store


def _hold(store: Store) -> Store:
    with close_on_error(store):
        store.lock_shared()
    return store


def _prune(store_path: Path) -> None:
    """Remove obsolete files beside a new store that no process has open.

    These are stores of older versions, other samples, and leftovers of killed builds.
    """
    for file in store_path.parent.iterdir():
        with suppress(OSError, sqlite3.Error):
            if file.name.startswith((f".{_STORE}", f".{_SAMPLE}")):
                if file.stat().st_mtime < time.time() - _LONGEST_BUILD:
                    file.unlink()
            elif file != store_path and file.name.startswith((_STORE, _SAMPLE)):
                is_sample = file.name.startswith(_SAMPLE) and store_path.name.startswith(_SAMPLE)
                _remove(file, any_version=is_sample)


def _remove(file: Path, *, any_version: bool) -> None:
    with closing(open_database(file, mode="rw", timeout=0)) as database:
        (application,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if application == APPLICATION_ID and (any_version or version < VERSION):
            database.execute("BEGIN EXCLUSIVE")  # fails if a process has the store open
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
