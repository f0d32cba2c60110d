"""Of a record that was read more than once, the newest reading counts."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from dirframe.archive.model import Collection, Outcome, PageRecord, Round, RoundKind, encode_ids
from dirframe.archive.rounds.full import _resolution
from dirframe.archive.snapshot import PageRef, ReadTask, Snapshot, compress
from dirframe.archive.store import Store
from dirframe.client.paging.ids import IdCodec

if TYPE_CHECKING:
    from pathlib import Path

AT = "2026-11-21T11:00:00+00:00"
PAGE = (
    "<response><status>success</status><result><project><id>{}</id>{}</project></result></response>"
)


def page(number: int, minute: int, *ids: str | None) -> PageRecord:
    return PageRecord(
        page=number,
        session=1,
        sha256="0" * 64,
        size=1,
        compressed_size=1,
        retrieved=f"2026-11-21T10:{minute:02}:00+00:00",
        first=None,
        available=None,
        ids_json=encode_ids(ids),
        low=None,
        high=None,
        ordered=1,
        paid=1,
        synthetic=0,
    )


def private() -> Store:
    return Store.private("it", Collection("project", "", "x", None))


def add(store: Store, one: Round, *pages: PageRecord) -> Round:
    store.add_round(one)
    for other in pages:
        store.add_page(one, other)
    return one


def chosen(store: Store, *rounds: Round) -> list[str | None]:
    snapshot = Snapshot(store, rounds)
    ids = list(snapshot.ids())
    assert snapshot.records == len(ids)
    assert snapshot.number == len(list(snapshot.refs()))
    return ids


def end(store: Store, one: Round, ids: list[str | None]) -> None:
    codec = IdCodec()
    codes = np.array(codec.encode(ids))
    settled = _resolution(store.pages(one), codes, codec)
    one.outcome = Outcome(at=AT, pages=one.pages, available=len(ids), **settled)


def test_the_newest_reading_counts_within_a_round_and_between_rounds() -> None:
    with closing(private()) as store:
        pages = page(1, 5, "1", "2", None), page(2, 1, "2", "3", "9")
        drifted = add(store, Round(1, RoundKind.FULL, None, AT), *pages)
        assert chosen(store, drifted) == ["1", "2", None, "3", "9"]
        end(store, drifted, ["1", "2", "3"])
        assert chosen(store, drifted) == ["1", "2", None, "3"]
    with closing(private()) as store:
        full = add(store, Round(1, RoundKind.FULL, None, AT), page(1, 1, "1", "2"), page(2, 2, "3"))
        end(store, full, ["1", "2", "3"])
        assert full.outcome is not None
        assert full.outcome.order is None
        pages = page(1, 3, "2", "4"), page(1, 4, "4")
        changes = add(store, Round(2, RoundKind.CHANGES, None, AT), *pages)
        assert chosen(store, full, changes) == ["1", "3", "2", "4"]


def test_what_is_gone_comes_back_when_it_is_read_later() -> None:
    with closing(private()) as store:
        full = add(store, Round(1, RoundKind.FULL, None, AT), page(1, 1, "1", "2", "3"))
        end(store, full, ["1", "2", "3"])
        removals = add(store, Round(2, RoundKind.REMOVALS, "id", AT), page(1, 2, "1"))
        removals.outcome = Outcome(at=AT, pages=1, available=1, gone=["2", "3"])
        assert chosen(store, full, removals) == ["1"]
        changes = add(store, Round(3, RoundKind.CHANGES, None, AT), page(1, 3, "3"))
        assert chosen(store, full, removals, changes) == ["1", "3"]


def test_pages_count_in_the_order_of_the_collection() -> None:
    with closing(private()) as store:
        pages = page(1, 1, "1", "2"), page(3, 2, "5"), page(2, 3, "3", "4")
        full = add(store, Round(1, RoundKind.FULL, "id", AT), *pages)
        assert chosen(store, full) == ["1", "2", "3", "4", "5"]
        end(store, full, ["1", "2", "3", "4", "5"])
        assert chosen(store, full) == ["1", "2", "3", "4", "5"]
    with closing(private()) as store:  # newest first, and two came between two days
        pages = page(1, 1, "3", "2"), page(2, 2, "1"), page(1, 3, "5", "4")
        full = add(store, Round(1, RoundKind.FULL, "id_reverse", AT), *pages)
        end(store, full, ["5", "4", "3", "2", "1"])
        assert full.outcome is not None
        assert full.outcome.order == [3, 1, 2]
        assert chosen(store, full) == ["5", "4", "3", "2", "1"]


def task(path: Path, *contents: str) -> ReadTask:
    refs = []
    with Store.open_writer(path, Collection("project", "", "x", None)) as store:
        one = add(store, Round(1, RoundKind.FULL, None, AT))
        for number, content in enumerate(contents, 1):
            text = PAGE.format(number, content).encode()
            digest, compressed = compress(text)
            record = page(number, 1)
            record.sha256 = digest
            store.add_page(one, record, compressed)
            refs.append(PageRef(number, digest, len(text)))
    return ReadTask(path=path, bundle=False, resource="project", columns=None, facts={}, pages=refs)


def test_a_task_gives_the_same_whether_it_is_read_at_once_or_in_parts(tmp_path: Path) -> None:
    whole = task(tmp_path / "a", "<odd>x</odd>", *[""] * 63, *["<other>y</other>"] * 3)
    frames = list(whole.frames())
    apart = [frame for part in whole.split(64) for frame in part.frames()]
    assert [list(frame) for frame in frames] == [list(frame) for frame in apart]
    assert ["odd" in frame for frame in frames] == [True, False]
    assert [len(frame) for frame in frames] == [64, 3]


def test_no_pages_are_one_task_and_one_empty_frame(tmp_path: Path) -> None:
    (only,) = task(tmp_path / "a").split(10)
    (frame,) = only.frames()
    assert (len(frame), "name" in frame) == (0, True)
