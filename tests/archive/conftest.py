"""A service to harvest, and directories on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe.client.directory import Directory
from tests.faults.conftest import settings_of
from tests.faults.service import FaultyService, Shelf, numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def service() -> Iterator[FaultyService]:
    """Serve 55 records on six pages of ten."""
    with FaultyService(Shelf(numbered(55), size=10)) as service:
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
