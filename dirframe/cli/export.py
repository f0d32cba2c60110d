"""Commands that export records, and write reports, citations and the data dictionary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dirframe.cli import frame_output
from dirframe.cli.frame_input import file_argument, read_input
from dirframe.cli.options import SELECTION_OPTIONS, query_options, split, with_options

__all__ = ["cite", "export", "fields", "report"]

_collection = click.option(
    "--collection",
    type=click.Choice(["accounts", "projects"]),
    help="What to ask the directory for, without a file.",
)


@click.command()
@click.argument("files", metavar="[FILE] TARGET", nargs=-1, required=True, type=click.Path())
@_collection
@frame_output.target
@query_options
def export(
    files: tuple[str, ...], collection: str | None, overwrite: bool, **question: Any
) -> None:
    """Write records to another kind of file, by its suffix.

    Takes FILE, - for standard input, or asks the directory for --collection.

    \b
    Examples:
      dirframe export projects.parquet projects.xlsx
      dirframe export --collection accounts --query ada found.parquet
      dirframe accounts --format parquet | dirframe export - piped.csv
    """
    from dirframe.provenance import caption

    *sources, target = files
    if len(sources) > 1:
        raise click.UsageError("Name one file to read and one to write.")
    frame_output.check_output(Path(target), overwrite)
    frame = read_input(sources[0] if sources else None, collection, question)
    frame_output.write(frame, Path(target), overwrite)
    frame_output.echo_note(caption(frame))


@click.command()
@file_argument
@_collection
@click.option(
    "--style",
    type=click.Choice(["text", "bibtex", "csl"]),
    default="text",
    show_default=True,
    help="A sentence, an entry for BibTeX, or CSL-JSON.",
)
@query_options
def cite(file: str | None, collection: str | None, style: Any, **question: Any) -> None:
    """Say how to cite what was loaded: the directory, the question, the days.

    Takes FILE, - for standard input, or asks the directory for --collection.

    \b
    Examples:
      dirframe cite projects.parquet
      dirframe cite projects.parquet --style bibtex
      dirframe cite --collection projects --sample --max-items 25
    """
    from dirframe.citation import cite as refer

    click.echo(refer(read_input(file, collection, question), style=style).rstrip("\n"))


@click.command()
@click.argument("files", metavar="[FILES]...", nargs=-1, type=click.Path())
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="A .html, .pdf, .md or .ipynb.",
)
@click.option(
    "--template",
    metavar="NOTEBOOK",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Your own notebook. It is a program: run none that you have not read.",
)
@click.option("--title", metavar="TEXT", help="Title of the report.")
@with_options(*SELECTION_OPTIONS.values())
@frame_output.target
@_collection
@query_options
def report(
    *,
    files: tuple[str, ...],
    output: Path,
    template: Path | None,
    title: str | None,
    overwrite: bool,
    collection: str | None,
    **question: Any,
) -> None:
    """Write a report: tables, charts, what biases them, method and citation.

    Takes FILES of accounts and projects, or asks the directory for --collection, both
    kinds if that is left out.

    \b
    Examples:
      dirframe report projects.parquet accounts.parquet -o report.html
      dirframe report --sample --collection accounts --template my.ipynb -o mine.html
      dirframe report projects.parquet --exclude lines_outlier --by team_size -o teams.html
    """
    from dirframe._atomic import check_folder, refuse_existing
    from dirframe.reports.report import report as make

    check_folder(output)
    if not overwrite:  # fail before the load
        refuse_existing(output)
    selection = split(SELECTION_OPTIONS, question)
    if files:
        frames = [read_input(file, None, question) for file in files]
    else:
        collections = [collection] if collection else ["projects", "accounts"]
        frames = [read_input(None, name, question) for name in collections]
    path = make(frames, output, template=template, title=title, overwrite=overwrite, **selection)
    click.echo(f"Wrote {path}", err=True)


@click.command()
@click.argument("resource", type=click.Choice(["account", "project"]))
@frame_output.output
def fields(resource: Any, output: Path | None, overwrite: bool, fmt: str | None) -> None:
    """Say what each column is: type, unit, whether it is required, meaning.

    \b
    Examples:
      dirframe fields project
      dirframe fields account --format jsonl
    """
    from dirframe.data_dictionary import fields as describe

    frame_output.check_output(output, overwrite, fmt)
    frame_output.write_frame(describe(resource), output, overwrite, fmt, about_source=False)
