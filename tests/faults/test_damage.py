"""Whatever bytes of a file are flipped: the right frame, a clear error, or a warning."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.faults.worker import Worker


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize(
    ("what", "times"),
    [
        (".csv", 10),
        (".tsv", 5),
        (".jsonl", 10),
        (".parquet", 15),
        (".feather", 15),
        (".xlsx", 10),
        (".sqlite", 10),
        (".duckdb", 1),  # is first read by a process of its own
        ("bundle", 8),
        ("archive", 20),
    ],
)
def test_a_damaged_file_is_never_read_without_a_word(worker: Worker, what: str, times: int) -> None:
    found = worker.run("tests.faults.damage", "damaged", what=what, times=times, seed=7)
    assert sum(found.values()) == times
    assert set(found) <= {"right", "error", "warning"}
