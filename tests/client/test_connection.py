"""What a load without a directory opens is closed after it."""

from __future__ import annotations

import copy
import gc
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe.client.connection import Connection, client_or_default
from dirframe.errors import DirframeError
from tests.client import KEY, Asked, Server, page_xml, record
from tests.open_files import open_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_what_was_opened_for_one_load_is_closed_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIRFRAME_BASE_URL", "https://d.example")
    monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
    closed: list[object] = []

    def close(self: Connection) -> None:
        closed.append(self)

    monkeypatch.setattr(Connection, "close", close)
    with client_or_default(None) as directory:
        assert directory.settings.base_url == "https://d.example"
        assert closed == []
    assert closed == [directory]
    with client_or_default(directory) as same:
        assert same is directory
    assert closed == [directory]


def test_a_directory_that_nobody_closes_leaves_no_file_open(tmp_path: Path) -> None:
    with Server(lambda _: page_xml([record("1")], available=1, first=0)) as server:
        directory = dirframe.Directory(
            server.url, KEY, cache_dir=tmp_path / "cache", quota_dir=tmp_path / "data"
        )
        assert len(directory.projects(progress=False)) == 1
        directory.close()
        assert len(directory.projects(progress=False)) == 1  # it is opened again
        assert open_files(tmp_path)
        session = directory.session  # keeps alive what has to be closed
        del directory
        gc.collect()
        assert open_files(tmp_path) == set()
        assert session is not None


def test_a_copy_closes_no_other_directory(at: Callable[..., dirframe.Directory]) -> None:
    with Server(lambda _: page_xml([record("1")], available=1, first=0)) as server:
        directory = at(server)
        assert len(directory.projects(progress=False)) == 1
        with copy.copy(directory) as other:
            assert other.settings == directory.settings
            assert len(other.projects(progress=False, refresh=True)) == 1
        assert len(directory.projects(progress=False, refresh=True)) == 1


def test_a_load_whose_directory_is_closed_says_so(at: Callable[..., dirframe.Directory]) -> None:
    def answer(asked: Asked) -> bytes:
        if asked.page == 2:
            directory.close()
        ids = [str(25 * asked.page + number) for number in range(25)]
        return page_xml([record(one) for one in ids], available=100, first=25 * (asked.page - 1))

    with Server(answer) as server:
        directory = at(server, max_workers=1)
        with pytest.raises(DirframeError, match="closed while it was used"):
            directory.projects(progress=False)
        assert [asked.page for asked in server.asked] == [1, 2]


FORKS = """
import os, sys, warnings
import pytest

import dirframe
from dirframe.errors import QuotaWarning

warnings.simplefilter("error", QuotaWarning)  # a count that is lost
service = dirframe.serve()
directory = dirframe.Directory(
    service.url, service.api_key, cache_dir=sys.argv[1], quota_dir=sys.argv[2], max_workers=1
)
sorts = ["id", "name", "created_at"]
expected = {sort: list(directory.accounts(sort=sort, max_items=75, progress=False)["id"]) for sort in sorts}
session = directory.session
children = []
for sort in sorts:
    children.append(os.fork())
    if not children[-1]:
        for _ in range(5):
            frame = directory.accounts(sort=sort, max_items=75, progress=False, refresh=True)
            assert list(frame["id"]) == expected[sort]
        assert directory.session is not session
        sys.exit(0)
assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
assert directory.session is session
directory.accounts(max_items=25, progress=False, refresh=True)
print(directory.quota().used)
directory.close()
service.stop()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_forked_process_has_connections_of_its_own_and_the_same_count(tmp_path: Path) -> None:
    folders = [str(tmp_path / "cache"), str(tmp_path / "data")]
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKS, *folders]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.stderr, done.stdout.split()) == ("", [str(3 * 3 + 3 * 5 * 3 + 1)])
