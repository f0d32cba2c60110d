"""Commands that manage the cache."""

from __future__ import annotations

import click

from dirframe.cli.options import group


@group()
def cache() -> None:
    """Manage the cache of fetched pages."""


@cache.command("info")
def show_cache_info() -> None:
    """Show location and size of the cache.

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
def prune() -> None:
    """Remove the pages that have expired.

    \b
    Example:
      dirframe cache prune
    """
    from dirframe.client.http.cache import prune_cache

    click.echo(f"Removed {prune_cache():,} pages.", err=True)
