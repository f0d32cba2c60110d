"""Commands that look at a frame as a whole: an overview, and what changed between two.

What stays out: everything that the commands call.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from dirframe.cli.questions import collecting, plain_format
from dirframe.cli.taking import file_argument, take

if TYPE_CHECKING:
    from dirframe.stats.overview import Summary
    from dirframe.stats.snapshots import Comparison

__all__ = ["compare", "summary"]


@click.command()
@file_argument
@click.option(
    "--collection",
    type=click.Choice(["accounts", "projects"]),
    help="What to ask the directory for, without a file.",
)
@plain_format
@collecting
def summary(file: str | None, collection: str | None, form: str, **question: Any) -> None:
    """Say what is in each column, what is missing, and what to beware of.

    Takes FILE, - for standard input, or asks the directory for --collection.

    \b
    Examples:
      dirframe summary projects.parquet
      dirframe summary --collection projects --sample --max-items 25
      dirframe summary accounts.parquet --format json
    """
    from dirframe.stats.overview import summary as overview

    _write(overview(take(file, collection, question)), form)


@click.command()
@click.argument("before", metavar="BEFORE", type=click.Path())
@click.argument("after", metavar="AFTER", type=click.Path())
@plain_format
def compare(before: str, after: str, form: str) -> None:
    """Say what is new, gone and changed between two files of the same records.

    \b
    Example:
      dirframe compare january.parquet june.parquet
    """
    from dirframe.stats.snapshots import compare as differ

    if before == after == "-":
        raise click.UsageError("Standard input holds one table: name a file for the other.")
    _write(differ(take(before, None, {}), take(after, None, {})), form)


def _write(found: Summary | Comparison, form: str) -> None:
    click.echo(_as_json(found) if form == "json" else found)


def _as_json(found: Summary | Comparison) -> str:
    import pandas as pd

    def plain(value: Any) -> Any:
        if isinstance(value, pd.DataFrame):
            return json.loads(value.to_json(orient="records", date_format="iso", date_unit="s"))
        return value

    facts = {one.name: plain(getattr(found, one.name)) for one in fields(found)}
    return json.dumps(facts, ensure_ascii=False)
