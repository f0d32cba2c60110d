"""The rig itself: it serves what it says, so that what a test of the client sees is the client."""

import gc

import pytest
import requests
from lxml import etree

import dirframe
from tests.rig import faults
from tests.rig.server import KEY, MARK, Proxy, Rig, Trap, numbered
from tests.rig.today import BROKEN, DELETED, DISABLED, GONE, REFUSED, SILENT, Today


def get(rig, path, key=KEY, **query):
    """Ask as any client would; return the response and its parsed body."""
    url = f"{rig.url}/{path}"
    response = requests.get(url, {"api_key": key} | query, timeout=30, allow_redirects=False)
    xml = "xml" in response.headers["Content-Type"] and response.content
    return response, etree.fromstring(response.content) if xml else None


def ids(page):
    return page.xpath("result/*/id/text()")


def walk(rig, path, pages, **query):
    """Return the ids of pages 1 to `pages`."""
    return [one for n in range(1, pages + 1) for one in ids(get(rig, path, page=n, **query)[1])]


def test_rig_serves_pages_with_counts_and_positions():
    with Rig(25) as rig:
        response, page = get(rig, "projects.xml", page=3)
        assert (response.status_code, page.findtext("status")) == (200, "success")
        assert ids(page) == ["21", "22", "23", "24", "25"]
        counts = ("items_returned", "items_available", "first_item_position")
        assert [page.findtext(name) for name in counts] == ["5", "25", "20"]
        assert ids(get(rig, "projects.xml", page=4)[1]) == []
        rig.past_end_is_first = True
        assert ids(get(rig, "projects.xml", page=4)[1]) == numbered(10)
        assert rig.pages == [3, 4, 4]


def outcome(rig, fault):
    """Load while a fault happens to every response: the ids, or the error."""
    with rig as served, served.directory() as directory:
        served.always = fault
        try:
            return list(dirframe.load_projects(directory=directory, progress=False)["id"])
        except dirframe.DirframeError as error:
            assert served.requests
            return type(error)


# urllib3 leaves the socket of a response with two lengths to Python.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_each_fault_is_the_same_over_a_socket_and_in_process():
    failures = []
    for name in sorted({*faults.FAULTS} - {*faults.SLOW, "gzip bomb"}):
        real = outcome(Rig(5), faults.FAULTS[name])
        if real != outcome(Rig(5).in_process(), faults.FAULTS[name]):
            failures.append(name)
        if (real == numbered(5)) != (name in faults.TALKATIVE):
            failures.append(f"{name}: {real}")
    gc.collect()  # here, and not in the next test
    assert not failures


def test_trap_and_proxy_see_what_passes():
    with Trap() as trap, pytest.raises(requests.ConnectionError):
        requests.get(f"http://{trap.host}:{trap.port}/?{MARK}", timeout=30)
    assert (trap.connections, MARK.encode() in trap.received) == (1, True)
    with Trap() as trap, Proxy() as proxy:
        through = {"proxies": {"https": proxy.url}, "timeout": 30}
        with pytest.raises(requests.ConnectionError):
            requests.get(f"https://127.0.0.1:{trap.port}/?{MARK}", **through)
    assert proxy.connected == [f"127.0.0.1:{trap.port}"]
    assert proxy.received.startswith(trap.received)
    assert trap.received[:1] == b"\x16"  # a handshake, and no key


def test_today_keeps_one_order_and_sends_analyses_on_own_pages_alone():
    with Today(30) as today:
        today.moves = False
        today.add("account", 25)
        by_name = walk(today, "projects.xml", 3, sort="project_name")
        assert sorted(by_name) == sorted(numbered(30)) != by_name
        assert by_name == walk(today, "projects.xml", 3, sort="project_name")
        for sort in ("id", "created_at", "new", ""):
            assert len(set(walk(today, "projects.xml", 3, sort=sort))) < 30
        first = [ids(get(today, "projects.xml")[1]) for _ in range(3)]
        assert first[0] != first[1]
        today.reshuffles = False
        assert walk(today, "projects.xml", 3) == walk(today, "projects.xml", 3)
        assert walk(today, "projects.xml", 3) != walk(today, "projects.xml", 3, sort="id")
        assert len(set(walk(today, "projects.xml", 3))) < 30
        assert walk(today, "accounts.xml", 3, sort="name") == numbered(25)
        assert get(today, "projects.xml")[1].find(".//analysis") is None
        assert get(today, "projects/7.xml")[1].findtext(".//analysis/id") == "7"
        assert get(today, "projects.xml", page=4)[1].find("result") is None


def test_today_refuses_and_moves_as_the_live_service_does():
    with Today(3, daily_limit=4) as today:
        moved = get(today, "projects/2.xml")[0]
        assert (moved.status_code, moved.headers["Location"]) == (
            302,
            today.requests[0].target.replace("/projects/", "/p/"),
        )
        assert get(today, "p/2.xml")[1].findtext(".//id") == "2"
        for path, key, status in [
            ("p/9.xml", KEY, 404),
            ("p.xml", "another", 400),
            ("p.xml", KEY, 401),
        ]:
            response, page = get(today, path, key)
            assert (response.status_code, page is None) == (status, status == 404)
            assert b"<error><message>" in response.content
    with Today(8) as today:
        replies = GONE, DELETED, REFUSED, BROKEN, SILENT, DISABLED
        today.own_pages = dict(zip("123456", replies, strict=True))
        today.bare, today.whole, today.other = {"7", "8"}, {"8"}, {"8": "7"}
        statuses = [get(today, f"p/{one}.xml")[0].status_code for one in "12345678"]
        assert statuses == [404, 200, 410, 500, 200, 302, 200, 200]
        assert get(today, "p/8.xml")[1].findtext(".//project/id") == "7"
        assert get(today, "p/7.xml")[1].find(".//analysis") is None
