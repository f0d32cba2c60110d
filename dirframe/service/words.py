"""The full text of a collection: which records hold all of these words, or words around them.

A query's word holds no blank, so it can only occur inside one blank-separated word of a text.
Therefore the index is a list of the collection's different words, each with the records that
hold it; SQLite's trigram index finds the words that contain what was asked. This answers
exactly, and a term that half of the texts contain costs a few rows instead of half a million.

What stays out: folding case (`records.fold`), the order of the answers (`store`).
"""

from __future__ import annotations

from array import array
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

__all__ = ["TRIGRAM", "index_words", "records_with"]

#: Length from which SQLite's trigram index answers; shorter words scan the list of words.
TRIGRAM = 3

#: Pairs of word and record that are held in memory while the index is built.
_PAIRS_AT_ONCE = 1_000_000

Numbers = npt.NDArray[np.uint32]


def index_words(
    database: sqlite3.Connection, collection: str, texts: Iterable[tuple[int, str]]
) -> None:
    """Write the index of `texts`, pairs of record number and blank-separated words."""
    database.execute("CREATE TEMP TABLE pieces (word TEXT NOT NULL, numbers BLOB NOT NULL)")
    for words in _chunks(texts):
        database.executemany("INSERT INTO temp.pieces VALUES (?, ?)", words)
    # Column text only is indexed by trigrams; column numbers is just kept beside it.
    database.execute(
        f"CREATE VIRTUAL TABLE {collection}_words USING fts5"
        "(word, numbers UNINDEXED, tokenize = 'trigram case_sensitive 1')"
    )
    pieces = database.execute("SELECT word, numbers FROM temp.pieces ORDER BY word, rowid")
    database.executemany(
        f"INSERT INTO {collection}_words (word, numbers) VALUES (?, ?)",  # noqa: S608  # the schema's own name
        (
            (word, b"".join(part for _, part in parts))
            for word, parts in groupby(pieces, key=itemgetter(0))
        ),
    )
    database.execute(f"INSERT INTO {collection}_words ({collection}_words) VALUES ('optimize')")  # noqa: S608  # as above
    database.execute("DROP TABLE temp.pieces")


def _chunks(texts: Iterable[tuple[int, str]]) -> Iterator[list[tuple[str, bytes]]]:
    found: dict[str, array[int]] = {}
    pairs = 0
    for number, words in texts:
        for word in words.split():
            try:
                found[word].append(number)
            except KeyError:
                found[word] = array("I", (number,))
            pairs += 1
        if pairs >= _PAIRS_AT_ONCE:
            yield [(word, numbers.tobytes()) for word, numbers in found.items()]
            found.clear()
            pairs = 0
    yield [(word, numbers.tobytes()) for word, numbers in found.items()]


def records_with(
    database: sqlite3.Connection, collection: str, words: Iterable[str], size: int
) -> Numbers:
    """Return the numbers of the records, of `size`, whose texts hold every one of `words`."""
    every: npt.NDArray[np.bool_] | None = None
    for word in words:
        mask = np.zeros(size, dtype=np.bool_)
        mask[np.frombuffer(b"".join(_postings(database, collection, word)), dtype=np.uint32)] = True
        every = mask if every is None else every & mask
    if every is None:
        return np.arange(size, dtype=np.uint32)
    return np.flatnonzero(every).astype(np.uint32)


def _postings(database: sqlite3.Connection, collection: str, word: str) -> Iterator[bytes]:
    if len(word) < TRIGRAM:
        sql, argument = f"SELECT numbers FROM {collection}_words WHERE instr(word, ?)", word  # noqa: S608  # the schema's own name
    else:
        # Between quotes nothing is syntax but the quote itself, which is doubled.
        argument = '"' + word.replace('"', '""') + '"'
        sql = f"SELECT numbers FROM {collection}_words WHERE {collection}_words MATCH ?"  # noqa: S608  # as above
    for (numbers,) in database.execute(sql, (argument,)):
        yield numbers
