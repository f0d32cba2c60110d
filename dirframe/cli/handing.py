"""Commands that hand records on: to another kind of file, and into a list of references.

What stays out: everything that the commands call.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dirframe.cli import showing
from dirframe.cli.questions import collecting
from dirframe.cli.taking import file_argument, take

__all__ = ["cite", "export"]

_collection = click.option(
    "--collection",
    type=click.Choice(["accounts", "projects"]),
    help="What to ask the directory for, without a file.",
)


@click.command()
@click.argument("files", metavar="[FILE] TARGET", nargs=-1, required=True, type=click.Path())
@_collection
@showing.target
@collecting
def export(
    files: tuple[str, ...], collection: str | None, overwrite: bool, **question: Any
) -> None:
    """Write records to another kind of file, by its suffix.

    Takes FILE, - for standard input, or asks the directory for --collection.

    \b
    Examples:
      dirframe export projects.parquet exported.csv
      dirframe export --collection accounts --query ada found.parquet
      dirframe accounts --format parquet | dirframe export - piped.csv
    """
    from dirframe.provenance import caption

    *sources, target = files
    if len(sources) > 1:
        raise click.UsageError("Name one file to read and one to write.")
    showing.check(Path(target), overwrite)
    frame = take(sources[0] if sources else None, collection, question)
    showing.write(frame, Path(target), overwrite)
    showing.say(caption(frame))


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
@collecting
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

    click.echo(refer(take(file, collection, question), style=style).rstrip("\n"))
