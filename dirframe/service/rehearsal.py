"""Two parameters of today's live service, for rehearsal: `per_page`, and `ids` of projects."""

# They are no part of the specification: only a directory without analyses in collections, which is like
# the live service, knows them.

from __future__ import annotations

import re

from flask import abort

from dirframe.service.xml import request_arguments

#: Records on a page, and the most that can be asked for.
TODAYS_PAGE_SIZE, MAX_PAGE_SIZE = 10, 25

_NUMBER = re.compile(r"\s*([0-9]{1,18})")


def requested_page_size() -> int:
    """Return the number of projects on a page: up to 25, and none for 0 or a word."""
    text = request_arguments().get("per_page", "")
    if not text:
        return TODAYS_PAGE_SIZE
    if text.lstrip().startswith("-"):
        abort(404, "There is nothing at this address.")
    return min(_leading_number(text), MAX_PAGE_SIZE)


def requested_ids() -> list[str]:
    """Return the ids that are asked for; without any, all projects are."""
    text = request_arguments().get("ids", "")
    return [str(_leading_number(part)) for part in text.split(",")] if text else []


def _leading_number(text: str) -> int:
    found = _NUMBER.match(text)
    return int(found[1]) if found else 0
