"""The full text of a collection: which records hold all of these words, or words around them.

A query's word holds no blank, so it can only occur inside one blank-separated word of a text.
Therefore the index is a list of the collection's different words, each with the records that
hold it; SQLite's trigram index finds the words that contain what was asked. This answers
exactly, and a term that half of the texts contain costs a few rows instead of half a million.
The few parts that are dear, because thousands of words have them in common or most texts hold
them ("ing"), are answered in advance.
"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

__all__ = ["TRIGRAM", "build_index", "search"]

#: Length from which SQLite's trigram index answers; shorter words scan the list of words.
TRIGRAM = 3

#: Pairs of word and record that are held in memory while the index is built.
_PAIRS_AT_ONCE = 1_000_000

#: What reading a part's records may cost, in words, before its answer is worked out in advance;
#: a word costs as much as `_PAIRS_PER_WORD` of its records. 500 words take about 1 ms.
COMMON_TERM_COST = 500
_PAIRS_PER_WORD = 400

_NUMBER_BYTES = 4

Mask = npt.NDArray[np.bool_]


def build_index(
    database: sqlite3.Connection,
    collection: str,
    texts: Iterable[tuple[int, str]],
    size: int,
    *,
    frequent: int = COMMON_TERM_COST,
) -> None:
    """Write the index of `texts`, pairs of record number below `size` and its words."""
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
    _index_frequent(database, collection, size, frequent)


def _index_frequent(
    database: sqlite3.Connection, collection: str, size: int, frequent: int
) -> None:
    """Answer in advance, as bits, every part that costs more than `frequent` words."""
    database.execute(
        f"CREATE TABLE {collection}_frequent (part TEXT PRIMARY KEY, bits BLOB NOT NULL)"
    )
    costs: Counter[str] = Counter()
    words = database.execute(f"SELECT word, length(numbers) FROM {collection}_words")  # noqa: S608  # as above
    for word, length in words:
        cost = _cost(length)
        for part in {word[i : i + TRIGRAM] for i in range(len(word) - TRIGRAM + 1)}:
            costs[part] += cost
    bound = frequent * _PAIRS_PER_WORD
    parts = [part for part, cost in costs.items() if cost > bound]
    while parts:
        part = parts.pop()
        mask = np.zeros(size, dtype=np.bool_)
        longer: Counter[str] = Counter()
        for word, numbers in _matching_words(database, collection, part):
            mask[np.frombuffer(numbers, dtype=np.uint32)] = True
            cost = _cost(len(numbers))
            for extended in _longer_by_one(part, word):
                longer[extended] += cost
        bits = np.packbits(mask).tobytes()
        database.execute(f"INSERT INTO {collection}_frequent VALUES (?, ?)", (part, bits))  # noqa: S608  # as above
        # A longer part can only be frequent if its beginning is.
        parts += [part for part, cost in longer.items() if cost > bound]


def _cost(length: int) -> int:
    return _PAIRS_PER_WORD + length // _NUMBER_BYTES


def _longer_by_one(part: str, word: str) -> set[str]:
    found: set[str] = set()
    place = word.find(part)
    while 0 <= place < len(word) - len(part):
        found.add(word[place : place + len(part) + 1])
        place = word.find(part, place + 1)
    return found


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


def search(database: sqlite3.Connection, collection: str, words: Iterable[str], size: int) -> Mask:
    """Tell for each of `size` records whether its text holds every one of `words`."""
    every = np.ones(size, dtype=np.bool_)
    for word in words:
        every &= _mask(database, collection, word, size)
    return every


def _mask(database: sqlite3.Connection, collection: str, word: str, size: int) -> Mask:
    known = database.execute(
        f"SELECT bits FROM {collection}_frequent WHERE part = ?",  # noqa: S608  # the schema's own name
        (word,),
    ).fetchone()
    if known is not None:
        bits = np.frombuffer(known[0], dtype=np.uint8)
        return np.unpackbits(bits, count=size).view(np.bool_)
    mask = np.zeros(size, dtype=np.bool_)
    found = b"".join(numbers for _, numbers in _matching_words(database, collection, word))
    mask[np.frombuffer(found, dtype=np.uint32)] = True
    return mask


def _matching_words(
    database: sqlite3.Connection, collection: str, part: str
) -> Iterator[tuple[str, bytes]]:
    if len(part) < TRIGRAM:
        condition, argument = "instr(word, ?)", part
    else:
        # Between quotes nothing is syntax but the quote itself, which is doubled.
        condition, argument = f"{collection}_words MATCH ?", '"' + part.replace('"', '""') + '"'
    yield from database.execute(
        f"SELECT word, numbers FROM {collection}_words WHERE {condition}",  # noqa: S608  # as above
        (argument,),
    )
