"""Ids are the same in any order and dtype, and counted if they are there twice."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.provenance.fingerprint import ids_of

texts = st.lists(st.none() | st.sampled_from(["7", "07", "12", "a", "b c", "-1", " 7"]), max_size=8)


@given(texts)
def test_order_and_repetition_do_not_change_the_digest(ids: list[str | None]) -> None:
    column = pd.Series(ids, dtype="str")
    found = ids_of(column)
    known = [one for one in ids if one is not None]
    assert found.rows == len(ids)
    assert found.repeated == len(known) - len(set(known))
    assert ids_of(pd.Series(sorted(known) * 2, dtype="str")).digest == found.digest


@given(texts, texts)
def test_other_ids_have_another_digest(ids: list[str | None], others: list[str | None]) -> None:
    same = {*ids} - {None} == {*others} - {None}
    digests = {ids_of(pd.Series(one, dtype="str")).digest for one in (ids, others)}
    assert (len(digests) == 1) is same


@pytest.mark.parametrize("dtype", ["int64", "Int64", "object", "category", "string"])
def test_whole_numbers_are_the_ids_that_are_written_like_them(dtype: str) -> None:
    numbers = pd.Series([12, 7, 30]).astype(pd.api.types.pandas_dtype(dtype))
    assert ids_of(numbers) == ids_of(pd.Series(["7", "12", "30"]))
