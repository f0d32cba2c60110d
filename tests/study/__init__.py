"""What tests of studies have in common."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def descriptor(folder: Path, name: str = "datapackage.json") -> dict[str, Any]:
    """Read a description that stands beside the tables."""
    found: dict[str, Any] = json.loads((folder / name).read_text("utf-8"))
    return found
