"""An error in the shell names options and commands, not arguments of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dirframe import export
from dirframe.cli.wording import in_a_shell
from tests.cli import dirframe

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    export(pd.DataFrame({"id": ["1"], "name": ["a"]}), tmp_path / "there.csv")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("export there.csv there.csv", "choose another name or --overwrite."),
        ("report there.csv -o there.csv", "choose another name or --overwrite."),
        ("plot growth there.csv -o there.csv", "a chart is one of .png"),
        ("clean there.csv", "--column to name the one that holds the countries."),
        ("stats language_share there.csv", "Name a file of dirframe projects."),
        ("stats accounts_by_kudo_rank there.csv", "Name a file of dirframe accounts."),
        ("stats growth there.csv", "Name a file of dirframe accounts or projects."),
        ("projects", "Give --base-url, set DIRFRAME_BASE_URL, or --sample for the bundled"),
        ("projects --base-url https://x.example", "Set DIRFRAME_API_KEY, store it in your keyring"),
        ("projects --base-url https://a@x.example", "the key is taken from DIRFRAME_API_KEY"),
    ],
)
def test_an_error_says_what_to_type(
    line: str, says: str, desk: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "a@x" in line:
        monkeypatch.setenv("DIRFRAME_API_KEY", "a-key-0123456789")
    outcome = run(*line.split())
    assert outcome.code in {2, 3}
    assert says in outcome.err
    assert "=True" not in outcome.err
    assert "()" not in outcome.err


def test_folders_of_generated_data_and_two_frames_of_a_kind_are_said_so_too(
    desk: Path, run: Any
) -> None:
    words = ("generate", "data", "--accounts", "1", "--projects", "1")
    assert run(*words).code == 0
    assert "choose another folder, or --overwrite." in run(*words).err
    assert dirframe("projects", "--sample", "--max-items", "5", "-o", "p.parquet").returncode == 0
    said = run("report", "p.parquet", "p.parquet", "-o", "r.md").err
    assert "or use dirframe compare BEFORE AFTER." in said


def test_what_is_no_argument_stays_as_it_is() -> None:
    text = "projects cannot be sorted by 'overwrite=True'; choose one of id, name."
    assert in_a_shell(text) == text
