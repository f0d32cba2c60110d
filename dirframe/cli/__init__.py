"""The command line: data on standard output, messages on standard error; no command takes a key."""

from __future__ import annotations

import io
import os
import sys
import warnings
from typing import NoReturn

import click

from dirframe import __version__, errors
from dirframe._printable import printable
from dirframe.cli import analyze, load, serve
from dirframe.cli.commands import group
from dirframe.cli.terminal import for_stream, note

#: Exit codes by exception, the most specific first; 0 is success, 2 a usage error.
EXIT_CODES: dict[type[Exception], int] = {
    errors.MissingExtraError: 10,
    errors.ConfigurationError: 3,
    errors.InvalidKeyError: 3,
    errors.QuotaExceededError: 4,
    errors.NotFoundError: 6,
    errors.RequestError: 5,
    errors.UnreadableResponseError: 5,
    errors.IncompleteCollectionError: 7,
    errors.CacheError: 8,
    errors.ArchiveError: 9,
    errors.InvalidInputError: 2,
    errors.DirframeError: 1,
}

_EPILOG = """\b
Exit codes:
    0  done
    1  another error
    2  wrong use: a command, an option or a file
    3  no key, or one that is not accepted
    4  the quota of the day is used up, or --yes is missing
    5  the directory cannot be reached, or fails
    6  there is no such record
    7  a collection could not be proven complete
    8  offline, and not in the cache
    9  an archive is damaged or in use
   10  a package that the command needs is missing
  130  interrupted by Ctrl-C (serve: 0)

Completion: eval "$(_DIRFRAME_COMPLETE=bash_source dirframe)"
"""


def main() -> NoReturn:
    """Run the command line and leave the process with a documented exit code."""
    # Streams that the caller closed; this stdout refuses a table, which would be lost in silence.
    for name, access in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(os.open(os.devnull, access), mode, encoding="utf-8"))
    warnings.formatwarning = _format_warning
    if isinstance(sys.stdout, io.TextIOWrapper):
        if isinstance(sys.stdout.buffer, io.RawIOBase):
            # Unbuffered, as in many containers, Python ignores that a disk or a pipe took only a part.
            descriptor, encoding = sys.stdout.fileno(), sys.stdout.encoding
            sys.stdout = os.fdopen(descriptor, "w", encoding=encoding, closefd=False)
        # Output is UTF-8 whatever the locale; terminals replace what they cannot show.
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="replace")
        else:
            sys.stdout.reconfigure(encoding="utf-8")
    try:
        code = cli.main(standalone_mode=False) or 0
        sys.stdout.flush()
    except errors.DirframeError as error:
        note(f"dirframe: {printable(str(error))}")
        code = next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        click.echo(for_stream(shown.getvalue(), is_error=True), err=True, nl=False)
        code = error.exit_code
    except SystemExit:  # of click: the reader of standard output has closed it, as `head` does
        code = 0
    except (KeyboardInterrupt, click.Abort):
        click.echo("dirframe: stopped.", err=True)
        code = 130
    except OSError as error:
        about = f"{error.filename}: " if error.filename else ""
        note(printable(f"dirframe: {about}{error.strerror or error}."))
        # What could not be written would fail once more at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)


@group(
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, prog_name="dirframe")
def cli() -> None:
    """Turn an open source directory into tables and charts, or serve one.

    Start with `dirframe demo`. For a real directory set DIRFRAME_BASE_URL and
    DIRFRAME_API_KEY; every command that queries a directory also takes --demo.

    FILE is a table, an archive, or recorded XML; - is standard input. Tables go to a terminal
    aligned, elsewhere as CSV. Commands compose:

    \b
      dirframe projects -o projects.parquet
      dirframe stats language_share projects.parquet
      dirframe plot language_share projects.parquet -o languages.png
    """


_COMMANDS = [
    load.demo,
    load.projects,
    load.accounts,
    load.load,
    load.check,
    load.quota,
    load.cache,
    load.harvest,
    load.status,
    serve.serve,
    serve.keys,
    analyze.stats,
    analyze.plot,
    analyze.clean,
    analyze.summary,
    analyze.flags,
    analyze.compare,
    analyze.report,
    analyze.export,
    analyze.cite,
]
for _command in _COMMANDS:
    cli.add_command(_command)


def _format_warning(message: Warning | str, *_: object, **__: object) -> str:
    return for_stream(f"dirframe: {printable(str(message))}", is_error=True) + "\n"
