"""Updates of archives, bundles, sealed rows and partitioned tables: that the main thing works."""

import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pandas as pd
import pyarrow.parquet as pq
import pytest

import dirframe
from tests.rig.server import Rig, id_of, record

LANGUAGE = "analysis_main_language_name"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def project(identifier, *, changed=None):
    """Write a project that was created a day after the one before it."""
    created = LONG_AGO + timedelta(days=int(identifier))
    moment = changed or created
    return record(
        identifier,
        name=f"project {identifier} of {moment}",
        created_at=f"{created:%Y-%m-%dT%H:%M:%SZ}",
        updated_at=f"{moment:%Y-%m-%dT%H:%M:%SZ}",
    )


def changed_at(xml):
    text = xml.partition("<updated_at>")[2].partition("<")[0]
    return datetime.fromisoformat(text).timestamp()


@pytest.fixture
def rig():
    """Serve 100 projects, sorted by id or by the time of their change."""
    with Rig([project(str(number)) for number in range(1, 101)]) as rig:
        rig.sorts = {
            "id": lambda xml: int(id_of(xml)),
            "updated_at": changed_at,
            "updated_at_reverse": lambda xml: -changed_at(xml),
        }
        yield rig


def names(frame):
    assert frame["id"].is_unique
    return dict(zip(frame["id"], frame["name"], strict=True))


def served(rig):
    return names(dirframe.load_projects(rig.directory(), progress=False))


def test_update_pays_for_what_changed_and_keeps_every_state(rig, tmp_path):
    file = dirframe.harvest("projects", tmp_path / "a", directory=rig.directory()).path
    before, at = names(dirframe.open_archive(file).frame()), datetime.now(UTC)
    rig.records[6] = project("7", changed=at)
    rig.records.append(project("101", changed=at))
    rig.forget()
    archive = dirframe.update(file, directory=rig.directory())
    assert len(rig.requests) == 2  # the newest page, and whether the oldest is another
    assert names(archive.frame()) == served(rig)
    assert archive.status().complete
    assert names(archive.frame(as_of=at)) == before
    found = dirframe.compare(archive.frame(as_of=at), archive.frame())
    assert ({*found.changed["id"]}, {*found.new["id"]}) == ({"7"}, {"101"})


def test_update_finds_what_was_removed(rig, tmp_path):
    file = dirframe.harvest("projects", tmp_path / "a", directory=rig.directory()).path
    at = datetime.now(UTC)
    del rig.records[41]
    rig.forget()
    archive = dirframe.update(file, directory=rig.directory())
    assert len(rig.requests) <= 2 + 8
    assert archive.status().complete
    assert names(archive.frame()) == served(rig)
    gone = dirframe.compare(archive.frame(as_of=at), archive.frame()).gone
    assert list(gone["id"]) == ["42"]


def test_update_of_a_directory_that_ignores_sorts_reads_everything(rig, tmp_path):
    file = dirframe.harvest("projects", tmp_path / "a", directory=rig.directory()).path
    rig.sorts = {}
    rig.records.append(project("101", changed=datetime.now(UTC)))
    rig.forget()
    archive = dirframe.update(file, directory=rig.directory())
    assert len(rig.requests) >= 10
    assert archive.status().complete
    assert names(archive.frame()) == served(rig)


def test_bundle_gives_the_frame_and_names_what_was_changed(rig, tmp_path):
    archive = dirframe.harvest("projects", tmp_path / "a", directory=rig.directory())
    frame = archive.frame()
    dirframe.bundle(archive.path, tmp_path / "study.zip")
    archive.path.unlink()
    again = dirframe.open_bundle(tmp_path / "study.zip").frame()
    pd.testing.assert_frame_equal(again, frame)
    assert again.attrs == frame.attrs
    with zipfile.ZipFile(tmp_path / "study.zip") as packed:
        contents = {name: packed.read(name) for name in packed.namelist()}
    page = next(name for name in contents if name.startswith("pages/"))
    for changed in ({page: None}, {page: contents[page][:-9] + b"x" * 9}, {"more.txt": b""}):
        with zipfile.ZipFile(tmp_path / "other.zip", "w") as packed:
            for name, content in (contents | changed).items():
                if content is not None:
                    packed.writestr(name, content)
        with pytest.raises(dirframe.ArchiveError, match=next(iter(changed))):
            dirframe.open_bundle(tmp_path / "other.zip")


def test_rows_that_were_changed_are_an_error_whoever_reads_them(rig, tmp_path):
    archive = dirframe.harvest("projects", tmp_path / "a", directory=rig.directory())
    kept, failures = archive.path.read_bytes(), []
    for statement in [
        "DELETE FROM pages WHERE number = 3",
        "UPDATE pages SET paid = 2 WHERE number = 2",
        "UPDATE rounds SET sort = 'name'",
        "UPDATE archive SET source = 'y'",
        "DROP TABLE pages",
    ]:
        with closing(sqlite3.connect(archive.path, isolation_level=None)) as database:
            database.execute(statement)
        try:
            dirframe.open_archive(archive.path).verify()
        except dirframe.ArchiveError:
            pass
        else:
            failures.append(statement)
        archive.path.write_bytes(kept)
    assert not failures


def test_partitioned_tables_hold_the_frame(sample, tmp_path):
    archive = dirframe.harvest("projects", tmp_path / "a", directory=sample)
    frame = archive.frame(columns=["name", LANGUAGE])
    parted = archive.to_parquet(tmp_path / "parted", partition_on=LANGUAGE)
    assert len({str(pq.read_schema(f).remove_metadata()) for f in parted.rglob("*.parquet")}) == 1
    again = pd.read_parquet(parted, columns=list(frame)).set_index("id")
    pd.testing.assert_frame_equal(again.loc[frame["id"]].reset_index()[list(frame)], frame)
    only = pd.read_parquet(parted / "C%2B%2B")["id"]
    assert only.tolist() == frame["id"][frame[LANGUAGE] == "C++"].tolist()


def test_dask_writes_what_one_process_writes(sample, tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask's scheduler is an extra")
    archive = dirframe.harvest("projects", tmp_path / "a", directory=sample)
    alone = pd.read_parquet(archive.to_parquet(tmp_path / "alone"))
    options = {"processes": False, "n_workers": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        tables = archive.to_parquet(tmp_path / "tables", client=client)
    pd.testing.assert_frame_equal(pd.read_parquet(tables)[list(alone)], alone)
