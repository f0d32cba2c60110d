"""The sample directory: a real service with synthetic data, offline."""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe.errors import NetworkError, StoreError
from dirframe.provenance import caption, get_provenance

if TYPE_CHECKING:
    from pathlib import Path


def test_it_listens_on_this_machine_alone() -> None:
    with dirframe.sample_directory() as directory:
        assert directory.settings.base_url.startswith("http://127.0.0.1:")
        assert "sample" in repr(directory)


def test_every_frame_says_that_its_data_is_synthetic() -> None:
    with dirframe.sample_directory() as directory:
        for frame in (
            dirframe.load_accounts(max_items=5, directory=directory),
            dirframe.load_projects(max_items=5, directory=directory),
            dirframe.load_account(1, directory=directory),
        ):
            assert get_provenance(frame)["synthetic"] is True
            assert "synthetic sample data" in caption(frame)


def test_leaving_it_stops_the_service_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    with dirframe.sample_directory(cache=False) as directory:
        dirframe.load_accounts(max_items=5, directory=directory)
    left = [thread.name for thread in set(threading.enumerate()) - before if thread.is_alive()]
    assert left == []
    with pytest.raises(NetworkError):
        dirframe.load_accounts(max_items=5, directory=directory)


def test_one_that_nobody_closes_stops_its_service() -> None:
    before = set(threading.enumerate())
    directory = dirframe.sample_directory(cache=False)
    assert len(directory.projects(max_items=5, progress=False)) == 5
    service = set(threading.enumerate()) - before
    assert service
    del directory
    gc.collect()
    for thread in service:
        thread.join(60)
    assert [thread.name for thread in service if thread.is_alive()] == []


def test_pages_are_found_again_although_the_port_changes(tmp_path: Path) -> None:
    paid = []
    for _ in range(2):
        with dirframe.sample_directory(cache_dir=tmp_path) as directory:
            frame = dirframe.load_accounts(max_items=50, directory=directory)
            paid.append(get_provenance(frame)["requests_made"])
    assert paid == [2, 0]


def test_without_a_cache_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        with dirframe.sample_directory(cache=False) as directory:
            frame = dirframe.load_accounts(max_items=25, directory=directory)
            assert get_provenance(frame)["requests_made"] == 1


def test_two_of_them_run_beside_one_another() -> None:
    with dirframe.sample_directory() as one, dirframe.sample_directory() as other:
        assert one.settings.base_url != other.settings.base_url
        assert one.settings.api_key != other.settings.api_key
        frames = [dirframe.load_projects(max_items=5, directory=d) for d in (one, other)]
        assert list(frames[0]["id"]) == list(frames[1]["id"])


def test_a_missing_sample_is_said_and_leaves_nothing_running(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from dirframe.service.store import sample

    monkeypatch.setattr(sample, "_PACKAGE", tmp_path / "dirframe")
    before = threading.active_count()
    with pytest.raises(StoreError, match="sample data"):
        dirframe.sample_directory()
    assert threading.active_count() == before
