"""Names are completed by the shell."""

from __future__ import annotations

import subprocess
import sys

import pytest

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


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("dirframe st", {"stats", "status"}),
        ("dirframe stats lang", {"language_breakdown", "language_share", "languages_by_year"}),
        ("dirframe plot accounts_m", {"accounts_map"}),
        ("dirframe cite --style b", {"bibtex"}),
    ],
)
def test_what_is_typed_is_completed(typed: str, offered: set[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AS_INSTALLED],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={
            "_DIRFRAME_COMPLETE": "bash_complete",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(typed.count(" ")),
        },
    )
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == offered
