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


@pytest.mark.parametrize("name", ["f.csv", "[a].csv", "a*?.csv"])
def test_file_is_there_until_the_new_one_is_whole(name, tmp_path):
    def write_half(target):
        with atomic_write(target, overwrite=True) as part:
            part.write_text("half")
            part.with_name(f"{part.name}-journal").write_text("what a database puts beside it")
            assert target.read_text() == "old"
            raise KeyboardInterrupt

    target = tmp_path / name
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_half(target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def write_text(part):
    part.write_text("x")


def make_folder(part):
    part.with_name(f"{part.name}-1").mkdir()


def fail_as_arrow(part):
    path = part.with_name(".f-1.part")
    text = f"Failed to open local file '{path}'. Detail: [errno 2] No such file"
    raise OSError(errno.ENOENT, text)


def read_other_file(part):
    (part.parent.parent / "read meanwhile.csv").read_text()


@pytest.mark.parametrize(
    ("write", "named"),
    [
        (write_text, "removed meanwhile/f.csv"),
        (make_folder, "removed meanwhile/f.csv"),
        (fail_as_arrow, "removed meanwhile/f.csv"),
        (read_other_file, "read meanwhile.csv"),
    ],
)
def test_file_error_names_the_requested_file(write, named, tmp_path):
    target = tmp_path / "removed meanwhile" / "f.csv"
    with pytest.raises(FileNotFoundError) as caught, atomic_write(target, overwrite=False) as part:
        write(part)
    path = tmp_path / named
    assert caught.value.filename == str(path)
    assert str(caught.value) == f"[Errno 2] {os.strerror(errno.ENOENT)}: '{path}'"


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
