"""What the tests of the explorer share: the sample, loaded once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe.explorer.state import State
from tests.explorer.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd


@pytest.fixture(scope="session")
def directory() -> Iterator[dirframe.Directory]:
    with dirframe.sample_directory() as opened:
        yield opened


@pytest.fixture(scope="session")
def projects(directory: dirframe.Directory) -> pd.DataFrame:
    return dirframe.load_projects(directory=directory, progress=False)


@pytest.fixture(scope="session")
def accounts(directory: dirframe.Directory) -> pd.DataFrame:
    loaded = dirframe.load_accounts(directory=directory, progress=False)
    return dirframe.unify_countries(loaded)


@pytest.fixture
def of_projects(projects: pd.DataFrame) -> tuple[State, Screen]:
    """Open an explorer of loaded projects."""
    state = State(projects)
    return state, Screen(state)
