"""Collections as CSV, an extension for partners: with a key, whole, and as one file."""

import csv
import io
import threading
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

import dirframe
from dirframe.schema import PROJECT
from dirframe.service.keys import KeyStore
from tests import frames
from tests.rig.server import page_xml, record
from tests.service import wire
from tests.service.conftest import Client


def rows_of(response):
    with response:
        assert (response.status_code, response.mimetype) == (200, "text/csv"), response.text
        return list(csv.DictReader(io.StringIO(response.text)))


def test_csv_of_projects_is_whole_and_costs_a_request(client):
    response = client.get("/projects.csv")
    assert "\r" not in response.text
    rows = rows_of(response)
    assert [row["id"] for row in rows] == [str(number) for number in range(1, 64)]
    assert list(rows[0])[: len(PROJECT.specified)] == [f.column for f in PROJECT.specified]
    assert client.used() == 1
    assert len(rows_of(client.get("/projects.csv"))) == 63
    assert client.used() == 2


@pytest.mark.parametrize("target", ["/projects.csv", "/accounts.csv"])
@pytest.mark.parametrize("key", ["", "?api_key=", "?api_key=wrong"])
def test_csv_without_a_key_is_403(target, key, client):
    response = client.client.get(f"{target}{key}")
    assert (response.status_code, response.mimetype) == (403, "application/xml")
    assert b"<status>failed</status>" in response.data
    assert client.used() == 0


def test_csv_over_the_daily_limit_is_429(client):
    client.keys.set_daily_limit(1, 1)
    assert len(rows_of(client.get("/projects.csv"))) == 63
    client.error("/projects.csv", 429)


def test_csv_of_accounts_only_if_the_operator_offers_it(store, keys):
    client = Client.of(store, keys)
    client.error("/accounts.csv", 404)
    assert "/accounts.csv" not in client.client.get("/").text
    with KeyStore() as other_keys:
        offering = Client.of(store, other_keys, accounts_csv=True)
        assert len(rows_of(offering.get("/accounts.csv"))) == 107
        assert "/accounts.csv" in offering.client.get("/").text


def test_csv_of_a_rehearsal_is_404(store, keys):
    client = Client.of(store, keys, analyses=False, accounts_csv=True)
    client.error("/projects.csv", 404)
    client.error("/accounts.csv", 404)
    assert ".csv" not in client.client.get("/").text


def test_csv_has_the_values_of_nested_elements(open_written):
    inner = (
        "<kudo_score><kudo_rank>9</kudo_rank></kudo_score><analysis><total_code_lines>7</total_code_lines>"
        "<languages graph_url='https://x.example/a.png'><language percentage='9'>C</language></languages></analysis>"
    )
    client = open_written([record("1", inner=inner)])
    [row] = rows_of(client.get("/projects.csv"))
    expected = {
        "analysis_total_code_lines": "7",
        "analysis_languages": '[{"language": "C", "percentage": "9"}]',
        "analysis_languages_graph_url": "https://x.example/a.png",
    }
    assert {name: row[name] for name in expected} == expected


TEXTS = ['a, "b"; c', "=cmd|' /C calc'!A0", "two\nlines", "'", "@x", "Zoë ß 自", "<b>&amp;"]


def test_csv_gives_the_same_records_when_it_is_read(tmp_path, imported):
    inner = frames.RICH.partition("<homepage_url>")[0]
    projects = [record(n, name=text, description=text) for n, text in enumerate(TEXTS, start=2)]
    (tmp_path / "projects.xml").write_bytes(page_xml([record("1", inner=inner), *projects]))
    client = imported(tmp_path / "projects.xml")
    with client.get("/projects.csv") as response:
        (tmp_path / "projects.csv").write_bytes(response.data)
    loaded = []
    for name in ("projects.xml", "projects.csv"):
        with dirframe.serve(tmp_path / name) as service, service.directory() as directory:
            loaded.append(dirframe.load_projects(directory, sort="id", progress=False))
    columns = [name for name in loaded[0] if name in loaded[1]]
    assert len(columns) >= len(PROJECT.core)
    pd.testing.assert_frame_equal(loaded[1][columns], loaded[0][columns])
    assert loaded[1].set_index("id")["description"].tolist()[1:] == TEXTS


def test_csv_of_generated_records_says_so(open_written):
    page = page_xml([record("1", name="x")])
    made = page.replace(b"<response>", b"<?dirframe-synthetic yes?><response>")
    with open_written(made).get("/projects.csv") as response:
        assert "synthetic-projects.csv" in response.headers["Content-Disposition"]


def test_csv_head_has_the_length_alone(client):
    with client.get("/projects.csv") as response:
        length = len(response.data)
    with client.get("/projects.csv", method="HEAD") as response:
        assert (response.data, response.headers["Content-Length"]) == (b"", str(length))


def test_csv_that_a_slow_client_reads_keeps_nobody_out(tmp_path):
    """More clients than the service has threads, none of which reads: all get the whole file."""
    text = "text " * 5_000
    page = page_xml([record(n, name="x", description=text) for n in range(200)])
    (tmp_path / "projects.xml").write_bytes(page)
    with dirframe.serve(tmp_path / "projects.xml") as service:
        target = f"/projects.csv?api_key={service.api_key.reveal()}"
        assert wire.ask(service.url, target).status == 200  # written
        clients = [wire.connect(service.url, receive_buffer=65_536) for _ in range(10)]
        for client in clients:
            client.sendall(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        assert wire.ask(service.url, "/healthz").status == 200
        sizes = set()
        for client in clients:
            with client:
                sizes.add(len(wire.answer(client).body))
        assert min(sizes) == max(sizes) > 200 * len(text)


def test_csv_that_is_being_written_is_503(records_folder, imported, monkeypatch):
    writing, go_on = threading.Event(), threading.Event()
    write_header = csv.DictWriter.writeheader

    def hold(writer):
        writing.set()
        assert go_on.wait(wire.LIMIT)
        return write_header(writer)

    monkeypatch.setattr(csv.DictWriter, "writeheader", hold)
    client = imported(records_folder)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.get, "/projects.csv")
        assert writing.wait(wire.LIMIT)
        refused = client.get("/projects.csv")
        go_on.set()
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
        assert "being written" in refused.text
        assert len(rows_of(first.result())) == 63
    assert len(rows_of(client.get("/projects.csv"))) == 63


def test_csv_file_is_removed_with_the_service(records_folder, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with dirframe.serve(records_folder) as service:
        target = f"/projects.csv?api_key={service.api_key.reveal()}"
        assert wire.ask(service.url, target).status == 200
        assert len(list(tmp_path.glob("dirframe-*/projects.csv"))) == 1
    assert list(tmp_path.glob("dirframe-*")) == []
