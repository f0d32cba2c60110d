"""The cache holds validated successes alone, as anyone can read them, and may fail at any time."""

import base64
import gzip
import json
import os
import pickle
import shutil
import sqlite3
import tempfile
import time
import warnings
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest
import time_machine

import dirframe
from dirframe.client.http.cache import PageCache
from dirframe.errors import (
    ArchiveError,
    CacheError,
    CacheWarning,
    DirframeError,
    InvalidInputError,
    NotFoundError,
    QuotaWarning,
    StaleWarning,
    UnreadableResponseError,
)
from dirframe.provenance import get_provenance
from tests.defaults import FRESH
from tests.rig import faults
from tests.rig.server import Reply, Rig, failed, numbered, page_xml, record
from tests.rig.today import Today


@pytest.fixture
def cache_file(tmp_path):
    """Return the file of the cache."""
    return dirframe.cache_info(tmp_path / "cache").file


def load(directory, **options):
    return dirframe.load_projects(directory, progress=False, **options)


def entries(file):
    with closing(sqlite3.connect(file)) as database:
        return database.execute("SELECT content FROM responses").fetchall()


class Executed:
    """Creates a file when it is unpickled."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


def test_cache_and_archive_execute_no_pickle(rig, connect, tmp_path, cache_file):
    load(connect(rig))
    kept = tmp_path / "kept.archive"
    dirframe.harvest("projects", kept, directory=connect(rig))
    executed = tmp_path / "executed"
    payload = pickle.dumps(Executed(executed))
    changed = {}
    for file, table in ((cache_file, "responses"), (kept, "pages")):
        with closing(sqlite3.connect(file)) as database, database:
            rows = database.execute(f"UPDATE {table} SET content = ?", [payload])
            changed[table] = rows.rowcount
    assert changed == {"responses": 6, "pages": 6}
    with pytest.raises(CacheError):
        load(connect(rig), offline=True)
    with pytest.raises(ArchiveError):
        dirframe.open_archive(kept).frame()
    assert not executed.exists()
    pickle.loads(payload)
    assert executed.exists()


def test_cache_makes_the_second_load_free_offline_too_unless_it_is_refreshed(rig, connect):
    with pytest.raises(CacheError):
        load(connect(rig), offline=True)
    assert rig.requests == []
    first = load(connect(rig))
    made = get_provenance(first)
    assert (made["requests_made"], made["requests_cached"], made["requests_paid"]) == (6, 0, 6)
    again = {}
    for name, options in {"online": {}, "offline": {"offline": True}}.items():
        second = load(connect(rig), **options)
        facts = get_provenance(second)
        again[name] = {
            "is the same": first.equals(second),
            "made": facts["requests_made"],
            "cached": facts["requests_cached"],
            "paid": facts["requests_paid"],
            "oldest": facts["retrieved_oldest"],
            "newest": facts["retrieved_newest"],
        }
    expected = {
        "is the same": True,
        "made": 0,
        "cached": 6,
        "paid": 6,
        "oldest": made["retrieved_oldest"],
        "newest": made["retrieved_newest"],
    }
    assert again == {"online": expected, "offline": expected}
    assert rig.pages == [1, 2, 3, 4, 5, 6]
    load(connect(rig), refresh=True)
    assert len(rig.requests) == 12
    with pytest.raises(InvalidInputError):
        load(connect(rig), refresh=True, offline=True)


def test_cache_without_a_folder_makes_each_load_pay(rig, connect):
    directory = connect(rig, cache=False)
    pages = []
    for _ in range(2):
        rig.forget()
        load(directory)
        pages.append(rig.pages)
    assert pages == [[1, 2, 3, 4, 5, 6]] * 2
    with pytest.raises(CacheError):
        load(directory, offline=True)


def test_cache_pages_expire(rig, connect):
    with time_machine.travel(0, tick=False) as clock:
        directory = connect(rig, expire_after=timedelta(hours=5))
        load(directory)
        retrieved = get_provenance(load(directory))["retrieved_newest"]
        assert retrieved == "1970-01-01T00:00:00+00:00"
        clock.shift(timedelta(hours=5))
        load(directory)
        assert len(rig.pages) == 6
        clock.shift(timedelta(seconds=1))
        with pytest.warns(StaleWarning, match=r"0\.2 days"):
            load(directory, offline=True)
        assert len(rig.pages) == 6
        frame = load(directory)
        assert len(rig.pages) == 12
        assert get_provenance(frame)["retrieved_oldest"] == "1970-01-01T05:00:01+00:00"


@pytest.mark.parametrize(
    "name",
    ["500", "403", "failed with 200", "HTML with 200", "cut with its length", "nothing with 200"],
)
def test_cache_does_not_store_failures_nor_replace_pages_by_them(name, rig, connect, cache_file):
    rig.always = faults.FAULTS[name]
    with pytest.raises(DirframeError):
        load(connect(rig, key="another key 12345"))
    assert entries(cache_file) == []
    rig.forget()
    load(connect(rig), max_items=10)
    rig.always = faults.FAULTS[name]
    with pytest.raises(DirframeError):
        load(connect(rig, expire_after=timedelta(0)), max_items=10)
    with pytest.raises(DirframeError):
        load(connect(rig), refresh=True, max_items=10)
    rig.forget()
    frame = load(connect(rig, key="a third key 12345"), max_items=10)  # keys share the pages
    assert (frame["id"].tolist(), rig.requests) == (numbered(10), [])


def elements(first, last):
    return "".join(f"<n{number}>x</n{number}>" for number in range(first, last))


#: Documents of a success whose records no load of projects can read.
NOT_READABLE = {
    "too many elements": page_xml([record("1", inner=elements(0, 1_001))], available=1, first=0),
    "other records": page_xml([record("1", "account")], available=1, first=0),
    "records of no kind": page_xml([record("1", "thing")], available=1, first=0),
}


@pytest.mark.parametrize("name", NOT_READABLE)
def test_cache_does_not_store_a_page_whose_records_cannot_be_read(name, serve, connect, cache_file):
    pages = [NOT_READABLE[name], page_xml([record("1")], available=1, first=0)]
    rig = serve(lambda _: pages[0])
    with pytest.raises(UnreadableResponseError) as caught:
        load(connect(rig))
    error = caught.value
    assert (error.url, error.status, error.attempts) == (f"{rig.url}/projects.xml?page=1", 200, 1)
    assert entries(cache_file) == []
    del pages[0]
    assert load(connect(rig))["id"].tolist() == ["1"]


def test_cache_does_not_keep_a_page_that_cannot_be_read_with_those_before_it(serve, connect):
    parts = [elements(0, 400), elements(400, 800), elements(800, 1_200)]

    def answer(asked):
        number = asked.page - 1
        records = [record(f"{asked.page}", inner=parts[number])] if number < 3 else []
        return page_xml(records, available=3, first=number)

    rig = serve(answer)
    with pytest.raises(UnreadableResponseError) as caught:
        load(connect(rig))
    assert caught.value.frame["id"].tolist() == ["1", "2"]
    parts[2] = ""
    rig.forget()
    assert load(connect(rig))["id"].tolist() == ["1", "2", "3"]
    assert rig.pages[0] == 3


def test_cache_does_not_keep_a_page_of_another_record_than_the_one_to_look_up(serve, connect):
    ids = ["7"]
    rig = serve(lambda _: page_xml([record(ids[0])]))
    with pytest.raises(NotFoundError):
        dirframe.load_project(5, directory=connect(rig))
    ids[0] = "5"
    assert dirframe.load_project(5, directory=connect(rig))["id"].tolist() == ["5"]


def test_cache_never_takes_one_question_for_another(serve, connect):
    rig = serve(
        lambda asked: page_xml([record(repr(asked.query.get("query")))], available=1, first=0)
    )
    queries = ["a b", "a+b", "a%20b", "a&sort=name", "a'b", 'a"b', "Ä", "a", "~x /?&=+#", None]
    queries_of = {"": queries, "/o'hara/a%20b": queries[:2], "/münchen/~x": queries[-2:]}
    asked = [(place, query) for place, some in queries_of.items() for query in some]
    loaded = {}
    for attempt, (place, query) in product((1, 2), asked):
        with connect(rig, url=rig.url + place) as directory:
            loaded[place, attempt, query] = load(directory, query=query)["id"].tolist()
    assert loaded == {
        (place, attempt, query): [repr(query)] for attempt, (place, query) in product((1, 2), asked)
    }
    assert len(rig.requests) == len(asked)
    directory = connect(rig)
    for path in ["/%70rojects.xml"] * 2:  # it is sent as /projects.xml
        dirframe.load(path, directory=directory, progress=False)
    assert len(rig.requests) == len(asked) + 1


def test_cache_does_not_ask_the_directory_whether_it_may(serve, connect):
    page = page_xml([record("1")], available=1, first=0)
    headers = {"Cache-Control": "no-store, max-age=0, private", "Vary": "*", "ETag": '"x"'}
    rig = serve(lambda _: Reply(page, 200, headers))
    load(connect(rig))
    load(connect(rig))
    assert len(rig.requests) == 1


def test_cache_entry_can_be_read_by_anyone(rig, connect, cache_file):
    load(connect(rig), max_items=1)
    [(entry,)] = entries(cache_file)
    facts = json.loads(gzip.decompress(entry))
    assert facts["url"] == f"{rig.url}/projects.xml?page=1"
    assert datetime.fromisoformat(facts["created_at"]) <= datetime.now(UTC)
    assert b"<id>1</id>" in base64.b64decode(facts["_content"])
    files = [*cache_file.parent.iterdir()]
    assert cache_file in files
    assert [file.name for file in files if b"\x80\x04\x95" in file.read_bytes()] == []  # no pickle


def test_cache_entry_that_cannot_be_read_is_fetched_again(rig, connect, cache_file):
    load(connect(rig), max_items=10)
    [(whole,)] = entries(cache_file)
    without_address = gzip.decompress(whole).replace(b'"url"', b'"other"')
    unreadable = {
        "nothing": b"",
        "pickle": b"\x80\x04\x95\x00pickle.",
        "text": "a text",
        "number": 0,
        "cut short": whole[:-40],
        "without an address": gzip.compress(without_address),
        "nested": gzip.compress(b"[" * 100_000),
        "empty object": gzip.compress(b"{}"),
        "list": gzip.compress(b"[1]"),
    }
    loads = {}
    for name, entry in unreadable.items():
        with closing(sqlite3.connect(cache_file)) as database, database:
            database.execute("UPDATE responses SET content = ?", (entry,))
        for attempt in (1, 2):
            rig.forget()
            frame = load(connect(rig), max_items=10)
            loads[name, attempt] = (len(frame), rig.pages)
    fetched = {(name, 1): (10, [1]) for name in unreadable}
    cached = {(name, 2): (10, []) for name in unreadable}
    assert loads == fetched | cached


@pytest.mark.parametrize("date", ["a text", b"", 1e300, -1e300])
def test_cache_entry_with_a_damaged_date_is_fetched_again(rig, connect, cache_file, date):
    load(connect(rig), max_items=10)
    with closing(sqlite3.connect(cache_file)) as database, database:
        database.execute("UPDATE responses SET received_at = ?", (date,))
    assert len(load(connect(rig), max_items=10)) == 10
    assert rig.pages == [1, 1]


def test_cache_entry_under_the_key_of_another_page_is_fetched_again(rig, connect, cache_file):
    load(connect(rig))
    with closing(sqlite3.connect(cache_file)) as database, database:
        database.execute("DELETE FROM responses WHERE key LIKE '%page=3'")
        database.execute("UPDATE responses SET key = replace(key, 'page=2', 'page=3')")
    rig.forget()
    assert load(connect(rig))["id"].tolist() == numbered(55)
    assert rig.pages == [2, 3]


def test_cache_entry_with_another_date_than_its_page_is_fetched_again(rig, connect, cache_file):
    load(connect(rig), max_items=10)
    with closing(sqlite3.connect(cache_file)) as database, database:
        database.execute("UPDATE responses SET received_at = received_at - 1")
    assert len(load(connect(rig), max_items=10)) == 10
    assert rig.pages == [1, 1]


def test_cache_page_dated_in_the_future_is_stale_and_never_cited_with_its_day(rig, connect):
    with time_machine.travel(datetime.now(UTC) + timedelta(days=700), tick=True):
        load(connect(rig))
    with pytest.warns(StaleWarning, match="in the future"):
        offline = load(connect(rig), offline=True)
    cited = datetime.fromisoformat(get_provenance(offline)["retrieved_newest"])
    assert cited <= datetime.now(UTC)
    assert len(rig.requests) == 6
    assert dirframe.plan("projects", directory=connect(rig)).cached == 1  # that it just paid
    rig.forget()
    frame = load(connect(rig))
    assert rig.pages == [2, 3, 4, 5, 6]
    assert get_provenance(frame)["retrieved_newest"] <= datetime.now(UTC).isoformat()


@pytest.mark.parametrize("year", [1960, 2110])
def test_cache_of_a_clock_that_is_far_off_is_used(rig, connect, year):
    with time_machine.travel(datetime(year, 1, 1, tzinfo=UTC), tick=True):
        assert [len(load(connect(rig))) for _ in range(2)] == [55, 55]
    assert len(rig.requests) == 6


def test_cache_plan_decodes_no_page_but_the_first(rig, connect, monkeypatch):
    load(connect(rig))
    decoded = []
    read = PageCache.get

    def get(self, key):
        page = read(self, key)
        decoded.extend([] if page is None else [key])
        return page

    monkeypatch.setattr(PageCache, "get", get)
    assert dirframe.plan("projects", directory=connect(rig)).cached == 6
    assert len(decoded) == 1


def test_cache_remembers_what_a_page_and_a_refusal_cost(rig, connect):
    rig.faults.extend([faults.fails("Busy", 503)])
    first = get_provenance(load(connect(rig), max_items=10))
    again = get_provenance(load(connect(rig), max_items=10))
    costs = [(facts["requests_made"], facts["requests_paid"]) for facts in (first, again)]
    assert costs == [(2, 2), (0, 2)]


def test_cache_redirect_that_is_gone_is_asked_at_the_original_address_once(serve, connect):
    state = {"moved": True}

    def answer(asked):
        if not state["moved"]:
            if asked.path.startswith("/p/"):
                return Reply(failed("Not found."), 404)
        elif asked.path.startswith("/projects/"):
            return Reply(b"", 302, {"Location": asked.path.replace("/projects", "/p")})
        number = asked.path.rpartition("/")[2].removesuffix(".xml")
        return page_xml([record(number)], available=1, first=0)

    rig = serve(answer)
    dirframe.load_project("1", directory=connect(rig))
    state["moved"] = False
    rig.forget()
    directory = connect(rig)
    loaded = [
        dirframe.load_project(project, directory=directory)["id"].tolist()
        for project in ("1", "2", "3")
    ]
    assert loaded == [["1"], ["2"], ["3"]]
    assert [asked.path for asked in rig.requests] == [
        "/p/2.xml",
        "/projects/2.xml",
        "/projects/3.xml",
    ]


# A file that is of no use


def test_cache_folder_that_cannot_be_made_is_warned_of(rig, connect, tmp_path):
    (tmp_path / "cache").write_text("a file is here")
    with pytest.warns(CacheWarning):
        assert len(load(connect(rig))) == 55


@pytest.fixture
def place():
    """Return a folder where root has the rights of a user, too."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # that of all tests is for its owner alone
    folder.chmod(0o777)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    yield folder
    if is_root:
        os.seteuid(0)
    for inner in folder.iterdir():
        inner.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.skipif(os.name == "nt", reason="folders are protected in another way")
def test_cache_that_may_not_be_written_is_read_and_requests_are_counted_in_memory(rig, place):
    with rig.directory(place) as directory:
        frame = load(directory)
    for path in (*place.glob("*/*"), *place.iterdir()):
        path.chmod(0o444 if path.is_file() else 0o555)
    loads = {}
    for name, options in {
        "online": {},
        "offline": {"offline": True},
        "refreshed": {"refresh": True},
    }.items():
        rig.forget()
        with pytest.warns((CacheWarning, QuotaWarning)) as caught:
            again = load(rig.directory(place), **options)
        warned = sorted(warning.category.__name__ for warning in caught)
        loads[name] = (again["id"].equals(frame["id"]), warned, len(rig.requests))
    warned = ["CacheWarning", "QuotaWarning"]
    assert loads == {
        "online": (True, warned, 0),
        "offline": (True, warned, 0),
        "refreshed": (True, warned, 6),
    }
    folder = place / "cache"
    info = dirframe.cache_info(folder)
    assert info.pages == 6
    with pytest.raises(CacheError):
        dirframe.clear_cache(folder)
    with pytest.raises(CacheError):
        dirframe.prune_cache(folder)
    assert [*folder.iterdir()] == [info.file]


@pytest.mark.parametrize("harm", ["damaged", "removed", "locked"])
def test_cache_file_that_fails_during_a_load_holds_nobody_up(connect, cache_file, harm):
    def before(asked):
        if asked.page != 3:
            return
        if harm == "locked":
            database = sqlite3.connect(cache_file, check_same_thread=False)
            stack.enter_context(closing(database)).execute("BEGIN IMMEDIATE")
        for part in cache_file.parent.iterdir():
            if harm == "removed":
                part.unlink()
            elif harm == "damaged":
                with part.open("r+b") as opened:  # a mapped file that is cut ends the process
                    opened.write(b"\xff" * 8192)

    with Rig(55) as rig, ExitStack() as stack, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rig.before = before
        directory = connect(rig)
        begin = time.monotonic()
        assert len(load(directory)) == 55
        assert time.monotonic() - begin < 20
        assert [one.category for one in caught] == [CacheWarning] * (harm != "removed")
        if harm == "locked":
            rig.before = None
            rig.forget()
            assert len(load(directory)) == 55  # what was stored is still read
            assert rig.pages == [3, 4, 5, 6]


def test_cache_that_is_cleared_is_used_again_and_a_damaged_file_is_mended(rig, connect, cache_file):
    directory = connect(rig)
    load(directory)
    assert dirframe.clear_cache(cache_file.parent) == 6  # as another process does
    assert entries(cache_file) == []
    load(directory)
    directory.close()
    assert len(rig.requests) == 6 + 6
    for part in cache_file.parent.iterdir():
        part.unlink()
    cache_file.write_bytes(b"garbage" * 1_000)
    with pytest.warns(CacheWarning):
        assert dirframe.cache_info(cache_file.parent).pages == 0
    assert dirframe.clear_cache(cache_file.parent) == 0
    load(directory)
    assert dirframe.cache_info(cache_file.parent).pages == 6


def test_cache_that_another_process_holds_is_left_as_it_is(rig, connect, cache_file, monkeypatch):
    monkeypatch.setattr("dirframe.client.http.cache._TIMEOUT", 0)
    load(connect(rig))
    before = sorted(cache_file.parent.iterdir())
    with closing(sqlite3.connect(cache_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CacheError, match="locked"):
            dirframe.clear_cache(cache_file.parent)
    assert sorted(cache_file.parent.iterdir()) == before
    assert len(entries(cache_file)) == 6


# Looking after it


def test_cache_info_and_pruning(rig, connect, tmp_path):
    folder = tmp_path / "cache"
    assert (dirframe.cache_info(folder).pages, folder.exists()) == (0, False)
    with connect(rig) as directory:
        load(directory)
    info = dirframe.cache_info(folder)
    assert info.pages == 6
    assert info.size_bytes == info.file.stat().st_size
    with time_machine.travel(datetime.now(UTC) + FRESH + timedelta(days=1)):
        load(connect(rig, expire_after=FRESH + timedelta(days=2)), max_items=20, refresh=True)
        assert dirframe.prune_cache(folder) == 4
        assert dirframe.cache_info(folder).pages == 2
        assert dirframe.prune_cache(folder) == 0


def expired(rig, connect, *, details=False):
    """Fill the cache, and open the directory when every page has expired."""
    with time_machine.travel(datetime.now(UTC) - 2 * FRESH, tick=True):
        dirframe.load_projects(connect(rig), details=details, progress=False)
    return connect(rig)


def forget_page(file, part):
    """Remove the pages from the cache whose address contains a text."""
    with closing(sqlite3.connect(file)) as database, database:
        removed = database.execute("DELETE FROM responses WHERE key LIKE ?", [f"%{part}"])
        assert removed.rowcount == 1


@pytest.mark.filterwarnings("ignore::dirframe.errors.StaleWarning")
def test_cache_offline_gives_every_page_that_it_has_whatever_their_age(rig, connect, cache_file):
    directory = expired(rig, connect)
    forget_page(cache_file, "page=3")
    with pytest.warns(dirframe.IncompleteWarning):
        frame = dirframe.load_projects(directory, offline=True, incomplete="warn")
    assert {*frame["id"]} == {*numbered(55)} - {str(n) for n in range(21, 31)}


@pytest.mark.filterwarnings("ignore::dirframe.errors.StaleWarning")
def test_cache_offline_gives_every_row_if_an_own_page_is_missing(connect, cache_file):
    with Today(24).in_process() as today:
        directory = expired(today, connect, details=True)
        forget_page(cache_file, "/7.xml")
        with pytest.warns(dirframe.IncompleteWarning):
            frame = dirframe.load_projects(directory, details=True, offline=True, incomplete="warn")
        lacking = frame["id"][frame["analysis__id"].isna()].tolist()
    assert (len(frame), lacking) == (23, [])


@pytest.mark.filterwarnings("ignore::dirframe.errors.StaleWarning")
def test_cache_offline_gives_what_it_has_of_many(rig, connect, cache_file):
    rig.collections |= {
        f"/projects/{n}/contributors.xml": [record(1, "contributor_fact")] for n in (1, 2, 3)
    }
    with time_machine.travel(datetime.now(UTC) - 2 * FRESH, tick=True):
        dirframe.load_contributors([1, 2, 3], directory=connect(rig), progress=False)
    forget_page(cache_file, "/2/contributors.xml?page=1")
    with pytest.warns(dirframe.IncompleteWarning):
        frame = dirframe.load_contributors(
            [1, 2, 3], directory=connect(rig), offline=True, incomplete="warn"
        )
    assert frame["project_id"].tolist() == ["1", "3"]


def test_cache_gives_what_it_has_behind_a_page_that_fails(rig, connect, cache_file):
    dirframe.load_projects(connect(rig), progress=False)
    forget_page(cache_file, "page=3")
    rig.always = faults.FAULTS["500"]
    with pytest.warns(dirframe.IncompleteWarning):
        frame = dirframe.load_projects(connect(rig), incomplete="warn", progress=False)
    assert len(frame) == 45
