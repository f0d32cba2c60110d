"""A file has its name when it is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe import InvalidInputError
from dirframe.files.whole import put, unfinished

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "f"
    with unfinished(target) as part:
        part.write_text("new")
        target.write_text("mine")
        with pytest.raises(InvalidInputError, match="overwrite=True"):
            put(part, target, overwrite=False)
        assert target.read_text() == "mine"
        put(part, target, overwrite=True)
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]
