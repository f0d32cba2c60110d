"""Load records with the options of a command; commands that load or read recorded pages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from dirframe.cli.frame_output import Output, output
from dirframe.cli.options import (
    client_options,
    command,
    document_options,
    draw_options,
    drawn,
    given_options,
    open_directory,
    plain_query_options,
    query_options,
)
from dirframe.cli.quota import ESTIMATE_OPTIONS, echo_estimate
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

file_argument = click.argument("file", required=False, metavar="[FILE]", type=click.Path())


def load_records(
    collection: str, *, base_url: str | None, sample: bool, path: str = "", **question: Any
) -> pd.DataFrame:
    """Load a collection with the options of a command."""
    import dirframe

    details, sampling = question.pop("details", False), drawn(question)
    if collection == "projects":
        question["details"] = details
    elif details:
        raise click.UsageError(f"--details is about projects; {collection} have no own pages.")
    load: Callable[..., pd.DataFrame] = (
        partial(dirframe.load, path)
        if collection == "load"
        else getattr(dirframe, f"load_{collection}")
    )
    with open_directory(base_url, sample) as directory:
        return load(directory=directory, **question, **sampling)


def read_input(file: str | None, collection: str | None, question: dict[str, Any]) -> pd.DataFrame:
    """Read the file, or load the collection from the directory if there is no file."""
    if file is not None:
        if given := given_options(question):
            raise click.UsageError(
                f"{' and '.join(given)} {'asks' if len(given) == 1 else 'ask'} a directory, and "
                f"{file} is a file: leave one of the two out."
            )
        from dirframe.cli.frame_input import read_table

        return read_table(file)
    if collection is None:
        raise click.UsageError("Name a file, or a collection to ask for: --collection projects.")
    if "project" in question and not question["project"]:
        raise click.UsageError(f"Name a file of {collection}, or a project: --project ID.")
    return load_records(collection, **question)


def _collection(
    collection: str, *, out: Output, price: bool = False, path: str = "", **question: Any
) -> None:
    if price:
        options = {name: question[name] for name in ESTIMATE_OPTIONS if name in question}
        echo_estimate(path or collection, fmt="text", **options)
        return
    known = next((r for r in ALL_RESOURCES.values() if r.collection == collection), None)
    if known is not None:
        out.check_columns(known.by_column)
    out.write(load_records(collection, path=path, **question))


def _record(
    load_one: Callable[..., pd.DataFrame],
    identifier: str,
    *,
    out: Output,
    base_url: str | None,
    sample: bool,
    **policy: Any,
) -> None:
    with open_directory(base_url, sample) as directory:
        frame = load_one(identifier, directory=directory, **policy)
    out.write(frame)


_price = click.option("--plan", "price", is_flag=True, help="Only estimate the cost of the load.")


@command()
@plain_query_options
@draw_options
@_price
@output
def accounts(**options: Any) -> None:
    """Load accounts and write them as a table.

    \b
    Examples:
      dirframe accounts --sample --max-items 100
      dirframe accounts --query ada --format jsonl
      dirframe accounts --query ada -o accounts.parquet
    """
    _collection("accounts", **options)


@command()
@query_options
@_price
@output
def projects(**options: Any) -> None:
    """Load projects and write them as a table.

    \b
    Examples:
      dirframe projects --sample --sort stack_count_reverse --max-items 20
      dirframe projects --plan
      dirframe projects -o projects.parquet
      dirframe projects --query firefox --details --plan
      dirframe projects --query parser -o parsers.csv
      dirframe projects --sample-size 30 --seed 7 -o drawn.parquet
    """
    _collection("projects", **options)


@command()
@click.argument("id_or_email", metavar="ID_OR_NAME_OR_EMAIL")
@client_options
@output
def account(*, id_or_email: str, **options: Any) -> None:
    """Load one account by its id, login or e-mail address.

    Only the MD5 digest of an address is sent. Logins work if the directory supports them.

    \b
    Examples:
      dirframe account 1 --sample
      dirframe account ada@example.org --sample
    """
    from dirframe.client.single import load_account

    _record(load_account, id_or_email, **options)


@command()
@click.argument("project_id", metavar="ID_OR_NAME")
@client_options
@output
def project(*, project_id: str, **options: Any) -> None:
    """Load one project by its id or short name.

    Short names work if the directory supports them.

    \b
    Example:
      dirframe project 1 --sample
    """
    from dirframe.client.single import load_project

    _record(load_project, project_id, **options)


@command()
@plain_query_options
@_price
@output
def languages(**options: Any) -> None:
    """Load the languages of the directory.

    Not part of the specification: some directories do not have them.

    \b
    Examples:
      dirframe languages --sort code --max-items 20
      dirframe languages -o languages.parquet
    """
    _collection("languages", **options)


@command()
@click.argument("project", metavar="PROJECT")
@plain_query_options
@_price
@output
def contributors(**options: Any) -> None:
    """Load the contributors of a project.

    PROJECT is its id, or its short name in addresses. No part of the specification: a
    directory can be without them.

    \b
    Examples:
      dirframe contributors 1 --plan
      dirframe contributors 1 -o contributors.parquet
    """
    from dirframe.client.query import path_of
    from dirframe.schema.extensions import CONTRIBUTOR_FACT

    path = path_of(CONTRIBUTOR_FACT.paths[0], project=options["project"])
    _collection("contributors", path=path, **options)


@command()
@click.argument("project", metavar="PROJECT")
@document_options
@output
def activity(**options: Any) -> None:
    """Load commits, contributors and lines of a project by month.

    PROJECT is its id, or its short name in addresses. No part of the specification: a
    directory can be without them.

    \b
    Example:
      dirframe activity 1 -o activity.parquet
    """
    _collection("activity", **options)


@command()
@click.argument("project", metavar="PROJECT")
@document_options
@output
def size(**options: Any) -> None:
    """Load the size of a project's source code by month.

    PROJECT is its id, or its short name in addresses. No part of the specification: a
    directory can be without them.

    \b
    Example:
      dirframe size 1 --format jsonl
    """
    _collection("size", **options)


@command()
@click.argument("address", metavar="PATH")
@plain_query_options
@_price
@output
def load(*, address: str, price: bool, out: Output, **question: Any) -> None:
    """Load the records at any path below the base URL.

    PATH ends in .xml; the element name determines the kind of record.

    \b
    Examples:
      dirframe load /accounts.xml --sample --max-items 30
      dirframe load /languages.xml -o languages.parquet
      dirframe load /projects/1/contributors.xml --plan
    """
    _collection("load", path=address, price=price, out=out, **question)


@command()
@click.argument("files", metavar="FILES...", nargs=-1, required=True, type=click.Path())
@click.option(
    "--resource",
    metavar="RECORD",
    help="Kind of record: account, project, language and so on. Default: that of the first one.",
)
@click.option(
    "--max-bytes",
    metavar="N",
    type=click.IntRange(1),
    help="Maximum size of a document, uncompressed. Default: 67108864 (64 MiB).",
)
@output
def read(*, files: tuple[str, ...], resource: str | None, out: Output, **options: Any) -> None:
    """Read recorded XML pages, an archive or a file of records as a table.

    FILES are XML files, plain or compressed, or folders of them; or an archive of dirframe harvest;
    or a file that dirframe wrote with -o.

    \b
    Examples:
      dirframe read pages/ -o projects.parquet
      dirframe read page-1.xml.gz page-2.xml.gz --format jsonl
      dirframe read large.xml --max-bytes 500000000 -o projects.parquet
      dirframe read kept.archive -o projects.parquet
    """
    from dirframe.cli.frame_input import archive_of, holds_table, read_table
    from dirframe.client.read_pages import read_pages

    given = {name: value for name, value in options.items() if value is not None}
    source = files[0] if len(files) == 1 else files
    if tables := [file for file in files if holds_table(file)]:
        if len(files) > 1 or resource or given:
            raise click.UsageError(
                f"{tables[0]} is a table: read it alone, without --resource and --max-bytes, "
                "which are about XML."
            )
        out.write(read_table(files[0]))
        return
    if archives := [(file, found) for file in files if (found := archive_of(file))]:
        file, archive = archives[0]
        if len(files) > 1 or resource or given:
            raise click.UsageError(
                f"{file} is an archive: read it alone, without --resource and --max-bytes, which are "
                "about XML."
            )
        out.write(archive.frame())
        return
    out.write(read_pages(source, resource=resource, **given))
