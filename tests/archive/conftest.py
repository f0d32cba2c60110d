"""A service to harvest, and directories on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe.client.directory import Directory
from tests.faults.conftest import settings_of
from tests.faults.service import FaultyService, Shelf, numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def shelf() -> Shelf:
    """Hold 55 records on six pages of ten."""
    return Shelf(numbered(55), size=10)


@pytest.fixture
def service(shelf: Shelf) -> Iterator[FaultyService]:
    with FaultyService(shelf) as service:
        yield service


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[..., Directory]]:
    made: list[Directory] = []

    def make(service: FaultyService, **options: object) -> Directory:
        made.append(Directory.from_settings(settings_of(service, tmp_path, **options)))
        return made[-1]

    yield make
    for directory in made:
        directory.close()


@pytest.fixture
def folder(service: FaultyService, ask: Callable[..., Directory], tmp_path: Path) -> Path:
    """Harvest everything, and forget that it was asked for."""
    archive = dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    assert archive.status().complete
    service.forget()
    return archive.path
