"""The store: every page of every sort, and every query, against plain Python."""

from __future__ import annotations

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from dirframe.errors import InvalidInputError, StoreError
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT, Resource
from dirframe.service.records import Value, fold, record_from_element
from dirframe.service.store.build import build_store
from dirframe.service.store.store import MAX_QUERY, MAX_WORDS, Store
from tests.open_files import open_files
from tests.service.conftest import accounts, projects, write_collection

if TYPE_CHECKING:
    from collections.abc import Callable

Records = list[dict[str, Value]]
RECORDS: dict[str, Callable[[], Records]] = {"account": accounts, "project": projects}
EVERY_SORT = [(resource, sort) for resource in (ACCOUNT, PROJECT) for sort in resource.sorts]


def ids(fragments: list[str]) -> list[str]:
    return [str(record_from_element(etree.fromstring(xml))["id"]) for xml in fragments]


def all_ids(store: Store, resource: Resource, *, query: str = "", sort: str = "id") -> list[str]:
    found: list[str] = []
    number = 1
    while fragments := store.page(resource, query=query, sort=sort, page=number).fragments:
        found += ids(fragments)
        number += 1
    return found


def sort_key(sort: str, record: dict[str, Value]) -> tuple[object, int]:
    base = sort.removesuffix("_reverse")
    value = record[base]
    number = int(str(record["id"]))
    if base == "id":
        return number, number
    return (fold(value) if isinstance(value, str) else value), number


@pytest.mark.parametrize(("resource", "sort"), EVERY_SORT, ids=lambda x: getattr(x, "name", x))
def test_every_sort_has_every_record_once_in_its_order(
    store: Store, resource: Resource, sort: str
) -> None:
    records = sorted(RECORDS[resource.name](), key=lambda record: sort_key(sort, record))
    expected = [str(record["id"]) for record in records]
    if sort.endswith("_reverse"):
        expected.reverse()
    assert all_ids(store, resource, sort=sort) == expected


def test_accounts_come_newest_first_when_no_sort_is_named(store: Store) -> None:
    assert store.page(ACCOUNT).fragments == store.page(ACCOUNT, sort="created_at_reverse").fragments


def test_numeric_ids_sort_by_value_and_before_all_others(tmp_path: Path) -> None:
    names = ["10", "9", "007", "7", "b", "a2", "123456789012345678901234567890", "0"]
    write_collection(tmp_path, "account", [{"id": name, "name": "x"} for name in names])
    with Store(build_store(tmp_path / "s", [tmp_path])) as store:
        found = all_ids(store, ACCOUNT, sort="id")
        assert found == ["0", "007", "7", "9", "10", "123456789012345678901234567890", "a2", "b"]
        assert all_ids(store, ACCOUNT, sort="id_reverse") == found[::-1]
        assert all_ids(store, ACCOUNT, sort="name") == found


def test_a_page_past_the_end_is_empty_and_says_where_it_would_begin(store: Store) -> None:
    page = store.page(PROJECT, page=4)
    assert (page.fragments, page.available, page.first) == ([], 63, 75)
    far = store.page(PROJECT, page=10**18)
    assert (far.fragments, far.available, far.first) == ([], 63, (10**18 - 1) * PAGE_SIZE)


@pytest.mark.parametrize("page", [0, -1])
def test_a_page_before_the_first_is_refused(store: Store, page: int) -> None:
    with pytest.raises(InvalidInputError, match="the first page is 1"):
        store.page(PROJECT, page=page)


def test_an_unknown_sort_is_refused_and_the_known_ones_are_named(store: Store) -> None:
    with pytest.raises(InvalidInputError, match=r"'stars'.*stack_count"):
        store.page(PROJECT, sort="stars")
    with pytest.raises(InvalidInputError, match="updated_at_reverse"):
        store.page(ACCOUNT, sort="stack_count")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("GRÖSSE", "Zoë GRÖSSE"),
        ("größe", "Zoë GRÖSSE"),  # SS is ß in capital letters
        ("grösse zoë", "Zoë GRÖSSE"),
        ("ÇEL", "çelik"),
        ("o", "bob|Zoë GRÖSSE"),
        ("ada exam", "Ada Example"),
        ("ada bob", None),
        ("avatars", None),  # only the name is searched
    ],
)
def test_accounts_are_searched_by_parts_of_their_names_in_any_case(
    store: Store, query: str, expected: str | None
) -> None:
    found = store.page(ACCOUNT, query=query)
    names = {etree.fromstring(xml).findtext("name") for xml in found.fragments}
    assert names == (set(expected.split("|")) if expected else set())


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("project", 63),
        ("<xml>", 32),
        ("c++", 42),
        ("ontro", 42),
        ("writes c++", 21),
        ("it.", 32),
        ("http", 0),
        ('" OR "', 0),
        ("NEAR(a b)", 0),
        ("word:xml", 0),
        ("xml*", 0),
        ("\0", 63),  # what no text can hold asks for nothing
    ],
)
def test_projects_are_searched_in_title_description_and_tags_and_nothing_is_syntax(
    store: Store, query: str, wanted: int
) -> None:
    assert store.page(PROJECT, query=query).available == wanted


def test_a_query_is_paged_like_everything_else(store: Store) -> None:
    forward = all_ids(store, PROJECT, query="xml", sort="stack_count")
    assert len(set(forward)) == 32
    assert all_ids(store, PROJECT, query="xml", sort="stack_count_reverse") == forward[::-1]
    whole = all_ids(store, PROJECT, sort="stack_count")
    assert forward == [number for number in whole if int(number) % 2]


def test_a_query_without_bounds_is_refused(store: Store) -> None:
    with pytest.raises(InvalidInputError, match="characters"):
        store.page(PROJECT, query="x" * (MAX_QUERY + 1))
    with pytest.raises(InvalidInputError, match="words"):
        store.page(PROJECT, query=" ".join(str(n) for n in range(MAX_WORDS + 1)))


LETTERS = st.text("aAbBßİéE\u0301\"*'%_ 自", max_size=8)


@given(st.lists(st.tuples(LETTERS, LETTERS, LETTERS), min_size=1, max_size=6), LETTERS)
def test_a_query_finds_what_a_plain_search_finds(
    texts: list[tuple[str, str, str]], query: str
) -> None:
    records: Records = [
        {"id": str(number), "name": name, "description": description, "tags": [tag]}
        for number, (name, description, tag) in enumerate(texts)
    ]
    words = fold(query).split()
    expected = [
        str(number)
        for number, parts in enumerate(texts)
        if all(any(word in fold(part) for part in parts) for word in words)
    ]
    with TemporaryDirectory() as folder:
        write_collection(Path(folder), "project", records)
        with Store(build_store(Path(folder) / "store", [Path(folder)])) as store:
            assert all_ids(store, PROJECT, query=query, sort="id") == expected


def test_an_account_is_found_by_the_digest_of_its_address_which_is_never_sent(
    store: Store,
) -> None:
    found = store.by_email_md5(f"{10:032X}")
    assert found is not None
    assert "<id>10</id>" in found
    assert "email_md5" not in found
    assert store.by_email_md5("f" * 32) is None


def test_a_closed_store_opens_its_file_for_no_thread_any_more(store: Store, tmp_path: Path) -> None:
    copy = Path(shutil.copy(store.path, tmp_path / "copy"))
    closed = Store(copy)
    assert open_files(tmp_path) == {copy}
    closed.close()
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(StoreError, match=r"copy is closed"),
    ):
        pool.submit(closed.page, PROJECT).result()
    assert open_files(tmp_path) == set()


def test_threads_share_a_store(store: Store) -> None:
    def ask(number: int) -> int:
        query = ["xml", "project", "c++", "e"][number % 4]
        return store.page(PROJECT, query=query, sort=PROJECT.sorts[number % 10]).available

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(200)))
    assert found == [ask(number) for number in range(200)]


def test_a_store_is_read_only(store: Store) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store._database().execute("DELETE FROM accounts")


def test_another_database_another_version_and_no_database_are_refused(
    store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "x"
    with pytest.raises(StoreError, match="There is no store"):
        Store(path)
    path.write_text("nothing")
    with pytest.raises(StoreError, match="not a"):
        Store(path)
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (x)")
    database.close()
    with pytest.raises(StoreError, match="not a store of dirframe"):
        Store(path)
    shutil.copy(store.path, path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match=r"version 99.*build it again"):
        Store(path)
