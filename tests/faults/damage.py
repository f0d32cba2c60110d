"""Read files with some bits flipped, each in a copy of this process, and count what comes of it.

What may come: the right frame, an error of dirframe, or its warning that the file has changed.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pandas as pd

import dirframe
from dirframe.errors import DirframeError, ExportWarning
from tests.faults.crashes import in_fork
from tests.io import rich

if TYPE_CHECKING:
    from collections.abc import Callable

#: How a copy says what came.
_OUTCOMES = {0: "right", 10: "error", 11: "warning", 12: "WRONG", 13: "other exception"}


def flip(content: bytes, chance: Random) -> bytes:
    """Change one to four bytes."""
    damaged = bytearray(content)
    for _ in range(chance.randrange(1, 5)):
        damaged[chance.randrange(len(damaged))] ^= chance.randrange(1, 256)
    return bytes(damaged)


def outcome(read: Callable[[], pd.DataFrame], right: pd.DataFrame) -> str:
    """Read in a copy of this process, and tell what came."""

    def act() -> None:
        code = 13
        try:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                found = read()
            try:
                pd.testing.assert_frame_equal(found, right, check_exact=True)
                assert found.attrs == right.attrs
                code = 0
            except Exception:  # noqa: BLE001  # whatever a comparison meets in a wrong frame
                changed = any(issubclass(one.category, ExportWarning) for one in warned)
                code = 11 if changed else 12
        except DirframeError:
            code = 10
        finally:
            os._exit(code)

    code, _ = in_fork(act)
    return _OUTCOMES.get(code, f"CRASH {code}")


def damage(file: Path, read: Callable[[], pd.DataFrame], times: int, seed: int) -> Counter[str]:
    """Damage a file so many times, and count what comes of reading it."""
    content, chance, right = file.read_bytes(), Random(seed), read()
    found: Counter[str] = Counter()
    for number in range(times):
        file.write_bytes(flip(content, chance))
        what = outcome(read, right)
        found[what] += 1
        if what not in {"right", "error", "warning"}:
            found[f"{what}: number {number}"] += 1
    return found


def damaged_export(suffix: str, times: int, seed: int, *, sealed: bool = True) -> Counter[str]:
    """Damage an export; without its digest it is as an older dirframe wrote it."""
    from dirframe.io.formats import kind_of
    from dirframe.io.frame_codec import prepare

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = Path(folder) / f"f{suffix}"
        frame = pd.concat([rich()] * 40, ignore_index=True)
        frame.attrs = rich().attrs
        if sealed:
            dirframe.export(frame, file)
        else:
            kind_of(file).write([prepare("f", frame)], file)
        return damage(file, lambda: dirframe.read_export(file), times, seed)


def damaged_bundle(times: int, seed: int) -> Counter[str]:
    """Damage a bundle."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.zip"
        with dirframe.sample_directory(cache=False) as directory:
            archive = dirframe.harvest(
                "projects", Path(folder) / "a", directory=directory, query="python"
            )
        dirframe.bundle(archive.path, file)
        return damage(file, lambda: dirframe.open_bundle(file).frame(), times, seed)


def damaged_archive(times: int, seed: int) -> Counter[str]:
    """Damage an archive that was updated."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a"
        with dirframe.sample_directory(cache=False) as directory:
            dirframe.harvest("projects", file, directory=directory, query="python")
            dirframe.update(file, directory=directory)
        return damage(file, lambda: dirframe.open_archive(file).frame(), times, seed)


def damaged(what: str, times: int, seed: int) -> Counter[str]:
    """Damage a bundle, or an export by its suffix: `.csv`, or `old.csv` without its digest."""
    if what == "archive":
        return damaged_archive(times, seed)
    if what == "bundle":
        return damaged_bundle(times, seed)
    return damaged_export(what.removeprefix("old"), times, seed, sealed=what[:3] != "old")


if __name__ == "__main__":
    print(json.dumps(damaged(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
