"""A file and its record fit each other, also after a process was killed between the two."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from dirframe import export, read_export
from dirframe.errors import InvalidInputError
from dirframe.io.sidecar import sidecar_path

if TYPE_CHECKING:
    from pathlib import Path

OLD = pd.DataFrame({"id": ["1", "2"], "name": ["NA", "old"]})
NEW = pd.DataFrame({"id": ["1", "2"], "stars": pd.array([3, None], dtype="Int64")})

#: Replaces a file by another frame, and is killed before or after a change of names, or, at 0,
#: while the file is written.
DYING = """
import os, signal, sys, threading, time
from pathlib import Path

import pandas as pd
from dirframe import export

target, when, step = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
calls, rename = 0, Path.replace


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def dying(path, to):
    global calls
    calls += 1
    if (when, calls) == ("before", step):
        die()
    moved = rename(path, to)
    if (when, calls) == ("after", step):
        die()
    return moved


def watch():
    while not any(one.stat().st_size for one in target.parent.glob(".*.part")):
        time.sleep(0.0005)
    die()


Path.replace = dying
rows = 2
if when == "amid":
    rows = 300_000
    threading.Thread(target=watch).start()
frame = pd.DataFrame({"id": ["1", "2"], "stars": pd.array([3, None], dtype="Int64")})
export(pd.concat([frame] * (rows // 2), ignore_index=True), target, overwrite=True)
"""


def killed(target: Path, when: str, step: int) -> bool:
    """Export over a file in a process that is killed on the way; say whether it was."""
    done = subprocess.run(
        [sys.executable, "-c", DYING, str(target), when, str(step)],
        stderr=subprocess.PIPE,
        timeout=120,
        check=False,
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr
    return done.returncode != 0


@pytest.mark.parametrize(
    ("when", "step", "left"),
    [
        ("amid", 0, OLD),
        ("before", 1, OLD),
        ("after", 1, OLD),
        ("before", 2, OLD),
        ("after", 2, NEW),
        ("before", 3, NEW),
        ("after", 3, NEW),
    ],
)
def test_who_is_killed_while_replacing_leaves_a_whole_file_with_its_own_record(
    when: str, step: int, left: pd.DataFrame, tmp_path: Path
) -> None:
    target = export(OLD, tmp_path / "f.csv")
    assert killed(target, when, step)
    pd.testing.assert_frame_equal(read_export(target), left)
    export(NEW, target, overwrite=True)  # the same line again
    pd.testing.assert_frame_equal(read_export(target), NEW)
    assert "replaces" not in json.loads(sidecar_path(target).read_text(encoding="utf-8"))


@pytest.mark.parametrize("suffix", [".parquet", ".xlsx", ".sqlite"])
def test_who_is_killed_leaves_the_whole_old_file_of_other_formats(
    suffix: str, tmp_path: Path
) -> None:
    target = export(OLD, tmp_path / f"f{suffix}")
    assert killed(target, "amid", 0)
    pd.testing.assert_frame_equal(read_export(target), OLD)


def test_two_kills_one_after_the_other_lose_nothing(tmp_path: Path) -> None:
    target = export(OLD, tmp_path / "f.csv")
    for _ in range(2):
        assert killed(target, "after", 1)
    pd.testing.assert_frame_equal(read_export(target), OLD)


def test_a_record_of_a_file_that_never_came_is_not_taken_for_that_of_another(
    tmp_path: Path,
) -> None:
    target = tmp_path / "f.csv"
    target.write_text("id,name\n1,of another program\n")
    assert killed(target, "before", 2)
    assert target.read_text() == "id,name\n1,of another program\n"
    with pytest.raises(InvalidInputError, match="ended before it was done"):
        read_export(target)


def test_a_file_that_cannot_get_its_name_leaves_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dirframe._atomic import atomic_replace
    from dirframe.io import sidecar

    def fail(written: Path, target: Path, *, overwrite: bool) -> None:
        if target.suffix == ".csv":
            raise OSError("no room")
        atomic_replace(written, target, overwrite=overwrite)

    monkeypatch.setattr(sidecar, "atomic_replace", fail)
    with pytest.raises(OSError, match="no room"):
        export(OLD, tmp_path / "f.csv")
    assert list(tmp_path.iterdir()) == []
