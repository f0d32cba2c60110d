"""The index of words: answered in advance or not, the answer is the same."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.service.store.search import build_index, search


@pytest.mark.parametrize("frequent", [0, 1, 2, 1_000])
@given(
    texts=st.lists(st.text("ab\"' ", max_size=12), min_size=1, max_size=8),
    part=st.text("ab\"'", min_size=1, max_size=6),
)
def test_what_is_answered_in_advance_is_what_a_plain_search_finds(
    frequent: int, texts: list[str], part: str
) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        build_index(database, "things", enumerate(texts), len(texts), frequent=frequent)
        found = np.flatnonzero(search(database, "things", [part], len(texts))).tolist()
        (known,) = database.execute("SELECT count(*) FROM things_frequent").fetchone()
    assert found == [number for number, text in enumerate(texts) if part in text]
    assert known == len(dear_parts(texts, frequent))


def dear_parts(texts: list[str], frequent: int) -> set[str]:
    """Return the parts of three letters and more that cost more than `frequent` words."""
    words = {word for text in texts for word in text.split()}
    costs = {word: 400 + sum(word in text.split() for text in texts) for word in words}
    parts = {word[i:j] for word in words for j in range(len(word) + 1) for i in range(j - 2)}
    return {
        part
        for part in parts
        if sum(cost for word, cost in costs.items() if part in word) > 400 * frequent
    }


def test_all_words_must_occur_and_no_words_ask_for_everything() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        build_index(database, "things", enumerate(["red car", "red", "carpet"]), 3)
        assert search(database, "things", ["car", "red"], 3).tolist() == [True, False, False]
        assert search(database, "things", ["car"], 3).tolist() == [True, False, True]
        assert search(database, "things", [], 3).all()
