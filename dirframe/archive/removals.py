"""Name the records that were removed from a directory, for few requests.

Their number is what the directory counts less than is held. In an order that keeps still, what is
held and what there is differ by them alone: a page shows how many are gone before it, so that halving
finds each (`dirframe.archive.drift`), for some ten requests among a thousand pages.

What stays out: what changed (`dirframe.archive.refresh`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dirframe.archive.harvest import Known, walk
from dirframe.archive.keeping import is_refusal
from dirframe.archive.selection import Selection
from dirframe.errors import ServiceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dirframe.archive.keeping import Keeper
    from dirframe.archive.manifest import Round

__all__ = ["REMOVALS", "name_removed"]

REMOVALS = "removals"


def name_removed(keeper: Keeper, begun: Round | None = None) -> None:
    """Find and write down which of the held records there are no more, if an order keeps still.

    Parameters
    ----------
    keeper
        What asks and writes.
    begun
        The round that does it, where an earlier call began one.
    """
    rounds = keeper.manifest.until(None)
    base = rounds[0]
    known = _known(Selection(keeper.manifest, rounds), base)
    if known is None or base.sort is None:
        return
    if begun is None:
        try:
            first = keeper.fetch(1, base.sort)
        except ServiceError as error:
            if not is_refusal(error):
                raise
            return
        begun = keeper.begin(REMOVALS, base.sort, first)
    walk(keeper, begun, known)


def _known(selection: Selection, base: Round) -> Known | None:
    """Put what is held in the order of the collection; None where that cannot be known."""
    held: set[str] = set()
    for one in selection.ids():
        if one is None:
            return None
        held.add(one)
    if base.end is None or not all(kept.ordered for kept in base.used()):
        return None

    def harvested() -> Iterator[str]:
        every = (one for kept in base.used() for one in kept.ids)
        return (one for one in every if one in held and one is not None)

    sign = -1 if base.sort == "id_reverse" else 1
    by_number = base.sort in {"id", "id_reverse"} and all(one.isdecimal() for one in held)
    if by_number and all(a < b for a, b in pairwise(sign * int(one) for one in harvested())):
        ids = sorted(held, key=lambda one: sign * int(one))  # those that came later, too
    else:
        ids = list(harvested())
    return Known(ids, base.end["available"], held)
