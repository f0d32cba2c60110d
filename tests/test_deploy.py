"""The files for operators call what is there, and are what their tools accept."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dirframe.cli import cli

DEPLOY = Path(__file__).resolve().parent.parent / "deploy"
UNIT = (DEPLOY / "dirframe.service").read_text(encoding="utf-8")
RECIPE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")


def test_both_give_options_that_the_command_has() -> None:
    (unit,) = re.findall(r"^ExecStart=\S+ (.+)$", UNIT, re.MULTILINE)
    (recipe,) = re.findall(r"^ENTRYPOINT (\[.+\])$", RECIPE, re.MULTILINE)
    for words in (shlex.split(unit.replace("$OPTIONS", "")), re.findall(r'"([^"]+)"', recipe)[1:]):
        # Parsing alone: nothing listens.
        command = cli.get_command(None, words[0])  # type: ignore[arg-type]  # no command needs one
        assert command is not None
        assert command.make_context(words[0], words[1:]).params["port"] == 8080


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "dirframe.service"
    unit.write_text(UNIT.replace("/opt/dirframe/bin/dirframe", sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_check_of_the_container_asks_what_the_service_answers() -> None:
    from dirframe.service.server import serve

    (check,) = re.findall(r"^HEALTHCHECK CMD \[(.+)\]$", RECIPE, re.MULTILINE)
    code = re.findall(r'"([^"]+)"', check)[-1]
    with serve() as url:
        asked = code.replace("http://127.0.0.1:8080", url)
        assert asked != code
        subprocess.run([sys.executable, "-c", asked], check=True, timeout=60)
