"""Write frames to standard output or a file.

On a terminal, standard output gets an aligned table that names omitted rows and columns;
elsewhere it gets CSV. ``--format`` overrides this. CSV, TSV, JSON and JSON lines hold only the
records; ``parquet`` keeps dtypes and provenance, for pipes between commands of dirframe. All
messages go to standard error.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from dirframe.cli.options import with_options

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import pandas as pd
    from click.shell_completion import CompletionItem

FORMATS = ("table", "csv", "tsv", "json", "jsonl", "parquet")

_ROWS_ON_A_TERMINAL = 50

#: Means standard output, as it means standard input where a file is read.
_STANDARD_OUTPUT = Path("-")


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where and how a command writes its frame, as the options say.

    `columns` are those that were chosen, in their order; None for all.
    """

    path: Path | None = None
    overwrite: bool = False
    fmt: str | None = None
    columns: tuple[str, ...] | None = None

    def check(self) -> None:
        """Raise before the load if the output cannot be written."""
        if self.path is not None:
            if self.fmt is not None:
                raise click.UsageError(
                    "A file has the form of its suffix: leave --format or -o out."
                )
            check_target(self.path, overwrite=self.overwrite)
        elif self.fmt == "parquet" and sys.stdout.isatty():
            raise click.UsageError(
                "Parquet is not for terminals: pipe it on, or name a file with -o."
            )

    def write(
        self, frame: pd.DataFrame, *, about_source: bool = True, first: Sequence[str] = ()
    ) -> None:
        """Write a frame, and its caption to standard error.

        A terminal shows the columns named by `first` first, with their whole texts.
        """
        from dirframe.provenance import caption

        about = caption(frame) if about_source else ""
        frame = self._chosen(frame)
        if self.path is not None:
            write(frame, self.path, self.overwrite)
        else:
            fmt = self.fmt or ("table" if sys.stdout.isatty() else "csv")
            if fmt == "table":
                chosen = () if self.columns else first or _overview(frame)
                _print_table(frame, chosen, folded=bool(first))
            elif fmt == "parquet":
                from dirframe.io.writers import parquet_bytes

                sys.stdout.buffer.write(parquet_bytes(frame))
            else:
                _print_text(frame, fmt)
            sys.stdout.flush()
            if about and sys.stdout.isatty() and sys.stderr.isatty():
                click.echo(err=True)
        if about:
            echo_note(about)

    def check_columns(self, known: Collection[str]) -> None:
        """Raise if a chosen column is unknown."""
        from dirframe._display.suggest import did_you_mean
        from dirframe.errors import InvalidInputError

        for name in self.columns or ():
            if name not in known:
                raise InvalidInputError(
                    f"There is no column {name!r}; choose among "
                    f"{', '.join(map(str, known))}.{did_you_mean(name, known)}"
                )

    def _chosen(self, frame: pd.DataFrame) -> pd.DataFrame:
        if self.columns is None:
            return frame
        self.check_columns(frame.columns)
        # The id identifies a record in files, too.
        key = [name for name in ("id",) if name in frame]
        return frame[list(dict.fromkeys([*key, *self.columns]))]


def _names(_context: click.Context, _option: click.Parameter, value: str | None) -> Any:
    if value is None:
        return None
    names = tuple(part.strip() for part in value.split(","))
    if not all(names):
        raise click.BadParameter(f"{value!r} is not a list of names such as name,tags.")
    return names


def _complete(
    context: click.Context, _option: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the last of the names with the fields of the records that the command loads."""
    from click.shell_completion import CompletionItem

    from dirframe.schema.extensions import ALL_RESOURCES

    typed, comma, last = incomplete.rpartition(",")
    names = {context.info_name, context.params.get("resource")}
    return [
        CompletionItem(f"{typed}{comma}{field.column}", help=field.meaning)
        for resource in ALL_RESOURCES.values()
        if {resource.name, resource.collection} & names
        for field in resource.fields
        if field.column.startswith(last)
    ]


#: Output option of commands that only write files.
target = with_options(
    click.option("--overwrite", is_flag=True, help="Replace an existing file."), section="Output"
)

_options = with_options(
    click.option(
        "-o",
        "--output",
        "path",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="File to write to, in the format of its suffix. Default: standard output (-).",
    ),
    target,
    click.option(
        "--format",
        "fmt",
        type=click.Choice(FORMATS),
        metavar="FORM",
        help="Format on standard output: table (default on a terminal), csv (otherwise), tsv, json, "
        "jsonl or parquet.",
    ),
    click.option(
        "--columns",
        metavar="NAME,…",
        callback=_names,
        shell_complete=_complete,
        help="Write only these columns, in this order, after the id.",
    ),
    section="Output",
)


def output(function: Callable[..., Any]) -> Any:
    """Add the output options to a command, which receives them checked, as `out`."""

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        out = Output(**{field.name: options.pop(field.name) for field in fields(Output)})
        if out.path == _STANDARD_OUTPUT:
            out = replace(out, path=None)
        out.check()
        return function(*args, out=out, **options)

    return _options(call)


def check_target(path: Path | None, *, overwrite: bool) -> None:
    """Raise before the load if a file cannot be written."""
    if path is not None:
        from dirframe.io.export import check_target as check

        check(path, overwrite=overwrite)


def write(
    frame: pd.DataFrame | dict[str, pd.DataFrame], path: Path, overwrite: bool, **study: Any
) -> None:
    """Write a file atomically, in the format of its suffix, and report it."""
    from dirframe.io.export import export

    click.echo(f"Wrote {export(frame, path, overwrite=overwrite, **study)}", err=True)


def echo_note(text: str) -> None:
    """Write a note to standard error; dimmed and wrapped on a terminal."""
    if sys.stderr.isatty():
        width = max(shutil.get_terminal_size().columns, 20)
        text = fill(text, width, break_long_words=False, break_on_hyphens=False)
        text = text if os.environ.get("NO_COLOR") else click.style(text, dim=True)
    click.echo(text, err=True)


def _print_text(frame: pd.DataFrame, fmt: str) -> None:
    from dirframe.io.writers import write_csv, write_json

    if fmt in {"csv", "tsv"}:
        write_csv(frame, sys.stdout, "," if fmt == "csv" else "\t")
    else:
        write_json(frame, sys.stdout, lines=fmt == "jsonl")


def _overview(frame: pd.DataFrame) -> tuple[str, ...]:
    from dirframe.client.fields import overview
    from dirframe.provenance import get_provenance, resource_of

    # A statistic has its own columns, each of which is its result.
    resource = None if get_provenance(frame)["counted"] else resource_of(frame)
    columns = overview(frame, resource) if resource else ()
    return ("id", *columns) if columns else ()


def _print_table(frame: pd.DataFrame, first: Sequence[str], *, folded: bool) -> None:
    from dirframe._display.text import plain_table, render_record, render_table

    if not sys.stdout.isatty():
        click.echo("\n".join(plain_table(frame)))
        return
    from rich.console import Console

    width = shutil.get_terminal_size().columns
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    if len(frame) == 1:
        console.print(render_record(frame))
        return
    tables, left_out = render_table(
        frame, width=width, rows=_ROWS_ON_A_TERMINAL, first=first, folded=folded
    )
    for number, table in enumerate(tables):
        if os.environ.get("NO_COLOR"):  # of which rich makes bold text
            table.header_style = "none"
        console.print(*[""] * bool(number), table, sep="\n")
    if left_out:
        click.echo(err=True)
        echo_note(left_out)
