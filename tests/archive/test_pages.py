"""Pages are read from the file when they are asked for, and are what was written."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from dirframe.archive.journal import Journal, read_lines
from dirframe.archive.pages import Chosen, Pages
from dirframe.errors import ArchiveError
from tests.archive.test_selection import page

if TYPE_CHECKING:
    from pathlib import Path


def written(file: Path, count: int) -> Pages:
    journal = Journal(file)
    for number in range(1, count + 1):
        journal.add(page(number, number % 60, f"{number}a", None, f"{number}c").event(1))
    journal.close()
    pages = Pages(opened=lambda: file.open("rb"))
    with file.open("rb") as lines:
        for place, event in read_lines(lines, "it"):
            pages.append(page(event["page"], 0), place)
    return pages


def test_pages_of_the_file_and_of_memory_are_one_list(tmp_path: Path) -> None:
    pages = written(tmp_path / "m", 3)
    pages.append(page(7, 9, "x"))
    assert [kept.page for kept in pages] == list(pages.numbers) == [1, 2, 3, 7]
    assert (pages[0].ids, pages[-1].ids, len(pages)) == (("1a", None, "1c"), ("x",), 4)
    assert [kept.page for kept in Chosen(pages, [3, 0])] == [7, 1]
    with pytest.raises(IndexError):
        pages[4]


def test_a_file_that_went_or_changed_meanwhile_is_an_error(tmp_path: Path) -> None:
    pages = written(tmp_path / "m", 3)
    content = (tmp_path / "m").read_bytes()
    (tmp_path / "m").write_bytes(content[:-9])
    with pytest.raises(ArchiveError, match="Open the archive again"):
        list(pages)
    (tmp_path / "m").unlink()
    with pytest.raises(ArchiveError, match="Open the archive again"):
        pages[0]


def test_a_page_costs_a_few_bytes_of_memory(tmp_path: Path) -> None:
    pages = written(tmp_path / "m", 2)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for number in range(10_000):
        pages.append(pages[number % 2], number)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 10_000 * 30
