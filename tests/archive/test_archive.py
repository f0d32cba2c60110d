"""What was kept is read whole, or what is wrong with it is named."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING
from zlib import crc32

import pandas as pd
import pytest

import dirframe
from dirframe.errors import (
    AnalysesNotSentWarning,
    ArchiveError,
    DirframeError,
    IncompleteWarning,
    InvalidInputError,
    QuotaExceededError,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.archive.test_harvest import Ask
    from tests.faults.service import FaultyService


@pytest.fixture
def archive(service: FaultyService, ask: Ask, tmp_path: Path) -> dirframe.Archive:
    return dirframe.harvest("projects", tmp_path / "a", directory=ask(service))


def test_an_archive_and_its_file_are_pages(archive: dirframe.Archive) -> None:
    frame = archive.frame()
    pd.testing.assert_frame_equal(dirframe.read_pages(archive), frame)
    pd.testing.assert_frame_equal(dirframe.read_pages(archive.path), frame)
    pd.testing.assert_frame_equal(pd.concat(archive.chunks(), ignore_index=True), frame)


def test_what_read_pages_cannot_ask_is_refused(archive: dirframe.Archive, tmp_path: Path) -> None:
    assert len(dirframe.read_pages(archive.path, resource="project", columns=["name"])) == 55
    with pytest.raises(InvalidInputError, match="records of 'project', not of 'account'"):
        dirframe.read_pages(archive, resource="account")
    with pytest.raises(InvalidInputError, match="as_of applies only to archives"):
        dirframe.read_pages(tmp_path, as_of="2026-11-21")


def test_a_lost_page_and_a_damaged_one_are_named(archive: dirframe.Archive) -> None:
    with sqlite3.connect(archive.path) as database:
        (first, content), (second, _) = database.execute("SELECT * FROM blobs LIMIT 2").fetchall()
        database.execute("DELETE FROM blobs WHERE sha256 = ?", (first,))
    with pytest.raises(ArchiveError, match=f"{first} is missing"):
        archive.frame()
    with database:
        database.execute("INSERT INTO blobs VALUES (?, ?)", (first, content))
        database.execute("UPDATE blobs SET content = ? WHERE sha256 = ?", (content, second))
    database.close()
    with pytest.raises(ArchiveError, match=second):
        archive.verify()


@pytest.mark.parametrize("content", ["x", None, 10**15, -1, 1.5])
def test_a_page_of_another_type_than_bytes_is_named(
    content: object, archive: dirframe.Archive
) -> None:
    with closing(sqlite3.connect(archive.path, isolation_level=None)) as database:
        database.execute("UPDATE blobs SET content = ? WHERE rowid = 2", (content,))
        [digest] = database.execute("SELECT sha256 FROM blobs WHERE rowid = 2").fetchone()
    for read in (archive.verify, archive.frame, lambda: dirframe.read_pages(archive.path)):
        with pytest.raises(ArchiveError, match=digest):
            read()


#: Values that a column takes, and not an archive.
ODD = [b"x", "x", 1.5, 10**15, "[" * 100_000, "2026-11-21T00:00:00"]


@pytest.mark.parametrize("column", ["session", "retrieved", "ids_json", "paid", "sha256", "seal"])
@pytest.mark.parametrize("fits_checksum", [False, True])
def test_a_row_with_a_value_that_no_archive_holds_is_an_error_whoever_reads_it(
    column: str,
    fits_checksum: bool,
    archive: dirframe.Archive,
    service: FaultyService,
    ask: Ask,
) -> None:
    kept = archive.path.read_bytes()
    for value in ODD:
        with closing(sqlite3.connect(archive.path, isolation_level=None)) as database:
            database.execute(f"UPDATE pages SET {column} = ? WHERE number = 2", (value,))
            row = database.execute("SELECT * FROM pages WHERE number = 2").fetchone()[:-1]
            if fits_checksum and bytes not in map(type, row) and column != "seal":
                text = json.dumps(row, separators=(",", ":"))
                seal = crc32(text.encode())
                database.execute("UPDATE pages SET seal = ? WHERE number = 2", (seal,))
        for use in (
            lambda: dirframe.open_archive(archive.path).status(),
            lambda: dirframe.open_archive(archive.path).frame(),
            lambda: dirframe.open_archive(archive.path).verify(),
            lambda: dirframe.update(archive.path, directory=ask(service), requests_per_day=100),
        ):
            with suppress(DirframeError):  # a number that fits may be taken for what was paid
                use()
        archive.path.write_bytes(kept)


def test_it_is_read_while_it_is_written_and_shows_what_was_there_when_it_was_opened(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    counts: list[int] = []
    opened: list[dirframe.Archive] = []

    def look(_: object) -> None:
        if len(service.asked) > 1:
            opened.append(dirframe.open_archive(tmp_path / "b"))
            with pytest.warns(IncompleteWarning):
                counts.append(len(opened[-1].frame()))

    service.before = look
    dirframe.harvest("projects", tmp_path / "b", directory=ask(service))
    assert counts == [10, 20, 30, 40, 50]
    with pytest.warns(IncompleteWarning):
        assert [len(archive.frame()) for archive in opened] == counts


def test_a_harvest_that_is_not_finished_says_so(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    with pytest.raises(QuotaExceededError):
        dirframe.harvest("projects", tmp_path / "b", directory=ask(service), requests_per_day=2)
    with pytest.warns(IncompleteWarning, match="not finished") as caught:
        frame = dirframe.open_archive(tmp_path / "b").frame()
    assert caught[0].filename == __file__
    assert (len(frame), frame.attrs["dirframe"]["complete"]) == (20, False)


def test_an_archive_of_projects_without_analyses_says_so_to_the_caller(tmp_path: Path) -> None:
    with dirframe.sample_directory(dialect="today", cache=False) as directory:
        dirframe.harvest("projects", tmp_path / "b", directory=directory)
    with pytest.warns(AnalysesNotSentWarning, match="Harvest with details=True") as caught:
        dirframe.open_archive(tmp_path / "b").frame()
    assert caught[0].filename == __file__


def test_before_the_first_harvest_there_is_no_frame(archive: dirframe.Archive) -> None:
    with pytest.raises(ArchiveError, match="no finished harvest"):
        archive.frame(as_of="2001-01-01")
    with pytest.raises(InvalidInputError, match="as_of"):
        archive.frame(as_of="yesterday")


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="is a folder, and no archive"):
        dirframe.open_archive(tmp_path)
    (tmp_path / "manifest.jsonl").touch()
    with pytest.raises(ArchiveError, match="an archive of an older format, a folder"):
        dirframe.open_archive(tmp_path)
    with pytest.raises(ArchiveError, match="no file"):
        dirframe.open_archive(tmp_path / "none")
    text = tmp_path / "text"
    text.write_text("<response/>" * 100, encoding="utf-8")
    with pytest.raises(ArchiveError, match="no archive"):
        dirframe.open_archive(text)
    dirframe.export(pd.DataFrame({"id": ["1"]}), tmp_path / "x.sqlite")
    with pytest.raises(ArchiveError, match="not an archive"):
        dirframe.open_archive(tmp_path / "x.sqlite")


def test_no_file_of_another_kind_is_written_to(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    dirframe.export(pd.DataFrame({"id": ["1"]}), tmp_path / "x.sqlite")
    (tmp_path / "text").write_text("x" * 1_000, encoding="utf-8")
    for name, match in (("x.sqlite", "and no archive"), ("text", "not an archive"), ("", "folder")):
        before = None if not name else (tmp_path / name).read_bytes()
        with pytest.raises(ArchiveError, match=match):
            dirframe.harvest("projects", tmp_path / name, directory=ask(service))
        assert before is None or (tmp_path / name).read_bytes() == before
    assert service.asked == []


def test_an_archive_may_have_any_name_and_a_bundle_is_told_from_it(tmp_path: Path) -> None:
    with dirframe.sample_directory() as directory:
        archive = dirframe.harvest("accounts", tmp_path / "kept.zip", directory=directory)
    assert dirframe.open_archive(archive.path).status().complete
    dirframe.bundle(archive.path, tmp_path / "bundle.zip")
    with pytest.raises(ArchiveError, match="no archive") as refused:
        dirframe.open_archive(tmp_path / "bundle.zip")
    assert "open_bundle" in str(refused.value)
