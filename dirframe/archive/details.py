"""Harvest the own pages of the records that came without their analysis.

They are kept as pages are, in a round of their own that follows each of the others. Which ones
are needed follows from the pages that are kept, so it is the same after a kill.

What stays out: asking for one and writing it down (`dirframe.archive.keeping`).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from dirframe.archive.contents import Wanted, contents
from dirframe.archive.manifest import DETAILS
from dirframe.archive.selection import Selection
from dirframe.client.ahead import in_order
from dirframe.client.details import Sent, read_sent
from dirframe.client.positions import CHUNK
from dirframe.client.xml.parser import PageParser

if TYPE_CHECKING:
    from dirframe.archive.keeping import Keeper
    from dirframe.archive.manifest import Round

__all__ = ["give_up_details", "walk_details"]


def walk_details(keeper: Keeper) -> None:
    """Ask for the own pages that are needed and not kept yet, and end their round.

    Parameters
    ----------
    keeper
        What asks and writes; it has a round of own pages that has not ended, or begins one.
    """
    rounds = keeper.manifest.until(None)
    running = rounds.pop() if rounds[-1].kind == DETAILS and rounds[-1].end is None else None
    needed = _needed(keeper, rounds)
    one = running or keeper.begin_details(len(needed))
    done = {own for kept in one.pages for own in kept.ids} | one.refused.keys()
    left = [(page, own) for page, own in enumerate(needed, 1) if own not in done]

    def keep(asked: tuple[int, str]) -> bool:
        keeper.keep_details(one, *asked)
        return True

    for _ in in_order(keep, lambda _: None, left, keeper.workers):
        pass
    _end(keeper, one, why=None)


def give_up_details(keeper: Keeper, one: Round) -> None:
    """End a round of own pages before its end; what came of it counts."""
    _end(keeper, one, why="not all own pages were asked for")


def _end(keeper: Keeper, one: Round, *, why: str | None) -> None:
    facts = {"available": None, "complete": why is None, "why": why, "reached": True}
    keeper.end(one, pages=len(one.pages), **facts)


def _needed(keeper: Keeper, rounds: list[Round]) -> list[str]:
    """Name the records that need their own page, in the order of the collection."""
    refused = {own: one.number for one in rounds for own in one.refused}
    ids: list[str | None] = []
    numbers: list[int] = []
    held, named = [np.zeros(0, dtype=bool)], [np.zeros(0, dtype=bool)]
    parser = PageParser()
    readings = Selection(keeper.manifest, rounds).of_collections()
    while chunk := list(islice(readings, CHUNK)):
        pages = [Wanted(kept.page, kept.sha256, kept.bytes) for _, kept, _ in chunk]
        parsed = (
            parser.parse(content, source=page.sha256)
            for page, content in contents(keeper.folder, pages)
        )
        every, came = read_sent(parsed, keeper.question.resource)
        counts = np.concatenate(
            [np.ones(kept.count, dtype=bool) if mask is None else mask for _, kept, mask in chunk]
        )
        of_round = np.repeat([number for number, _, _ in chunk], [k.count for _, k, _ in chunk])
        ids += [one for one, counting in zip(every, counts, strict=True) if counting]
        numbers += of_round[counts].tolist()
        held.append(came.held[counts])
        named.append(came.named[counts])
    lacking = Sent(np.concatenate(held), np.concatenate(named)).needed()
    return [
        one
        for one, number, needed in zip(ids, numbers, lacking, strict=True)
        if needed and one is not None and refused.get(one, 0) < number
    ]
