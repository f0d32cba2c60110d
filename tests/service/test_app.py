"""The interface, asked as a client asks it: envelope, records, parameters, errors, and its key."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lxml import etree

import dirframe
from dirframe.service.keys import KeyStore
from tests.rig.server import page_xml, record
from tests.service import wire
from tests.service.conftest import client_of, write


def test_pagination_counts_of_a_page(client):
    root = client.root("/accounts.xml?page=5")
    assert [child.tag for child in root] == [
        "status",
        "items_returned",
        "items_available",
        "first_item_position",
        "result",
    ]
    assert [child.text for child in root][:4] == ["success", "7", "107", "100"]
    assert len(root.findall("result/account")) == 7
    assert client.get("/accounts.xml").text.startswith('<?xml version="1.0" encoding="UTF-8"?>')


@pytest.mark.parametrize(("page", "first"), [(4, 75), (10**18 - 1, (10**18 - 2) * 25)])
def test_pagination_past_the_end_is_empty(page, first, client):
    root = client.root(f"/projects.xml?page={page}")
    texts = [(child.text or "").strip() for child in root]
    assert texts == ["success", "0", "63", str(first), ""]


def test_query_without_matches_is_an_empty_page(client):
    assert client.ids("/accounts.xml?query=nobody") == []


def test_parameters_that_are_empty_or_unknown_or_old_change_nothing(client):
    plain = client.get("/accounts.xml").get_data()
    assert client.get("/accounts.xml?v=1&page=&sort=&query=&x=y").get_data() == plain


@pytest.mark.parametrize("page", ["page=2&page=x", "page=002"])
def test_parameters_that_are_repeated_have_their_first_value(page, client):
    second = client.ids(f"/projects.xml?sort=id&sort=name&{page}")
    assert second == [str(n) for n in range(26, 51)]


def test_query_is_read_as_latin_1_where_it_is_no_utf_8(client):
    ids = client.all_ids("/accounts.xml?query=Zo%C3%AB")
    assert ids == client.all_ids("/accounts.xml?query=Zo%EB")
    assert len(ids) == 27
    assert "Zoë" in client.client.get("/accounts?query=Zo%EB").text


@pytest.mark.parametrize(
    "target",
    [
        "/accounts/999.xml",
        "/projects/x.xml",
        "/projects/x%2F..%2F1.xml",
        "/licenses.xml",
        f"/accounts/{'f' * 32}.xml",
        "/p/.xml",
        "/accounts/.xml",
        "/projects/5/x.xml",
        "/projects/5/x%01.xml",
        "/x%0B.xml",
        "/accounts/%EF%BF%BE.xml",
    ],
)
def test_404_of_an_unknown_address(target, client):
    assert client.error(target, 404)


@pytest.mark.parametrize(
    "page",
    ["0", "-1", "abc", "1.5", "%2B1", "%201", "%D9%A2", "1e3", "0x1", "9" * 5000],
)
def test_pagination_refuses_what_is_no_number_of_a_page(page, client):
    assert client.error(f"/projects.xml?page={page}", 400)


@pytest.mark.parametrize("query", ["bob%00", "%00", "a%01b", "%7F"])
def test_query_with_control_characters_is_400(query, client):
    assert "control character" in client.error(f"/accounts.xml?query={query}", 400)


@pytest.mark.parametrize(
    ("target", "status"),
    [("//projects.xml", 200), ("/projects.xml/", 200), ("/projects/", 200), ("/projects//7", 404)],
)
def test_key_is_not_repeated_in_a_redirect_to_an_address_with_fewer_slashes(target, status, client):
    response = client.get(target)
    assert (response.status_code, response.headers.get("Location")) == (status, None)


@pytest.mark.parametrize(
    ("words", "status"), [("abcdefghij", 200), ("abcdefghija", 200), ("abcdefghijk", 400)]
)
def test_query_has_at_most_ten_different_words(words, status, client):
    target = f"?query={'+'.join(words)}"
    xml, page = client.get(f"/accounts.xml{target}"), client.client.get(f"/accounts{target}")
    assert (xml.status_code, page.status_code) == (status, status)


def test_sort_that_is_unknown_is_400_and_names_the_others(client):
    assert "created_at_reverse" in client.error("/accounts.xml?sort=stars", 400)
    assert "stack_count" not in client.error("/accounts.xml?sort=users", 400)


PATHS = ["/accounts.xml", "/projects/1.xml", "/p/1.xml", "/p.xml", "/nothing.xml"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("key", ["api_key=", "api_key=0000", "key=x", "", "api_key=REVOKED"])
def test_key_that_is_missing_or_invalid_is_403(path, key, client, root):
    expected = etree.canonicalize(from_file=root / "tests/xml/failed.xml", strip_text=True)
    client.keys.revoke(1)
    response = client.client.get(f"{path}?{key.replace('REVOKED', client.key)}")
    assert response.status_code == 403
    assert etree.canonicalize(response.text, strip_text=True) == expected


def test_quota_counts_requests_with_a_key_and_no_refusals(client):
    for target in ("/accounts.xml", "/accounts/999.xml", "/accounts.xml?page=0", "/nothing.xml"):
        client.get(target)
    client.get("/accounts.xml", method="HEAD")
    client.get("/accounts.xml", method="POST")
    assert client.used() == 6
    client.client.get("/accounts.xml?api_key=wrong")
    client.get("/accounts")
    assert client.used() == 6


def test_quota_used_up_is_429_with_the_time_to_wait(client):
    client.keys.set_daily_limit(1, 1)
    assert client.get("/accounts.xml").status_code == 200
    assert client.error("/accounts.xml", 429)
    assert 86_000 < int(client.get("/accounts.xml").headers["Retry-After"]) <= 86_400
    assert client.used() == 1


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "FOO"])
@pytest.mark.parametrize(
    "target", ["/accounts.xml", "/projects/1.xml", "/accounts", "/", "/static/style.css"]
)
def test_method_other_than_get_and_head_is_405(method, target, client):
    response = client.get(target, method=method)
    assert response.status_code == 405
    assert {"GET", "HEAD"} <= set(response.headers["Allow"].split(", "))
    if target.endswith(".xml"):
        root = etree.fromstring(response.get_data())
        assert [child.tag for child in root] == ["status", "error"]


@pytest.mark.parametrize(
    "target", ["/accounts.xml", "/accounts", "/", "/nowhere", "/static/style.css", "/healthz"]
)
def test_csp_and_other_security_headers(target, client):
    expected = {
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Content-Security-Policy": (
            "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
            "frame-ancestors 'none'"
        ),
    }
    with client.get(target) as response:
        assert {name: response.headers.get(name) for name in expected} == expected
        assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize("target", ["/accounts.xml", "/projects/1.xml", "/nothing.xml"])
@pytest.mark.parametrize("key", ["", "&api_key=wrong"])
def test_cache_control_of_xml_is_private(target, key, client):
    accepted = client.get(target).headers["Cache-Control"]
    refused = client.client.get(f"{target}?{key}").headers["Cache-Control"]
    assert (accepted, refused) == ("private, no-cache", "private, no-cache")


@pytest.mark.parametrize(
    ("target", "origin"),
    [("/accounts.xml", "*"), ("/accounts", None), ("/", None), ("/healthz", None)],
)
def test_cors_xml_only(target, origin, client):
    """Other sites gain nothing: a key is part of the URL, and there is no cookie."""
    response = client.get(target, Origin="http://notebook.example")
    assert response.headers.get("Access-Control-Allow-Origin") == origin
    refused = client.client.get(target, headers={"Origin": "http://notebook.example"})
    assert refused.headers.get("Access-Control-Allow-Origin") == origin


@pytest.fixture
def generated(open_written):
    """Return the application of generated records."""
    page = page_xml([record("1", "account", name="x")])
    made = page.replace(b"<response>", b"<?dirframe-synthetic yes?><response>")
    return open_written(made, [record("1", name="y")])


@pytest.mark.parametrize(
    "target", ["/accounts.xml", "/accounts/1.xml", "/projects.xml", "/projects/1.xml"]
)
def test_generated_data_is_marked_in_xml(target, client, generated):
    assert generated.root(target).getprevious().target == "dirframe-synthetic"
    assert client.root(target).getprevious() is None


@pytest.mark.parametrize("target", ["/", "/accounts", "/projects/1"])
def test_generated_data_is_marked_on_pages(target, client, generated):
    assert "Synthetic data" in generated.get(target).text
    assert "Synthetic data" not in client.get(target).text


def damage_text(file):
    content = file.read_bytes()
    assert content.count(b"<project>") == 1
    file.write_bytes(content.replace(b"<project>", b"<pro\xffect>"))


def test_store_with_damaged_xml_is_named_in_the_log(open_written, cache, caplog):
    client = open_written([record("1", name="Ada")])
    [file] = (cache / "stores").iterdir()
    file.write_bytes(file.read_bytes().replace(b"<project>", b"<pro<ect>"))
    assert client.client.get("/projects/1").status_code == 500
    [error] = [entry.getMessage() for entry in caplog.records if entry.levelname == "ERROR"]
    assert str(file) in error


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b"damaged"),
        lambda file: file.write_bytes(file.read_bytes()[:40_000]),
        lambda file: file.write_bytes(b""),
        lambda file: file.unlink(),
        damage_text,
    ],
)
def test_store_damaged_while_served_is_named_in_the_log(damage, open_written, cache, caplog):
    client = open_written([record("1", name="Ada")])
    [file] = (cache / "stores").iterdir()
    damage(file)
    caplog.clear()
    text = client.error("/projects/1.xml", 500)
    assert "log of the service" in text
    assert "sqlite" not in text
    page = client.get("/projects/1")
    assert (page.status_code, page.mimetype) == (500, "text/html")
    errors = [entry.getMessage() for entry in caplog.records if entry.levelname == "ERROR"]
    assert len(errors) == 2
    assert all(str(file) in error for error in errors)
    assert client.key not in caplog.text


def test_store_that_loses_a_record_while_served_is_named_in_the_log(open_written, cache, caplog):
    client = open_written([record("1", name="Ada")])
    [file] = (cache / "stores").iterdir()
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("DELETE FROM projects_xml")
    caplog.clear()
    assert "log of the service" in client.error("/projects.xml", 500)
    [error] = [entry for entry in caplog.records if entry.levelname == "ERROR"]
    assert str(file) in error.getMessage()
    assert error.exc_info is None


def test_health_check_fails_without_a_store(open_written, cache):
    client = open_written([record("1")])
    assert client.client.get("/healthz").status_code == 200
    [file] = (cache / "stores").iterdir()
    file.unlink()
    assert client.client.get("/healthz").status_code == 500


@pytest.mark.parametrize("analysis", ["", "<analysis/>", "<analysis><id>5</id></analysis>"])
@pytest.mark.parametrize(
    "target", ["/projects/1/contributors.xml", "/p/1/analyses/latest/size_facts.xml"]
)
def test_contributors_of_a_project_without_any_are_404(target, analysis, open_written):
    client = open_written([record("1", inner=analysis)])
    text = client.error(target, 404)
    assert ("Code analysis is not available" in text) == ("5" not in analysis)


@pytest.mark.parametrize(
    ("owners", "named"),
    [
        ([], "no enlistments of projects."),
        (["10", "9"], "9, 10."),
        ([str(n) for n in range(101, 121)], "119, 120."),
        ([str(n) for n in range(101, 122)], "119, 120 and others."),
    ],
)
def test_404_of_a_document_names_up_to_twenty_projects_that_have_it(
    owners, named, tmp_path, imported
):
    entry = "<enlistment><project_id>{}</project_id></enlistment>"
    (tmp_path / "projects.xml").write_bytes(page_xml([record("1", name="x")]))
    (tmp_path / "enlistments.xml").write_bytes(page_xml([entry.format(n) for n in owners]))
    text = imported(tmp_path).error("/projects/1/enlistments.xml", 404)
    assert text.endswith(f" {named}")


@pytest.mark.parametrize(
    ("names", "target", "end"),
    [
        (["acme", "lantern"], "/orgs/nobody.xml", "Organizations: acme, lantern."),
        (["acme", "lantern"], "/orgs/nobody/projects.xml", "Organizations: acme, lantern."),
        (["acme"], "/orgs/acme/projects.xml", "There is nothing at this address."),
        ([], "/orgs/acme.xml", "This directory has no organizations."),
    ],
)
def test_404_of_an_organization_names_those_of_the_directory(
    names, target, end, tmp_path, imported
):
    (tmp_path / "projects.xml").write_bytes(page_xml([record("1", name="x")]))
    if names:
        orgs = [f"<org><url_name>{name}</url_name></org>" for name in names]
        (tmp_path / "orgs.xml").write_bytes(page_xml(orgs))
    assert imported(tmp_path).error(target, 404).endswith(end)


# Names in addresses, which old clients use

DIGEST = "f1c4c8746d8e42872f6db32977ad5d61"
OTHER, SHOWN = "0" * 32, "a" * 32
PROJECTS = (
    record("9", name="Mozilla Firefox", url_name="firefox", vanity_url="Phoenix"),
    record("10", name="Both", vanity_url="both"),
    record("8", name="Both again", vanity_url="Both"),
    record("20000", name="A number", vanity_url="9"),
    record("30", vanity_url="grün"),
)
GRAVATAR = "http://www.gravatar.com/avatar"
ACCOUNTS = (
    record("1", "account", name="Stefan", login="fst"),
    record("12", "account", avatar_url=f"{GRAVATAR}.php?gravatar_id={DIGEST}"),
    record("2", "account", avatar_url=f"{GRAVATAR}/{DIGEST}?s=80"),
    record("3", "account", email_md5=OTHER, avatar_url=f"{GRAVATAR}/{SHOWN}"),
)


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Return the application of records with names and digests."""
    with client_of(write(tmp_path_factory.mktemp("named"), PROJECTS, ACCOUNTS)) as client:
        yield client


@pytest.mark.parametrize(
    ("target", "identifier"),
    [
        ("/projects/firefox.xml", "9"),
        ("/projects/FireFox.xml", "9"),
        ("/p/phoenix.xml", "9"),
        ("/p/9.xml", "9"),  # an id comes before a name
        ("/projects/both.xml", "8"),  # the lowest id
        (f"/accounts/{DIGEST.upper()}.xml", "2"),
        ("/projects/gr%C3%9Cn.xml", "30"),
        ("/accounts/FST.xml", "1"),
        (f"/accounts/{OTHER}.xml", "3"),
    ],
)
def test_name_or_digest_finds_a_record(target, identifier, named):
    before = named.used()
    assert named.ids(target) == [identifier]
    assert named.client.get(target).status_code == 403
    assert named.used() - before == 1


@pytest.mark.parametrize(
    "target",
    [
        "/projects/mozilla.xml",
        "/p/fst.xml",
        "/accounts/firefox.xml",
        f"/accounts/{SHOWN}.xml",  # this account has another digest
        f"/projects/{OTHER}.xml",
    ],
)
def test_name_or_digest_of_something_else_finds_no_record(target, named):
    named.error(target, 404)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("/projects/firefox", "Mozilla Firefox"),
        ("/p/FIREFOX", "Mozilla Firefox"),
        ("/p/9", "Mozilla Firefox"),
        ("/accounts/fst", "Stefan"),
    ],
)
def test_name_finds_a_page(target, name, named):
    assert name in named.client.get(target).text


def test_digest_is_not_shown(named):
    assert named.client.get(f"/accounts/{OTHER}").status_code == 404
    shown = "".join(named.get(target).text for target in ("/accounts/3.xml", "/accounts.xml"))
    shown += named.get("/accounts/3").text
    assert [text for text in ("email_md5", OTHER) if text in shown] == []


# No address gives XML or CSV without a key and a count, however it is spelt


class Door:
    """A service, with a key of its own and the count of it."""

    def __init__(self, url, keys):
        self.url, self.keys = url, keys
        self.key = keys.add("a tester", "the door")
        keys.set_daily_limit(1, 10**9)

    def used(self):
        return self.keys.records()[0]["used"]

    def ask(self, target, method):
        return wire.ask(self.url, target, method=method)

    def ask_with_key(self, target, method):
        target = target.partition("#")[0]
        glue = "&" if "?" in target else "?"
        return wire.ask(self.url, f"{target}{glue}api_key={self.key}", method=method)


@pytest.fixture(scope="module")
def door(records_folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("door") / "keys.sqlite"
    with KeyStore(path) as keys, dirframe.serve(records_folder, keys=path) as service:
        yield Door(service.url, keys)


def is_of_interface(response):
    kind = response.headers.get("content-type", "")
    return kind.startswith(("application/xml", "text/csv"))


# The parts of an address, in their order. Each is spelt as a person, a proxy or an attacker may.
STARTS = ["/", "//", "/./", "/x/../", "/%2F", "http://a.example/", "/;/"]
NAMES = [
    "projects",
    "accounts",
    "PROJECTS",
    "Projects",
    "project%73",
    "projects/7",
    "accounts/7",
    "accounts/.",
    "p/7",
    "p",
    "languages",
    "static",
    "healthz",
    "",
]
TYPES = [".xml", ".XML", ".Xml", "%2Exml", ".x%6Dl", ".xml.xml", "..xml", "/.xml", ".xml;", ""]
TYPES += [".csv", ".CSV", "%2Ecsv", ".csv.xml"]
ENDS = ["", "/", "//", ".", "%2F", "%2f", "/.", "/..", ";", ";x=1", "%20", "%00", "+", "\\", "#x"]
QUERIES = ["", "?", "?page=1", "?query=", "?api_key=", "?v=1&api_key=0", ";"]


def address_of(start, name, kind, ends, query):
    """Return an address of its parts."""
    return f"{start}{name}{kind}{''.join(ends)}{query}"


ADDRESSES = st.builds(
    address_of,
    st.sampled_from(STARTS),
    st.sampled_from(NAMES),
    st.sampled_from(TYPES),
    st.lists(st.sampled_from(ENDS), max_size=3),
    st.sampled_from(QUERIES),
)
METHODS = st.sampled_from(["GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "get", "FOO"])


def check_door(door, target, method):
    """Ask without a key, then with one, and compare what is sent and counted."""
    before = door.used()
    without = door.ask(target, method)
    is_keyed = is_of_interface(without)
    assert b"<result" not in without.body
    assert "location" not in without.headers
    assert without.status in {200, 400, 403, 404, 405}
    assert (without.status == 403) == is_keyed
    if is_keyed and method != "HEAD":
        assert etree.fromstring(without.body).findtext("status") == "failed"
    assert door.used() == before

    with_key = door.ask_with_key(target, method)
    assert is_of_interface(with_key) == is_keyed
    # Of two keys the first is read, and in these addresses it is none.
    is_counted = is_keyed and "api_key" not in target
    assert door.used() == before + is_counted


@settings(suppress_health_check=list(HealthCheck))
@given(ADDRESSES, METHODS)
@example("/projects.xml/", "GET")
@example("//projects.xml/", "GET")
@example("/projects/7.xml%2F", "GET")
@example("/accounts/7%2Exml", "GET")
@example("http://directory.example/projects.xml/", "GET")
@example("/projects.csv/", "GET")
@example("/accounts.csv", "HEAD")
def test_key_is_needed_however_an_address_is_spelt(door, target, method):
    check_door(door, target, method)


# Where no document is, and a page answers for what is below it.
PLACES = ["/", "/accounts/", "/p/", "/projects/", "/static/x", "/healthz/", "/a%0A"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_key_is_needed_for_xml_of_no_name(door, place, method):
    check_door(door, f"{place}.xml", method)
