"""A size that no page has is refused."""

from __future__ import annotations

import pytest

from dirframe.archive.storing import unpack
from dirframe.errors import ArchiveError


def test_a_size_that_no_page_has_is_refused() -> None:
    with pytest.raises(ArchiveError, match="which no page does"):
        unpack(b"x", "0" * 64, 2**40, "it")
