"""The stand-in of today's live service, which other tests rely on: what it answers, over HTTP."""

import re
from typing import NamedTuple

import pytest
import requests

from tests.rig.server import id_of, numbered
from tests.rig.today import LONGEST_LINE, Today, accounts

KEY = "k3y"


class Seen(NamedTuple):
    """A page: the ids of its records, its total and its position."""

    ids: list[str]
    total: int
    position: int


def get(rig, path, **parameters):
    parameters = "&".join(f"{name}={text}" for name, text in parameters.items())
    return requests.get(f"{rig.url}{path}?api_key={KEY}&{parameters}", timeout=10)


def seen(rig, path="/p.xml", **parameters):
    response = get(rig, path, **parameters)
    assert response.status_code == 200
    kind = path[1:2].replace("p", "project").replace("a", "account")
    records = re.findall(f"<{kind}>.*?</{kind}>", response.text)
    total, position = (
        int(re.search(f"<{name}>([0-9]+)<", response.text)[1])
        for name in ("items_available", "first_item_position")
    )
    return Seen([id_of(xml) for xml in records], total, position)


@pytest.fixture
def today():
    with Today([str(n) for n in range(1, 100) if n % 10], key=KEY).in_process() as rig:
        yield rig


def missing(rig, **parameters):
    response = get(rig, "/p.xml", **parameters)
    kind = response.headers["Content-Type"]
    return (response.status_code, kind, response.text.startswith("<error>")) == (
        404,
        "text/html",
        True,
    )


@pytest.mark.parametrize(
    ("per_page", "count"),
    [("", 10), ("3", 3), ("25", 25), ("26", 25), ("9999", 25), ("0", 0), ("abc", 0), ("12x", 12)],
)
def test_today_has_up_to_25_projects_a_page(today, per_page, count):
    page = seen(today, per_page=per_page)
    assert (len(page.ids), page.total) == (count, 90)
    assert missing(today, per_page="-1")


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ("3,1,2,2", ["1", "2", "3"]),
        ("9,10,11", ["9", "11"]),
        ("12abc", ["12"]),
        ("abc,-5,99999999999999999999,", []),
        (",".join(map(str, range(1, 40))), [str(n) for n in range(1, 28) if n % 10]),
    ],
)
def test_today_has_the_projects_among_ids_in_their_order(today, ids, expected):
    page = seen(today, ids=ids, per_page=25, query="nothing", sort="new")
    total = 36 if len(expected) == 25 else len(expected)
    assert page == Seen(expected, total, 0)


def test_today_has_pages_of_ids_and_all_projects_for_none(today):
    asked = ",".join(map(str, range(1, 40)))
    assert seen(today, ids=asked, per_page=25, page=2) == Seen(
        ["28", "29", *map(str, range(31, 40))], 36, 25
    )
    assert seen(today, ids="", per_page=25).total == 90


def test_today_past_the_end_and_page_numbers(today):
    assert seen(today, page=99) == Seen([], 90, 980)
    assert [seen(today, page=page).position for page in ("0", "-1", "abc", "2")] == [0, 0, 0, 10]
    assert missing(today, page="9" * 18)


def test_today_counts_a_short_page_by_itself(today):
    today.items_available = lambda count: count + 1  # one more until the second query
    assert seen(today, page=1).total == 91
    assert seen(today, ids="1,2").total == 2
    last = seen(today, per_page=25, page=4)
    assert (len(last.ids), last.total, last.position) == (15, 90, 75)


def test_today_keeps_few_orders(today):
    today.unused = set(numbered(50))
    newest = [str(n) for n in range(99, 70, -1) if n % 10][:10]
    assert seen(today, sort="new").ids == newest
    assert seen(today, sort="popularity").total == 45
    assert seen(today, sort="users").total == 90
    assert seen(today, sort="users").ids != seen(today, sort="users").ids
    assert missing(today, sort="activity")


def test_today_deletes_undeletes_and_merges(today):
    today.delete("1", "2")
    today.merge("3", into="4")
    today.undelete("2")
    today.create()
    assert seen(today, ids="1,2,3,4,100").ids == ["2", "4", "100"]
    assert "deleted" in get(today, "/p/3.xml").text
    today.replica_lag = 4
    assert {tuple(seen(today, ids="1,2,3,4,100").ids) for _ in range(2)} == {
        ("2", "4", "100"),
        ("1", "2", "3", "4"),
    }


def test_today_own_pages(today):
    today.bare, today.unsendable = {"5"}, {"6"}
    silent = get(today, "/p/5.xml")
    assert (silent.status_code, "<status>" in silent.text) == (200, False)
    assert get(today, "/p/6.xml").status_code == 404
    assert missing(today, ids="5,6,7")
    assert "<id>7</id>" in get(today, "/p/7zip.xml").text
    today.organizations = {"8": "Some Group"}
    assert "<vanity_url>somegroup</vanity_url>" in get(today, "/p/8.xml").text
    record = get(today, "/p.xml", ids="5").text
    assert "<analysis_id></analysis_id>" in record
    assert "<value>0</value>" in record


def test_today_refuses_lines_that_are_too_long(today):
    rest = len(f"GET /p.xml?api_key={KEY}&ids= HTTP/1.1")
    assert get(today, "/p.xml", ids="1" * (LONGEST_LINE - rest)).status_code == 200
    assert get(today, "/p.xml", ids="1" * (LONGEST_LINE - rest + 1)).status_code == 414


def test_today_has_accounts_by_their_kudos():
    with Today(
        accounts(numbered(30), unranked={"4", "9"}), kind="account", key=KEY
    ).in_process() as rig:
        first = [seen(rig, "/accounts.xml", sort="kudo_position", page=n).ids for n in (1, 2, 3)]
        again = [seen(rig, "/accounts.xml", sort="kudo_position", page=n).ids for n in (1, 2, 3)]
        assert set(first[2][-2:]) == set(again[2][-2:]) == {"4", "9"}
        assert first[:2] == again[:2]
        assert first[0] != numbered(10)
        rig.ignored = {"kudo_position"}
        assert seen(rig, "/accounts.xml", sort="kudo_position").ids == numbered(10)


def test_today_has_20_contributors_a_page(today):
    today.add("contributor_fact", 45, path="/projects/1/contributors.xml")
    text = get(today, "/p/1/contributors.xml").text
    assert text.count("<contributor_fact>") == 20


@pytest.mark.parametrize("name", ["ids", "per_page"])
def test_today_can_ignore_a_parameter_or_stop_to_honour_it(today, name):
    def sizes():
        return len(seen(today, ids="1,2,3", per_page=5).ids)

    expected = {"ids": [3, 3, 5], "per_page": [3, 3, 3]}[name]
    today.stops = {name: 2}
    assert [sizes() for _ in range(3)] == expected
    today.ignored = {name}
    assert (
        len(seen(today, ids="1,2,3,4,5,6,7,8", per_page=5).ids) == {"ids": 5, "per_page": 8}[name]
    )


def test_today_can_answer_ids_that_were_not_asked_for(today):
    today.answers_unasked = True
    assert seen(today, ids="2,3").ids == ["1", "2", "3"]
