"""The sample directory: a real service with synthetic data, offline; its data, and the demo on it."""

import gc
import gzip
import re
import threading

import pandas as pd
import pytest
from matplotlib.image import imread

import dirframe
from dirframe.errors import NetworkError, NotFoundError
from dirframe.provenance import caption, get_provenance, set_provenance
from tests.rig.server import KEY


def test_sample_listens_on_this_machine_alone_and_is_synthetic(sample):
    assert sample.base_url.startswith("http://127.0.0.1:")
    assert "sample" in repr(sample)
    for frame in (
        dirframe.load_accounts(sample, max_items=5, progress=False),
        dirframe.load_projects(sample, max_items=5, progress=False),
        dirframe.load_account(1, directory=sample),
    ):
        assert get_provenance(frame)["synthetic"] is True
        assert "synthetic" in caption(frame)


def test_sample_that_is_closed_leaves_no_service_and_no_thread():
    before = set(threading.enumerate())
    with dirframe.sample_directory(cache=False) as directory:
        dirframe.load_accounts(directory, max_items=5, progress=False)
    assert not [t.name for t in set(threading.enumerate()) - before if t.is_alive()]
    directory = dirframe.Directory(directory.base_url, KEY, cache=False)
    with pytest.raises(NetworkError):
        dirframe.load_accounts(directory, max_items=5, progress=False)


def test_sample_that_nobody_closes_stops_its_service():
    before = set(threading.enumerate())
    directory = dirframe.sample_directory(cache=False)
    assert len(dirframe.load_projects(directory, max_items=5, progress=False)) == 5
    service = set(threading.enumerate()) - before
    assert service
    del directory
    gc.collect()
    for thread in service:
        thread.join(60)
    assert [thread.name for thread in service if thread.is_alive()] == []


def test_sample_pages_are_found_again_although_the_port_changes(tmp_path):
    for options, expected in (({"cache": tmp_path}, [2, 0]), ({"cache": False}, [2, 2])):
        paid = []
        for _ in range(2):
            with dirframe.sample_directory(**options) as directory:
                frame = dirframe.load_accounts(directory, max_items=50, progress=False)
                paid.append(get_provenance(frame)["requests_made"])
        assert paid == expected


def test_sample_data_are_whole_marked_small_and_lead_nowhere(root):
    for kind, count in (("account", 2_000), ("project", 1_500)):
        file = root / "data" / f"{kind}s.xml.gz"
        frame = dirframe.read_pages(file)
        facts = get_provenance(frame)
        assert len(frame) == frame["id"].nunique() == facts["items_available"] == count
        assert facts["synthetic"] is True
        text = gzip.decompress(file.read_bytes()).decode("utf-8")
        assert "@" not in text
        hosts = {host.rstrip(".") for host in re.findall(r"\w+://([^/<?\s&]+)", text)}
        assert all(host.endswith(("example.org", "example.net", ".invalid")) for host in hosts)
    assert sum(f.stat().st_size for f in (root / "data").rglob("*") if f.is_file()) < 1_300_000


def test_largest_projects_have_documents_that_fit_their_analysis(sample, sample_projects):
    projects = sample_projects.set_index("id")
    counts = projects["analysis_twelve_month_contributor_count"]
    for number in counts.nlargest(20).index[[0, 2, 19]]:
        contributors = dirframe.load_contributors(number, directory=sample, progress=False)
        activity = dirframe.load_activity(number, directory=sample)
        size = dirframe.load_size(number, directory=sample).iloc[-1]
        assert contributors["commits"].sum() == activity["commits"].sum() == size["commits"]
        assert size["code"] == projects["analysis_total_code_lines"][number]
    with pytest.raises(NotFoundError) as caught:
        dirframe.load_activity(counts.nsmallest(1).index[0], directory=sample)
    assert re.findall(r"\d+", caught.value.help_text) == sorted(counts.nlargest(20).index, key=int)


def test_without_analyses_in_collections_own_pages_have_them():
    with dirframe.sample_directory(analyses=False, cache=False) as directory:
        options = {"max_items": 12, "directory": directory, "progress": False}
        with pytest.warns(dirframe.AnalysesNotSentWarning):
            bare = dirframe.load_projects(**options)
        whole = dirframe.load_projects(details=True, **options)
    assert get_provenance(bare)["requests_made"] == 2  # of ten records
    assert bare["analysis__id"].isna().all()
    assert whole["analysis__id"].notna().any()
    assert list(bare["id"]) == list(whole["id"])


@pytest.mark.parametrize("name", ["projects.csv", "accounts.parquet", "language_share.png"])
def test_demo_replaces_no_file_of_somebody(name, run, tmp_path):
    file = tmp_path / name
    file.write_text("mine")
    outcome = run("demo", "-o", tmp_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert name in outcome.err
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: "mine"}


CHARTS = ("language_share", "contributors_by_language", "accounts_by_country")


def test_demo_writes_complete_tables_and_charts(run, tmp_path, own_cache):
    folder = tmp_path / "out"
    folder.mkdir()
    earlier = pd.DataFrame({"id": ["1"], "name": ["of an earlier demo"]})
    dirframe.export(set_provenance(earlier, synthetic=True), folder / "projects.csv")
    demo = run("demo", "-o", folder)
    assert demo.code == 0, demo.err
    expected = {f"{n}{suffix}" for n in ("accounts", "projects") for suffix in (".csv", ".parquet")}
    expected |= {f"{name}.png" for name in CHARTS}
    beside = {f"{name}.csv.provenance.json" for name in ("accounts", "projects")}
    assert {file.name for file in folder.iterdir()} == expected | beside
    for said in (*expected, "2,000 of 2,000, proven", "1,500 of 1,500, proven", "synthetic"):
        assert said in demo.out
    assert "0 requests" in demo.out  # for all of it once more
    for suffix in (".csv", ".parquet"):
        accounts, projects = (
            dirframe.read_table(folder / f"{name}{suffix}") for name in ("accounts", "projects")
        )
        assert (len(accounts), len(projects)) == (2000, 1500)
        assert (accounts["country_alpha_2"] == "NA").any()  # Namibia stays a country
    for name in CHARTS:
        picture = imread(folder / f"{name}.png")
        assert min(picture.shape[:2]) > 400
        assert picture[..., :3].std() > 0.05
