"""Commands for the daily quota: the cost of a load, and the remaining requests."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from dirframe.cli.options import (
    command,
    connection_options,
    drawn,
    estimate_options,
    open_directory,
    plain_format,
)

if TYPE_CHECKING:
    from datetime import datetime

#: Options that the cost of a load depends on.
ESTIMATE_OPTIONS = (
    *("base_url", "sample", "query", "sort", "max_items", "refresh", "details"),
    *("sample_size", "seed"),
)

_BAR = 30


def echo_estimate(
    collection: Any, *, fmt: str, base_url: str | None, sample: bool, **question: Any
) -> None:
    """Write the estimated cost of a load."""
    from dirframe.client.plan import plan

    with open_directory(base_url, sample) as directory:
        price = plan(collection, directory=directory, **drawn(question), **question)
    if fmt == "json":
        click.echo(
            json.dumps(asdict(price) | {"fits": price.fits, "days": price.days}, default=_iso)
        )
    else:
        click.echo(price)


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


@command()
@click.argument("collection")
@estimate_options
@plain_format
def plan(collection: str, fmt: str, **question: Any) -> None:
    """Estimate the cost of a load, with at most one request.

    COLLECTION is accounts, projects, languages, or a path as of dirframe load. With --details the
    price is a range until the pages of the collection are in the cache.

    \b
    Examples:
      dirframe plan projects
      dirframe plan projects --query parser --details
      dirframe plan accounts --query ada --format json
    """
    echo_estimate(collection, fmt=fmt, **question)


@command()
@connection_options
@plain_format
def quota(base_url: str | None, sample: bool, fmt: str) -> None:
    """Show the remaining daily quota; sends no request.

    The count is kept on this machine and shared by all your processes. That of the bundled
    sample lasts as long as one command: its key is made anew each time.

    \b
    Examples:
      dirframe quota
      dirframe quota --format json
    """
    with open_directory(base_url, sample) as directory:
        state = directory.quota()
    if fmt == "json":
        click.echo(json.dumps(asdict(state), ensure_ascii=False, default=_iso))
        return
    used, limit, resets_at = state.used, state.limit, state.resets_at
    filled = min(-(-used * _BAR // limit), _BAR)
    click.echo(f"{state.directory}\n")
    click.echo(f"  [{'#' * filled}{'.' * (_BAR - filled)}]  {used / limit:.0%} used")
    click.echo(f"  {used:>7,} used in the last 24 hours")
    click.echo(f"  {state.left:>7,} left of {limit:,}")
    if resets_at is not None:
        click.echo(f"\nThe first comes back at {resets_at:%Y-%m-%d %H:%M} UTC.")


@command()
@connection_options
def check(base_url: str | None, sample: bool) -> None:
    """Look at how a directory answers, in at most 15 requests.

    Page size, page past the end, sorts that are kept, analyses, errors, countries and clock: a
    report without the key, to post or to compare.

    \b
    Examples:
      dirframe check
      dirframe check --sample
    """
    from dirframe.client.check import check as check_directory

    with open_directory(base_url, sample) as directory:
        click.echo(check_directory(directory))
