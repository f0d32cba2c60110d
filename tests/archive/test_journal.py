"""A line counts when it is whole; what is damaged is named."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dirframe.archive.journal import Journal, read_lines
from dirframe.errors import ArchiveError

if TYPE_CHECKING:
    from pathlib import Path


def read(file: Path) -> list[dict[str, object]]:
    with file.open("rb") as stream:
        return [event for _, event in read_lines(stream, "it")]


def test_a_line_that_was_cut_never_counted_whatever_its_length(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    with closing(Journal(whole)) as journal:
        journal.add({"n": 1})
        first = whole.stat().st_size
        journal.add({"n": 2, "text": "ä"})
    content = whole.read_bytes()
    for length in range(first, len(content)):
        cut = tmp_path / "cut"
        cut.write_bytes(content[:length])
        assert read(cut) == [{"n": 1}]
        with closing(Journal(cut)) as journal:
            journal.add({"n": 3})
        assert read(cut) == [{"n": 1}, {"n": 3}]


def test_a_changed_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "it"
    with closing(Journal(file)) as journal:
        journal.add({"n": 1})
        journal.add({"n": 2})
    file.write_bytes(file.read_bytes().replace(b'"n":2', b'"n":7'))
    with pytest.raises(ArchiveError, match="Line 2 of it"):
        read(file)
