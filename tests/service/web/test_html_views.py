"""The pages for people: readable without JavaScript, safe whatever a record says."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from lxml import html

from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.store.build import base_sorts, build_store
from dirframe.service.store.store import Store
from dirframe.service.web.html_views import SORT_LABELS, link
from tests.service import Directory
from tests.service.conftest import write_collection

if TYPE_CHECKING:
    from pathlib import Path

    from lxml.html import HtmlElement

    from dirframe.service.api_keys import KeyStore

PAGES = ["/", "/accounts", "/projects", "/accounts/1", "/projects/1", "/nowhere"]


def page(directory: Directory, target: str, *, status: int = 200) -> HtmlElement:
    response = directory.client.get(target)  # without a key
    assert response.status_code == status
    assert response.content_type == "text/html; charset=utf-8"
    return html.fromstring(response.get_data())


@pytest.mark.parametrize("target", PAGES)
def test_every_page_is_accessible_and_asks_no_other_host(directory: Directory, target: str) -> None:
    root = page(directory, target, status=404 if target == "/nowhere" else 200)
    assert root.get("lang") == "en"
    assert len(root.findall(".//h1")) == 1
    assert (root.findtext(".//title") or "").strip()
    assert root.xpath("//a[@class='skip']/@href") == ["#content"]
    assert root.xpath("//main/@id") == ["content"]
    for field in root.xpath("//input | //select"):
        assert root.xpath(f"//label[@for='{field.get('id')}']")
    assert not root.xpath("//script | //img | //iframe | //*[@style] | //style")
    for address in root.xpath("//link/@href | //form/@action | //*[@src]/@src"):
        assert address.startswith("/")


def test_a_list_can_be_searched_sorted_and_paged_by_its_own_links(directory: Directory) -> None:
    target = "/projects?query=xml&sort=id"
    seen: list[str] = []
    while target:
        root = page(directory, target)
        seen += [a.get("href").rsplit("/", 1)[1] for a in root.xpath("//ol//h2/a")]
        following = root.xpath("//a[@rel='next']/@href")
        target = following[0] if following else ""
        if target:
            asked = parse_qs(urlsplit(target).query)
            assert (asked["query"], asked["sort"]) == (["xml"], ["id"])
    assert seen == [str(number) for number in range(1, 64, 2)]


def test_every_list_offers_its_sorts_and_its_xml(directory: Directory) -> None:
    for resource in (ACCOUNT, PROJECT):
        root = page(directory, f"/{resource.collection}?query=o&page=2")
        offered = root.xpath("//select/option/@value")
        automatic = [""] if resource is PROJECT else []
        others = ["description", "relevance"] if resource is PROJECT else ["relevance"]
        assert offered == [*automatic, *resource.sorts, *others]
        selected = "" if resource is PROJECT else resource.default_sort
        assert root.xpath("//option[@selected]/@value") == [selected]
        address = root.xpath("//p[@class='also']/a/@href")[0]
        assert address.startswith(f"/{resource.collection}.xml?query=o&")
        assert directory.get(address).status_code == 200
    assert set(SORT_LABELS) == set(base_sorts(PROJECT)) | set(PROJECT.sorts)


def test_each_record_links_to_its_xml(directory: Directory) -> None:
    for target in ("/accounts/7", "/projects/7"):
        assert page(directory, target).xpath(f"//a[@href='{target}.xml']")


def test_a_list_says_when_there_is_nothing(directory: Directory) -> None:
    assert "No accounts match" in page(directory, "/accounts?query=nobody").text_content()
    beyond = page(directory, "/accounts?page=99")
    assert "nothing on page 99" in beyond.text_content()
    assert beyond.xpath("//p[@role='status']/a/@href") == ["/accounts?page=5"]


def test_a_page_that_cannot_be_meant_is_a_page_that_says_so(directory: Directory) -> None:
    assert "first page is 1" in page(directory, "/accounts?page=0", status=400).text_content()
    assert "no sort" in page(directory, "/accounts?sort=stars", status=400).text_content()
    assert "no account" in page(directory, "/accounts/999", status=404).text_content()


def test_the_home_page_says_how_to_get_a_key_and_what_the_terms_are(directory: Directory) -> None:
    text = " ".join(page(directory, "/").text_content().split())
    for expected in ("107 accounts", "63 projects", "api_key", "operator", "cite", "link back"):
        assert expected in text


HOSTILE = '<script>alert(1)</script>" onmouseover="x'


def test_what_members_write_is_text_and_never_markup(tmp_path: Path, keys: KeyStore) -> None:
    write_collection(
        tmp_path,
        "project",
        [
            {
                "id": "1",
                "name": HOSTILE,
                "description": HOSTILE,
                "homepage_url": "javascript:alert(1)",
                "download_url": 'https://x.example/?a="><script>',
                "stack_count": HOSTILE,
                "tags": [HOSTILE],
                "analysis": {"main_language_name": HOSTILE, "total_code_lines": "-5"},
            }
        ],
    )
    write_collection(
        tmp_path, "account", [{"id": "a'b", "name": HOSTILE, "homepage_url": " JavaScript:x"}]
    )
    with Store(build_store(tmp_path / "s", [tmp_path])) as store:
        directory = Directory(store, keys)
        for target in (
            "/projects",
            "/projects/1",
            "/accounts",
            "/accounts/a'b",
            "/projects?query=%3Cscript",
        ):
            root = page(directory, target)
            assert not root.xpath("//script | //@onmouseover")
            assert not root.xpath(
                "//a[contains(translate(@href, 'JAVSCRIPT', 'javscript'), 'javascript:')]"
            )
            assert HOSTILE in root.text_content()


def test_an_account_without_a_score_is_shown_with_kudo_rank_1(
    tmp_path: Path, keys: KeyStore
) -> None:
    scored = {"kudo_rank": "9", "position": "390"}
    write_collection(
        tmp_path,
        "account",
        [{"id": "1", "name": "new"}, {"id": "2", "name": "known", "kudo_score": scored}],
    )
    with Store(build_store(tmp_path / "s", [tmp_path])) as store:
        directory = Directory(store, keys)
        for target, rank in (("/accounts/1", "1"), ("/accounts/2", "9")):
            root = page(directory, target)
            assert root.xpath("//dt[.='Kudo rank']/following-sibling::dd/text()") == [rank]
            in_xml = "<kudo_score>" in directory.get(f"{target}.xml").get_data(as_text=True)
            assert in_xml == (rank == "9")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://x.example/a?b=c", True),
        ("irc://irc.example/room", True),
        ("javascript:alert(1)", False),
        ("JAVASCRIPT://x.example/%0aalert(1)", False),
        ("data:text/html,x", False),
        ("//x.example", False),
        ("x.example", False),
        ("http://[", False),
        ("", False),
        (None, False),
        ({"a": "b"}, False),
    ],
)
def test_only_addresses_of_known_kinds_become_links(url: object, expected: bool) -> None:
    assert link(url) == (url if expected else None)
