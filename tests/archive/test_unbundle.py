"""A bundle that is not there is refused."""

from __future__ import annotations

import pytest

import dirframe
from dirframe.errors import ArchiveError


def test_a_bundle_that_is_not_there_is_refused() -> None:
    with pytest.raises(ArchiveError, match="no file"):
        dirframe.open_bundle("nowhere.zip")
