"""A store is built whole or not at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dirframe.errors import StoreError
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.store.build import base_sorts, build_store

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "<response><status>success</status><result>{}</result></response>"
PROJECT_XML = (
    "<project><id>{0}</id><name>p{0}</name><created_at>2010-01-01T00:00:00Z</created_at>"
    "<updated_at>2010-01-02T00:00:00Z</updated_at></project>"
)


def test_every_sort_is_one_of_these_forwards_or_backwards() -> None:
    four = ["created_at", "id", "name", "updated_at"]
    assert base_sorts(ACCOUNT) == [*four, "relevance"]
    assert base_sorts(PROJECT)[:5] == [*four, "stack_count"]
    assert sorted(base_sorts(PROJECT)[5:]) == [
        "active_committers",
        "activity_level",
        "description",
        "rating",
        "relevance",
    ]


def test_a_later_record_of_the_same_id_replaces_the_earlier(tmp_path: Path) -> None:
    for name, text in (("a", "old"), ("b", "new")):
        record = PROJECT_XML.format(1).replace("p1", text)
        (tmp_path / f"{name}.xml").write_text(PAGE.format(record))
    built = build_store(tmp_path / "store.sqlite", [tmp_path / "a.xml", tmp_path / "b.xml"])
    content = built.read_bytes()
    assert b"new" in content
    with closing(sqlite3.connect(built)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_file_that_cannot_be_read_leaves_no_store_behind(tmp_path: Path) -> None:
    (tmp_path / "good.xml").write_text(PAGE.format(PROJECT_XML.format(1)))
    (tmp_path / "cut.xml").write_text(PAGE.format(PROJECT_XML.format(2))[:-30])
    target = tmp_path / "store" / "store.sqlite"
    target.parent.mkdir()
    with pytest.raises(StoreError, match=r"cut\.xml"):
        build_store(target, [tmp_path / "good.xml", tmp_path / "cut.xml"])
    assert list(target.parent.iterdir()) == []
