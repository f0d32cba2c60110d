"""Write files atomically: complete and synced to disk, or not at all."""

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


def refuse_existing(target: Path) -> None:
    """Raise if the path exists."""
    if os.path.lexists(target):
        raise InvalidInputError(
            f"{target} already exists.",
            hint=Hint(
                "Choose another name or pass overwrite=True.",
                shell="Choose another name or use --overwrite.",
            ),
        )


def check_folder(target: Path) -> None:
    """Raise if the folder of a file cannot be created or written to."""
    ancestor = next(folder for folder in target.absolute().parents if os.path.lexists(folder))
    if not ancestor.is_dir():
        raise InvalidInputError(f"{target} cannot be written: {ancestor} is not a folder.")
    if not os.access(ancestor, os.W_OK):
        raise InvalidInputError(f"{target} cannot be written: {ancestor} may not be written to.")


def make_folder(folder: Path) -> None:
    """Create a folder and its parents, or raise."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"{folder} cannot be created ({error.strerror}).") from error


@contextlib.contextmanager
def atomic_write(target: Path, *, overwrite: bool) -> Iterator[Path]:
    """Yield a temporary path that replaces the target if the block succeeds.

    Parameters
    ----------
    target : pathlib.Path
        Path of the file; its folder must exist.
    overwrite : bool
        Whether an existing file is replaced.

    Yields
    ------
    pathlib.Path
        A path in the same folder. It is removed if the block fails.

    Raises
    ------
    InvalidInputError
        If the target exists by then and `overwrite` is False.
    OSError
        If the file cannot be written; the error names the target.

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
    """Yield the path of a temporary file beside the target and remove the file afterwards.

    Raises
    ------
    OSError
        If the block could not write the file; the error names the target, which was asked for.
    """
    temporary = target.with_name(f".{target.stem[:60]}-{secrets.token_hex(4)}.part")
    try:
        yield temporary
    except OSError as error:
        # A full disk has no name; further temporary files begin with the name of this one.
        if error.filename is None or str(error.filename).startswith(str(temporary)):
            raise _named(error, target) from error
        raise
    finally:
        # SQLite creates further files beside a database.
        for leftover in temporary.parent.glob(f"{glob.escape(temporary.name)}*"):
            leftover.unlink(missing_ok=True)


def atomic_replace(written: Path, target: Path, *, overwrite: bool) -> None:
    """Sync a finished file to disk and move it to its target.

    Raises
    ------
    InvalidInputError
        If the target exists by then and `overwrite` is False.
    """
    _sync(written)
    if overwrite:
        written.replace(target)
    else:
        try:
            os.link(written, target)  # unlike a rename, fails if the target exists
        except FileExistsError:
            refuse_existing(target)
            raise
        except OSError:  # a file system without links
            refuse_existing(target)
            written.replace(target)
    _sync(target.parent)


def _named(error: OSError, target: Path) -> OSError:
    if error.errno is None:
        return OSError(f"{target} could not be written: {error}.")
    # Not strerror, which in errors of Arrow is a sentence about the temporary file.
    return OSError(error.errno, os.strerror(error.errno), str(target))


def _sync(path: Path) -> None:
    if path.is_dir() and os.name == "nt":
        return  # Windows cannot open folders
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
