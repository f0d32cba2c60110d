"""What was kept is read whole, or what is wrong with it is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

import dirframe
from dirframe.errors import ArchiveError, IncompleteWarning, InvalidInputError, QuotaExceededError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.archive.test_harvest import Ask
    from tests.faults.service import FaultyService


@pytest.fixture
def archive(service: FaultyService, ask: Ask, tmp_path: Path) -> dirframe.Archive:
    return dirframe.harvest("projects", tmp_path / "a", directory=ask(service))


def test_an_archive_and_its_folder_are_pages(archive: dirframe.Archive) -> None:
    frame = archive.frame()
    pd.testing.assert_frame_equal(dirframe.read_pages(archive), frame)
    pd.testing.assert_frame_equal(dirframe.read_pages(archive.path), frame)
    pd.testing.assert_frame_equal(pd.concat(archive.chunks(), ignore_index=True), frame)


def test_a_lost_page_and_a_damaged_one_are_named(archive: dirframe.Archive) -> None:
    first, second, *_ = sorted(archive.path.rglob("*.zst"))
    content = first.read_bytes()
    first.unlink()
    with pytest.raises(ArchiveError, match=first.name):
        archive.frame()
    first.write_bytes(content)
    second.write_bytes(content)
    with pytest.raises(ArchiveError, match=second.name):
        archive.verify()


def test_a_harvest_that_is_not_finished_says_so(
    service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    with pytest.raises(QuotaExceededError):
        dirframe.harvest("projects", tmp_path / "b", directory=ask(service), daily=2)
    with pytest.warns(IncompleteWarning, match="not finished"):
        frame = dirframe.open_archive(tmp_path / "b").frame()
    assert (len(frame), frame.attrs["dirframe"]["complete"]) == (20, False)


def test_before_the_first_harvest_there_is_no_frame(archive: dirframe.Archive) -> None:
    with pytest.raises(ArchiveError, match="no finished harvest"):
        archive.frame(as_of="2001-01-01")
    with pytest.raises(InvalidInputError, match="as_of"):
        archive.frame(as_of="yesterday")


def test_a_folder_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="no archive"):
        dirframe.open_archive(tmp_path)
