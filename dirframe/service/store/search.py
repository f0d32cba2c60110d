"""Full-text search of a collection: the records that contain all words, also inside words."""

# A query word contains no blank, so it can only occur inside one blank-separated word of a text.
# The index is therefore an inverted index of the distinct words; SQLite's trigram index finds the
# words that contain the query word. Results are exact, and a term in half of the texts costs a few
# rows instead of half a million. Results for the few expensive substrings, which occur in thousands
# of words or in most texts ("ing"), are precomputed.

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator


#: Minimum length for SQLite's trigram index; shorter words scan the list of words.
TRIGRAM = 3

#: Texts held in memory while the index is built.
_TEXTS_AT_ONCE = 20_000

#: Cost of a substring, in words, above which its result is precomputed; a word costs as much as
#: `_PAIRS_PER_WORD` of its records. 500 words take about 1 ms.
COMMON_TERM_COST = 500
_PAIRS_PER_WORD = 400

#: Type of `array.array` for `numpy.uint32`, and its size.
_NUMBER_TYPE, _NUMBER_BYTES = "I", 4

Mask = npt.NDArray[np.bool_]


def build_index(
    database: sqlite3.Connection,
    collection: str,
    texts: Iterable[tuple[int, str]],
    size: int,
    *,
    frequent: int = COMMON_TERM_COST,
) -> None:
    """Write the index of `texts`, pairs of record number (below `size`) and words."""
    database.execute("CREATE TEMP TABLE pieces (word TEXT NOT NULL, numbers BLOB NOT NULL)")
    for words in _chunks(texts):
        database.executemany("INSERT INTO temp.pieces VALUES (?, ?)", words)
    # Only the column word is indexed by trigrams.
    database.execute(
        f"CREATE VIRTUAL TABLE {collection}_words USING fts5"
        "(word, numbers UNINDEXED, tokenize = 'trigram case_sensitive 1')"
    )
    pieces = database.execute("SELECT word, numbers FROM temp.pieces ORDER BY word, rowid")
    database.executemany(
        f"INSERT INTO {collection}_words (word, numbers) VALUES (?, ?)",
        (
            (word, b"".join(part for _, part in parts))
            for word, parts in groupby(pieces, key=itemgetter(0))
        ),
    )
    database.execute(f"INSERT INTO {collection}_words ({collection}_words) VALUES ('optimize')")
    database.execute("DROP TABLE temp.pieces")
    _index_frequent(database, collection, size, frequent)


def _index_frequent(
    database: sqlite3.Connection, collection: str, size: int, frequent: int
) -> None:
    """Precompute, as bitmaps, the results of substrings that cost more than `frequent` words."""
    database.execute(
        f"CREATE TABLE {collection}_frequent (part TEXT PRIMARY KEY, bits BLOB NOT NULL)"
    )
    costs: Counter[str] = Counter()
    words = database.execute(f"SELECT word, length(numbers) FROM {collection}_words")
    for word, length in words:
        cost = _cost(length)
        for part in {word[i : i + TRIGRAM] for i in range(len(word) - TRIGRAM + 1)}:
            costs[part] += cost
    bound = frequent * _PAIRS_PER_WORD
    parts = sorted(part for part, cost in costs.items() if cost > bound)  # not in random order
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
        database.execute(f"INSERT INTO {collection}_frequent VALUES (?, ?)", (part, bits))
        # A longer substring can only be frequent if its prefix is.
        parts += sorted(part for part, cost in longer.items() if cost > bound)


def _cost(length: int) -> int:
    return _PAIRS_PER_WORD + length // _NUMBER_BYTES


def _longer_by_one(part: str, word: str) -> set[str]:
    extended: set[str] = set()
    position = word.find(part)
    while 0 <= position < len(word) - len(part):
        extended.add(word[position : position + len(part) + 1])
        position = word.find(part, position + 1)
    return extended


def _chunks(texts: Iterable[tuple[int, str]]) -> Iterator[Iterator[tuple[str, bytes]]]:
    """Yield, for chunks of the texts, the distinct words and the numbers of their records."""
    remaining = iter(texts)
    while chunk := list(islice(remaining, _TEXTS_AT_ONCE)):
        numbers: defaultdict[str, array[int]] = defaultdict(partial(array, _NUMBER_TYPE))
        for number, text in chunk:
            for word in set(text.split()):
                numbers[word].append(number)
        # In the order of the words, for a set has none.
        yield ((word, numbers[word].tobytes()) for word in sorted(numbers))


def search(database: sqlite3.Connection, collection: str, words: Iterable[str], size: int) -> Mask:
    """Return a mask of the `size` records whose text contains all `words`."""
    mask = np.ones(size, dtype=np.bool_)
    for word in words:
        mask &= _mask(database, collection, word, size)
    return mask


def _mask(database: sqlite3.Connection, collection: str, word: str, size: int) -> Mask:
    row = database.execute(
        f"SELECT bits FROM {collection}_frequent WHERE part = ?",
        (word,),
    ).fetchone()
    if row is not None:
        bits = np.frombuffer(row[0], dtype=np.uint8)
        return np.unpackbits(bits, count=size).view(np.bool_)
    mask = np.zeros(size, dtype=np.bool_)
    blob = b"".join(numbers for _, numbers in _matching_words(database, collection, word))
    mask[np.frombuffer(blob, dtype=np.uint32)] = True
    return mask


def _matching_words(
    database: sqlite3.Connection, collection: str, part: str
) -> Iterator[tuple[str, bytes]]:
    if len(part) < TRIGRAM:
        condition, argument = "instr(word, ?)", part
    else:
        # Inside quotes, only the quote itself has a meaning and is doubled.
        condition, argument = f"{collection}_words MATCH ?", '"' + part.replace('"', '""') + '"'
    yield from database.execute(
        f"SELECT word, numbers FROM {collection}_words WHERE {condition}",
        (argument,),
    )
