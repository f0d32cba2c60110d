"""The command line: parse and call.

Frames go to standard output as CSV, or to a file; progress and messages go to standard error.
A key is never taken from the command line, where other people and shell histories see it: set
DIRFRAME_API_KEY or use the keyring.

What stays out: everything that the commands call. Modules are imported inside the commands,
so that ``dirframe --help`` stays quick.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import NoReturn

import click

from dirframe import __version__
from dirframe.cli.archiving import bundle, harvest, status
from dirframe.cli.asking import account, accounts, project, projects
from dirframe.cli.keeping import cache
from dirframe.cli.serving import generate, keys, serve
from dirframe.errors import (
    ArchiveError,
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
    ArchiveError: 9,
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
                    9 an archive is damaged or in use
"""


def main() -> NoReturn:
    """Run the command line and leave the process with a documented exit code."""
    import warnings

    warnings.formatwarning = lambda message, *_: f"dirframe: {message}\n"
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Tables are UTF-8 whatever the locale; a terminal shows what it can.
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="replace")
        else:
            sys.stdout.reconfigure(encoding="utf-8")
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
    except OSError as error:
        click.echo(f"dirframe: {error}", err=True)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


@click.group(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dirframe")
def cli() -> None:
    """Turn an open source directory into tables and charts, or serve one.

    Begin with `dirframe demo`. For a real directory set DIRFRAME_BASE_URL and
    DIRFRAME_API_KEY; every command that asks a directory also takes --sample.
    """


@click.command()
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


for command in (
    accounts,
    account,
    projects,
    project,
    demo,
    cache,
    serve,
    keys,
    generate,
    harvest,
    status,
    bundle,
):
    cli.add_command(command)
