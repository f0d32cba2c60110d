"""Commands that ask a directory: collections and single records.

What stays out: everything that the commands call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from dirframe.cli import showing
from dirframe.cli.pricing import PRICED, say_price
from dirframe.cli.questions import ask, asking, collecting, collecting_accounts, open_directory

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["account", "accounts", "project", "projects"]


def _collection(
    collection: Literal["accounts", "projects"],
    *,
    price: bool,
    output: Path | None,
    overwrite: bool,
    form: str | None,
    **question: Any,
) -> None:
    showing.check(output, overwrite, form)
    if price:
        say_price(
            collection, form="text", **{name: question[name] for name in PRICED if name in question}
        )
        return
    showing.hand_over(ask(collection, **question), output, overwrite, form)


_price = click.option("--plan", "price", is_flag=True, help="Only say what the load will cost.")


@click.command()
@collecting_accounts
@_price
@showing.output
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
@collecting
@_price
@showing.output
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
@asking
@showing.output
def account(
    *,
    id_or_email: str,
    base_url: str | None,
    sample: bool,
    output: Path | None,
    overwrite: bool,
    form: str | None,
    **manner: Any,
) -> None:
    """Load one account by its id, login or e-mail address.

    Of an address only its MD5 digest is sent. Logins work where the directory resolves them.

    \b
    Examples:
      dirframe account 1 --sample
      dirframe account ada@example.org --sample
    """
    from dirframe.client.records import load_account

    showing.check(output, overwrite, form)
    with open_directory(base_url, sample) as directory:
        frame = load_account(id_or_email, directory=directory, **manner)
    showing.hand_over(frame, output, overwrite, form)


@click.command()
@click.argument("project_id", metavar="ID_OR_NAME")
@asking
@showing.output
def project(
    *,
    project_id: str,
    base_url: str | None,
    sample: bool,
    output: Path | None,
    overwrite: bool,
    form: str | None,
    **manner: Any,
) -> None:
    """Load one project by its id or short name.

    Short names work where the directory resolves them.

    \b
    Example:
      dirframe project 1 --sample
    """
    from dirframe.client.records import load_project

    showing.check(output, overwrite, form)
    with open_directory(base_url, sample) as directory:
        frame = load_project(project_id, directory=directory, **manner)
    showing.hand_over(frame, output, overwrite, form)
