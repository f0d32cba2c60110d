"""Parse the parameters of requests, for XML and pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from flask import request

from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping


_PAGE = re.compile(r"[0-9]{1,18}")
# Tabs and line breaks separate words; texts contain no other control characters.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def parse_arguments(query_string: str) -> dict[str, str]:
    """Parse a query string; of a repeated parameter the first value is used.

    Parameters
    ----------
    query_string
        As in WSGI, one character per byte.

    Returns
    -------
    dict of str to str
        Values are decoded as UTF-8, or else as Latin-1, which old clients send.

    Examples
    --------
    >>> parse_arguments("query=Zo%C3%AB&sort=name") == parse_arguments("query=Zo%EB&sort=name")
    True
    """
    arguments: dict[str, str] = {}
    for name, value in parse_qsl(query_string, keep_blank_values=True, encoding="latin-1"):
        arguments.setdefault(_decoded(name), _decoded(value))
    return arguments


def request_arguments() -> dict[str, str]:
    """Return the parameters of the current request."""
    return parse_arguments(request.environ.get("QUERY_STRING", ""))


def _decoded(text: str) -> str:
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def requested_page(arguments: Mapping[str, str], *, lenient: bool = False) -> int:
    """Return the requested page number; 1 if missing or empty, or invalid if `lenient`."""
    text = arguments.get("page") or "1"
    if _PAGE.fullmatch(text) and int(text) >= 1:
        return int(text)
    if lenient:
        return 1
    raise InvalidInputError(
        f"There is no page {text[:30]!r}: the first page is 1, and a page is a whole number."
    )


def requested_query(arguments: Mapping[str, str]) -> str:
    """Return the query text; empty if missing.

    Old clients send it as `q`; `query` takes precedence.

    Raises
    ------
    InvalidInputError
        The query contains a control character.
    """
    text = arguments.get("query", arguments.get("q", ""))
    if match := _CONTROLS.search(text):
        raise InvalidInputError(
            f"The query has the control character U+{ord(match[0]):04X} at position "
            f"{match.start()}. Send text as UTF-8 or Latin-1, percent-encoded."
        )
    return text
