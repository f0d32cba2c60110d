"""Files appear whole or not at all, and databases are begun by several processes at once."""

import errno
import os
import stat
from contextlib import closing

import pytest

import dirframe
from dirframe import InvalidInputError
from dirframe._files import atomic_write
from dirframe._sqlite import enable_wal, open_database
from dirframe.service.keys import KeyStore
from tests import processes
from tests.rig.server import Rig


def test_file_that_appears_meanwhile_is_not_replaced_unasked(tmp_path):
    def write(overwrite):
        with atomic_write(target, overwrite=overwrite) as part:
            part.write_text("new")
            target.write_text("mine")

    target = tmp_path / "f"
    with pytest.raises(InvalidInputError):
        write(overwrite=False)
    assert target.read_text() == "mine"
    write(overwrite=True)
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(os.name != "posix", reason="files have no modes")
def test_files_with_pages_counts_and_keys_are_private(tmp_path):
    usual = os.umask(0)
    try:
        with Rig(5).in_process() as rig, rig.directory(tmp_path) as directory:
            dirframe.load_projects(directory, progress=False)
            dirframe.harvest("projects", tmp_path / "a.archive", directory=directory)
        KeyStore(tmp_path / "keys.sqlite").close()
    finally:
        os.umask(usual)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in files}
    names = ["a.archive", "http-cache-3.sqlite", "keys.sqlite", "quota.sqlite"]
    assert modes == dict.fromkeys(names, 0o600)


def test_file_is_there_until_the_new_one_is_whole(tmp_path):
    def write_half(target):
        with atomic_write(target, overwrite=True) as part:
            part.write_text("half")
            part.with_name(f"{part.name}-journal").write_text("what a database puts beside it")
            assert target.read_text() == "old"
            raise KeyboardInterrupt

    for name in ("f.csv", "[a].csv", "a*?.csv"):
        target = tmp_path / name
        target.write_text("old")
        with pytest.raises(KeyboardInterrupt):
            write_half(target)
        assert target.read_text() == "old"
        assert list(tmp_path.iterdir()) == [target]
        target.unlink()


def test_file_error_names_the_requested_file(tmp_path):
    target, other = tmp_path / "removed meanwhile" / "f.csv", tmp_path / "read meanwhile.csv"
    arrow = f"Failed to open local file '{target.parent}/.f-1.part'. Detail: [errno 2] No such file"

    def fail(error):
        raise error

    for write, named in (
        (lambda part: part.write_text("x"), target),
        (lambda part: part.with_name(f"{part.name}-1").mkdir(), target),
        (lambda _: fail(OSError(errno.ENOENT, arrow)), target),
        (lambda _: other.read_text(), other),  # of another file
    ):
        with pytest.raises(FileNotFoundError) as caught, atomic_write(target, overwrite=False) as p:
            write(p)
        assert caught.value.filename == str(named)
        assert str(caught.value) == f"[Errno 2] {os.strerror(errno.ENOENT)}: '{named}'"


def test_database_that_another_process_begins_is_opened_in_its_mode(tmp_path):
    file = tmp_path / "a #1%20?.sqlite"
    with closing(open_database(file)) as first, closing(open_database(file)) as second:
        first.execute("BEGIN IMMEDIATE")
        enable_wal(second)
        first.execute("COMMIT")
        enable_wal(first)
        second.execute("CREATE TABLE rows (value INTEGER)")
        assert second.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert [one.name for one in tmp_path.iterdir()] == [file.name]


def test_temporary_files_of_a_process_that_ended_are_removed(tmp_path):
    ended = processes.run(program="import os; print(os.getpid())").out.strip()
    written, alive, other = (
        f".f-{ended}-0123abcd.part",
        f".f-{os.getppid()}-0123abcd.part",
        f".g-{ended}-0123abcd.part",
    )
    names = (written, f"{written}-journal", alive, other, ".f-notes.part", ".f-1-x.part")
    for name in names:
        (tmp_path / name).write_text("half")
    with atomic_write(tmp_path / "f.csv", overwrite=False) as outer:
        outer.write_text("first")
        with atomic_write(tmp_path / "f.tsv", overwrite=False) as inner:
            inner.write_text("second")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"f.csv", "f.tsv", alive, other, ".f-notes.part", ".f-1-x.part"}
