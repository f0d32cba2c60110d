"""What a request asks for, read from its parameters: the same for XML and pages.

What stays out: Flask; which sorts and queries there are (`store`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["asked_page"]

_PAGE = re.compile(r"[0-9]{1,18}")


def asked_page(arguments: Mapping[str, str]) -> int:
    """Return the number of the page that the parameters ask for; left out or empty: 1."""
    text = arguments.get("page") or "1"
    if not _PAGE.fullmatch(text) or int(text) < 1:
        raise InvalidInputError(
            f"There is no page {text[:30]!r}: the first page is 1, and a page is a whole number."
        )
    return int(text)
