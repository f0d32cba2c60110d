"""The interface, asked as a client asks it: envelope, records, parameters, errors, and its key."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lxml import etree

import dirframe
from dirframe.service.keys import KeyStore
from tests.rig.server import page_xml, record
from tests.service import wire


def test_collection_has_the_counts_of_its_page(client):
    root = client.root("/accounts.xml?page=5")
    assert [child.tag for child in root] == [
        *("status", "items_returned", "items_available", "first_item_position", "result")
    ]
    assert [child.text for child in root][:4] == ["success", "7", "107", "100"]
    assert len(root.findall("result/account")) == 7
    assert client.get("/accounts.xml").text.startswith('<?xml version="1.0" encoding="UTF-8"?>')


def test_page_past_the_end_is_empty(client):
    for page, first in ((4, 75), (10**18 - 1, (10**18 - 2) * 25)):
        root = client.root(f"/projects.xml?page={page}")
        texts = [(child.text or "").strip() for child in root]
        assert texts == ["success", "0", "63", str(first), ""]
    assert not client.ids("/accounts.xml?query=nobody")


def test_parameters_that_are_empty_or_unknown_or_old_change_nothing(client):
    plain = client.get("/accounts.xml").get_data()
    assert client.get("/accounts.xml?v=1&page=&sort=&query=&x=y").get_data() == plain
    for page in ("page=2&page=x", "page=002"):
        second = client.ids(f"/projects.xml?sort=id&sort=name&{page}")
        assert second == [str(n) for n in range(26, 51)]


def test_query_is_read_as_latin_1_where_it_is_no_utf_8(client):
    ids = client.all_ids("/accounts.xml?query=Zo%C3%AB")
    assert ids == client.all_ids("/accounts.xml?query=Zo%EB")
    assert len(ids) == 27
    assert "Zoë" in client.client.get("/accounts?query=Zo%EB").text


def test_what_is_not_there_or_cannot_be_meant_is_refused(client):
    for target in (
        *("/accounts/999.xml", "/projects/x.xml", "/projects/x%2F..%2F1.xml", "/licenses.xml"),
        *(f"/accounts/{'f' * 32}.xml", "/p/.xml", "/accounts/.xml", "/projects/5/x.xml"),
    ):
        assert client.error(target, 404)
    for page in ("0", "-1", "abc", "1.5", "%2B1", "%201", "%D9%A2", "1e3", "0x1", "9" * 5000):
        assert client.error(f"/projects.xml?page={page}", 400), page
    words = "+".join("abcdefghijk")
    assert client.error(f"/accounts.xml?query={words}", 400)
    assert client.client.get(f"/accounts?query={words}").status_code == 400
    for query in ("bob%00", "%00", "a%01b", "%7F"):
        assert "control character" in client.error(f"/accounts.xml?query={query}", 400)
    assert "created_at_reverse" in client.error("/accounts.xml?sort=stars", 400)
    assert "stack_count" not in client.error("/accounts.xml?sort=users", 400)


def test_request_without_a_valid_key_is_403(client, root):
    expected = etree.canonicalize(from_file=root / "tests/xml/failed.xml", strip_text=True)
    client.keys.revoke(1)
    for path in ("/accounts.xml", "/projects/1.xml", "/p/1.xml", "/p.xml", "/nothing.xml"):
        for key in ("api_key=", "api_key=0000", "key=x", "", f"api_key={client.key}"):
            response = client.client.get(f"{path}?{key}")
            assert response.status_code == 403, (path, key)
            assert etree.canonicalize(response.text, strip_text=True) == expected


def test_requests_with_a_key_count_and_refusals_do_not(client):
    for target in ("/accounts.xml", "/accounts/999.xml", "/accounts.xml?page=0", "/nothing.xml"):
        client.get(target)
    client.get("/accounts.xml", method="HEAD")
    client.get("/accounts.xml", method="POST")
    assert client.used() == 6
    client.client.get("/accounts.xml?api_key=wrong")
    client.get("/accounts")
    assert client.used() == 6


def test_over_the_daily_limit_is_429_with_the_time_to_wait(client):
    client.keys.set_daily_limit(1, 1)
    assert client.get("/accounts.xml").status_code == 200
    assert client.error("/accounts.xml", 429)
    assert 86_000 < int(client.get("/accounts.xml").headers["Retry-After"]) <= 86_400
    assert client.used() == 1


def test_methods_other_than_get_and_head_are_405(client):
    for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "FOO"):
        for target in ("/accounts.xml", "/projects/1.xml", "/accounts", "/", "/static/style.css"):
            response = client.get(target, method=method)
            assert response.status_code == 405
            assert {"GET", "HEAD"} <= set(response.headers["Allow"].split(", "))
            if target.endswith(".xml"):
                root = etree.fromstring(response.get_data())
                assert [child.tag for child in root] == ["status", "error"]


@pytest.mark.parametrize(
    "target", ["/accounts.xml", "/accounts", "/", "/nowhere", "/static/style.css", "/healthz"]
)
def test_security_headers(target, client):
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
    for response in (client.get(target), client.client.get(f"{target}?{key}")):
        assert response.headers["Cache-Control"] == "private, no-cache"


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


def test_generated_data_is_marked_in_every_success(client, written):
    page = page_xml([record("1", "account", name="x")])
    made = page.replace(b"<response>", b"<?dirframe-synthetic yes?><response>")
    marked = written(made, [record("1", name="y")])
    for target in ("/accounts.xml", "/accounts/1.xml", "/projects.xml", "/projects/1.xml"):
        mark = marked.root(target).getprevious()
        assert mark.target == "dirframe-synthetic", target
        assert client.root(target).getprevious() is None
    for target in ("/", "/accounts", "/projects/1"):
        assert "Synthetic data" in marked.get(target).text
        assert "Synthetic data" not in client.get(target).text


def damage_xml(file):
    content = file.read_bytes()
    assert content.count(b"<project>") == 1
    file.write_bytes(content.replace(b"<project>", b"<pro\xffect>"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b"damaged"),
        lambda file: file.write_bytes(file.read_bytes()[:40_000]),
        lambda file: file.write_bytes(b""),
        lambda file: file.unlink(),
        damage_xml,
    ],
)
def test_store_damaged_while_served_is_named_in_the_log(damage, written, cache, caplog):
    client = written([record("1", name="Ada")])
    [file] = (cache / "stores").iterdir()
    damage(file)
    caplog.clear()
    text = client.error("/projects/1.xml", 500)
    assert "cannot be read" in text
    assert "sqlite" not in text
    page = client.get("/projects/1")
    assert (page.status_code, page.mimetype) == (500, "text/html")
    errors = [entry.getMessage() for entry in caplog.records if entry.levelname == "ERROR"]
    assert len(errors) == 2
    assert all(str(file) in error for error in errors)
    assert client.key not in caplog.text


def test_health_check_fails_without_a_store(written, cache):
    client = written([record("1")])
    assert client.client.get("/healthz").status_code == 200
    [file] = (cache / "stores").iterdir()
    file.unlink()
    assert client.client.get("/healthz").status_code == 500


@pytest.mark.parametrize("analysis", ["", "<analysis/>", "<analysis><id>5</id></analysis>"])
@pytest.mark.parametrize(
    "target", ["/projects/1/contributors.xml", "/p/1/analyses/latest/size_facts.xml"]
)
def test_contributors_of_a_project_without_any_are_404(target, analysis, written):
    client = written([record("1", inner=analysis)])
    text = client.error(target, 404)
    assert ("Code analysis is not available" in text) == ("5" not in analysis)


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


def test_record_is_found_by_the_names_and_digests_that_it_carries(written):
    client = written(PROJECTS, ACCOUNTS)
    for target, wanted in (
        *(("/projects/firefox.xml", "9"), ("/projects/FireFox.xml", "9"), ("/p/phoenix.xml", "9")),
        ("/p/9.xml", "9"),  # an id comes before a name
        *(("/projects/both.xml", "8"), (f"/accounts/{DIGEST.upper()}.xml", "2")),  # the lowest id
        *(("/projects/gr%C3%9Cn.xml", "30"), ("/accounts/FST.xml", "1")),
        (f"/accounts/{OTHER}.xml", "3"),
    ):
        before = client.used()
        assert client.ids(target) == [wanted], target
        assert client.client.get(target).status_code == 403
        assert client.used() == before + 1
    for target in (
        *("/projects/mozilla.xml", "/p/fst.xml", "/accounts/firefox.xml"),
        *(f"/accounts/{SHOWN}.xml", f"/projects/{OTHER}.xml"),  # this account has another digest
    ):
        client.error(target, 404)
    for target in ("/projects/firefox", "/p/FIREFOX", "/p/9"):
        assert "Mozilla Firefox" in client.client.get(target).text
    assert "Stefan" in client.client.get("/accounts/fst").text
    assert client.client.get(f"/accounts/{OTHER}").status_code == 404
    for target in ("/accounts/3.xml", "/accounts.xml", "/accounts/3"):
        assert "email_md5" not in client.get(target).text
        assert OTHER not in client.get(target).text


# No address gives XML without a key and a count, however it is spelt


@pytest.fixture(scope="module")
def door(folder, tmp_path_factory):
    """Serve the folder; return its address, a key and a function that tells the count."""
    with KeyStore(tmp_path_factory.mktemp("door") / "keys.sqlite") as keys:
        key = keys.add("a tester", "the door")
        keys.set_daily_limit(1, 10**9)
        with dirframe.serve(folder, keys=keys.path) as service:
            yield service.url, key, lambda: keys.records()[0]["used"]


def keyed(target, key):
    return f"{target}{'&' if '?' in target else '?'}api_key={key}"


ENDS = ["", "/", "//", ".", "%2F", "%2f", "/.", "/..", ";", ";x=1", "%20", "%00", "+", "\\", "#x"]
NAMES = ["projects", "accounts", "PROJECTS", "Projects", "project%73", "projects/7", "accounts/7"]
NAMES += ["p/7", "languages", "", "static", "healthz", "p", "accounts/."]
TYPES = [".xml", ".XML", ".Xml", "%2Exml", ".x%6Dl", ".xml.xml", "..xml", "/.xml", ".xml;", ""]
TARGETS = st.tuples(
    st.sampled_from(["/", "//", "/./", "/x/../", "/%2F", "http://a.example/", "/;/"]),
    st.sampled_from(NAMES),
    st.sampled_from(TYPES),
    st.lists(st.sampled_from(ENDS), max_size=3).map("".join),
    st.sampled_from(["", "?", "?page=1", "?query=", "?api_key=", "?v=1&api_key=0", ";"]),
).map("".join)
#: Where no document is, and a page answers for what is below it.
PLACES = ["/", "/accounts/", "/p/", "/projects/", "/static/x", "/healthz/", "/a%0A"]
METHODS = st.sampled_from(["GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "get", "FOO"])


@settings(suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(TARGETS, METHODS), min_size=8, max_size=8))
@example(
    [(target, "GET") for target in ("/projects.xml/", "/projects/7.xml%2F", "/accounts/7%2Exml")]
)
@example([("//projects.xml/", "GET"), ("http://directory.example/projects.xml/", "GET")])
@example([(f"{place}.xml", method) for place in PLACES for method in ("GET", "HEAD", "OPTIONS")])
def test_no_spelling_of_an_address_gives_xml_without_a_key_and_a_count(door, asked):
    url, key, used = door
    for target, method in asked:
        before = used()
        without = wire.ask(url, target, method=method)
        assert b"<result" not in without.body
        assert without.status in {200, 400, 403, 404, 405}, target
        assert "location" not in without.headers
        kind = without.headers.get("content-type", "")
        is_xml = kind.startswith("application/xml")
        assert (without.status == 403) == is_xml, (target, method)
        if is_xml and method != "HEAD":
            assert etree.fromstring(without.body).findtext("status") == "failed"
        assert used() == before

        sent = target.partition("#")[0]
        with_key = wire.ask(url, keyed(sent, key), method=method)
        kind = with_key.headers.get("content-type", "")
        assert kind.startswith("application/xml") == is_xml
        # Of two keys the first is read, and here it is none.
        assert used() == before + (is_xml and "api_key" not in sent)
