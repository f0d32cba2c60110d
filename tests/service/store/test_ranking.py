"""Queries and orders, over HTTP: the first hit of a name is the record of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.service import Directory
from tests.service.conftest import write_collection
from tests.service.importing.test_importer import build, page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dirframe.service.api_keys import KeyStore
    from dirframe.service.records import Value


def project(number: int, name: str, more: str = "") -> str:
    return f"<project><id>{number}</id><name>{name}</name>{more}</project>"


PROJECTS = (
    project(1, "Sync", "<description>Works with git.</description><user_count>900</user_count>"),
    project(2, "Tower", "<tags><tag>git</tag></tags><user_count>80</user_count>"),
    project(3, "My Git Tools", "<user_count>3</user_count><average_rating>4.5</average_rating>"),
    project(4, "Git Extensions", "<user_count>4</user_count><average_rating>3</average_rating>"),
    project(5, "Digits", "<user_count>5,000</user_count>"),
    project(6, "Git", "<user_count>1</user_count>"),
    project(7, "The version control", "<vanity_url>git</vanity_url><user_count>2</user_count>"),
    project(8, "Tower", "<tags><tag>gitolite</tag></tags><description>b</description>"),
    project(9, "Git Annex", "<user_count>4</user_count><description>a</description>"),
)


@pytest.fixture
def directory(tmp_path: Path, keys: KeyStore) -> Iterator[Directory]:
    with build(tmp_path, page(*PROJECTS)) as store:
        yield Directory(store, keys)


BEST = ["6", "4", "9", "3", "2", "5", "1", "8"]


def test_a_query_without_a_sort_gives_the_best_match_first(directory: Directory) -> None:
    assert directory.ids("/projects.xml?query=GIT") == BEST
    assert directory.ids("/projects.xml?query=git&sort=relevance") == BEST
    assert directory.ids("/projects.xml?q=git") == BEST
    assert directory.ids("/projects.xml?q=tower&query=git") == BEST
    assert directory.ids("/projects.xml?query=git+tools") == ["3"]
    assert directory.ids("/projects.xml?query=git&sort=id") == sorted(BEST)


def test_a_short_name_is_an_exact_match(tmp_path: Path, keys: KeyStore) -> None:
    more = "<description>Once called git.</description><vanity_url>git</vanity_url>"
    other = "<user_count>9</user_count>"
    with build(tmp_path, page(project(1, "Git tools", other), project(2, "x", more))) as store:
        assert Directory(store, keys).ids("/projects.xml?query=git") == ["2", "1"]


def test_a_collection_without_a_query_stays_newest_first(directory: Directory) -> None:
    newest = directory.ids("/projects.xml?sort=created_at_reverse")
    assert directory.ids("/projects.xml") == directory.ids("/projects.xml?query=") == newest
    by_users = directory.ids("/projects.xml?sort=relevance")
    assert by_users == ["5", "1", "2", "4", "9", "3", "7", "6", "8"]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [("tag:git", ["2"]), ("TAG:Git+tower", ["2"]), ("tag:gi", []), ("tag:git+tag:x", [])],
)
def test_a_tag_is_asked_for_exactly(directory: Directory, query: str, wanted: list[str]) -> None:
    assert directory.ids(f"/projects.xml?query={query}") == wanted


@pytest.mark.parametrize(
    ("sort", "wanted"),
    [
        ("users", ["5", "1", "2", "9", "4", "3", "7", "6", "8"]),
        ("popularity", ["5", "1", "2", "9", "4", "3", "7", "6", "8"]),
        ("rating", ["3", "4", "1", "2", "5", "6", "7", "8", "9"]),
        ("new", ["9", "8", "7", "6", "5", "4", "3", "2", "1"]),
        ("project_name", ["5", "6", "9", "4", "3", "1", "7", "2", "8"]),
        ("description", ["9", "8", "1", "2", "3", "4", "5", "6", "7"]),
    ],
)
def test_the_sorts_of_today_are_whole_orders(
    directory: Directory, sort: str, wanted: list[str]
) -> None:
    assert directory.ids(f"/projects.xml?sort={sort}") == wanted


@pytest.mark.parametrize("sort", ["active_committers", "activity_level", "stars", "users_reverse"])
def test_a_sort_by_a_field_that_no_record_has_is_refused_by_name(
    directory: Directory, sort: str
) -> None:
    text = directory.root(f"/projects.xml?sort={sort}", status=400).findtext("error") or ""
    assert sort in text
    assert "rating" in text
    assert "activity_level" not in text.replace(sort, "")


def test_committers_and_activity_are_orders_where_the_records_have_them(
    tmp_path: Path, keys: KeyStore
) -> None:
    def busy(number: int, people: str, value: str) -> str:
        return project(
            number,
            "x",
            f"<analysis><twelve_month_contributor_count>{people}</twelve_month_contributor_count>"
            f"</analysis><project_activity_index><value>{value}</value></project_activity_index>",
        )

    with build(tmp_path, page(busy(1, "2", "90"), busy(2, "1,100", "10"))) as store:
        directory = Directory(store, keys)
        assert directory.ids("/projects.xml?sort=active_committers") == ["2", "1"]
        assert directory.ids("/projects.xml?sort=activity_level") == ["1", "2"]


def test_accounts_keep_the_order_of_the_specification_and_offer_relevance(
    tmp_path: Path, keys: KeyStore
) -> None:
    names = ["Ann Bob", "Bob", "Bobby"]
    records: list[dict[str, Value]] = [
        {"id": str(n), "name": name, "created_at": f"201{n}-01-01T00:00:00Z"}
        for n, name in enumerate(names)
    ]
    write_collection(tmp_path, "account", records)
    with build(tmp_path) as store:
        directory = Directory(store, keys)
        assert directory.ids("/accounts.xml?query=bob") == ["2", "1", "0"]
        assert directory.ids("/accounts.xml?query=bob&sort=relevance") == ["1", "2", "0"]


def test_the_list_of_a_query_shows_its_order(directory: Directory) -> None:
    listing = directory.client.get("/projects?query=git").get_data(as_text=True)
    assert listing.index("Git Extensions") < listing.index("My Git Tools") < listing.index("Digits")
    assert '<option value="" selected>' in listing
    named = directory.client.get("/projects?query=git&sort=rating").get_data(as_text=True)
    assert '<option value="rating" selected>' in named
