"""What a request asks for, read from its parameters: the same for XML and pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["page_or_first", "parse_arguments", "requested_page", "requested_query"]

_PAGE = re.compile(r"[0-9]{1,18}")
# Tab and line breaks separate words; no text has any other.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def parse_arguments(query_string: str) -> dict[str, str]:
    """Return the parameters of a query string; of repeated ones the first counts.

    Parameters
    ----------
    query_string
        As WSGI has it: one character for each byte.

    Returns
    -------
    dict of str to str
        Values are UTF-8; one that is not is read as Latin-1, in which old clients send text.

    Examples
    --------
    >>> parse_arguments("query=Zo%C3%AB&sort=name") == parse_arguments("query=Zo%EB&sort=name")
    True
    """
    arguments: dict[str, str] = {}
    for name, value in parse_qsl(query_string, keep_blank_values=True, encoding="latin-1"):
        arguments.setdefault(_decoded(name), _decoded(value))
    return arguments


def _decoded(text: str) -> str:
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def requested_page(arguments: Mapping[str, str]) -> int:
    """Return the number of the page that the parameters ask for; left out or empty: 1."""
    text = arguments.get("page") or "1"
    if not _PAGE.fullmatch(text) or int(text) < 1:
        raise InvalidInputError(
            f"There is no page {text[:30]!r}: the first page is 1, and a page is a whole number."
        )
    return int(text)


def page_or_first(arguments: Mapping[str, str]) -> int:
    """Return the number of the page, and 1 where the parameters ask for none that there is."""
    try:
        return requested_page(arguments)
    except InvalidInputError:
        return 1


def requested_query(arguments: Mapping[str, str]) -> str:
    """Return the text that the parameters search for; left out: the empty one, which is all.

    Old clients call it `q`; where both are given, `query` counts.

    Raises
    ------
    InvalidInputError
        It has a control character, which no record has.
    """
    text = arguments.get("query", arguments.get("q", ""))
    if found := _CONTROLS.search(text):
        raise InvalidInputError(
            f"The query has the control character U+{ord(found[0]):04X} at position "
            f"{found.start()}. Send text as UTF-8 or Latin-1, percent-encoded."
        )
    return text
