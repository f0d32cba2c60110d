"""An archive gives back what was received, or names what is wrong with it."""

import json
import sys

import pandas as pd
import pyarrow.parquet as pq
import pytest

import dirframe
from dirframe._arrow import as_pandas
from dirframe.errors import (
    AnalysesNotSentWarning,
    ArchiveError,
    IncompleteWarning,
    InvalidInputError,
    QuotaExceededError,
    UnreadableResponseError,
)
from tests.rig.server import Rig, numbered, record
from tests.rig.today import Today


@pytest.fixture(scope="module")
def sample_archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "projects.archive"
    with dirframe.sample_directory() as directory:
        return dirframe.harvest("projects", path, directory=directory)


def mixed(one):
    """Write projects whose tags differ in form from one to the other, with an element of its own."""
    tags = "<tag>a</tag><tag>b</tag>" if one % 2 else "<tag><name>a</name></tag><tag>b</tag>"
    inner = f"<tags>{tags}</tags>" + ("<odd>x</odd>" if one > 8_500 else "")
    return record(str(one), name=f"project {one}", inner=inner)


def test_frame_is_that_of_a_load(sample_archive):
    with dirframe.sample_directory() as directory:
        loaded = dirframe.load_projects(directory, sort="id", progress=False)
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
    assert table.schema.metadata[b"citation"].decode() == dirframe.cite(frame)
    for path in (file, sample_archive.path):
        before = path.read_bytes()
        with pytest.raises(InvalidInputError):
            sample_archive.to_parquet(path)
        assert path.read_bytes() == before


def test_parquet_has_one_schema_whatever_the_chunks_hold(tmp_path):
    rig = Rig([mixed(one) for one in range(1, 9_001)], size=25)
    with rig.in_process(), rig.directory() as directory:
        archive = dirframe.harvest("projects", tmp_path / "a", directory=directory)
    chunks = list(archive.chunks())
    assert [*map(len, chunks)] == [8_192, 808]
    frame = archive.frame()
    read = pq.read_table(archive.to_parquet(tmp_path / "x.parquet")).to_pandas()
    assert list(read) == list(frame)
    assert read["id"].tolist() == numbered(9_000)
    assert read["odd"].notna().sum() == 500
    lists = [json.loads(v) if isinstance(v, str) else list(v) for v in read["tags"]]
    assert lists == [list(v) for v in frame["tags"]]


def test_parquet_that_cannot_be_written_leaves_nothing(sample_archive, tmp_path, monkeypatch):
    resource = pytest.importorskip("resource", reason="this system knows no RLIMIT_FSIZE")
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # no module is compiled into a cut file
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
        with pytest.raises(ArchiveError):
            sample_archive.to_parquet(tmp_path / "x.parquet")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert [*tmp_path.iterdir()] == []


def test_newest_reading_counts_and_records_without_an_id_are_kept(harvests):
    rig = Rig([*numbered(25), *(f"<project><name>nobody {n}</name></project>" for n in range(3))])
    rig.sorts = {}
    harvest = harvests(rig)
    rig.page = type(rig).page.__get__(rig)  # records without an id have none to note
    with rig.in_process():
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


def test_projects_without_analyses_are_said(harvests):
    rig = Today(25)
    harvest = harvests(rig)
    with rig.in_process():
        archive = harvest.run()
    with pytest.warns(AnalysesNotSentWarning) as caught:
        frame = archive.frame()
    assert (caught[0].filename, caught[0].message.requests) == (__file__, 25)
    assert "analysis_total_code_lines" in frame.attrs["dirframe"]["not_sent"]


def test_read_pages_reads_documents_alone(sample_archive):
    with pytest.raises(UnreadableResponseError):
        dirframe.read_pages(sample_archive.path)
