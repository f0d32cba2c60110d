"""Commands for archives: harvest, update, status and bundle."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from dirframe.cli.options import (
    command,
    connection_options,
    details_option,
    open_directory,
    study_options,
    with_options,
)

if TYPE_CHECKING:
    from dirframe.client.directory import Directory


_budget_options = with_options(
    click.option(
        "--requests-per-day",
        type=click.IntRange(1),
        help="Maximum number of requests within 24 hours.",
    ),
    click.option(
        "--stop-at",
        type=click.DateTime(["%Y-%m-%dT%H:%M", "%H:%M"]),
        callback=lambda _context, _option, value: value and _moment(value),
        help="Time to stop at, in local time; a time of day means its next occurrence.",
    ),
)


_archive_argument = click.argument("path", metavar="ARCHIVE", type=click.Path(path_type=Path))


@command()
@click.argument("collection", type=click.Choice(["accounts", "projects"]))
@click.option(
    "--to", "path", type=click.Path(path_type=Path), required=True, help="File of the archive."
)
@connection_options
@click.option("--query", metavar="TEXT", help="Load only matching records.")
@details_option
@_budget_options
@click.option("--plan", "price", is_flag=True, help="Only estimate the cost.")
def harvest(
    *,
    collection: Literal["accounts", "projects"],
    path: Path,
    base_url: str | None,
    sample: bool,
    query: str | None,
    details: bool,
    price: bool,
    **budget: Any,
) -> None:
    """Download a whole collection into an archive, over several days if needed.

    Run the same command again to continue.

    \b
    Examples:
      dirframe harvest projects --to kept.archive --sample
      dirframe harvest projects --to kept.archive --requests-per-day 900 --stop-at 18:00
      dirframe harvest projects --to kept.archive --details
    """
    from dirframe.archive.harvest import harvest as run

    with open_directory(base_url, sample) as directory:
        if price:
            requests_per_day = budget["requests_per_day"]
            click.echo(_price(collection, query, requests_per_day, directory, details=details))
            return
        archive = run(collection, path, directory=directory, query=query, details=details, **budget)
    click.echo(archive.status())


def _price(
    collection: Literal["accounts", "projects"],
    query: str | None,
    requests_per_day: int | None,
    directory: Directory,
    *,
    details: bool,
) -> str:
    from dirframe.client.plan import plan

    price = plan(collection, query=query, details=details, directory=directory)
    if price.pages is None or price.details is None:
        return str(price)
    # A harvest requests every page, whatever is in the cache.
    most = price.pages + price.details
    uncertain = (price.requests_needed or 0) - (price.requests_at_least or 0)
    a_day = requests_per_day or directory.settings.daily_quota
    days = [-(-requests // a_day) for requests in (most - uncertain, most)]
    span = f"{days[1]:,}" if days[0] == days[1] else f"{days[0]:,} to {days[1]:,}"
    return f"{price}\nA harvest takes {span} {'day' if days[1] == 1 else 'days'}."


def _moment(until: datetime) -> datetime:
    if until.year == 1900:  # a time of day: the next one
        now = datetime.now().astimezone()
        until = datetime.combine(now.date(), until.time()).astimezone()
        until += timedelta(days=until <= now)
    return until.astimezone()


@command()
@_archive_argument
@connection_options
@click.option("--full", is_flag=True, help="Fetch everything, not only changes.")
@_budget_options
def update(path: Path, base_url: str | None, sample: bool, **options: Any) -> None:
    """Update an archive; earlier states remain readable.

    Fetches only changes if the directory can sort by date of change, otherwise everything.
    Removed records are found by bisection, with about ten requests each.
    Run the same command again to continue.

    \b
    Examples:
      dirframe update kept.archive --sample
      dirframe update kept.archive --full --requests-per-day 900
    """
    from dirframe.archive.update import update as run

    with open_directory(base_url, sample) as directory:
        archive = run(path, directory=directory, **options)
    click.echo(archive.status())


@command()
@_archive_argument
def status(path: Path) -> None:
    """Show the progress of a harvest: pages, share, remaining days.

    \b
    Example:
      dirframe status kept.archive
    """
    from dirframe.archive.archive import open_archive

    click.echo(open_archive(path).status())


@command()
@_archive_argument
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True)
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@study_options
def bundle(path: Path, output: Path, **options: Any) -> None:
    """Write an archive to a single portable file.

    It holds the pages, the records as Parquet, and metadata for repositories and other programs.

    \b
    Example:
      dirframe bundle kept.archive -o study.zip
    """
    from dirframe.archive.bundle import bundle as run

    digest = run(path, output, **options)
    click.echo(f"Wrote {output}\nSHA-256: {digest}", err=True)
