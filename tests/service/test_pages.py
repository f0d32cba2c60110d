"""The pages for people: readable without JavaScript, safe whatever a record says, right behind a proxy."""

import logging
from urllib.parse import parse_qs, urljoin, urlsplit
from xml.sax.saxutils import escape

import pandas as pd
import pytest
from lxml import html

import dirframe
from dirframe.schema import RESOURCES
from tests.rig.server import record
from tests.service import wire


def page(client, target, *, status=200):
    response = client.client.get(target)  # without a key
    assert response.status_code == status, target
    assert response.content_type == "text/html; charset=utf-8"
    return html.fromstring(response.get_data())


def test_every_page_is_accessible_and_asks_no_other_host(client):
    for target in ("/", "/accounts", "/projects", "/accounts/1", "/projects/1", "/nowhere"):
        root = page(client, target, status=404 if target == "/nowhere" else 200)
        assert root.get("lang") == "en"
        assert len(root.findall(".//h1")) == 1
        assert root.findtext(".//title").strip()
        assert root.xpath("//a[@class='skip']/@href") == ["#content"]
        assert root.xpath("//main/@id") == ["content"]
        for field in root.xpath("//input | //select"):
            assert root.xpath(f"//label[@for='{field.get('id')}']")
        assert not root.xpath("//script | //img | //iframe | //*[@style] | //style")
        for address in root.xpath("//link/@href | //form/@action | //*[@src]/@src"):
            assert address.startswith("/")


def test_list_is_searched_sorted_and_paged_by_its_own_links(client):
    target, seen = "/projects?query=xml&sort=id", []
    while target:
        root = page(client, target)
        seen += [a.get("href").rsplit("/", 1)[1] for a in root.xpath("//ol//h2/a")]
        target = next(iter(root.xpath("//a[@rel='next']/@href")), None)
        if target:
            asked = parse_qs(urlsplit(target).query)
            assert (asked["query"], asked["sort"]) == (["xml"], ["id"])
    assert seen == [str(number) for number in range(1, 64, 2)]


def test_list_offers_its_sorts_and_its_xml(client):
    for collection, selected in (("accounts", "created_at_reverse"), ("projects", "")):
        root = page(client, f"/{collection}?query=o&page=2")
        offered = root.xpath("//select/option/@value")
        assert {"name", "updated_at_reverse", "relevance"} <= set(offered)
        assert root.xpath("//option[@selected]/@value") == [selected]
        for sort in offered:
            page(client, f"/{collection}?sort={sort}")
        (address,) = root.xpath("//p[@class='also']/a/@href")
        assert address.startswith(f"/{collection}.xml?query=o&")
        assert client.get(address).status_code == 200
    for target in ("/accounts/7", "/projects/7"):
        assert page(client, target).xpath(f"//a[@href='{target}.xml']")


def test_page_that_has_nothing_or_cannot_be_meant(client):
    assert not page(client, "/accounts?query=nobody").xpath("//ol//h2")
    beyond = page(client, "/accounts?page=99")
    assert beyond.xpath("//p[@role='status']/a/@href") == ["/accounts?page=5"]
    page(client, "/accounts?page=0", status=400)
    page(client, "/accounts?sort=stars", status=400)
    page(client, "/accounts/999", status=404)


def test_home_page_has_the_name_of_the_site_its_counts_and_the_addresses(folder):
    with dirframe.serve(folder, name="Us & <them>", analyses=False) as url:
        root = html.fromstring(wire.ask(url, "/").body)
    assert root.findtext(".//h1") == root.find(".//a[@class='brand']").text == "Us & <them>"
    for expected in ("107", "63", "api_key", "/projects/{project_id}.xml", "1,000", "10 a page"):
        assert expected in root.text_content()


def test_home_page_searches_accounts_where_there_are_no_projects(imported):
    frame = pd.DataFrame({"id": ["1"], "name": ["a"]})
    for collection in ("accounts", "projects"):
        (form,) = page(imported({collection: frame}), "/").xpath("//form")
        assert form.get("action") == f"/{collection}"


HOSTILE = '<script>alert(1)</script>" onmouseover="x'


def test_what_members_write_is_text_and_never_markup(written):
    text = escape(HOSTILE)
    inner = (
        f"<tags><tag>{text}</tag></tags><analysis><main_language_name>{text}</main_language_name>"
        f"<languages url='x'><language percentage='&lt;1'>{text}</language></languages></analysis>"
    )
    texts = dict.fromkeys(("name", "description", "stack_count", "location"), HOSTILE)
    url = 'https://x.example/?a="><script>'
    client = written(
        [record("1", download_url=url, inner=inner, **texts)], [record("a'b", "account", **texts)]
    )
    for target in (
        *("/projects", "/projects/1", "/accounts", "/accounts/a'b", "/projects?query=%3Cscript"),
    ):
        root = page(client, target)
        assert not root.xpath("//script | //@onmouseover")
        assert HOSTILE in root.text_content()


def test_only_addresses_of_known_kinds_become_links(written):
    known = ("https://x.example/a?b=c", "irc://irc.example/room")
    unknown = (
        *("javascript:alert(1)", " JavaScript:x", "JAVASCRIPT://x.example/%0aalert(1)"),
        *("data:text/html,x", "//x.example", "x.example"),
    )
    client = written([record(n, homepage_url=url) for n, url in enumerate((*known, *unknown))])
    for number, url in enumerate((*known, *unknown)):
        links = page(client, f"/projects/{number}").xpath("//dd/a/@href")
        assert links == ([url] if url in known else []), url


RANK = "//dt[.='Kudo rank']/following-sibling::dd/text()"


def test_account_without_a_score_is_shown_with_kudo_rank_1(written):
    score = "<kudo_score><kudo_rank>9</kudo_rank><position>390</position></kudo_score>"
    client = written([record("1", "account"), record("2", "account", inner=score)])
    for target, rank in (("/accounts/1", "1"), ("/accounts/2", "9")):
        root = page(client, target)
        assert root.xpath(RANK) == [rank]
        assert ("<kudo_score>" in client.get(f"{target}.xml").text) == (rank == "9")


FACTS = "//*[@class='facts']/span/text()"


def test_list_states_no_figure_that_a_record_lacks(imported):
    frame = pd.DataFrame({"id": ["1"], "name": ["a"]})
    client = imported({"accounts": frame, "projects": frame})
    for collection, facts in (("accounts", ["no location"]), ("projects", ["not analysed"])):
        assert page(client, f"/{collection}").xpath(FACTS) == facts
    client = imported({"projects": frame.assign(stack_count=1, analysis_total_code_lines=1200)})
    assert page(client, "/projects").xpath(FACTS) == ["1,200 lines", "1 user"]


def test_page_of_a_record_has_every_field_of_the_specification_but_digests_and_other_ids(imported):
    examples = {"text": "a", "identifier": "1", "url": "https://x.example/a", "integer": "3"}
    examples |= {"number": "4.5", "timestamp": "2012-02-01T00:00:00Z"}
    elsewhere = {"avatar_url", "email_sha1", "analysis_id", "analysis__id", "analysis_project_id"}
    elsewhere |= {
        "name",
        "description",
        "analysis_main_language_id",
    }  # the first two above the list
    for resource in RESOURCES.values():
        values = {field.column: [examples[field.kind.value]] for field in resource.specified}
        client = imported({resource.collection: pd.DataFrame(values)})
        labels = page(client, f"/{resource.collection}/1").xpath("//dt/text()")
        assert len(set(labels)) == len(labels) == len(values.keys() - elsewhere)
        assert max(map(len, labels)) < 30


LICENCES = "//dt[.='Licences']/following-sibling::dd/text()"


def test_project_shows_its_lists_in_every_dialect_and_from_a_table(written, imported):
    dialects = (
        "<license><name>mit</name><nice_name>MIT License</nice_name></license>",
        "<license><name>MIT License</name><vanity_url>mit</vanity_url></license>",  # today
    )
    pages = [[record("1", inner=f"<licenses>{one}<license/></licenses>")] for one in dialects]
    for number, records in enumerate(pages):
        root = page(written(records), "/projects/1")
        assert root.xpath(LICENCES) == ["MIT License"], number
    lists = {"licenses": '["mit"]', "tags": '["web"]', "analysis_languages": '["C"]'}
    frame = pd.DataFrame({"id": ["1"], "name": ["a"], **{n: [v] for n, v in lists.items()}})
    root = page(imported({"projects": frame}), "/projects/1")
    assert root.xpath(LICENCES) == ["mit"]
    assert root.xpath("//*[@class='tags']//a/text()") == ["web"]
    assert root.xpath("//*[@class='shares']/li")[0].text_content() == "C"  # of no known share


# Behind a proxy, which is this machine

FORWARDED = (
    *("Host: directory.example", "X-Forwarded-For: 198.51.100.9, 192.0.2.1"),
    *("X-Forwarded-Proto: https", "X-Forwarded-Host: directory.example"),
    *("X-Forwarded-Prefix: /directory", "Forwarded: for=203.0.113.5;host=elsewhere.example"),
)


@pytest.fixture(scope="module")
def behind(folder):
    """Serve the folder behind a proxy at 127.0.0.1."""
    with dirframe.serve(folder, trusted_proxy="127.0.0.1") as url:
        yield url


def test_every_link_and_form_leads_somewhere_below_the_path_of_the_proxy(behind):
    base, seen = "https://directory.example/directory", set()
    for start in ("/", "/projects?query=o&page=2", "/accounts", "/projects/7", "/nowhere"):
        root = html.fromstring(wire.ask(behind, start, *FORWARDED).body)
        for target in root.xpath("//a/@href | //link/@href | //form/@action"):
            absolute = urljoin(f"{base}{start}", target).partition("#")[0]
            assert absolute.startswith(f"{base}/"), target
            seen.add(absolute.removeprefix(base))
    for kind in (".css", "/projects/", "/accounts?", ".xml?", "page="):
        target = min(address for address in seen if kind in address)
        status = wire.ask(behind, target, *FORWARDED).status
        assert status == (403 if ".xml" in target else 200), target


def test_trusted_proxy_is_an_address_or_a_network(folder):
    for wrong in ("nginx", ""):
        with pytest.raises(dirframe.errors.ConfigurationError):
            dirframe.serve(folder, trusted_proxy=wrong)


def test_log_knows_the_client_and_believes_nobody_but_the_proxy(behind, service, caplog):
    caplog.set_level(logging.INFO, logger="dirframe.service.access")
    for url, source, forwarded, client in (
        (behind, "127.0.0.1", "198.51.100.9, 192.0.2.1", "192.0.2.1"),
        (behind, "127.0.0.1", 'a "GET /x" 200', "a%20%22GET%20%2Fx%22%20200"),
        (behind, "127.0.0.81", "192.0.2.1", "127.0.0.81"),
        (service.url, "127.0.0.1", "192.0.2.1", "127.0.0.1"),
    ):
        headers = ("Host: a", f"X-Forwarded-For: {forwarded}", "X-Forwarded-Prefix: /elsewhere")
        try:
            answer = wire.ask(url, "/", *headers, source=source)
        except OSError:
            pytest.skip("this system has one loopback address")
        assert caplog.messages[-1].split()[1] == client
        assert (b"elsewhere" in answer.body) == (source == "127.0.0.1" and url == behind)
