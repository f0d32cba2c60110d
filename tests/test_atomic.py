"""A file has its name when it is whole."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from dirframe import InvalidInputError
from dirframe._atomic import atomic_replace, atomic_write, temporary_sibling

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "f"
    with temporary_sibling(target) as part:
        part.write_text("new")
        target.write_text("mine")
        with pytest.raises(InvalidInputError, match="overwrite=True"):
            atomic_replace(part, target, overwrite=False)
        assert target.read_text() == "mine"
        atomic_replace(part, target, overwrite=True)
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["f.csv", "[a].csv", "a*?.csv"])
def test_nothing_is_left_beside_a_file_that_could_not_be_written(name: str, tmp_path: Path) -> None:
    def write() -> None:
        with atomic_write(tmp_path / name, overwrite=False) as part:
            part.write_text("half")
            part.with_name(f"{part.name}-journal").write_text("what a database puts beside it")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    assert list(tmp_path.iterdir()) == []


def test_an_error_names_the_file_that_was_asked_for_and_not_the_temporary_one(
    tmp_path: Path,
) -> None:
    target = tmp_path / "removed meanwhile" / "f.csv"

    def write(action: Callable[[Path], object]) -> None:
        with atomic_write(target, overwrite=False) as part:
            action(part)

    def raise_(error: OSError) -> None:
        raise error

    arrow = f"Failed to open local file '{target.parent}/.f-1.part'. Detail: [errno 2] No such file"
    for action in (
        lambda part: part.write_text("x"),
        lambda part: part.with_name(f"{part.name}-1").mkdir(),
        lambda _: raise_(OSError(errno.ENOENT, arrow)),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            write(action)
        assert caught.value.filename == str(target)
        assert str(caught.value) == f"[Errno 2] {os.strerror(errno.ENOENT)}: '{target}'"
    with pytest.raises(OSError, match=rf"{target} could not be written: disk I/O error\.$"):
        write(lambda _: raise_(OSError("disk I/O error")))


def test_an_error_of_another_file_keeps_its_name(tmp_path: Path) -> None:
    other = tmp_path / "read meanwhile.csv"
    with pytest.raises(FileNotFoundError) as caught, atomic_write(tmp_path / "f", overwrite=False):
        other.read_text()
    assert caught.value.filename == str(other)


def test_the_old_file_is_there_until_the_new_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "f"
    target.write_text("old")
    with atomic_write(target, overwrite=True) as part:
        part.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]
