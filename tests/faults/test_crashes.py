"""Whatever write a process ends at, what it leaves is whole, and going on gives what is right."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

import dirframe
from dirframe.service.dialects.xml_writer import record_xml
from tests.archive.living import LivingShelf
from tests.faults.service import FaultyService, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.faults.conftest import Ask
    from tests.faults.worker import Worker

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


def check(worker: Worker, job: str, base: Path, *, writes: int, **told: Any) -> None:
    """End a job at each of its writes, of which there are so many at least; nothing is wrong."""
    base.mkdir(exist_ok=True)
    found = worker.run(
        "tests.faults.crashes", "crash_everywhere", job=job, folder=str(base), told=told
    )
    assert found["wrong"] == []
    assert found["writes"] >= writes


@pytest.fixture
def shelf() -> LivingShelf:
    """Hold 15 projects on two pages."""
    return LivingShelf(15)


@pytest.fixture
def service(shelf: LivingShelf) -> Iterator[FaultyService]:
    with FaultyService(shelf) as service:
        yield service


def names(service: FaultyService, ask: Ask) -> dict[str, str]:
    frame = dirframe.load_projects(directory=ask(service), progress=False, refresh=True)
    return dict(zip(frame["id"], frame["name"], strict=True))


def test_a_harvest_ended_at_any_write_goes_on(
    worker: Worker, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    now = names(service, ask)
    check(worker, "harvest", tmp_path / "base", writes=12, url=service.url, before={}, now=now)


@pytest.mark.parametrize("honours", ["updates", "ids"])
def test_an_update_ended_at_any_write_goes_on(
    worker: Worker,
    honours: str,
    shelf: LivingShelf,
    service: FaultyService,
    ask: Ask,
    tmp_path: Path,
) -> None:
    if honours == "ids":  # then everything is asked for again
        shelf.honours = ("id",)
    else:  # three pages, so that there is one on which nothing changes
        for one in numbered(25)[15:]:
            shelf.add(one)
    base = tmp_path / "base"
    dirframe.harvest("projects", base / "a", directory=ask(service))
    before = names(service, ask)
    for one in ("3", "7", *numbered(15)[8:10], *numbered(15)[12:]):
        shelf.touch(one)
    shelf.remove("12")
    shelf.add("26")
    now = names(service, ask)
    check(worker, "update", base, writes=12, url=service.url, before=before, now=now)


@pytest.mark.parametrize("job", ["bundle", "parquet"])
def test_what_is_made_of_an_archive_is_whole_at_any_write(
    worker: Worker, job: str, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    dirframe.harvest("projects", base / "a", directory=ask(service))
    check(worker, job, base, writes=2, now=names(service, ask))


def test_a_load_ended_at_any_write_of_the_cache_goes_on(
    worker: Worker, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    now = names(service, ask)
    check(worker, "load", tmp_path / "base", writes=10, url=service.url, now=now)


# One of the kinds that share a writer; every one is given its name by the same lines.
@pytest.mark.parametrize(
    ("suffix", "replacing"),
    [
        (".csv", False),
        (".csv", True),
        (".parquet", True),
        (".xlsx", True),
        (".sqlite", False),
        (".sqlite", True),
        (".duckdb", True),
        (".html", True),
    ],
)
def test_an_export_ended_at_any_write_leaves_the_old_file_or_the_new_one(
    worker: Worker, replacing: bool, suffix: str, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    if replacing:
        from tests.faults.crashes import _frame

        dirframe.export(_frame(2), base / f"f{suffix}")
    check(worker, "export", base, writes=2, suffix=suffix, sizes=[2, 3] if replacing else [3])


def test_keys_are_whole_at_any_write(worker: Worker, tmp_path: Path) -> None:
    check(worker, "keys", tmp_path / "base", writes=4)


def test_a_store_is_there_whole_or_not_at_all_at_any_write(worker: Worker, tmp_path: Path) -> None:
    from dirframe.schema import RESOURCES

    base = tmp_path / "base"
    base.mkdir()
    records = "".join(
        record_xml(RESOURCES["project"], {"id": one, "name": f"name {one}"}) for one in numbered(30)
    )
    text = f"<?xml version='1.0'?><response><result>{records}</result></response>"
    (base / "projects.xml").write_text(text, encoding="utf-8")
    check(worker, "import", base, writes=10)
