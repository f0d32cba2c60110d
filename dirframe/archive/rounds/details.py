"""Fetch the own pages of the records that the collection returns without their analysis."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from dirframe.archive.model import Doubt, Reason, RoundKind
from dirframe.archive.snapshot import Snapshot, read_page
from dirframe.archive.status import rounds_as_of
from dirframe.client.details import Sent, read_sent
from dirframe.client.paging.completeness import PAGES_PER_CHUNK
from dirframe.client.paging.prefetch import fetch_ahead
from dirframe.client.xml.parser import PageParser

if TYPE_CHECKING:
    from dirframe.archive.model import Round
    from dirframe.archive.writer import ArchiveWriter


def run_details(writer: ArchiveWriter) -> None:
    """Fetch the own pages that are needed and not stored yet, and finish their round.

    They are stored like other pages, in a round of their own that follows each of the others. The
    pages needed follow from the stored pages, so they are the same after an interruption.
    """
    rounds = rounds_as_of(writer.rounds, None)
    is_running = rounds[-1].kind is RoundKind.DETAILS and rounds[-1].outcome is None
    running = rounds.pop() if is_running else None
    needed = _needed_details(writer, rounds)
    current = running or writer.start_round(RoundKind.DETAILS, expected=len(needed))
    done = {identifier for page in writer.store.pages(current) for identifier in page.ids}
    done |= {refusal.id for refusal in writer.store.refusals(current)}
    remaining = [
        (number, identifier)
        for number, identifier in enumerate(needed, 1)
        if identifier not in done
    ]

    def fetch(item: tuple[int, str]) -> bool:
        writer.fetch_details(current, *item)
        return True

    for _ in fetch_ahead(fetch, lambda _: None, remaining, writer.workers):
        pass
    writer.finish_round(current, pages=current.pages, available=None)


def abandon_details(writer: ArchiveWriter, current: Round) -> None:
    """Finish a round of own pages early; the pages already fetched count."""
    doubt = Doubt(Reason.DETAILS_PENDING)
    writer.finish_round(current, pages=current.pages, available=None, doubt=doubt)


def _needed_details(writer: ArchiveWriter, rounds: list[Round]) -> list[str]:
    """Return the ids of the records that need their own page, in the order of the collection."""
    refused = {
        refusal.id: round_.number for round_ in rounds for refusal in writer.store.refusals(round_)
    }
    ids: list[str | None] = []
    numbers: list[int] = []
    held, named = [np.zeros(0, dtype=bool)], [np.zeros(0, dtype=bool)]
    readings = (
        (round_.number, page, mask)
        for round_, page, mask in Snapshot(writer.store, rounds).pages()
        if round_.kind is not RoundKind.DETAILS
    )
    parser = PageParser()
    while chunk := list(islice(readings, PAGES_PER_CHUNK)):
        parsed = (
            parser.parse(read_page(writer.store, page), source=page.sha256) for _, page, _ in chunk
        )
        page_ids, sent = read_sent(parsed, writer.query.resource)
        counts = np.concatenate(
            [
                np.ones(len(page.ids), dtype=bool) if mask is None else mask
                for _, page, mask in chunk
            ]
        )
        round_numbers = np.repeat([n for n, _, _ in chunk], [len(page.ids) for _, page, _ in chunk])
        ids += [
            identifier for identifier, counting in zip(page_ids, counts, strict=True) if counting
        ]
        numbers += round_numbers[counts].tolist()
        held.append(sent.held[counts])
        named.append(sent.named[counts])
    lacking = Sent(np.concatenate(held), np.concatenate(named)).needed()
    return [
        identifier
        for identifier, number, needed in zip(ids, numbers, lacking, strict=True)
        if needed and identifier is not None and refused.get(identifier, 0) < number
    ]
