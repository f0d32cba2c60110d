"""Index of the terms of records, and relevance ranking of query results."""

# A term is a title, a word of a title, a tag or a name in URLs; each is folded.

from __future__ import annotations

from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import sqlite3


class Term(IntEnum):
    """Kind of a term."""

    TITLE = 0
    WORD = 1
    TAG = 2
    NAME = 3


class _Rank(IntEnum):
    """Relevance of a match; a lower rank comes first."""

    EXACT = 0
    TITLE_BEGINS = 1
    WORDS_BEGIN = 2
    TAGS = 3
    ELSEWHERE = 4


_LAST = "\U0010ffff"

#: Column of the keys that holds the terms of each kind, and what separates them, as SQL.
_TERMS = (
    (Term.TITLE, "title", None),
    (Term.WORD, "title", "' '"),
    (Term.TAG, "tags", "char(10)"),
    (Term.NAME, "address_names", "char(10)"),
)

Numbers = npt.NDArray[np.uint32]


def index_terms(database: sqlite3.Connection, collection: str) -> None:
    """Write the table of terms of the records in ``{collection}_keys``."""
    database.execute(
        f"CREATE TABLE {collection}_terms (kind INTEGER, term TEXT, number INTEGER,"
        " PRIMARY KEY (kind, term, number)) WITHOUT ROWID"
    )
    # Kind by kind, for SQLite sorts faster by a text that comes first.
    for kind, column, separator in _TERMS:
        if separator is None:
            terms, source = column, f"{collection}_keys"
        else:
            # The text as a JSON list. U+FFFF, which XML does not allow, is not escaped by JSON.
            marked = f"json_quote(replace({column}, {separator}, char(0xFFFF)))"
            parts = f"""'[' || replace({marked}, char(0xFFFF), '","') || ']'"""
            terms, source = "value", f"{collection}_keys, json_each({parts}) WHERE {column} != ''"
        database.execute(
            f"INSERT OR IGNORE INTO {collection}_terms"
            f" SELECT {kind.value}, {terms}, number - 1 FROM {source} ORDER BY {terms}, number"
        )


def with_term(
    database: sqlite3.Connection, collection: str, kind: Term, term: str, *, prefix: bool = False
) -> Numbers:
    """Return the numbers of the records with this term, or with one that begins with it."""
    rows = database.execute(
        f"SELECT number FROM {collection}_terms WHERE kind = ? AND term BETWEEN ? AND ?",
        (kind.value, term, term + _LAST if prefix else term),
    )
    return np.fromiter((number for (number,) in rows), dtype=np.uint32)


def match_ranks(
    database: sqlite3.Connection, collection: str, words: tuple[str, ...], size: int
) -> npt.NDArray[np.uint8]:
    """Return the rank of each record; the best match has the lowest rank.

    Parameters
    ----------
    database
        The store.
    collection
        Name of the collection.
    words
        Words of the query in order, folded.
    size
        Number of records.

    Returns
    -------
    numpy.ndarray
        Ranks, in this order: the title or the name in URLs equals the query; the title prefixes
        with it; each word is a prefix of a word of the title; each word is a tag; other matches.
    """
    ranks = np.full(size, _Rank.ELSEWHERE, dtype=np.uint8)
    if not words:
        return ranks
    phrase = " ".join(words)
    records = partial(with_term, database, collection)
    tags, prefixes = np.ones(size, dtype=np.bool_), np.ones(size, dtype=np.bool_)
    for word in set(words):
        tags &= as_mask(records(Term.TAG, word), size)
        prefixes &= as_mask(records(Term.WORD, word, prefix=True), size)
    ranks[tags] = _Rank.TAGS
    ranks[prefixes] = _Rank.WORDS_BEGIN
    ranks[records(Term.TITLE, phrase, prefix=True)] = _Rank.TITLE_BEGINS
    for kind in (Term.TITLE, Term.NAME):
        ranks[records(kind, phrase)] = _Rank.EXACT
    return ranks


def as_mask(numbers: Numbers, size: int) -> npt.NDArray[np.bool_]:
    """Return which of `size` records are among some numbers."""
    mask = np.zeros(size, dtype=np.bool_)
    mask[numbers] = True
    return mask
