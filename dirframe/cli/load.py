"""Commands that load from a directory: collections, single records, and other paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from dirframe.cli import frame_output
from dirframe.cli.options import (
    ask,
    client_options,
    collecting_plain,
    documents,
    open_directory,
    query_options,
)
from dirframe.cli.quota import ESTIMATE_OPTIONS, echo_estimate

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["account", "accounts", "activity", "contributors", "languages", "load"]
__all__ += ["project", "projects", "size"]


def _collection(
    collection: Literal["accounts", "projects", "languages", "contributors"],
    *,
    price: bool,
    output: Path | None,
    overwrite: bool,
    fmt: str | None,
    **question: Any,
) -> None:
    frame_output.check_output(output, overwrite, fmt)
    if price:
        path: str = collection
        if collection == "contributors":
            from dirframe.client.addresses import path_of
            from dirframe.schema.extensions import CONTRIBUTOR_FACT

            path = path_of(CONTRIBUTOR_FACT.paths[0], project=question["project"])
        options = {name: question[name] for name in ESTIMATE_OPTIONS if name in question}
        echo_estimate(path, fmt="text", **options)
        return
    frame_output.write_frame(ask(collection, **question), output, overwrite, fmt)


_price = click.option("--plan", "price", is_flag=True, help="Only say what the load will cost.")


@click.command()
@collecting_plain
@_price
@frame_output.output
def accounts(**options: Any) -> None:
    """Load accounts and write them as a table.

    \b
    Examples:
      dirframe accounts --sample --max-items 100
      dirframe accounts --query ada --format jsonl
      dirframe accounts --query ada -o accounts.parquet
    """
    _collection("accounts", **options)


@click.command()
@query_options
@_price
@frame_output.output
def projects(**options: Any) -> None:
    """Load projects and write them as a table.

    \b
    Examples:
      dirframe projects --sample --sort stack_count_reverse --max-items 20
      dirframe projects --plan
      dirframe projects -o projects.parquet
      dirframe projects --query firefox --details --plan
      dirframe projects --query parser -o parsers.csv
    """
    _collection("projects", **options)


@click.command()
@click.argument("id_or_email", metavar="ID_OR_NAME_OR_EMAIL")
@client_options
@frame_output.output
def account(
    *,
    id_or_email: str,
    base_url: str | None,
    sample: bool,
    output: Path | None,
    overwrite: bool,
    fmt: str | None,
    **policy: Any,
) -> None:
    """Load one account by its id, login or e-mail address.

    Of an address only its MD5 digest is sent. Logins work where the directory resolves them.

    \b
    Examples:
      dirframe account 1 --sample
      dirframe account ada@example.org --sample
    """
    from dirframe.client.records import load_account

    frame_output.check_output(output, overwrite, fmt)
    with open_directory(base_url, sample) as directory:
        frame = load_account(id_or_email, directory=directory, **policy)
    frame_output.write_frame(frame, output, overwrite, fmt)


@click.command()
@click.argument("project_id", metavar="ID_OR_NAME")
@client_options
@frame_output.output
def project(
    *,
    project_id: str,
    base_url: str | None,
    sample: bool,
    output: Path | None,
    overwrite: bool,
    fmt: str | None,
    **policy: Any,
) -> None:
    """Load one project by its id or short name.

    Short names work where the directory resolves them.

    \b
    Example:
      dirframe project 1 --sample
    """
    from dirframe.client.records import load_project

    frame_output.check_output(output, overwrite, fmt)
    with open_directory(base_url, sample) as directory:
        frame = load_project(project_id, directory=directory, **policy)
    frame_output.write_frame(frame, output, overwrite, fmt)


@click.command()
@collecting_plain
@_price
@frame_output.output
def languages(**options: Any) -> None:
    """Load the languages that the directory counts.

    No part of the specification: a directory can be without them.

    \b
    Examples:
      dirframe languages --sort code --max-items 20
      dirframe languages -o languages.parquet
    """
    _collection("languages", **options)


@click.command()
@click.argument("project", metavar="PROJECT")
@collecting_plain
@_price
@frame_output.output
def contributors(**options: Any) -> None:
    """Load the people who committed to a project.

    PROJECT is its id, or its short name in addresses. No part of the specification: a
    directory can be without them.

    \b
    Examples:
      dirframe contributors 1 --plan
      dirframe contributors 1 -o contributors.parquet
    """
    _collection("contributors", **options)


@click.command()
@click.argument("project", metavar="PROJECT")
@documents
@frame_output.output
def activity(**options: Any) -> None:
    """Load commits, contributors and lines of a project by month.

    PROJECT is its id, or its short name in addresses. No part of the specification: a
    directory can be without them.

    \b
    Example:
      dirframe activity 1 -o activity.parquet
    """
    _document("activity", **options)


@click.command()
@click.argument("project", metavar="PROJECT")
@documents
@frame_output.output
def size(**options: Any) -> None:
    """Load the size of a project's source code by month.

    PROJECT is its id, or its short name in addresses. No part of the specification: a
    directory can be without them.

    \b
    Example:
      dirframe size 1 --format jsonl
    """
    _document("size", **options)


def _document(
    collection: Literal["activity", "size"],
    *,
    output: Path | None,
    overwrite: bool,
    fmt: str | None,
    **question: Any,
) -> None:
    frame_output.check_output(output, overwrite, fmt)
    frame_output.write_frame(ask(collection, **question), output, overwrite, fmt)


@click.command()
@click.argument("path", metavar="PATH")
@collecting_plain
@_price
@frame_output.output
def load(
    *,
    path: str,
    price: bool,
    base_url: str | None,
    sample: bool,
    output: Path | None,
    overwrite: bool,
    fmt: str | None,
    **question: Any,
) -> None:
    """Load whatever is at an address below the base URL.

    PATH ends in .xml; the records' element says what they are.

    \b
    Examples:
      dirframe load /accounts.xml --sample --max-items 30
      dirframe load /languages.xml -o languages.parquet
      dirframe load /projects/1/contributors.xml --plan
    """
    from dirframe.client.load import load as load_path

    frame_output.check_output(output, overwrite, fmt)
    if price:
        options = question | {"base_url": base_url, "sample": sample}
        estimate_options = {name: options[name] for name in ESTIMATE_OPTIONS if name in options}
        echo_estimate(path, fmt="text", **estimate_options)
        return
    with open_directory(base_url, sample) as directory:
        frame = load_path(path, directory=directory, **question)
    frame_output.write_frame(frame, output, overwrite, fmt)
