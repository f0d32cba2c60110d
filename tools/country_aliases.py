"""Read our own aliases, which pycountry, CLDR and iso-codes lack.

`own.tsv` has four columns: the name as written, the two-letter code (- for a value that must
not resolve), the reason, and the source.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class OwnLine(NamedTuple):
    """One alias; `alpha_2` is None for a value that names no single country."""

    name: str
    alpha_2: str | None
    reason: str
    source: str


def own_lines() -> Iterator[OwnLine]:
    """Yield the aliases in file order."""
    text = files("dirframe.clean").joinpath("data", "own.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and line[0] != "#":
            name, alpha_2, reason, source = line.split("\t")
            yield OwnLine(name, None if alpha_2 == "-" else alpha_2, reason, source)
