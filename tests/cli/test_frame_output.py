"""Standard output: a table on a terminal, CSV elsewhere, and what was asked for always."""

from __future__ import annotations

import json
import os
import re
import struct
import sys
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dirframe.cli.frame_output import Output
from tests.cli import dirframe

if TYPE_CHECKING:
    from pathlib import Path

pty = pytest.importorskip("pty", reason="terminals are others there")


def on_a_terminal(*words: str, columns: int = 60, **environment: str) -> str:
    """Run the command line on a terminal of its own and return what that shows."""
    import fcntl
    import termios

    pid, master = pty.fork()
    if not pid:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("4H", 40, columns, 0, 0))
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


def test_eighty_columns_show_what_research_needs_first() -> None:
    shown = on_a_terminal("projects", "--sample", "-n", "12", columns=80, NO_COLOR="1")
    table = shown.partition("Not shown")[0]
    header = " ".join(table.partition("─")[0].split("projects/s]")[-1].split())
    for words in ("name", "language", "contributor", "lines", "stack"):
        assert words in header
    assert max(map(len, shown.rpartition("\r")[2].splitlines())) <= 80
    rows = table.rpartition("─")[2].strip("\n").splitlines()
    numbers = [row for row in rows if row.strip()]
    assert len(numbers) == 12
    # The last digits of the ids stand below one another.
    assert len({len(row) - len(row.lstrip()) + len(row.split()[0]) for row in numbers}) == 1


def test_progress_counts_the_records_that_were_asked_for() -> None:
    shown = on_a_terminal("projects", "--sample", "--limit", "12", columns=100)
    assert " 12/12 " in shown
    assert not re.search(r"(?<![\d.])25 projects", shown)  # the rate has a fraction


@pytest.mark.parametrize("form", ["csv", "jsonl", "table"])
def test_columns_are_chosen_in_the_order_in_which_they_are_named(form: str, run: Any) -> None:
    chosen = "analysis_total_code_lines,name"
    out = run("projects", "--sample", "-n", 2, "--columns", chosen, "--format", form).out
    first = out.splitlines()[0].replace("total code", "total_code")
    positions = [first.index(word) for word in ("id", "total_code", "name")]
    assert positions == sorted(positions)
    assert "created" not in out


@pytest.mark.parametrize("form", [[], ["--format", "jsonl"]])
def test_a_hyphen_for_a_file_is_standard_output(form: list[str], run: Any) -> None:
    words = ["projects", "--sample", "-n", "2", *form]
    named = run(*words, "-o", "-")
    assert (named.code, named.out) == (0, run(*words).out)


@pytest.mark.parametrize("words", ["plot tags -o -", "report -o -", "stats tags -o chart"])
def test_a_file_without_a_suffix_is_refused_with_those_that_there_are(
    words: str, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = run(*words.split(), "--sample")
    assert (refused.code, refused.out) == (2, "")
    assert f"{words.rsplit(maxsplit=1)[-1]} has no suffix; choose one of ." in refused.err


@pytest.mark.parametrize("chosen", ["", ",", "name,"])
def test_a_list_of_columns_without_a_name_is_refused(chosen: str, run: Any) -> None:
    refused = run("projects", "--sample", "-n", 2, "--columns", chosen)
    assert (refused.code, refused.out) == (2, "")
    assert "is not a list of names" in refused.err


def test_columns_of_a_statistic_and_of_a_file_are_chosen_too(
    projects: Path, tmp_path: Path, run: Any
) -> None:
    out = run("stats", "language_share", projects, "--columns", "share,language", "--format", "csv")
    assert out.out.startswith("share,language\n")
    file = tmp_path / "few.json"
    words = ("--columns", "name", "-o", file)
    assert run("projects", "--sample", "-n", 3, *words).code == 0
    assert [sorted(record) for record in json.loads(file.read_text())] == [["id", "name"]] * 3


def test_a_column_that_does_not_exist_is_named_with_the_one_that_is_meant(
    projects: Path, run: Any
) -> None:
    outcome = run("projects", "--sample", "--columns", "lines")
    assert outcome.code == 2
    assert "Did you mean 'analysis_total_code_lines'" in outcome.err
    outcome = run("stats", "language_share", projects, "--columns", "shares")
    assert outcome.code == 2
    assert "Did you mean 'share'" in outcome.err


def test_a_colour_is_never_shown_as_a_language(tmp_path: Path, run: Any) -> None:
    entry = '<language color="4096EE" percentage="60" id="1">{}</language>'
    languages = f"<analysis><languages>{entry.format('C')}{entry.format('')}</languages></analysis>"
    (tmp_path / "page.xml").write_bytes(
        b"<response><status>success</status><result><project><id>1</id>"
        + languages.encode()
        + b"</project></result></response>"
    )
    words = ("--columns", "analysis_languages", "--format", "table")
    out = run("read", tmp_path, *words).out
    assert "C" in out.splitlines()[1]
    assert "4096EE" not in out


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_has_the_numbers_to_the_last_digit(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    values = [0.1 + 0.2, 0.2413793103448276, 1.23456789e-12, 123456789.123456789]
    Output(fmt=form).write(pd.DataFrame({"share": [*values, float("inf")]}))
    text = capsys.readouterr().out
    lines = json.loads(text) if form == "json" else map(json.loads, text.splitlines())
    assert [line["share"] for line in lines] == [*values, "inf"]
