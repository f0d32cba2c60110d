"""A study of the sample, as a reviewer sees it."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe import export

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


@pytest.fixture(scope="session")
def records() -> dict[str, pd.DataFrame]:
    with dirframe.sample_directory() as directory:
        return {
            "projects": directory.projects(max_items=120, sort="name", progress=False),
            "All accounts": directory.accounts(query="ada", progress=False),
        }


@pytest.fixture(scope="session")
def study(records: dict[str, pd.DataFrame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study as a reviewer sees it: unpacked in a folder."""
    folder = tmp_path_factory.mktemp("study")
    file = export(
        records, folder / "study.zip", title="A study", authors=["Hopper, Grace", "The Navy"]
    )
    with zipfile.ZipFile(file) as packed:
        packed.extractall(folder)
    return folder
