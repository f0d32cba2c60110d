"""A directory like today's live service: `per_page`, and `ids` of projects."""

import pytest
from lxml import etree, html

import dirframe
from dirframe.service.keys import KeyStore
from tests.rig.server import page_xml
from tests.service import wire
from tests.service.conftest import Client


@pytest.fixture(scope="module")
def ask(records_folder):
    """Return a function that asks for a page: its ids, its total and its position, or its status."""

    def ask_for(path, query):
        response = wire.ask(service.url, f"{path}?api_key={service.api_key.reveal()}&{query}")
        if response.status != 200:
            return response.status
        root = etree.fromstring(response.body)
        ids = [element.text for element in root.iterfind("result/*/id")]
        return ids, *(
            int(root.findtext(name)) for name in ("items_available", "first_item_position")
        )

    with dirframe.serve(records_folder, analyses=False) as service:
        yield ask_for


def ids_of(*numbers):
    return [str(number) for number in numbers]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ids=3,1,2,2,999", (ids_of(1, 2, 3), 3, 0)),
        ("ids=12abc,+13,0014", (ids_of(12, 13, 14), 3, 0)),
        ("ids=abc,0,-5,99999999999999999999,", ([], 0, 0)),
        ("ids=7&query=nothing&sort=name_reverse", (ids_of(7), 1, 0)),
        (f"ids={','.join(map(str, range(1, 101)))}&per_page=25", (ids_of(*range(1, 26)), 63, 0)),
        (f"ids={','.join(map(str, range(1, 101)))}", (ids_of(*range(1, 11)), 63, 0)),
        (f"ids={','.join(map(str, range(40, 101)))}&page=3", (ids_of(*range(60, 64)), 24, 20)),
        (f"ids={','.join(['2147483647'] * 520)}", ([], 0, 0)),  # a line of 6,000 bytes
    ],
)
def test_ids_are_the_projects_among_them_in_their_order(ask, query, expected):
    assert ask("/projects.xml", query) == expected


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 10),
        ("per_page=", 10),
        ("per_page=3", 3),
        ("per_page=25", 25),
        ("per_page=1000", 25),
        ("per_page=0", 0),
        ("per_page=many", 0),
        ("ids=&per_page=25&sort=id", 25),
    ],
)
def test_per_page_is_the_number_of_projects_up_to_25(ask, query, count):
    ids, total, position = ask("/projects.xml", query)
    assert (len(ids), total, position) == (count, 63, 0)


def test_per_page_that_is_negative_is_not_found(ask):
    assert ask("/projects.xml", "per_page=-1") == 404


def test_per_page_and_ids_of_accounts_are_unknown(ask):
    ids, total, _ = ask("/accounts.xml", "per_page=25&ids=1,2")
    assert (len(ids), total) == (10, 107)


def test_per_page_and_ids_are_unknown_where_collections_have_analyses(client):
    assert len(client.ids("/projects.xml?ids=1,2&per_page=3")) == 25


def test_contributors_of_an_unanalysed_project_are_an_error_with_status_200(store, keys):
    client = Client.of(store, keys, analyses=False)
    response = client.get("/projects/5/contributors.xml")
    assert response.status_code == 200
    root = etree.fromstring(response.data)
    assert [(child.tag, child.text) for child in root] == [
        ("status", "error"),
        ("message", "Code analysis is not available"),
    ]


def test_page_size_of_pages_is_that_of_the_xml(store, keys):
    client = Client.of(store, keys, analyses=False)
    root = html.fromstring(client.client.get("/projects?page=3").data)
    ids = [link.rpartition("/")[2] for link in root.xpath("//ol//h2/a/@href")]
    [xml, _] = root.xpath("//p[@class='also']/a/@href")
    served = etree.fromstring(client.get(xml).data)
    assert ids == [element.text for element in served.iterfind("result/project/id")]
    assert len(ids) == 10
    assert root.xpath("//nav[@class='paging']/a[last()]/@href") == ["/projects?page=7"]


@pytest.mark.parametrize(
    ("count", "page", "status"), [(20, 1, 200), (20, 2, 302), (21, 2, 200), (21, 3, 302)]
)
def test_pagination_of_a_portfolio_past_its_end_is_a_redirect(
    count, page, status, tmp_path, imported
):
    entries = "".join(f"<project><name>{n}</name></project>" for n in range(count))
    path = tmp_path / "orgs" / "acme" / "projects.xml"
    path.parent.mkdir(parents=True)
    path.write_bytes(page_xml([f"<portfolio_projects>{entries}</portfolio_projects>"]))
    response = imported(tmp_path, analyses=False).get(f"/orgs/acme/projects.xml?page={page}")
    to = "/orgs/acme" if status == 302 else None
    assert (response.status_code, response.headers.get("Location")) == (status, to)


@pytest.mark.parametrize(
    ("name", "element", "address"),
    [
        ("projects", "portfolio_projects", None),
        ("outside_committers", "outside_committers", "/orgs/acme/outside_committers"),
    ],
)
def test_list_of_people_of_an_organization_has_the_address_of_its_page(
    name, element, address, tmp_path, imported
):
    path = tmp_path / "orgs" / "acme" / f"{name}.xml"
    path.parent.mkdir(parents=True)
    entry = "<project/>" if name == "projects" else "<contributor/>"
    path.write_bytes(page_xml([f"<{element}>{entry}</{element}>"]))
    wrapper = imported(tmp_path, analyses=False).root(f"/orgs/acme/{name}.xml").find("result/*")
    assert wrapper.findtext("detailed_page_url") == address
    assert "".join(wrapper.itertext()).strip() == (address or "")


def test_page_of_an_organization_is_its_name_or_404(tmp_path, imported):
    (tmp_path / "orgs").mkdir()
    (tmp_path / "orgs" / "acme.xml").write_bytes(page_xml(["<org><name>A &amp; B</name></org>"]))
    client = imported(tmp_path, analyses=False)
    assert html.fromstring(client.get("/orgs/acme").text).findtext(".//h1") == "A & B"
    assert client.get("/orgs/nobody").status_code == 404


def test_title_without_blanks_finds_a_project_as_a_short_name_does(store, keys):
    client = Client.of(store, keys, analyses=False)
    assert client.ids("/projects/project7.xml") == ["7"]
    client.error("/projects/project70.xml", 404)
    with KeyStore() as other_keys:
        Client.of(store, other_keys).error("/projects/project7.xml", 404)
