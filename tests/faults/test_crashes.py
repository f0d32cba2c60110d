"""Whatever write a process ends at, what it leaves is whole, and going on gives what is right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import dirframe
from dirframe.service.writer import record_xml
from tests.archive.living import LivingShelf
from tests.faults.conftest import ROOT
from tests.faults.service import FaultyService, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.faults.conftest import Ask

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


def check(job: str, base: Path, *, writes: int, **told: Any) -> None:
    """End a job at each of its writes, of which there are so many at least; nothing is wrong."""
    base.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.crashes", job, str(base)],
        cwd=ROOT,
        input=json.dumps(told),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["writes"] >= writes


@pytest.fixture
def shelf() -> LivingShelf:
    """Hold 25 projects on three pages."""
    return LivingShelf(25)


@pytest.fixture
def service(shelf: LivingShelf) -> Iterator[FaultyService]:
    with FaultyService(shelf) as service:
        yield service


def names(service: FaultyService, ask: Ask) -> dict[str, str]:
    frame = dirframe.load_projects(directory=ask(service), progress=False, refresh=True)
    return dict(zip(frame["id"], frame["name"], strict=True))


def test_a_harvest_ended_at_any_write_goes_on(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    now = names(service, ask)
    check("harvest", tmp_path / "base", writes=12, url=service.url, before={}, now=now)


@pytest.mark.parametrize("honours", ["updates", "ids"])
def test_a_refresh_ended_at_any_write_goes_on(
    honours: str, shelf: LivingShelf, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    if honours == "ids":  # then everything is asked for again
        shelf.honours = ("id",)
    base = tmp_path / "base"
    dirframe.harvest("projects", base / "a", directory=ask(service))
    before = names(service, ask)
    for one in ("3", "7", *numbered(25)[12:20]):
        shelf.touch(one)
    shelf.remove("12")
    shelf.add("26")
    now = names(service, ask)
    check("refresh", base, writes=12, url=service.url, before=before, now=now)


@pytest.mark.parametrize("job", ["bundle", "parquet"])
def test_what_is_made_of_an_archive_is_whole_at_any_write(
    job: str, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    dirframe.harvest("projects", base / "a", directory=ask(service))
    check(job, base, writes=2, now=names(service, ask))


def test_a_load_ended_at_any_write_of_the_cache_goes_on(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    now = names(service, ask)
    check("load", tmp_path / "base", writes=10, url=service.url, now=now)


@pytest.mark.parametrize(
    "suffix",
    [".csv", ".tsv", ".jsonl", ".parquet", ".feather", ".xlsx", ".sqlite", ".duckdb", ".html", ".md"],
)  # fmt: skip
@pytest.mark.parametrize("replacing", [False, True])
def test_an_export_ended_at_any_write_leaves_the_old_file_or_the_new_one(
    replacing: bool, suffix: str, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    if replacing:
        from tests.faults.crashes import _frame

        dirframe.export(_frame(2), base / f"f{suffix}")
    check("export", base, writes=2, suffix=suffix, sizes=[2, 3] if replacing else [3])


def test_keys_are_whole_at_any_write(tmp_path: Path) -> None:
    check("keys", tmp_path / "base", writes=4)


def test_a_store_is_there_whole_or_not_at_all_at_any_write(tmp_path: Path) -> None:
    from dirframe.schema import RESOURCES

    base = tmp_path / "base"
    base.mkdir()
    records = "".join(
        record_xml(RESOURCES["project"], {"id": one, "name": f"name {one}"}) for one in numbered(30)
    )
    text = f"<?xml version='1.0'?><response><result>{records}</result></response>"
    (base / "projects.xml").write_text(text, encoding="utf-8")
    check("import", base, writes=10)
