"""A state of an archive: the newest version of each record, and frames made of them."""

from __future__ import annotations

import itertools
import json
import socket
import zipfile
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa

from dirframe import provenance
from dirframe.archive.model import Doubt, Reason, RoundKind
from dirframe.archive.store import BATCH, PAGE_COLUMNS, Store
from dirframe.client.frames.builder import FrameBuilder
from dirframe.client.frames.columns import column_paths, select_columns
from dirframe.client.paging.completeness import PAGES_PER_CHUNK
from dirframe.client.xml.parser import MAX_BYTES
from dirframe.client.xml.records import RecordReader
from dirframe.errors import ArchiveError
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pandas as pd

    from dirframe.archive.model import PageRecord, Round

    Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


_CODEC = "zstd"

#: No page of XML compresses better than this; recorded pages compress to a fifth to a tenth.
_MAX_RATIO = 2_000

#: Maximum number of missing records in a message; the provenance lists all of them.
_NAMED = 20

# The pages in use, in the order of the frame; those of changes, whose positions differ from one
# request to the next, in order of their fetch. A later session is newer, whatever the clock said.
_TABLES = """
DROP TABLE IF EXISTS temp.used;
DROP TABLE IF EXISTS temp.gone;
DROP TABLE IF EXISTS temp.superseded;
CREATE TEMP TABLE used (place INTEGER PRIMARY KEY, rank, round, number, UNIQUE (round, number));
CREATE TEMP TABLE gone (record PRIMARY KEY, rank) WITHOUT ROWID;
CREATE TEMP TABLE superseded (place, position, PRIMARY KEY (place, position)) WITHOUT ROWID
"""
_USE = """
INSERT INTO used (rank, round, number)
SELECT :rank, round, number FROM pages WHERE round = :round AND number <= :pages
ORDER BY CASE WHEN :sorted THEN page END, CASE WHEN :sorted THEN session END,
    CASE WHEN :sorted THEN retrieved END, number
"""
_USE_ORDER = """
INSERT INTO used (rank, round, number) SELECT :rank, :round, value FROM json_each(:order)
ORDER BY key
"""
_LOSE = "INSERT OR REPLACE INTO gone SELECT value, :rank FROM json_each(:gone)"
_SUPERSEDE = """
INSERT INTO superseded
SELECT place, position FROM (
    SELECT place, used.rank, key AS position, value AS record, row_number() OVER (
        PARTITION BY value ORDER BY session DESC, retrieved DESC, place DESC, key DESC
    ) AS age
    FROM used JOIN pages USING (round, number) JOIN json_each(ids_json) WHERE value IS NOT NULL
) AS reading LEFT JOIN gone USING (record)
WHERE age > 1 OR reading.rank <= gone.rank
"""
_READ = (
    f"SELECT place, rank, {PAGE_COLUMNS} FROM used JOIN pages USING (round, number) "
    f"WHERE place > ? ORDER BY place LIMIT {BATCH}"
)
_SUPERSEDED = "SELECT place, position FROM superseded WHERE place BETWEEN ? AND ?"


def compress(content: bytes) -> tuple[str, bytes]:
    """Return the SHA-256 of a page and its compressed bytes."""
    compressed: bytes = pa.compress(content, codec=_CODEC, asbytes=True)
    return sha256(content).hexdigest(), compressed


def decompress(compressed: bytes, digest: str, size: int, name: str) -> bytes:
    """Decompress and verify a page.

    Raises
    ------
    ArchiveError
        If its digest does not match; the message names it.
    """
    if not 0 <= size <= min(MAX_BYTES, _MAX_RATIO * len(compressed)):
        raise ArchiveError(f"{name} declares {size:,} bytes, which no page has.")
    try:
        content: bytes = pa.decompress(compressed, size, codec=_CODEC, asbytes=True)
    except (OSError, pa.ArrowException) as error:
        raise ArchiveError(f"{name} is damaged ({error}). Restore it from a copy.") from error
    if sha256(content).hexdigest() != digest:
        raise ArchiveError(f"{name} was changed: its digest differs. Restore it from a copy.")
    return content


class PageRef(NamedTuple):
    """A page to read, its checksums, and which of its records to use; None for all."""

    page: int
    sha256: str
    size: int
    mask: Mask | None = None


class Snapshot:
    """The pages in use, with only the newest version of each record.

    Parameters
    ----------
    store
        The archive's file; it holds one snapshot at a time.
    rounds
        The rounds of the frame: a full one, and changes since.
    """

    def __init__(self, store: Store, rounds: Sequence[Round]) -> None:
        self._store, self.rounds = store, rounds
        self.number = 0
        for statement in _TABLES.split(";"):
            store.read(statement)
        for rank, round_ in enumerate(rounds):
            self._use(rank, round_)
        first = rounds[0].outcome
        if len(rounds) > 1 or first is None or first.repeated or first.gone:
            store.read(_SUPERSEDE)

    def _use(self, rank: int, round_: Round) -> None:
        order = round_.outcome.order if round_.outcome else None
        facts: dict[str, Any] = {"rank": rank, "round": round_.number}
        if order is None:
            is_sorted = round_.kind in {RoundKind.FULL, RoundKind.DETAILS}
            self._store.read(_USE, facts | {"pages": round_.pages, "sorted": is_sorted})
        else:
            self._store.read(_USE_ORDER, facts | {"order": json.dumps(order)})
        if round_.outcome and round_.outcome.gone:
            self._store.read(_LOSE, facts | {"gone": json.dumps(round_.outcome.gone)})
        self.number += round_.pages if order is None else len(order)

    def pages(self) -> Iterator[tuple[Round, PageRecord, Mask | None]]:
        """Yield each page in use, in order, with its round and a mask of its records in use."""
        index = 0
        while rows := self._store.read(_READ, (index,)):
            dropped: dict[int, list[int]] = {}
            for of_page, position in self._store.read(_SUPERSEDED, (rows[0][0], rows[-1][0])):
                dropped.setdefault(of_page, []).append(position)
            for of_page, rank, *row in rows:
                page, index = self._store.parse_page(row), index + 1
                if of_page != index:
                    break
                mask = None
                if index in dropped:
                    mask = np.ones(len(page.ids), dtype=bool)
                    mask[dropped[index]] = False
                yield self.rounds[rank], page, mask
        if index != self.number:
            raise self._store.damaged(f"{self.number:,} pages were written, {index:,} are there")

    def refs(self) -> Iterator[PageRef]:
        """Yield the pages to read, with masks of their records in use."""
        for _, page, mask in self.pages():
            yield PageRef(page.page, page.sha256, page.size, mask)

    def ids(self) -> Iterator[str | None]:
        """Yield the ids of the records in use."""
        for _, page, mask in self.pages():
            yield from page.ids if mask is None else itertools.compress(page.ids, mask)

    @property
    def records(self) -> int:
        """Number of records."""
        return self._totals.records

    @cached_property
    def _totals(self) -> _Totals:
        totals = _Totals()
        for round_, page, mask in self.pages():
            totals.add(page, mask, first=round_ is self.rounds[0])
            if round_.outcome is None or round_.outcome.order is None:
                totals.paid += page.paid
        return totals

    @cached_property
    def _paid(self) -> int:
        """Return the number of requests used, including those for pages no longer in use."""
        reordered = [r for r in self.rounds if r.outcome and r.outcome.order is not None]
        return (
            self._totals.paid
            + sum(page.paid for r in reordered for page in self._store.pages(r))
            + sum(refusal.paid for r in self.rounds for refusal in self._store.refusals(r))
        )

    @cached_property
    def missing_details(self) -> dict[str, str]:
        """Return the records whose own page is missing, and why, unless it came later."""
        missing: dict[str, str] = {}
        for round_ in self.rounds:
            if round_.kind is RoundKind.DETAILS:
                for page in self._store.pages(round_) if missing else ():
                    for identifier in page.ids:
                        missing.pop(identifier or "", None)
                missing |= {refusal.id: refusal.text for refusal in self._store.refusals(round_)}
        return {key: text for key, text in missing.items() if text}  # others have no analysis

    @cached_property
    def doubt(self) -> Doubt | None:
        """Why the state is not proven complete, including missing own pages."""
        rounds = [r for r in self.rounds if r.kind is not RoundKind.DETAILS]
        outcome, last = rounds[-1].outcome, self.rounds[-1]
        if outcome is None:
            return Doubt(Reason.NOT_FINISHED)
        if outcome.doubt is not None:
            return outcome.doubt
        details = any(r.details for r in self.rounds) or last.kind is RoundKind.DETAILS
        if details and (last.kind is not RoundKind.DETAILS or last.outcome is None):
            return Doubt(Reason.DETAILS_PENDING)
        if last.outcome is not None and last.outcome.doubt is not None:
            return last.outcome.doubt
        if missing := self.missing_details:
            entries = [f"{identifier} ({text})" for identifier, text in sorted(missing.items())]
            more = f" and {len(entries) - _NAMED:,} more" if len(entries) > _NAMED else ""
            names = f"{', '.join(entries[:_NAMED])}{more}"
            return Doubt(Reason.DETAILS_MISSING, (len(missing), names))
        return None

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Provenance of its frames."""
        base, collection = self.rounds[0], self._store.collection()
        outcome = [r for r in self.rounds if r.kind is not RoundKind.DETAILS][-1].outcome
        query = {"query": collection.query, "sort": base.sort}
        totals, doubt = self._totals, self.doubt
        return {
            "source": collection.source,
            "base_url": collection.base_url,
            "resource": collection.resource.name,
            "query": {name: value for name, value in query.items() if value is not None},
            "items_available": outcome.available if outcome else totals.available,
            "items_loaded": totals.records,
            "complete": doubt is None,
            "incomplete_reason": None if doubt is None else str(doubt),
            "details": sum(r.pages for r in self.rounds if r.kind is RoundKind.DETAILS),
            "details_missing": sorted(self.missing_details),
            "duplicates_removed": totals.read - totals.records if len(self.rounds) == 1 else 0,
            "retrieved_oldest": _to_the_second(totals.oldest),
            "retrieved_newest": _to_the_second(totals.newest),
            "requests_made": self._paid,
            "requests_cached": 0,
            "synthetic": totals.synthetic,
        }


@dataclass(slots=True)
class _Totals:
    """Totals of one pass through the pages."""

    records: int = 0
    read: int = 0
    available: int | None = None
    oldest: str | None = None
    newest: str | None = None
    paid: int = 0
    synthetic: bool = False

    def add(self, page: PageRecord, mask: Mask | None, *, first: bool) -> None:
        """Add a page; for those of the first round also the records read."""
        count = len(page.ids)
        self.records += count if mask is None else int(mask.sum())
        self.read += count if first else 0
        if page.available is not None:  # an own page reports no total
            self.available = page.available
        self.oldest = min(self.oldest or page.retrieved, page.retrieved)
        self.newest = max(self.newest or page.retrieved, page.retrieved)
        self.synthetic |= bool(page.synthetic)


@dataclass(frozen=True, kw_only=True)
class ReadTask:
    """Consecutive pages, with all that is needed to read them in any process.

    Parameters
    ----------
    path
        The archive, or a bundle.
    bundle
        Whether it is a bundle.
    resource
        The name of the resource.
    columns
        Columns to read; None for all.
    facts
        Provenance of its frames.
    pages
        Consumed once; may be an iterator.
    """

    path: Path
    bundle: bool
    resource: str
    columns: Sequence[str] | None
    facts: dict[str, Any]
    pages: Iterable[PageRef]

    def split(self, length: int) -> Iterator[Self]:
        """Yield tasks with a maximum number of pages, as picklable lists; at least one task."""
        remaining = iter(self.pages)
        pages = list(itertools.islice(remaining, length))
        yield replace(self, pages=pages)
        while pages := list(itertools.islice(remaining, length)):
            yield replace(self, pages=pages)

    def read(self, *, anew: bool) -> Iterator[tuple[RecordReader, Mask]]:
        """Read pages in chunks, with a mask of the records in use.

        With `anew`, a chunk has only the columns of its own pages.
        """
        if not self.path.exists():
            raise ArchiveError(
                f"{socket.gethostname()} does not see {self.path}. Whoever reads an archive has "
                "to reach it under the same path: keep it in a folder that all of them share."
            )
        resource = RESOURCES[self.resource]
        chosen = column_paths(resource, self.columns)
        reader, is_empty = RecordReader(resource, chosen=chosen), True
        masks: list[Mask] = []
        for page, content in read_contents(self.path, self.pages, bundle=self.bundle):
            before = reader.rows
            reader.read(content, source=f"page {page.sha256} in {self.path}")
            all_used = np.ones(reader.rows - before, dtype=bool)
            masks.append(all_used if page.mask is None else page.mask)
            if len(masks) == PAGES_PER_CHUNK:
                yield reader, np.concatenate(masks)
                masks, is_empty = [], False
                reader = RecordReader(resource, chosen=chosen) if anew else reader
        if masks or is_empty:
            yield reader, np.concatenate([*masks, np.ones(0, dtype=bool)])

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the records in use, a chunk at a time."""
        for reader, keep in self.read(anew=True):
            builder = FrameBuilder(RESOURCES[self.resource], self.columns)
            builder.add(reader.pop_columns())
            frame = select_columns(builder.finish(), self.columns)
            if not keep.all():
                frame = frame[keep].reset_index(drop=True)
            yield provenance.set_provenance(frame, **self.facts)


def bundle_member(digest: str) -> str:
    """Return the name of a page inside a bundle."""
    return f"pages/{digest[:2]}/{digest}.xml.zst"


def read_contents(
    path: Path, pages: Iterable[PageRef], *, bundle: bool
) -> Iterator[tuple[PageRef, bytes]]:
    """Decompress and verify pages of an archive or a bundle.

    Raises
    ------
    ArchiveError
        If one is missing or damaged; the message names it.
    """
    if not bundle:
        with Store.open(path) as store:
            for page in pages:
                yield page, read_page(store, page)
        return
    with zipfile.ZipFile(path) as packed:
        for page in pages:
            name = bundle_member(page.sha256)
            try:
                compressed = packed.read(name)
            except (KeyError, OSError, zipfile.BadZipFile) as error:
                raise ArchiveError(f"{path} lacks {name}. Restore it from a copy.") from error
            yield page, decompress(compressed, page.sha256, page.size, f"{name} in {path}")


def read_page(store: Store, page: PageRef | PageRecord) -> bytes:
    """Return the verified content of a page of an archive."""
    name = f"Page {page.sha256} in {store.name}"
    return decompress(store.compressed(page.sha256), page.sha256, page.size, name)


def _to_the_second(moment: str | None) -> str | None:
    """Truncate an ISO 8601 time in UTC to seconds."""
    return moment and f"{moment[:19]}+00:00"
