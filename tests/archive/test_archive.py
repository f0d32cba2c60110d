"""What was kept is read whole, or what is wrong with it is named; nothing else is written to."""

import sqlite3
from contextlib import closing
from datetime import datetime

import pandas as pd
import pytest

import dirframe


def test_archive_and_its_file_are_pages(archive):
    frame = archive.frame()
    pd.testing.assert_frame_equal(dirframe.read_pages(archive), frame)
    pd.testing.assert_frame_equal(dirframe.read_pages(archive.path), frame)
    pd.testing.assert_frame_equal(pd.concat(archive.chunks(), ignore_index=True), frame)
    pd.testing.assert_frame_equal(dirframe.open_archive(archive.path).frame(), frame)
    assert len(dirframe.read_pages(archive.path, resource="project")) == 55
    with pytest.raises(dirframe.InvalidInputError, match="project"):
        dirframe.read_pages(archive, resource="account")


def test_archive_gives_chunks_of_one_schema(sample, tmp_path):
    archive = dirframe.harvest("projects", tmp_path / "a", directory=sample)
    chunks = list(archive.chunks())
    assert len({tuple(chunk.dtypes.astype(str).items()) for chunk in chunks}) == 1
    folder = archive.to_parquet(tmp_path / "tables")
    frame = archive.frame()
    read = pd.read_parquet(folder)
    plain = [name for name in frame if frame[name].dtype != "object"]
    pd.testing.assert_frame_equal(read[plain], frame[plain])
    with pytest.raises(dirframe.InvalidInputError):
        archive.to_parquet(folder)  # never over what is there


def test_unfinished_harvest_says_so(rig, tmp_path):
    with pytest.raises(dirframe.QuotaExceededError):
        dirframe.harvest("projects", tmp_path / "b", directory=rig.directory(), requests_per_day=2)
    with pytest.warns(dirframe.IncompleteWarning) as caught:
        frame = dirframe.open_archive(tmp_path / "b").frame()
    assert caught[0].filename == __file__
    assert (len(frame), frame.attrs["dirframe"]["complete"]) == (20, False)
    assert frame.attrs["dirframe"]["incomplete_reason"]


def test_lost_page_and_a_damaged_one_are_named(archive):
    with closing(sqlite3.connect(archive.path, isolation_level=None)) as database:
        (first, content), (second, _) = database.execute("SELECT * FROM blobs LIMIT 2").fetchall()
        database.execute("DELETE FROM blobs WHERE sha256 = ?", (first,))
        for read in (archive.frame, archive.verify, lambda: list(archive.chunks())):
            with pytest.raises(dirframe.ArchiveError, match=first):
                read()
        database.execute("INSERT INTO blobs VALUES (?, ?)", (first, content))
        for wrong in (content, b"\0", "x", None):
            database.execute("UPDATE blobs SET content = ? WHERE sha256 = ?", (wrong, second))
            for read in (archive.frame, archive.verify, lambda: dirframe.read_pages(archive.path)):
                with pytest.raises(dirframe.ArchiveError, match=second):
                    read()


def test_damaged_page_is_replaced_when_it_comes_again(rig, tmp_path):
    with pytest.raises(dirframe.QuotaExceededError):
        dirframe.harvest("projects", tmp_path / "b", directory=rig.directory(), requests_per_day=3)
    with closing(sqlite3.connect(tmp_path / "b", isolation_level=None)) as database:
        database.execute("UPDATE blobs SET content = x'00' WHERE rowid = 3")
    archive = dirframe.harvest("projects", tmp_path / "b", directory=rig.directory())
    assert list(archive.frame()["id"]) == rig.ids  # page 3 was read again, to compare
    archive.verify()


def test_no_archive_is_refused(tmp_path):
    (tmp_path / "text").write_text("<response/>" * 100, encoding="utf-8")
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database, database:
        database.execute("CREATE TABLE pages (id)")
    for name in ("", "none", "text", "x.sqlite"):
        with pytest.raises(dirframe.ArchiveError, match=name or tmp_path.name):
            dirframe.open_archive(tmp_path / name)


def test_file_of_another_kind_is_never_written_to(rig, tmp_path):
    (tmp_path / "text").write_text("x" * 1_000, encoding="utf-8")
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database, database:
        database.execute("CREATE TABLE pages (id)")
    for name in ("text", "x.sqlite"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(dirframe.ArchiveError):
            dirframe.harvest("projects", tmp_path / name, directory=rig.directory())
        assert (tmp_path / name).read_bytes() == before
    with pytest.raises(dirframe.ArchiveError):
        dirframe.harvest("projects", tmp_path, directory=rig.directory())
    assert rig.requests == []


def test_archive_is_never_replaced_by_a_table(archive):
    archive.path.rename(archive.path.with_suffix(".csv"))
    before = archive.path.with_suffix(".csv").read_bytes()
    frame = pd.DataFrame({"id": ["1"]})
    with pytest.raises(dirframe.InvalidInputError):
        dirframe.export(frame, archive.path.with_suffix(".csv"), overwrite=True)
    assert archive.path.with_suffix(".csv").read_bytes() == before


def test_archive_may_have_any_name(rig, tmp_path):
    archive = dirframe.harvest("projects", tmp_path / "kept.zip", directory=rig.directory())
    assert dirframe.open_archive(archive.path).status().complete
    assert str(archive.status())


def test_harvest_refuses_wrong_arguments_before_the_first_request(rig, tmp_path):
    with pytest.raises(dirframe.InvalidInputError, match="stars"):
        dirframe.harvest("stars", tmp_path / "b", directory=rig.directory())
    without_zone = datetime(2026, 1, 1)  # noqa: DTZ001  # what must be refused
    for wrong in (
        {"requests_per_day": 0},
        {"stop_at": without_zone},
        {"sort": 5},
        {"query": 5},
    ):
        with pytest.raises(dirframe.InvalidInputError):
            dirframe.harvest("projects", tmp_path / "b", directory=rig.directory(), **wrong)
    assert rig.requests == []
    assert not (tmp_path / "b").exists()
