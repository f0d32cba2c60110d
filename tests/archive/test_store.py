"""One writes, all read; a row or a page that is not what was written is an error."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from random import Random
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from dirframe.archive.model import Collection, Refusal, Round, RoundKind
from dirframe.archive.snapshot import Snapshot, compress, decompress, read_page
from dirframe.archive.store import Store
from dirframe.errors import ArchiveError
from tests.archive.test_snapshot import AT, page

if TYPE_CHECKING:
    from pathlib import Path

WHAT = Collection("project", "https://directory.example", "x", None)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Hold a round of three pages, one of them twice, and an own page that did not come."""
    path = tmp_path / "a"
    with Store.open_writer(path, WHAT) as store:
        one = Round(1, RoundKind.FULL, "id", AT)
        digest, content = compress(b"<x/>" * 100)
        store.add_round(one)
        for number, size in ((1, 2), (2, 300), (3, 1)):
            record = page(number, number, *map(str, range(number * 1_000, number * 1_000 + size)))
            record.sha256, record.size = digest, 400
            store.add_page(one, record, content)
        store.add_refusal(one, Refusal("7", "gone", AT, 1))
    return path


def everything(path: Path) -> list[Any]:
    with Store.open(path) as store:
        rounds = store.rounds()
        pages = [other for one in rounds for other in store.pages(one)]
        contents = [read_page(store, one) for one in pages]
        ids = list(Snapshot(store, rounds).ids())
        return [store.collection(), rounds, pages, store.refusals(rounds[0]), contents, ids]


def test_what_was_written_is_read_and_the_same_page_is_kept_once(file: Path) -> None:
    _, [one], pages, [refusal], contents, ids = everything(file)
    assert (one.pages, one.refusals, refusal.id) == (3, 1, "7")
    assert [other.number for other in pages] == [1, 2, 3]
    assert contents == [b"<x/>" * 100] * 3
    assert len(ids) == 303
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT count(*) FROM blobs").fetchone() == (1,)


def test_whatever_byte_is_changed_it_is_read_as_it_was_or_is_an_error(file: Path) -> None:
    content, right, chance = file.read_bytes(), everything(file), Random(3)
    used = [at for at, byte in enumerate(content) if byte]
    errors = 0
    for at in chance.sample(used, 400):
        damaged = bytearray(content)
        damaged[at] ^= chance.randrange(1, 256)
        file.write_bytes(damaged)
        try:
            assert everything(file) == right, at
        except ArchiveError:
            errors += 1
    assert errors > 200


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM pages WHERE number = 3",
        "DELETE FROM pages WHERE number = 1",
        "UPDATE pages SET paid = 2 WHERE number = 2",
        "UPDATE rounds SET sort = 'name'",
        "DELETE FROM rounds",
        "DELETE FROM refusals",
        "DELETE FROM archive",
        "UPDATE archive SET source = 'y'",
        "DELETE FROM blobs",
        "UPDATE blobs SET content = x'00'",
        "UPDATE blobs SET content = 'x'",
        "UPDATE pages SET sha256 = x'00'",
        "UPDATE rounds SET began = x'00'",
        "UPDATE refusals SET text = x'00'",
        "UPDATE archive SET query = x'00'",
        "DROP TABLE pages",
        "PRAGMA user_version = 2",
        "PRAGMA application_id = 0",
    ],
)
def test_rows_that_were_changed_or_are_gone_are_an_error(statement: str, file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute(statement)
    with pytest.raises(ArchiveError):
        everything(file)


def test_there_is_one_writer_and_what_it_commits_is_read(file: Path) -> None:
    with Store.open_writer(file, WHAT) as store:
        [one] = store.rounds()
        for _ in range(2):
            with pytest.raises(ArchiveError, match="Another process is writing"):
                Store.open_writer(file, WHAT)
            store.add_page(one, page(one.pages + 1, 9, "1"))
            with Store.open(file) as reader:
                assert reader.rounds()[0].pages == one.pages
    Store.open_writer(file, WHAT).close()


def test_a_writer_that_was_overtaken_between_two_pages_writes_no_more(file: Path) -> None:
    with Store.open_writer(file, WHAT) as store:
        [one] = store.rounds()
        store._database.execute("ROLLBACK")  # what a commit does, and before it begins anew
        with Store.open_writer(file, WHAT) as other:
            [same] = other.rounds()
            other.add_page(same, page(4, 9, "1"))
        store._database.execute("BEGIN IMMEDIATE")
        with pytest.raises(ArchiveError, match="Another process"):
            store.add_page(one, page(4, 9, "1"))
    with Store.open(file) as reader:
        assert reader.rounds()[0].pages == 4


def test_a_write_that_fails_leaves_what_was_there_and_ends_the_writing(file: Path) -> None:
    before = everything(file)
    with Store.open_writer(file, WHAT) as store:
        [one] = store.rounds()
        store._database.execute("PRAGMA max_page_count = 1")  # a disk without room
        with pytest.raises(ArchiveError, match="make room"):
            store.add_page(one, page(4, 9, "1" * 9_000), Random(1).randbytes(90_000))
        with pytest.raises(ArchiveError, match="make room"):
            store.add_page(one, page(5, 9, "1"))
    assert everything(file) == before


def test_a_page_that_came_again_replaces_damaged_bytes(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("UPDATE blobs SET content = x'00'")
    digest, content = compress(b"<x/>" * 100)
    with Store.open_writer(file, WHAT) as store:
        [one] = store.rounds()
        record = page(4, 9, "1")
        record.sha256, record.size = digest, 400
        store.add_page(one, record, content)
        assert read_page(store, record) == b"<x/>" * 100


def test_a_size_that_no_page_has_is_refused() -> None:
    with pytest.raises(ArchiveError, match="which no page has"):
        decompress(b"x", "0" * 64, 2**40, "it")


def test_a_store_is_closed_only_after_what_another_thread_is_writing(tmp_path: Path) -> None:
    store = Store.open_writer(tmp_path / "a", WHAT)
    began, go_on = Event(), Event()

    def write() -> None:
        with store.writing():
            began.set()
            go_on.wait(60)

    writer, closer = Thread(target=write), Thread(target=store.close)
    writer.start()
    assert began.wait(60)
    closer.start()
    closer.join(0.3)
    assert closer.is_alive()
    go_on.set()
    writer.join(60)
    closer.join(60)
    assert not closer.is_alive()
    with pytest.raises(ArchiveError, match="closed"):
        store.read("SELECT 1")
