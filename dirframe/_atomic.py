"""Write a file whole or not at all, on the disk before it has its name."""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
from typing import TYPE_CHECKING

from dirframe.errors import Hint, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "atomic_replace",
    "atomic_write",
    "check_folder",
    "make_folder",
    "refuse_existing",
    "temporary_sibling",
]


def refuse_existing(target: Path) -> None:
    """Raise if there is something at a path already."""
    if os.path.lexists(target):
        raise InvalidInputError(
            f"{target} exists already.",
            hint=Hint(
                "Choose another name or pass overwrite=True.",
                shell="Choose another name or give --overwrite.",
            ),
        )


def check_folder(target: Path) -> None:
    """Raise if there can be no folder for a file."""
    nearest = next(folder for folder in target.absolute().parents if os.path.lexists(folder))
    if not nearest.is_dir():
        raise InvalidInputError(f"{target} cannot be written: {nearest} is no folder.")
    if not os.access(nearest, os.W_OK):
        raise InvalidInputError(f"{target} cannot be written: {nearest} may not be written to.")


def make_folder(folder: Path) -> None:
    """Make a folder and those on the way to it, or raise."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"{folder} cannot be made ({error.strerror}).") from error


@contextlib.contextmanager
def atomic_write(target: Path, *, overwrite: bool) -> Iterator[Path]:
    """Give a path to write to, which becomes the target if nothing is raised.

    Parameters
    ----------
    target : pathlib.Path
        The file to be; its folder exists.
    overwrite : bool
        Whether an existing file is replaced.

    Yields
    ------
    pathlib.Path
        A path in the same folder. Whatever is left there afterwards is removed.

    Raises
    ------
    InvalidInputError
        If there is a file of that name by now, and it must not be replaced.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder) / "notes.txt"
    ...     with atomic_write(target, overwrite=False) as temporary:
    ...         _ = temporary.write_text("all of it", encoding="utf-8")
    ...     target.read_text(encoding="utf-8")
    'all of it'
    """
    with temporary_sibling(target) as temporary:
        yield temporary
        atomic_replace(temporary, target, overwrite=overwrite)


@contextlib.contextmanager
def temporary_sibling(target: Path) -> Iterator[Path]:
    """Give the path of a file beside the target that is gone afterwards, whatever happens."""
    temporary = target.with_name(f".{target.stem[:60]}-{secrets.token_hex(4)}.part")
    try:
        yield temporary
    finally:
        # A database puts more files beside its own.
        for left in temporary.parent.glob(f"{glob.escape(temporary.name)}*"):
            left.unlink(missing_ok=True)


def atomic_replace(written: Path, target: Path, *, overwrite: bool) -> None:
    """Give a finished file its name, once it is on the disk.

    Raises
    ------
    InvalidInputError
        If there is a file of that name by now, and it must not be replaced.
    """
    _sync(written)
    if overwrite:
        written.replace(target)
    else:
        try:
            os.link(written, target)  # unlike a rename, it fails where something stands
        except FileExistsError:
            refuse_existing(target)
            raise
        except OSError:  # a file system without links
            refuse_existing(target)
            written.replace(target)
    _sync(target.parent)


def _sync(path: Path) -> None:
    if path.is_dir() and os.name == "nt":
        return  # Windows opens no folders
    opened = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
