"""The command line: parse and call.

Frames go to standard output as CSV, or to a file; progress and messages go to standard error.
A key is never taken from the command line, where other people and shell histories see it: set
DIRFRAME_API_KEY or use the keyring.

What stays out: everything that the commands call. Modules are imported inside the commands,
so that ``dirframe --help`` stays quick.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import click

from dirframe import __version__
from dirframe.errors import (
    CacheError,
    ConfigurationError,
    DirframeError,
    IncompleteCollectionError,
    InvalidInputError,
    InvalidKeyError,
    NotFoundError,
    QuotaExceededError,
    RequestError,
    UnreadableResponseError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dirframe.client.directory import Directory

__all__ = ["EXIT_CODES", "main"]

#: What the exit codes mean, the most particular error first; 0 is success, 2 a wrong call.
EXIT_CODES: dict[type[DirframeError], int] = {
    ConfigurationError: 3,
    InvalidKeyError: 3,
    QuotaExceededError: 4,
    NotFoundError: 6,
    RequestError: 5,
    UnreadableResponseError: 5,
    IncompleteCollectionError: 7,
    CacheError: 8,
    InvalidInputError: 2,
    DirframeError: 1,
}

_EPILOG = """\b
Exit codes:
  0 done            4 the day's allowance is used up
  1 other errors    5 the directory cannot be reached or fails
  2 a wrong call    6 there is no such record
  3 no or bad key   7 a collection could not be proven complete
                    8 offline, and not in the cache
"""


def main() -> NoReturn:
    """Run the command line and leave the process with a documented exit code."""
    import warnings

    warnings.formatwarning = lambda message, *_: f"dirframe: {message}\n"
    try:
        code = cli.main(standalone_mode=False)
    except DirframeError as error:
        click.echo(f"dirframe: {error}", err=True)
        code = next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("dirframe: stopped; what was loaded is in the cache.", err=True)
        code = 130
    except BrokenPipeError:
        # The reader of the pipe has seen enough; Python would complain once more at exit.
        sys.stderr.close()
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


@click.group(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dirframe")
def cli() -> None:
    """Turn an open source directory into tables and charts, or serve one.

    Begin with `dirframe demo`. For a real directory set DIRFRAME_BASE_URL and
    DIRFRAME_API_KEY; every command that asks a directory also takes --sample.
    """


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


def _directory(base_url: str | None, sample: bool) -> Directory:
    if sample:
        if base_url:
            raise click.UsageError("--sample and --base-url exclude one another.")
        from dirframe.sample import sample_directory

        return sample_directory()
    from dirframe.client.directory import Directory

    return Directory(base_url)


def _hand_over(frame: pd.DataFrame, output: Path | None, overwrite: bool) -> None:
    from dirframe.export import export, write_csv
    from dirframe.provenance import caption

    if output is None:
        write_csv(frame, sys.stdout)
        sys.stdout.flush()
    else:
        click.echo(f"Wrote {export(frame, output, overwrite=overwrite)}", err=True)
    click.echo(caption(frame), err=True)


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

    with _directory(base_url, sample) as directory:
        if price:
            asked = {name: question[name] for name in ("query", "sort", "max_items", "refresh")}
            click.echo(plan(collection, directory=directory, **asked))
            return
        load = load_accounts if collection == "accounts" else load_projects
        _hand_over(load(directory=directory, **question), output, overwrite)


@cli.command()
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


@cli.command()
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


@cli.command()
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

    with _directory(base_url, sample) as directory:
        _hand_over(load_account(id_or_email, directory=directory, **manner), output, overwrite)


@cli.command()
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

    with _directory(base_url, sample) as directory:
        _hand_over(load_project(project_id, directory=directory, **manner), output, overwrite)


@cli.group()
def cache() -> None:
    """Look after the cache of fetched pages."""


@cache.command("info")
def show_cache_info() -> None:
    """Say where the cache is, how big and how old it is.

    \b
    Example:
      dirframe cache info
    """
    from dirframe.client.upkeep import cache_info

    click.echo(cache_info())


@cache.command("clear")
def clear() -> None:
    """Remove every page from the cache.

    \b
    Example:
      dirframe cache clear
    """
    from dirframe.client.upkeep import clear_cache

    click.echo(f"Removed {clear_cache():,} pages.", err=True)


@cache.command("prune")
@click.option("--older-than", type=click.FloatRange(0), required=True, metavar="DAYS")
def prune(older_than: float) -> None:
    """Remove the pages that are older than so many days.

    \b
    Example:
      dirframe cache prune --older-than 30
    """
    from datetime import timedelta

    from dirframe.client.upkeep import prune_cache

    click.echo(f"Removed {prune_cache(timedelta(days=older_than)):,} pages.", err=True)


@cli.command()
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("dirframe-demo"),
    show_default=True,
    help="Folder for the tables and charts.",
)
def demo(folder: Path) -> None:
    """Write tables and charts of the sample directory.

    Loads all of it over HTTP, cleans it, and says what it took.

    \b
    Example:
      dirframe demo -o first-look
    """
    from dirframe.demo import run_demo

    run_demo(folder, say=click.echo)


@cli.command()
@click.option(
    "--data",
    type=click.Path(exists=True, path_type=Path),
    help="XML files (a file or folder) or a store built before. Left out: the sample.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True)
@click.option("--keys", type=click.Path(dir_okay=False, path_type=Path), help="File of the keys.")
def serve(data: Path | None, host: str, port: int, keys: Path | None) -> None:
    """Serve a directory until interrupted.

    Answers the XML interface and shows the same as pages.

    Requests need a key: make one with `dirframe keys add`.

    \b
    Examples:
      dirframe serve --port 8080
      dirframe serve --data my-directory/ --host 0.0.0.0
    """
    from dirframe.service.server import run

    run(data, host=host, port=port, keys=keys)


@cli.group()
@click.option("--file", type=click.Path(dir_okay=False, path_type=Path), help="File of the keys.")
@click.pass_context
def keys(context: click.Context, file: Path | None) -> None:
    """Manage the API keys of a directory that you serve."""
    context.obj = file


@keys.command("add")
@click.option("--developer", required=True, help="Who answers for the application.")
@click.option("--application", required=True, help="What the key is for.")
@click.pass_obj
def keys_add(file: Path | None, developer: str, application: str) -> None:
    """Make a key and show it, once.

    \b
    Example:
      dirframe keys add --developer "Ada L." --application thesis
    """
    from dirframe.service.keys import KeyStore

    with KeyStore(file) as store:
        key = store.add(developer, application)
    click.echo("Keep this key: only a hash of it is stored, it is not shown again.", err=True)
    click.echo(key)


@keys.command("list")
@click.pass_obj
def keys_list(file: Path | None) -> None:
    """List the applications, their limits and what they used today.

    \b
    Example:
      dirframe keys list
    """
    from datetime import UTC, datetime

    from dirframe.service.keys import KeyStore

    with KeyStore(file) as store:
        records = store.list()
    click.echo(f"{'id':>4}  {'used':>6}  {'limit':>6}  {'made':10}  {'state':8}  application")
    for record in records:
        made = datetime.fromtimestamp(record.created_at, UTC)
        state = "live" if record.revoked_at is None else "revoked"
        click.echo(
            f"{record.id:>4}  {record.used:>6,}  {record.daily_limit:>6,}  {made:%Y-%m-%d}  "
            f"{state:8}  {record.application} ({record.developer})"
        )


@keys.command("revoke")
@click.argument("key_id", type=int, metavar="ID")
@click.pass_obj
def keys_revoke(file: Path | None, key_id: int) -> None:
    """Revoke a key by its id in the list.

    \b
    Example:
      dirframe keys revoke 3
    """
    from dirframe.service.keys import KeyStore

    with KeyStore(file) as store:
        store.revoke(key_id)
    click.echo(f"Key {key_id} is revoked.", err=True)


@keys.command("limit")
@click.argument("key_id", type=int, metavar="ID")
@click.argument("daily_limit", type=click.IntRange(1), metavar="REQUESTS")
@click.pass_obj
def keys_limit(file: Path | None, key_id: int, daily_limit: int) -> None:
    """Set how many requests a day one key may make.

    \b
    Example:
      dirframe keys limit 3 5000
    """
    from dirframe.service.keys import KeyStore

    with KeyStore(file) as store:
        store.set_daily_limit(key_id, daily_limit)
    click.echo(f"Key {key_id} may make {daily_limit:,} requests a day.", err=True)


@cli.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--accounts", "account_count", type=click.IntRange(0), default=2000)
@click.option("--projects", "project_count", type=click.IntRange(0), default=1500)
@click.option("--seed", type=int, default=None, help="Left out: that of the bundled sample.")
@click.option("--overwrite", is_flag=True, help="Replace existing files.")
def generate(
    folder: Path, account_count: int, project_count: int, seed: int | None, overwrite: bool
) -> None:
    """Generate a synthetic directory of any size, as XML.

    \b
    Example:
      dirframe generate my-directory --accounts 100000 --projects 50000
    """
    from dirframe.service.generate import SEED
    from dirframe.service.generate import generate as write

    files = write(
        folder,
        accounts=account_count,
        projects=project_count,
        seed=SEED if seed is None else seed,
        overwrite=overwrite,
    )
    for file in files:
        click.echo(f"Wrote {file}", err=True)
