"""Commands for archives: harvest and status."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dirframe.cli.load import price
from dirframe.cli.options import directory_options, open_directory
from dirframe.errors import QuotaExceededError


@click.command()
@click.argument("collection", type=click.Choice(["accounts", "projects"]))
@click.option(
    "--to",
    "path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="File of the archive.",
)
@click.option("--query", metavar="TEXT", help="Load records that have these words.")
@click.option("--sort", metavar="VALUE", help="Sort order. Default: one that the directory keeps.")
@click.option(
    "--sample-size",
    metavar="N",
    type=click.IntRange(1),
    help="Load N records drawn at random.",
)
@click.option("--seed", metavar="N", type=int, help="Seed of the drawing.")
@click.option(
    "--details", is_flag=True, help="Load the own page of each project without an analysis."
)
@click.option("--plan", "is_plan", is_flag=True, help="Only say what the harvest costs.")
@directory_options
def harvest(
    *,
    collection: Any,
    path: Path,
    sample_size: int | None,
    seed: int | None,
    is_plan: bool,
    base_url: str | None,
    sample: bool,
    **question: Any,
) -> None:
    """Download a collection into an archive, over days.

    Run the same command again to continue.

    \b
    Examples:
      dirframe harvest projects --to kept.archive --sample
      dirframe harvest projects --to kept.archive --details
    """
    from dirframe.archive.archive import Archive
    from dirframe.archive.harvest import harvest as run

    drawn: dict[str, Any] = {"sample": sample_size} if sample_size else {}
    if seed is not None:
        if sample_size is None:
            raise click.UsageError("--seed is of a drawing: name its size with --sample-size.")
        drawn["seed"] = seed
    with open_directory(base_url, sample) as directory:
        if is_plan:
            click.echo(price(collection, directory, sample_size=sample_size, **question))
            return
        try:
            archive = run(collection, path, directory=directory, **drawn, **question)
        except QuotaExceededError:
            click.echo(Archive(path, directory.daily_quota).status(), err=True)
            raise
    click.echo(archive.status())


@click.command()
@click.argument("path", metavar="ARCHIVE", type=click.Path(path_type=Path))
def status(path: Path) -> None:
    """Show what an archive holds and lacks.

    \b
    Example:
      dirframe status kept.archive
    """
    from dirframe.archive.archive import open_archive

    click.echo(open_archive(path).status())
