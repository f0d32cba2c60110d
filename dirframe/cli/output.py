"""The table and the files that a command writes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click import Choice, option

import dirframe
from dirframe import _display
from dirframe._printable import printable, printable_lines
from dirframe.cli.options import FILE, STREAM, overwrite_option, with_options
from dirframe.cli.selection import columns_named
from dirframe.cli.terminal import note, terminal_width
from dirframe.io.formats import OF_ONE_TABLE

if TYPE_CHECKING:
    import pandas as pd

_FORMATS = ["table", *(suffix.removeprefix(".") for suffix in OF_ONE_TABLE)]
#: Rows of a table on a terminal, and letters of a cell.
_ROWS_ON_A_TERMINAL = 50
_WIDEST = 60
#: The narrowest column in which the text of one record is wrapped.
_NARROWEST = 20


class _Format(Choice[str]):
    """Forms of a table on standard output; another one is answered with how a file gets its form."""

    def convert(self, value: str, param: Any, ctx: Any) -> str:
        """Return the form."""
        if value.lower() not in self.choices:
            self.fail(
                f"{value!r} is none of {', '.join(self.choices)}. A file has the form of its suffix: "
                f"-o NAME.{value.lower()}",
                param,
                ctx,
            )
        return value.lower()


# Tables


@dataclass(frozen=True)
class Output:
    """Where and how a command writes its table; `columns` are those that were chosen."""

    path: Path | None
    overwrite: bool
    fmt: str | None
    columns: Sequence[str]

    def check_columns(self, known: Iterable[str]) -> None:
        """Raise if a chosen column is not there."""
        columns_named(self.columns, list(known))

    def write(self, frame: pd.DataFrame) -> None:
        """Write a table, and its caption to standard error."""
        if self.columns:
            chosen = columns_named(self.columns, [str(name) for name in frame])
            if "id" in frame and "id" not in chosen:
                chosen = ["id", *chosen]
            frame = frame[list(dict.fromkeys(chosen))]
        if self.path is None:
            self._print(frame)
        else:
            write_file(frame, self.path, self.overwrite)
        note(dirframe.provenance.caption(frame))

    def _print(self, frame: pd.DataFrame) -> None:
        from dirframe.io.writers import WRITERS, checked_frame

        is_terminal = sys.stdout.isatty()
        form = self.fmt or ("table" if is_terminal else "csv")
        if form == "table":
            is_ordered = self.columns or dirframe.provenance.get_provenance(frame)["counted"]
            first = [] if is_ordered else ["id", *_display.leading_columns(frame)]
            _print_table(frame, first)
            return
        content = WRITERS[f".{form}"](checked_frame("the table", frame))
        if is_terminal:  # which acts on signs that a file only holds
            click.echo(printable_lines(content.decode()), nl=False)
        else:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()


def output(function: Callable[..., Any]) -> Any:
    """Add the output options to a command, which receives them as `out`, checked before a load."""

    @wraps(function)
    def call(
        path: Path | None, overwrite: bool, fmt: str | None, columns: str | None, **options: Any
    ) -> Any:
        if path == Path(STREAM):
            path = None
        if path is not None and fmt is not None:
            raise click.UsageError(
                "The suffix of the file sets its format: leave out --format or -o."
            )
        if fmt == "parquet" and sys.stdout.isatty():
            raise click.UsageError("Parquet is not for terminals: pipe it on, or name a file (-o).")
        check_target(path, overwrite=overwrite, sources=files_read(options))
        names = [name.strip() for name in (columns or "").split(",")]
        names = [name for name in names if name]
        return function(out=Output(path, overwrite, fmt, names), **options)

    add_options = with_options(
        option("-o", "--output", "path", type=FILE, help="File to write.  [default: -]"),
        overwrite_option,
        option(
            "--format",
            "fmt",
            type=_Format(_FORMATS),
            help="Default: table on a terminal, else csv.",
        ),
        option(
            "--columns",
            metavar="NAME,…",
            help="Write these columns only, after the id: names of --where, headings of the table, "
            "or the full names.",
        ),
    )
    return add_options(call)


def _print_table(frame: pd.DataFrame, first: Sequence[str]) -> None:
    """Print a table; on a terminal its first rows and the columns that fit, `first` before others."""
    names = [str(name) for name in frame]
    width = sys.maxsize
    rows = len(frame)
    if sys.stdout.isatty():
        width = terminal_width()
        rows = _ROWS_ON_A_TERMINAL
    omitted: list[str] = []
    if len(frame) == 1:
        lines = _record_lines(frame, names, width)
    else:
        names.sort(key=lambda name: first.index(name) if name in first else len(first))
        heads = _display.headings(names)
        widest = min(width // 3, _WIDEST)
        lines, omitted = _display.table_lines(frame.head(rows), heads, width, widest)
        if omitted:  # headings of several lines make room
            heads = {name: head.replace(" ", "\n") for name, head in heads.items()}
            lines, omitted = _display.table_lines(frame.head(rows), heads, width, widest)
    click.echo("\n".join(lines))
    parts = []
    if len(frame) > rows:
        parts.append(_display.quantity(len(frame) - rows, "more row"))
    if omitted:
        parts.append(f"{_display.quantity(len(omitted), 'more column')} ({', '.join(omitted)})")
    if parts:
        choice = "--columns NAME,NAME shows others; " if omitted else ""
        note(f"\nNot shown: {' and '.join(parts)}. {choice}-o FILE or --format csv has everything.")


def _record_lines(frame: pd.DataFrame, names: Sequence[str], width: int) -> list[str]:
    """Return one record as lines of a name and its text, which is wrapped at words."""
    lines: list[str] = []
    heads = _display.align([printable(name) for name in names], right=False)
    for name, head in zip(names, heads, strict=True):
        (text,) = _display.cell_texts(frame, name)
        room = width - _display.width_of(head) - len("  ")
        if room < _NARROWEST:
            room = width  # there is no room beside the names
        first, *others = _display.wrap(text, room) or [""]
        lines.append(f"{head}  {first}".rstrip())
        lines += [f"{' ' * _display.width_of(head)}  {other}" for other in others]
    return lines


# Files


def check_target(path: Path | None, *, overwrite: bool, sources: Iterable[str | Path] = ()) -> None:
    """Raise before anything is loaded if a file cannot be written, or is one that is read."""
    if path is not None:
        from dirframe.io.export import check_target as check

        check_not_read(path, sources)
        check(path, overwrite=overwrite)


def check_not_read(path: Path, sources: Iterable[str | Path]) -> None:
    """Raise if a target, or the provenance beside it, is a file that is read.

    It would be replaced by what was selected or computed from it.
    """
    from dirframe.io.writers import record_file

    read = [Path(source) for source in sources]
    for written in (path, record_file(path)):
        for source in [*read, *map(record_file, read)]:
            if _is_same_file(written, source):
                raise click.UsageError(
                    f"{written} is read by this command, and is not replaced by its result: name "
                    "another file to write."
                )


def _is_same_file(path: Path, other: Path) -> bool:
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.absolute() == other.absolute()


def files_read(options: Mapping[str, Any]) -> list[str | Path]:
    """Return the files that the options of a command name to be read."""
    names = ("file", "overrides", "archive", "ids_from")
    return [options[name] for name in names if options.get(name) not in (None, STREAM)]


def write_file(
    frames: pd.DataFrame | dict[str, pd.DataFrame], path: Path, overwrite: bool, **study: Any
) -> None:
    """Write a file in the format of its suffix, and say so."""
    note(f"Wrote {dirframe.export(frames, path, overwrite=overwrite, **study)}")
