"""Commands to serve a directory and manage its API keys."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from click import argument, option

from dirframe._display import quantity
from dirframe.cli.commands import command, group
from dirframe.cli.options import FILE, Number
from dirframe.cli.terminal import note
from dirframe.service.keys import KeyStore, default_key_file

_ID = Number(1, 2**63 - 1)
_key_file_option = option(
    "--key-file",
    "keys",
    type=FILE,
    default=default_key_file,
    show_default="keys.sqlite in your data folder",
    help="File of the API keys.",
)


@command()
@argument("data", metavar="[DATA]...", nargs=-1, type=click.Path(path_type=Path))
@option("--name", help="Name of the site.")
@option("--description", metavar="TEXT", help="Sentence about the site, for the home page.")
@option("--contact", metavar="TEXT", help="Whom to ask for a key: URL, e-mail address or text.")
@option("--terms", metavar="TEXT", help="Further terms of use, or their URL.")
@option("--host", default="127.0.0.1", help="Address to listen on.")
@option("--port", type=Number(0, 65535), default=8080, help="Port to listen on.")
@_key_file_option
@option(
    "--trusted-proxy",
    metavar="ADDRESS",
    help="Proxy (address or network) whose X-Forwarded headers are trusted.",
)
@option("--accounts-csv", is_flag=True, help="Offer all accounts at once, as /accounts.csv.")
def serve(data: tuple[Path, ...], **options: Any) -> None:
    """Serve a directory until interrupted.

    DATA are files or folders of XML, or tables (.csv, .jsonl, .parquet) with columns named as in
    the data dictionary; without DATA, the sample. Requests for XML need an API key: `dirframe keys add`.

    \b
    Examples:
      dirframe serve --port 8080
      dirframe serve my-directory/ --host 0.0.0.0
      dirframe serve accounts.csv --name "People of Example" --contact ada@example.org
    """
    from dirframe.local_service import run

    given = {name: value for name, value in options.items() if value is not None}
    run(list(data) or None, **given)


@group()
def keys() -> None:
    """Manage the API keys of a directory that you serve.

    \b
    Examples:
      dirframe keys add --developer "Ada L." --application thesis
      dirframe keys list
      dirframe keys limit 2 5000
      dirframe keys revoke 3
    """


@keys.command("add")
@option("--developer", required=True, help="Developer of the application.")
@option("--application", required=True, help="Name of the application.")
@option("--beyond-limit", is_flag=True, help="Allow a developer more than five keys.")
@_key_file_option
def keys_add(keys: Path, developer: str, application: str, *, beyond_limit: bool) -> None:
    """Create a key and show it once."""
    with KeyStore(keys) as store:
        key = store.add(developer, application, beyond_limit=beyond_limit)
    note("Keep this key: only a hash of it is stored, it is not shown again.")
    click.echo(key)


@keys.command("list")
@_key_file_option
def keys_list(keys: Path) -> None:
    """List the applications, their limits, the requests of today and the last one."""
    with KeyStore(keys) as store:
        records = store.records()
    header = f"{'id':>4}  {'used':>6}  {'limit':>6}  {'made':10}  {'last used':16}  {'state':7}"
    click.echo(f"{header}  application")
    for record in map(dict, records):
        made = datetime.fromtimestamp(record["created_at"], UTC)
        last_used = "never"
        if record["last_used_at"] is not None:
            last_used = f"{datetime.fromtimestamp(record['last_used_at'], UTC):%Y-%m-%d %H:%M}"
        state = "live" if record["revoked_at"] is None else "revoked"
        numbers = "{id:>4}  {used:>6,}  {daily_limit:>6,}".format_map(record)
        name = "{application} ({developer})".format_map(record)
        click.echo(f"{numbers}  {made:%Y-%m-%d}  {last_used:16}  {state:7}  {name}")


@keys.command("revoke")
@argument("key_id", type=_ID, metavar="ID")
@_key_file_option
def keys_revoke(keys: Path, key_id: int) -> None:
    """Revoke a key by its id in the list."""
    with KeyStore(keys) as store:
        store.revoke(key_id)
    note(f"Key {key_id} is revoked.")


@keys.command("limit")
@argument("key_id", type=_ID, metavar="ID")
@argument("daily_limit", type=Number(1, 10**9), metavar="REQUESTS")
@_key_file_option
def keys_limit(keys: Path, key_id: int, daily_limit: int) -> None:
    """Set the number of requests per day of a key."""
    with KeyStore(keys) as store:
        store.set_daily_limit(key_id, daily_limit)
    note(f"Key {key_id} may make {quantity(daily_limit, 'request')} a day.")
