"""A chunk has the columns that are in it, whatever was read before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.archive.contents import Run, Wanted
from dirframe.archive.storing import store

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (
    "<response><status>success</status><result><project><id>{}</id>{}</project></result></response>"
)


def run(folder: Path, *contents: str) -> Run:
    pages = []
    for number, content in enumerate(contents, 1):
        page = PAGE.format(number, content).encode()
        pages.append(Wanted(number, store(folder, page)[0], len(page)))
    return Run(path=folder, resource="project", columns=None, facts={}, pages=pages)


def test_a_run_gives_the_same_whether_it_is_read_at_once_or_in_parts(tmp_path: Path) -> None:
    whole = run(tmp_path, "<odd>x</odd>", *[""] * 63, *["<other>y</other>"] * 3)
    frames = list(whole.frames())
    apart = [frame for part in whole.parted(64) for frame in part.frames()]
    assert [list(frame) for frame in frames] == [list(frame) for frame in apart]
    assert ["odd" in frame for frame in frames] == [True, False]
    assert [len(frame) for frame in frames] == [64, 3]


def test_no_pages_are_one_run_and_one_empty_frame(tmp_path: Path) -> None:
    (only,) = run(tmp_path).parted(10)
    (frame,) = only.frames()
    assert (len(frame), "name" in frame) == (0, True)
