"""Data is imported again while it is served: all of it or nothing, and only what changed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
import requests

from dirframe.errors import StoreError
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.server import serve
from dirframe.service.store.build import build_store
from dirframe.service.store.mapping import Section
from dirframe.service.store.store import Store
from dirframe.service.store.table_source import TableSource
from dirframe.service.store.tables import frame_table

if TYPE_CHECKING:
    from pathlib import Path


def people(generation: int, size: int = 60) -> pd.DataFrame:
    return pd.DataFrame(
        {"id": range(1, size + 1), "name": f"generation {generation}", "posts_count": generation}
    )


def ask(url: str, key: str, target: str) -> dict[str, Any]:
    response = requests.get(f"{url}{target}", params={"api_key": key}, timeout=60)
    assert response.status_code == 200, response.text
    content: dict[str, Any] = response.json()
    return content


def test_no_answer_mixes_the_old_records_with_the_new_ones() -> None:
    service = serve({"accounts": people(0)})
    assert service.api_key is not None
    key = service.api_key.reveal()
    with service as url, ThreadPoolExecutor(2) as pool:
        generations = 6
        stopped = False

        def read() -> set[int]:
            seen: set[int] = set()
            while not stopped:
                page = ask(url, key, "/accounts.json?query=generation")
                (number,) = {record["posts_count"] for record in page["result"]}
                assert page["items_available"] == 60 + number
                seen.add(number)
            return seen

        readers = [pool.submit(read) for _ in range(2)]
        try:
            for number in range(1, generations):
                data = {"accounts": people(number, 60 + number)}
                changes = service.reload(data)
                assert changes is not None
                assert (changes.added, changes.changed, changes.removed) == (1, 59 + number, 0)
                assert ask(url, key, "/accounts/1.json")["result"]["posts_count"] == number
        finally:
            stopped = True
        assert all(reader.result() <= set(range(generations)) for reader in readers)


def test_data_that_does_not_fit_leaves_the_old_records_served(tmp_path: Path) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("id,name\n1,first\n")
    service = serve(path)
    assert service.api_key is not None
    with service as url:
        assert service.reload() is None  # the same files
        path.write_text("id,name\n1,first\n/,second\n")
        with pytest.raises(StoreError, match="1 of 2 rows"):
            service.reload()
        page = ask(url, service.api_key.reveal(), "/accounts.json")
        assert page["items_available"] == 1
        path.write_text("id,name\n2,second\n")
        changes = service.reload()
        assert changes is not None
        assert (changes.added, changes.changed, changes.removed) == (1, 0, 1)


def source(frame: pd.DataFrame) -> TableSource:
    return TableSource(frame_table(frame), PROJECT, Section())


def test_an_update_gives_the_store_that_a_new_import_gives(tmp_path: Path) -> None:
    names = ["Reader of XML", "Writer", "zebra", "A parser", "Über", "Server"]
    old = pd.DataFrame(
        {
            "id": range(1, 31),
            "name": [f"{names[n % 6]} {n}" for n in range(30)],
            "description": [f"word{n % 4} text" for n in range(30)],
            "stack_count": [n % 5 for n in range(30)],
            "average_rating": [None] * 30,
        }
    )
    new = old.copy()
    new.loc[3, ["name", "description"]] = ["Renamed", "quite other words"]
    new.loc[5, "stack_count"] = 99
    new.loc[6, "average_rating"] = 4.5
    new = new.drop([0, 11, 29])  # the first, one inside, the last
    new.loc[40] = [900, "Added", "word1 more", 2, None]
    build_store(tmp_path / "old", [source(old)])
    build_store(tmp_path / "updated", [source(new)], base=tmp_path / "old")
    build_store(tmp_path / "anew", [source(new)])
    with Store(tmp_path / "updated") as updated, Store(tmp_path / "anew") as anew:
        assert (updated.changes.added, updated.changes.changed) == (1, 3)
        assert (updated.changes.removed, updated.changes.unchanged) == (3, 24)
        assert updated.sorts(PROJECT) == anew.sorts(PROJECT)
        for query in ("", "word1", "xml", "quite", "renamed", "e"):
            for sort in anew.sorts(PROJECT):
                pages = [
                    s.page(PROJECT, query=query, sort=sort, page_size=99) for s in (updated, anew)
                ]
                assert pages[0] == pages[1], (query, sort)
        assert updated.by_id(PROJECT, "1") is None
        assert updated.count(ACCOUNT) == 0


SERVE = "from dirframe.service.server import run; import sys; run(sys.argv[1], port=0, keys=sys.argv[2], watch=float(sys.argv[3]) or None)"


@pytest.mark.parametrize("watch", ["0", "0.2"], ids=["signal", "watched"])
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has no SIGHUP")
def test_a_running_service_reads_changed_files_at_a_signal_or_by_itself(
    tmp_path: Path, watch: str
) -> None:
    path, log = tmp_path / "accounts.csv", tmp_path / "log"
    path.write_text("id,name\n1,first\n")
    environ = {**os.environ, "DIRFRAME_CACHE_DIR": str(tmp_path / "cache")}

    def wait_for(pattern: str) -> str:
        end = time.monotonic() + 120
        while not (found := re.search(pattern, log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.05)
        return found[0]

    command = [sys.executable, "-c", SERVE, str(path), str(tmp_path / "keys"), watch]
    with log.open("w") as stream, subprocess.Popen(command, stderr=stream, env=environ) as process:
        try:
            url = wait_for(r"http://\S+?:\d+")
            path.write_text("id,name\n1,first\n2,second\n")
            if watch == "0":
                process.send_signal(signal.SIGHUP)
            wait_for("1 added, 0 changed, 0 removed, 1 unchanged")
            assert "2 accounts" in requests.get(f"{url}/healthz", timeout=60).text
            # A store that is no longer served leaves the cache.
            assert len(list((tmp_path / "cache" / "stores").iterdir())) == 1
        finally:
            process.terminate()
        assert process.wait(timeout=60) == 0
