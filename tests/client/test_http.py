"""Looking after the HTTP cache."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import dirframe
from dirframe.client.http.cache import CACHE_FILE

if TYPE_CHECKING:
    from pathlib import Path


def filled(folder: Path) -> None:
    with dirframe.sample_directory(cache_dir=folder) as directory:
        dirframe.load_projects(max_items=60, directory=directory, progress=False)


def test_info_says_where_how_big_and_how_old(tmp_path: Path) -> None:
    filled(tmp_path)
    info = dirframe.cache_info(tmp_path)
    assert info.file == tmp_path / CACHE_FILE
    assert info.pages == 3
    assert info.size_bytes > 1_000
    assert info.oldest is not None
    assert info.newest is not None
    assert info.oldest <= info.newest
    assert "3 pages" in str(info)


def test_info_of_no_cache_makes_none(tmp_path: Path) -> None:
    assert dirframe.cache_info(tmp_path).pages == 0
    assert list(tmp_path.iterdir()) == []


def test_clearing_leaves_nothing(tmp_path: Path) -> None:
    filled(tmp_path)
    assert dirframe.clear_cache(tmp_path) == 3
    assert list(tmp_path.iterdir()) == []


def test_clearing_mends_a_damaged_file(tmp_path: Path) -> None:
    import pytest

    from dirframe.errors import CacheWarning

    (tmp_path / CACHE_FILE).write_bytes(b"garbage" * 1_000)
    with pytest.warns(CacheWarning):
        dirframe.clear_cache(tmp_path)
    filled(tmp_path)
    assert dirframe.cache_info(tmp_path).pages == 3


def test_pruning_removes_what_is_old_and_keeps_the_rest(tmp_path: Path) -> None:
    filled(tmp_path)
    assert dirframe.prune_cache(timedelta(days=1), tmp_path) == 0
    assert dirframe.cache_info(tmp_path).pages == 3
    assert dirframe.prune_cache(timedelta(0), tmp_path) == 3
    assert dirframe.cache_info(tmp_path).pages == 0
