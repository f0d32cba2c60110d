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
    lines: list[str] = []
    for line in text.split("\n"):
        lines += _display.wrap(line, width, breaks_words=False)
    return "\n".join(lines)


def _echo(text: str, *, is_error: bool) -> None:
    click.echo(for_stream(text, is_error=is_error), err=is_error)


def terminal_width() -> int:
    """Return the number of columns of the terminal."""
    return shutil.get_terminal_size().columns
