"""Text of others, without the characters that would move the cursor or colour the screen."""

from __future__ import annotations

#: Of scripts such as Persian and Hindi, and of composed emoji.
_JOINERS = "\u200c\u200d"
#: The advice where a text cannot be written as UTF-8.
REPLACE_HALF_PAIR = "Replace it first, such as by text.encode('utf-8', 'replace').decode()."


def printable(text: str) -> str:
    """Replace non-printable characters by blanks, except zero-width joiners and non-joiners."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _JOINERS else " " for char in text)


def printable_lines(text: str) -> str:
    """Replace non-printable characters by blanks, except ends of lines and tabs."""
    if text.isprintable():
        return text
    lines = ("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Escape non-printable characters as Python does, except joiners: a name stays what it is."""
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable() or character in _JOINERS
        else character.encode("unicode_escape").decode()
        for character in text
    )


def escaped_lines(text: str) -> str:
    """Escape non-printable characters, except ends of lines and tabs."""
    if text.isprintable():
        return text
    lines = ("\t".join(map(escaped, line.split("\t"))) for line in text.split("\n"))
    return "\n".join(lines)
