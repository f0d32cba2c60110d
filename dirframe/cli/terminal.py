"""Text on standard output and standard error: on a terminal wrapped at words."""

from __future__ import annotations

import shutil
import sys

import click

from dirframe import _display
from dirframe._printable import printable_lines


def show(text: object) -> None:
    """Write a text to standard output, wrapped on a terminal."""
    _echo(str(text), is_error=False)


def note(text: object) -> None:
    """Write a note to standard error, wrapped on a terminal."""
    _echo(str(text), is_error=True)


def for_stream(text: str, *, is_error: bool) -> str:
    """Return a text without signs that a terminal acts on, wrapped if the stream is a terminal."""
    text = printable_lines(text)
    stream = sys.stderr if is_error else sys.stdout
    if not stream.isatty():
        return text
    width = terminal_width()
    return "\n".join(_wrapped(line, width) for line in text.split("\n"))


def _echo(text: str, *, is_error: bool) -> None:
    click.echo(for_stream(text, is_error=is_error), err=is_error)


def terminal_width() -> int:
    """Return the number of columns of the terminal."""
    return shutil.get_terminal_size().columns


def _wrapped(line: str, width: int) -> str:
    """Return a line that is wrapped at words; a longer word, such as an address, stays whole."""
    if _display.width_of(line) <= width:
        return line
    from wcwidth import wrap

    indent = " " * (len(line) - len(line.lstrip(" ")))
    lines = wrap(
        line.strip(" "),
        max(width, 1),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)
