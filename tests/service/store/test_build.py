"""A store is built whole or not at all."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from dirframe.errors import StoreError
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.importing.mapping import Section
from dirframe.service.importing.table_source import TableSource
from dirframe.service.importing.tables import frame_table
from dirframe.service.store.build import base_sorts, build_store
from dirframe.service.store.store import Store

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


def test_an_import_of_xml_loads_neither_pandas_nor_arrow(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(PAGE.format(PROJECT_XML.format(1)))
    code = (
        "import sys, pathlib, dirframe.service.store.build as build;"
        "build.build_store(pathlib.Path(sys.argv[1]), [pathlib.Path(sys.argv[2])]);"
        "print({'pandas', 'pyarrow'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "store", tmp_path / "a.xml"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "set()\n"


def test_a_record_that_is_added_without_a_value_is_in_every_sort(tmp_path: Path) -> None:
    old = pd.DataFrame({"id": ["1"], "name": ["a"], "average_rating": [4.5]})
    new = pd.DataFrame({"id": ["1", "2"], "name": ["a", "b"], "average_rating": [4.5, None]})
    build_store(tmp_path / "old", [source(old)])
    with Store(build_store(tmp_path / "new", [source(new)], base=tmp_path / "old")) as store:
        assert (store.changes.added, store.changes.unchanged) == (1, 1)
        for sort in store.sorts(PROJECT):
            assert len(store.page(PROJECT, sort=sort).fragments) == 2, sort


def test_of_the_versions_of_a_record_an_update_keeps_the_last(tmp_path: Path) -> None:
    def write(name: str, text: str) -> Path:
        (tmp_path / name).write_text(PAGE.format(PROJECT_XML.format(1).replace("p1", text)))
        return tmp_path / name

    old, new = write("old.xml", "old"), write("new.xml", "new")
    build_store(tmp_path / "base", [old])
    with Store(build_store(tmp_path / "store", [new, old], base=tmp_path / "base")) as store:
        assert store.page(PROJECT, query="old").available == 1
        assert store.page(PROJECT, query="new").available == 0
        assert store.changes.removed == 0


def source(frame: pd.DataFrame) -> TableSource:
    return TableSource(frame_table(frame), PROJECT, Section())


def test_an_update_gives_the_store_that_a_new_import_gives(tmp_path: Path) -> None:
    names = ["Reader of XML", "Writer", "zebra", "A parser", "Über", "Server"]
    old = pd.DataFrame(
        {
            "id": range(1, 31),
            "name": [f"{names[n % 6]} {n}" for n in range(30)],
            "description": [f"word{n % 4} text" for n in range(30)],
            "stack_count": [n % 5 for n in range(30)],
            "average_rating": [None] * 30,
        }
    )
    new = old.copy()
    new.loc[3, ["name", "description"]] = ["Renamed", "quite other words"]
    new.loc[5, "stack_count"] = 99
    new.loc[6, "average_rating"] = 4.5
    new = new.drop([0, 11, 29])  # the first, one inside, the last
    new.loc[40] = [900, "Added", "word1 more", 2, None]
    build_store(tmp_path / "old", [source(old)])
    build_store(tmp_path / "updated", [source(new)], base=tmp_path / "old")
    build_store(tmp_path / "anew", [source(new)])
    with Store(tmp_path / "updated") as updated, Store(tmp_path / "anew") as anew:
        assert (updated.changes.added, updated.changes.changed) == (1, 3)
        assert (updated.changes.removed, updated.changes.unchanged) == (3, 24)
        assert updated.sorts(PROJECT) == anew.sorts(PROJECT)
        for query in ("", "word1", "xml", "quite", "renamed", "e"):
            for sort in anew.sorts(PROJECT):
                pages = [
                    s.page(PROJECT, query=query, sort=sort, page_size=99) for s in (updated, anew)
                ]
                assert pages[0] == pages[1], (query, sort)
        assert updated.by_id(PROJECT, "1") is None
        assert updated.count(ACCOUNT) == 0
