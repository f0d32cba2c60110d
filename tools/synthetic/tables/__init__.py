"""Tables that generated records are drawn from."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from dirframe import _tables

_FOLDER = Path(__file__).parent


def read_table(name: str) -> dict[str, Any]:
    """Read a TOML table."""
    return tomllib.loads((_FOLDER / name).read_text("utf-8"))


def read_rows(name: str) -> list[dict[str, str]]:
    """Read the rows of a CSV table."""
    return _tables.read_rows(_FOLDER / name)
