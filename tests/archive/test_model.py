"""A manifest that is none, or says what no archive holds, is refused."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from dirframe.archive.journal import Journal
from dirframe.archive.manifest import FORMAT, Manifest
from dirframe.errors import ArchiveError
from tests.archive.test_selection import page

if TYPE_CHECKING:
    from pathlib import Path

AT = "2026-11-21T11:00:00+00:00"
END = {
    "event": "end",
    "round": 1,
    "at": AT,
    "pages": 1,
    "available": 2,
    "complete": True,
    "why": None,
    "order": [0],
    "again": [],
    "gone": [],
}


def read(file: Path, *, of_page: dict[str, Any], of_end: dict[str, Any]) -> Manifest:
    journal = Journal(file)
    head = {"event": "archive", "format": FORMAT, "resource": "project", "base_url": ""}
    journal.add(head | {"source": "x", "query": None})
    journal.add({"event": "round", "kind": "whole", "sort": None, "at": AT})
    journal.add(page(1, 1, "1", "2").event(1) | of_page)
    journal.add(END | of_end)
    journal.close()
    return Manifest.read(lambda: file.open("rb"), "it")


def test_a_manifest_that_is_none_is_refused() -> None:
    with pytest.raises(ArchiveError, match="not the manifest"):
        Manifest.read(BytesIO, "it")


def test_what_was_written_is_read(tmp_path: Path) -> None:
    manifest = read(tmp_path / "m", of_page={"available": -1}, of_end={})
    assert manifest.until(None) == manifest.rounds
    assert manifest.rounds[0].pages[0].ids == ("1", "2")


@pytest.mark.parametrize(
    ("of_page", "of_end"),
    [
        ({"bytes": "9"}, {}),
        ({"page": -1}, {}),
        ({"paid": True}, {}),
        ({"available": "many"}, {}),
        ({"ids": [1]}, {}),
        ({"retrieved": "yesterday"}, {}),
        ({"sha256": "../" * 21 + "x"}, {}),
        ({"round": 2}, {}),
        ({}, {"order": [1]}),
        ({}, {"order": "all"}),
        ({}, {"gone": None}),
        ({}, {"available": "2"}),
        ({}, {"at": "soon"}),
    ],
)
def test_what_no_archive_holds_is_refused(
    of_page: dict[str, Any], of_end: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(ArchiveError, match="says what no archive holds"):
        read(tmp_path / "m", of_page=of_page, of_end=of_end)


def test_rounds_of_which_no_page_was_written_down_do_not_count(tmp_path: Path) -> None:
    """A kill between the two left such rounds; what counts is the last one that has pages."""
    file = tmp_path / "m"
    read(file, of_page={}, of_end={})
    journal = Journal(file)
    begun = {"event": "round", "kind": "whole", "sort": None, "at": AT}
    journal.add(begun)
    journal.add(END | {"round": 2, "pages": 0, "available": None, "order": []})
    journal.add(begun)
    journal.close()
    manifest = Manifest.read(lambda: file.open("rb"), "it")
    assert [one.number for one in manifest.rounds] == [1, 2]
    assert [one.number for one in manifest.until(None)] == [1]
