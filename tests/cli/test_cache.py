"""The commands that look after the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cli import dirframe

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client import Server


def test_the_cache_is_described_pruned_and_cleared(tmp_path: Path) -> None:
    folder = {"DIRFRAME_CACHE_DIR": str(tmp_path)}
    dirframe("projects", "--sample", "--max-items", "30", **folder)
    assert "2 pages" in dirframe("cache", "info", **folder).stdout
    assert "Removed 0" in dirframe("cache", "prune", "--older-than", "1", **folder).stderr
    assert "Removed 2" in dirframe("cache", "clear", **folder).stderr
    assert "0 pages" in dirframe("cache", "info", **folder).stdout


@pytest.mark.parametrize("damage", [b"This is not a database." * 500, b""])
def test_a_damaged_cache_is_mended_by_clearing_it(
    damage: bytes, there: Server, run: Any, tmp_path: Path
) -> None:
    file = tmp_path / "cache" / "http-cache-1.sqlite"
    file.parent.mkdir()
    file.write_bytes(damage)
    assert run("cache", "info").code == 0
    assert run("cache", "clear").code == 0
    outcome = run("projects")
    assert "cannot be used" not in outcome.err
    paid = len(there.asked)
    run("projects")
    assert len(there.asked) == paid
