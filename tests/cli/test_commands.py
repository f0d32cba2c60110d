"""Each command: its help, data alone on standard output, words beside it; some as processes."""

import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import click
import pandas as pd
import pytest

import dirframe
from dirframe import errors, plot, stats
from dirframe.charts import CHARTS, STATISTICS
from dirframe.cli import EXIT_CODES, cli
from tests import processes
from tests.cli.test_first_tries import ANSWERED
from tests.rig import faults
from tests.rig.server import KEY, MARK, Rig


def commands(group=cli, *path):
    """Return every command by its words."""
    found = {}
    for name, command in group.commands.items():
        found[(*path, name)] = command
        if isinstance(command, click.Group):
            found |= commands(command, *path, name)
    return found


def examples(run, path):
    """Return the lines of the examples of a command."""
    return re.findall(r"^    (dirframe .*)", run(*path, "--help").out, re.MULTILINE)


# Help


def test_help_of_every_command_fits_a_terminal_and_has_an_example(run):
    failures = []
    for path in commands():
        shown = run(*path, "--help").out
        # What is typed is one line, however long.
        lines = [line for line in shown.splitlines() if not line.startswith("    dirframe ")]
        if max(map(len, lines)) > 80:
            failures.append((path, "wider than a terminal"))
        if len(path) == 1 and not examples(run, path):
            failures.append((path, "no example"))
    assert failures == []
    shown = run("--help").out
    shown = shown.partition("Commands:")[2].partition("Exit codes:")[0]
    assert re.findall(r"^  ([a-z]+)  +[A-Z]", shown, re.MULTILINE) == sorted(cli.commands)
    assert "..." not in shown
    assert dirframe.__version__ in run("--version").out


def test_exit_codes_are_documented_and_of_every_error(run):
    documented = run("--help").out.partition("Exit codes:")[2]
    assert [c for c in {0, 1, 130, *EXIT_CODES.values()} if f" {c} " not in documented] == []
    kinds = [getattr(errors, name) for name in errors.__all__]
    raised = [k for k in kinds if issubclass(k, Exception) and not issubclass(k, Warning)]
    assert [kind for kind in raised if not issubclass(kind, tuple(EXIT_CODES))] == []


def test_key_is_an_option_of_no_command():
    names = {name for command in commands().values() for one in command.params for name in one.opts}
    assert {name for name in names if "key" in name.replace("--key-file", "")} <= {"key_id"}


def names_offered(run, command):
    """Return the names that the help of a command lists."""
    names = run(command, "--help").out.partition("Names: ")[2]
    return {*names.replace(",", "").split()}


def test_statistics_and_charts_are_those_of_python(run):
    assert names_offered(run, "stats") == {*stats.__all__} - {"by"}
    assert names_offered(run, "plot") == {*CHARTS}
    assert {*STATISTICS} == {*stats.__all__} - {"by"}
    assert {*CHARTS} <= {*plot.__all__}


def test_charts_and_statistics_are_named_with_hyphens_too(run, tmp_path):
    file, picture = tmp_path / "projects.csv", tmp_path / "x.svg"
    file.write_text("id,analysis_main_language_name,analysis_total_code_lines\n1,C,5\n2,C,6\n")
    assert run("stats", "language-share", file).table.iloc[0, 0] == "C"
    assert run("plot", "language-share", file, "-o", picture).code == 0
    assert picture.exists()


def fault_of_example(line, pipe):
    """Run a line of the help; return what is wrong with its outcome, or None."""
    made = [Path(name) for name in re.findall(r"(?:-o|--audit|--to) +([^\s|]+)", line)]
    for file in made:
        file.unlink(missing_ok=True)
        Path(f"{file}.provenance.json").unlink(missing_ok=True)
    done = pipe(*(shlex.split(part)[1:] for part in line.split("|")))
    shown = done.out + done.err
    is_written = all(file.exists() for file in made) and not (" -o " in line and done.out)
    if done.code or MARK in shown or not shown or not is_written:
        return f"{line}: {done.code}\n{done.err}"
    return None


def test_help_examples_run_and_make_what_they_name(help_files, run, pipe):
    for number in range(3):
        run("keys", "add", "--developer", "Ada L.", "--application", f"application {number}")
    elsewhere = {"demo", "serve", "report"}  # each has a test of its own, reports a slow one
    lines = [
        line for path in commands() if path[0] not in elsewhere for line in examples(run, path)
    ]
    assert len(lines) > 30
    lines = [line for line in lines if line.removeprefix("dirframe ") not in {**ANSWERED, **CALLS}]
    lines.sort(key=lambda line: "harvest" not in line)  # `status` needs the archive
    faults = [fault for line in lines if (fault := fault_of_example(line, pipe))]
    assert not faults, "\n".join(faults)


# What they write


def rows(number):
    """Expect CSV alone: a caption or a progress bar would be a row of its own."""
    return lambda out: len(pd.read_csv(io.StringIO(out))) == number


def text(pattern):
    return lambda out: re.fullmatch(pattern, out, re.DOTALL)


nothing = text("")

#: What to type, in this order, and what standard output must be.
CALLS = {
    "projects": rows(2),
    "projects --format jsonl": lambda out: len([json.loads(one) for one in out.splitlines()]) == 2,
    "projects --plan": text(".*2 projects.*"),
    "load /languages.xml": rows(2),
    "check --demo": text(".*page size.*"),
    "summary projects.parquet": text("50 projects.*"),
    "clean accounts.parquet": rows(50),
    "stats team_size_classes projects.parquet": rows(8),
    "stats tags projects.parquet --format table": text(r"tag +projects .*"),
    "export projects.parquet made.tsv": nothing,
    "cite projects.parquet": text(".*50.*\n"),
    "harvest accounts --to made.archive": text(".*1.*"),
    "status made.archive": text(".*1.*"),
    "cache info": text(".*pages +[1-9].*"),
    "cache clear": nothing,
    "keys add --developer Ada --application thesis": text("[0-9a-f]{40}\n"),
    "keys list": text(" *id .*thesis.*"),
    "keys limit 1 5000": nothing,
    "keys list ": text(".*5,000.*"),
    "keys revoke 1": nothing,
    "keys list  ": text(".*revoked.*"),
}


def test_commands_write_data_to_standard_output_and_words_beside_it(shell_rig, files, folder, run):
    shutil.copytree(files, folder, dirs_exist_ok=True)
    failures = []
    for line, expected in CALLS.items():
        outcome = run(*line.split())
        if outcome.code or not expected(outcome.out):
            failures.append(f"{line}: {outcome.code} {outcome.out[:300]}\n{outcome.err}")
        elif MARK in outcome.out + outcome.err or "Traceback" in outcome.err:
            failures.append(f"{line}: {outcome.err}")
        elif expected is nothing and not outcome.err:
            failures.append(f"{line}: silent")
    assert not failures, "\n".join(failures)


def test_harvest_stops_at_the_quota_with_its_exit_code_and_goes_on(
    run, folder, tmp_path, monkeypatch
):
    with Rig(55, daily_limit=3) as rig:
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
        command = ("harvest", "projects", "--to", "a.archive")
        price = run(*command, "--plan")
        assert (price.code, "6 pages" in price.out, Path("a.archive").exists()) == (0, True, False)
        rig.daily_limit = 4
        stopped = run(*command)
        assert stopped.code == 4
        assert re.search(r"pages +3\n", stopped.err)
        # 30, or 25 where the last page, of five, was among those that several threads asked for.
        [stored] = re.findall(r"records +(\d+ of 55) projects", stopped.err)
        assert stored in {"30 of 55", "25 of 55"}
        assert stored in run(*command, "--plan").out
        other = run("harvest", "accounts", "--to", "a.archive", "--plan")
        assert (other.code, "projects" in other.err) == (2, True)
        status = run("status", "a.archive")
        assert (status.code, stored in status.out, "3 requests" in status.out) == (
            0,
            True,
            True,
        )
        rig.daily_limit = None
        (tmp_path / "data" / "quota.sqlite").unlink()
        done = run(*command)
        assert (done.code, "55 of 55 projects (100.0%)" in done.out) == (0, True)
    before = Path("a.archive").read_bytes()
    assert run("clean", "a.archive", "-o", "a.archive", "--overwrite").code == 2
    assert run("export", "a.archive", "a.archive", "--overwrite").code == 2
    assert Path("a.archive").read_bytes() == before


# As processes


def test_table_is_utf_8_whatever_the_locale_and_a_pipe_that_closes_ends_it_quietly(tmp_path):
    file = tmp_path / "accounts.csv"
    more_than_a_pipe_holds = "1,Größe,DE\n" * 8_000
    file.write_text(f"id,name,country_code\n{more_than_a_pipe_holds}", encoding="utf-8")
    other = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}
    script = shlex.quote(str(Path(sys.executable).with_name("dirframe")))  # as it is installed
    words = f"clean {shlex.quote(str(file))} --format table"  # which is text; CSV is bytes
    line = f"{script} {words} | head -n 2; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", line], env=os.environ | other,
        capture_output=True, timeout=processes.LIMIT, check=False,
    )  # fmt: skip
    header, first, code = done.stdout.decode("utf-8").splitlines()
    assert (header.split()[:2], first.split()[:2], code) == (["id", "name"], ["1", "Größe"], "0")
    words_beside = done.stderr.decode("latin-1")
    assert [word for word in ("Traceback", "Exception") if word in words_beside] == []


@pytest.mark.skipif(os.name == "nt", reason="a pipe always waits")
@pytest.mark.parametrize("form", ["csv", "table"])
def test_table_of_which_an_unbuffered_stream_takes_a_part_is_an_error(
    form, run, tmp_path, monkeypatch
):
    file = tmp_path / "accounts.csv"
    file.write_text("id,name,country_code\n" + "1,Ada,DE\n" * 20_000)
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)  # so that it takes a part, as a full disk does
    with (
        os.fdopen(read_end, "rb"),
        io.FileIO(write_end, "w") as raw,
        monkeypatch.context() as patch,
    ):
        patch.setattr("sys.stdout", io.TextIOWrapper(raw, write_through=True))
        outcome = run("clean", file, "--format", form)
    assert (outcome.code, "dirframe: " in outcome.err) == (1, True)


def test_ctrl_c_ends_a_load_with_130_and_nothing_on_standard_output(shell_rig):
    shell_rig.always = faults.silence
    with processes.interruptible(), processes.start("projects") as process:
        while not shell_rig.requests:
            assert process.poll() is None, process.stderr.read()
            sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=processes.LIMIT)
    assert (process.returncode, out) == (130, "")
    assert [word for word in ("Traceback", MARK) if word in err] == []
