"""The interface: the parameters of the current request, and the documents of responses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import parse_qsl
from xml.sax.saxutils import escape

from flask import current_app, request

from dirframe._printable import escaped
from dirframe.errors import InvalidInputError
from dirframe.schema import COLLECTION_COUNTS, SYNTHETIC_MARK

if TYPE_CHECKING:
    from dirframe.service.store import Store

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PAGE = re.compile(r"0*[1-9][0-9]{0,17}")
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MARK = f"<?{SYNTHETIC_MARK} generated records: they describe no real person and no project?>\n"


def current_store() -> Store:
    """Return the records that the application serves."""
    return cast("Store", current_app.extensions["store"])


def request_arguments() -> dict[str, str]:
    """Return the parameters of the current request; of a repeated one the first value.

    Values are decoded as UTF-8, or else as Latin-1, which old clients send.
    """
    arguments: dict[str, str] = {}
    text = request.environ.get("QUERY_STRING", "")
    for name, value in parse_qsl(text, keep_blank_values=True, encoding="latin-1"):
        arguments.setdefault(_decoded(name), _decoded(value))
    return arguments


def _decoded(text: str) -> str:
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


class ListRequest(NamedTuple):
    """The parameters of a request for a collection; query and sort are empty if it has none."""

    query: str
    sort: str
    page: int


def list_request() -> ListRequest:
    """Return the parameters of the current request for a collection."""
    arguments = request_arguments()
    query = arguments.get("query", arguments.get("q", ""))  # the second of old clients
    if _CONTROL.search(query):  # NUL would end a text of SQLite
        raise InvalidInputError("query must not contain control characters.")
    page = arguments.get("page") or "1"
    if not _PAGE.fullmatch(page):
        raise InvalidInputError(
            f"There is no page {page[:30]!r}: the first page is 1, and a page is a whole number."
        )
    return ListRequest(query, arguments.get("sort", ""), int(page))


def result_xml(
    fragments: list[str],
    available: int | None = None,
    first: int = 0,
    *,
    synthetic: bool,
    wrapper: str = "",
    beside: str = "",
) -> bytes:
    """Return a page of a collection, or the response of a record without `available`.

    `available` is the number of records on all pages, `first` the position of the first one here.
    `wrapper` is the element around the records, if there is one, and `beside` XML behind them there.
    """
    counts = ""
    if available is not None:
        numbers = zip(COLLECTION_COUNTS, (len(fragments), available, first), strict=True)
        counts = "".join(f"<{name}>{number}</{name}>\n" for name, number in numbers)
    mark = _MARK if synthetic else ""
    opening = f"{_DECLARATION}{mark}<response>\n<status>success</status>\n"
    records = "".join(fragments)
    if wrapper:
        records = f"<{wrapper}>\n{records}{beside}</{wrapper}>\n"
    result = f"<result>\n{records}</result>\n</response>\n"
    return f"{opening}{counts}{result}".encode()


def failure_xml(text: str, *, status: str = "failed", element: str = "error") -> bytes:
    """Return the response to a failed request, with its status word and the element of its text."""
    # A text may repeat a part of the address, with characters that XML cannot hold.
    content = f"<status>{status}</status>\n<{element}>{escape(escaped(text))}</{element}>\n"
    return f"{_DECLARATION}<response>\n{content}</response>\n".encode()
