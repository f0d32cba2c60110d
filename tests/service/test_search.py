"""Sorts and queries, against plain Python: every page of every sort, and what a query finds."""

import unicodedata

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.rig.server import record

FOUR = ("created_at", "id", "name", "updated_at")


def fold(text):
    return unicodedata.normalize("NFC", text.casefold())


def sort_key(sort, fields):
    """Return what a record is sorted by; ties are in the order of the ids."""
    number = int(fields["identifier"])
    value = number if sort == "id" else fields[sort]
    return (fold(value) if isinstance(value, str) else value), number


def test_every_sort_has_every_record_once_in_its_order(client, records):
    failures = []
    for collection, sorts in (("accounts", FOUR), ("projects", (*FOUR, "stack_count"))):
        for sort in sorts:
            expected = [
                fields["identifier"]
                for fields in sorted(records[collection], key=lambda f: sort_key(sort, f))
            ]
            forwards, backwards = (
                client.all_ids(f"/{collection}.xml?sort={sort}{end}") for end in ("", "_reverse")
            )
            if forwards != expected or backwards != expected[::-1]:
                failures.append((collection, sort))
    assert not failures
    for collection in records:
        newest = client.ids(f"/{collection}.xml?sort=created_at_reverse")
        assert client.ids(f"/{collection}.xml") == newest


def test_numeric_ids_sort_by_value_and_before_all_others(written):
    ids = ["10", "9", "007", "7", "b", "a2", "123456789012345678901234567890", "0"]
    client = written([record(one, "account", name="x") for one in ids])
    expected = ["0", "007", "7", "9", "10", "123456789012345678901234567890", "a2", "b"]
    assert client.ids("/accounts.xml?sort=id") == expected
    assert client.ids("/accounts.xml?sort=id_reverse") == expected[::-1]
    assert client.ids("/accounts.xml?sort=name") == expected


def test_accounts_are_searched_by_parts_of_their_names_in_any_case(client, records):
    for query, names in (
        ("GRÖSSE", {"Zoë GRÖSSE"}),
        ("größe", {"Zoë GRÖSSE"}),  # SS is ß in capital letters
        ("grösse zoë", {"Zoë GRÖSSE"}),
        ("ÇEL", {"çelik"}),
        ("o", {"bob", "Zoë GRÖSSE"}),
        ("ada exam", {"Ada Example"}),
        ("ada bob", set()),
        ("avatars", set()),  # only the name is searched
    ):
        expected = [f["identifier"] for f in records["accounts"] if f["name"] in names]
        assert sorted(client.all_ids(f"/accounts.xml?query={query}"), key=int) == expected, query


def test_projects_are_searched_in_title_description_and_tags_and_nothing_is_syntax(client):
    for query, count in (
        ("project", 63),
        ("<xml>", 32),
        ("c%2B%2B", 42),
        ("ontro", 42),
        ("writes c%2B%2B", 21),
        ("it.", 32),
        ("http", 0),
        ('" OR "', 0),
        ("NEAR(a b)", 0),
        ("word:xml", 0),
        ("xml*", 0),
    ):
        assert len(client.all_ids(f"/projects.xml?query={query}")) == count, query


def test_query_is_sorted_and_paged_as_the_whole_collection(client):
    found = client.all_ids("/projects.xml?query=xml&sort=stack_count")
    whole = client.all_ids("/projects.xml?sort=stack_count")
    assert found == [one for one in whole if int(one) % 2]
    assert client.all_ids("/projects.xml?query=xml&sort=stack_count_reverse") == found[::-1]


LETTERS = st.text("aAbBßİéE\u0301\"*'%_ 自", max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(LETTERS, LETTERS, LETTERS), min_size=1, max_size=6),
    st.lists(LETTERS, min_size=5),
)
def test_query_finds_what_a_plain_search_finds(written, texts, queries):
    client = written(
        [
            record(n, name=name, description=text, inner=f"<tags><tag>{tag}</tag></tags>")
            for n, (name, text, tag) in enumerate(texts)
        ]
    )
    for query in queries:
        expected = [
            str(number)
            for number, parts in enumerate(texts)
            if all(any(word in fold(part) for part in parts) for word in fold(query).split())
        ]
        assert client.ids("/projects.xml", query=query, sort="id") == expected, query


# Ranks, and the sorts of today's directories


def project(number, name, inner="", **fields):
    return record(number, name=name, inner=inner, **fields)


RANKED = (
    project(1, "Sync", description="Works with git.", user_count="900"),
    project(2, "Tower", "<tags><tag>git</tag></tags>", user_count="80"),
    project(3, "My Git Tools", user_count="3", average_rating="4.5"),
    project(4, "Git Extensions", user_count="4", average_rating="3"),
    project(5, "Digits", user_count="5,000"),
    project(6, "Git", user_count="1"),
    project(7, "The version control", vanity_url="git", user_count="2"),
    project(8, "Tower", "<tags><tag>gitolite</tag></tags>", description="b"),
    project(9, "Git Annex", user_count="4", description="a"),
)
BEST = "64932518"


def test_query_without_a_sort_gives_the_best_match_first(written):
    client = written(RANKED)
    for parameters, expected in (
        ("query=GIT", BEST),
        ("query=git&sort=relevance", BEST),
        ("q=git", BEST),
        ("q=tower&query=git", BEST),
        ("query=git+tools", "3"),
        ("query=git&sort=id", "".join(sorted(BEST))),
        # a tag is asked for exactly
        ("query=tag:git", "2"),
        ("query=TAG:Git+tower", "2"),
        ("query=tag:gi", ""),
        ("query=tag:git+tag:x", ""),
        # without a query
        ("query=", "987654321"),
        ("sort=relevance", "512493768"),
    ):
        assert "".join(client.ids(f"/projects.xml?{parameters}")) == expected, parameters
    listing = client.get("/projects?query=git").text
    assert listing.index("Git Extensions") < listing.index("My Git Tools") < listing.index("Digits")


def test_short_name_is_an_exact_match(written):
    named = project(2, "x", description="Once called git.", vanity_url="git")
    client = written([project(1, "Git tools", user_count="9"), named])
    assert client.ids("/projects.xml?query=git") == ["2", "1"]


def test_accounts_offer_relevance_and_keep_the_order_of_the_specification(written):
    client = written(
        [
            record(n, "account", name=name, created_at=f"201{n}-01-01T00:00:00Z")
            for n, name in enumerate(("Ann Bob", "Bob", "Bobby"))
        ]
    )
    assert client.ids("/accounts.xml?query=bob") == ["2", "1", "0"]
    assert client.ids("/accounts.xml?query=bob&sort=relevance") == ["1", "2", "0"]


def test_sorts_of_today_are_whole_orders_where_the_records_have_the_field(written):
    client = written(RANKED)
    for sort, expected in (
        ("users", "512943768"),
        ("popularity", "512943768"),
        ("rating", "341256789"),
        ("new", "987654321"),
        ("project_name", "569431728"),
        ("description", "981234567"),
    ):
        assert "".join(client.ids(f"/projects.xml?sort={sort}")) == expected, sort
    for sort in ("active_committers", "activity_level", "users_reverse"):
        text = client.error(f"/projects.xml?sort={sort}", 400)
        assert "rating" in text
        assert "activity_level" not in text.replace(sort, "")
    busy = (
        "<analysis><twelve_month_contributor_count>{}</twelve_month_contributor_count></analysis>"
        "<project_activity_index><value>{}</value></project_activity_index>"
    )
    client = written(
        [project(1, "x", busy.format("2", "90")), project(2, "x", busy.format("1,100", "10"))]
    )
    assert client.ids("/projects.xml?sort=active_committers") == ["2", "1"]
    assert client.ids("/projects.xml?sort=activity_level") == ["1", "2"]
