"""Standard output: a table on a terminal, CSV elsewhere, and what was asked for always."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli import dirframe

if TYPE_CHECKING:
    from pathlib import Path

pty = pytest.importorskip("pty", reason="terminals are others there")


def on_a_terminal(*words: str, columns: int = 60, **environment: str) -> str:
    """Run the command line on a terminal of its own and return what that shows."""
    pid, master = pty.fork()
    if not pid:
        os.environ.update({"COLUMNS": str(columns), "TERM": "xterm"} | environment)
        os.execv(sys.executable, [sys.executable, "-m", "dirframe", *words])
    shown = b""
    try:
        while part := os.read(master, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(master)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, shown
    return shown.decode().replace("\r\n", "\n")


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    file = tmp_path / "projects.csv"
    rows = "\n".join(f"{n},日本 {n},2013-07-01T00:00:00Z,{n % 3},C{n}" for n in range(70))
    file.write_text(
        "id,name,created_at,analysis_total_code_lines,analysis_main_language_name\n" + rows + "\n"
    )
    return file


def test_a_terminal_gets_an_aligned_table_that_says_what_is_missing(projects: Path) -> None:
    shown = on_a_terminal("stats", "language_share", str(projects))
    assert "\x1b[1mlanguage" in shown
    assert "20 more rows" in shown
    assert "n = 70 projects" in shown


def test_a_terminal_without_colour_gets_none(projects: Path) -> None:
    shown = on_a_terminal("stats", "language_share", str(projects), NO_COLOR="1")
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 60


def test_parquet_is_kept_from_a_terminal_and_a_file_has_its_own_form(
    projects: Path, run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run("stats", "lorenz", projects, "--format", "parquet").code == 2
    words = ("-o", tmp_path / "s.csv", "--format", "json")
    assert run("stats", "lorenz", projects, *words).code == 2


def test_each_form_is_what_other_programs_read(projects: Path, run: Any) -> None:
    question = ("stats", "language_share", projects, "--top", 1, "--format")
    assert json.loads(run(*question, "json").out)[0]["language"] == "C0"
    lines = run(*question, "jsonl").out.splitlines()
    assert [json.loads(line)["projects"] for line in lines] == [1, 69]
    assert run(*question, "tsv").out.startswith("language\tprojects\t")
    assert run(*question, "csv").out.startswith("language,projects,")
    assert run(*question, "table").out.splitlines()[0].split()[:2] == ["language", "projects"]


def test_nothing_asks_back_when_there_is_no_terminal() -> None:
    assert dirframe("stats", "lorenz", "-").returncode == 2
