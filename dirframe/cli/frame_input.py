"""Read the input of a command: a table, an archive, or standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dirframe.cli.frame_output import echo_note
from dirframe.errors import InvalidInputError
from dirframe.io.read import SUFFIXES, read_content, read_export
from dirframe.provenance import get_provenance

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.archive.archive import Archive

STDIN = "-"


def read_table(file: str, *, about_source: bool = True) -> pd.DataFrame:
    """Read a file of records or an archive; ``-`` is standard input.

    With `about_source`, a note is written if the table does not say where it is from.
    """
    archive = archive_of(file)
    if archive is not None:
        return archive.frame()
    frame = _standard_input() if file == STDIN else read_export(file)
    if about_source and not get_provenance(frame)["source"]:
        name = "Standard input" if file == STDIN else Path(file).name
        echo_note(
            f"{name} does not say where its records are from; Parquet does "
            "(-o FILE.parquet, or --format parquet between commands)."
        )
    return frame


def holds_table(file: str) -> bool:
    """Return whether a file has the suffix of a table that `read_table` reads."""
    return Path(file).suffix.lower() in SUFFIXES and not Path(file).is_dir()


def archive_of(file: str) -> Archive | None:
    """Open an archive; None if the file is none."""
    path = Path(file)
    if file == STDIN or path.suffix.lower() in SUFFIXES:
        return None
    from dirframe.archive.archive import open_archive
    from dirframe.archive.store import Store

    return open_archive(path) if Store.is_archive(path) else None


def _standard_input() -> pd.DataFrame:
    if sys.stdin.isatty():
        raise click.UsageError("Standard input is a terminal: pipe a table into the command.")
    content = sys.stdin.buffer.read()
    if not content.strip():
        raise InvalidInputError("Standard input is empty: a table has at least a line of columns.")
    return read_content(content, "Standard input", {})
