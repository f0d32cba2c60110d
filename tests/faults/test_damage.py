"""Whatever bytes of a file are flipped: the right frame, a clear error, or a warning."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.faults.conftest import ROOT


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize(
    ("what", "times"),
    [
        (".csv", 20),
        (".tsv", 10),
        (".jsonl", 20),
        (".parquet", 30),
        (".feather", 30),
        (".xlsx", 20),
        (".sqlite", 20),
        (".duckdb", 4),  # each is first read by a process of its own
        ("bundle", 20),
    ],
)
def test_a_damaged_file_is_never_read_without_a_word(what: str, times: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.damage", what, str(times), "7"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert sum(found.values()) == times
    assert set(found) <= {"right", "error", "warning"}
