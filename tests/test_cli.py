"""The command line as a whole: every command says what it does and shows an example."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from dirframe import errors
from dirframe.cli import EXIT_CODES, cli
from tests.cli import dirframe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)


@pytest.mark.parametrize("path", list(commands(cli)), ids=" ".join)
def test_every_command_has_help_with_an_example(path: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(cli, [*path, "--help"])
    assert shown.exit_code == 0
    is_group = "COMMAND" in shown.output
    # What is typed is one line, however long; everything else fits a terminal.
    lines = [line for line in shown.output.splitlines() if not line.startswith("    dirframe ")]
    assert max(map(len, lines)) <= 80
    assert is_group or f"dirframe {path[0]}" in shown.output.partition("Example")[2]


def test_every_exit_code_is_documented() -> None:
    shown = CliRunner().invoke(cli, ["--help"]).output
    documented = shown.partition("Exit codes:")[2]
    assert all(f" {code} " in documented for code in {0, 1, *EXIT_CODES.values()})


def test_every_error_has_an_exit_code() -> None:
    for name in errors.__all__:
        kind = getattr(errors, name)
        if not issubclass(kind, Exception) or issubclass(kind, Warning):
            continue
        assert any(issubclass(kind, known) for known in EXIT_CODES)


def test_the_version_is_that_of_the_package() -> None:
    import dirframe as package

    assert package.__version__ in dirframe("--version").stdout


def test_a_wrong_call_says_how_it_is_done() -> None:
    done = dirframe("nonsense")
    assert done.returncode == 2
    assert "No such command" in done.stderr


def test_its_help_loads_neither_pandas_nor_a_server() -> None:
    script = (
        "import sys; sys.argv = ['dirframe', 'accounts', '--help']\n"
        "from dirframe.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print({'pandas', 'matplotlib', 'flask', 'lxml'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr.strip() == "set()"


def test_no_command_takes_a_key() -> None:
    def options(command: click.Command) -> Iterator[str]:
        yield from (name for one in command.params for name in one.opts)
        if isinstance(command, click.Group):
            for sub in command.commands.values():
                yield from options(sub)

    assert not [
        name
        for name in options(cli)
        if "key" in name.replace("--key-file", "") and name not in ("key_id",)
    ]


def test_the_help_lists_every_command_once_in_sections_on_one_line() -> None:
    shown = CliRunner().invoke(cli, ["--help"]).output
    listed = [line.split()[0] for line in shown.splitlines() if re.match(r"  [a-z]+  +[A-Z]", line)]
    assert sorted(listed) == sorted(cli.commands)
    sections = ["Start:", "Load:", "Analyse:", "Publish:", "Serve a directory:"]
    assert [line for line in shown.splitlines() if line in sections] == sections
    assert "..." not in shown.partition("Exit codes:")[0].partition("Options:")[2]


def test_the_options_of_a_command_stand_in_sections() -> None:
    shown = CliRunner().invoke(cli, ["projects", "--help"]).output
    sections = {
        title: body for title, _, body in (part.partition(":\n") for part in shown.split("\n\n"))
    }
    assert "--sample" in sections["Directory"]
    assert "--offline" in sections["Cache and quota"]
    assert "-n, --max-items, --limit" in sections["Records"]
    assert "--columns" in sections["Output"]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [(["projcts"], "'projects'"), (["stats", "language-shar"], "'language_share'"),
     (["plot", "tag", "x.csv"], "'tags'"), (["keys", "ad"], "'add'")],
)  # fmt: skip
def test_a_wrong_name_is_answered_with_the_right_one(wrong: list[str], right: str) -> None:
    done = dirframe(*wrong)
    assert done.returncode == 2
    assert right in done.stderr


def test_names_may_be_typed_with_hyphens(tmp_path: Path) -> None:
    file = tmp_path / "projects.csv"
    file.write_text("id,analysis_main_language_name,analysis_total_code_lines\n1,C,5\n2,C,6\n")
    done = dirframe("stats", "language-share", str(file))
    assert (done.returncode, done.stdout.splitlines()[1].split(",")[0]) == (0, "C")
    picture = tmp_path / "x.svg"
    assert dirframe("plot", "language-share", str(file), "-o", str(picture)).returncode == 0
    assert picture.exists()
