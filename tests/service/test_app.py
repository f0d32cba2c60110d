"""The interface, asked as a client asks it: envelope, records, parameters, key, errors."""

from datetime import timedelta

import time_machine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.rig.server import page_xml, record


def test_collection_has_the_counts_of_its_page(client):
    root = client.root("/accounts.xml?page=5")
    assert [child.tag for child in root] == [
        *("status", "items_returned", "items_available", "first_item_position", "result")
    ]
    assert [child.text for child in root][:4] == ["success", "7", "107", "100"]
    assert len(root.findall("result/account")) == 7
    assert (
        client.get("/accounts.xml").get_data().startswith(b'<?xml version="1.0" encoding="UTF-8"?>')
    )


def test_page_past_the_end_is_empty(client):
    for page, first in ((4, 75), (10**18 - 1, (10**18 - 2) * 25)):
        root = client.root(f"/projects.xml?page={page}")
        assert [(child.tag, (child.text or "").strip()) for child in root] == [
            ("status", "success"),
            ("items_returned", "0"),
            ("items_available", "63"),
            ("first_item_position", str(first)),
            ("result", ""),
        ]
    assert not client.ids("/accounts.xml?query=nobody")


def test_record_is_found_by_id(client):
    assert [child.tag for child in client.root("/projects/5.xml")] == ["status", "result"]
    assert client.ids("/projects/5.xml") == client.ids("/p/5.xml") == ["5"]
    assert client.ids("/accounts/7.xml") == ["7"]


def test_account_is_found_by_the_md5_of_its_address_which_is_never_sent(client):
    assert (
        client.ids(f"/accounts/{10:032x}.xml") == client.ids(f"/accounts/{10:032X}.xml") == ["10"]
    )
    client.error(f"/projects/{10:032x}.xml", 404)
    for target in ("/accounts/10.xml", "/accounts.xml?query=zoe", "/accounts/10"):
        assert "email_md5" not in client.get(target).text
        assert f"{10:032x}" not in client.get(target).text


def test_of_accounts_with_one_address_the_lowest_id_is_found(written):
    digest = f"{1:032x}"
    client = written([record(n, "account", email_md5=digest) for n in ("10", "9", "11")])
    assert client.ids(f"/accounts/{digest}.xml") == ["9"]


def test_missing_record_or_address_is_404(client):
    for target in (
        *("/accounts/999.xml", "/projects/x.xml", "/projects/x%2F..%2F1.xml", "/licenses.xml"),
        *(f"/accounts/{'f' * 32}.xml", "/p/.xml", "/accounts/.xml", "/projects/5/x.xml"),
    ):
        assert client.error(target, 404)


def test_page_parameter(client):
    first, second = client.ids("/projects.xml"), client.ids("/projects.xml?page=2")
    for text, ids in (("", first), ("1", first), ("2", second), ("002", second)):
        assert client.ids(f"/projects.xml?page={text}") == ids
    for text in ("0", "-1", "abc", "1.5", "%2B1", "%201", "%D9%A2", "1e3", "0x1", "9" * 5000):
        assert client.error(f"/projects.xml?page={text}", 400), text


def test_sort_that_is_unknown_is_400_with_the_known_ones(client):
    assert "created_at_reverse" in client.error("/accounts.xml?sort=stars", 400)
    assert "stack_count" not in client.error("/accounts.xml?sort=users", 400)
    assert "stack_count" in client.error("/projects.xml?sort=stars", 400)


def test_parameters_that_are_empty_or_unknown_or_old_change_nothing(client):
    plain = client.get("/accounts.xml").get_data()
    assert client.get("/accounts.xml?v=1&page=&sort=&query=&x=y").get_data() == plain
    first = client.ids("/projects.xml?sort=id&sort=name&page=2&page=x")
    assert first == [str(n) for n in range(26, 51)]


def test_query_is_read_as_latin_1_where_it_is_no_utf_8(client):
    ids = client.all_ids("/accounts.xml?query=Zo%C3%AB")
    assert ids == client.all_ids("/accounts.xml?query=Zo%EB")
    assert len(ids) == 27
    assert "Zoë" in client.client.get("/accounts?query=Zo%EB").text


def test_query_with_a_control_character_or_without_bounds_is_400(client):
    for query in (
        *("%00", "a%00b", "%1B", "%7F", "%C2%85", "%93x%94"),
        *("x" * 501, "+".join("abcdefghijk")),
    ):
        assert client.error(f"/accounts.xml?query={query}", 400), query
        assert client.client.get(f"/accounts?query={query}").status_code == 400


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
    assert client.used() == 5
    client.client.get("/accounts.xml?api_key=wrong")
    client.get("/accounts.xml", method="POST")
    client.get("/accounts")
    assert client.used() == 5


def test_over_the_daily_limit_is_429_with_the_time_to_wait(client):
    client.keys.set_daily_limit(1, 2)
    with time_machine.travel("2026-05-01T12:00:00Z", tick=False) as clock:
        codes = [client.get("/accounts.xml").status_code for _ in range(3)]
        assert codes == [200, 200, 429]
        clock.shift(timedelta(hours=1))
        refused = client.get("/accounts.xml")
        assert int(refused.headers["Retry-After"]) == 23 * 3600
        assert client.error("/accounts.xml", 429)
        assert client.used() == 2
        clock.shift(timedelta(hours=23))
        assert client.get("/accounts.xml").status_code == 200


def test_methods_other_than_get_and_head_are_405(client):
    for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE", "FOO"):
        for target in ("/accounts.xml", "/projects/1.xml", "/accounts", "/"):
            response = client.client.open(target, method=method)
            assert response.status_code == 405
            assert {"GET", "HEAD"} <= set(response.headers["Allow"].split(", "))
            if target.endswith(".xml"):
                root = etree.fromstring(response.get_data())
                assert [child.tag for child in root] == ["status", "error"]


def test_head_is_get_without_the_body(client):
    get, head = client.get("/projects.xml"), client.get("/projects.xml", method="HEAD")
    assert head.get_data() == b""
    for name in ("Content-Length", "Content-Type"):
        assert head.headers[name] == get.headers[name]


def test_no_target_makes_the_service_stumble(client):
    for target in (
        *(
            "/accounts.xml?query=%FF%FE",
            "/accounts.xml?query=%22+OR+%22*",
            "/accounts.xml?sort=%00",
        ),
        *("/accounts/%00.xml", "/accounts/%FF.xml", "/accounts/..%2f..%2fetc%2fpasswd.xml"),
        *("/accounts/" + "9" * 3000 + ".xml", "/static/../app.py", "/static/%2e%2e/app.py"),
        *("/%2e%2e/%2e%2e/etc/passwd", "/accounts?query=%00&page=x", "/projects/%F0%28"),
    ):
        response = client.get(target)
        assert response.status_code in {200, 400, 404}, target
        assert b"Traceback" not in response.get_data()
        assert b"root:" not in response.get_data()
        if target.split("?", maxsplit=1)[0].endswith(".xml"):
            etree.fromstring(response.get_data())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["query", "q", "sort", "page", "v", "x"]),
            st.one_of(
                st.text(max_size=30),
                st.integers().map(str),
                st.sampled_from(["name", "id_reverse", "relevance", "tag:c"]),
            ),
        ),
        min_size=3,
    )
)
def test_any_parameters_give_a_well_formed_answer(client, several):
    client.keys.set_daily_limit(1, 1_000_000)
    for parameters in several:
        response = client.client.get(
            "/accounts.xml", query_string={**parameters, "api_key": client.key}
        )
        assert response.status_code in {200, 400}
        root = etree.fromstring(response.get_data())
        assert root.findtext("status") == ("success" if response.status_code == 200 else "failed")


def test_fault_of_the_service_tells_nothing_of_the_inside(broken):
    for target in ("/accounts.xml", "/accounts"):
        response = broken.get(target)
        assert response.status_code == 500
        assert b"secret" not in response.get_data()
        assert b"Traceback" not in response.get_data()
    assert broken.error("/accounts.xml", 500)


def test_health_check_needs_no_key(client):
    response = client.client.get("/healthz")
    assert (response.status_code, response.text) == (200, "ok: 107 accounts, 63 projects\n")
    assert client.used() == 0


def test_answers_keep_browsers_strict_and_let_programs_in_them_read(client):
    origin = {"Origin": "http://notebook.example"}
    for target in ("/accounts.xml", "/accounts", "/", "/nowhere", "/static/style.css", "/healthz"):
        with client.get(target, **origin) as response:
            headers = response.headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        shared = "*" if target == "/accounts.xml" else None
        assert headers.get("Access-Control-Allow-Origin") == shared, target
        assert "Access-Control-Allow-Credentials" not in headers
    refused = client.client.get("/projects.xml", headers=origin)
    assert refused.headers["Access-Control-Allow-Origin"] == "*"


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


# Names in addresses, which old clients use

DIGEST = "f1c4c8746d8e42872f6db32977ad5d61"
PROJECTS = (
    record("9", name="Mozilla Firefox", url_name="firefox"),
    record("20", name="Seven", vanity_url="SevenZip"),
    record("10", name="Both", vanity_url="both"),
    record("8", name="Both again", vanity_url="Both"),
    record("20000", name="A number", vanity_url="9"),
    record("30", html_url="https://openhub.net/p/gr%C3%BCn"),
)
ACCOUNTS = (
    record("1", "account", name="Stefan", login="fst"),
    record(
        "2",
        "account",
        name="Jim",
        url="https://openhub.net/accounts/jim.xml",
        avatar_url=f"https://www.gravatar.com/avatar.php?gravatar_id={DIGEST}",
    ),
    record(
        "3",
        "account",
        email_md5="0" * 32,
        avatar_url=f"http://gravatar.com/avatar/{'a' * 32}?s=80",
    ),
)


def test_record_is_found_by_the_names_and_digests_that_it_carries(written):
    client = written(PROJECTS, ACCOUNTS)
    for target, wanted in (
        ("/projects/firefox.xml", "9"),
        ("/projects/FireFox.xml", "9"),
        ("/p/firefox.xml", "9"),
        ("/p/9.xml", "9"),  # an id comes before a name
        ("/p/sevenzip.xml", "20"),
        ("/projects/both.xml", "8"),  # the lowest id of several
        ("/projects/gr%C3%9Cn.xml", "30"),
        ("/accounts/fst.xml", "1"),
        ("/accounts/JIM.xml", "2"),
        (f"/accounts/{DIGEST.upper()}.xml", "2"),
        (f"/accounts/{'0' * 32}.xml", "3"),
    ):
        before = client.used()
        assert client.ids(target) == [wanted], target
        assert client.client.get(target).status_code == 403
        assert client.used() == before + 1
    for target in (
        *("/projects/mozilla.xml", "/p/fst.xml", "/accounts/firefox.xml"),
        f"/accounts/{'a' * 32}.xml",  # another digest of this account is known
        f"/projects/{DIGEST}.xml",
    ):
        client.error(target, 404)
    for target in ("/projects/firefox", "/p/FIREFOX", "/p/9"):
        assert "Mozilla Firefox" in client.client.get(target).text
    assert "Stefan" in client.client.get("/accounts/fst").text
    assert client.client.get(f"/accounts/{DIGEST}").status_code == 404


def test_recorded_projects_are_found_by_their_short_names(shared, imported):
    client = imported(shared / "real" / "pages")
    single = sorted((shared / "real" / "projects").glob("*.xml"))
    assert single
    for path in single:
        root = client.root(f"/projects/{path.stem}.xml")
        assert root.findtext("result/project/url_name").lower() == path.stem.lower()
