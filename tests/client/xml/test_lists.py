"""Lists as Arrow's: nothing is lost on the way there and back, whatever is put together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.client.xml.lists import (
    concat_lists,
    decode_lists,
    encode_lists,
    is_lists,
    lengths_of,
    lists_from_python,
    lists_to_python,
)

TEXTS = st.sampled_from(["", "C", "Java", " ä ", "1,935", "\0"]) | st.text(max_size=4)
RECORDS = st.dictionaries(st.sampled_from(["id", "name", "tag"]), TEXTS, min_size=1, max_size=3)
TEXT_LISTS = st.lists(st.none() | st.lists(TEXTS | st.none(), max_size=4), max_size=6)
RECORD_LISTS = st.lists(st.none() | st.lists(RECORDS | st.none(), max_size=4), max_size=6)


def arrow(values: list[Any]) -> pa.ListArray:
    lists = lists_from_python(values)
    assert lists is not None
    return lists


@given(TEXT_LISTS | RECORD_LISTS)
def test_lists_come_back_as_they_were(values: list[Any]) -> None:
    lists = arrow(values)
    lists.validate(full=True)
    assert lists_to_python(lists) == values
    assert lengths_of(lists).tolist() == [len(value or ()) for value in values]


@given(TEXT_LISTS | RECORD_LISTS, st.integers(0, 6), st.integers(0, 6))
def test_a_part_of_lists_is_that_part(values: list[Any], begin: int, length: int) -> None:
    part = arrow(values).slice(min(begin, len(values)), length)
    assert lists_to_python(part) == values[begin : begin + length]
    assert lists_to_python(encode_lists(decode_lists(part))) == values[begin : begin + length]


@given(st.lists(RECORD_LISTS, min_size=1, max_size=4))
def test_lists_put_together_are_all_of_them(parts: list[list[Any]]) -> None:
    whole = [value for part in parts for value in part]
    lists = concat_lists([arrow(part) for part in parts])
    assert lists is not None
    assert lists_to_python(lists) == whole


@given(RECORD_LISTS, st.integers(0, 6))
def test_where_lists_were_cut_does_not_show(values: list[Any], cut: int) -> None:
    parts = [arrow(part) for part in (values[:cut], values[cut:])]
    together = concat_lists(parts)
    assert together is not None
    for one, other in zip(lists_to_python(together), lists_to_python(arrow(values)), strict=True):
        assert [list(e) if e else e for e in one or ()] == [
            list(e) if e else e for e in other or ()
        ]


def test_equal_texts_are_stored_once() -> None:
    lists = concat_lists([arrow([["C", "C"], ["Java"]]), arrow([["Java"], None, ["C"]])])
    assert lists is not None
    assert lists.flatten().dictionary.to_pylist() == ["C", "Java"]


def test_texts_and_records_cannot_be_put_together() -> None:
    assert concat_lists([arrow([["C"]]), arrow([[{"name": "C"}]])]) is None


@pytest.mark.parametrize(
    "values",
    [
        [["C", {"name": "C"}]],
        [["C", 1]],
        ["C"],
        [("C",)],
        [{"name": "C"}],
        [["C"], "C"],
        [[{"name": None}]],
        [[2**70]],
    ],
)
def test_what_lists_of_arrow_would_change_stays_as_it_is(values: list[Any]) -> None:
    assert lists_from_python(values) is None


@pytest.mark.parametrize(
    "lists",
    [
        pa.array([["a"], None, []], pa.large_list(pa.string())),
        pa.array([["a"], None, []], pa.list_(pa.string_view())),
        pa.array([["a"], None, []], pa.list_(pa.large_string())),
        pa.array([["a"], None, []], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    ],
)
def test_lists_of_other_programs_are_read(lists: pa.Array) -> None:
    assert is_lists(lists.type)
    encoded = encode_lists(lists)
    assert encoded.type.value_type == pa.dictionary(pa.int32(), pa.large_string())
    assert lists_to_python(encoded) == [["a"], None, []]


def test_entries_without_fields_are_kept() -> None:
    assert lists_to_python(encode_lists(pa.array([[{}], None]))) == [[{}], None]


def test_a_field_that_no_entry_has_is_left_out() -> None:
    lists = encode_lists(pa.array([[{"a": None, "b": "x"}], [None]]))
    assert lists_to_python(lists) == [[{"b": "x"}], [None]]


def test_pairs_of_a_fixed_length_are_lists_too() -> None:
    lists = pa.array([["a", "b"], None], pa.list_(pa.string(), 2))
    assert lists_to_python(encode_lists(lists)) == [["a", "b"], None]


def test_numbers_and_deeper_lists_are_kept() -> None:
    values = [[{"n": 1, "of": [1.5, None]}], None, [{"n": 2}]]
    lists = encode_lists(pa.array(values))
    assert lists_to_python(lists) == values
    assert decode_lists(lists).type == lists.type
    assert np.array_equal(lengths_of(lists), [1, 0, 1])
