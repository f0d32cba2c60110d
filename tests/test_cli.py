"""The command line as a whole: every command says what it does, shows an example, takes no key."""

import re

import click
from click.testing import CliRunner

import dirframe
from dirframe import errors, plot, stats
from dirframe.charts import CHARTS, STATISTICS
from dirframe.cli import EXIT_CODES, cli


def commands(group=cli, *path):
    """Return every command by its words."""
    found = {}
    for name, command in group.commands.items():
        found[(*path, name)] = command
        if isinstance(command, click.Group):
            found |= commands(command, *path, name)
    return found


def help_of(*path):
    shown = CliRunner().invoke(cli, [*path, "--help"])
    assert shown.exit_code == 0, path
    return shown.output


def test_every_command_has_help_with_an_example_that_fits_a_terminal():
    failures = []
    for path, command in commands().items():
        text = help_of(*path)
        # What is typed is one line, however long.
        lines = [line for line in text.splitlines() if not line.startswith("    dirframe ")]
        if max(map(len, lines)) > 80:
            failures.append((path, "wider than a terminal"))
        is_group = isinstance(command, click.Group)
        if not is_group and f"dirframe {path[0]}" not in text.partition("Example")[2]:
            failures.append((path, "no example"))
    assert failures == []


def test_every_error_has_an_exit_code_and_each_is_documented():
    documented = help_of().partition("Exit codes:")[2]
    assert [c for c in {0, 1, *EXIT_CODES.values()} if f" {c} " not in documented] == []
    kinds = [getattr(errors, name) for name in errors.__all__]
    raised = [k for k in kinds if issubclass(k, Exception) and not issubclass(k, Warning)]
    assert [kind for kind in raised if not issubclass(kind, tuple(EXIT_CODES))] == []


def test_no_command_takes_a_key():
    names = {name for command in commands().values() for one in command.params for name in one.opts}
    takes_a_key = {name for name in names if "key" in name.replace("--key-file", "")}
    assert takes_a_key <= {"key_id"}


def test_the_help_lists_every_command_once_on_one_line():
    shown = help_of().partition("Commands:")[2]
    listed = re.findall(r"^  ([a-z]+)  +[A-Z]", shown, re.MULTILINE)
    assert sorted(listed) == sorted(cli.commands)
    assert "..." not in shown.partition("Exit codes:")[0]


def test_the_version_is_that_of_the_package(run):
    assert dirframe.__version__ in run("--version").out


def test_a_wrong_name_is_answered_with_the_right_one(run):
    for words, right in (
        (["projcts"], "'projects'"),
        (["stats", "language-shar"], "'language_share'"),
        (["plot", "tag", "x.csv"], "'tags'"),
        (["keys", "ad"], "'add'"),
    ):
        done = run(*words)
        assert done.code == 2
        assert right in done.err
    assert run("nonsense").code == 2


def test_names_may_be_typed_with_hyphens(run, tmp_path):
    file, picture = tmp_path / "projects.csv", tmp_path / "x.svg"
    file.write_text("id,analysis_main_language_name,analysis_total_code_lines\n1,C,5\n2,C,6\n")
    done = run("stats", "language-share", file)
    assert (done.code, done.table.iloc[0, 0]) == (0, "C")
    assert run("plot", "language-share", file, "-o", picture).code == 0
    assert picture.exists()


def test_statistics_and_charts_are_those_of_python():
    assert sorted(STATISTICS) == sorted(set(stats.__all__) - {"by"})
    assert set(CHARTS) == {name for name in plot.__all__ if name in CHARTS}


def test_options_that_people_try_first_are_answered_with_those_that_do_it(run):
    for option, value, right in (
        ("--language", "Java", "--where language=Java"),
        ("--country", "DE", "--where country=DE"),
        ("--tag", "web", "--where tag=web"),
    ):
        done = run("projects", "--sample", option, value)
        assert (done.code, done.out) == (2, "")
        assert right in done.err
