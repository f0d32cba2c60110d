"""Commands that load records, and say what a load costs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from dirframe.cli.frames import Output, note, output, read_records
from dirframe.cli.options import (
    cache_options,
    directory_options,
    incomplete_option,
    load_options,
    open_directory,
    select_options,
    tried_options,
    with_options,
)

if TYPE_CHECKING:
    from dirframe.client.directory import Directory

#: Options that the price of a load depends on.
_PRICED = ("query", "sort", "max_items", "details", "refresh")

_plan = click.option("--plan", "is_plan", is_flag=True, help="Only say what the load costs.")
_format = click.option(
    "--format",
    "fmt",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
_collection = with_options(select_options, load_options, _plan, tried_options)


def _load(collection: str, *, out: Output, is_plan: bool, **question: Any) -> None:
    from dirframe.schema import RESOURCES

    if is_plan:
        with open_directory(question["base_url"], question["sample"]) as directory:
            click.echo(price(collection, directory, **question))
        return
    (resource,) = (known for known in RESOURCES.values() if known.collection == collection)
    out.check_columns(resource.by_column)
    out.write(read_records(None, collection, **question))


def price(collection: str, directory: Directory, **question: Any) -> object:
    """Return what a load costs."""
    from dirframe.client.plan import plan

    options = {name: question[name] for name in _PRICED if question.get(name)}
    if question.get("sample_size"):
        options |= {"sample": question["sample_size"], "seed": question.get("seed") or 0}
    return plan(collection, directory=directory, **options)


@click.command()
@_collection
@output
def projects(**options: Any) -> None:
    """Load projects and write them as a table.

    --query searches the words of a record; --where language=Java keeps those whose main language
    it is.

    \b
    Examples:
      dirframe projects --sample --sort stack_count_reverse -n 20
      dirframe projects --plan
      dirframe projects --query parser --where language=Java -o parsers.csv
      dirframe projects --sample-size 100 --seed 7 --details -o drawn.parquet
    """
    _load("projects", **options)


@click.command()
@_collection
@output
def accounts(**options: Any) -> None:
    """Load accounts and write them as a table.

    \b
    Examples:
      dirframe accounts --sample -n 100
      dirframe accounts --query ada --format jsonl
      dirframe accounts -o accounts.parquet
    """
    _load("accounts", **options)


@click.command()
@click.argument("address", metavar="PATH")
@click.option("--query", metavar="TEXT", help="Load records that have these words.")
@click.option("--sort", metavar="VALUE", help="Sort order.")
@click.option(
    "-n", "--max-items", "--limit", "max_items", type=click.IntRange(1), help="Load the first N."
)
@incomplete_option
@directory_options
@cache_options
@_plan
@output
def load(
    *,
    address: str,
    out: Output,
    is_plan: bool,
    base_url: str | None,
    sample: bool,
    **question: Any,
) -> None:
    """Load the records at any path of the directory.

    PATH ends in .xml: languages, contributors and months of a project, or one record.

    \b
    Examples:
      dirframe load /languages.xml -o languages.parquet
      dirframe load /projects/1.xml --sample
      dirframe load /projects/1/contributors.xml --plan
    """
    import dirframe

    with open_directory(base_url, sample) as directory:
        if is_plan:
            click.echo(price(address, directory, **question))
            return
        frame = dirframe.load(address, directory=directory, **question)
    out.write(frame)


@click.command()
@directory_options
def check(base_url: str | None, sample: bool) -> None:
    """Try what a directory sends and keeps.

    Sends at most 15 requests. The report holds no key: post it.

    \b
    Example:
      dirframe check --sample
    """
    from dirframe.client.check import check as try_directory

    with open_directory(base_url, sample) as directory:
        click.echo(try_directory(directory))


@click.command()
@directory_options
@_format
def quota(base_url: str | None, sample: bool, fmt: str) -> None:
    """Show how many requests are left; sends none.

    \b
    Example:
      dirframe quota
    """
    with open_directory(base_url, sample) as directory:
        left = directory.quota()
    if fmt == "json":
        click.echo(json.dumps(asdict(left) | {"left": left.left}, default=lambda t: t.isoformat()))
    else:
        click.echo(left)


@click.group()
def cache() -> None:
    """Show or clear the cache of fetched pages."""


@cache.command("info")
def cache_info() -> None:
    """Show location, size and age of the cache.

    \b
    Example:
      dirframe cache info
    """
    from dirframe.client.http.cache import cache_info as info

    click.echo(info())


@cache.command("clear")
def cache_clear() -> None:
    """Remove every page from the cache.

    \b
    Example:
      dirframe cache clear
    """
    from dirframe.client.http.cache import clear_cache

    note(f"Removed {clear_cache():,} pages.")
