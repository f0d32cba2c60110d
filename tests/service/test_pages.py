"""The pages for people: readable without JavaScript, safe whatever a record says, right behind a proxy."""

import logging
import re
from urllib.parse import parse_qs, urljoin, urlsplit
from xml.sax.saxutils import escape

import pandas as pd
import pytest
from lxml import html
from werkzeug.test import Client

import dirframe
from dirframe.schema import RESOURCES
from dirframe.service.app import behind_proxy, create_app
from tests.rig.server import page_xml, record
from tests.service import wire


def page(client, target, *, status=200):
    response = client.client.get(target)  # without a key
    assert response.status_code == status, target
    assert response.content_type == "text/html; charset=utf-8"
    return html.fromstring(response.get_data())


@pytest.mark.parametrize(
    ("requested", "shown"),
    [("", set()), ("id", set()), ("new", {"new"}), ("popularity", {"popularity"})],
)
def test_sort_of_another_dialect_is_an_option_only_where_it_is_requested(requested, shown, client):
    options = page(client, f"/projects?sort={requested}").xpath("//select/option/@value")
    assert {*options} & {"new", "users", "popularity", "project_name"} == shown


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/", 200),
        ("/accounts", 200),
        ("/projects", 200),
        ("/accounts/1", 200),
        ("/projects/1", 200),
        ("/nowhere", 404),
    ],
)
def test_pages_are_accessible_and_ask_no_other_host(target, status, client):
    root = page(client, target, status=status)
    assert root.findtext(".//title").strip()
    fields = {field.get("id") for field in root.xpath("//input | //select")}
    loaded = root.xpath("//link/@href | //form/@action | //*[@src]/@src")
    facts = {
        "language": root.get("lang"),
        "headings": len(root.findall(".//h1")),
        "skip": root.xpath("//a[@class='skip']/@href"),
        "main": root.xpath("//main/@id"),
        "fields without a label": fields - {*root.xpath("//label/@for")},
        "styles and scripts": root.xpath("//script | //img | //iframe | //*[@style] | //style"),
        "of another host": [address for address in loaded if not address.startswith("/")],
    }
    assert facts == {
        "language": "en",
        "headings": 1,
        "skip": ["#content"],
        "main": ["content"],
        "fields without a label": set(),
        "styles and scripts": [],
        "of another host": [],
    }


def test_pagination_links_of_a_list(client):
    target, numbers, queries = "/projects?query=xml&sort=id", [], []
    while target is not None:
        queries.append(parse_qs(urlsplit(target).query))
        root = page(client, target)
        numbers += [link.rsplit("/", 1)[1] for link in root.xpath("//ol//h2/a/@href")]
        target = next(iter(root.xpath("//a[@rel='next']/@href")), None)
    assert numbers == [str(number) for number in range(1, 64, 2)]
    assert len(queries) > 1
    assert [
        query for query in queries if (query["query"], query["sort"]) != (["xml"], ["id"])
    ] == []


@pytest.mark.parametrize(
    ("collection", "selected"), [("accounts", "created_at_reverse"), ("projects", "")]
)
def test_list_offers_its_sorts(collection, selected, client):
    root = page(client, f"/{collection}?query=o&page=2")
    offered = root.xpath("//select/option/@value")
    assert {"name", "updated_at_reverse", "relevance"} <= set(offered)
    assert root.xpath("//option[@selected]/@value") == [selected]
    for sort in offered:
        page(client, f"/{collection}?sort={sort}")


@pytest.mark.parametrize("collection", ["accounts", "projects"])
def test_list_has_the_address_of_its_xml(collection, client):
    root = page(client, f"/{collection}?query=o&page=2")
    address, help_with_keys = root.xpath("//p[@class='also']/a/@href")
    assert help_with_keys == "/#key"
    assert parse_qs(urlsplit(address).query)["page"] == ["2"]
    shown = [link.rpartition("/")[2] for link in root.xpath("//ol//h2/a/@href")]
    assert client.ids(address) == shown


@pytest.mark.parametrize("target", ["/accounts/7", "/projects/7"])
def test_page_of_a_record_has_the_address_of_its_xml(target, client):
    assert page(client, target).xpath(f"//a[@href='{target}.xml']")


def test_page_that_has_nothing_or_cannot_be_meant(client):
    assert not page(client, "/accounts?query=nobody").xpath("//ol//h2")
    beyond = page(client, "/accounts?page=99")
    assert beyond.xpath("//p[@role='status']/a/@href") == ["/accounts?page=5"]
    page(client, "/accounts?page=0", status=400)
    page(client, "/accounts?sort=stars", status=400)
    page(client, "/accounts/999", status=404)


def test_home_page_has_the_name_of_the_site_its_counts_and_the_addresses(records_folder):
    with dirframe.serve(records_folder, name="Us & <them>", analyses=False) as service:
        root = html.fromstring(wire.ask(service.url, "/").body)
    assert root.findtext(".//h1") == root.find(".//a[@class='brand']").text == "Us & <them>"
    texts = ("107", "63", "api_key", "/projects/{project_id}.xml", "1,000", "10 a page")
    assert [text for text in texts if text not in root.text_content()] == []


@pytest.mark.parametrize("collection", ["accounts", "projects"])
def test_home_page_searches_the_only_collection(collection, imported):
    frame = pd.DataFrame({"id": ["1"], "name": ["a"]})
    (form,) = page(imported({collection: frame}), "/").xpath("//form")
    assert form.get("action") == f"/{collection}"


HOSTILE = '<script>alert(1)</script>" onmouseover="x'


@pytest.mark.parametrize(
    "target",
    ["/projects", "/projects/1", "/accounts", "/accounts/a'b", "/projects?query=%3Cscript"],
)
def test_markup_of_members_is_text(target, open_written):
    text = escape(HOSTILE)
    inner = (
        f"<tags><tag>{text}</tag></tags><analysis><main_language_name>{text}</main_language_name>"
        f"<languages url='x'><language percentage='&lt;1'>{text}</language></languages></analysis>"
    )
    texts = dict.fromkeys(("name", "description", "stack_count", "location"), HOSTILE)
    url = 'https://x.example/?a="><script>'
    client = open_written(
        [record("1", download_url=url, inner=inner, **texts)], [record("a'b", "account", **texts)]
    )
    root = page(client, target)
    assert root.xpath("//script | //@onmouseover") == []
    assert HOSTILE in root.text_content()


def test_links_are_addresses_of_known_kinds(open_written):
    known = ("https://x.example/a?b=c", "irc://irc.example/room")
    unknown = (
        "javascript:alert(1)",
        " JavaScript:x",
        "JAVASCRIPT://x.example/%0aalert(1)",
        "data:text/html,x",
        "//x.example",
        "x.example",
    )
    client = open_written([record(n, homepage_url=url) for n, url in enumerate((*known, *unknown))])
    linked = {
        url: page(client, f"/projects/{number}").xpath("//dd/a/@href")
        for number, url in enumerate((*known, *unknown))
    }
    assert linked == {url: [url] for url in known} | {url: [] for url in unknown}


RANK = "//dt[.='Kudo rank']/following-sibling::dd/text()"


@pytest.mark.parametrize(("account", "rank"), [("1", "1"), ("2", "9")])
def test_kudo_rank_of_an_account_without_a_score_is_1(account, rank, open_written):
    score = "<kudo_score><kudo_rank>9</kudo_rank><position>390</position></kudo_score>"
    client = open_written([record("1", "account"), record("2", "account", inner=score)])
    assert page(client, f"/accounts/{account}").xpath(RANK) == [rank]
    assert ("<kudo_score>" in client.get(f"/accounts/{account}.xml").text) == (account == "2")


def test_kudo_rank_that_nobody_gave_is_not_shown(open_written):
    client = open_written([record("1", "account", name="Ada", country_code="DE")])
    assert page(client, "/accounts/1").xpath(RANK) == []


# A directory of the operator's own

PEOPLE = pd.DataFrame({"id": ["1"], "name": ["Ada"]})


def links_of(root):
    return {urlsplit(link).path for link in root.xpath("//a/@href")}


@pytest.mark.parametrize(
    ("collection", "other"), [("accounts", "projects"), ("projects", "accounts")]
)
def test_collection_that_a_directory_does_not_have_has_no_page(collection, other, imported):
    client = imported({collection: PEOPLE})
    statuses = {"/": 200, f"/{collection}": 200, "/nowhere": 404}
    links = [links_of(page(client, target, status=status)) for target, status in statuses.items()]
    assert [found & {"/accounts", "/projects"} for found in links] == [{f"/{collection}"}] * 3
    page(client, f"/{other}", status=404)
    home = page(client, "/").text_content()
    assert f"/{collection}.xml" in home
    assert other not in home
    assert client.ids(f"/{other}.xml") == []  # the interface has both


def test_directory_without_records_has_both_pages(open_written):
    client = open_written(page_xml([]))
    assert {"/accounts", "/projects"} <= links_of(page(client, "/"))


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("ada@example.org", "mailto:ada@example.org"),
        ("https://example.org/contact", "https://example.org/contact"),
        ("Ada, room 12", None),
        ("javascript:alert(1)", None),
        ("https://x.example/ <script>", None),
    ],
)
def test_home_page_names_the_contact(contact, link, imported):
    root = page(imported({"accounts": PEOPLE}, contact=contact), "/")
    assert f"Contact: {contact}" in root.text_content()
    found = root.xpath("//p[starts-with(normalize-space(), 'Contact')]/a/@href")
    assert found == ([link] if link else [])
    assert not root.xpath("//script")


def test_home_page_has_the_operators_description_and_terms(imported):
    texts = {"description": "The people of <Example>.", "terms": "Not for sale & rent."}
    root = page(imported({"accounts": PEOPLE}, **texts), "/")
    assert root.xpath("//p[@class='lead']/text()") == [texts["description"]]
    assert texts["terms"] in [item.text_content() for item in root.xpath("//li")]
    client = imported({"accounts": PEOPLE}, terms="https://example.org/terms")
    assert "https://example.org/terms" in page(client, "/").xpath("//li/a/@href")


@pytest.mark.parametrize("target", ["/", "/accounts", "/projects", "/accounts/1", "/projects/1"])
def test_terms_and_citation_on_every_page(target, client):
    root = page(client, target)
    [footer] = root.xpath("//footer")
    assert "cite the directory and link back" in footer.text_content()
    assert footer.xpath(".//a/@href") == ["/"]
    if target == "/":
        terms = root.xpath("//h2[.='Terms']/following-sibling::ul[1]/li")
        assert "cites this directory and links back" in terms[0].text_content()


FACTS = "//*[@class='facts']/span/text()"


@pytest.mark.parametrize(
    ("collection", "values", "facts"),
    [
        ("accounts", {}, ["no location"]),
        ("projects", {}, ["not analysed"]),
        (
            "projects",
            {"stack_count": 1, "analysis_total_code_lines": 1200},
            ["1,200 lines", "1 user"],
        ),
    ],
)
def test_list_states_no_figure_that_a_record_lacks(collection, values, facts, imported):
    frame = pd.DataFrame({"id": ["1"], "name": ["a"]}).assign(**values)
    assert page(imported({collection: frame}), f"/{collection}").xpath(FACTS) == facts


EXAMPLES = {
    "text": "a",
    "identifier": "1",
    "url": "https://x.example/a",
    "integer": "3",
    "number": "4.5",
    "timestamp": "2012-02-01T00:00:00Z",
}
#: Columns that a page does not list: a name and a description stand above the list.
UNLISTED = {
    "name",
    "description",
    "avatar_url",
    "email_sha1",
    "analysis_id",
    "analysis__id",
    "analysis_project_id",
    "analysis_main_language_id",
}


@pytest.mark.parametrize("resource", RESOURCES.values(), ids=lambda resource: resource.name)
def test_page_of_a_record_has_every_field_of_the_specification_but_digests_and_other_ids(
    resource, imported
):
    values = {field.column: [EXAMPLES[field.kind.value]] for field in resource.specified}
    if "email_sha1" in values:
        values["email_sha1"] = ["0" * 40]
    client = imported({resource.collection: pd.DataFrame(values)})
    labels = page(client, f"/{resource.collection}/1").xpath("//dt/text()")
    assert len(set(labels)) == len(labels) == len(values.keys() - UNLISTED)
    assert max(map(len, labels)) < 30


LICENCES = "//dt[.='Licences']/following-sibling::dd/text()"


@pytest.mark.parametrize(
    "license",
    [
        "<license><name>mit</name><nice_name>MIT License</nice_name></license>",
        "<license><name>MIT License</name><vanity_url>mit</vanity_url></license>",
    ],
    ids=["specified", "today"],
)
def test_project_shows_its_licences_in_every_dialect(license, open_written):
    client = open_written([record("1", inner=f"<licenses>{license}<license/></licenses>")])
    assert page(client, "/projects/1").xpath(LICENCES) == ["MIT License"]


def test_project_shows_its_lists_from_a_table(imported):
    lists = {"licenses": '["mit"]', "tags": '["web"]', "analysis_languages": '["C"]'}
    frame = pd.DataFrame({"id": ["1"], "name": ["a"], **lists})
    root = page(imported({"projects": frame}), "/projects/1")
    assert root.xpath(LICENCES) == ["mit"]
    assert root.xpath("//*[@class='tags']//a/text()") == ["web"]
    assert root.xpath("//*[@class='shares']/li")[0].text_content() == "C"  # of no known share


# Behind a proxy, which is this machine

BASE = "https://directory.example/directory"
FORWARDED = (
    "Host: directory.example",
    "X-Forwarded-For: 198.51.100.9, 192.0.2.1",
    "X-Forwarded-Prefix: /directory",
    "Forwarded: for=203.0.113.5;host=elsewhere.example",
)


@pytest.fixture(scope="module")
def behind(records_folder):
    """Serve the records_folder behind a proxy at 127.0.0.1."""
    with dirframe.serve(records_folder, trusted_proxy="127.0.0.1") as service:
        yield service.url


def targets_behind(behind, start):
    """Return the absolute addresses of the links and forms of a page behind the proxy."""
    root = html.fromstring(wire.ask(behind, start, *FORWARDED).body)
    targets = root.xpath("//a/@href | //link/@href | //form/@action")
    return {urljoin(f"{BASE}{start}", target).partition("#")[0] for target in targets}


def test_proxy_prefix_is_in_every_link_and_form(behind):
    starts = ("/", "/projects?query=o&page=2", "/accounts", "/projects/7", "/nowhere")
    targets = {target for start in starts for target in targets_behind(behind, start)}
    assert [target for target in targets if not target.startswith(f"{BASE}/")] == []
    paths = {target.removeprefix(BASE) for target in targets}
    expected = {".css": 200, "/projects/": 200, "/accounts?page=": 200, ".xml?": 403}
    examples = {kind: min(path for path in paths if kind in path) for kind in expected}
    statuses = {kind: wire.ask(behind, path, *FORWARDED).status for kind, path in examples.items()}
    assert statuses == expected


def test_links_name_no_host(behind):
    headers = ("Host: a.example", "X-Forwarded-Host: b.example", "X-Forwarded-Proto: gopher")
    pages = {
        target: wire.ask(behind, target, *headers).body
        for target in ("/", "/projects?page=2", "/accounts/1")
    }
    hosts = {target: re.findall(rb"[ab]\.example|gopher", body) for target, body in pages.items()}
    assert hosts == {"/": [], "/projects?page=2": [], "/accounts/1": []}


@pytest.mark.parametrize(
    ("peer", "trusted_proxy", "is_trusted"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("::ffff:127.0.0.1", "127.0.0.1", True),
        ("::ffff:192.0.2.7", "192.0.2.0/24", True),
        ("::ffff:198.51.100.7", "192.0.2.0/24", False),
        ("::1", "127.0.0.1", False),
        ("2001:db8::7", "2001:db8::/32", True),
    ],
)
def test_proxy_ipv4_mapped(peer, trusted_proxy, is_trusted, store, keys):
    """A service at `::` sees an IPv4 peer as an IPv6 address."""
    app = behind_proxy(create_app(store, keys), trusted_proxy)
    headers = {"X-Forwarded-Prefix": "/directory"}
    response = Client(app).get("/", headers=headers, environ_base={"REMOTE_ADDR": peer})
    assert ('href="/directory/projects"' in response.text) == is_trusted


@pytest.mark.parametrize("wrong", ["nginx", ""])
def test_proxy_is_an_address_or_a_network(wrong, records_folder):
    with pytest.raises(dirframe.errors.ConfigurationError):
        dirframe.serve(records_folder, trusted_proxy=wrong)


@pytest.mark.parametrize(
    ("has_proxy", "source", "forwarded", "client"),
    [
        (True, "127.0.0.1", "198.51.100.9, 192.0.2.1", "192.0.2.1"),
        (True, "127.0.0.1", 'a "GET /x" 200', "a%20%22GET%20%2Fx%22%20200"),
        (True, "127.0.0.81", "192.0.2.1", "127.0.0.81"),
        (False, "127.0.0.1", "192.0.2.1", "127.0.0.1"),
    ],
)
def test_proxy_names_the_client_in_the_log_and_nobody_else_does(
    has_proxy, source, forwarded, client, behind, service, caplog
):
    caplog.set_level(logging.INFO, logger="dirframe.service.access")
    headers = ("Host: a", f"X-Forwarded-For: {forwarded}", "X-Forwarded-Prefix: /elsewhere")
    try:
        answer = wire.ask(behind if has_proxy else service.url, "/", *headers, source=source)
    except OSError:
        pytest.skip("this system has one loopback address")
    assert caplog.messages[-1].split()[1] == client
    is_believed = has_proxy and source == "127.0.0.1"
    assert (b"elsewhere" in answer.body) == is_believed
