"""Commands that export records, and write reports, citations and the data dictionary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dirframe.cli.frame_output import Output, check_target, echo_note, output, target, write
from dirframe.cli.load import file_argument, read_input
from dirframe.cli.options import (
    collection_option,
    command,
    query_options,
    split,
    study_options,
)


@command()
@click.argument("files", metavar="[FILES]... TARGET", nargs=-1, required=True, type=click.Path())
@collection_option
@target
@study_options
@query_options
def export(
    *,
    files: tuple[str, ...],
    collection: str | None,
    overwrite: bool,
    **question: Any,
) -> None:
    """Convert records to another file format, by its suffix.

    Takes FILES, - for standard input, or asks the directory for --collection. A .zip is a study:
    CSV and Parquet with a description that repositories and other programs read. It or a workbook
    holds several FILES.

    \b
    Examples:
      dirframe export projects.parquet projects.xlsx
      dirframe export --collection accounts --query ada found.parquet
      dirframe accounts --format parquet | dirframe export - piped.csv
      dirframe export projects.parquet accounts.parquet study.zip --author "Hopper, Grace"
    """
    from dirframe.provenance import caption

    *sources, file = files
    study = split(("title", "authors", "license", "personal", "archive"), question)
    check_target(Path(file), overwrite=overwrite)
    frames = {
        Path(source or f"{collection}").stem: read_input(source, collection, question)
        for source in (sources or (None,))
    }
    if len(frames) < len(sources):
        raise click.UsageError("The tables are called as the files: give each another name.")
    (first, *others) = frames.values()
    write(frames if others else first, Path(file), overwrite, **study)
    for frame in frames.values():
        echo_note(caption(frame))


@command()
@file_argument
@collection_option
@click.option(
    "--style",
    type=click.Choice(["text", "bibtex"]),
    default="text",
    show_default=True,
    help="Plain text or BibTeX.",
)
@query_options
def cite(file: str | None, collection: str | None, style: Any, **question: Any) -> None:
    """Print a citation of the data.

    The citation states the directory, the query and the access dates. Reads FILE, standard
    input (-), or the --collection of the directory.

    \b
    Examples:
      dirframe cite projects.parquet
      dirframe cite projects.parquet --style bibtex
      dirframe cite --collection projects --sample --max-items 25
    """
    from dirframe.citation import cite as refer

    click.echo(refer(read_input(file, collection, question), style=style).rstrip("\n"))


@command()
@click.argument("files", metavar="[FILES]...", nargs=-1, type=click.Path())
@click.option(
    "-o",
    "--output",
    metavar="FILE.html",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The page to write.",
)
@click.option("--title", metavar="TEXT", help="Title of the report.")
@target
@collection_option
@query_options
def report(
    *,
    files: tuple[str, ...],
    output: Path,
    title: str | None,
    overwrite: bool,
    collection: str | None,
    **question: Any,
) -> None:
    """Write a report: findings, charts, tables, biases, method, citation.

    Takes FILES of accounts and projects, or asks the directory for --collection, both
    kinds if that is left out.

    \b
    Examples:
      dirframe report projects.parquet accounts.parquet -o report.html
      dirframe report --sample --collection accounts -o accounts.html
    """
    from dirframe.reports.report import check_target
    from dirframe.reports.report import report as make

    check_target(output, overwrite=overwrite)
    if files:
        frames = [read_input(file, None, question) for file in files]
    else:
        collections = [collection] if collection else ["projects", "accounts"]
        frames = [read_input(None, name, question) for name in collections]
    click.echo(f"Wrote {make(frames, output, title=title, overwrite=overwrite)}", err=True)


@command()
@click.argument("resource", type=click.Choice(["account", "project"]))
@output
def fields(resource: str, out: Output) -> None:
    """Describe the columns: type, unit, meaning.

    \b
    Examples:
      dirframe fields project
      dirframe fields account --format jsonl
    """
    from dirframe.client.fields import fields as describe

    out.write(
        describe(resource),
        about_source=False,
        first=("name", "meaning", "unit", "type", "required"),
    )
