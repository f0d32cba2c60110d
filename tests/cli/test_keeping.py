"""The commands that look after the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli import dirframe

if TYPE_CHECKING:
    from pathlib import Path


def test_the_cache_is_described_pruned_and_cleared(tmp_path: Path) -> None:
    folder = {"DIRFRAME_CACHE_DIR": str(tmp_path)}
    dirframe("projects", "--sample", "--max-items", "30", **folder)
    assert "2 pages" in dirframe("cache", "info", **folder).stdout
    assert "Removed 0" in dirframe("cache", "prune", "--older-than", "1", **folder).stderr
    assert "Removed 2" in dirframe("cache", "clear", **folder).stderr
    assert "0 pages" in dirframe("cache", "info", **folder).stdout
