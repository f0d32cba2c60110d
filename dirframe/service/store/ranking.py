"""Index of the terms of records, and relevance ranking of query results."""

# A term is a title, a word of a title, a tag or a name in URLs; each is folded.

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import sqlite3


class _Kind(IntEnum):
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
    (_Kind.TITLE, "title", None),
    (_Kind.WORD, "title", "' '"),
    (_Kind.TAG, "tags", "char(10)"),
    (_Kind.NAME, "address_names", "char(10)"),
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


def named(database: sqlite3.Connection, collection: str, name: str) -> Numbers:
    """Return the numbers of the records with this name in URLs."""
    return _with_term(database, collection, _Kind.NAME, name)


def tagged(database: sqlite3.Connection, collection: str, tag: str) -> Numbers:
    """Return the numbers of the records with exactly this tag."""
    return _with_term(database, collection, _Kind.TAG, tag)


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
    tags, prefixes = np.ones(size, dtype=np.bool_), np.ones(size, dtype=np.bool_)
    for word in set(words):
        tags &= _mask(_with_term(database, collection, _Kind.TAG, word), size)
        prefixes &= _mask(_with_beginning(database, collection, _Kind.WORD, word), size)
    ranks[tags] = _Rank.TAGS
    ranks[prefixes] = _Rank.WORDS_BEGIN
    ranks[_with_beginning(database, collection, _Kind.TITLE, phrase)] = _Rank.TITLE_BEGINS
    for kind in (_Kind.TITLE, _Kind.NAME):
        ranks[_with_term(database, collection, kind, phrase)] = _Rank.EXACT
    return ranks


def _with_term(database: sqlite3.Connection, collection: str, kind: _Kind, term: str) -> Numbers:
    return _numbers(database, collection, "term = ?", kind.value, term)


def _with_beginning(
    database: sqlite3.Connection, collection: str, kind: _Kind, beginning: str
) -> Numbers:
    bounds = (beginning, beginning + _LAST)
    return _numbers(database, collection, "term >= ? AND term < ?", kind.value, *bounds)


def _numbers(
    database: sqlite3.Connection, collection: str, condition: str, *values: int | str
) -> Numbers:
    rows = database.execute(
        f"SELECT number FROM {collection}_terms WHERE kind = ? AND {condition}", values
    )
    return np.fromiter((number for (number,) in rows), dtype=np.uint32)


def _mask(numbers: Numbers, size: int) -> npt.NDArray[np.bool_]:
    mask = np.zeros(size, dtype=np.bool_)
    mask[numbers] = True
    return mask
