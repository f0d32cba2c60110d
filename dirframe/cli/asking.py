"""Commands that ask a directory: collections and single records.

What stays out: everything that the commands call.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dirframe.client.directory import Directory

__all__ = ["account", "accounts", "project", "projects"]


def _asking(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of every command that asks a directory."""
    options = (
        click.option("--base-url", metavar="URL", help="Address of the directory."),
        click.option("--sample", is_flag=True, help="Ask the bundled sample directory."),
        click.option(
            "-o",
            "--output",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Write to this .csv or .parquet file instead of standard output.",
        ),
        click.option("--overwrite", is_flag=True, help="Replace an existing output file."),
        click.option("--refresh", is_flag=True, help="Ask for every page, whatever is cached."),
        click.option("--offline", is_flag=True, help="Ask the cache alone."),
        click.option("--stale", is_flag=True, help="Take cached pages of any age."),
        click.option(
            "--wait",
            type=click.FloatRange(0),
            default=0.0,
            help="Seconds to sleep, at most, until the day's allowance comes back.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _collecting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a question to a collection."""
    options = (
        click.option("--query", metavar="TEXT", help="Only records that match."),
        click.option("--sort", metavar="VALUE", help="Order, for example name or id_reverse."),
        click.option("--max-items", type=click.IntRange(1), help="Cap on the number of records."),
        click.option(
            "--incomplete",
            type=click.Choice(["raise", "warn"]),
            default="raise",
            show_default=True,
            help="What to do if completeness cannot be proven.",
        ),
        click.option("--plan", "price", is_flag=True, help="Only say what the load will cost."),
    )
    for option in reversed(options):
        command = option(command)
    return _asking(command)


def _check(output: Path | None, overwrite: bool) -> None:
    """Refuse an output that cannot be written before anything is paid for."""
    from dirframe.files.writing import check_target

    if output is not None:
        check_target(output, overwrite=overwrite)


def _directory(base_url: str | None, sample: bool) -> Directory:
    if sample:
        if base_url:
            raise click.UsageError("--sample and --base-url exclude one another.")
        from dirframe.sample import sample_directory

        return sample_directory()
    from dirframe.client.directory import Directory

    return Directory(base_url)


def _hand_over(frame: pd.DataFrame, output: Path | None, overwrite: bool) -> None:
    from dirframe.files.writing import export
    from dirframe.provenance import caption

    if output is None:
        _print(frame)
    else:
        click.echo(f"Wrote {export(frame, output, overwrite=overwrite)}", err=True)
    click.echo(caption(frame), err=True)


def _print(frame: pd.DataFrame) -> None:
    from dirframe.files.text import stream_csv

    try:
        stream_csv(frame, sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the pipe has seen enough; what is left goes where nobody complains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _collection(
    collection: Literal["accounts", "projects"],
    base_url: str | None,
    *,
    sample: bool,
    output: Path | None,
    overwrite: bool,
    price: bool,
    **question: Any,
) -> None:
    from dirframe.client.loaders import load_accounts, load_projects
    from dirframe.client.plan import plan

    _check(output, overwrite)
    with _directory(base_url, sample) as directory:
        if price:
            asked = {name: question[name] for name in ("query", "sort", "max_items", "refresh")}
            click.echo(plan(collection, directory=directory, **asked))
            return
        load = load_accounts if collection == "accounts" else load_projects
        _hand_over(load(directory=directory, **question), output, overwrite)


@click.command()
@_collecting
def accounts(base_url: str | None, **options: Any) -> None:
    """Load accounts and write them as a table.

    \b
    Examples:
      dirframe accounts --sample --max-items 100
      dirframe accounts --plan
      dirframe accounts --query ada -o accounts.parquet
    """
    _collection("accounts", base_url, **options)


@click.command()
@_collecting
def projects(base_url: str | None, **options: Any) -> None:
    """Load projects and write them as a table.

    \b
    Examples:
      dirframe projects --sample --sort stack_count_reverse --max-items 20
      dirframe projects --plan
      dirframe projects --query parser -o parsers.csv
    """
    _collection("projects", base_url, **options)


@click.command()
@click.argument("id_or_email", metavar="ID_OR_EMAIL")
@_asking
def account(
    id_or_email: str,
    base_url: str | None,
    sample: bool,
    output: Path | None,
    overwrite: bool,
    **manner: Any,
) -> None:
    """Load one account by its id or e-mail address.

    Of an address only its MD5 digest is sent.

    \b
    Examples:
      dirframe account 1 --sample
      dirframe account ada@example.org --sample
    """
    from dirframe.client.records import load_account

    _check(output, overwrite)
    with _directory(base_url, sample) as directory:
        _hand_over(load_account(id_or_email, directory=directory, **manner), output, overwrite)


@click.command()
@click.argument("project_id", metavar="ID")
@_asking
def project(
    project_id: str,
    base_url: str | None,
    sample: bool,
    output: Path | None,
    overwrite: bool,
    **manner: Any,
) -> None:
    """Load one project by its id.

    \b
    Example:
      dirframe project 1 --sample
    """
    from dirframe.client.records import load_project

    _check(output, overwrite)
    with _directory(base_url, sample) as directory:
        _hand_over(load_project(project_id, directory=directory, **manner), output, overwrite)
