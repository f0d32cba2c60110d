"""Names are completed by the shell."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dirframe.cli import cli
from dirframe.cli.analyze import plot, stats
from tests.cli import dirframe

AS_INSTALLED = "import sys; sys.argv[0] = 'dirframe'; from dirframe.cli import main; main()"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_lines_for_a_shell_call_dirframe(shell: str) -> None:
    done = dirframe("completion", shell)
    assert done.returncode == 0, done.stderr
    assert f"_DIRFRAME_COMPLETE={shell}_complete" in done.stdout
    if shell == "bash":
        checked = subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=False)
        assert checked.returncode == 0


def answer(shell: str, typed: str) -> list[str]:
    """Return the lines that a shell is answered with for what was typed."""
    done = subprocess.run(
        [sys.executable, "-c", AS_INSTALLED],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={
            "_DIRFRAME_COMPLETE": f"{shell}_complete",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(typed.count(" ")),
        },
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("dirframe st", {"stats", "status"}),
        ("dirframe stats lang", {"language_breakdown", "language_share", "languages_by_year"}),
        ("dirframe plot accounts_m", {"accounts_map"}),
        ("dirframe stats language-s", {"language_share"}),
        ("dirframe cite --style b", {"bibtex"}),
        ("dirframe flags --rule negative_l", {"negative_lines"}),
        ("dirframe languages --columns name,comment_", {"name,comment_ratio"}),
    ],
)
def test_what_is_typed_is_completed(typed: str, offered: set[str]) -> None:
    assert {line.partition(",")[2] for line in answer("bash", typed)} == offered


def test_a_shell_that_can_shows_the_first_line_of_each_name_whole() -> None:
    for group, words in ((cli, ""), (stats, "stats "), (plot, "plot ")):
        answered = answer("zsh", f"dirframe {words}")
        kinds, names, lines = (answered[start::3] for start in range(3))
        assert set(kinds) == {"plain"}
        assert names == list(group.commands)
        assert all(line.endswith(".") and not line.endswith("...") for line in lines), lines
