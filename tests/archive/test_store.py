"""One file of one collection, with one writer, whose damage is named."""

import sqlite3
from contextlib import closing
from random import Random

import pytest

import dirframe
from dirframe.errors import (
    ArchiveError,
    DirframeError,
    InvalidInputError,
)
from tests import processes
from tests.archive.histories import LINE
from tests.rig.server import MARK, Rig, record
from tests.rig.today import Today


def test_another_question_is_refused_before_anything_is_sent(harvests):
    rig = Rig(25)
    rig.add("account", 5)
    harvest = harvests(rig)
    with rig.in_process():
        harvest.run(query="project", sort="name")
        paid, before = len(rig.requests), harvest.path.read_bytes()
        for options, error in (
            ({"query": "other"}, ArchiveError),
            ({}, ArchiveError),
            ({"query": "project", "sort": "id"}, InvalidInputError),
            ({"query": "project", "sort": "no such sort"}, InvalidInputError),
        ):
            with pytest.raises(error):
                harvest.run(**options)
        with pytest.raises(ArchiveError):
            harvest.run({"url": "http://127.0.0.1:2"}, query="project")
        harvest.collection = "accounts"
        with pytest.raises(ArchiveError):
            harvest.run(query="project")
        assert (len(rig.requests), harvest.path.read_bytes()) == (paid, before)
        harvest.collection = "projects"
        harvest.run({"name": "another display name"}, query="project")
    assert len(rig.requests) == paid


def test_no_file_of_another_kind_is_written_to(harvests):
    harvest = harvests(Rig(25))
    with closing(sqlite3.connect(harvest.folder / "x.sqlite")) as other:
        other.execute("CREATE TABLE pages (id)")
    for name, content in (("short", "x"), ("text", "x" * 5_000), ("x.sqlite", None), ("", None)):
        harvest.path = harvest.folder / name
        if content:
            harvest.path.write_text(content)
        before = harvest.path.read_bytes() if name else None
        with harvest.rig.in_process(), pytest.raises(ArchiveError):
            harvest.run()
        assert before is None or harvest.path.read_bytes() == before
    assert harvest.rig.requests == []


def test_one_process_writes_and_all_read(harvests):
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
    with rig.in_process():
        harvest.run()
    assert counts == [10, 20, 30, 40, 50]
    assert len(refused) == 5
    assert [archive.status().records for archive in opened] == counts  # as when they were opened
    assert len(rig.sent) == 6


def test_key_is_in_no_file(harvests):
    rig = Today(25)
    harvest = harvests(rig)
    with rig.in_process():
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
        assert (done.code, "ArchiveError" in done.err) == (1, True)
        stored, paid = dirframe.open_archive(path).verify(), len(rig.pages)
        assert 0 < stored < 31
        with rig.directory() as directory:
            archive = dirframe.harvest("projects", path, directory=directory)
        assert archive.status().completeness == "proven"
        assert len(rig.pages) - paid <= 31 - stored + 2


def test_damaged_page_and_lost_page_are_named(harvests):
    rig = Rig(55)
    harvest = harvests(rig)
    with rig.in_process():
        archive = harvest.run()
    before = harvest.path.read_bytes()
    for statement, name in (
        ("UPDATE pages SET content = x'00' WHERE number = 3", "3"),
        ("UPDATE pages SET content = NULL WHERE number = 4", "4"),
        ("UPDATE pages SET content = (SELECT content FROM pages WHERE id = 1) WHERE id = 5", "5"),
        ("DELETE FROM pages WHERE number = 2", "3"),
        ("DELETE FROM pages WHERE number = 6", None),
    ):
        harvest.path.write_bytes(before)
        with closing(sqlite3.connect(harvest.path, isolation_level=None)) as database:
            database.execute(statement)
        if name is None:  # the last page: it is asked for again
            assert not dirframe.open_archive(harvest.path).status().finished
            continue
        for read in (archive.verify, lambda: dirframe.open_archive(harvest.path).frame()):
            with pytest.raises(ArchiveError, match=rf"\b{name}\b"):
                read()


def test_damaged_file_gives_the_same_frame_or_an_error(harvests):
    rig = Rig(55)
    harvest = harvests(rig)
    with rig.in_process():
        right = harvest.run().frame()
    content, chance, errors = harvest.path.read_bytes(), Random(3), 0
    used = [at for at, byte in enumerate(content) if byte]
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
        else:  # the facts of a page are not sealed, its content is
            assert set(frame["name"].dropna()) <= set(right["name"])
    assert errors


def test_what_is_no_archive_is_refused(tmp_path):
    (tmp_path / "text").write_text("<response/>" * 100)
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as other:
        other.execute("CREATE TABLE pages (id)")
    for name in ("text", "x.sqlite", "none", ""):
        with pytest.raises(ArchiveError):
            dirframe.open_archive(tmp_path / name)
