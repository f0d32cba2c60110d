"""An archive gives back what was received, or names what is wrong with it."""

import json
import re
import sqlite3
from contextlib import closing
from random import Random

import pandas as pd
import pyarrow.parquet as pq
import pytest

import dirframe
from dirframe._arrow import as_pandas
from dirframe.archive.archive import ROWS
from dirframe.errors import (
    ArchiveError,
    DirframeError,
    IncompleteWarning,
    InvalidInputError,
    QuotaExceededError,
    SortIgnoredWarning,
)
from tests import processes
from tests.archive.conftest import LINE, Reshuffled
from tests.cases import raised
from tests.rig.server import MARK, Rig, numbered, record
from tests.rig.today import Today

#: It finds some hundred projects of the sample.
QUERY = "library"


@pytest.fixture(scope="module")
def sample_archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "projects.archive"
    with dirframe.sample_directory() as directory:
        return dirframe.harvest("projects", path, directory=directory, query=QUERY)


def mixed(one, *, is_odd):
    """Write a project, perhaps with tags that differ in form and an element of its own."""
    tags = "<tag>a</tag><tag>b</tag>"
    if is_odd:
        tags = "<tag><name>a</name></tag><tag>b</tag>"
    inner = f"<tags>{tags}</tags>" + ("<odd>x</odd>" if is_odd else "")
    return record(str(one), name=f"project {one}", inner=inner)


def test_frame_is_that_of_a_load(sample_archive):
    with dirframe.sample_directory() as directory:
        loaded = dirframe.load_projects(directory, query=QUERY, sort="id", progress=False)
    frame = sample_archive.frame()
    pd.testing.assert_frame_equal(frame, loaded)
    cost = {"requests_made", "requests_cached", "retrieved_oldest", "retrieved_newest", "base_url"}
    found, expected = frame.attrs["dirframe"], loaded.attrs["dirframe"]
    assert {name: found[name] for name in found.keys() - cost} == {
        name: expected[name] for name in expected.keys() - cost
    }


def test_chunks_and_parquet_hold_the_frame(sample_archive, tmp_path):
    frame = sample_archive.frame()
    pd.testing.assert_frame_equal(pd.concat(sample_archive.chunks(), ignore_index=True), frame)
    file = sample_archive.to_parquet(tmp_path / "new" / "projects.parquet")
    table = pq.read_table(file, page_checksum_verification=True)
    again = as_pandas(table)
    lists = dict.fromkeys(frame.columns[frame.dtypes == "object"], object)
    pd.testing.assert_frame_equal(again, frame.astype(lists))
    assert again.attrs == frame.attrs == pd.read_parquet(file).attrs
    for_a_file_that_exists = {}
    for path in (file, sample_archive.path):
        before = path.read_bytes()
        error = raised(sample_archive.to_parquet, path)
        for_a_file_that_exists[path.name] = (type(error), path.read_bytes() == before)
    assert for_a_file_that_exists == {
        "projects.parquet": (InvalidInputError, True),
        "projects.archive": (InvalidInputError, True),
    }


@pytest.mark.parametrize("rows", [40, pytest.param(ROWS, marks=pytest.mark.slow)])
def test_parquet_has_one_schema_whatever_the_chunks_hold(rows, tmp_path, monkeypatch):
    monkeypatch.setattr("dirframe.archive.archive.ROWS", rows)
    count = rows + 30
    records = [mixed(one, is_odd=one > rows + 10) for one in range(1, count + 1)]
    rig = Rig(records, size=count // 2)
    with rig.in_process(), rig.directory() as directory:
        archive = dirframe.harvest("projects", tmp_path / "a", directory=directory)
    assert [*map(len, archive.chunks())] == [rows, 30]
    frame = archive.frame()
    file = pq.ParquetFile(archive.to_parquet(tmp_path / "x.parquet"))
    assert file.num_row_groups == 2
    read = file.read().to_pandas()
    assert list(read) == list(frame)
    assert read["id"].tolist() == numbered(count)
    assert read["odd"].notna().sum() == 20
    lists = [json.loads(v) if isinstance(v, str) else list(v) for v in read["tags"]]
    assert lists == [list(v) for v in frame["tags"]]


def test_newest_reading_counts_and_records_without_an_id_are_kept(harvests):
    rig = Rig([*numbered(25), *(f"<project><name>nobody {n}</name></project>" for n in range(3))])
    rig.sorts = {}
    harvest = harvests(rig)
    with pytest.raises(QuotaExceededError):
        harvest.run({"daily_quota": 2})
    rig.records[15] = record("16", name="changed")
    harvest.run()
    with pytest.warns(IncompleteWarning):
        frame = dirframe.open_archive(harvest.path).frame()
    assert frame["name"].tolist()[15] == "changed"
    assert frame["id"].notna().sum() == 25
    assert len(frame) == 28
    assert frame.attrs["dirframe"]["completeness"] == "incomplete"


def test_sort_that_was_ignored_is_not_claimed(harvests, tmp_path):
    harvest = harvests(Rig([f"{100 * (n % 7) + n}" for n in range(55)]))
    archive = harvest.run(sort="id")
    with pytest.warns(SortIgnoredWarning):
        frames = [archive.frame()]
    frames += [*archive.chunks(), pd.read_parquet(archive.to_parquet(tmp_path / "x.parquet"))]
    assert [frame.attrs["dirframe"]["query"] for frame in frames] == [{}] * 3


# What it says of itself


@pytest.mark.parametrize(
    ("rig", "options", "is_named"),
    [(Today(300), {"sort": "users"}, True), (Reshuffled(300, kind="account"), {}, False)],
)
def test_order_that_does_not_hold_names_the_one_that_would(harvests, rig, options, is_named):
    harvest = harvests(rig)
    status = harvest.run(**options).status()
    frame = harvest.check()
    assert (status.completeness, len(rig.sent) <= 30 + 3) == ("incomplete", True)
    assert {f"{len(frame):,}", "300"} <= {*re.findall(r"\d+", status.reason)}
    assert ("project_name" in status.reason) == is_named


def test_archive_without_pages_says_so(harvests):
    rig = Rig(55, key="another key 12345")
    harvest = harvests(rig)
    with pytest.raises(DirframeError):
        harvest.run({"key": "wrong key 1234567"})
    archive = dirframe.open_archive(harvest.path)
    assert (archive.status().records, archive.status().finished) == (0, False)
    assert str(archive)
    with pytest.raises(ArchiveError):
        archive.frame()
    with pytest.raises(ArchiveError):
        next(archive.chunks())


# The file


def test_archive_of_another_question_is_refused_before_anything_is_sent(harvests):
    rig = Rig(25)
    rig.add("account", 5)
    harvest = harvests(rig)
    harvest.run(query="project", sort="name")
    paid, before = len(rig.requests), harvest.path.read_bytes()
    same, elsewhere = {"query": "project"}, {"url": "http://127.0.0.1:2"}
    cases = {
        "another query": ("projects", {}, {"query": "other"}, ArchiveError),
        "no query": ("projects", {}, {}, ArchiveError),
        "another sort": ("projects", {}, same | {"sort": "id"}, InvalidInputError),
        "no sort": ("projects", {}, same | {"sort": "no such sort"}, InvalidInputError),
        "another directory": ("projects", elsewhere, same, ArchiveError),
        "another collection": ("accounts", {}, same, ArchiveError),
    }
    errors = {}
    for name, (collection, directory, options, _) in cases.items():
        harvest.collection = collection
        errors[name] = type(raised(harvest.run, directory, **options))
    assert errors == {name: error for name, (*_, error) in cases.items()}
    assert harvest.path.read_bytes() == before
    harvest.collection = "projects"
    harvest.run({"name": "another display name"}, **same)
    assert len(rig.requests) == paid


@pytest.mark.parametrize("name", ["short", "text", "x.sqlite", ""])
def test_archive_writes_to_no_file_of_another_kind(harvests, name):
    harvest = harvests(Rig(25))
    harvest.path = harvest.folder / name
    if name == "x.sqlite":
        with closing(sqlite3.connect(harvest.path)) as other:
            other.execute("CREATE TABLE pages (id)")
    elif name:
        harvest.path.write_text("x" * (1 if name == "short" else 5_000))
    before = name and harvest.path.read_bytes()
    with pytest.raises(ArchiveError):
        harvest.run()
    with pytest.raises(ArchiveError):
        dirframe.open_archive(harvest.path)
    assert (name and harvest.path.read_bytes(), harvest.rig.requests) == (before, [])


def test_archive_is_written_by_one_process_and_read_by_all(harvests):
    rig = Rig(55)
    harvest = harvests(rig)
    counts, refused, opened = [], [], []

    def look(request):
        if request.page > 1 and not refused[5:]:
            opened.append(dirframe.open_archive(harvest.path))
            counts.append(len(harvest.frame()))
            with pytest.raises(ArchiveError) as caught:
                harvest.run()
            refused.append(caught.value)

    rig.before = look
    harvest.run()
    assert counts == [10, 20, 30, 40, 50]
    assert len(refused) == 5
    assert [archive.status().records for archive in opened] == counts  # as when they were opened
    assert len(rig.sent) == 6


def test_key_is_in_no_file(harvests):
    rig = Today(25)
    harvest = harvests(rig)
    harvest.run(details=True)
    dirframe.open_archive(harvest.path).to_parquet(harvest.folder / "x.parquet")
    files = [path for path in harvest.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if MARK.encode() in path.read_bytes()]


def test_full_disk_loses_nothing_that_was_stored(tmp_path):
    pytest.importorskip("resource", reason="this system knows no RLIMIT_FSIZE")
    program = (
        "import resource, signal, sys\nsys.dont_write_bytecode = True\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))\n" + LINE
    )
    texts = [f"{Random(n).getrandbits(4000):x}" for n in range(300)]
    with Rig([record(str(n), name=text) for n, text in enumerate(texts)]) as rig:
        path = tmp_path / "kept.archive"
        done = processes.run(rig.url, rig.key, path, 2, program=program)
        assert done.code == 1
        assert "cannot be written" in done.err.splitlines()[-1]
        stored, paid = dirframe.open_archive(path).verify(), len(rig.pages)
        assert 0 < stored < 31
        with rig.directory() as directory:
            archive = dirframe.harvest("projects", path, directory=directory)
        assert archive.status().completeness == "proven"
        assert len(rig.pages) - paid <= 31 - stored + 2


def execute(file, statement):
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute(statement)


@pytest.mark.parametrize(
    ("statement", "page"),
    [
        ("UPDATE pages SET content = x'00' WHERE number = 3", 3),
        ("UPDATE pages SET content = NULL WHERE number = 4", 4),
        ("UPDATE pages SET content = (SELECT content FROM pages WHERE id = 1) WHERE id = 5", 5),
        ("UPDATE pages SET content = (SELECT content FROM pages WHERE id = 4) WHERE id = 5", 5),
        ("DELETE FROM pages WHERE number = 2", 3),
    ],
    ids=["damaged", "empty", "another page", "another page of its size", "lost"],
)
def test_damaged_page_and_lost_page_are_named(statement, page, harvests):
    harvest = harvests(Rig(55))
    archive = harvest.run()
    execute(harvest.path, statement)
    with pytest.raises(ArchiveError, match=rf"\b{page}\b"):
        archive.verify()
    with pytest.raises(ArchiveError, match=rf"\b{page}\b"):
        dirframe.open_archive(harvest.path).frame()


def test_last_page_that_is_lost_is_asked_for_again(harvests):
    rig = Rig(55)
    harvest = harvests(rig)
    harvest.run()
    execute(harvest.path, "DELETE FROM pages WHERE number = 6")
    assert not dirframe.open_archive(harvest.path).status().finished
    rig.forget()
    assert harvest.run().status().finished
    assert 6 in rig.pages


def test_damaged_file_gives_the_same_frame_or_an_error(harvests):
    rig = Rig(55)
    harvest = harvests(rig)
    right = harvest.run().frame()
    content, chance, errors = harvest.path.read_bytes(), Random(3), 0
    used = [at for at, byte in enumerate(content) if byte]
    other_frames = {}
    for at in chance.sample(used, 60):
        damaged = bytearray(content)
        damaged[at] ^= chance.randrange(1, 256)
        harvest.path.write_bytes(damaged)
        try:
            archive = dirframe.open_archive(harvest.path)
            archive.verify()
            frame = harvest.frame()
        except DirframeError:
            errors += 1
            continue
        # The byte is of no use, such as one in the free space of a page.
        if not (frame.equals(right) and frame.attrs == right.attrs):
            other_frames[at] = damaged[at]
    assert other_frames == {}
    assert errors
