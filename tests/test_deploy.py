"""The files for operators call what is there, and are what their tools accept."""

import re
import shlex
import shutil
import subprocess
import sys

import pytest

import dirframe


@pytest.fixture(scope="module")
def unit(root):
    return (root / "deploy" / "dirframe.service").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def recipe(root):
    return (root / "deploy" / "Containerfile").read_text(encoding="utf-8")


def test_both_give_options_that_the_command_has(unit, recipe, run):
    (of_unit,) = re.findall(r"^ExecStart=\S+ (.+)$", unit, re.MULTILINE)
    (of_recipe,) = re.findall(r"^ENTRYPOINT (\[.+\])$", recipe, re.MULTILINE)
    for words in (
        shlex.split(of_unit.replace("$OPTIONS", "")),
        re.findall(r'"([^"]+)"', of_recipe)[1:],
    ):
        assert words[words.index("--port") + 1] == "8080"
        assert run(*words, "--help").code == 0  # it reads all options first
    assert run("serve", "--no-such-option", "--help").code == 2


def test_systemd_accepts_the_unit(unit, tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd is not installed")
    path = tmp_path / "dirframe.service"
    path.write_text(unit.replace("/opt/dirframe/bin/dirframe", sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", path], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_check_of_the_container_asks_what_the_service_answers(recipe):
    (check,) = re.findall(r"^HEALTHCHECK CMD \[(.+)\]$", recipe, re.MULTILINE)
    code = re.findall(r'"([^"]+)"', check)[-1]
    with dirframe.serve() as url:
        asked = code.replace("http://127.0.0.1:8080", url)
        assert asked != code
        subprocess.run([sys.executable, "-c", asked], check=True, timeout=60)
