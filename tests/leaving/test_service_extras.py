"""What the service can do beside the interface: one test a feature, which goes with it."""

import gzip

import pandas as pd
import pytest
import requests
from lxml import etree

import dirframe
from dirframe.errors import ConfigurationError, StoreError
from dirframe.service.connections import Limits
from tests.rig.server import page_xml, record
from tests.service import wire


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Return a folder of 60 accounts and 30 projects."""
    folder = tmp_path_factory.mktemp("directory")
    projects = [
        record(
            n,
            name=f"Project {n}",
            description="words" * 30,
            stack_count=n // 15,
            url_name=f"p-{n}",
            inner=f"<analysis><id>{n}</id><total_code_lines>{n}00</total_code_lines></analysis>",
        )
        for n in range(1, 31)
    ]
    accounts = [record(n, "account", name=f"A {n}", login=f"a{n}") for n in range(1, 61)]
    for name, records in (("projects", projects), ("accounts", accounts)):
        (folder / f"{name}.xml").write_bytes(page_xml(records))
    return folder


def key_of(service):
    return service.api_key.reveal()


def get(service, target, **options):
    parameters = {"api_key": key_of(service)}
    return requests.get(f"{service.url}{target}", params=parameters, timeout=60, **options)


def test_generator(run, tmp_path):
    words = ("generate", tmp_path / "own", "--accounts", 40, "--projects", 30)
    assert run(*words).code == 0
    assert run(*words).code == 2  # nothing is replaced unasked
    with (service := dirframe.serve(tmp_path / "own")):
        assert get(service, "/healthz").text == "ok: 40 accounts, 30 projects\n"
        assert "dirframe-synthetic" in get(service, "/projects.xml").text


def test_histories_made_per_request(sample, sample_projects):
    analysed = sample_projects.dropna(subset=["analysis_min_month", "analysis_main_language_id"])
    number = analysed.sort_values("analysis_twelve_month_contributor_count")["id"].iloc[-100]
    contributors = dirframe.load_contributors(number, directory=sample, progress=False)
    activity = dirframe.load_activity(number, directory=sample)
    size = dirframe.load_size(number, directory=sample)
    assert contributors["commits"].sum() == activity["commits"].sum() == size["commits"].iloc[-1]
    lines = sample_projects.set_index("id").loc[number, "analysis_total_code_lines"]
    assert size["code"].iloc[-1] == lines
    assert activity["month"].is_monotonic_increasing
    assert contributors.attrs["dirframe"]["synthetic"]
    assert dirframe.load_languages(sample, progress=False)["id"].is_unique


def test_pages_below_a_project_that_was_imported(data, tmp_path):
    (tmp_path / "p.xml").write_bytes(page_xml([record("1")]))
    with (service := dirframe.serve(data)):
        for rest in ("projects/1/contributors", "projects/1/analyses/1/size_facts", "languages"):
            assert get(service, f"/{rest}.xml").status_code == 404
            assert requests.get(f"{service.url}/{rest}.xml", timeout=60).status_code == 403
        root = etree.fromstring(get(service, "/projects/1/analyses/1.xml").content)
        assert root.findtext("result/analysis/total_code_lines") == "100"
    with (service := dirframe.serve(tmp_path / "p.xml")):
        answer = get(service, "/projects/1/analyses/latest.xml")  # of which there is none
        root = etree.fromstring(answer.content)
        assert [answer.status_code, root.tag, root.findtext("status")] == [200, "response", "error"]


def test_json_twin(data):
    with (service := dirframe.serve(data)):
        page = get(service, "/projects.json?sort=id&page=2").json()
        assert (page["items_returned"], page["items_available"]) == (5, 30)
        assert page["first_item_position"] == 25
        assert page["result"][0]["analysis"]["total_code_lines"] == 2600
        assert get(service, "/projects/none.json").json()["status"] == "failed"
        for target in ("/projects.json", "/projects%2Ejson/", "/openapi.json", "/x.json"):
            answer = wire.ask(service.url, target)
            assert (answer.status, b'"result"' in answer.body) == (403, False)


def test_openapi(data):
    with (service := dirframe.serve(data, name="A & B")):
        document = get(service, "/openapi.json").json()
        assert document["info"]["title"] == "A & B"
        for path in document["paths"]:
            target = path.format(segment="7", analysis="latest", identifier="1")
            assert get(service, target).status_code in {200, 404}


def test_metrics(data):
    pytest.importorskip("prometheus_client", reason="needs the extra serve")
    with (service := dirframe.serve(data, metrics="/metrics")):
        get(service, "/accounts/7.xml")
        text = get(service, "/metrics").text
    assert 'dirframe_requests_total{status="200",view="account_xml"} 1.0' in text
    assert 'dirframe_records{collection="accounts"} 60.0' in text
    assert key_of(service) not in text


def test_page_rate(data):
    with (service := dirframe.serve(data, page_rate=3)):
        answers = [requests.get(f"{service.url}/projects/{n}", timeout=60) for n in range(1, 6)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert 1 <= int(answers[-1].headers["Retry-After"]) <= 61
        assert get(service, "/projects.xml").status_code == 200


def test_gzip_conditions_and_preflight(data):
    with (service := dirframe.serve(data)):
        target = f"/projects.xml?api_key={key_of(service)}"
        plain = wire.ask(service.url, target)
        packed = wire.ask(service.url, target, "Host: a", "Accept-Encoding: gzip")
        assert gzip.decompress(packed.body) == plain.body
        assert packed.headers["etag"] != plain.headers["etag"]
        for condition, status in (
            (f"If-None-Match: {plain.headers['etag']}", 304),
            ('If-None-Match: "other"', 200),
            ('If-Match: "other"', 412),
        ):
            assert wire.ask(service.url, target, "Host: a", condition).status == status
        preflight = wire.ask(service.url, target, "Host: a", "Origin: http://x", method="OPTIONS")
        assert (preflight.status, preflight.body) == (204, b"")
        assert preflight.headers["access-control-allow-headers"] == "*"
        for hosts in ((), ("Host: a", "Host: b"), ("Host: a b",)):
            lines = "".join(f"{host}\r\n" for host in hosts)
            request = f"GET /healthz HTTP/1.1\r\n{lines}\r\n".encode()
            assert wire.send(service.url, request).status == 400


def test_reload_and_watch(tmp_path):
    path = tmp_path / "accounts.csv"
    path.write_text("id,name\n1,first\n3,third\n")
    with (service := dirframe.serve(path)):
        assert service.reload() is None  # the same files
        path.write_text("id,name\n1,first\n/,second\n")
        with pytest.raises(StoreError):
            service.reload()
        assert get(service, "/healthz").text.startswith("ok: 2 accounts")
        path.write_text("id,name\n1,other\n2,second\n")
        changes = service.reload()
        assert (changes.added, changes.changed, changes.removed) == (1, 1, 1)
        assert "<name>other</name>" in get(service, "/accounts/1.xml").text


def test_sql_addresses(tmp_path):
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="needs the extra serve")
    address, mapping = f"sqlite:///{tmp_path / 'a.db'}", tmp_path / "map.toml"
    engine = sqlalchemy.create_engine(address)
    pd.DataFrame({"id": [7], "name": ["Reader"]}).to_sql("records", engine)
    engine.dispose()
    mapping.write_text('[projects]\nquery = "SELECT id, name FROM records"\n')
    with (service := dirframe.serve(address, mapping=mapping)):
        assert "<name>Reader</name>" in get(service, "/projects/7.xml").text
    with pytest.raises(StoreError) as refused:
        dirframe.serve("postgresql+nodriver://user:s3cret@127.0.0.1:1/db", mapping=mapping)
    assert "s3cret" not in str(refused.value)


def test_toml_maps(tmp_path):
    path, mapping = tmp_path / "people.csv", tmp_path / "map.toml"
    path.write_text("no;full name;joined;points\n1;Ada;10.12.2015;1.200,0\n")
    mapping.write_text(
        '[accounts.fields]\nid = "no"\nname = "full name"\n'
        'created_at = { column = "joined", format = "%d.%m.%Y" }\n'
        'posts_count = { column = "points", decimal = "," }\n'
        'avatar_url = { value = "https://images.example/none.png" }\n'
    )
    with (service := dirframe.serve(path, mapping=mapping)):
        account = etree.fromstring(get(service, "/accounts/1.xml").content).find("result/account")
    assert [account.findtext(n) for n in ("name", "created_at", "posts_count", "avatar_url")] == [
        *("Ada", "2015-12-10T00:00:00Z", "1200", "https://images.example/none.png")
    ]
    for text in ("[accounts.fields]\nnaame = 'full name'", "[people.fields]\nid = 'no'", "[acc"):
        mapping.write_text(text)
        with pytest.raises(ConfigurationError):
            dirframe.serve(path, mapping=mapping)


def test_own_event_loop(data):
    limits = Limits(connections=4, connections_per_address=3, exempt_addresses=("::1/128",))
    with (service := dirframe.serve(data, limits=limits)):
        clients = [wire.connect(service.url) for _ in range(4)]
        assert wire.is_closed(clients[3])  # one address has no more than three
        assert wire.is_open(clients[0])
        clients[1].sendall(wire.WHOLE * 100)
        assert wire.is_closed(clients[1])  # and no hundred requests at once
        clients[2].sendall(
            b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        assert wire.answer(clients[2]).status == 400
        for client in clients:
            client.close()


def test_bitmaps_of_words(tmp_path):
    # Parts of words of so many records are answered in advance.
    texts = [f"common{n % 700} shared{n}" if n % 3 else "nothing" for n in range(900)]
    page = page_xml([record(n, name="x", description=text) for n, text in enumerate(texts)])
    (tmp_path / "p.xml").write_bytes(page)
    with (service := dirframe.serve(tmp_path / "p.xml")):
        for part in ("common", "ommon1", "hared", "shared8", "nothing", "mmonx"):
            answer = get(service, f"/projects.xml?query={part}")
            found = int(etree.fromstring(answer.content).findtext("items_available"))
            assert found == sum(part in text for text in texts), part


@pytest.mark.filterwarnings("ignore::dirframe.AnalysesNotSentWarning")
def test_served_dialects(data, tmp_path):
    states = tmp_path / "states.toml"
    states.write_text('deleted_projects = ["7"]')
    for dialect in ("specification", "recorded", "today"):
        options = {"states": states} if dialect == "today" else {}
        service = dirframe.serve(data, dialect=dialect, **options)
        with service as url, dirframe.Directory(url, service.api_key, cache=False) as directory:
            deleted = "<status>failed</status>" in get(service, "/projects/7.xml").text
            projects = dirframe.load_projects(directory, sort="project_name", progress=False)
            accounts = dirframe.load_accounts(directory, progress=False)
            project = dirframe.load_project("p-9", directory=directory)
        assert projects["id"].nunique() == len(projects) == 30, dialect
        assert accounts["id"].nunique() == 60
        assert list(project["analysis_total_code_lines"]) == [900]
        assert deleted == (dialect == "today")
