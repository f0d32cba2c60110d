"""Read tables of text: those beside the code, and others by the separator of their header."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


_SEPARATORS = ",\t;"
#: Quoted names of columns, in which a separator separates nothing.
_QUOTED = re.compile('"[^"]*"')


def separator_of(header: str) -> str:
    """Return the separator of a table from its first line."""
    return max(_SEPARATORS, key=_QUOTED.sub("", header).count)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file by the names of its columns."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
