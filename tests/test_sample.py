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
from tests.cases import slow_except
from tests.rig.server import KEY


def test_sample_listens_on_this_machine_alone(sample):
    assert sample.base_url.startswith("http://127.0.0.1:")
    assert "sample" in repr(sample)


@pytest.mark.parametrize(
    "load",
    [
        lambda sample: dirframe.load_accounts(sample, max_items=5, progress=False),
        lambda sample: dirframe.load_projects(sample, max_items=5, progress=False),
        lambda sample: dirframe.load_account(1, directory=sample),
    ],
    ids=["accounts", "projects", "account"],
)
def test_sample_is_synthetic(load, sample):
    frame = load(sample)
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


@pytest.mark.parametrize(("has_cache", "requests"), [(True, [2, 0]), (False, [2, 2])])
def test_sample_pages_are_found_again_although_the_port_changes(has_cache, requests, tmp_path):
    paid = []
    for _ in range(2):
        with dirframe.sample_directory(cache=tmp_path if has_cache else False) as directory:
            frame = dirframe.load_accounts(directory, max_items=50, progress=False)
            paid.append(get_provenance(frame)["requests_made"])
    assert paid == requests


@pytest.mark.parametrize(
    ("collection", "count"),
    slow_except([("accounts", 2_000), ("projects", 1_500)], [("accounts", 2_000)]),
)
def test_sample_data_are_whole_marked_and_lead_nowhere(collection, count, root):
    file = root / "data" / f"{collection}.xml.gz"
    frame = dirframe.read_pages(file)
    facts = get_provenance(frame)
    assert len(frame) == frame["id"].nunique() == facts["items_available"] == count
    assert facts["synthetic"] is True
    text = gzip.decompress(file.read_bytes()).decode("utf-8")
    assert "@" not in text
    hosts = {host.rstrip(".") for host in re.findall(r"\w+://([^/<?\s&]+)", text)}
    own = ("example.org", "example.net", ".invalid")
    assert [host for host in hosts if not host.endswith(own)] == []


def test_sample_data_are_small(root):
    files = [file for file in (root / "data").rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 1_300_000


@pytest.fixture(scope="module")
def contributor_counts(sample_projects):
    """Return the number of contributors of twelve months of each project, by its id."""
    return sample_projects.set_index("id")["analysis_twelve_month_contributor_count"]


@pytest.mark.parametrize("rank", [0, 2, 19])
def test_largest_projects_have_documents_that_fit_their_analysis(
    rank, sample, sample_projects, contributor_counts
):
    number = contributor_counts.nlargest(20).index[rank]
    contributors = dirframe.load_contributors(number, directory=sample, progress=False)
    activity = dirframe.load_activity(number, directory=sample)
    size = dirframe.load_size(number, directory=sample).iloc[-1]
    assert contributors["commits"].sum() == activity["commits"].sum() == size["commits"]
    lines = sample_projects.set_index("id")["analysis_total_code_lines"]
    assert size["code"] == lines[number]


def test_project_without_documents_is_answered_with_those_that_have_them(
    sample, contributor_counts
):
    with pytest.raises(NotFoundError) as caught:
        dirframe.load_activity(contributor_counts.nsmallest(1).index[0], directory=sample)
    largest = contributor_counts.nlargest(20).index
    assert re.findall(r"\d+", caught.value.help_text) == sorted(largest, key=int)


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


def is_drawn(file):
    """Return whether a picture is large and has light and dark parts."""
    picture = imread(file)
    return min(picture.shape[:2]) > 400 and picture[..., :3].std() > 0.05


def test_demo_writes_complete_tables_and_charts(run, tmp_path, own_cache):
    folder = tmp_path / "out"
    folder.mkdir()
    earlier = pd.DataFrame({"id": ["1"], "name": ["of an earlier demo"]})
    dirframe.export(set_provenance(earlier, synthetic=True), folder / "projects.csv")
    demo = run("demo", "-o", folder)
    assert demo.code == 0, demo.err
    tables = {"accounts.csv", "accounts.parquet", "projects.csv", "projects.parquet"}
    pictures = {f"{name}.png" for name in CHARTS}
    beside = {"accounts.csv.provenance.json", "projects.csv.provenance.json"}
    assert {file.name for file in folder.iterdir()} == tables | pictures | beside
    facts = [*tables, *pictures, "2,000 of 2,000, proven", "1,500 of 1,500, proven", "synthetic"]
    facts.append("0 requests")  # for all of it once more
    assert [fact for fact in facts if fact not in demo.out] == []
    frames = {name: dirframe.read_table(folder / name) for name in tables}
    assert {name: len(frame) for name, frame in frames.items()} == {
        "accounts.csv": 2000,
        "accounts.parquet": 2000,
        "projects.csv": 1500,
        "projects.parquet": 1500,
    }
    # Namibia stays a country.
    assert (frames["accounts.csv"]["country_alpha_2"] == "NA").any()
    assert (frames["accounts.parquet"]["country_alpha_2"] == "NA").any()
    assert [name for name in pictures if not is_drawn(folder / name)] == []
