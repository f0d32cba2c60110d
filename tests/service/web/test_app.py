"""The interface, asked as a client asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from dirframe.schema import ACCOUNT, PAGE_SIZE
from dirframe.service.dialects.dialects import KEY_REQUIRED
from dirframe.service.store.store import Store
from tests.service import Directory

if TYPE_CHECKING:
    from dirframe.service.api_keys import KeyStore


def error(directory: Directory, target: str, status: int) -> str:
    root = directory.root(target, status=status)
    assert root.find("result") is None
    return root.findtext("error") or ""


def test_a_collection_has_the_counts_of_its_page(directory: Directory) -> None:
    root = directory.root("/accounts.xml?page=5")
    assert [child.tag for child in root] == [
        "status",
        "items_returned",
        "items_available",
        "first_item_position",
        "result",
    ]
    assert [root.findtext(tag) for tag in ("items_returned", "items_available")] == ["7", "107"]
    assert root.findtext("first_item_position") == "100"
    assert len(root.findall("result/account")) == 7


def test_walking_the_pages_gives_every_record_once(directory: Directory) -> None:
    pages = [directory.ids(f"/accounts.xml?sort=name&page={page}") for page in range(1, 6)]
    assert [len(page) for page in pages] == [PAGE_SIZE] * 4 + [7]
    assert len({number for page in pages for number in page}) == 107


def test_a_page_past_the_end_is_an_empty_result(directory: Directory) -> None:
    root = directory.root("/projects.xml?page=4")
    assert [child.text and child.text.strip() for child in root] == [
        "success",
        "0",
        "63",
        "75",
        "",
    ]


def test_one_record_is_found_by_its_id(directory: Directory) -> None:
    root = directory.root("/projects/5.xml")
    assert [child.tag for child in root] == ["status", "result"]
    assert directory.ids("/projects/5.xml") == ["5"]
    assert directory.ids("/accounts/7.xml") == ["7"]


def test_an_account_is_found_by_the_md5_of_its_address_in_either_case(
    directory: Directory,
) -> None:
    assert directory.ids(f"/accounts/{10:032x}.xml") == ["10"]
    assert directory.ids(f"/accounts/{10:032X}.xml") == ["10"]
    assert error(directory, f"/projects/{10:032x}.xml", 404)
    assert "email_md5" not in directory.get("/accounts/10.xml").get_data(as_text=True)


def test_what_is_not_there_is_404_and_failed(directory: Directory) -> None:
    assert "no such account" in error(directory, "/accounts/999.xml", 404)
    assert "no such project" in error(directory, "/projects/x.xml", 404)
    assert "nothing at this address" in error(directory, "/projects/x%2F..%2F1.xml", 404)
    assert error(directory, "/licenses.xml", 404)
    assert error(directory, f"/accounts/{'f' * 32}.xml", 404)


@pytest.mark.parametrize("page", ["0", "-1", "abc", "1.5", "+1", " 1", "٢", "9" * 5000])
def test_a_page_that_is_none_is_a_failure_that_says_so(directory: Directory, page: str) -> None:
    response = directory.client.get(
        "/accounts.xml", query_string={"api_key": directory.key, "page": page}
    )
    assert response.status_code == 400
    assert "the first page is 1" in response.get_data(as_text=True)


def test_an_unknown_sort_is_a_failure_that_names_the_known_ones(directory: Directory) -> None:
    assert "created_at_reverse" in error(directory, "/accounts.xml?sort=stars", 400)


def test_empty_unknown_and_old_parameters_change_nothing(directory: Directory) -> None:
    plain = directory.get("/accounts.xml").get_data()
    assert directory.get("/accounts.xml?v=1&page=&sort=&query=&x=y").get_data() == plain


@pytest.mark.parametrize("query", ["api_key=", "api_key=0000", "key=x", ""])
@pytest.mark.parametrize("path", ["/accounts.xml", "/projects/1.xml", "/nothing.xml"])
def test_without_a_valid_key_everything_is_forbidden(
    directory: Directory, path: str, query: str
) -> None:
    response = directory.client.get(f"{path}?{query}")
    assert response.status_code == 403
    root = etree.fromstring(response.get_data())
    assert [child.tag for child in root] == ["status", "error"]
    assert root.findtext("status") == "failed"
    assert root.findtext("error") == KEY_REQUIRED


def test_a_revoked_key_is_refused(directory: Directory) -> None:
    directory.keys.revoke(1)
    assert error(directory, "/accounts.xml", 403) == KEY_REQUIRED


def test_every_request_with_a_valid_key_counts_and_refusals_do_not(directory: Directory) -> None:
    etag = directory.get("/accounts.xml").headers["ETag"]
    directory.get("/accounts/999.xml")
    directory.get("/accounts.xml?page=0")
    directory.get("/nothing.xml")
    assert directory.get("/accounts.xml", method="HEAD").status_code == 200
    assert directory.get("/accounts.xml", If_None_Match=etag).status_code == 304
    assert directory.used() == 6
    directory.client.get("/accounts.xml?api_key=wrong")
    directory.get("/accounts.xml", method="POST")
    directory.client.get("/accounts")
    assert directory.used() == 6


def test_beyond_the_quota_it_is_429_with_the_time_to_wait(directory: Directory) -> None:
    directory.keys.set_daily_limit(1, 2)
    assert [directory.get("/accounts.xml").status_code for _ in range(3)] == [200, 200, 429]
    refused = directory.get("/accounts.xml")
    assert 86_390 <= int(refused.headers["Retry-After"]) <= 86_400
    root = etree.fromstring(refused.get_data())
    assert root.findtext("status") == "failed"
    assert "daily limit" in (root.findtext("error") or "")
    assert directory.used() == 2


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "FOO"])
@pytest.mark.parametrize("target", ["/accounts.xml", "/projects/1.xml", "/accounts", "/"])
def test_other_methods_are_405_and_say_what_is_allowed(
    directory: Directory, method: str, target: str
) -> None:
    response = directory.client.open(target, method=method)
    assert response.status_code == 405
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
    if target.endswith(".xml"):
        assert etree.fromstring(response.get_data()).findtext("status") == "failed"


def test_head_is_get_without_the_body(directory: Directory) -> None:
    get, head = directory.get("/projects.xml"), directory.get("/projects.xml", method="HEAD")
    assert head.get_data() == b""
    for name in ("Content-Length", "Content-Type", "ETag"):
        assert head.headers[name] == get.headers[name]


def test_a_changed_answer_has_another_etag_and_the_same_one_is_not_sent_again(
    directory: Directory,
) -> None:
    first = directory.get("/projects.xml")
    assert not first.headers["ETag"].startswith("W/")
    again = directory.get("/projects.xml", If_None_Match=f'"x", {first.headers["ETag"]}')
    assert (again.status_code, again.get_data()) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    other = directory.get("/projects.xml?page=2", If_None_Match=first.headers["ETag"])
    assert other.status_code == 200


def test_queries_and_sorts_reach_the_store(directory: Directory) -> None:
    assert directory.ids("/projects.xml?query=%3CXML%3E&sort=id") == [
        str(number) for number in range(1, 50, 2)
    ]
    assert directory.ids("/projects.xml?sort=id_reverse")[0] == "63"


def test_of_repeated_parameters_the_first_counts(directory: Directory) -> None:
    first = directory.ids("/projects.xml?sort=id&sort=name&page=2&page=x")
    assert first == [str(number) for number in range(26, 51)]


@pytest.mark.parametrize(
    "target",
    [
        "/accounts.xml?query=%00",
        "/accounts.xml?query=%FF%FE",
        "/accounts.xml?query=" + "a" * 501,
        "/accounts.xml?query=" + "+".join("abcdefghijkl"),
        "/accounts.xml?query=%22+OR+%22*",
        "/accounts.xml?page=999999999999999999",
        "/accounts.xml?sort=%00",
        "/accounts/%00.xml",
        "/accounts/%FF.xml",
        "/accounts/..%2f..%2fetc%2fpasswd.xml",
        "/accounts/" + "9" * 3000 + ".xml",
        "/accounts/.xml",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/accounts?query=%00&page=x",
        "/projects/%F0%28",
    ],
)
def test_no_target_makes_the_service_stumble(directory: Directory, target: str) -> None:
    response = directory.get(target)
    assert response.status_code in {200, 400, 404}
    assert b"Traceback" not in response.get_data()
    assert b"root:" not in response.get_data()
    if target.split("?", maxsplit=1)[0].endswith(".xml"):
        etree.fromstring(response.get_data())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from(["query", "sort", "page", "v", "x"]),
        st.one_of(st.text(max_size=30), st.integers().map(str), st.sampled_from(ACCOUNT.sorts)),
    )
)
def test_any_parameters_give_a_well_formed_answer(
    directory: Directory, parameters: dict[str, str]
) -> None:
    directory.keys.set_daily_limit(1, 1_000_000)
    response = directory.client.get(
        "/accounts.xml", query_string={**parameters, "api_key": directory.key}
    )
    assert response.status_code in {200, 400}
    root = etree.fromstring(response.get_data())
    assert root.findtext("status") == ("success" if response.status_code == 200 else "failed")


def test_a_fault_of_ours_tells_nothing_of_the_inside(
    directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(Store, "page", fail)
    for target in ("/accounts.xml", "/accounts"):
        response = directory.get(target)
        assert response.status_code == 500
        assert b"secret" not in response.get_data()
        assert b"Traceback" not in response.get_data()
    assert error(directory, "/accounts.xml", 500)


def test_the_health_check_needs_no_key(directory: Directory) -> None:
    response = directory.client.get("/healthz")
    assert response.status_code == 200
    assert response.get_data(as_text=True) == "ok: 107 accounts, 63 projects\n"


def test_answers_carry_the_headers_that_keep_browsers_strict(directory: Directory) -> None:
    for target in ("/accounts.xml", "/accounts", "/", "/nowhere", "/static/style.css"):
        with directory.get(target) as response:
            headers = response.headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_synthetic_data_is_marked_in_every_success(store: Store, keys: KeyStore) -> None:
    directory = Directory(store, keys)
    assert b"dirframe-synthetic" not in directory.get("/accounts.xml").get_data()
    store.synthetic = True
    try:
        for target in ("/accounts.xml", "/accounts/1.xml", "/projects/1.xml"):
            assert b"?>\n<?dirframe-synthetic " in directory.get(target).get_data()
        for target in ("/", "/accounts", "/projects/1"):
            assert "Synthetic data" in directory.get(target).get_data(as_text=True)
    finally:
        store.synthetic = False
