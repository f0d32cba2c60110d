"""The cache holds successes alone, as anyone can read them, and may fail at any time."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
import warnings
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from requests_cache.backends.sqlite import SQLiteDict

import dirframe
from dirframe.client.http import cache as cache_module
from dirframe.client.http.cache import CACHE_FILE, ResponseCache
from dirframe.errors import CacheWarning
from tests.client import Asked, Reply, Server, failed, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dirframe.client.directory import Directory

At = "Callable[..., Directory]"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_TIMEOUT", 0.1)


def collection(asked: Asked, *, total: int = 60) -> bytes:
    start = 25 * (asked.page - 1)
    ids = range(start, min(start + 25, total))
    return page_xml([record(str(n)) for n in ids], available=total, first=start)


def load(directory: Directory) -> int:
    return len(dirframe.load_projects(directory=directory, progress=False))


def test_what_was_put_comes_back_with_its_time(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path)
    before = datetime.now(UTC)
    stored_at = cache.put("k", "http://d.example/k", b"<response/>", "application/xml")
    assert before <= stored_at <= datetime.now(UTC)
    cache.close()
    again = ResponseCache(tmp_path)
    stored = again.get("k")
    again.close()
    assert stored is not None
    assert stored.content == b"<response/>"
    assert stored.retrieved == stored_at


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path)
    assert cache.get("k") is None
    cache.close()


def test_no_folder_means_no_cache() -> None:
    cache = ResponseCache(None)
    cache.put("k", "u", b"x", "")
    assert cache.get("k") is None


def test_an_entry_can_be_read_by_anyone_and_holds_no_pickle(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path)
    cache.put("k", "http://d.example/k", b"<response/>" * 50, "application/xml")
    cache.close()
    with closing(sqlite3.connect(tmp_path / CACHE_FILE)) as database:
        [(entry,)] = database.execute("SELECT value FROM responses").fetchall()
    head, _, body = bytes(entry).partition(b"\n")
    assert json.loads(head)["url"] == "http://d.example/k"
    assert set(json.loads(head)) == {"url", "status", "type", "created", "size"}
    assert len(body) < 550
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert b"requests_cache" not in content
        assert b"\x80\x04\x95" not in content


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"garbage",
        b"{}\n",
        b'{"url": 1}\nx',
        b"\x80\x04\x95\x00pickle.",
        b'{"url":"u","status":200,"type":"","created":"2026-01-01T00:00:00+00:00","size":9}\nxx',
        b'{"url":"u","status":200,"type":"","created":"2026-01-01T00:00:00+00:00","size":-1}\nxx',
        (b'{"url":"u","status":200,"type":"","created":"2026-01-01T00:00:00+00:00",'
        b'"size":99999999999999}\nxx'),
        b'{"url":"u","status":200,"type":"","created":"yesterday","size":1}\nx',
        b'{"url":"u","status":200,"type":"","created":"2026-01-01T00:00:00","size":0}\n',
        b'[1]\nx',
        b"[" * 100_000 + b"\nx",
        "a text",
        None,
        1,
    ],
)  # fmt: skip
def test_an_entry_that_cannot_be_read_is_fetched_again(
    entry: object, at: Callable[..., Directory], tmp_path: Path
) -> None:
    with Server(lambda asked: collection(asked, total=5)) as server:
        first = at(server)
        load(first)
        first.close()
        with closing(sqlite3.connect(tmp_path / "cache" / CACHE_FILE)) as database:
            database.execute("UPDATE responses SET value = ?", (entry,))
            database.commit()
        assert cache_module.cache_info(tmp_path / "cache").pages == 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CacheWarning)
            assert load(at(server)) == 5
        assert len(server.asked) == 2


def test_a_second_load_costs_no_request(at: Callable[..., Directory]) -> None:
    with Server(collection) as server:
        first = dirframe.load_projects(directory=at(server), progress=False)
        paid = len(server.asked)
        second = dirframe.load_projects(directory=at(server), progress=False)
        assert len(server.asked) == paid == 3
    assert first.attrs["dirframe"]["requests_made"] == 3
    assert second.attrs["dirframe"]["requests_made"] == 0
    assert second.attrs["dirframe"]["requests_cached"] == 3
    for name in ("retrieved_oldest", "retrieved_newest"):
        assert second.attrs["dirframe"][name] == first.attrs["dirframe"][name]


def test_old_pages_are_asked_for_again(at: Callable[..., Directory]) -> None:
    with Server(collection) as server:
        load(at(server))
        load(at(server, expire_after=timedelta(0)))
        assert len(server.asked) == 6


BAD = {
    "an error": Reply(failed("broken"), 500),
    "a missing page": Reply(failed("gone"), 404),
    "a refused key": Reply(failed("api_key"), 403),
    "a failure with 200": Reply(failed("deleted")),
    "html with 200": Reply(b"<html><body>maintenance</body></html>"),
    "half a page": Reply(b"<response><status>success</status><result><project>"),
    "nothing": Reply(b""),
    "no content": Reply(b"", 204),
    "part of a page": Reply(page_xml([]), 206),
}


@pytest.mark.parametrize("name", BAD)
def test_a_failed_answer_is_never_stored_and_never_replaces_a_good_one(
    name: str, at: Callable[..., Directory], tmp_path: Path
) -> None:
    bad = False

    def answer(asked: Asked) -> Reply | bytes:
        return BAD[name] if bad else collection(asked, total=5)

    with Server(answer) as server:
        bad = True
        with pytest.raises(dirframe.DirframeError):
            load(at(server))
        with closing(sqlite3.connect(tmp_path / "cache" / CACHE_FILE)) as database:
            assert database.execute("SELECT count(*) FROM responses").fetchone() == (0,)
        bad = False
        assert load(at(server)) == 5
        bad = True
        with pytest.raises(dirframe.DirframeError):
            load(at(server, expire_after=timedelta(0)))
        with pytest.raises(dirframe.DirframeError):
            dirframe.load_projects(directory=at(server), refresh=True, progress=False)
        paid = len(server.asked)
        assert load(at(server)) == 5
        assert len(server.asked) == paid


def test_two_directories_never_share_a_page_and_two_keys_do(at: Callable[..., Directory]) -> None:
    one_answer = page_xml([record("1")], available=1, first=0)
    other_answer = page_xml([record("2")], available=1, first=0)
    with Server(lambda _: one_answer) as one, Server(lambda _: other_answer) as other:
        for server, found in ((one, "1"), (other, "2"), (one, "1")):
            frame = dirframe.load_projects(directory=at(server), progress=False)
            assert list(frame["id"]) == [found]
        load(at(f"{one.url}/below"))
        load(at(one, key="another-key-0123456789"))
        assert [asked.path for asked in one.asked] == ["/projects.xml", "/below/projects.xml"]
        assert len(other.asked) == 1


def test_different_questions_never_share_a_page(at: Callable[..., Directory]) -> None:
    with Server(
        lambda asked: page_xml([record(repr(asked.query.get("query")))], available=1, first=0)
    ) as server:
        directory = at(server)
        for query in ("a b", "a+b", "a%20b", "a&sort=name", "a'b", 'a"b', "Ä", "a", None):
            frame = dirframe.load_projects(query=query, directory=directory, progress=False)
            assert list(frame["id"]) == [repr(query)]
        assert len(server.asked) == 9


def test_the_directorys_own_words_about_caching_change_nothing(
    at: Callable[..., Directory],
) -> None:
    headers = {
        "Cache-Control": "no-store, max-age=0, private, must-revalidate",
        "Pragma": "no-cache",
        "Vary": "*",
        "ETag": '"x"',
        "Expires": "Thu, 01 Jan 1970 00:00:00 GMT",
        "Set-Cookie": "session=1",
    }
    with Server(lambda asked: Reply(collection(asked), 200, headers)) as server:
        load(at(server))
        load(at(server))
        assert len(server.asked) == 3


# -- a file that is of no use ------------------------------------------------------------------


def test_a_file_of_garbage_is_warned_of_and_the_load_goes_on(
    at: Callable[..., Directory], tmp_path: Path
) -> None:
    file = tmp_path / "cache" / CACHE_FILE
    file.parent.mkdir()
    file.write_bytes(b"This is not a database. " * 500)
    with Server(collection) as server:
        with pytest.warns(CacheWarning, match="http-cache-1") as caught:
            assert load(at(server)) == 60
        assert len(caught) == 1
    assert file.read_bytes().startswith(b"This is not a database.")


def test_a_folder_that_cannot_be_made_is_warned_of(
    at: Callable[..., Directory], tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file is here")
    with Server(collection) as server, pytest.warns(CacheWarning):
        assert load(at(server)) == 60


@pytest.mark.parametrize("mode", ["IMMEDIATE", "EXCLUSIVE"])
@pytest.mark.parametrize("when", ["before", "during"])
@pytest.mark.usefixtures("impatient")
def test_a_file_that_another_program_locks_for_ever_holds_nobody_up(
    mode: str, when: str, at: Callable[..., Directory], tmp_path: Path
) -> None:
    directory_of_cache = tmp_path / "cache"
    ResponseCache(directory_of_cache).close()
    locker = sqlite3.connect(directory_of_cache / CACHE_FILE, check_same_thread=False)
    locked = threading.Event()

    def answer(asked: Asked) -> bytes:
        if asked.page == 2 and not locked.is_set():
            locker.execute(f"BEGIN {mode}")
            locked.set()
        return collection(asked, total=250)

    with closing(locker), Server(answer) as server:
        if when == "before":
            locker.execute(f"BEGIN {mode}")
            locked.set()
        with pytest.warns(CacheWarning) as caught:
            assert load(at(server, max_workers=4)) == 250
        assert len([w for w in caught if w.category is CacheWarning]) == 1


def test_a_file_that_another_process_begins_at_the_same_instant_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / CACHE_FILE
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        end = threading.Timer(0.2, other.execute, ["COMMIT"])

        def while_the_other_writes(*arguments: Any, **options: Any) -> SQLiteDict:
            other.execute("BEGIN IMMEDIATE")
            end.start()
            return SQLiteDict(*arguments, **options)

        monkeypatch.setattr(cache_module, "SQLiteDict", while_the_other_writes)
        with closing(ResponseCache(tmp_path)) as cache:
            cache.put("key", "https://example.org/", b"<response/>", "text/xml")
            assert cache.get("key") is not None
        end.join()


def test_a_file_that_is_damaged_during_a_load_holds_nobody_up(
    at: Callable[..., Directory], tmp_path: Path
) -> None:
    def answer(asked: Asked) -> bytes:
        if asked.page == 2:
            (tmp_path / "cache" / CACHE_FILE).write_bytes(b"\xff" * 8192)
            (tmp_path / "cache" / f"{CACHE_FILE}-wal").write_bytes(b"\xff" * 8192)
        return collection(asked, total=250)

    with Server(answer) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        assert load(at(server, max_workers=4)) == 250


def test_a_file_that_disappears_during_a_load_holds_nobody_up(
    at: Callable[..., Directory], tmp_path: Path
) -> None:
    def answer(asked: Asked) -> bytes:
        if asked.page == 2:
            for file in (tmp_path / "cache").glob(f"{CACHE_FILE}*"):
                file.unlink()
        return collection(asked)

    with Server(answer) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        assert load(at(server)) == 60


@pytest.mark.skipif(sys.platform != "linux", reason="root may write everything but this")
def test_a_file_that_cannot_be_written_holds_nobody_up(tmp_path: Path) -> None:
    """requests-cache itself would try for ever; a process of its own proves that we do not."""
    ResponseCache(tmp_path).close()
    script = f"""
import os, sqlite3, sys, warnings
from pathlib import Path
from dirframe.client.http import cache
folder = Path({str(tmp_path)!r})
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    pages = cache.ResponseCache(folder)
    pages.put("k", "u", b"x", "")
    assert pages.get("k") is None
assert [w.category for w in caught] == [cache.CacheWarning], caught
"""
    for file in tmp_path.iterdir():
        file.chmod(0o444)
    tmp_path.chmod(0o555)
    for parent in tmp_path.parents:
        if parent.owner() == tmp_path.owner() and "pytest" in parent.name:
            parent.chmod(0o755)
    try:
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False
        )
    finally:
        tmp_path.chmod(0o755)
    if "Permission" in done.stderr and "import" in done.stderr:
        pytest.skip("another user may not read this installation")
    assert done.returncode == 0, done.stderr


def test_many_threads_use_one_cache(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path)

    def work(mine: int) -> None:
        for number in range(20):
            cache.put(f"{mine}-{number}", "u", str(number).encode(), "")
            stored = cache.get(f"{mine}-{number}")
            assert stored is not None
            assert stored.content == str(number).encode()

    failures: list[BaseException] = []

    def guarded(mine: int) -> None:
        try:
            work(mine)
        except BaseException as error:  # noqa: BLE001  # handed to the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cache.close()
    assert failures == []


def test_pages_that_come_after_another_process_cleared_the_cache_are_kept(
    at: Callable[..., Directory], tmp_path: Path
) -> None:
    with Server(collection) as server:
        directory = at(server)
        directory.projects(max_items=25, progress=False)
        assert cache_module.clear_cache(tmp_path / "cache") == 1
        assert load(directory) == 60
        assert cache_module.cache_info(tmp_path / "cache").pages == 2
        assert load(at(server)) == 60
        assert len(server.asked) == 3 + 1
