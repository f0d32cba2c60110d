"""Commands for data quality: summary, flags and comparison."""

from __future__ import annotations

import io
import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from dirframe.cli.frame_output import Output, output
from dirframe.cli.load import file_argument, read_input
from dirframe.cli.options import (
    age_option,
    collection_option,
    command,
    plain_format,
    query_options,
    rule_option,
    split,
)

if TYPE_CHECKING:
    from dirframe.quality.compare import Comparison
    from dirframe.quality.summary import Summary


@command()
@file_argument
@collection_option
@plain_format
@query_options
def summary(file: str | None, collection: str | None, fmt: str, **question: Any) -> None:
    """Summarize each column: values, missing values, and problems.

    Reads FILE, standard input (-), or the --collection of the directory.

    \b
    Examples:
      dirframe summary projects.parquet
      dirframe summary --collection projects --sample --max-items 25
      dirframe summary accounts.parquet --format json
    """
    from dirframe.quality.summary import summary as overview

    _write(overview(read_input(file, collection, question)), fmt)


@command()
@file_argument
@collection_option
@rule_option("--rule", "rules", help="Apply only this rule")
@age_option("--max-age", help="Age from which an analysis is stale")
@output
@query_options
def flags(*, file: str | None, collection: str | None, out: Output, **question: Any) -> None:
    """List impossible and questionable records, with reasons.

    Reads FILE, standard input (-), or the --collection of the directory.

    \b
    Examples:
      dirframe flags projects.parquet
      dirframe flags projects.parquet --rule negative_lines -o flags.csv
      dirframe flags --collection projects --sample --max-age 2y
    """
    from dirframe.quality.flags import flags as flagged

    options = split(("rules", "max_age"), question)
    table = flagged(read_input(file, collection, question), **options)
    out.write(table, first=("id", "name", "rule", "evidence"))


@command()
@click.argument("before", metavar="BEFORE", type=click.Path())
@click.argument("after", metavar="AFTER", type=click.Path())
@plain_format
def compare(before: str, after: str, fmt: str) -> None:
    """Compare two files: new, removed and changed records.

    Both must hold the same kind of record.

    \b
    Example:
      dirframe compare january.parquet june.parquet
    """
    from dirframe.quality.compare import compare as differ

    if before == after == "-":
        raise click.UsageError("Standard input holds one table: name a file for the other.")
    _write(differ(read_input(before, None, {}), read_input(after, None, {})), fmt)


def _write(result: Summary | Comparison, fmt: str) -> None:
    if fmt == "text":
        click.echo(result)
        return
    import pandas as pd

    from dirframe.io.writers import write_json

    facts = {field.name: getattr(result, field.name) for field in fields(result)}
    for name, value in facts.items():
        if isinstance(value, pd.DataFrame):
            stream = io.StringIO()
            write_json(value, stream)
            facts[name] = json.loads(stream.getvalue())
    click.echo(json.dumps(facts, ensure_ascii=False))
