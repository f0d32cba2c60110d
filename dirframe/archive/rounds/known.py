"""What is stored, in the order of the collection: from it, removed records are located."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from datetime import datetime
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from dirframe.archive.model import RoundKind, sort_keys
from dirframe.archive.snapshot import Snapshot, read_page
from dirframe.client.paging.ids import EMPTY, IdCodec, IdIndex, concatenate, unique
from dirframe.client.xml.records import RecordReader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dirframe.archive.model import Round
    from dirframe.archive.writer import ArchiveWriter
    from dirframe.client.paging.ids import Codes


@dataclass(frozen=True)
class KnownState:
    """The stored records, before a round that finds removals.

    Parameters
    ----------
    ids
        Those whose place is known, in the order of the collection.
    counts
        The counts of the directory while the changes were read.
    held, recent
        All stored records, and those read with the last changes.
    unplaced
        Those that may stand anywhere in the order.
    codec
        Encodes the ids.
    """

    ids: Codes
    counts: set[int | None]
    held: Codes
    recent: Codes
    unplaced: Codes
    codec: IdCodec


def known_state(writer: ArchiveWriter, rounds: list[Round]) -> KnownState | None:
    """Return the stored records in the order of the collection; None if it is not known."""
    base = rounds[0]
    changes = [round_ for round_ in rounds if round_.kind is RoundKind.CHANGES][-1]
    codec, stored = IdCodec(), array("q")
    for identifier in Snapshot(writer.store, rounds).ids():
        if identifier is None:
            return None
        stored.append(codec.code(identifier))
    held = np.sort(stored)
    index, harvested = IdIndex(held), array("q")
    for _, page, mask in Snapshot(writer.store, [base]).pages():
        if not page.ordered:
            return None
        codes = codec.encode(page.ids)
        is_held = index.find(codes) >= 0
        harvested.extend(compress(codes, is_held if mask is None else is_held & mask))
    ids = unique(np.asarray(harvested))
    later, unplaced = np.setdiff1d(held, ids), EMPTY
    if base.sort in {"id", "id_reverse"}:
        ordered = _by_id(codec, ids, held, descending=base.sort == "id_reverse")
        if ordered is None:
            return None
        ids = ordered  # including later additions
    elif len(later):
        unplaced = later[~_are_newest(writer, rounds, codec, later)]
    recent = concatenate(codec.encode(page.ids) for page in writer.store.pages(changes))
    return KnownState(ids, writer.counts(changes), held, recent, unplaced, codec)


def _by_id(codec: IdCodec, ids: Codes, held: Codes, *, descending: bool) -> Codes | None:
    """Return the stored ids as numbers or texts in order; None if the harvested ones are in neither."""
    for numbers in (True, False):
        if numbers and not codec.is_decimal(held):
            continue
        keys = codec.numbers if numbers else codec.texts
        own = keys(ids)[::-1] if descending else keys(ids)
        if np.all(own[1:] > own[:-1]):
            ordered = held[np.argsort(keys(held), kind="stable")]
            return ordered[::-1] if descending else ordered
    return None


def _are_newest(
    writer: ArchiveWriter, rounds: list[Round], codec: IdCodec, later: Codes
) -> NDArray[np.bool_]:
    """Return which later additions were created after all harvested records, so follow them."""
    base = [page for page in writer.store.pages(rounds[0]) if page.ids]
    ends = [text or "" for page in base for text in (page.low, page.high)]
    created: list[tuple[int, str]] = []
    index = IdIndex(later)
    for round_ in rounds[1:]:
        for page in writer.store.pages(round_):
            positions = index.find(codec.encode(page.ids))
            if np.all(positions < 0):
                continue
            reader = RecordReader(writer.query.resource)
            reader.read(read_page(writer.store, page))
            texts = reader.last_values("created_at")
            created += [
                (position, text or "")
                for position, text in zip(positions.tolist(), texts, strict=True)
                if position >= 0
            ]
    moments = sort_keys(ends + [text for _, text in created])
    newest = np.zeros(len(later), dtype=bool)
    if not ends or not all(isinstance(moment, datetime) for moment in moments):
        return newest
    newest[[position for position, _ in created]] = True
    last = max(moments[: len(ends)])
    earlier = zip(created, moments[len(ends) :], strict=True)
    newest[[position for (position, _), moment in earlier if moment <= last]] = False
    return newest
