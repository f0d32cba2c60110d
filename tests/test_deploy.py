"""The files for operators call what is there, and are what their tools accept."""

import re
import shlex
import shutil
import subprocess
import sys

import pytest

import dirframe
from dirframe.cli import cli
from tests.processes import run


@pytest.fixture
def unit(root):
    return (root / "deploy" / "dirframe.service").read_text(encoding="utf-8")


@pytest.fixture
def recipe(root):
    return (root / "deploy" / "Containerfile").read_text(encoding="utf-8")


def test_unit_and_container_give_options_that_the_command_has(unit, recipe):
    (command,) = re.findall(r"^ExecStart=\S+ (.+)$", unit, re.MULTILINE)
    (entry,) = re.findall(r"^ENTRYPOINT (\[.+\])$", recipe, re.MULTILINE)
    for words in (
        shlex.split(command.replace("$OPTIONS", "")),
        re.findall(r'"([^"]+)"', entry)[1:],
    ):
        # Parsing alone: nothing listens.
        context = cli.get_command(None, words[0]).make_context(words[0], words[1:])
        assert context.params["port"] == 8080


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_accepts_the_unit(unit, tmp_path):
    file = tmp_path / "dirframe.service"
    file.write_text(unit.replace("/opt/dirframe/bin/dirframe", sys.executable))
    verify = ["systemd-analyze", "verify", file]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_check_of_the_container_asks_what_the_service_answers(recipe):
    (check,) = re.findall(r"^HEALTHCHECK CMD \[(.+)\]$", recipe, re.MULTILINE)
    code = re.findall(r'"([^"]+)"', check)[-1]
    with dirframe.serve() as service:
        asked = code.replace("http://127.0.0.1:8080", str(service))
        assert asked != code
        assert run(program=asked).code == 0
