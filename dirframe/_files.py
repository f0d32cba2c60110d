"""Write files whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import secrets
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from dirframe._printable import REPLACE_HALF_PAIR
from dirframe.errors import InvalidInputError

#: The end of the name of a temporary file, and of those that SQLite puts beside it.
_TEMPORARY = re.compile(r"(?P<name>-(?P<process>\d+)-[0-9a-f]{8}\.part).*")
#: Names of the temporary files that this process writes.
_BEING_WRITTEN: set[str] = set()


def data_folder(name: str = "data") -> Path:
    """Return the folder of the bundled data: in the package in a wheel, beside it in a checkout.

    That of the sample is ``data``; ``rehearsal`` has what only today's live service has besides.
    """
    package = Path(__file__).resolve().parent
    inside = package / name
    return inside if inside.is_dir() else package.parent / name


def check_writable(target: Path, *, overwrite: bool, suffixes: Collection[str] = ()) -> None:
    """Raise if a file has another suffix, exists, or its folder cannot be written to."""
    if suffixes and target.suffix.lower() not in suffixes:
        raise InvalidInputError(unknown_suffix(target, suffixes))
    if target.is_dir():
        raise InvalidInputError(f"{target} is a folder; name a file in it.")
    if overwrite and target.is_symlink():
        raise InvalidInputError(
            f"{target} is a symbolic link, which a file would replace. Name the file that it is to: "
            f"{target.readlink()}."
        )
    if overwrite and target.exists() and not target.is_file():
        raise InvalidInputError(f"{target} is a pipe or a device, not a file. Choose another name.")
    if not overwrite and os.path.lexists(target):
        raise InvalidInputError(
            f"{target} already exists.",
            hint="Choose another name or pass overwrite=True (--overwrite).",
        )
    ancestor = next(folder for folder in target.absolute().parents if os.path.lexists(folder))
    if not ancestor.is_dir() or not os.access(ancestor, os.W_OK):
        raise InvalidInputError(
            f"{target} cannot be written: {ancestor} is not a folder that you can write to."
        )


def unknown_suffix(path: Path, choices: Iterable[str]) -> str:
    """Return a sentence that names the suffix of a file and those that it may have."""
    what = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
    return f"{path} has {what}; choose one of {', '.join(choices)}."


def make_folder(folder: Path) -> None:
    """Create a folder and its parents, or raise."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"{folder} cannot be created ({error.strerror}).") from error


@contextlib.contextmanager
def folder_of(target: Path) -> Iterator[None]:
    """Create the folder of a file that is written in the block; if that fails, remove it again."""
    folders = [folder for folder in target.absolute().parents if not folder.exists()]
    make_folder(target.parent)
    try:
        yield
    except BaseException:
        for folder in folders:
            with contextlib.suppress(OSError):  # another process writes there
                folder.rmdir()
        raise


@contextlib.contextmanager
def atomic_write(target: Path, *, overwrite: bool, like: Path | None = None) -> Iterator[Path]:
    """Yield a temporary path beside the target, which replaces it if the block succeeds.

    The file has the mode of the one that it replaces, or else that of `like` if there is one. Files
    that a killed process left are removed.
    """
    stem = f".{target.stem[:60]}"
    temporary = target.with_name(f"{stem}-{os.getpid()}-{secrets.token_hex(4)}.part")
    _remove_leftovers(target.parent, stem)
    _BEING_WRITTEN.add(temporary.name)
    replaced = _status(target) or (_status(like) if like else None)
    try:
        if replaced is not None:
            # Nobody else can read it, not even while it is written.
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        yield temporary
        check_writable(target, overwrite=overwrite)  # it may have appeared meanwhile
        if replaced is not None:
            _set_mode(temporary, replaced)
        temporary.replace(target)
    except OSError as error:
        # The target is named: a full disk has no name, and other temporary files begin with this one's.
        if error.filename is None or str(error.filename).startswith(str(temporary)):
            # Not strerror, which in errors of Arrow is a sentence about the temporary file.
            words = os.strerror(error.errno) if error.errno else f"could not be written: {error}"
            raise OSError(error.errno, words, str(target)) from error
        raise
    except UnicodeEncodeError as error:
        near = error.object[max(error.start - 20, 0) : error.end + 20]
        raise InvalidInputError(
            f"{target} cannot hold the text {near!a}: it has half a UTF-16 pair, which is no text.",
            hint=REPLACE_HALF_PAIR,
        ) from None
    finally:
        _BEING_WRITTEN.discard(temporary.name)
        # SQLite creates further files beside a database.
        for leftover in temporary.parent.glob(f"{glob.escape(temporary.name)}*"):
            leftover.unlink(missing_ok=True)


def _remove_leftovers(folder: Path, stem: str) -> None:
    """Remove the temporary files of a target whose process has ended."""
    for file in folder.glob(f"{glob.escape(stem)}-*.part*"):
        match = _TEMPORARY.fullmatch(file.name.removeprefix(stem))
        if match and not _is_being_written(int(match["process"]), f"{stem}{match['name']}"):
            with contextlib.suppress(OSError):  # of another person
                file.unlink()


def _is_being_written(process: int, name: str) -> bool:
    return name in _BEING_WRITTEN if process == os.getpid() else is_running(process)


def is_running(process: int) -> bool:
    """Return whether a process of a number runs, or may run."""
    if os.name != "posix":  # where no process can be asked for
        return True
    try:
        os.kill(process, 0)  # sends nothing
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _status(path: Path) -> os.stat_result | None:
    """Return owner and mode of a file; None if there is none."""
    with contextlib.suppress(OSError):
        return path.stat()
    return None


def _set_mode(path: Path, status: os.stat_result) -> None:
    """Give a file the group and the mode of another; where that is not allowed, the mode alone."""
    if hasattr(os, "chown"):
        for owner, group in ((-1, status.st_gid), (status.st_uid, -1)):
            with contextlib.suppress(OSError):
                os.chown(path, owner, group)
    path.chmod(stat.S_IMODE(status.st_mode))
