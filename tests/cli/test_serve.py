"""The commands of a person who serves a directory."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import requests

from tests.cli import dirframe, interruptible

if TYPE_CHECKING:
    from pathlib import Path


def test_a_key_is_shown_once_listed_raised_and_revoked(tmp_path: Path) -> None:
    def keys(command: str, *words: str) -> subprocess.CompletedProcess[str]:
        return dirframe("keys", command, "--key-file", str(tmp_path / "keys.sqlite"), *words)

    added = keys("add", "--developer", "Ada", "--application", "thesis")
    key = added.stdout.strip()
    assert re.fullmatch(r"[0-9a-f]{40}", key)
    assert key not in keys("list").stdout
    assert keys("limit", "1", "5000").returncode == 0
    assert "5,000" in keys("list").stdout
    assert keys("revoke", "1").returncode == 0
    assert "revoked" in keys("list").stdout
    assert key.encode() not in (tmp_path / "keys.sqlite").read_bytes()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_generated_directory_is_served_until_interrupted(
    stop: signal.Signals, tmp_path: Path
) -> None:
    made = dirframe("generate", str(tmp_path / "own"), "--accounts", "40", "--projects", "30")
    assert made.returncode == 0
    keys = tmp_path / "keys.sqlite"
    key = dirframe(
        "keys", "add", "--key-file", str(keys), "--developer", "Ada", "--application", "test"
    ).stdout.strip()
    command = [sys.executable, "-m", "dirframe", "serve", "--data", str(tmp_path / "own")]
    with interruptible():
        started = subprocess.Popen(
            [*command, "--port", "0", "--key-file", str(keys)], stderr=subprocess.PIPE, text=True
        )
    with started as service:
        assert service.stderr is not None
        said = ""
        while not (found := re.search(r"http://127\.0\.0\.1:\d+", said)):
            line = service.stderr.readline()
            assert line, said
            said += line
        answer = requests.get(f"{found[0]}/projects.xml", params={"api_key": key}, timeout=30)
        assert answer.status_code == 200
        assert b"<items_available>30</items_available>" in answer.content
        service.send_signal(stop)
        _, rest = service.communicate(timeout=60)
    assert service.returncode == 0
    assert key not in said + rest


def test_files_are_not_replaced_unasked(tmp_path: Path) -> None:
    size = ("--accounts", "1", "--projects", "1")
    assert dirframe("generate", str(tmp_path), *size).returncode == 0
    again = dirframe("generate", str(tmp_path), *size)
    assert again.returncode == 2
    assert dirframe("generate", str(tmp_path), *size, "--overwrite").returncode == 0


def test_a_developer_has_five_applications_at_most(run: Any, tmp_path: Path) -> None:
    words = [
        "keys",
        "add",
        "--key-file",
        tmp_path / "k.sqlite",
        "--developer",
        "A",
        "--application",
    ]
    assert [run(*words, f"a{n}").code for n in range(6)] == [0, 0, 0, 0, 0, 2]
