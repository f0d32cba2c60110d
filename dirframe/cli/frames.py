"""Read the records of a command, and write its result.

On a terminal, standard output gets an aligned table that names omitted rows and columns;
elsewhere it gets CSV. ``--format`` overrides this. All messages go to standard error.
"""

from __future__ import annotations

import os
import shutil
import sys
from functools import wraps
from pathlib import Path
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dirframe.cli.options import open_directory, with_options

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import pandas as pd

_FORMATS = ("table", "csv", "tsv", "json", "jsonl", "parquet")
_ROWS_ON_A_TERMINAL = 50
_WIDEST, _GAP = 40, 2
#: Stands for standard input where a file is read, and for standard output where one is written.
STREAM = "-"

file_argument = click.argument("file", required=False, metavar="[FILE]", type=click.Path())


# Reading


def read_records(
    file: str | None,
    collection: str | None,
    *,
    where: dict[str, Any] | None = None,
    exclude: Sequence[str] = (),
    older_than: str | None = None,
    **question: Any,
) -> pd.DataFrame:
    """Read the file, or load the collection if there is no file; select from it what is asked for."""
    if file is None:
        frame = load_records(collection, **question)
    else:
        unset = (None, False, "raise")
        if given := [name for name, value in question.items() if value not in unset]:
            options = " and ".join(f"--{name.replace('_', '-')}" for name in given)
            raise click.UsageError(
                f"{options} {'asks' if len(given) == 1 else 'ask'} a directory, and {file} is a "
                "file: leave one of the two out."
            )
        frame = read_file(file)
    if where:
        from dirframe.selection import select

        frame = select(frame, **where)
    if exclude or older_than:
        from dirframe.quality.rules import exclude as leave_out

        frame = leave_out(frame, exclude, older_than=older_than)
    return frame


def load_records(
    collection: str | None,
    *,
    base_url: str | None,
    sample: bool,
    details: bool = False,
    sample_size: int | None = None,
    seed: int | None = None,
    **question: Any,
) -> pd.DataFrame:
    """Load a collection with the options of a command."""
    import dirframe

    if collection is None:
        raise click.UsageError("Name a file, or a collection to ask for: --collection projects.")
    if collection not in {"projects", "accounts"}:
        raise click.UsageError(
            f"Name a file of {collection}: dirframe load /projects/1/"
            f"{'contributors' if collection == 'contributors' else 'analyses/latest/activity_facts'}"
            f".xml -o {collection}.parquet writes one."
        )
    if details:
        if collection == "accounts":
            raise click.UsageError("--details is about projects; accounts have no own pages.")
        question["details"] = True
    if sample_size is not None:
        question |= {"sample": sample_size}
        question |= {} if seed is None else {"seed": seed}
    elif seed is not None:
        raise click.UsageError("--seed is of a drawing: name its size with --sample-size.")
    load: Callable[..., pd.DataFrame] = getattr(dirframe, f"load_{collection}")
    with open_directory(base_url, sample) as directory:
        return load(directory=directory, **question)


def read_file(file: str) -> pd.DataFrame:
    """Read a table, an archive, or recorded pages of XML; ``-`` is standard input."""
    from dirframe.io.read import read_content, read_export

    if file == STREAM:
        if sys.stdin.isatty():
            raise click.UsageError("Standard input is a terminal: pipe a table into the command.")
        frame = read_content(sys.stdin.buffer.read(), "Standard input", {})
    elif is_xml(file):
        from dirframe.client.read_pages import read_pages

        return read_pages(file)
    elif is_archive(file):
        from dirframe.archive.archive import open_archive

        return open_archive(file).frame()
    else:
        frame = read_export(file)
    from dirframe.provenance import get_provenance

    if not get_provenance(frame)["source"]:
        note(
            f"{Path(file).name if file != STREAM else 'Standard input'} does not say where its "
            "records are from; Parquet does (-o FILE.parquet, or --format parquet between commands)."
        )
    return frame


def is_xml(file: str) -> bool:
    """Return whether a path is a folder, or a file of XML, compressed or not."""
    path = Path(file)
    return path.is_dir() or ".xml" in map(str.lower, path.suffixes)


def is_archive(file: str) -> bool:
    """Return whether a file is an archive of `dirframe harvest`."""
    from dirframe.archive.store import Store

    return Path(file).is_file() and Store.is_archive(Path(file))


# Writing


class Output(NamedTuple):
    """Where and how a command writes its table; `columns` are those that were chosen."""

    path: Path | None
    overwrite: bool
    fmt: str | None
    columns: tuple[str, ...] | None

    def check(self) -> None:
        """Raise before anything is loaded if the output cannot be written."""
        if self.path is not None:
            if self.fmt is not None:
                raise click.UsageError(
                    "A file has the form of its suffix: leave --format or -o out."
                )
            check_target(self.path, overwrite=self.overwrite)
        elif self.fmt == "parquet" and sys.stdout.isatty():
            raise click.UsageError("Parquet is not for terminals: pipe it on, or name a file (-o).")

    def check_columns(self, names: Collection[str]) -> None:
        """Raise before anything is loaded if a chosen column cannot come."""
        from dirframe._display import did_you_mean

        for column in self.columns or ():
            if column not in names:
                raise click.UsageError(f"There is no column {column}.{did_you_mean(column, names)}")

    def write(self, frame: pd.DataFrame) -> None:
        """Write a table, and its caption to standard error."""
        from dirframe.provenance import caption

        if self.columns is not None:
            self.check_columns([str(name) for name in frame])
            first = ["id"] if "id" in frame and "id" not in self.columns else []
            frame = frame[[*first, *self.columns]]
        if self.path is not None:
            write_file(frame, self.path, self.overwrite)
        else:
            self._print(frame)
        note(caption(frame))

    def _print(self, frame: pd.DataFrame) -> None:
        from dirframe.io.writers import parquet_bytes, write_csv, write_json

        form = self.fmt or ("table" if sys.stdout.isatty() else "csv")
        if form == "table":
            _print_table(frame, first=[*frame] if self.columns else _overview(frame))
        elif form == "parquet":
            sys.stdout.buffer.write(parquet_bytes(frame))
            sys.stdout.buffer.flush()
        elif form in {"csv", "tsv"}:
            write_csv(frame, sys.stdout, "," if form == "csv" else "\t")
        else:
            write_json(frame, sys.stdout, lines=form == "jsonl")


def _names(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> tuple[str, ...] | None:
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise click.BadParameter(f"{text!r} has an empty name of a column.")
    return names


overwrite_option = click.option("--overwrite", is_flag=True, help="Replace an existing file.")
_output_options = with_options(
    click.option(
        "-o",
        "--output",
        "path",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="File to write, in the format of its suffix. Default: standard output (-).",
    ),
    overwrite_option,
    click.option(
        "--format",
        "fmt",
        type=click.Choice(_FORMATS),
        help="Format on standard output. Default: table on a terminal, csv elsewhere.",
    ),
    click.option(
        "--columns",
        metavar="NAME,…",
        callback=_names,
        help="Write these columns only, in this order, after the id.",
    ),
)


def output(function: Callable[..., Any]) -> Any:
    """Add the output options to a command, which receives them checked, as `out`."""

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        out = Output(**{name: options.pop(name) for name in Output._fields})
        if out.path == Path(STREAM):
            out = out._replace(path=None)
        out.check()
        return function(*args, out=out, **options)

    return _output_options(call)


def check_target(path: Path | None, *, overwrite: bool) -> None:
    """Raise before anything is loaded if a file cannot be written."""
    if path is not None:
        from dirframe.io.export import check_target as check

        check(path, overwrite=overwrite)


def write_file(
    frames: pd.DataFrame | dict[str, pd.DataFrame], path: Path, overwrite: bool, **study: Any
) -> None:
    """Write a file in the format of its suffix, and say so."""
    from dirframe.io.export import export

    click.echo(f"Wrote {export(frames, path, overwrite=overwrite, **study)}", err=True)


def note(text: str) -> None:
    """Write a note to standard error; dimmed and wrapped on a terminal."""
    if sys.stderr.isatty():
        width = max(shutil.get_terminal_size().columns, 20)
        text = fill(text, width, break_long_words=False, break_on_hyphens=False)
        text = text if os.environ.get("NO_COLOR") else click.style(text, dim=True)
    click.echo(text, err=True)


# The table of a terminal

#: What research needs first; of each group one is shown.
_OVERVIEW = {
    "project": (
        ("name",),
        ("analysis_main_language_name",),
        ("stack_count", "user_count"),
        ("analysis_twelve_month_contributor_count",),
        ("analysis_total_code_lines",),
        ("created_at",),
    ),
    "account": (
        ("name",),
        ("country_name", "country_code"),
        ("location",),
        ("posts_count",),
        ("kudo_score_kudo_rank",),
        ("created_at",),
    ),
}


def _overview(frame: pd.DataFrame) -> list[str]:
    """Return the columns that a table shows first; of alternatives, the first with values."""
    from dirframe.provenance import get_provenance, resource_of

    resource = None if get_provenance(frame)["counted"] else resource_of(frame)
    if resource is None:
        return []
    groups = [[n for n in names if n in frame] for names in _OVERVIEW.get(resource.name, ())]
    columns = [next((n for n in ns if frame[n].notna().any()), ns[0]) for ns in groups if ns]
    return ["id", *columns] if columns else []


def _print_table(frame: pd.DataFrame, *, first: Sequence[str]) -> None:
    """Print the first rows and as many columns as fit, those in `first` before all others."""
    from dirframe._display import align, cell_texts, counted

    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else sys.maxsize
    shown = frame.head(_ROWS_ON_A_TERMINAL) if is_terminal else frame
    if is_terminal and len(frame) == 1:
        names = align([str(name) for name in frame], right=False)
        cells = [cell_texts(frame[name], str(name))[0] for name in frame]
        click.echo("\n".join(f"{n}  {cell}".rstrip() for n, cell in zip(names, cells, strict=True)))
        return
    names = [name for name in first if name in frame]
    # Columns without a value come last.
    names += sorted(
        (str(name) for name in frame if name not in names),
        key=lambda name: bool(frame[name].isna().all()) if first else False,
    )
    lines, omitted = _lines(shown, names, width, heads=1)
    if omitted:  # headings of several lines make room
        lines, omitted = _lines(shown, names, width, heads=3)
    click.echo("\n".join(line.rstrip() for line in lines) or "(no columns)")
    parts = [counted(len(frame) - len(shown), "more row")] if len(frame) > len(shown) else []
    if omitted:
        parts.append(f"{counted(len(omitted), 'more column')} ({', '.join(omitted)})")
    if parts:
        choice = "--columns NAME,NAME shows others; " if omitted else ""
        click.echo(err=True)
        note(f"Not shown: {' and '.join(parts)}. {choice}-o FILE or --format csv has everything.")


def _lines(
    frame: pd.DataFrame, names: Sequence[str], width: int, heads: int
) -> tuple[list[str], list[str]]:
    """Return the lines of a table below headings of so many lines, and the columns left out."""
    from dirframe._display import align, cell_texts, cut, is_number, label, width_of

    lines: list[str] = []
    omitted: list[str] = []
    for name in names:
        cells = [cut(cell, _WIDEST) for cell in cell_texts(frame[name], name)]
        right = is_number(frame[name].dtype) or (name == "id" and all(map(str.isdecimal, cells)))
        short = name.removeprefix("analysis_")
        heading = label(name if short in names or short.startswith("_") else short)
        head = _wrapped(heading, max(map(width_of, cells), default=0), heads)
        column = align([*head, *cells], right=right)
        joined = [
            f"{line}{' ' * _GAP}{cell}" if lines else cell
            for line, cell in zip(lines or column, column, strict=True)
        ]
        if lines and max(map(width_of, joined)) > width:
            omitted.append(name)
        else:
            lines = joined
    while lines and not lines[0].strip():
        del lines[0]
    return lines, omitted


def _wrapped(heading: str, width: int, lines: int) -> list[str]:
    """Return a heading in so many lines, the first of which may be empty, as narrow as it can be."""
    longest = max(map(len, heading.split()), default=0)
    wrapped = [heading]
    for narrow in range(max(width, longest), len(heading)):
        parts = wrap(heading, narrow, break_long_words=False)
        if len(parts) <= lines:
            wrapped = parts
            break
    return [""] * (lines - len(wrapped)) + wrapped
