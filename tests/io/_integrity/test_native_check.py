"""A file that ends the process which reads it is an error here, and nothing more."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from dirframe import InvalidInputError, read_export
from dirframe.io.formats import kind_of
from dirframe.io.frame_codec import prepare
from tests.io import rich

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Write a Feather file as a version without digests did."""
    file = tmp_path / "f.feather"
    kind_of(file).write([prepare("f", rich())], file)
    return file


def test_a_crash_of_the_library_is_an_error(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Which bytes crash it depends on its version; this module crashes whatever reads with it.
    (tmp_path / "mine" / "pyarrow").mkdir(parents=True)
    text = "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"
    (tmp_path / "mine" / "pyarrow" / "__init__.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path / "mine")
    with pytest.raises(InvalidInputError, match="ends the process"):
        read_export(old)


def test_without_another_python_a_file_without_digest_is_refused(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(InvalidInputError, match="no digest"):
        read_export(old)
