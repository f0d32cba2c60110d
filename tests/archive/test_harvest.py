"""Whatever ends a harvest, nothing is lost, nothing counts twice, and only the rest is paid."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import dirframe
from dirframe.archive.model import Collection
from dirframe.archive.store import Store
from dirframe.errors import ArchiveError, QuotaExceededError
from tests.faults import faults
from tests.faults.conftest import ROOT
from tests.faults.service import KEY, FaultyService, Shelf, numbered
from tests.forked import kill_after_requests

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dirframe.client.directory import Directory

    Ask = Callable[..., Directory]

LINE = f"""
import sys
from pathlib import Path
import dirframe
from dirframe.client.directory import Directory
from dirframe.settings import ApiKey, Settings
url, folder = sys.argv[1:]
settings = Settings(base_url=url, api_key=ApiKey({KEY!r}), name="faulty", cache_dir=None,
    quota_dir=None, max_workers=2)
with Directory.from_settings(settings) as place:
    dirframe.harvest("projects", folder, directory=place)
"""


def ids(folder: Path) -> list[str]:
    frame = dirframe.open_archive(folder).frame()
    assert frame.attrs["dirframe"]["complete"] is True
    return list(frame["id"])


def read_pages(file: Path) -> list[int]:
    with Store.open(file) as store:
        return [page.page for page in store.pages(store.rounds()[0])]


def test_the_frame_is_that_of_a_load(tmp_path: Path) -> None:
    with dirframe.sample_directory(cache=False) as directory:
        archive = dirframe.harvest("projects", tmp_path / "a", directory=directory)
        loaded = dirframe.load_projects(sort="id", directory=directory, progress=False)
    pd.testing.assert_frame_equal(archive.frame(), loaded)
    noted = archive.frame().attrs["dirframe"]
    for name in ("source", "query", "items_available", "complete", "synthetic"):
        assert noted[name] == loaded.attrs["dirframe"][name]


def test_a_finished_harvest_pays_nothing_more(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    assert service.pages == [1, 2, 3, 4, 5, 6]
    dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    assert len(service.asked) == 6
    assert ids(tmp_path / "a") == numbered(55)


def test_it_stops_at_the_quota_and_goes_on_later(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    with pytest.raises(QuotaExceededError, match="3 of 6 pages") as stopped:
        dirframe.harvest("projects", tmp_path / "a", directory=ask(service), requests_per_day=3)
    assert stopped.value.resets_at is not None
    assert dirframe.open_archive(tmp_path / "a").status().share == 0.5
    service.forget()
    dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    # The last page of the first day, to compare, and at the end whether changes can be asked for.
    assert service.pages == [3, 4, 5, 6, 1]
    assert ids(tmp_path / "a") == numbered(55)


def test_a_time_that_has_come_stops_it(service: FaultyService, ask: Ask, tmp_path: Path) -> None:
    past = datetime.now(UTC) - timedelta(seconds=1)
    with pytest.raises(ArchiveError, match="empty"):
        dirframe.harvest("projects", tmp_path / "a", directory=ask(service), stop_at=past).status()
    assert service.asked == []


def test_growth_between_two_days_costs_two_requests_more(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    with pytest.raises(QuotaExceededError):
        dirframe.harvest("projects", tmp_path / "a", directory=ask(service), requests_per_day=3)
    service.shelf.change(lambda held: [*held, "56", "57"])
    service.forget()
    dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    assert service.pages == [3, 4, 5, 6, 1]
    assert ids(tmp_path / "a") == numbered(57)


@pytest.mark.parametrize("gone", ["2", "15", "30", "55"])
def test_what_was_removed_between_two_days_is_neither_kept_nor_shifts_others_away(
    gone: str, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    with pytest.raises(QuotaExceededError):
        dirframe.harvest("projects", tmp_path / "a", directory=ask(service), requests_per_day=3)
    service.shelf.change(lambda held: [one for one in held if one != gone])
    dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    assert ids(tmp_path / "a") == [one for one in numbered(55) if one != gone]


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_instant_nothing_is_lost_or_counted_twice(
    seed: int, ask: Ask, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    with FaultyService(Shelf(numbered(305), size=10)) as service:
        service.always = faults.late(0.01)
        for _ in range(2):
            kill_after_requests(service, chance, LINE, service.url, str(tmp_path / "a"))
        asked = len(service.asked)
        kept = sum(one.pages for one in dirframe.open_archive(tmp_path / "a").rounds)
        assert asked - 2 * 3 <= kept <= asked  # lost is what was on its way, one a worker
        dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
        assert ids(tmp_path / "a") == numbered(305)
        assert len(service.asked) <= asked + 31 - kept + 2 * 2 + 2


def test_two_processes_never_write_to_one_archive(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    collection = Collection("project", service.url, "faulty", None)
    with (
        Store.open_writer(tmp_path / "a", collection),
        pytest.raises(ArchiveError, match="Another process"),
    ):
        dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    assert service.asked == []


def test_another_question_is_refused(service: FaultyService, ask: Ask, tmp_path: Path) -> None:
    dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    with pytest.raises(ArchiveError, match="another question"):
        dirframe.harvest("accounts", tmp_path / "a", directory=ask(service))


def test_the_key_is_nowhere(service: FaultyService, ask: Ask, tmp_path: Path) -> None:
    archive = dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    assert KEY.encode() not in archive.path.read_bytes()


@pytest.mark.parametrize("room", [200, 20_000, 45_000])  # nothing at all, the tables, some pages
def test_a_full_disk_is_said_and_leaves_what_was_kept(room: int, ask: Ask, tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="this system knows no RLIMIT_FSIZE")
    limited = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
    )
    with FaultyService(Shelf(numbered(3_000), size=300)) as service:
        done = subprocess.run(
            [sys.executable, "-c", limited + LINE, service.url, str(tmp_path / "a")],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        service.settle()
        asked = len(service.asked)
        kept = read_pages(tmp_path / "a") if room > 30_000 else []
        dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    assert done.returncode == 1
    assert "ArchiveError: " in done.stderr
    assert "a could not be written" in done.stderr
    assert "make room" in done.stderr
    assert ids(tmp_path / "a") == numbered(3_000)
    assert bool(kept) == (room > 30_000)
    # Not paid again is what was kept up to the first gap: a worker's page may have come before
    # the one in front of it. The others are the last of these and the one after the end.
    gapless = min({*range(1, 11)} - {*kept}) - 1
    assert len(service.asked) - asked <= 10 - gapless + 3
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["a"]
