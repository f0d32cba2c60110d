"""Commands that keep a whole directory and hand it on.

What stays out: everything that the commands call.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from dirframe.cli.questions import details_option, open_directory, where, with_options

if TYPE_CHECKING:
    from dirframe.client.directory import Directory

__all__ = ["bundle", "harvest", "refresh", "status"]


_sparing = with_options(
    click.option("--daily", type=click.IntRange(1), help="Requests within 24 hours, at most."),
    click.option(
        "--until",
        type=click.DateTime(["%Y-%m-%dT%H:%M", "%H:%M"]),
        help="When to stop, in local time; a time of day is the next one.",
    ),
)


@click.command()
@click.argument("collection", type=click.Choice(["accounts", "projects"]))
@click.option("--to", "folder", type=click.Path(file_okay=False, path_type=Path), required=True)
@where
@click.option("--query", metavar="TEXT", help="Only records that match.")
@details_option
@_sparing
@click.option("--plan", "price", is_flag=True, help="Only say what it will cost.")
def harvest(
    *,
    collection: Literal["accounts", "projects"],
    folder: Path,
    base_url: str | None,
    sample: bool,
    query: str | None,
    details: bool,
    daily: int | None,
    until: datetime | None,
    price: bool,
) -> None:
    """Keep a whole collection, page by page, over days.

    The same command goes on where the last one ended.

    \b
    Examples:
      dirframe harvest projects --to kept --sample
      dirframe harvest projects --to kept --daily 900 --until 18:00
      dirframe harvest projects --to kept --details
    """
    from dirframe.archive.harvest import harvest as run

    with open_directory(base_url, sample) as directory:
        if price:
            click.echo(_price(collection, query, daily, directory, details=details))
            return
        archive = run(
            collection,
            folder,
            directory=directory,
            query=query,
            details=details,
            daily=daily,
            until=_moment(until),
        )
    click.echo(archive.status())


def _price(
    collection: Literal["accounts", "projects"],
    query: str | None,
    daily: int | None,
    directory: Directory,
    *,
    details: bool,
) -> str:
    from dirframe.client.plan import plan

    price = plan(collection, query=query, details=details, directory=directory)
    if price.pages is None or price.details is None:
        return str(price)
    # A harvest asks the directory for everything, whatever is in the cache.
    most = price.pages + price.details
    open_still = (price.requests_to_pay or 0) - (price.requests_at_least or 0)
    a_day = daily or directory.settings.daily_quota
    days = [-(-requests // a_day) for requests in (most - open_still, most)]
    span = f"{days[1]:,}" if days[0] == days[1] else f"{days[0]:,} to {days[1]:,}"
    return f"{price}\nA harvest takes {span} {'day' if days[1] == 1 else 'days'}."


def _moment(until: datetime | None) -> datetime | None:
    if until is None:
        return None
    if until.year == 1900:  # a time of day: the next one
        now = datetime.now()  # noqa: DTZ005  # of the wall clock that the person looks at
        until = datetime.combine(now.date(), until.time())
        until += timedelta(days=until <= now)
    return until.astimezone()


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@where
@click.option("--whole", is_flag=True, help="Ask for everything, not for what changed.")
@_sparing
def refresh(
    *,
    folder: Path,
    base_url: str | None,
    sample: bool,
    whole: bool,
    daily: int | None,
    until: datetime | None,
) -> None:
    """Bring a harvest up to date; what it was stays in it.

    Asks for what changed, where the directory can sort by it, and otherwise for everything.
    Records that were removed are found by halving, for some ten requests each.
    The same command goes on where the last one ended.

    \b
    Examples:
      dirframe refresh kept --sample
      dirframe refresh kept --whole --daily 900
    """
    from dirframe.archive.refresh import refresh as run

    with open_directory(base_url, sample) as directory:
        archive = run(folder, directory=directory, whole=whole, daily=daily, until=_moment(until))
    click.echo(archive.status())


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
def status(folder: Path) -> None:
    """Say how far a harvest is: pages, share, days to go.

    \b
    Example:
      dirframe status kept
    """
    from dirframe.archive.reading import open_archive

    click.echo(open_archive(folder).status())


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True)
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
def bundle(folder: Path, output: Path, overwrite: bool) -> None:
    """Put an archive into one file that opens anywhere.

    \b
    Example:
      dirframe bundle kept -o study.zip
    """
    from dirframe.archive.bundle import bundle as run

    digest = run(folder, output, overwrite=overwrite)
    click.echo(f"Wrote {output}\nSHA-256: {digest}", err=True)
