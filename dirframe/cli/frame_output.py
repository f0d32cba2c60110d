"""Write frames to standard output or a file.

On a terminal, standard output gets an aligned table that names omitted rows and columns;
elsewhere it gets CSV. ``--format`` overrides this. CSV, TSV, JSON and JSON lines hold only the
records; ``parquet`` keeps dtypes and provenance, for pipes between commands of dirframe. All
messages go to standard error.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from dirframe.cli.options import with_options

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMATS", "check_output", "echo_note", "output", "target", "write", "write_frame"]

FORMATS = ("table", "csv", "tsv", "json", "jsonl", "parquet")

_ROWS_ON_A_TERMINAL = 50

_overwrite = click.option("--overwrite", is_flag=True, help="Replace an existing file.")
#: Output options of commands that write a frame.
output = with_options(
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write to this file, by its suffix, instead of standard output.",
    ),
    _overwrite,
    click.option(
        "--format",
        "fmt",
        type=click.Choice(FORMATS),
        help="Form on standard output: table on a terminal, csv elsewhere.",
    ),
)
#: Output option of commands that only write files.
target = _overwrite


def check_output(output: Path | None, overwrite: bool, fmt: str | None = None) -> None:
    """Raise before the load if the output cannot be written."""
    if output is not None:
        if fmt is not None:
            raise click.UsageError("A file has the form of its suffix: leave --format or -o out.")
        from dirframe.io.export import check_target

        check_target(output, overwrite=overwrite)
    elif fmt == "parquet" and sys.stdout.isatty():
        raise click.UsageError("Parquet is not for terminals: pipe it on, or name a file with -o.")


def write(frame: pd.DataFrame, path: Path, overwrite: bool) -> None:
    """Write a file atomically, in the format of its suffix, and report it."""
    from dirframe.io.export import export

    click.echo(f"Wrote {export(frame, path, overwrite=overwrite)}", err=True)


def echo_note(text: str) -> None:
    """Write a note to standard error; dimmed and wrapped on a terminal."""
    if sys.stderr.isatty():
        width = max(shutil.get_terminal_size().columns, 20)
        text = fill(text, width, break_long_words=False, break_on_hyphens=False)
        text = text if os.environ.get("NO_COLOR") else click.style(text, dim=True)
    click.echo(text, err=True)


def write_frame(
    frame: pd.DataFrame,
    output: Path | None,
    overwrite: bool,
    fmt: str | None = None,
    *,
    about_source: bool = True,
) -> None:
    """Write a frame to the output of the options, and its caption to standard error."""
    from dirframe.provenance import caption

    if output is not None:
        write(frame, output, overwrite)
    else:
        fmt = fmt or ("table" if sys.stdout.isatty() else "csv")
        if fmt == "table":
            _print_table(frame)
        elif fmt == "parquet":
            _binary().write(_parquet(frame))
        else:
            _print_text(frame, fmt)
        sys.stdout.flush()
        if about_source and sys.stdout.isatty() and sys.stderr.isatty():
            click.echo(err=True)
    if about_source:
        echo_note(caption(frame))


def _print_text(frame: pd.DataFrame, fmt: str) -> None:
    from dirframe.io.csv import stream_csv

    if fmt == "csv":
        stream_csv(frame, sys.stdout)
    elif fmt == "tsv":
        text = io.StringIO()
        stream_csv(frame, text)
        text.seek(0)
        _as_tabs(text)
    else:
        json_text = frame.to_json(
            orient="records",
            lines=fmt == "jsonl",
            date_format="iso",
            date_unit="s",
            force_ascii=False,
            double_precision=15,
        )
        sys.stdout.write(
            json_text if json_text.endswith("\n") or not json_text else f"{json_text}\n"
        )


def _as_tabs(rows: io.StringIO) -> None:
    import csv

    writer = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    writer.writerows(csv.reader(rows))


def _parquet(frame: pd.DataFrame) -> bytes:
    from tempfile import TemporaryDirectory

    from dirframe.io.export import export

    with TemporaryDirectory() as folder:  # a pipe gets the same bytes as a file
        return export(frame, Path(folder) / "frame.parquet").read_bytes()


def _binary() -> Any:
    return sys.stdout.buffer


def _print_table(frame: pd.DataFrame) -> None:
    from dirframe._display.text import TableSize, render_record, render_table

    if not sys.stdout.isatty():
        lines, _ = render_table(frame, TableSize(None, None))
        click.echo("\n".join(lines))
        return
    width = shutil.get_terminal_size().columns
    if len(frame) == 1:
        click.echo("\n".join(render_record(frame, width)))
        return
    (head, *body), left_out = render_table(frame, TableSize(width, _ROWS_ON_A_TERMINAL))
    click.echo(head if os.environ.get("NO_COLOR") else click.style(head, bold=True))
    for line in body:
        click.echo(line)
    if left_out:
        click.echo(err=True)
        echo_note(left_out)
