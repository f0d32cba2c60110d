"""The commands of archives, one after the other."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from dirframe import harvest, sample_directory
from dirframe.cli.archive import _moment

if TYPE_CHECKING:
    from pathlib import Path


def test_a_harvest_stops_with_its_exit_code_goes_on_and_is_bundled(
    run: Any, tmp_path: Path
) -> None:
    asked = ("harvest", "projects", "--to", tmp_path / "a", "--sample")
    assert "A harvest takes 1 day" in run(*asked, "--plan").out
    stopped = run(*asked, "--requests-per-day", 5)
    assert (stopped.code, "5 of 60 pages" in stopped.err) == (4, True)
    assert "55 days" not in run("status", tmp_path / "a").out
    assert "proven complete" in run(*asked).out
    done = run("bundle", tmp_path / "a", "-o", tmp_path / "study.zip")
    assert (done.code, "SHA-256" in done.err) == (0, True)
    assert run("status", tmp_path).code == 9


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_time_of_day_is_the_next_one(hours: int) -> None:
    now = datetime.now().astimezone()
    given = (now + timedelta(hours=hours)).strftime("%H:%M")
    moment = _moment(datetime.strptime(given, "%H:%M"))  # noqa: DTZ007  # as the option reads it
    assert moment is not None
    assert timedelta(0) < moment - now <= timedelta(days=1)
    assert moment.strftime("%H:%M") == given


def test_no_table_replaces_an_archive(run: Any, tmp_path: Path) -> None:
    kept = tmp_path / "kept.db"
    with sample_directory() as directory:
        harvest("accounts", kept, directory=directory)
    before = kept.read_bytes()
    for words in (("read", kept, "-o", kept), ("export", kept, kept)):
        outcome = run(*words, "--overwrite")
        assert (outcome.code, kept.read_bytes()) == (2, before)
        assert "is an archive of harvested pages" in outcome.err
