"""What is written beside the tables reveals nothing of the one who wrote it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import dirframe
from dirframe import export


def test_no_file_holds_a_key_or_a_path_of_this_machine(tmp_path: Path) -> None:
    with dirframe.sample_directory() as directory:
        key = directory.settings.api_key.reveal()
        frame = directory.accounts(max_items=25, progress=False)
    with zipfile.ZipFile(export(frame, tmp_path / "study.zip")) as packed:
        for name in packed.namelist():
            content = packed.read(name)
            for secret in (key, str(Path.home()), str(tmp_path), str(Path.cwd())):
                assert secret.encode() not in content, name
