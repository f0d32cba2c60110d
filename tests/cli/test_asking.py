"""The commands that ask a directory."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from tests.cli import dirframe

if TYPE_CHECKING:
    from pathlib import Path

KEY = "marked-secret-key"


def table(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""], dtype="str")


def test_projects_go_to_standard_output_as_a_table_and_the_rest_to_standard_error() -> None:
    done = dirframe("projects", "--sample", "--sort", "id", "--max-items", "30")
    assert done.returncode == 0
    frame = table(done.stdout)
    assert list(frame["id"]) == [str(number) for number in range(1, 31)]
    tags = frame["tags"].dropna().map(json.loads)
    assert tags.map(lambda value: isinstance(value, list)).all()
    assert "n = 30 projects" in done.stderr
    assert "synthetic" in done.stderr


def test_accounts_match_a_query_and_go_to_a_file_of_any_kind_once(tmp_path: Path) -> None:
    target = tmp_path / "accounts.parquet"
    question = ("accounts", "--sample", "--query", "ada", "-o", str(target))
    assert dirframe(*question).returncode == 0
    frame = pd.read_parquet(target)
    assert len(frame) > 0
    assert frame["name"].str.contains("ada", case=False).all()
    assert frame.attrs["dirframe"]["question"] == {"query": "ada"}
    again = dirframe(*question)
    assert again.returncode == 2
    assert "exists already" in again.stderr
    assert dirframe(*question, "--overwrite").returncode == 0


@pytest.mark.parametrize("who", ["1", "ada@example.org"])
def test_an_account_is_found_by_id_and_by_address(who: str) -> None:
    done = dirframe("account", who, "--sample")
    assert done.returncode == 0
    assert list(table(done.stdout)["id"]) == ["1"]
    assert "ada@example.org" not in done.stdout


def test_a_project_is_found_by_id() -> None:
    assert list(table(dirframe("project", "7", "--sample").stdout)["id"]) == ["7"]


def test_a_plan_says_the_price_and_loads_nothing() -> None:
    done = dirframe("projects", "--sample", "--plan")
    assert done.returncode == 0
    assert "1,500 projects on 61 pages" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("projects", "--sort", "colour", "--sample"), 2, "cannot be sorted by 'colour'"),
        (("projects", "--sample", "--base-url", "https://example.org"), 2, "exclude"),
        (("projects",), 3, "No directory is given"),
        (("projects", "--base-url", "https://example.org"), 3, "No API key"),
        (("projects", "--base-url", "http://example.org"), 3, "API key"),
        (("project", "999999", "--sample"), 6, "no such record"),
        (("projects", "--sample", "--offline", "--query", "unasked"), 8, "not in the cache"),
    ],
)
def test_what_goes_wrong_is_a_line_and_a_documented_code(
    arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = dirframe(*arguments)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_directory_that_cannot_be_reached_is_5_and_the_key_is_nowhere() -> None:
    done = dirframe("projects", "--base-url", "http://127.0.0.1:9", DIRFRAME_API_KEY=KEY)
    assert done.returncode == 5
    assert "could not be fetched" in done.stderr
    assert KEY not in done.stdout + done.stderr


def test_an_unencrypted_address_elsewhere_is_refused() -> None:
    done = dirframe("projects", "--base-url", "http://example.org", DIRFRAME_API_KEY=KEY)
    assert done.returncode == 3
    assert "without encryption" in done.stderr


def test_a_reader_that_has_seen_enough_ends_the_pipe_quietly() -> None:
    command = f"{sys.executable} -m dirframe accounts --sample | head -n 1"
    done = subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.startswith("id,name,")
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
