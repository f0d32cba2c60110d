"""Codes stand for ids one for one, and arrays of them answer as lists and dictionaries would."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dirframe.client.paging.ids import NO_ID, IdCodec, IdIndex, concatenate, repeats, unique

IDS = st.lists(
    st.none()
    | st.integers(-3, 12).map(str)
    | st.integers(0, 10**40).map(str)
    | st.sampled_from(
        ["007", "+7", " 7", "7_0", "\u0667", "\u00b2", "-7", "9" * 18, "9" * 19, "p7"]
    )
    | st.text(max_size=3)
)


@given(IDS)
def test_each_id_has_one_code_and_each_code_one_id(ids: list[str | None]) -> None:
    codec = IdCodec()
    codes = codec.encode(ids)
    assert list(map(codec.decode, codes)) == ids
    assert codec.encode(ids) == codes
    assert [code == NO_ID for code in codes] == [identifier is None for identifier in ids]


def test_a_decimal_number_is_its_own_code() -> None:
    codec = IdCodec()
    assert codec.encode(["0", "12", "9" * 18]).tolist() == [0, 12, int("9" * 18)]
    assert all(code < NO_ID for code in codec.encode(["012", "-1", "\u0667", "9" * 19, "x", ""]))


@given(IDS)
@example(["0", "9", "5", "3", "7", "1"])  # the least is first, the others are in no order
def test_an_index_answers_as_a_dictionary_does(ids: list[str | None]) -> None:
    codec = IdCodec()
    codes = codec.encode(ids)
    index = IdIndex(np.array(codes, dtype=np.int64))
    positions = {code: position for position, code in enumerate(codes)}
    asked = codec.encode([*ids, "none of them", "5", None])
    assert index.find(asked).tolist() == [positions.get(code, -1) for code in asked]
    assert [index.position(code) for code in asked] == [positions.get(code) for code in asked]


@given(IDS, st.booleans())
def test_repeated_ids_are_found_and_left_out(ids: list[str | None], in_order: bool) -> None:
    codes = IdCodec().encode(ids)
    array = np.array(sorted(codes) if in_order else codes, dtype=np.int64)
    assert unique(array).tolist() == list(dict.fromkeys(array.tolist()))
    further = Counter(codes) - Counter(set(codes))
    assert repeats([array[:2], array[2:]]).tolist() == sorted(further.elements())


def test_parts_of_either_kind_become_one_array() -> None:
    codec = IdCodec()
    parts: list[Any] = [codec.encode([]), codec.encode(["3", None]), np.array([5, 6])]
    assert concatenate(parts).tolist() == [3, NO_ID, 5, 6]
    assert concatenate([]).tolist() == []


@pytest.mark.parametrize(
    ("ids", "numbers"),
    [
        (["2", "10"], [2, 10]),
        (["002", "10", "9" * 30], [2, 10, int("9" * 30)]),
        ([], []),
        (["2", "x"], None),
        (["2", "-1"], None),
        (["2", None], None),
    ],
)
def test_decimal_ids_of_any_form_are_numbers(
    ids: list[str | None], numbers: list[int] | None
) -> None:
    codec = IdCodec()
    codes = np.array(codec.encode(ids), dtype=np.int64)
    assert codec.is_decimal(codes) == (numbers is not None)
    if numbers is not None:
        assert codec.numbers(codes).tolist() == numbers
