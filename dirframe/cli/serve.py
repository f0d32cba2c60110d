"""Commands to serve a directory, manage its API keys, and generate data."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dirframe.cli.options import command, group

if TYPE_CHECKING:
    from collections.abc import Iterator

key_file_option = click.option(
    "--key-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the API keys. Default: the one in your data folder.",
)


@command()
@click.option(
    "--data",
    multiple=True,
    envvar="DIRFRAME_DATA",
    help="XML (a file or folder), a table (.csv, .jsonl, .parquet), the address of a database, or "
    "a store built before; may be repeated. Default: what the map names, or the sample.",
)
@click.option(
    "--map",
    "mapping",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="TOML file that maps columns of tables to fields.",
)
@click.option("--check", is_flag=True, help="Only check the data and report what is invalid.")
@click.option("--skip-invalid", is_flag=True, help="Skip invalid rows and report their number.")
@click.option(
    "--watch",
    type=click.FloatRange(0.1),
    metavar="SECONDS",
    help="Interval at which to check for changed data; SIGHUP checks at once.",
)
@click.option("--name", help="Name of the site.")
@click.option(
    "--metrics",
    metavar="PATH|HOST:PORT",
    help="Publish metrics for Prometheus, at a path of the service or on a separate port.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True)
@key_file_option
@click.option(
    "--page-rate",
    type=click.IntRange(0),
    default=60,
    show_default=True,
    help="Maximum number of HTML pages per minute and client address; 0: no limit.",
)
@click.option(
    "--trusted-proxy",
    metavar="ADDRESS",
    help="Proxy (address or network) whose X-Forwarded headers are trusted.",
)
@click.option(
    "--dialect",
    type=click.Choice(["specification", "recorded", "today"]),
    default="specification",
    show_default=True,
    help="Dialect of the XML: as specified, as recorded 2008-2013, or as the live service sends it.",
)
@click.option(
    "--states",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="With --dialect today: TOML file of maintenance and of deleted or disabled records.",
)
def serve(
    data: tuple[str, ...], mapping: Path | None, check: bool, key_file: Path | None, **options: Any
) -> None:
    """Serve a directory until interrupted.

    Serves the interface as XML and JSON, and the same data as HTML pages.

    Requests need an API key: create one with `dirframe keys add`.

    \b
    Examples:
      dirframe serve --port 8080
      dirframe serve --data my-directory/ --host 0.0.0.0
      dirframe serve --data people.csv --map map.toml --name "People of Example"
      dirframe serve --data people.csv --map map.toml --check
      dirframe serve --dialect today --states states.toml
      dirframe serve --trusted-proxy 127.0.0.1 --page-rate 30
    """
    source = data[0] if len(data) == 1 else data or None
    if check:
        _check(source, mapping)
        return
    with _hangup_ignored():
        from dirframe.service.foreground import run

        given = {name: value for name, value in options.items() if value is not None}
        run(source, mapping=mapping, keys=key_file, **given)


@contextmanager
def _hangup_ignored() -> Iterator[None]:
    """Ignore SIGHUP until the service obeys it: what it asks for, to read the data, is ahead."""
    if not hasattr(signal, "SIGHUP"):
        yield
        return
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, previous)


def _check(data: str | tuple[str, ...] | None, mapping: Path | None) -> None:
    from dirframe.service.importing.sources import check_data

    if data is None and mapping is None:
        raise click.UsageError("Name the data to check: --data, or --map.")
    reports = check_data(data or (), mapping=mapping)
    for report in reports:
        click.echo(str(report))
    if any(report.invalid for report in reports):
        raise click.exceptions.Exit(1)


@group()
def keys() -> None:
    """Manage the API keys of a directory that you serve."""


@keys.command("add")
@click.option("--developer", required=True, help="Developer of the application.")
@click.option("--application", required=True, help="Name of the application.")
@key_file_option
def keys_add(key_file: Path | None, developer: str, application: str) -> None:
    """Create a key and show it once.

    \b
    Example:
      dirframe keys add --developer "Ada L." --application thesis
    """
    from dirframe.service.api_keys import KeyStore

    with KeyStore(key_file) as store:
        key = store.add(developer, application)
    click.echo("Keep this key: only a hash of it is stored, it is not shown again.", err=True)
    click.echo(key)


@keys.command("list")
@key_file_option
def keys_list(key_file: Path | None) -> None:
    """List the applications, their limits and the requests of today.

    \b
    Example:
      dirframe keys list
    """
    from datetime import UTC, datetime

    from dirframe.service.api_keys import KeyStore

    with KeyStore(key_file) as store:
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
@key_file_option
def keys_revoke(key_file: Path | None, key_id: int) -> None:
    """Revoke a key by its id in the list.

    \b
    Example:
      dirframe keys revoke 3
    """
    from dirframe.service.api_keys import KeyStore

    with KeyStore(key_file) as store:
        store.revoke(key_id)
    click.echo(f"Key {key_id} is revoked.", err=True)


@keys.command("limit")
@click.argument("key_id", type=int, metavar="ID")
@click.argument("daily_limit", type=click.IntRange(1), metavar="REQUESTS")
@key_file_option
def keys_limit(key_file: Path | None, key_id: int, daily_limit: int) -> None:
    """Set the number of requests per day of a key.

    \b
    Example:
      dirframe keys limit 3 5000
    """
    from dirframe.service.api_keys import KeyStore

    with KeyStore(key_file) as store:
        store.set_daily_limit(key_id, daily_limit)
    click.echo(f"Key {key_id} may make {daily_limit:,} requests a day.", err=True)


@command()
@click.argument(
    "folder", type=click.Path(file_okay=False, path_type=Path), default=Path("dirframe-data")
)
@click.option("--accounts", type=click.IntRange(0), default=2000)
@click.option("--projects", type=click.IntRange(0), default=1500)
@click.option("--seed", type=int, help="Random seed. Default: that of the bundled sample.")
@click.option("--overwrite", is_flag=True, help="Replace existing files.")
def generate(folder: Path, seed: int | None, **options: Any) -> None:
    """Generate a synthetic directory of any size, as XML.

    Writes to FOLDER. Default: dirframe-data.

    \b
    Examples:
      dirframe generate --accounts 2000 --projects 1500
      dirframe generate my-directory --accounts 20000 --projects 10000
    """
    from dirframe.service.synthetic.generate import SEED
    from dirframe.service.synthetic.generate import generate as write

    for file in write(folder, seed=SEED if seed is None else seed, **options):
        click.echo(f"Wrote {file}", err=True)
