"""Each command: data alone on standard output, words on standard error; some as processes."""

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

import pandas as pd

from tests import processes
from tests.rig import faults
from tests.rig.server import MARK

#: The installed script, as a person calls it.
SCRIPT = Path(sys.executable).with_name("dirframe")


def rows(number):
    """Expect CSV alone: a caption or a progress bar would be a row of its own."""
    return lambda out: len(pd.read_csv(io.StringIO(out))) == number


def text(pattern):
    return lambda out: re.fullmatch(pattern, out, re.DOTALL)


def facts(*names):
    return lambda out: set(names) <= set(json.loads(out))


nothing = text("")

#: What to type, in this order, and what standard output must be. `demo`: test_demo; `serve`:
#: test_serve; `report`: it needs what only the slow tests have.
CALLS = {
    "projects": rows(2),
    "accounts --max-items 1": rows(1),
    "projects --format jsonl": lambda out: len([json.loads(one) for one in out.splitlines()]) == 2,
    "projects -o made.csv": nothing,
    "projects --plan": text(".*2 projects.*"),
    "load /languages.xml": rows(2),
    "quota --format json": facts("used", "left", "limit", "resets_at"),
    "quota": text(".*1,000.*"),
    "summary projects.parquet": text("50 projects.*"),
    "summary projects.parquet --format json": facts("fields", "bias", "source"),
    "clean accounts.parquet": rows(50),
    "stats team_size_classes projects.parquet": rows(8),
    "stats --list": text("([a-z_]+\n)+"),
    "plot growth projects.parquet -o made.svg": nothing,
    "plot --list": text("([a-z_]+\n)+"),
    "export projects.parquet made.tsv": nothing,
    "cite projects.parquet": text(".*50.*\n"),
    "cite projects.parquet --style bibtex": text("@misc.*"),
    "harvest accounts --to made.archive --plan": text(".*1.*"),
    "harvest accounts --to made.archive": text(".*1.*"),
    "status made.archive": text(".*1.*"),
    "cache info": text(".*pages.*"),
    "cache clear": nothing,
    "keys add --developer Ada --application thesis": text("[0-9a-f]{40}\n"),
    "keys list": text(" *id .*thesis.*"),
    "keys limit 1 5000": nothing,
    "keys revoke 1": nothing,
    "--version": text(r".* \d+\.\d+.*"),
    "--help": text("Usage: .*"),
}


def test_commands_write_data_to_standard_output_and_words_beside_it(rig, files, folder, run):
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


def test_script_writes_a_table_in_utf_8_whatever_the_locale_and_asks_nothing(rig, tmp_path):
    other = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment = {**os.environ, **other}
    environment.pop("PYTHONIOENCODING", None)
    done = subprocess.run(
        [SCRIPT, "projects"], stdin=subprocess.DEVNULL, capture_output=True, env=environment,
        timeout=processes.LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(io.BytesIO(done.stdout), dtype="str", encoding="utf-8")
    assert table["name"].tolist() == ["Größe", "two"]
    assert b"n = 2 projects" in done.stderr
    environment["DIRFRAME_API_KEY"] = ""
    done = subprocess.run(
        [SCRIPT, "projects"], stdin=subprocess.DEVNULL, capture_output=True, env=environment,
        timeout=processes.LIMIT, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, b""), done.stderr


def test_pipe_that_closes_ends_a_command_quietly():
    command = shlex.join([sys.executable, "-m", "dirframe", "accounts", "--sample", "-n", "2000"])
    done = subprocess.run(
        ["bash", "-c", f"{command} | head -n 1; echo ${{PIPESTATUS[0]}}"],
        capture_output=True, text=True, timeout=processes.LIMIT, check=False,
    )  # fmt: skip
    header, code = done.stdout.splitlines()
    assert header.startswith("id,name,")
    assert code == "0"
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_ctrl_c_ends_a_load_with_130_and_nothing_on_standard_output(rig):
    rig.always = faults.silence
    with processes.interruptible(), processes.start("projects") as process:
        while not rig.requests:
            assert process.poll() is None, process.stderr.read()
            sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=processes.LIMIT)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert MARK not in err


def test_demo_replaces_its_own_files_and_says_that_the_cache_costs_nothing(run, tmp_path):
    (tmp_path / "projects.csv").write_text("of an earlier demo")
    outcome = run("demo", "-o", tmp_path)
    assert (outcome.code, "0 requests" in outcome.out) == (0, True), outcome.err
    assert len(pd.read_csv(tmp_path / "projects.csv")) == 1500
