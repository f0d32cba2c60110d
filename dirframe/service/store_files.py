"""Files of stores: one for each source in the cache folder, or a temporary one."""

# A process that uses a store holds a shared lock on its file, which the system releases with the
# process. A store is removed only by who gets the exclusive one.

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from weakref import finalize
from zlib import crc32

from dirframe._files import is_running
from dirframe.errors import StoreError
from dirframe.settings import cache_folder

if sys.platform != "win32":
    import fcntl

#: Seconds after which a store that no service has opened is removed.
_UNUSED = 30 * 86_400.0
#: Bytes of a database that are for its application ("application ID"): they hold a checksum.
_CHECKSUM = slice(68, 72)
_PART = 2**20  # bytes that are read at a time
#: A store that is being written, with the number of the process.
_BEING_WRITTEN = re.compile(r"\..*-(\d+)-[0-9a-f]{8}\.part.*")


def store_path(version: int, sources: Iterable[Path], digest: str) -> Path | None:
    """Return the path of the store of some files; None if it cannot be kept."""
    folder = cache_folder() / "stores"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        return None
    return folder / f"{version}-{_source_digest(sources)}-{digest}.sqlite"


def _source_digest(sources: Iterable[Path]) -> str:
    """Return a digest of the paths of files, by which their store is told from those of others."""
    paths = "\0".join(os.path.abspath(source) for source in sources)  # noqa: PTH100  # links stay
    return sha256(os.fsencode(paths)).hexdigest()[:16]


class HeldFile:
    """An open store, which no process removes."""

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDONLY)
        #: Releases the file; also when nothing refers to this object any longer.
        self.release = finalize(self, os.close, descriptor)
        if sys.platform != "win32":  # where an open file cannot be removed
            with suppress(OSError):  # a file system without locks: nothing there is removed
                fcntl.flock(descriptor, fcntl.LOCK_SH)
        if not path.exists() or not os.path.samestat(os.fstat(descriptor), path.stat()):
            self.release()
            raise FileNotFoundError(path)


def mark_used(path: Path) -> None:
    """Note that a store is used today."""
    with suppress(OSError):
        os.utime(path)


def prune(current: Path) -> None:
    """Remove the other stores of a source, those that nobody uses any longer, and parts of them."""
    source = current.name.split("-")[1]
    for path in current.parent.glob("*.sqlite"):
        with suppress(OSError):  # removed by another process meanwhile, or of another person
            is_superseded = path.name.split("-")[1:2] == [source]
            if path != current and (is_superseded or _is_unused(path)):
                _remove(path)
    for path in current.parent.glob(".*.part*"):
        match = _BEING_WRITTEN.fullmatch(path.name)
        if match and not is_running(int(match[1])):
            with suppress(OSError):
                path.unlink()


def _is_unused(path: Path) -> bool:
    return time.time() - path.stat().st_mtime > _UNUSED


def _remove(path: Path) -> None:
    """Remove a store, or raise OSError if a process uses it."""
    if sys.platform == "win32":
        path.unlink()
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    finally:
        os.close(descriptor)


class TemporaryFolder:
    """A folder of this process: it is removed with the object, at the latest at the end."""

    def __init__(self) -> None:
        process = os.getpid()
        try:
            self.path = Path(tempfile.mkdtemp(prefix=f"dirframe-{process}-"))
        except OSError as error:
            raise StoreError(
                f"No temporary folder for the records can be created: {error.strerror}.",
                hint="Name a folder that can be written to in the environment variable "
                "DIRFRAME_CACHE_DIR, or in TMPDIR.",
            ) from error
        self.remove = finalize(self, _remove_folder, self.path, process)
        _remove_leftovers(self.path.parent)


def _remove_folder(path: Path, process: int) -> None:
    if os.getpid() == process:  # a forked process runs this too, and its parent serves from there
        shutil.rmtree(path, ignore_errors=True)


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary folders of one's own processes that were killed."""
    for path in folder.glob("dirframe-*-*"):
        process = path.name.split("-")[1]
        if process.isdigit() and not is_running(int(process)):
            with suppress(OSError, AttributeError):  # gone meanwhile, or a system without owners
                if path.lstat().st_uid == os.getuid():
                    shutil.rmtree(path)


def has_checksum(path: Path) -> bool:
    """Return whether a store is as it was written, by the checksum in it."""
    with path.open("rb") as file:
        file.seek(_CHECKSUM.start)
        expected = int.from_bytes(file.read(_CHECKSUM.stop - _CHECKSUM.start))
    return expected == _checksum_of(path)


def write_checksum(path: Path) -> None:
    """Write the checksum of a store into it, where SQLite keeps a place for applications."""
    checksum = _checksum_of(path)
    with path.open("r+b") as file:
        file.seek(_CHECKSUM.start)
        file.write(checksum.to_bytes(_CHECKSUM.stop - _CHECKSUM.start))


def _checksum_of(path: Path) -> int:
    """Return the checksum of a store but for its own place: SQLite has none."""
    with path.open("rb") as file:
        checksum = crc32(bytes(_CHECKSUM.stop - _CHECKSUM.start), crc32(file.read(_CHECKSUM.start)))
        file.seek(_CHECKSUM.stop)
        while part := file.read(_PART):
            checksum = crc32(part, checksum)
    return checksum
