"""Commands for archives: harvest and status."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from dirframe.cli.options import (
    command,
    connection_options,
    details_option,
    draw_options,
    drawn,
    open_directory,
)
from dirframe.errors import QuotaExceededError

if TYPE_CHECKING:
    from dirframe.client.directory import Directory


@command()
@click.argument("collection", type=click.Choice(["accounts", "projects"]))
@click.option(
    "--to", "path", type=click.Path(path_type=Path), required=True, help="File of the archive."
)
@connection_options
@click.option("--query", metavar="TEXT", help="Load only matching records.")
@click.option("--sort", metavar="VALUE", help="Sort order. Default: one that the directory keeps.")
@draw_options
@details_option
@click.option("--plan", "price", is_flag=True, help="Only estimate the cost.")
def harvest(
    *,
    collection: Literal["accounts", "projects"],
    path: Path,
    base_url: str | None,
    sample: bool,
    price: bool,
    **question: Any,
) -> None:
    """Download a whole collection into an archive, over several days if needed.

    Run the same command again to continue.

    \b
    Examples:
      dirframe harvest projects --to kept.archive --sample
      dirframe harvest projects --to kept.archive --details
      dirframe harvest accounts --to kept.archive
    """
    from dirframe.archive.archive import Archive
    from dirframe.archive.harvest import harvest as run

    with open_directory(base_url, sample) as directory:
        if price:
            click.echo(_price(collection, directory, **question))
            return
        try:
            archive = run(collection, path, directory=directory, **drawn(question), **question)
        except QuotaExceededError:
            click.echo(Archive(path, directory.daily_quota).status(), err=True)
            raise
    click.echo(archive.status())


def _price(
    collection: Literal["accounts", "projects"], directory: Directory, **question: Any
) -> str:
    from dirframe.client.plan import plan

    price = plan(collection, directory=directory, **drawn(question), **question)
    if price.pages is None or price.details is None:
        return str(price)
    # Pages in the cache are most often in another order.
    most = price.pages + price.details
    uncertain = (price.requests_needed or 0) - (price.requests_at_least or 0)
    daily = directory.daily_quota
    days = [-(-requests // daily) for requests in (most - uncertain, most)]
    span = f"{days[1]:,}" if days[0] == days[1] else f"{days[0]:,} to {days[1]:,}"
    return f"{price}\nA harvest takes {span} {'day' if days[1] == 1 else 'days'}."


@command()
@click.argument("path", metavar="ARCHIVE", type=click.Path(path_type=Path))
def status(path: Path) -> None:
    """Show the progress of a harvest: records, pages, requests to go.

    \b
    Example:
      dirframe status kept.archive
    """
    from dirframe.archive.archive import open_archive

    click.echo(open_archive(path).status())
