"""An import of many files says how far it is."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from dirframe.service.importing.progress import ImportProgress
from dirframe.service.store.build import build_store
from dirframe.service.store.store import Store
from tests.service.conftest import projects, write_collection

if TYPE_CHECKING:
    from pathlib import Path


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def many(folder: Path) -> Path:
    for number in range(30):
        part = folder / f"part-{number}"
        part.mkdir(parents=True)
        records = [{**r, "id": f"{number}-{r['id']}"} for r in projects()[:2]]
        write_collection(part, "project", records)
    return folder


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_it_says_how_many_files_and_records_came(stream: io.StringIO, tmp_path: Path) -> None:
    files = many(tmp_path / "files")
    with ImportProgress(stream) as progress:
        Store(build_store(tmp_path / "store.sqlite", [files], on_file=progress)).close()
    shown = stream.getvalue()
    assert "60 records" in shown
    if stream.isatty():
        assert "30/30" in shown
    else:
        lines = shown.splitlines()
        assert lines[0] == "Imported 0 of 30 files, 0 records."
        assert lines[-2] == "Imported 30 of 30 files, 60 records."
        assert "\r" not in shown


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent the POSIX way")
def test_serving_many_files_tells_it_on_standard_error_before_it_listens(tmp_path: Path) -> None:
    files = many(tmp_path / "files")
    command = [sys.executable, "-m", "dirframe", "serve", "--data", str(files), "--port", "0"]
    with subprocess.Popen(
        [*command, "--key-file", str(tmp_path / "keys.sqlite")],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"DIRFRAME_CACHE_DIR": str(tmp_path / "cache")},
    ) as process:
        assert process.stderr is not None
        lines: list[str] = []
        while not (lines and re.search(r"http://\S+:\d+", lines[-1])):
            line = process.stderr.readline()
            assert line, lines
            lines.append(line)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    assert lines[0] == "Imported 0 of 30 files, 0 records.\n"
    assert "Imported 30 of 30 files, 60 records.\n" in lines[1:-1]
    assert out == ""
