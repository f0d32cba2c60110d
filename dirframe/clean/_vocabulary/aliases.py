"""Our own lines: what pycountry, CLDR and iso-codes do not know, each with its reason.

`own.tsv` has four columns: a name as it is written, the two-letter code (- for a value that
must stay without one), the reason, and the source.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["OwnLine", "own_lines"]


class OwnLine(NamedTuple):
    """One decision of ours; `alpha_2` is None for a value that names no single country."""

    name: str
    alpha_2: str | None
    reason: str
    source: str


def own_lines() -> Iterator[OwnLine]:
    """Yield our own lines, in the order of the file."""
    text = files("dirframe.clean").joinpath("data", "own.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and line[0] != "#":
            name, alpha_2, reason, source = line.split("\t")
            yield OwnLine(name, None if alpha_2 == "-" else alpha_2, reason, source)
