"""A manifest that is none is refused."""

from __future__ import annotations

import pytest

from dirframe.archive.manifest import Manifest
from dirframe.errors import ArchiveError


def test_a_manifest_that_is_none_is_refused() -> None:
    with pytest.raises(ArchiveError, match="not the manifest"):
        Manifest.read([], "it")
