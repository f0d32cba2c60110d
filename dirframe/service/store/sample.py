"""The bundled sample data, and a cache of stores built from XML files."""

from __future__ import annotations

import atexit
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from hashlib import sha256
from os import PathLike, fsencode, getpid
from pathlib import Path
from typing import TYPE_CHECKING

from dirframe._sqlite import close_on_error, file_format, open_database
from dirframe.errors import DirframeError, Hint, StoreError
from dirframe.service.importing.sources import ADDRESS, Data, data_files, find_sources
from dirframe.service.importing.xml_files import refuse_unreadable
from dirframe.service.store.build import APPLICATION_ID, VERSION, build_store
from dirframe.service.store.store import Store
from dirframe.settings import cache_folder

if TYPE_CHECKING:
    from dirframe.service.importing.progress import OnFile


_PACKAGE = Path(__file__).resolve().parents[2]
_NAMES = ("accounts.xml.gz", "projects.xml.gz")
_SQLITE = b"SQLite format 3\0"

_STORE, _SAMPLE = "store-", "sample-"
_LONGEST_BUILD = 86_400  # seconds
#: Maximum number of imports if the files change while they are read.
_ATTEMPTS = 3


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


def open_data(
    data: Data | None = None,
    *,
    mapping: Path | None = None,
    skip_invalid: bool = False,
    base: Path | None = None,
    on_file: OnFile | None = None,
) -> Store:
    """Open a store, or other data as one.

    Parameters
    ----------
    data
        A store, XML, tables, frames or the address of a database; see `find_sources`. Default:
        the bundled sample. A store built from files is cached under their digest, so that they
        are imported once, and again if they change meanwhile. Building a store removes those of
        older versions of dirframe from the cache, unless a process has them open.
    mapping
        The map of tables.
    skip_invalid
        Whether to leave out rows of tables that do not fit.
    base
        A store to update, of which only what differs is written.
    on_file
        Called for each file that is imported.

    Returns
    -------
    Store
        The open store.

    Raises
    ------
    InvalidInputError
        There is no such file or folder.
    StoreError
        The data cannot be served, or its files change during each of three imports.
    """
    if isinstance(data, (str, PathLike)) and ADDRESS not in str(data):
        data = Path(data)
    if isinstance(data, Path) and _is_database(data):
        return Store(data)
    prefix = _SAMPLE if data is None and mapping is None else _STORE
    if data is None:
        data = sample_files() if mapping is None else ()
    has_files = data_files(data, mapping=mapping) is not None
    try:
        folder = cache_folder() / "stores"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        if not has_files:
            raise OSError  # frames and databases have no digest: their store is temporary
    except OSError:
        # The service works without a writable cache folder too.
        folder = Path(tempfile.mkdtemp(prefix="dirframe-"))
        atexit.register(_remove_folder, folder, getpid())
    for _ in range(_ATTEMPTS):
        digest = _digest(data, mapping, skip_invalid)
        store_path = folder / f"{prefix}{digest or 'new'}.sqlite"
        if store_path.exists():
            try:
                return _hold(Store(store_path))
            except StoreError:
                pass  # damaged: rebuild it

        def verify(expected: str | None = digest) -> None:
            if _digest(data, mapping, skip_invalid) != expected:
                raise _DataChangedError

        try:
            sources = find_sources(data, mapping=mapping, skip_invalid=skip_invalid)
            build_store(store_path, sources, base=base, on_file=on_file, verify=verify)
            store = _hold(Store(store_path))
        except _DataChangedError:
            continue
        except DirframeError:
            with suppress(_DataChangedError):
                verify()
                raise  # not because a file was replaced while it was read
            continue
        _prune(store_path)
        return store
    raise StoreError(
        f"The files changed while they were imported, {_ATTEMPTS} times.",
        hint=Hint("Write a new file beside the old one, and rename it when it is complete."),
    )


class _DataChangedError(Exception):
    """The files changed during the import."""


def _remove_folder(folder: Path, pid: int) -> None:
    if getpid() == pid:  # a forked process runs this too, and its parent serves from there
        shutil.rmtree(folder, ignore_errors=True)


def discard_store(store: Store) -> None:
    """Close a store, and remove the file if `open_data` built it and no process has it open."""
    store.close()
    if store.is_cached:
        with suppress(OSError, sqlite3.Error):
            _remove(store.path, any_version=True)


def _hold(store: Store) -> Store:
    with close_on_error(store):
        store.lock_shared()
    store.is_cached = True
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
        application, version = file_format(database)
        if application == APPLICATION_ID and (any_version or version < VERSION):
            database.execute("BEGIN EXCLUSIVE")  # fails if a process has the store open
            file.unlink()


def _is_database(path: Path) -> bool:
    with refuse_unreadable(path):
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(len(_SQLITE)) == _SQLITE


def _digest(data: Data, mapping: Path | None, skip_invalid: bool) -> str | None:
    """Return the digest of the files, or None if part of the data is in no file."""
    files = data_files(data, mapping=mapping)
    if files is None:
        return None
    digest = sha256(f"store version {VERSION} {skip_invalid or ''}".encode())
    for file in files:
        with refuse_unreadable(file), file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
        # A table is read by its suffix, and may be known by its name.
        digest.update(b"\0%b\0" % fsencode(file.name))
    return digest.hexdigest()[:24]
