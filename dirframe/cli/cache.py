"""Commands that manage the cache."""

from __future__ import annotations

import click

from dirframe.cli.options import group


@group()
def cache() -> None:
    """Manage the cache of fetched pages."""


@cache.command("info")
def show_cache_info() -> None:
    """Show location, size and age of the cache.

    \b
    Example:
      dirframe cache info
    """
    from dirframe.client.http.cache import cache_info

    click.echo(cache_info())


@cache.command("clear")
def clear() -> None:
    """Remove every page from the cache.

    \b
    Example:
      dirframe cache clear
    """
    from dirframe.client.http.cache import clear_cache

    click.echo(f"Removed {clear_cache():,} pages.", err=True)


@cache.command("prune")
@click.option("--older-than", type=click.FloatRange(0), required=True, metavar="DAYS")
def prune(older_than: float) -> None:
    """Remove pages older than a number of days.

    \b
    Example:
      dirframe cache prune --older-than 30
    """
    from datetime import timedelta

    from dirframe.client.http.cache import prune_cache

    click.echo(f"Removed {prune_cache(timedelta(days=older_than)):,} pages.", err=True)
