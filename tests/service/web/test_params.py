"""Which page a request asks for."""

from __future__ import annotations

import pytest

from dirframe.errors import InvalidInputError
from dirframe.service.web.params import requested_page


@pytest.mark.parametrize(
    ("arguments", "page"), [({}, 1), ({"page": ""}, 1), ({"page": "2"}, 2), ({"page": "007"}, 7)]
)
def test_pages_count_from_one_and_one_is_meant_where_none_is_named(
    arguments: dict[str, str], page: int
) -> None:
    assert requested_page(arguments) == page


@pytest.mark.parametrize("text", ["0", "-1", "abc", "1.5", " 1", "1e3", "٣", "9" * 19, "0x1"])
def test_what_is_no_page_is_refused_with_what_was_asked(text: str) -> None:
    with pytest.raises(InvalidInputError, match="first page is 1"):
        requested_page({"page": text})
